//! What webhooks carry: a match, or an event and the match it concerns.
//!
//! The document in it was written before, by [`webhook_document`](crate::document::webhook_document), and may go to thousands. It
//! is put in as the bytes it is and not read again.

use domain::{AdvertEvent, EventName, MatchId, PercentVariation, PropertyId, SearchId, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;

use crate::matching::MatchHead;
use crate::{date, names};

/// A match to be told.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub id: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property came to meet the search.
    pub at: Timestamp,
    /// The document, written already.
    pub document: &'a [u8],
    pub zone: &'a TimeZone,
}

/// What goes to `endpointRecipient`.
pub fn match_payload(told: &Told<'_>) -> Vec<u8> {
    let Told { id, property, search, at, document, zone } = told;
    ending_with(&MatchHead::of(*id, *property, *search, *at, zone), "propertyDocument", document)
}

/// What goes to `eventEndpoint`.
pub fn event_payload(name: EventName, event: &AdvertEvent, told: &Told<'_>) -> Vec<u8> {
    let head = EventHead { event: names::event_name(name), ad_event: AdEventBody::of(event, told.zone) };
    ending_with(&head, "match", &match_payload(told))
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct EventHead<'a> {
    event: &'static str,
    ad_event: AdEventBody<'a>,
}

/// An event of an advert as webhooks carry it; documents have another shape of it, in which the variation is a number.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AdEventBody<'a> {
    field_name: &'a str,
    field_old_value: Option<&'a str>,
    field_new_value: Option<&'a str>,
    percent_variation: Option<String>,
    created_at: String,
}

impl<'a> AdEventBody<'a> {
    fn of(event: &'a AdvertEvent, zone: &TimeZone) -> Self {
        let AdvertEvent { at, subject, old_value, new_value, percent_variation } = event;
        Self {
            field_name: names::event_subject(subject),
            field_old_value: old_value.as_deref(),
            field_new_value: new_value.as_deref(),
            percent_variation: percent_variation
                .map(PercentVariation::get)
                .map(|percent| percent.to_string()),
            created_at: date::print(*at, zone),
        }
    }
}

/// An object with one more member at its end, whose value is JSON already. A `RawValue` would do, but can only be had by reading
/// all of it once more.
fn ending_with(head: &impl Serialize, name: &str, value: &[u8]) -> Vec<u8> {
    debug_assert!(value.starts_with(b"{") && value.ends_with(b"}"), "an object belongs here");
    let mut bytes = Vec::with_capacity(HEAD_BYTES + value.len());
    // What is written here are texts and nulls under names of our own; that cannot fail.
    let _ = serde_json::to_writer(&mut bytes, head);
    bytes.pop();
    bytes.extend_from_slice(b",\"");
    bytes.extend_from_slice(name.as_bytes());
    bytes.extend_from_slice(b"\":");
    bytes.extend_from_slice(value);
    bytes.push(b'}');
    bytes
}

/// About what a payload takes beside its document.
const HEAD_BYTES: usize = 512;
