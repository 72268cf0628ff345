//! The HTTP API as a tool calls it, in the same process or over a connection.

use axum::Router;
use axum::body::Body;
use http::{HeaderName, HeaderValue, Method, Request, StatusCode, header};
use http_body_util::{BodyExt, Limited};
use serde_json::Value;
use tower_service::Service;

use crate::http::API_KEY;

/// Makes an unknown argument an error: a misspelt filter must not silently find everything.
pub const STRICT: (HeaderName, HeaderValue) =
    (HeaderName::from_static("prefer"), HeaderValue::from_static("handling=strict"));

/// Limit on the size of an answer. The largest property document has some ten megabytes.
pub const ANSWER_BYTES_MAX: usize = 64 << 20;

/// A request to the API.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    pub method: Method,
    /// The path, with the query if there is one.
    pub target: String,
    pub body: Option<Value>,
}

impl Call {
    pub fn get(target: impl Into<String>) -> Self {
        Self { method: Method::GET, target: target.into(), body: None }
    }
}

/// What the API answered.
#[derive(Debug, Clone)]
pub struct Answer {
    pub status: StatusCode,
    /// Where a redirect leads to.
    pub location: Option<String>,
    /// `null` if the body is empty.
    pub body: Value,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ApiError {
    #[error("cannot connect to {0}; is the server running?")]
    Connect(String, #[source] std::io::Error),
    #[error("the connection to the server failed")]
    Connection(#[source] hyper::Error),
    #[error("the server did not answer within {0:?}")]
    Timeout(std::time::Duration),
    #[error("the answer was interrupted, or is larger than {ANSWER_BYTES_MAX} bytes")]
    Body(#[source] Box<dyn std::error::Error + Send + Sync>),
    #[error("the answer is not JSON; does the address belong to a Vigie server?")]
    NotJson(#[source] serde_json::Error),
    #[error("the request cannot be written")]
    Request(#[source] http::Error),
}

/// Answers requests with the rights of one key.
pub trait Api: Send + Sync + 'static {
    fn call(&self, call: Call) -> impl Future<Output = Result<Answer, ApiError>> + Send;
}

/// The API of this process.
pub struct LocalApi {
    router: Router,
    key: HeaderValue,
}

impl LocalApi {
    pub const fn new(router: Router, key: HeaderValue) -> Self {
        Self { router, key }
    }
}

impl Api for LocalApi {
    async fn call(&self, call: Call) -> Result<Answer, ApiError> {
        let request = request(&call, &self.key)?.map(Body::from);
        // A router is always ready, and always answers.
        let Ok(response) = self.router.clone().call(request).await;
        let (head, body) = response.into_parts();
        let body = Limited::new(body, ANSWER_BYTES_MAX).collect().await.map_err(ApiError::Body)?;
        answer(&head, &body.to_bytes())
    }
}

/// Returns the request of a call.
pub fn request(call: &Call, key: &HeaderValue) -> Result<Request<Vec<u8>>, ApiError> {
    let Call { method, target, body } = call;
    let (prefer, strict) = STRICT;
    let request = Request::builder().method(method).uri(target).header(API_KEY, key).header(prefer, strict);
    // Replaced by clients that send it over a connection.
    let request = request.header(header::HOST, "localhost");
    let (request, body) = match body {
        None => (request, Vec::new()),
        Some(body) => {
            (request.header(header::CONTENT_TYPE, "application/json"), body.to_string().into_bytes())
        }
    };
    request.body(body).map_err(ApiError::Request)
}

/// Reads an answer.
pub fn answer(head: &http::response::Parts, body: &[u8]) -> Result<Answer, ApiError> {
    let location = head.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
    let body = match body {
        [] => Value::Null,
        body => serde_json::from_slice(body).map_err(ApiError::NotJson)?,
    };
    Ok(Answer { status: head.status, location: location.map(str::to_owned), body })
}
