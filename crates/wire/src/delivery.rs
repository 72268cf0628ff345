//! Deliveries and their attempts as their owner sees them, replay requests, and webhook secrets.

use std::borrow::Cow;
use std::time::Duration;

use domain::{
    CancelReason, CertificateFault, DeliveryChannel, DeliveryId, DeliveryState, EventName, MatchId, Outcome,
    PhaseTimings, PropertyId, ResponseHeader, SearchId, Timestamp, Violation,
};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::json::{Reader, unknown_members};
use crate::{date, iri, names};

/// A delivery and the data needed to write it.
#[derive(Debug, Clone)]
pub struct DeliveryInput<'a> {
    pub id: DeliveryId,
    /// `None` if the search was deleted.
    pub search: Option<SearchId>,
    pub channel: DeliveryChannel,
    /// Number of the delivery among those of its search and channel.
    pub sequence: u64,
    /// `None` if the delivery is about a match.
    pub event: Option<EventName>,
    /// `None` if the property was erased.
    pub about: Option<(PropertyId, MatchId)>,
    pub state: DeliveryState,
    /// Whether it is pending because its recipient has not confirmed yet.
    pub awaits_confirmation: bool,
    pub created_at: Timestamp,
    /// For a pending delivery the time of the next attempt; for a settled one the time it was settled.
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
    pub fn of(input: &DeliveryInput<'_>) -> Self {
        let DeliveryInput {
            id,
            search,
            channel,
            sequence,
            event,
            about,
            state,
            awaits_confirmation,
            created_at,
            state_at,
            attempt_count,
            zone,
        } = input;
        let state_at = date::format(*state_at, zone);
        let (next_attempt_at, settled_at) = match state {
            DeliveryState::Pending => (Some(state_at), None),
            // The lease is internal to the dispatcher.
            DeliveryState::Leased => (None, None),
            DeliveryState::Delivered | DeliveryState::Failed | DeliveryState::Cancelled(_) => {
                (None, Some(state_at))
            }
        };
        let reason = match state {
            DeliveryState::Cancelled(reason) => Some(names::cancel_reason(*reason)),
            DeliveryState::Pending if *awaits_confirmation => {
                Some(names::cancel_reason(CancelReason::Unconfirmed))
            }
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
            created_at: date::format(*created_at, zone),
            next_attempt_at,
            settled_at,
            attempt_count: *attempt_count,
        }
    }
}

/// An attempt and the data needed to write it.
#[derive(Debug, Clone)]
pub struct AttemptInput<'a> {
    pub began_at: Timestamp,
    pub took: Duration,
    pub outcome: Outcome,
    pub status: Option<u16>,
    pub target: Option<&'a str>,
    /// The first bytes of the response body.
    pub answer: &'a [u8],
    pub answer_headers: &'a [ResponseHeader],
    pub timings: PhaseTimings,
    /// What is wrong with the receiver's certificate.
    pub certificate: Option<CertificateFault>,
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
    /// Starting at 1.
    number: usize,
    began_at: String,
    duration_ms: u64,
    outcome: &'static str,
    status: Option<u16>,
    target: Option<&'a str>,
    answer: Option<Cow<'a, str>>,
    answer_headers: Vec<HeaderBody<'a>>,
    timings: TimingsBody,
    detail: Option<&'static str>,
}

#[derive(Debug, Serialize)]
struct HeaderBody<'a> {
    name: &'a str,
    value: &'a str,
}

/// All fields are milliseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct TimingsBody {
    name_ms: Option<u64>,
    connect_ms: Option<u64>,
    tls_ms: Option<u64>,
    first_byte_ms: Option<u64>,
}

impl TimingsBody {
    fn of(timings: PhaseTimings) -> Self {
        let PhaseTimings { name, connect, tls, first_byte } = timings;
        Self {
            name_ms: name.map(milliseconds),
            connect_ms: connect.map(milliseconds),
            tls_ms: tls.map(milliseconds),
            first_byte_ms: first_byte.map(milliseconds),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

impl<'a> DeliveryWithAttempts<'a> {
    pub fn of(input: &DeliveryInput<'_>, attempts: impl IntoIterator<Item = AttemptInput<'a>>) -> Self {
        let body = |(index, attempt): (usize, AttemptInput<'a>)| {
            let AttemptInput {
                began_at,
                took,
                outcome,
                status,
                target,
                answer,
                answer_headers,
                timings,
                certificate,
            } = attempt;
            let header = |ResponseHeader { name, value }: &'a ResponseHeader| HeaderBody { name, value };
            AttemptBody {
                number: index + 1,
                began_at: date::format(began_at, input.zone),
                duration_ms: milliseconds(took),
                outcome: names::outcome(outcome),
                status,
                target,
                answer: (!answer.is_empty()).then(|| lossy_text(answer)),
                answer_headers: answer_headers.iter().map(header).collect(),
                timings: TimingsBody::of(timings),
                detail: certificate.map(names::certificate_fault),
            }
        };
        let attempts = attempts.into_iter().enumerate().map(body).collect();
        Self { delivery: DeliveryBody::of(input), attempts }
    }
}

/// Decodes the stored bytes of a response. They are truncated, so an incomplete last character is left out.
pub fn lossy_text(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => String::from_utf8_lossy(&bytes[..error.valid_up_to()]),
        Ok(_) | Err(_) => String::from_utf8_lossy(bytes),
    }
}

/// A parsed replay request.
#[derive(Debug, PartialEq, Eq)]
pub struct Replay {
    /// Replay the failed deliveries created since then.
    pub since: Option<Timestamp>,
    /// Names of unknown fields.
    pub ignored: Vec<String>,
}

/// Parses a request to replay the deliveries that failed since a date.
pub fn parse_replay(members: &Map<String, Value>, zone: &TimeZone) -> Result<Replay, Vec<Violation>> {
    const NAME: &str = "since";
    let mut reader = Reader::default();
    let text = match members.get(NAME) {
        None | Some(Value::Null) => None,
        Some(value) => reader.text(NAME, value).map(str::trim).filter(|text| !text.is_empty()),
    };
    let since = text.and_then(|text| date::first_second(text, zone));
    if let (Some(text), None) = (text, since) {
        reader.violations.push(Violation::malformed(NAME, not_a_date(text)));
    }
    match reader.violations.is_empty() {
        true => Ok(Replay { since, ignored: unknown_members(members, &[NAME]) }),
        false => Err(reader.violations),
    }
}

fn not_a_date(text: &str) -> String {
    format!("\"{}\" is not {}.", crate::json::truncated(text), date::EXPECTED)
}

/// The number of deliveries that will be retried.
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

/// The number of deliveries that a replay would retry.
#[derive(Debug, Serialize)]
pub struct ReplayCountBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    deliveries: u64,
}

impl ReplayCountBody {
    pub const fn of(deliveries: u64) -> Self {
        Self { context: "/contexts/ReplayCount", kind: "ReplayCount", deliveries }
    }
}

/// The secret a user's webhooks are signed with. Only that user sees it.
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
            created_at: date::format(created_at, zone),
            previous_secret_valid_until: previous_valid_until.map(|until| date::format(until, zone)),
        }
    }
}

#[cfg(test)]
mod tests;
