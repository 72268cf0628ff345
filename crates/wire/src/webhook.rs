//! Webhook payloads: a match, or an event with its match.
//!
//! [`webhook_document`](crate::document::webhook_document) renders the property document once; it may go to
//! thousands of receivers. The payload embeds those bytes without parsing them again.

use domain::{AdvertEvent, AdvertId, EventName, MatchId, PercentVariation, PropertyId, SearchId, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::matching::MatchHead;
use crate::{date, iri, names};

/// A match to be sent by webhook.
#[derive(Debug, Clone, Copy)]
pub struct WebhookMatch<'a> {
    pub id: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property first met the search.
    pub at: Timestamp,
    /// The rendered property document.
    pub document: &'a [u8],
    pub zone: &'a TimeZone,
}

/// How the payload of a match is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MatchForm {
    /// The match itself.
    #[default]
    Plain,
    /// The match, and again under `match`, where the payload of an event has it: some receivers look only there.
    Nested,
}

/// An event to be sent by webhook.
#[derive(Debug, Clone, Copy)]
pub struct WebhookEvent<'a> {
    pub name: EventName,
    pub event: &'a AdvertEvent,
    /// The advert that changed.
    pub advert: AdvertId,
}

/// Returns the payload for `endpointRecipient`.
pub fn match_payload(webhook_match: &WebhookMatch<'_>, form: MatchForm) -> Vec<u8> {
    let WebhookMatch { id, property, search, at, document, zone } = webhook_match;
    let plain =
        append_member(&MatchHead::of(*id, *property, *search, *at, zone), "propertyDocument", document);
    match form {
        MatchForm::Plain => plain,
        MatchForm::Nested => {
            let nested = plain.clone();
            add_member(plain, MATCH, &nested)
        }
    }
}

/// Returns the payload for `eventEndpoint`.
pub fn event_payload(event: &WebhookEvent<'_>, webhook_match: &WebhookMatch<'_>) -> Vec<u8> {
    let head = EventHead {
        event: names::event_name(event.name),
        ad_event: AdEventBody::of(event, webhook_match.zone),
    };
    append_member(&head, MATCH, &match_payload(webhook_match, MatchForm::Plain))
}

/// The member of a payload that holds the match.
const MATCH: &str = "match";

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventHead<'a> {
    event: &'static str,
    ad_event: AdEventBody<'a>,
}

/// An advert event as webhooks carry it. In documents the variation is a number instead of a string, and the event is
/// inside its advert.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdEventBody<'a> {
    field_name: &'a str,
    field_old_value: Option<&'a str>,
    field_new_value: Option<&'a str>,
    percent_variation: Option<String>,
    created_at: String,
    advert: String,
}

impl<'a> AdEventBody<'a> {
    fn of(event: &WebhookEvent<'a>, zone: &TimeZone) -> Self {
        let WebhookEvent { name: _, event, advert } = event;
        let AdvertEvent { at, subject, old_value, new_value, percent_variation } = event;
        Self {
            field_name: names::event_subject(subject),
            field_old_value: old_value.as_deref(),
            field_new_value: new_value.as_deref(),
            percent_variation: percent_variation
                .map(PercentVariation::get)
                .map(|percent| percent.to_string()),
            created_at: date::format(*at, zone),
            advert: iri::advert(*advert),
        }
    }
}

/// Serialises `head` with one more member whose value is already JSON. `RawValue` would need to parse the value
/// first.
fn append_member(head: &impl Serialize, name: &str, value: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(HEAD_BYTES + value.len());
    // The head has only strings and nulls under fixed keys: serialising it cannot fail.
    let _ = serde_json::to_writer(&mut bytes, head);
    add_member(bytes, name, value)
}

/// Adds a member whose value is already JSON to a serialised object that has other members.
fn add_member(mut object: Vec<u8>, name: &str, value: &[u8]) -> Vec<u8> {
    debug_assert!(value.starts_with(b"{") && value.ends_with(b"}"), "the value must be a JSON object");
    object.pop();
    object.extend_from_slice(b",\"");
    object.extend_from_slice(name.as_bytes());
    object.extend_from_slice(b"\":");
    object.extend_from_slice(value);
    object.push(b'}');
    object
}

/// Typical size of a payload without its document.
const HEAD_BYTES: usize = 512;
