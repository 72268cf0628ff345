//! Health checks and metrics, for operators.

use std::time::Duration;

use app::search::IndexStatus;
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
    if shared.leaving.is_cancelled() || shared.stop.is_cancelled() {
        return Problem::unavailable("The server is shutting down.", 5).into_response();
    }
    if let Some(index) = shared.app.index_status() {
        // A server alone is better than none.
        let behind_max = shared.config.behind_max.filter(|_| shared.app.shared_identity().is_some());
        if let Some(problem) = not_searchable(&index, behind_max) {
            return problem.into_response();
        }
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

/// Returns the answer of a server that should not get searches: another one knows more.
fn not_searchable(index: &IndexStatus, behind_max: Option<Duration>) -> Option<Problem> {
    if !index.is_ready {
        return Some(Problem::unavailable("The index is being built; try again later.", 5));
    }
    let seconds = index.behind.as_secs();
    behind_max.filter(|behind_max| index.behind >= *behind_max).map(|_| {
        Problem::unavailable(
            format!("The index is {seconds} seconds behind the change log; try again later."),
            5,
        )
    })
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

#[cfg(test)]
mod tests {
    use store::Position;

    use super::*;

    #[test]
    fn an_index_that_is_too_far_behind_gets_no_searches() {
        let index = |is_ready, behind| IndexStatus {
            is_ready,
            position: Position(5),
            properties: 1,
            behind: Duration::from_secs(behind),
            visibility_timeouts: 0,
            build: None,
            snapshot: None,
            origin: None,
            published: None,
            publish_failures: 0,
        };
        let minute = Some(Duration::from_secs(60));
        let is_refused = |index: &IndexStatus, behind_max| not_searchable(index, behind_max).is_some();
        assert!(is_refused(&index(false, 0), None));
        assert!(!is_refused(&index(true, 59), minute));
        assert!(is_refused(&index(true, 60), minute));
        assert!(!is_refused(&index(true, 3_600), None));
    }
}
