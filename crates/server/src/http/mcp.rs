//! `/mcp`: the tools of assistants over streamable HTTP.
//!
//! There are no sessions: every request carries its key and is answered with one JSON body, so nothing has to be bounded, expired or
//! closed at shutdown. A tool calls the API in the same process with that key; only these calls count against the key's limit.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use axum::routing::{MethodRouter, any};
use description::operation::BodyLimit;
use http::{HeaderMap, HeaderValue, header};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::body::{self, ReceivedBody};
use super::budget::Reservation;
use super::error::Problem;
use super::{API_KEY, Shared, auth};
use crate::mcp::Assistant;
use crate::mcp::api::LocalApi;

/// Returns the route. `api` is the router that tools call.
pub fn route(shared: &Shared, api: Router) -> MethodRouter<Shared> {
    let shared = shared.clone();
    any(move |request: Request| answer(shared.clone(), api.clone(), request))
}

/// The longest call carries a search.
const BODY_LIMIT: BodyLimit = BodyLimit::SEARCH;

async fn answer(shared: Shared, api: Router, request: Request) -> Response {
    let (key, request, _counted) = match received(&shared, request).await {
        Ok(received) => received,
        Err(problem) => return problem.into_response(),
    };
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(BODY_LIMIT.bytes(shared.config.limits.body_bytes_max))
        // The server may be reached under any name: every request needs a key, so a page that rebinds a name gets nothing.
        .disable_allowed_hosts()
        // The specification asks servers to check it. No browser page is a client of this endpoint.
        .enforce_origin_validation();
    let assistant = move || Ok(Assistant::new(LocalApi::new(api.clone(), key.clone())));
    let service = StreamableHttpService::new(assistant, Arc::new(NeverSessionManager::default()), config);
    service.handle(request).await.map(Body::new)
}

/// Checks the key, then reads the body as any other, because the library would parse it whatever it holds. Returns both, and what the
/// body takes of the budget.
async fn received(
    shared: &Shared,
    mut request: Request,
) -> Result<(HeaderValue, Request, Reservation), Problem> {
    bearer_to_key(request.headers_mut());
    let key = auth::key(shared, request.headers()).await?;
    let (parts, content) = request.into_parts();
    let limit = BODY_LIMIT.bytes(shared.config.limits.body_bytes_max);
    let mut received = body::whole(shared, &parts, content, limit).await?;
    received.reserve_parsed()?;
    let ReceivedBody { bytes, reservation } = received;
    Ok((key, Request::from_parts(parts, Body::from(bytes)), reservation))
}

/// Accepts `Authorization: Bearer …`, which is all that some assistants can send.
fn bearer_to_key(headers: &mut HeaderMap) {
    let key = bearer(headers).and_then(|token| HeaderValue::from_str(token).ok());
    headers.remove(header::AUTHORIZATION);
    if let Some(key) = key
        && !headers.contains_key(API_KEY)
    {
        headers.insert(API_KEY, key);
    }
}

/// Returns the token of `Authorization: Bearer …`.
pub fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(token.trim())
}
