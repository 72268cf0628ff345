//! Matching as the rest of the process sees it: how far the matcher has come, and how much it has done.
//!
//! The [matcher](crate::workers::matcher) does the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::Position;
use tokio::sync::watch;

use crate::App;

/// The progress that the matcher publishes.
#[derive(Debug, Default)]
pub(crate) struct MatcherProgress {
    /// `None` until the matcher has loaded the saved searches.
    position: watch::Sender<Option<Position>>,
    searches: AtomicU64,
    bytes: AtomicU64,
    properties: AtomicU64,
    candidates: AtomicU64,
    evaluated: AtomicU64,
    matches: AtomicU64,
    notifications: AtomicU64,
    searches_loaded: AtomicU64,
}

/// How much work matching was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchStats {
    /// Properties matched against all saved searches. A changed property counts twice: before and after the change.
    pub properties: u64,
    /// Saved searches that the percolator considered for them.
    pub candidates: u64,
    /// Candidates whose criteria were fully evaluated.
    pub evaluated: u64,
    pub matches: u64,
    /// Notifications written to the outbox.
    pub notifications: u64,
}

/// The state of the matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatcherStatus {
    /// `None` until the matcher has loaded the saved searches.
    pub position: Option<Position>,
    pub searches: u64,
    /// The approximate memory of the saved searches.
    pub bytes: u64,
    /// Since this process started.
    pub stats: MatchStats,
    /// How many saved searches the matcher has read to start, or to start again, since this process started.
    pub searches_loaded: u64,
}

impl MatcherProgress {
    pub fn start(&self, position: Position) {
        self.position.send_replace(Some(position));
    }

    /// Publishes how far the matcher of another process has come.
    pub fn follow(&self, checkpoint: Position) {
        self.position.send_if_modified(|position| position.replace(checkpoint) != Some(checkpoint));
    }

    /// Returns a receiver that changes with every recorded batch.
    pub fn watch(&self) -> watch::Receiver<Option<Position>> {
        self.position.subscribe()
    }

    pub fn set_searches(&self, count: usize, bytes: usize) {
        self.searches.store(count as u64, Ordering::Relaxed);
        self.bytes.store(bytes as u64, Ordering::Relaxed);
    }

    /// Counts the searches that were loaded.
    pub fn searches_loaded(&self, count: usize) {
        self.searches_loaded.fetch_add(count as u64, Ordering::Relaxed);
    }

    /// Publishes that a batch up to a position is recorded.
    pub fn record_batch(&self, stats: MatchStats, position: Position) {
        let MatchStats { properties, candidates, evaluated, matches, notifications } = stats;
        let counters = [
            (&self.properties, properties),
            (&self.candidates, candidates),
            (&self.evaluated, evaluated),
            (&self.matches, matches),
            (&self.notifications, notifications),
        ];
        for (counter, more) in counters {
            counter.fetch_add(more, Ordering::Relaxed);
        }
        self.position.send_replace(Some(position));
    }

    fn status(&self) -> MatcherStatus {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        MatcherStatus {
            position: *self.position.borrow(),
            searches: read(&self.searches),
            bytes: read(&self.bytes),
            searches_loaded: read(&self.searches_loaded),
            stats: MatchStats {
                properties: read(&self.properties),
                candidates: read(&self.candidates),
                evaluated: read(&self.evaluated),
                matches: read(&self.matches),
                notifications: read(&self.notifications),
            },
        }
    }
}

impl App {
    /// Adds a matcher. A [worker](crate::workers::matcher) has to run it.
    #[must_use]
    pub fn with_matcher(self) -> Self {
        Self { matcher: Some(Arc::default()), ..self }
    }

    /// Returns the state of the matcher, or `None` if this process has none.
    pub fn matcher_status(&self) -> Option<MatcherStatus> {
        self.matcher.as_ref().map(|progress| progress.status())
    }

    /// Waits until everything that is in the log now is matched. Never returns in a process without a matcher.
    pub async fn wait_until_matched(&self) {
        let Some(progress) = &self.matcher else { return std::future::pending().await };
        let head = *self.store.head().borrow();
        let mut position = progress.position.subscribe();
        // `progress` owns the sender, so waiting cannot fail.
        let _ = position.wait_for(|position| position.is_some_and(|position| position >= head)).await;
    }
}
