//! Maps errors to responses. The only such mapping.

use app::fair::QueueFull;
use axum::response::{IntoResponse, Response};
use domain::Violation;
use engine::WorkKind;
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
        // What the receiver sent is not shown, its headers included: the caller may not own it.
        let delivery::AttemptResult {
            outcome,
            status: answered,
            took,
            excerpt: _,
            headers: _,
            timings: _,
            certificate,
            reach: _,
        } = result;
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

    /// Reports a query that needs too much work. Without `Retry-After`: the same query will not become cheaper.
    fn too_expensive(work_max: u64, most: WorkKind) -> Self {
        let advice = match most {
            WorkKind::Conditions => "It tests too many properties: add a place, or ask in several queries",
            WorkKind::Phrases => {
                "Most of its work is to verify phrases: use fewer or rarer phrases, or add a place, a price or a type"
            }
            WorkKind::Areas => {
                "Most of its work is to test polygons: use polygons with fewer corners, or fewer of them"
            }
            WorkKind::Order => {
                "Most of its work is to sort its matches: add a place, a price or a type, or choose another order"
            }
        };
        Self::new(
            StatusCode::SERVICE_UNAVAILABLE,
            format!(
                "This query is too expensive. {advice}. It needs more than {work_max} units (limits.query_work_max)."
            ),
        )
    }

    pub fn with(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl From<app::Error> for Problem {
    /// Logs the cause and tells the client whether and when to retry.
    fn from(error: app::Error) -> Self {
        let is_expected = matches!(
            error,
            app::Error::Starting | app::Error::QueueFull(_) | app::Error::TooExpensive { .. }
        );
        if !is_expected {
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
            // Not 503: trying again does not help. Not 410: a repair may bring it back.
            app::Error::Store(store::Error::Corrupt { .. }) => Self::new(
                StatusCode::INTERNAL_SERVER_ERROR,
                "A stored record that this request needs is damaged; other records are not affected. The operator of the service finds \
                 it in the log and repairs it with `vigie verify --repair`.",
            ),
            app::Error::Store(store::Error::Busy { .. }) => {
                Self::unavailable("Too many requests wait for the database; try again later.", 1)
            }
            app::Error::Store(store::Error::Panicked) => Self::internal(),
            app::Error::Store(_) => Self::unavailable("The database is unavailable; try again later.", 5),
            app::Error::Interrupted => Self::unavailable("The server is shutting down.", 5),
            app::Error::Panicked => Self::internal(),
            app::Error::QueueFull(QueueFull::User(waiting)) => Self::unavailable(
                format!(
                    "{waiting} requests of this user wait already (limits.waiting_per_user); try again later."
                ),
                1,
            ),
            app::Error::QueueFull(QueueFull::All) => {
                Self::unavailable("Too many requests wait already; try again later.", 1)
            }
            app::Error::TooExpensive { work_max, most } => Self::too_expensive(work_max, most),
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
