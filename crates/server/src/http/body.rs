//! Request bodies: read completely, within a size limit and a least rate, in supported media types only.
//!
//! Every body is counted in the [budget](super::budget) while it arrives and while it is in use. JSON is measured before it is
//! parsed.

use std::ops::Deref;

use axum::body::Body;
use axum::extract::Request;
use description::OperationId;
use description::operations::body_limit;
use domain::Violation;
use futures_util::StreamExt;
use http::request::Parts;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::{Map, Value};
use tokio::time::Instant;
use wire::json::{json_type, unknown_members};

use super::Shared;
use super::budget::{Owner, Reservation};
use super::error::Problem;
use super::parameters::{IgnoredNames, QueryText};
use crate::allowance::Allowance;
use crate::connection::SHUTDOWN_GRACE;
use crate::json_size::JsonSize;

/// Maximum number of values and names in a body other than adverts. A search that reads back 5,000 cities has 85,000.
const ITEMS_MAX: usize = 120_000;

/// Larger bodies are parsed on a blocking thread, so that other requests do not wait.
const PARSE_INLINE_BYTES_MAX: usize = 64 * 1024;

/// A body as it was received.
#[derive(Debug)]
pub struct ReceivedBody {
    pub bytes: Vec<u8>,
    pub reservation: Reservation,
}

/// What was parsed from a body. It counts in the budget until it is dropped.
#[derive(Debug)]
pub struct JsonBody<T = Value> {
    value: T,
    reservation: Reservation,
}

impl<T> Deref for JsonBody<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

/// Reads a body that is one JSON value.
pub async fn json(shared: &Shared, operation: OperationId, request: Request) -> Result<JsonBody, Problem> {
    let (parts, body) = request.into_parts();
    expect_json(&parts.headers)?;
    parse(whole(shared, &parts, body, limit(shared, operation)).await?).await
}

/// Reads an optional JSON object. An empty body is an empty object: many clients declare JSON and send no body.
pub async fn members(
    shared: &Shared,
    operation: OperationId,
    request: Request,
) -> Result<JsonBody<Map<String, Value>>, Problem> {
    let (parts, body) = request.into_parts();
    let received = whole(shared, &parts, body, limit(shared, operation)).await?;
    if received.bytes.is_empty() {
        return Ok(JsonBody { value: Map::new(), reservation: received.reservation });
    }
    expect_json(&parts.headers)?;
    let JsonBody { value, reservation } = parse(received).await?;
    match value {
        Value::Object(value) => Ok(JsonBody { value, reservation }),
        other => {
            let message = format!("The body must be a JSON object, {} given.", json_type(&other));
            Err(Problem::violations(&[Violation::malformed("", message)]))
        }
    }
}

/// Reads a request that takes neither parameters nor fields. Reports any that are present.
pub async fn expect_empty(
    shared: &Shared,
    operation: OperationId,
    query: &QueryText,
    request: Request,
) -> Result<IgnoredNames, Problem> {
    let members = members(shared, operation, request).await?;
    let ((), ignored) = query.finish_body(Ok(()), unknown_members(&members, &[]))?;
    Ok(ignored)
}

/// Returns how many bytes the body of an operation may have.
pub fn limit(shared: &Shared, operation: OperationId) -> usize {
    body_limit(operation).bytes(shared.config.limits.body_bytes_max)
}

