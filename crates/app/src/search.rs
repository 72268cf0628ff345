//! Searching: the index of this process, how far it has followed the store, and who waits for it.
//!
//! The index is a follower of the change log. [`indexer`](crate::workers::indexer) feeds it, [`build`] makes it from nothing,
//! [`folder`] keeps it over restarts. Here is what the rest of the service sees: a view to ask, or [`Error::Starting`].

pub mod build;
pub mod folder;
pub mod manifest;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use domain::{Property, PropertyId, Timestamp};
use engine::{Index, Searcher};
use store::Position;
use tokio::sync::watch;

use crate::{App, Error};

/// How long an answer to a writer waits for the index. Following takes milliseconds; whoever waits longer has met a
/// follower in trouble, and what was written is durable all the same.
const VISIBLE_WITHIN: Duration = Duration::from_secs(5);

/// The index as the rest of the process sees it.
#[derive(Debug)]
pub(crate) struct Search {
    /// Set when the index has caught up for the first time.
    index: OnceLock<Arc<Index>>,
    position: watch::Sender<Position>,
    /// Somebody has waited in vain, and the index has not caught up since: others need not wait as long.
    is_late: AtomicBool,
    late_answers: AtomicU64,
    visible_within: Duration,
    notes: Mutex<Notes>,
}

/// What operators want to know of the past.
#[derive(Debug, Clone, Copy, Default)]
struct Notes {
    build: Option<Duration>,
    snapshot: Option<SnapshotTaken>,
}

/// The last snapshot that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotTaken {
    pub at: Timestamp,
    pub position: Position,
    /// All of it, whether written this time or before.
    pub bytes: u64,
}

/// How the index fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStatus {
    pub is_ready: bool,
    pub position: Position,
    pub properties: usize,
    /// Writers that were answered before the index had what they wrote.
    pub late_answers: u64,
    /// How long this process took until the index was ready.
    pub build: Option<Duration>,
    pub snapshot: Option<SnapshotTaken>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            index: OnceLock::new(),
            position: watch::Sender::new(Position::START),
            is_late: AtomicBool::new(false),
            late_answers: AtomicU64::new(0),
            visible_within: VISIBLE_WITHIN,
            notes: Mutex::default(),
        }
    }
}

impl Search {
    pub fn index(&self) -> Option<Arc<Index>> {
        self.index.get().cloned()
    }

    pub fn is_ready(&self) -> bool {
        self.index.get().is_some()
    }

    /// The index has caught up for the first time.
    pub fn open(&self, index: &Arc<Index>, build: Duration) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).build = Some(build);
        if self.index.set(Arc::clone(index)).is_ok() {
            // Those who wait for this wait for the position to move.
            self.position.send_modify(|_| {});
        }
    }

    /// The index holds everything up to here.
    pub fn publish(&self, position: Position) {
        self.position.send_replace(position);
    }

    #[cfg(test)]
    pub fn watch(&self) -> watch::Receiver<Position> {
        self.position.subscribe()
    }

    /// There was nothing more to follow.
    pub fn caught_up(&self) {
        self.is_late.store(false, Ordering::Relaxed);
    }

    pub fn snapshot_taken(&self, snapshot: SnapshotTaken) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).snapshot = Some(snapshot);
    }

    /// Waits until what was written at a position can be found; not for ever, and not while the index is being built.
    async fn visible(&self, position: Position) {
        let mut published = self.position.subscribe();
        if !self.is_ready() || *published.borrow() >= position {
            return;
        }
        let was_late = self.is_late.load(Ordering::Relaxed);
        let reached = published.wait_for(|published| *published >= position);
        if !was_late && tokio::time::timeout(self.visible_within, reached).await.is_ok() {
            return;
        }
        self.late_answers.fetch_add(1, Ordering::Relaxed);
        if !was_late {
            self.is_late.store(true, Ordering::Relaxed);
            let position = position.0;
            tracing::warn!(position, "the index is behind: what is written is found later than acknowledged");
        }
    }

    fn status(&self) -> IndexStatus {
        let Notes { build, snapshot } = *self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        IndexStatus {
            is_ready: self.is_ready(),
            position: *self.position.borrow(),
            properties: self.index.get().map_or(0, |index| index.searcher().len()),
            late_answers: self.late_answers.load(Ordering::Relaxed),
            build,
            snapshot,
        }
    }
}

impl App {
    /// The same service with an index. A worker has to feed it; until then searches are told that it is starting.
    #[must_use]
    pub fn with_index(self) -> Self {
        Self { search: Some(Arc::default()), ..self }
    }

    /// What can be found now.
    pub fn view(&self) -> Result<Arc<Searcher>, Error> {
        let index = self.search.as_ref().and_then(|search| search.index.get());
        Ok(index.ok_or(Error::Starting)?.searcher())
    }

    /// Properties as they are now. Those that are gone by now are missing from the answer.
    pub async fn properties(&self, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, Property>, Error> {
        let found = self.store.properties(ids).await?;
        Ok(found.into_iter().map(|(id, stored)| (id, stored.property)).collect())
    }

    /// How the index fares; nothing when this process has none.
    pub fn index_status(&self) -> Option<IndexStatus> {
        self.search.as_ref().map(|search| search.status())
    }

    /// Returns once searches are answered; never in a process without an index that is fed.
    pub async fn searchable(&self) {
        let Some(search) = &self.search else { return std::future::pending().await };
        let mut changes = search.position.subscribe();
        // The sender is ours, so waiting cannot fail.
        let _ = changes.wait_for(|_| search.is_ready()).await;
    }

    /// Returns when what was written at a position is found by whoever asks next.
    pub(crate) async fn visible(&self, position: Position) {
        if let Some(search) = &self.search {
            search.visible(position).await;
        }
    }
}

#[cfg(test)]
mod tests;
