//! The description of the API for Hydra clients: entry point, documentation, JSON-LD contexts.

use axum::Extension;
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde_json::Value;

use super::docs_page;
use super::error::{Problem, json};
use super::link::Base;
use super::path::PathId;

/// `GET /`: where Hydra clients start. A browser is sent to the page.
pub async fn entry_point(headers: HeaderMap) -> Response {
    docs_page::redirect_browser(&headers)
        .unwrap_or_else(|| json(StatusCode::OK, &description::hydra::entry_point()))
}

/// `GET /docs.jsonld`
pub async fn hydra(Extension(Base(base)): Extension<Base>) -> Response {
    json(StatusCode::OK, &description::hydra::documentation(&base))
}

/// `GET /contexts/{name}`
pub async fn context(
    PathId(name): PathId<String>,
    Extension(Base(base)): Extension<Base>,
) -> Result<Response, Problem> {
    let context: Value = description::context::context(&name, &base).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &context))
}
