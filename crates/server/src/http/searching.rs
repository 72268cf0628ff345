//! What the calls that search have in common: reading filters, and computing where it keeps nobody waiting.

use std::sync::Arc;

use domain::SiteDirectory;
use domain::criteria::Finished;
use http::StatusCode;
use wire::filters::{self, ParseContext};
use wire::query::Parameters;

use super::Shared;
use super::error::Problem;

/// Reads every filter of a query.
pub fn read_filters(shared: &Shared, sites: &SiteDirectory, parameters: &mut Parameters<'_>) -> Finished {
    with_context(shared, sites, |context| filters::parse(parameters, context))
}

/// Hands out what it takes to understand references and dates.
pub fn with_context<T>(
    shared: &Shared,
    sites: &SiteDirectory,
    read: impl FnOnce(&ParseContext<'_>) -> T,
) -> T {
    let zone = &shared.config.time_zone;
    shared.app.with_references(sites, |references| read(&ParseContext { references: *references, zone }))
}

/// Runs what computes for a while on a thread of its own; other requests go on meanwhile. As many at once as there are cores:
/// more would only take turns, and one whose client has gone still has to end.
pub async fn computed<T: Send + 'static>(
    shared: &Shared,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    let turn = Arc::clone(&shared.computing).acquire_owned().await;
    let work = move || {
        let done = work();
        drop(turn);
        done
    };
    tokio::task::spawn_blocking(work).await.map_err(|_panicked| {
        tracing::error!("a search panicked");
        Problem::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "An internal error occurred; the log has the request's id.",
        )
    })
}