/// Returns the content type of a body: as given, and in lower case without its parameters.
pub fn media_type(headers: &HeaderMap) -> (&str, String) {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    (given, given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// Rejects compressed bodies: their decompressed size is unbounded.
pub fn refuse_encodings(headers: &HeaderMap) -> Result<(), Problem> {
    match headers.get(header::CONTENT_ENCODING) {
        None => Ok(()),
        Some(encoding) if encoding.as_bytes().eq_ignore_ascii_case(b"identity") => Ok(()),
        Some(_) => {
            let message = "Compressed request bodies are not supported.";
            Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
        }
    }
}

fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    refuse_encodings(headers)?;
    let (given, media_type) = media_type(headers);
    if matches!(media_type.as_str(), "application/json" | "application/ld+json") {
        return Ok(());
    }
    Err(Problem::new(
        StatusCode::UNSUPPORTED_MEDIA_TYPE,
        format!(
            "The content-type \"{given}\" is not supported. Supported MIME types are \"application/ld+json\", \
             \"application/json\"."
        ),
    ))
}

/// Reads all bytes of a body.
pub async fn whole(
    shared: &Shared,
    parts: &Parts,
    body: Body,
    limit: usize,
) -> Result<ReceivedBody, Problem> {
    let limits = &shared.config.limits;
    let mut received = ReceivedBody {
        bytes: Vec::new(),
        reservation: shared.body_budget.reservation(Owner::of(&parts.extensions)),
    };
    let declared = parts.headers.get(header::CONTENT_LENGTH);
    if let Some(declared) = declared.and_then(|length| length.to_str().ok()?.parse::<usize>().ok()) {
        if declared > limit {
            return Err(Problem::too_large("The body", limit));
        }
        // A body that would not fit is refused before it is sent.
        received.reservation.check(declared)?;
    }
    let mut allowance = Allowance::new(limits.transfer_timeout, limits.transfer_bytes_per_second_min);
    let (mut frames, mut stopping) = (body.into_data_stream(), false);
    loop {
        let waiting_since = Instant::now();
        let next = async {
            tokio::select! {
                biased;
                frame = frames.next() => Some(frame),
                () = shared.stop.cancelled(), if !stopping => None,
            }
        };
        let next = tokio::time::timeout(allowance.left(), next).await;
        allowance.waited(waiting_since.elapsed());
        match next {
            Ok(Some(Some(Ok(frame)))) => {
                if received.bytes.len() + frame.len() > limit {
                    return Err(Problem::too_large("The body", limit));
                }
                received.reservation.grow(frame.len())?;
                received.append(&frame, limit);
                allowance.moved(frame.len());
            }
            Ok(Some(None)) => return Ok(received),
            // The client disconnected or broke the framing. If it still reads, tell it what happened.
            Ok(Some(Some(Err(_)))) => {
                return Err(Problem::bad_request("The body ended before it was complete."));
            }
            Ok(None) => {
                stopping = true;
                allowance.cap(SHUTDOWN_GRACE);
            }
            Err(_elapsed) => {
                let least = limits.transfer_bytes_per_second_min;
                let message = format!("The body arrived too slowly: less than {least} bytes per second.");
                return Err(Problem::new(StatusCode::REQUEST_TIMEOUT, message)
                    .with(header::CONNECTION, HeaderValue::from_static("close")));
            }
        }
    }
}

impl ReceivedBody {
    /// Adds bytes. Grows by a quarter, where a vector would double and hold twice what is reserved.
    fn append(&mut self, frame: &[u8], limit: usize) {
        let length = self.bytes.len();
        if self.bytes.capacity() - length < frame.len() {
            let more = frame.len().max(length / 4).min(limit.saturating_sub(length));
            self.bytes.reserve_exact(more.max(frame.len()));
        }
        self.bytes.extend_from_slice(frame);
    }

    /// Measures JSON, and reserves what parsing it takes.
    pub fn reserve_parsed(&mut self) -> Result<(), Problem> {
        let size = JsonSize::of(&self.bytes);
        if size.items > ITEMS_MAX {
            let message =
                format!("The body has {} values and names of members; the limit is {ITEMS_MAX}.", size.items);
            return Err(Problem::violations(&[Violation::too_many("", message)]));
        }
        Ok(self.reservation.grow(size.parsed_bytes())?)
    }
}

async fn parse(mut received: ReceivedBody) -> Result<JsonBody, Problem> {
    received.reserve_parsed()?;
    let ReceivedBody { bytes, reservation } = received;
    let length = bytes.len();
    let parse = move || serde_json::from_slice(&bytes);
    let parsed = if length <= PARSE_INLINE_BYTES_MAX {
        parse()
    } else {
        tokio::task::spawn_blocking(parse).await.map_err(|_panicked| {
            tracing::error!("JSON parser panicked");
            Problem::internal()
        })?
    };
    let invalid = |error| Problem::bad_request(format!("The body is not valid JSON: {error}."));
    Ok(JsonBody { value: parsed.map_err(invalid)?, reservation })
}
