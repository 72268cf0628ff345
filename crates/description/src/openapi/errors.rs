//! Errors and headers that operations share.

use serde_json::{Map, Value, json};

use super::schemas::schema;
use crate::operation::{Access, Operation, Tag};
use crate::schema::Kind;

/// A status that means an error, its name in the document and what it means.
struct ErrorStatus {
    status: u16,
    name: &'static str,
    meaning: &'static str,
    headers: &'static [&'static str],
    /// Whether the body may list violations.
    violations: bool,
}

const fn error(status: u16, name: &'static str, meaning: &'static str) -> ErrorStatus {
    ErrorStatus { status, name, meaning, headers: &[], violations: false }
}

const fn violations(status: u16, name: &'static str, meaning: &'static str) -> ErrorStatus {
    ErrorStatus { violations: true, ..error(status, name, meaning) }
}

const fn with(headers: &'static [&'static str], error: ErrorStatus) -> ErrorStatus {
    ErrorStatus { headers, ..error }
}

const ERRORS: &[ErrorStatus] = &[
    violations(400, "Malformed", "Something cannot be parsed: JSON, a type, a reference or a parameter"),
    with(
        &["WWW-Authenticate"],
        error(401, "Unauthorized", "The key or session is missing, unknown, revoked or expired"),
    ),
    error(
        403,
        "Forbidden",
        "The key lacks the scope that the operation needs, or a request with a session comes from another origin",
    ),
    error(404, "NotFound", "There is no such thing, or it belongs to another user"),
    error(406, "NotAcceptable", "`Accept` allows no media type that the operation has"),
    error(408, "Timeout", "The request took too long, or its body arrived too slowly"),
    error(409, "Conflict", "The request does not fit the present state"),
    error(413, "TooLarge", "The body is larger than the limit of the operation, which the answer names"),
    error(414, "UriTooLong", "The address is too long; a query may have 64 KiB"),
    error(415, "UnsupportedMediaType", "The media type or the encoding of the body is not supported"),
    violations(422, "Invalid", "Everything can be parsed, but a rule is broken"),
    with(
        &["Retry-After", "RateLimit", "RateLimit-Policy"],
        error(429, "TooManyRequests", "Too many requests of this key, or of its user at the same time"),
    ),
    error(431, "HeadersTooLarge", "The request line and the headers are too large"),
    error(500, "Internal", "A defect of the service; quote `X-Request-Id` when you report it"),
    error(
        502,
        "ReceiverFailed",
        "The receiver of a sample webhook did not answer 200, or the server of a picture did not send one",
    ),
    with(
        &["Retry-After"],
        error(
            503,
            "Unavailable",
            "The service starts, stops or is overloaded: try again. Without `Retry-After`: the query is too expensive",
        ),
    ),
];

/// Returns the name of a status in the document.
pub fn name(status: u16) -> &'static str {
    ERRORS.iter().find(|error| error.status == status).map_or("Internal", |error| error.name)
}

/// Returns the statuses of all errors of an operation.
pub fn statuses(operation: &Operation) -> Vec<u16> {
    // The query string may be malformed, or have parameters that strict handling refuses.
    let mut statuses = vec![400, 408, 414, 431, 500, 503];
    statuses.extend(operation.errors);
    match operation.access {
        Access::Open => {}
        Access::AnyKey => statuses.extend([401, 429]),
        Access::Scope(_) => statuses.extend([401, 403, 429]),
    }
    if operation.variables().next().is_some() {
        statuses.push(404);
    }
    if operation.body.is_some() {
        statuses.extend([413, 415, 422]);
    }
    if !matches!(operation.tag, Tag::Operations | Tag::Pages) {
        statuses.push(406);
    }
    statuses.sort_unstable();
    statuses.dedup();
    statuses
}

/// Returns the answers of all errors.
pub fn responses() -> Value {
    let describe = |error: &ErrorStatus| {
        let kind = match error.violations {
            true => Kind::AnyOf(&[Kind::Object("ConstraintViolationList"), Kind::Object("Error")]),
            false => Kind::Object("Error"),
        };
        let body = json!({"schema": schema(kind, false)});
        let described = json!({
            "description": error.meaning,
            "headers": references(error.headers),
            "content": {"application/ld+json": body.clone(), "application/json": body},
        });
        (error.name.to_owned(), described)
    };
    Value::Object(ERRORS.iter().map(describe).collect())
}

const HEADERS: &[(&str, &str)] = &[
    ("X-Request-Id", "The id of the request, from the request itself or made by the service"),
    (
        "X-Ignored-Parameters",
        "Parameters and attributes that the service does not know; absent if there are none",
    ),
    ("Link", "Where the Hydra documentation is"),
    ("Server-Timing", "How long the service worked on the request until its answer began, in milliseconds"),
    ("X-Log-Position", "The log position up to which searches of this server see every change"),
    ("Location", "Path of the object"),
    ("Retry-After", "Seconds to wait"),
    ("RateLimit", "What is left of the rate limit"),
    ("RateLimit-Policy", "The rate limit, if one is set"),
    ("WWW-Authenticate", "How to authenticate"),
    ("Set-Cookie", "The cookie of the session"),
    ("X-Total-Items", "How many lines there are"),
];

/// Returns the headers of all answers.
pub fn headers() -> Value {
    let describe = |(name, meaning): &(&str, &str)| {
        ((*name).to_owned(), json!({"description": meaning, "schema": {"type": "string"}}))
    };
    Value::Object(HEADERS.iter().map(describe).collect())
}

/// Returns references to the headers of an answer: those given, and those that all have.
pub fn references(own: &[&str]) -> Value {
    let all = own.iter().chain(&[
        "X-Request-Id",
        "X-Ignored-Parameters",
        "Link",
        "Server-Timing",
        "X-Log-Position",
    ]);
    let reference =
        |name: &&str| ((*name).to_owned(), json!({"$ref": format!("#/components/headers/{name}")}));
    Value::Object(all.map(reference).collect::<Map<_, _>>())
}
