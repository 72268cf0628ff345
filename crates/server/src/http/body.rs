//! Request bodies: read completely, within a size limit, in supported media types only.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use domain::Violation;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};
use wire::json::{json_type, unknown_members};

use super::error::Problem;
use super::parameters::{IgnoredNames, QueryText};

/// Reads a body that is one JSON value.
pub async fn json(request: Request, limit: usize) -> Result<Value, Problem> {
    let (parts, body) = request.into_parts();
    refuse_encodings(&parts.headers)?;
    let (given, media_type) = media_type(&parts.headers);
    if !matches!(media_type.as_str(), "application/json" | "application/ld+json") {
        return Err(Problem::new(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            format!(
                "The content-type \"{given}\" is not supported. Supported MIME types are \"application/ld+json\", \
                 \"application/json\"."
            ),
        ));
    }
    let bytes = whole(&parts.headers, body, limit).await?;
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
    parsed.map_err(|error| Problem::bad_request(format!("The body is not valid JSON: {error}.")))
}

/// Reads an optional JSON object. An empty body is an empty object: many clients declare JSON and send no body.
pub async fn members(request: Request, limit: usize) -> Result<Map<String, Value>, Problem> {
    let (head, body) = request.into_parts();
    let bytes = whole(&head.headers, body, limit).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    match json(Request::from_parts(head, Body::from(bytes)), limit).await? {
        Value::Object(members) => Ok(members),
        other => {
            let message = format!("The body must be a JSON object, {} given.", json_type(&other));
            Err(Problem::violations(&[Violation::malformed("", message)]))
        }
    }
}

/// Reads a request that takes neither parameters nor fields. Reports any that are present.
pub async fn expect_empty(
    query: &QueryText,
    request: Request,
    limit: usize,
) -> Result<IgnoredNames, Problem> {
    let members = members(request, limit).await?;
    let ((), ignored) = query.finish_body(Ok(()), unknown_members(&members, &[]))?;
    Ok(ignored)
}

/// Larger bodies are parsed on a blocking thread, so that other requests do not wait.
const PARSE_INLINE_BYTES_MAX: usize = 64 * 1024;

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

/// Reads all bytes of a body.
pub async fn whole(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Problem> {
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|declared| declared > limit) {
        return Err(Problem::too_large("The body", limit));
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Problem::too_large("The body", limit)),
        // The client disconnected or broke the framing. If it still reads, tell it what happened.
        Err(_) => Err(Problem::bad_request("The body ended before it was complete.")),
    }
}
