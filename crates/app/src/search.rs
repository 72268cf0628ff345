//! Searching: the index of this process, how far it has followed the change log, and how queries run on it.
//!
//! The index follows the change log. The [indexer](crate::workers::indexer) feeds it, [`build`] builds it from the store,
//! [`folder`] and [`manifest`] keep snapshots of it across restarts, [`shared`] between servers. [`execute`] runs queries; until the index has caught up
//! for the first time they fail with [`Error::Starting`].

pub mod build;
mod document_cache;
pub mod execute;
pub mod folder;
pub mod manifest;
pub mod shared;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use domain::{Property, PropertyId, Timestamp};
use engine::{Index, Searcher};
use store::Position;
use tokio::sync::watch;

use crate::{App, Error};

pub(crate) use execute::Executor;
pub use execute::{CancelOnDrop, DocumentPage, ExecutionSettings, Export, SearchSession};

/// How long the answer to a writer waits for the index. Following takes milliseconds. A longer wait means that the indexer is in
/// trouble, and the change is durable in any case.
const VISIBILITY_TIMEOUT: Duration = Duration::from_secs(5);

/// The index as the rest of the process sees it.
#[derive(Debug)]
pub(crate) struct IndexHandle {
    /// Set when the index has caught up for the first time.
    index: OnceLock<Arc<Index>>,
    position: watch::Sender<Position>,
    /// A writer has timed out, and the index has not caught up since. Other writers do not wait.
    is_late: AtomicBool,
    visibility_timeouts: AtomicU64,
    visibility_timeout: Duration,
    history: Mutex<History>,
}

/// Past events that the status reports.
#[derive(Debug, Clone, Copy, Default)]
struct History {
    build_time: Option<Duration>,
    /// When the index last contained the whole log.
    caught_up_at: Option<Timestamp>,
    /// When the last change that the index contains was recorded.
    recorded_at: Option<Timestamp>,
    snapshot: Option<SnapshotTaken>,
    origin: Option<IndexOrigin>,
    published: Option<Position>,
    publish_failures: u64,
}

/// Where the index of this process came from, before it followed the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IndexOrigin {
    /// A snapshot in the data folder, of this server.
    OwnSnapshot,
    /// A snapshot that another server has shared.
    SharedSnapshot,
    /// All properties in the store.
    Store,
}

/// The last snapshot that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SnapshotTaken {
    pub at: Timestamp,
    pub position: Position,
    /// The size of all its segments, including those written for earlier snapshots.
    pub bytes: u64,
}

/// The state of the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexStatus {
    pub is_ready: bool,
    pub position: Position,
    pub properties: usize,
    /// How old the first change may be that the index does not contain; zero if it contains all.
    pub behind: Duration,
    /// Writes that were acknowledged before the index had them.
    pub visibility_timeouts: u64,
    /// How long this process took to make the index ready.
    pub build: Option<Duration>,
    pub snapshot: Option<SnapshotTaken>,
    /// `None` until the index is loaded.
    pub origin: Option<IndexOrigin>,
    /// The position of the shared snapshot, while this process publishes it.
    pub published: Option<Position>,
    /// How often publishing a snapshot failed.
    pub publish_failures: u64,
}

impl Default for IndexHandle {
    fn default() -> Self {
        Self {
            index: OnceLock::new(),
            position: watch::Sender::new(Position::START),
            is_late: AtomicBool::new(false),
            visibility_timeouts: AtomicU64::new(0),
            visibility_timeout: VISIBILITY_TIMEOUT,
            history: Mutex::default(),
        }
    }
}

impl IndexHandle {
    pub fn index(&self) -> Option<Arc<Index>> {
        self.index.get().cloned()
    }

    pub fn is_ready(&self) -> bool {
        self.index.get().is_some()
    }

