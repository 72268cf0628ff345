//! Health checks and metrics, for operators.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};

use super::Shared;
use super::error::{Problem, json};

/// `GET /healthz`: the process runs. Does not check the store: a restart would not repair it.
pub async fn alive() -> Response {
    json(StatusCode::OK, &serde_json::json!({"status": "alive"}))
}

/// `GET /readyz`: the store answers and the index is built.
pub async fn ready(State(shared): State<Shared>) -> Response {
    if shared.stop.is_cancelled() {
        return Problem::unavailable("The server is shutting down.", 5).into_response();
    }
    if shared.app.index_status().is_some_and(|index| !index.is_ready) {
        return Problem::unavailable("The index is being built; try again later.", 5).into_response();
    }
    match shared.app.check_store().await {
        Ok(()) => json(StatusCode::OK, &serde_json::json!({"status": "ready"})),
        Err(error) => {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "not ready: the database cannot be read"
            );
            Problem::unavailable("The database is unavailable; try again later.", 5).into_response()
        }
    }
}

/// `GET /metrics`
pub async fn metrics(State(shared): State<Shared>) -> Response {
    shared.metrics.log_position.set(shared.app.log_position().0);
    shared.metrics.body_bytes.set(u64::try_from(shared.body_budget.used_bytes()).unwrap_or(u64::MAX));
    shared.metrics.waiting_work.set(i64::try_from(shared.app.waiting_work()).unwrap_or(i64::MAX));
    if let Some(grouping) = shared.app.grouping_status() {
        shared.metrics.grouping.set(grouping);
    }
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
