//! Checks prices again when the market has changed ([`App::check_prices_again`]).
//!
//! Waits until no more adverts arrive for a moment, so that a replayed history is checked as a whole; while they keep arriving, the stock
//! is checked now and then. It has no state to lose in a crash: a server checks the stock once after it has started.

use std::time::Duration;

use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use crate::prices::PricesChecked;
use crate::{App, Error};

/// When the stock is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// After the last change.
    pub quiet: Duration,
    /// After the first change, if changes keep coming.
    pub latest: Duration,
    /// After a failure.
    pub retry: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(1),
            latest: Duration::from_secs(300),
            retry: Duration::from_secs(10),
        }
    }
}

/// How many times as long as a check the pause after it takes, up to `latest`: a hundredth of a processor is enough for checks.
const PAUSE_FACTOR: u32 = 100;

/// Checks the stock whenever the market has changed, until `stop` is cancelled.
pub async fn run(app: App, settings: Settings, stop: CancellationToken) {
    let stopping = stop.clone();
    tokio::select! {
        () = stopping.cancelled() => {}
        () = check_changes(&app, settings) => {}
    }
}

async fn check_changes(app: &App, settings: Settings) {
    let mut head = app.store.head();
    let mut checked = None;
    loop {
        head.mark_unchanged();
        let mut resume_at = Instant::now();
        match check(app, checked, &mut resume_at).await {
            Ok(state) => checked = state,
            Err(error) => {
                app.workers.failed("prices");
                tracing::error!(
                    worker = "prices",
                    error = &error as &dyn std::error::Error,
                    "a worker failed; retrying"
                );
                sleep_until(Instant::now() + settings.retry).await;
                continue;
            }
        }
        // The store ends with the process.
        if head.changed().await.is_err() {
            return;
        }
        let latest = Instant::now() + settings.latest;
        sleep_until(resume_at.min(latest)).await;
        while Instant::now() < latest {
            match timeout(settings.quiet, head.changed()).await {
                Ok(Ok(())) => {}
                Ok(Err(_)) => return,
                Err(_) => break,
            }
        }
    }
}

/// Checks the stock if prices have changed since it was `checked`. Returns the state that is checked now: `None` if a part is not.
async fn check(app: &App, checked: Option<u64>, resume_at: &mut Instant) -> Result<Option<u64>, Error> {
    let changes = app.price_changes().await?;
    if checked == Some(changes) {
        return Ok(checked);
    }
    let started = Instant::now();
    let PricesChecked { changed, skipped, changes } = app.check_prices_again().await?;
    *resume_at = Instant::now() + started.elapsed() * PAUSE_FACTOR;
    if changed + skipped > 0 {
        tracing::info!(adverts = changed, skipped, "prices were checked again by the market of now");
    }
    Ok((skipped == 0).then_some(changes))
}
