//! What happens without being asked for. Each worker is a loop around a `run_once` that tests can call.

pub mod dispatcher;
pub mod expiry;
pub mod following;
pub mod indexer;
pub mod matcher;

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::Error;

/// Calls `run_once` at once and then at every interval, until told to stop. A failure is logged and tried again at the
/// next interval: the work is still there then.
pub async fn repeat<F, W>(name: &'static str, every: Duration, stop: CancellationToken, run_once: W)
where
    W: FnMut() -> F,
    F: Future<Output = Result<(), Error>>,
{
    repeat_from(Instant::now(), name, every, stop, run_once).await;
}

/// The same, but not at once. For what cannot be undone: a machine's clock may be wrong when it has just started.
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
                "a worker failed and will try again"
            );
        }
    }
}
