//! Maps errors to responses. The only such mapping.

use axum::response::{IntoResponse, Response};
use domain::Violation;
use http::{HeaderName, HeaderValue, StatusCode, header};

/// Media type of every JSON response, unless the client asked for plain JSON.
pub const LD_JSON: HeaderValue = HeaderValue::from_static("application/ld+json; charset=utf-8");

/// An error response.
#[derive(Debug)]
pub struct Problem {
    status: StatusCode,
    // Boxed to keep `Result` small: most results are not errors.
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

    /// Also for resources of other users: the response must not reveal that they exist.
    pub fn not_found() -> Self {
        Self::new(StatusCode::NOT_FOUND, "Not Found")
    }

    pub fn violations(violations: &[Violation]) -> Self {
        let (status, body) = wire::error::invalid_body(violations);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY);
        Self { status, body: Box::new(body), headers: Vec::new() }
    }

    /// Reports all violations in a query string.
    pub fn query(violations: &[Violation]) -> Self {
        let (status, body) = wire::error::invalid_query(violations);
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
        Self { status, body: Box::new(body), headers: Vec::new() }
    }

    /// Reports that a test webhook was not delivered.
    pub fn webhook_not_delivered(result: &delivery::AttemptResult) -> Self {
        let delivery::AttemptResult { outcome, status: answered, took, excerpt: _, certificate, reach: _ } =
            result;
        let status = StatusCode::BAD_GATEWAY;
        let body =
            wire::error::webhook_not_delivered(status.as_u16(), *outcome, *answered, *took, *certificate);
        let body = Box::new(body);
        Self { status, body, headers: Vec::new() }
    }

    /// Reports a defect of ours. The log line before it carries the request id.
    pub fn internal() -> Self {
        Self::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "Internal error. Quote the X-Request-Id of this response when you report it.",
        )
    }

    pub fn too_large(what: &str, limit: usize) -> Self {
        Self::new(StatusCode::PAYLOAD_TOO_LARGE, format!("{what} is larger than {limit} bytes."))
    }

    /// Reports a temporary failure, with a `Retry-After` header.
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
    /// Logs the cause and tells the client whether and when to retry.
    fn from(error: app::Error) -> Self {
        if !matches!(error, app::Error::Starting) {
            tracing::error!(error = &error as &dyn std::error::Error, "request failed");
        }
        match error {
            app::Error::Starting => Self::unavailable("The index is being built; try again later.", 5),
            app::Error::Contended => {
                Self::unavailable("Too many concurrent changes to the same property; try again.", 1)
            }
            app::Error::Store(store::Error::CannotWrite(_)) => {
                Self::unavailable("The database cannot be written at the moment; nothing was changed.", 30)
            }
            app::Error::Store(store::Error::Corrupt { .. }) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "A stored record is corrupt; the server's log names it.",
            ),
            app::Error::Store(_) => Self::unavailable("The database is unavailable; try again later.", 5),
            app::Error::Interrupted => Self::unavailable("The server is shutting down.", 5),
            app::Error::Panicked => Self::internal(),
            app::Error::NoRandomness(_) => Self::unavailable(
                "The server cannot generate random numbers at the moment; try again later.",
                5,
            ),
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

/// Creates a JSON response.
pub fn json(status: StatusCode, body: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(header::CONTENT_TYPE, LD_JSON)], bytes).into_response(),
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "failed to serialise a response body");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
