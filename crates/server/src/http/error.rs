//! From what went wrong to an answer: the only such mapping.

use axum::response::{IntoResponse, Response};
use domain::Violation;
use http::{HeaderName, HeaderValue, StatusCode, header};

/// The media type of every body of the API, unless the client asked for plain JSON.
pub const LD_JSON: HeaderValue = HeaderValue::from_static("application/ld+json; charset=utf-8");

/// An answer that is an error.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    // Boxed: most results are no errors, and should not carry the room for one.
    body: Box<wire::error::ErrorBody>,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl Problem {
    pub fn new(status: StatusCode, description: impl Into<String>) -> Self {
        let body = Box::new(wire::error::error(status.as_u16(), description));
        Self { status, body, headers: Vec::new() }
    }

    pub fn bad_request(description: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, description)
    }

    /// Also for what exists but is not the caller's: the two must not be told apart.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not SearchResult")
    }

    pub fn violations(violations: &[Violation]) -> Self {
        let (status, body) = wire::error::violations(violations);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
        Self { status, body: Box::new(body), headers: Vec::new() }
    }

    /// Everything that is wrong with a query.
    pub fn query(violations: &[Violation]) -> Self {
        let (status, body) = wire::error::query(violations);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, body: Box::new(body), headers: Vec::new() }
    }

    /// A webhook that was sent on request did not arrive.
    pub fn not_taken(exchange: &delivery::Exchange) -> Self {
        let delivery::Exchange { outcome, status: answered, took, excerpt: _ } = exchange;
        let status = StatusCode::BAD_GATEWAY;
        let body = Box::new(wire::error::not_taken(status.as_u16(), *outcome, *answered, *took));
        Self { status, body, headers: Vec::new() }
    }

    pub fn too_large(what: &str, limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("{what} is larger than {limit} bytes."))
    }

    /// Not now; the header says when.
    pub fn unavailable(description: impl Into<String>, retry_after_seconds: u64) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, description)
            .with(header::RETRY_AFTER, HeaderValue::from(retry_after_seconds))
    }

    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl From<app::Error> for Problem {
    /// What failed is ours to know; the client learns whether and when to try again.
    fn from(error: app::Error) -> Self {
        if !matches!(error, app::Error::Starting) {
            tracing::error!(error = &error as &dyn std::error::Error, "a request failed");
        }
        match error {
            app::Error::Starting => Self::unavailable("The index is being built.", 5),
            app::Error::Contended => {
                Self::unavailable("Too many concurrent changes of the same property.", 1)
            }
            app::Error::Store(store::Error::CannotWrite(_)) => {
                Self::unavailable("The store cannot write at the moment; nothing was changed.", 30)
            }
            app::Error::Store(store::Error::Corrupt { .. }) => {
                Self::new(StatusCode::INTERNAL_SERVER_ERROR, "A stored record is damaged; the log names it.")
            }
            app::Error::Store(_) => Self::unavailable("The store is unavailable.", 5),
            app::Error::Interrupted => Self::unavailable("The server is shutting down.", 5),
            app::Error::Panicked => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "An internal error occurred; the log has the request's id.",
            ),
            app::Error::NoRandomness(_) => Self::unavailable("No random numbers at the moment.", 5),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let mut response = json(self.status, &self.body);
        response.headers_mut().extend(self.headers);
        response
    }
}

/// A body of the API.
pub fn json(status: StatusCode, body: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(header::CONTENT_TYPE, LD_JSON)], bytes).into_response(),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "a body could not be written");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
