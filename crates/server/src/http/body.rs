//! Request bodies: read whole, within a limit, and only of the types we understand.

use axum::body::{Body, Bytes};
use axum::extract::Request;
use domain::Violation;
use http::{HeaderMap, StatusCode, header};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};
use wire::json::{json_type, unknown_members};

use super::error::Problem;
use super::parameters::{Noted, QueryText};

/// A body that is one JSON value.
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
    let parsed = if length <= AT_ONCE_BYTES {
        parse()
    } else {
        tokio::task::spawn_blocking(parse).await.map_err(|_panicked| {
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "The body could not be read.")
        })?
    };
    parsed.map_err(|error| Problem::bad_request(format!("The body is not valid JSON: {error}.")))
}

/// The members of a body that may be left out. Many clients claim to send JSON with no body at all.
pub async fn members(request: Request, limit: usize) -> Result<Map<String, Value>, Problem> {
    let (head, body) = request.into_parts();
    let bytes = whole(&head.headers, body, limit).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    match json(Request::from_parts(head, Body::from(bytes)), limit).await? {
        Value::Object(members) => Ok(members),
        other => {
            let message = format!("The body must be an object, {} given.", json_type(&other));
            Err(Problem::violations(&[Violation::malformed("", message)]))
        }
    }
}

/// For calls that are told nothing, neither in the query nor in the body: what is there all the same is judged and reported.
pub async fn nothing(query: &QueryText, request: Request, limit: usize) -> Result<Noted, Problem> {
    let members = members(request, limit).await?;
    let ((), noted) = query.finish_body(Ok(()), unknown_members(&members, &[]))?;
    Ok(noted)
}

/// A larger body takes so long to parse that other requests should not have to wait for it.
const AT_ONCE_BYTES: usize = 64 * 1024;

/// The type a body claims to be of: as given, and without its parameters in lower case.
pub fn media_type(headers: &HeaderMap) -> (&str, String) {
    let given = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    (given, given.split(';').next().unwrap_or_default().trim().to_ascii_lowercase())
}

/// A compressed body could hold any amount of anything.
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

/// All bytes of a body.
pub async fn whole(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Problem> {
    let declared =
        headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<usize>().ok());
    if declared.is_some_and(|declared| declared > limit) {
        return Err(Problem::too_large("The body", limit));
    }
    match Limited::new(body, limit).collect().await {
        Ok(collected) => Ok(collected.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Problem::too_large("The body", limit)),
        // The client hung up or broke the framing; nobody may be there to read this, but if so, this is what happened.
        Err(_) => Err(Problem::bad_request("The body ended before it was complete.")),
    }
}
