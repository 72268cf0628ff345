//! Health checks and metrics, for operators.

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use http::{StatusCode, header};

use super::Shared;
use super::error::{Problem, json};

/// `GET /healthz`: the process runs and a restart would not help. Does not read the store: a restart would not repair it.
pub async fn alive(State(shared): State<Shared>) -> Response {
    match failed(&shared) {
        Some(problem) => problem.into_response(),
        None => json(StatusCode::OK, &serde_json::json!({"status": "alive"})),
    }
}

/// Returns the answer of a process that must be restarted.
fn failed(shared: &Shared) -> Option<Problem> {
    let failure = shared.app.store_failure()?;
    let message = format!("The server must be restarted: {}.", failure.description());
    Some(Problem::unavailable(message, 30))
}

/// `GET /readyz`: the store answers, the index is built, and no worker stands still.
pub async fn ready(State(shared): State<Shared>) -> Response {
    if let Some(problem) = failed(&shared) {
        return problem.into_response();
    }
    if shared.stop.is_cancelled() {
        return Problem::unavailable("The server is shutting down.", 5).into_response();
    }
    if shared.app.index_status().is_some_and(|index| !index.is_ready) {
        return Problem::unavailable("The index is being built; try again later.", 5).into_response();
    }
    let stalled: Vec<&str> = shared
        .app
        .worker_health()
        .iter()
        .filter(|worker| worker.is_stalled)
        .map(|worker| worker.name)
        .collect();
    if !stalled.is_empty() {
        let message = format!("A worker stands still: {}. The server's log says why.", stalled.join(", "));
        return Problem::unavailable(message, 30).into_response();
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
    let content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";
    ([(header::CONTENT_TYPE, content_type)], current_metrics(&shared)).into_response()
}

/// Returns the metrics as they are now.
pub fn current_metrics(shared: &Shared) -> String {
    shared.metrics.log_position.set(shared.app.log_position().0);
    shared.metrics.body_bytes.set(u64::try_from(shared.body_budget.used_bytes()).unwrap_or(u64::MAX));
    shared.metrics.waiting_work.set(i64::try_from(shared.app.waiting_work()).unwrap_or(i64::MAX));
    shared.metrics.faults.set(&shared.app);
    shared.metrics.retention.set(&shared.app);
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
    shared.metrics.print()
}
