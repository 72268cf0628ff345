//! Deletes what is old and no longer needed: finished deliveries, log entries with the versions they replaced, matches of properties
//! that are off the market, and, if the operator wants it, those properties.
//!
//! Runs every few minutes. A round is a series of short transactions with pauses in between, so that other writers hardly wait, and
//! longer pauses while they are busy. It has no state to lose in a crash: every step is a transaction, and the next round goes on.
//! What may go is decided by the store ([`store::RetentionStore`]); followers of this process that are behind their checkpoint
//! in the store, such as the index, hold the log back.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;
use store::{ErasedProperties, Position, PruneStep, Pruned, PrunedRows, StoreSize};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{App, Error};

/// How many log entries one step deletes: a few milliseconds of the writer.
const ENTRIES_PER_STEP: usize = 200;

/// How many matches one step deletes. They are all over their table.
const MATCHES_PER_STEP: usize = 500;

/// How many deliveries one step deletes.
const DELIVERIES_PER_STEP: usize = 500;

/// How many properties one step erases. Each is removed from every version and every index.
const PROPERTIES_PER_STEP: usize = 10;

/// How many times as long as a step the pause after it takes. The time of a step includes its wait for other writers, so that the busier
/// they are, the longer it is.
const PAUSE_FACTOR: u32 = 4;
const PAUSE_MIN: Duration = Duration::from_millis(5);
const PAUSE_MAX: Duration = Duration::from_secs(2);

/// How long things are kept; `None` is for ever.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// Log entries, and the versions of properties that they replaced.
    pub log: Option<Duration>,
    /// Matches of properties that are off the market, counted from when they left it; no shorter than `log`.
    pub matches: Option<Duration>,
    /// Properties whose adverts have all expired; no shorter than `matches`.
    pub expired_properties: Option<Duration>,
    pub pace: Pace,
}

/// How much of the writer's time a round may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// Pauses after each step.
    Background,
    /// No pauses, for commands and tests.
    Immediate,
}

/// What the worker publishes.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    deleted: Mutex<PrunedRows>,
    size: Mutex<StoreSize>,
    /// Milliseconds; zero before the first round has ended.
    completed_at: AtomicU64,
}

/// The state of retention.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetentionStatus {
    /// Since this process started.
    pub deleted: PrunedRows,
    /// When it was last measured.
    pub size: StoreSize,
    /// When a round last came to its end.
    pub completed_at: Option<Timestamp>,
}

impl Counters {
    fn add(&self, rows: PrunedRows) {
        self.deleted.lock().unwrap_or_else(PoisonError::into_inner).add(rows);
    }

    fn set_size(&self, size: StoreSize) {
        *self.size.lock().unwrap_or_else(PoisonError::into_inner) = size;
    }

    fn complete(&self, size: StoreSize, now: Timestamp) {
        self.set_size(size);
        self.completed_at.store(u64::try_from(now.as_millisecond()).unwrap_or_default(), Ordering::Relaxed);
    }

    fn status(&self) -> RetentionStatus {
        let completed_at = i64::try_from(self.completed_at.load(Ordering::Relaxed)).unwrap_or_default();
        RetentionStatus {
            deleted: *self.deleted.lock().unwrap_or_else(PoisonError::into_inner),
            size: *self.size.lock().unwrap_or_else(PoisonError::into_inner),
            completed_at: Timestamp::from_millisecond(completed_at).ok().filter(|_| completed_at > 0),
        }
    }
}

impl App {
    /// Returns what retention has deleted, and how large the store is.
    pub fn retention_status(&self) -> RetentionStatus {
        self.retention.status()
    }

    /// Measures the store again: rounds of retention are rare.
    pub async fn measure_store(&self) -> Result<(), Error> {
        self.retention.set_size(self.store.store_size().await?);
        Ok(())
    }
}

/// Deletes what may go now. Returns early if `stop` is cancelled. Counts a failure, so that it shows in the health of the workers.
pub async fn run_once(app: &App, settings: Settings, stop: &CancellationToken) -> Result<PrunedRows, Error> {
    let round = Round { app, settings, stop, deleted: PrunedRows::default() };
    let done = round.run().await;
    if done.is_err() {
        app.workers.failed("retention");
    }
    done
}

