//! The description of the API: entry point, Hydra documentation, OpenAPI document, JSON-LD contexts.

use std::sync::LazyLock;

use axum::Extension;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use serde_json::Value;

use super::base::Base;
use super::error::{Problem, json};
use super::path::PathId;

/// `GET /`: where Hydra clients start. A browser is sent to the page.
pub async fn entry_point(headers: HeaderMap) -> Response {
    if prefers_html(&headers) {
        return (StatusCode::SEE_OTHER, [(header::LOCATION, HeaderValue::from_static("/docs"))])
            .into_response();
    }
    json(StatusCode::OK, &description::hydra::entry_point())
}

/// `GET /docs`
pub async fn page(headers: HeaderMap, base: Extension<Base>) -> Response {
    if prefers_html(&headers) {
        return open_api().await;
    }
    hydra(base).await
}

/// `GET /docs.jsonld`
pub async fn hydra(Extension(Base(base)): Extension<Base>) -> Response {
    json(StatusCode::OK, &description::hydra::documentation(&base))
}

/// `GET /docs.json`
pub async fn open_api() -> Response {
    static DOCUMENT: LazyLock<String> =
        LazyLock::new(|| description::openapi::document(env!("CARGO_PKG_VERSION")).to_string());
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.as_str()).into_response()
}

/// `GET /contexts/{name}`
pub async fn context(
    PathId(name): PathId<String>,
    Extension(Base(base)): Extension<Base>,
) -> Result<Response, Problem> {
    let context: Value = description::context::context(&name, &base).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &context))
}

/// Returns `true` if a client wants a page rather than JSON: browsers name HTML, programs do not.
fn prefers_html(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|range| range.trim().starts_with("text/html"))
}
