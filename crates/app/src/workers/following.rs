//! Following the log: look, and when there is nothing more, wait for whatever comes next.
//!
//! Woken by every commit of this process, and four times a second for what other processes wrote.

use std::future::Future;
use std::time::Duration;

use store::Position;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Error;

/// How often to look for what other processes wrote.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long to wait after a failure: it is most likely the disk's, and will be there for a while.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Whether there may be more to do at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Progress {
    More,
    CaughtUp,
}

/// Somebody who follows the log.
pub trait Follower: Send {
    const NAME: &'static str;

    /// One look at the log: does what is new, or some of it. What takes long may end early when told to stop.
    fn look(&mut self, stop: &CancellationToken) -> impl Future<Output = Result<Progress, Error>> + Send;
}

/// Looks again and again until told to stop. A failure is logged and tried again: the work is still there then.
pub async fn follow<F: Follower>(
    follower: &mut F,
    mut head: watch::Receiver<Position>,
    stop: &CancellationToken,
) {
    while !stop.is_cancelled() {
        // Before looking: a commit that comes while we look wakes us again.
        head.borrow_and_update();
        match follower.look(stop).await {
            Ok(Progress::More) => {}
            Ok(Progress::CaughtUp) => wait(&mut head, stop).await,
            Err(error) => {
                tracing::error!(
                    worker = F::NAME,
                    error = &error as &dyn std::error::Error,
                    "a worker failed and will try again"
                );
                let _ = tokio::time::timeout(RETRY_AFTER, stop.cancelled()).await;
            }
        }
    }
}

async fn wait(head: &mut watch::Receiver<Position>, stop: &CancellationToken) {
    let wake = async {
        if head.changed().await.is_err() {
            // The store is closed, and says nothing any more.
            std::future::pending::<()>().await;
        }
    };
    let wake = tokio::time::timeout(LOOK_EVERY, wake);
    tokio::select! { () = stop.cancelled() => {}, _ = wake => {} }
}
