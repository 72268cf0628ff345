//! Deliveries as their owners see them: what was owed, what became of it, and each attempt. And what they are signed with.

use std::borrow::Cow;
use std::time::Duration;

use domain::{
    DeliveryChannel, DeliveryId, DeliveryState, EventName, MatchId, Outcome, PropertyId, SearchId, Timestamp,
    Violation,
};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::{Reader, unknown_members};
use crate::{date, iri, names};

/// A delivery, and what it takes to show it.
#[derive(Debug, Clone)]
pub struct DeliveryParts<'a> {
    pub id: DeliveryId,
    /// Nothing when it was deleted.
    pub search: Option<SearchId>,
    pub channel: DeliveryChannel,
    /// Which of that search and channel.
    pub sequence: u64,
    /// Nothing when it is about a match.
    pub event: Option<EventName>,
    /// Nothing when that was erased.
    pub about: Option<(PropertyId, MatchId)>,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// When pending, the next attempt is not before; when it came to an end, since when.
    pub state_at: Timestamp,
    pub attempt_count: u32,
    pub zone: &'a TimeZone,
}

/// A delivery in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    search: Option<String>,
    channel: &'static str,
    sequence: u64,
    event: &'static str,
    #[serde(rename = "match")]
    matching: Option<String>,
    property: Option<String>,
    state: &'static str,
    reason: Option<&'static str>,
    created_at: String,
    next_attempt_at: Option<String>,
    settled_at: Option<String>,
    attempt_count: u32,
}

impl DeliveryBody {
    pub fn of(parts: &DeliveryParts<'_>) -> Self {
        let DeliveryParts {
            id,
            search,
            channel,
            sequence,
            event,
            about,
            state,
            created_at,
            state_at,
            attempt_count,
            zone,
        } = parts;
        let state_at = date::print(*state_at, zone);
        let (next_attempt_at, settled_at) = match state {
            DeliveryState::Pending => (Some(state_at), None),
            // How long its lease runs is nobody's business but the sender's.
            DeliveryState::Leased => (None, None),
            DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Cancelled(_) => {
                (None, Some(state_at))
            }
        };
        let reason = match state {
            DeliveryState::Cancelled(reason) => Some(names::cancel_reason(*reason)),
            DeliveryState::Pending
            | DeliveryState::Leased
            | DeliveryState::Delivered
            | DeliveryState::Failed => None,
        };
        Self {
            context: "/contexts/Delivery",
            id: iri::delivery(*id),
            kind: "Delivery",
            search: search.map(iri::search),
            channel: names::delivery_channel(*channel),
            sequence: *sequence,
            event: names::delivery_subject(*event),
            matching: about.map(|(_, matching)| iri::matching(matching)),
            property: about.map(|(property, _)| iri::property(property)),
            state: names::delivery_state(*state),
            reason,
            created_at: date::print(*created_at, zone),
            next_attempt_at,
            settled_at,
            attempt_count: *attempt_count,
        }
    }
}

/// One attempt, and what it takes to show it.
#[derive(Debug, Clone)]
pub struct AttemptParts<'a> {
    pub began_at: Timestamp,
    pub took: Duration,
    pub outcome: Outcome,
    pub status: Option<u16>,
    pub target: Option<&'a str>,
    /// The first bytes of the answer, of whatever kind they are.
    pub answer: &'a [u8],
}

/// A delivery with its attempts.
#[derive(Debug, Serialize)]
pub struct DeliveryWithAttempts<'a> {
    #[serde(flatten)]
    delivery: DeliveryBody,
    attempts: Vec<AttemptBody<'a>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttemptBody<'a> {
    /// From 1.
    number: usize,
    began_at: String,
    duration_ms: u64,
    outcome: &'static str,
    status: Option<u16>,
    target: Option<&'a str>,
    answer: Option<Cow<'a, str>>,
}

impl<'a> DeliveryWithAttempts<'a> {
    pub fn of(parts: &DeliveryParts<'_>, attempts: impl IntoIterator<Item = AttemptParts<'a>>) -> Self {
        let body = |(index, attempt): (usize, AttemptParts<'a>)| {
            let AttemptParts { began_at, took, outcome, status, target, answer } = attempt;
            AttemptBody {
                number: index + 1,
                began_at: date::print(began_at, parts.zone),
                duration_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
                outcome: names::outcome(outcome),
                status,
                target,
                answer: (!answer.is_empty()).then(|| legible(answer)),
            }
        };
        let attempts = attempts.into_iter().enumerate().map(body).collect();
        Self { delivery: DeliveryBody::of(parts), attempts }
    }
}

/// Bytes of an answer as text. Only the first of them are kept, so that the last letter may be half of one: it is left out.
pub fn legible(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(&bytes[..error.valid_up_to()]),
        Ok(_) | Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// What the body of a request to send everything again says.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay {
    /// What became owed since then and failed.
    pub since: Option<Timestamp>,
    /// The names that mean nothing.
    pub ignored: Vec<String>,
}

/// Reads the body of a request to send everything again that failed since a moment.
pub fn read_replay(members: &Map<String, Value>, zone: &TimeZone) -> Result<Replay, Vec<Violation>> {
    const NAME: &str = "since";
    let mut reader = Reader::default();
    let text = match members.get(NAME) {
        None | Some(Value::Null) => None,
        Some(value) => reader.text(NAME, value).map(str::trim).filter(|text| !text.is_empty()),
    };
    let since = text.and_then(|text| date::first_second(text, zone));
    if let (Some(text), None) = (text, since) {
        reader.violations.push(Violation::malformed(NAME, no_date(text)));
    }
    match reader.violations.is_empty() {
        true => Ok(Replay { since, ignored: unknown_members(members, &[NAME]) }),
        false => Err(reader.violations),
    }
}

fn no_date(text: &str) -> String {
    format!("\"{}\" is not a date.", crate::json::shown(text))
}

/// How many deliveries will be sent again.
#[derive(Debug, Serialize)]
pub struct ReplayedBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    replayed: u64,
}

impl ReplayedBody {
    pub const fn of(replayed: u64) -> Self {
        Self { context: "/contexts/Replay", kind: "Replay", replayed }
    }
}

/// What a user's webhooks are signed with, for that user's eyes.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WebhookSecretBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    secret: String,
    created_at: String,
    previous_secret_valid_until: Option<String>,
}

impl WebhookSecretBody {
    pub fn of(
        secret: String,
        created_at: Timestamp,
        previous_valid_until: Option<Timestamp>,
        zone: &TimeZone,
    ) -> Self {
        Self {
            context: "/contexts/WebhookSecret",
            id: "/webhook-secret",
            kind: "WebhookSecret",
            secret,
            created_at: date::print(created_at, zone),
            previous_secret_valid_until: previous_valid_until.map(|until| date::print(until, zone)),
        }
    }
}

#[cfg(test)]
mod tests;
