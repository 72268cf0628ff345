//! Backups on a schedule.
//!
//! The server looks every minute whether a backup is due. The newest complete backup in the target says when the last one was made, so a
//! restart neither forgets nor repeats one, and one that was missed is made once. A failure is logged and counted, and tried again a
//! while later; it does not make the server unready.

use std::time::{Duration, Instant};

use backup::{DamagePolicy, Error, Location, Made, MakeOptions};
use domain::Timestamp;
use tokio::sync::Mutex;

use crate::cli::backup::options;
use crate::http::Shared;

/// How often to look whether a backup is due. The first time is this long after the start, when the index is loaded.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// How long to wait after a failure.
const RETRY_AFTER: Duration = Duration::from_secs(15 * 60);

pub struct ScheduledBackup {
    location: Location,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the last backup was made; `None` until the target was listed, or if it is empty.
    last: Option<Timestamp>,
    retry_at: Option<Timestamp>,
}

impl ScheduledBackup {
    pub fn new(location: Location) -> Self {
        Self { location, state: Mutex::default() }
    }

    /// Makes a backup if one is due.
    pub async fn run_once(&self, shared: &Shared) {
        let mut state = self.state.lock().await;
        let now = shared.app.clock().now();
        if state.retry_at.is_some_and(|at| now < at) {
            return;
        }
        match self.run_if_due(&mut state, now, shared).await {
            // The shutdown is not a failure: the next start makes it.
            Ok(()) | Err(Error::Cancelled) => state.retry_at = None,
            Err(error) => {
                // What is in the target now says whether the next one is due.
                state.last = None;
                state.retry_at = Some(now.saturating_add(RETRY_AFTER).unwrap_or(Timestamp::MAX));
                shared.metrics.backup.failed();
                tracing::error!(
                    target = %self.location,
                    error = &error as &dyn std::error::Error,
                    "the backup failed; it is tried again in 15 minutes"
                );
            }
        }
    }

    async fn run_if_due(&self, state: &mut State, now: Timestamp, shared: &Shared) -> Result<(), Error> {
        let settings = &shared.config.backup;
        let target = self.location.clone().open(&settings.s3)?;
        if state.last.is_none() {
            state.last = target.list().await?.last().map(|name| name.date());
        }
        if let Some(last) = state.last {
            shared.metrics.backup.set_last(last);
            if settings.schedule.due_after(last) > now {
                return Ok(());
            }
        }
        let started = Instant::now();
        let options = MakeOptions {
            keep: settings.keep,
            // A damaged record must not end all backups; rotation then keeps the intact ones.
            damage: DamagePolicy::Accept,
            ..options(&shared.config, shared.app.clock(), settings.bytes_per_second, shared.stop.clone())
        };
        let Made { address, manifest, findings, removed, rotation_error, wal_bytes } =
            backup::make(&target, options).await?;
        state.last = Some(now);
        shared.metrics.backup.set_last(now);
        shared.metrics.backup.succeeded(started.elapsed(), manifest.bytes);
        tracing::info!(
            address,
            bytes = manifest.bytes,
            log_position = manifest.log_position,
            removed = removed.len(),
            wal_bytes,
            "the backup is complete"
        );
        if let Some(error) = rotation_error {
            shared.metrics.backup.rotation_failed();
            tracing::error!(
                target = %self.location,
                error = &error as &dyn std::error::Error,
                "older backups could not be removed; the next backup tries again"
            );
        }
        if !findings.is_empty() {
            shared.metrics.backup.failed();
            tracing::error!(
                address,
                problems = findings.len(),
                "the backup has damaged records, like the database: run `vigie verify`. Older backups are kept meanwhile"
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
