//! Backups on a schedule.
//!
//! The server looks every minute whether a backup is due. The newest complete backup in the target says when the last one was made, so a
//! restart neither forgets nor repeats one, and one that was missed is made once. A failure is logged and counted, and tried again a
//! while later; it does not make the server unready.

use std::time::{Duration, Instant};

use backup::{Contents, DamagePolicy, Error, Location, Made, MakeOptions, Target};
use domain::Timestamp;
use tokio::sync::{Mutex, OnceCell};

use crate::cli::backup::options;
use crate::http::Shared;

/// How often to look whether a backup is due. The first time is this long after the start, when the index is loaded.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(60);

/// How long to wait after a failure.
const RETRY_AFTER: Duration = Duration::from_secs(15 * 60);

pub struct ScheduledBackup {
    location: Location,
    /// Opened once: that loads the certificates of the system.
    target: OnceCell<Target>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the last backup was made; `None` until the target was listed, or if it is empty.
    last: Option<Timestamp>,
    failure: Option<Failure>,
}

/// A backup that failed.
struct Failure {
    at: Timestamp,
    retry_at: Timestamp,
}

impl ScheduledBackup {
    pub fn new(location: Location) -> Self {
        Self { location, target: OnceCell::new(), state: Mutex::default() }
    }

    /// Makes a backup if one is due.
    pub async fn run_once(&self, shared: &Shared) {
        let mut state = self.state.lock().await;
        let now = shared.app.clock().now();
        // A clock that was put back does not make it wait.
        if state.failure.as_ref().is_some_and(|failure| failure.at <= now && now < failure.retry_at) {
            return;
        }
        match self.run_if_due(&mut state, now, shared).await {
            // The shutdown is not a failure: the next start makes it.
            Ok(()) | Err(Error::Cancelled) => state.failure = None,
            Err(error) => {
                // What is in the target now says whether the next one is due.
                state.last = None;
                let retry_at = match &error {
                    // It does not pass: a whole copy every 15 minutes would show the same.
                    Error::DamagedFile { .. } => shared.config.backup.schedule.due_after(now),
                    _ => now.saturating_add(RETRY_AFTER).unwrap_or(Timestamp::MAX),
                };
                state.failure = Some(Failure { at: now, retry_at });
                shared.metrics.backup.failed();
                tracing::error!(
                    target = %self.location,
                    error = &error as &dyn std::error::Error,
                    %retry_at,
                    "the backup failed; it is tried again later"
                );
            }
        }
    }

    async fn run_if_due(&self, state: &mut State, now: Timestamp, shared: &Shared) -> Result<(), Error> {
        let settings = &shared.config.backup;
        let open = || std::future::ready(self.location.clone().open(&settings.s3));
        let target = self.target.get_or_try_init(open).await?;
        // One that is dated in the future was made before the clock was put back.
        if state.last.is_none_or(|last| last > now) {
            state.last = self.last(target, now, shared).await?;
        }
        if state.last.is_some_and(|last| settings.schedule.due_after(last) > now) {
            return Ok(());
        }
        let started = Instant::now();
        let options = MakeOptions {
            keep: settings.keep,
            // A damaged record must not end all backups; rotation keeps the intact ones.
            damage: DamagePolicy::Accept,
            ..options(&shared.config, shared.app.clock(), settings.bytes_per_second, shared.stop.clone())
        };
        let Made { address, manifest, findings, removed, rotation_error, wal_bytes } =
            backup::make(target, options).await?;
        state.last = Some(now);
        shared.metrics.backup.set_damaged_records(manifest.damaged_records);
        shared.metrics.backup.succeeded(started.elapsed(), manifest.bytes);
        tracing::info!(
            address,
            bytes = manifest.bytes,
            log_position = manifest.log_position,
            removed = removed.len(),
            wal_bytes,
            "the backup is complete"
        );
        // The shutdown is not a failure here, either.
        if let Some(error) = rotation_error.filter(|error| !matches!(error, Error::Cancelled)) {
            shared.metrics.backup.rotation_failed();
            tracing::error!(
                target = %self.location,
                error = &error as &dyn std::error::Error,
                "older backups could not be removed; the next backup tries again"
            );
        }
        if findings.is_empty() {
            shared.metrics.backup.set_last(now);
        } else {
            shared.metrics.backup.failed();
            tracing::error!(
                address,
                problems = findings.len(),
                "the backup has damaged records, like the database: run `vigie verify`. Intact backups are kept meanwhile"
            );
        }
        Ok(())
    }

    /// Returns when the last backup in the target was made.
    async fn last(
        &self,
        target: &Target,
        now: Timestamp,
        shared: &Shared,
    ) -> Result<Option<Timestamp>, Error> {
        let Contents { newest, newest_intact, damaged_records, dated_later } =
            target.contents(now, &shared.stop).await?;
        if let Some(name) = dated_later.last() {
            tracing::warn!(
                target = %self.location,
                count = dated_later.len(),
                %name,
                "backups in the target are dated in the future: the clock is or was wrong. They are not counted; rename or remove them"
            );
        }
        if let Some(name) = newest_intact {
            shared.metrics.backup.set_last(name.date());
        }
        shared.metrics.backup.set_damaged_records(damaged_records);
        Ok(newest.map(|name| name.date()))
    }
}

#[cfg(test)]
mod tests;
