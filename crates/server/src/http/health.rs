//! For whoever keeps the process running.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};

use super::Shared;
use super::error::{Problem, json};

/// The process is alive. Says nothing of the store: a restart would not mend that.
pub async fn alive() -> Response {
    json(StatusCode::OK, &serde_json::json!({"status": "alive"}))
}

/// The process can do its work: the store answers, and the index has caught up with it.
pub async fn ready(State(shared): State<Shared>) -> Response {
    if shared.stop.is_cancelled() {
        return Problem::unavailable("The server is shutting down.", 5).into_response();
    }
    if shared.app.index_status().is_some_and(|index| !index.is_ready) {
        return Problem::unavailable("The index is being built.", 5).into_response();
    }
    match shared.app.check_store().await {
        Ok(()) => json(StatusCode::OK, &serde_json::json!({"status": "ready"})),
        Err(error) => {
            tracing::warn!(error = &error as &dyn std::error::Error, "the store is not ready");
            Problem::unavailable("The store is unavailable.", 5).into_response()
        }
    }
}

pub async fn metrics(State(shared): State<Shared>) -> Response {
    shared.metrics.log_position.set(shared.app.log_position().0);
    if let Some(index) = shared.app.index_status() {
        shared.metrics.index.set(&index);
    }
    if let Some(matcher) = shared.app.matcher_status() {
        shared.metrics.matcher.set(&matcher);
    }
    if let Some(dispatch) = shared.app.dispatch_status() {
        shared.metrics.dispatcher.set(&dispatch, shared.app.clock().now());
    }
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], shared.metrics.print()).into_response()
}