struct Round<'a> {
    app: &'a App,
    settings: Settings,
    stop: &'a CancellationToken,
    deleted: PrunedRows,
}

impl Round<'_> {
    async fn run(mut self) -> Result<PrunedRows, Error> {
        self.prune_deliveries().await?;
        // Each needs what the one before it leaves behind: a property departs with its last log entry, and goes after its matches.
        if let Some(before) = self.before(self.settings.log) {
            self.prune_log(before).await?;
            if let Some(before) = self.before(self.settings.matches) {
                self.prune_matches(before).await?;
                if let Some(before) = self.before(self.settings.expired_properties) {
                    self.erase_departed(before).await?;
                }
            }
        }
        if !self.stop.is_cancelled() {
            self.app.retention.complete(self.app.store.store_size().await?, self.app.clock.now());
        }
        Ok(self.deleted)
    }

    /// Returns the date before which things may go; `None` if they stay.
    fn before(&self, kept_for: Option<Duration>) -> Option<Timestamp> {
        self.app.clock.now().checked_sub(kept_for?).ok()
    }

    async fn prune_deliveries(&mut self) -> Result<(), Error> {
        let Some(before) = self.before(self.app.delivery_retention()) else { return Ok(()) };
        let mut after = 0;
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let pruned = self.app.store.prune_deliveries(before, after, DELIVERIES_PER_STEP).await?;
            let Pruned { more, until, deliveries, documents } = pruned;
            after = until;
            self.add(PrunedRows { deliveries, documents, ..PrunedRows::default() });
            if !more {
                break;
            }
            self.pause(began).await;
        }
        Ok(())
    }

    async fn prune_log(&mut self, before: Timestamp) -> Result<(), Error> {
        // Grouping reads in the log what other processes wrote, when it next needs it. It must not come too late.
        self.app.store.detect_foreign_writes().await?;
        self.app.prepare_grouping().await?;
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            // A follower stays at the last entry that it has read: a snapshot of the index names it.
            let until = Position(self.app.workers.slowest_position().0.saturating_sub(1));
            let PruneStep { rows, more } = self.app.store.prune_log(before, until, ENTRIES_PER_STEP).await?;
            self.add(rows);
            if !more {
                break;
            }
            self.pause(began).await;
        }
        Ok(())
    }

    async fn prune_matches(&mut self, before: Timestamp) -> Result<(), Error> {
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let PruneStep { rows, more } = self.app.store.prune_matches(before, MATCHES_PER_STEP).await?;
            self.add(rows);
            if !more {
                break;
            }
            self.pause(began).await;
        }
        Ok(())
    }

    async fn erase_departed(&mut self, before: Timestamp) -> Result<(), Error> {
        while !self.stop.is_cancelled() {
            let began = Instant::now();
            let now = self.app.clock.now();
            let turn = self.app.store.grouping_turn().await?;
            let erased = self.app.store.erase_departed(before, now, PROPERTIES_PER_STEP).await?;
            drop(turn);
            let ErasedProperties { properties, position, more } = erased;
            self.add(PrunedRows { properties: properties.len() as u64, ..PrunedRows::default() });
            self.app.forget_erased(properties, position).await;
            if !more {
                break;
            }
            self.pause(began).await;
        }
        Ok(())
    }

    fn add(&mut self, rows: PrunedRows) {
        self.deleted.add(rows);
        self.app.retention.add(rows);
    }

    /// Leaves the writer to others after a step.
    async fn pause(&self, began: Instant) {
        match self.settings.pace {
            Pace::Background => {
                let pause = (began.elapsed() * PAUSE_FACTOR).clamp(PAUSE_MIN, PAUSE_MAX);
                let _ = tokio::time::timeout(pause, self.stop.cancelled()).await;
            }
            Pace::Immediate => tokio::task::yield_now().await,
        }
    }
}

#[cfg(test)]
mod tests;
