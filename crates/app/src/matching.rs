//! Matching as the rest of the process sees it: how far it has come, and what it has done.
//!
//! [`matcher`](crate::workers::matcher) does the work.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use store::{MatchGroup, Position};
use tokio::sync::watch;

use crate::App;

/// What the matcher tells.
#[derive(Debug, Default)]
pub(crate) struct Matching {
    /// Nothing until it has begun.
    position: watch::Sender<Option<Position>>,
    searches: AtomicU64,
    bytes: AtomicU64,
    documents: AtomicU64,
    walked: AtomicU64,
    verified: AtomicU64,
    matches: AtomicU64,
    notifications: AtomicU64,
}

/// What came of judging a stretch of the log.
#[derive(Debug, Default)]
pub(crate) struct MatchedBatch {
    pub groups: Vec<MatchGroup>,
    pub stats: MatchStats,
}

/// How much work it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MatchStats {
    /// Properties held against all searches; a changed one twice, as it was and as it is.
    pub documents: u64,
    /// Searches looked at for that.
    pub walked: u64,
    /// Those among them that had to be looked at closely.
    pub verified: u64,
    pub matches: u64,
    /// What is owed to subscribers.
    pub notifications: u64,
}

/// How the matcher fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatcherStatus {
    /// Nothing until it has begun.
    pub position: Option<Position>,
    pub searches: u64,
    /// DeliverySubject how much memory the searches take.
    pub bytes: u64,
    /// Since this process began.
    pub stats: MatchStats,
}

impl Matching {
    pub fn open(&self, position: Position) {
        self.position.send_replace(Some(position));
    }

    /// Changes whenever something was recorded.
    pub fn watch(&self) -> watch::Receiver<Option<Position>> {
        self.position.subscribe()
    }

    pub fn note_searches(&self, count: usize, bytes: usize) {
        self.searches.store(count as u64, Ordering::Relaxed);
        self.bytes.store(bytes as u64, Ordering::Relaxed);
    }

    /// A stretch up to a position is recorded.
    pub fn note(&self, stats: MatchStats, position: Position) {
        let MatchStats { documents, walked, verified, matches, notifications } = stats;
        let counters = [
            (&self.documents, documents),
            (&self.walked, walked),
            (&self.verified, verified),
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
            stats: MatchStats {
                documents: read(&self.documents),
                walked: read(&self.walked),
                verified: read(&self.verified),
                matches: read(&self.matches),
                notifications: read(&self.notifications),
            },
        }
    }
}

impl App {
    /// The same service with a matcher. A worker has to do the work.
    #[must_use]
    pub fn with_matcher(self) -> Self {
        Self { matching: Some(Arc::default()), ..self }
    }

    /// How the matcher fares; nothing when this process has none.
    pub fn matcher_status(&self) -> Option<MatcherStatus> {
        self.matching.as_ref().map(|matching| matching.status())
    }

    /// Returns once everything that is in the log now is matched; never in a process that does not match.
    pub async fn matched(&self) {
        let Some(matching) = &self.matching else { return std::future::pending().await };
        let head = *self.store.head().borrow();
        let mut position = matching.position.subscribe();
        // The sender is ours, so waiting cannot fail.
        let _ = position.wait_for(|position| position.is_some_and(|position| position >= head)).await;
    }
}
