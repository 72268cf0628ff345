//! Background workers. Each one is a loop around a `run_once` that tests can call.

pub mod dispatcher;
pub mod expiry;
pub mod follower;
pub mod health;
pub mod indexer;
pub mod matcher;
pub mod prices;
pub mod publisher;
pub mod retention;

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Error;

/// Calls `run_once` immediately and then at every interval, until `stop` is cancelled. A failure is logged, and the work retried
/// at the next interval.
pub async fn repeat<F, W>(name: &'static str, every: Duration, stop: CancellationToken, run_once: W)
where
    W: FnMut() -> F,
    F: Future<Output = Result<(), Error>>,
{
    repeat_from(Instant::now(), name, every, stop, run_once).await;
}

/// Like [`repeat`], but waits one interval before the first call. For work that cannot be undone: the system clock may be wrong
/// just after the machine has booted.
pub async fn repeat_later<F, W>(name: &'static str, every: Duration, stop: CancellationToken, run_once: W)
where
    W: FnMut() -> F,
    F: Future<Output = Result<(), Error>>,
{
    repeat_from(Instant::now() + every, name, every, stop, run_once).await;
}

async fn repeat_from<F, W>(
    first: Instant,
    name: &'static str,
    every: Duration,
    stop: CancellationToken,
    mut run_once: W,
) where
    W: FnMut() -> F,
    F: Future<Output = Result<(), Error>>,
{
    let mut ticks = tokio::time::interval_at(first, every);
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return,
            _ = ticks.tick() => {}
        }
        if let Err(error) = run_once().await {
            tracing::error!(
                worker = name,
                error = &error as &dyn std::error::Error,
                "a worker failed; retrying"
            );
        }
    }
}