    /// Makes the index available to queries once it has caught up for the first time.
    pub fn open(&self, index: &Arc<Index>, build_time: Duration) {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).build_time = Some(build_time);
        if self.index.set(Arc::clone(index)).is_ok() {
            // `App::searchable` waits for a change of the position.
            self.position.send_modify(|_| {});
        }
    }

    /// Announces that the index contains everything up to a position.
    pub fn publish(&self, position: Position, recorded_at: Option<Timestamp>) {
        let mut history = self.history.lock().unwrap_or_else(PoisonError::into_inner);
        history.recorded_at = recorded_at.or(history.recorded_at);
        drop(history);
        self.position.send_replace(position);
    }

    #[cfg(test)]
    pub fn watch(&self) -> watch::Receiver<Position> {
        self.position.subscribe()
    }

    /// Records that the indexer has reached the end of the log.
    pub fn caught_up(&self, now: Timestamp) {
        self.is_late.store(false, Ordering::Relaxed);
        self.history.lock().unwrap_or_else(PoisonError::into_inner).caught_up_at = Some(now);
    }

    pub fn snapshot_taken(&self, snapshot: SnapshotTaken) {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).snapshot = Some(snapshot);
    }

    pub fn loaded_from(&self, origin: IndexOrigin) {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).origin = Some(origin);
    }

    /// Records which snapshot is shared; `None` if another process publishes it.
    pub fn published(&self, position: Option<Position>) {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).published = position;
    }

    pub fn publish_failed(&self) {
        self.history.lock().unwrap_or_else(PoisonError::into_inner).publish_failures += 1;
    }

    /// Waits until queries see the change at a position. Gives up after a timeout, and does not wait while the index is being
    /// built.
    async fn wait_visible(&self, position: Position) {
        let mut published = self.position.subscribe();
        if !self.is_ready() || *published.borrow() >= position {
            return;
        }
        let was_late = self.is_late.load(Ordering::Relaxed);
        let reached = published.wait_for(|published| *published >= position);
        if !was_late && tokio::time::timeout(self.visibility_timeout, reached).await.is_ok() {
            return;
        }
        self.visibility_timeouts.fetch_add(1, Ordering::Relaxed);
        // Once for all writes that wait at the same time.
        if !was_late && !self.is_late.swap(true, Ordering::Relaxed) {
            let position = position.0;
            tracing::warn!(
                position,
                "the index lags behind: writes are acknowledged before searches see them"
            );
        }
    }

    fn status(&self, head: Position, now: Timestamp) -> IndexStatus {
        let History { build_time, caught_up_at, recorded_at, snapshot, origin, published, publish_failures } =
            *self.history.lock().unwrap_or_else(PoisonError::into_inner);
        let position = *self.position.borrow();
        // The change that comes next was recorded after both.
        let since = caught_up_at.max(recorded_at).filter(|_| caught_up_at.is_some() && position < head);
        let behind = since.map(|at| now.duration_since(at));
        IndexStatus {
            is_ready: self.is_ready(),
            position,
            behind: behind.and_then(|behind| Duration::try_from(behind).ok()).unwrap_or_default(),
            properties: self.index.get().map_or(0, |index| index.searcher().len()),
            visibility_timeouts: self.visibility_timeouts.load(Ordering::Relaxed),
            build: build_time,
            snapshot,
            origin,
            published,
            publish_failures,
        }
    }
}

impl App {
    /// Adds an index. The [indexer](crate::workers::indexer) has to feed it; until it has caught up, searches fail with
    /// [`Error::Starting`].
    #[must_use]
    pub fn with_index(self) -> Self {
        Self { index: Some(Arc::default()), ..self }
    }

    /// Returns the current view of the index.
    pub fn index_searcher(&self) -> Result<Arc<Searcher>, Error> {
        let index = self.index.as_ref().and_then(|handle| handle.index.get());
        Ok(index.ok_or(Error::Starting)?.searcher())
    }

    /// Returns the current version of properties, without those that do not exist any more and those that cannot be read.
    pub async fn properties(&self, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, Property>, Error> {
        let found = self.store.find_properties(ids).await?.intact;
        Ok(found.into_iter().map(|(id, stored)| (id, stored.property)).collect())
    }

    /// Returns the state of the index, or `None` if this process has no index.
    pub fn index_status(&self) -> Option<IndexStatus> {
        self.index.as_ref().map(|handle| handle.status(self.log_position(), self.clock.now()))
    }

    /// Waits until searches are answered. Never returns in a process without an indexer.
    pub async fn wait_until_searchable(&self) {
        let Some(handle) = &self.index else { return std::future::pending().await };
        let mut changes = handle.position.subscribe();
        // The handle owns the sender, so waiting cannot fail.
        let _ = changes.wait_for(|_| handle.is_ready()).await;
    }

    /// Returns the log position up to which searches of this process see every change; `None` without an index.
    pub fn visible_position(&self) -> Option<Position> {
        self.index.as_ref().map(|handle| *handle.position.borrow())
    }

    /// Waits until searches of this process see every change up to a position. Returns `false` if that takes longer than `timeout`.
    pub async fn wait_for_position(&self, position: Position, timeout: Duration) -> bool {
        let Some(handle) = &self.index else { return true };
        let mut published = handle.position.subscribe();
        let reached = published.wait_for(|published| *published >= position && handle.is_ready());
        tokio::time::timeout(timeout, reached).await.is_ok_and(|reached| reached.is_ok())
    }

    /// Waits until the next search sees the change at a position.
    pub(crate) async fn wait_visible(&self, position: Position) {
        if let Some(handle) = &self.index {
            handle.wait_visible(position).await;
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
