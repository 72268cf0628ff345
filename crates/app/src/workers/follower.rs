//! Follows the change log: process new entries, and at the end of the log wait for more.
//!
//! Every commit of this process wakes a follower; it polls four times a second for commits of other processes. A failure and a panic
//! are logged and retried; [`health`](super::health) tells when a follower stands still.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;
use store::Position;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::{App, Error};

/// How often to poll for commits of other processes.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How long to wait after a failure. The cause is most likely the disk, and lasts for a while.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Whether the log may have more entries right now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    More,
    CaughtUp,
}

/// A worker that follows the change log.
pub trait Follower: Send {
    const NAME: &'static str;

    /// Processes the next entries of the log. May return early if `stop` is cancelled.
    fn poll_log(&mut self, stop: &CancellationToken) -> impl Future<Output = Result<Progress, Error>> + Send;

    /// Returns how far it has come; `None` until it has loaded what it needs.
    fn position(&self) -> Option<Position>;
}

/// Runs a follower until `stop` is cancelled. A failure is logged, and the work retried.
pub async fn follow<F: Follower>(app: &App, follower: &mut F, stop: &CancellationToken) {
    let mut head = app.store.head();
    app.workers.started(F::NAME, app.clock.now());
    while !stop.is_cancelled() {
        // Before reading the log, so that a commit during the read wakes the follower again.
        head.borrow_and_update();
        let polled = AssertUnwindSafe(follower.poll_log(stop)).catch_unwind().await;
        match polled.unwrap_or(Err(Error::Panicked)) {
            Ok(progress) => {
                app.workers.worked(F::NAME, follower.position(), app.clock.now());
                if progress == Progress::CaughtUp {
                    wait(&mut head, stop).await;
                }
            }
            Err(error) => {
                app.workers.failed(F::NAME);
                tracing::error!(
                    worker = F::NAME,
                    error = &error as &dyn std::error::Error,
                    "a worker failed; retrying"
                );
                let _ = tokio::time::timeout(RETRY_AFTER, stop.cancelled()).await;
            }
        }
    }
}

async fn wait(head: &mut watch::Receiver<Position>, stop: &CancellationToken) {
    let wake = async {
        if head.changed().await.is_err() {
            // The store is closed.
            std::future::pending::<()>().await;
        }
    };
    let wake = tokio::time::timeout(POLL_INTERVAL, wake);
    tokio::select! { () = stop.cancelled() => {}, _ = wake => {} }
}
