//! Keeps the index in step with the store.
//!
//! The store is the only source of truth after a crash. The indexer starts from the last snapshot, if it is intact, belongs to this
//! store and the log still has what came after it, or else from the one that another server [shares](crate::search::shared), or else
//! builds the index from all properties; then it follows the log. Erased data is purged from the segments
//! before a snapshot includes the log entry of the erasure. After a crash in between, the entry is read and purged again.

mod fetch;
pub(super) mod snapshots;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::{PropertyId, Timestamp};
use engine::{Change, Index, SequenceNumber};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{LogEntry, Position, PropertyCause, RemovalCause, StoredProperty};
use tokio_util::sync::CancellationToken;

use super::follower::{Follower, Progress, follow};
use super::publisher::Publisher;
use crate::search::shared::SharedSnapshots;
use crate::search::{IndexHandle, IndexOrigin, build};
use crate::{App, Error};
use snapshots::{Restored, Snapshots};

/// How often to check whether segments can be merged.
const MERGE_INTERVAL: Duration = Duration::from_millis(500);

/// How many entries of the log are indexed together. Writers wait for a whole batch, so it must not take long.
const ENTRIES_PER_BATCH: usize = 1_000;

/// How many properties one reader decodes at a time, while another decodes the next ones. Ingestion uses the same readers, and
/// waits half a millisecond for them.
const PROPERTIES_PER_READ: usize = 16;

/// How many readers decode in parallel.
const PARALLEL_READS: usize = 2;

/// The settings of the indexer.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The folder of the snapshots.
    pub folder: PathBuf,
    /// How often a snapshot is taken, if there are changes.
    pub snapshot_interval: Duration,
    /// Where servers on this database share a snapshot; `None` if they do not.
    pub shared: Option<Arc<dyn SharedSnapshots>>,
}

/// The worker.
pub struct Indexer {
    app: App,
    handle: Arc<IndexHandle>,
    pub(super) snapshots: Snapshots,
    /// `None` until the index is restored or built.
    loaded: Option<Loaded>,
}

/// The index, and how far it has followed the log.
struct Loaded {
    index: Arc<Index>,
    position: Position,
    started_at: Timestamp,
    /// Properties with erased data that segments still contain.
    to_purge: BTreeSet<PropertyId>,
}

/// Follows the log until `stop` is cancelled, then takes a last snapshot.
pub async fn run(mut indexer: Indexer, stop: CancellationToken) {
    let app = indexer.app.clone();
    follow(&app, &mut indexer, &stop).await;
    indexer.finish().await;
}

/// Merges segments in the background, when a merge takes too long to do between two commits.
pub async fn maintain(app: App, stop: CancellationToken) {
    loop {
        let index = app.index.as_ref().and_then(|handle| handle.index());
        let worked = match index {
            Some(index) => tokio::task::spawn_blocking(move || index.maintain()).await.unwrap_or(false),
            None => false,
        };
        if !worked {
            let _ = tokio::time::timeout(MERGE_INTERVAL, stop.cancelled()).await;
        }
        if stop.is_cancelled() {
            return;
        }
    }
}

impl Follower for Indexer {
    const NAME: &'static str = "indexer";

    /// Building the index can take a minute, and is abandoned if `stop` is cancelled. Following is not: a batch that was applied must
    /// be recorded.
    async fn poll_log(&mut self, stop: &CancellationToken) -> Result<Progress, Error> {
        if self.loaded.is_none() {
            tokio::select! {
                () = stop.cancelled() => return Ok(Progress::CaughtUp),
                loaded = self.load() => self.loaded = Some(loaded?),
            }
        }
        self.index_batch().await
    }

    fn position(&self) -> Option<Position> {
        self.loaded.as_ref().map(|loaded| loaded.position)
    }
}

impl Indexer {
    /// Returns an indexer, or `None` if the app has no index.
    pub fn new(app: &App, settings: Settings) -> Option<Self> {
        let handle = Arc::clone(app.index.as_ref()?);
        app.store.keep_committed();
        Some(Self { app: app.clone(), handle, snapshots: Snapshots::new(settings), loaded: None })
    }

    /// Returns the worker that shares the snapshots of this indexer, if they are to be shared.
    pub fn publisher(&self) -> Option<Publisher> {
        let shared = Arc::clone(self.snapshots.shared.as_ref()?);
        let (folder, saved) = (Arc::clone(&self.snapshots.folder), self.snapshots.saved.subscribe());
        Some(Publisher::new(&self.app, Arc::clone(&self.handle), shared, folder, saved))
    }

    /// Restores or builds the index if necessary, indexes the next batch of the log, and takes a snapshot if one is due.
    pub async fn run_once(&mut self) -> Result<Progress, Error> {
        if self.loaded.is_none() {
            self.loaded = Some(self.load().await?);
        }
        self.index_batch().await
    }

    async fn load(&mut self) -> Result<Loaded, Error> {
        let started_at = self.app.clock.now();
        let Restored { index, position, origin } = match self.snapshots.restore(&self.app).await? {
            Some(restored) => restored,
            None => {
                let built = build::from_store(&self.app).await?;
                if !built.damaged.is_empty() {
                    let properties = built.damaged.len();
                    tracing::error!(
                        properties,
                        "stored properties are damaged and are missing from the index"
                    );
                }
                Restored { index: built.index, position: built.position, origin: IndexOrigin::Store }
            }
        };
        let properties = index.searcher().len();
        self.snapshots.started(properties, started_at);
        self.handle.loaded_from(origin);
        tracing::info!(properties, position = position.0, ?origin, "the index is loaded and follows the log");
        Ok(Loaded { index, position, started_at, to_purge: BTreeSet::new() })
    }

    async fn index_batch(&mut self) -> Result<Progress, Error> {
        let Some(loaded) = &mut self.loaded else { return Ok(Progress::CaughtUp) };
        let entries = match self.app.store.log_after(loaded.position, ENTRIES_PER_BATCH).await {
            // Retention has come first, before queries saw the index. The next call builds it from the store. Later, retention waits for
            // this follower.
            Err(store::Error::LogPruned { oldest, .. }) if !self.handle.is_ready() => {
                tracing::warn!(
                    oldest,
                    "the log no longer has what the index misses; building it from the store"
                );
                self.loaded = None;
                return Ok(Progress::More);
            }
            entries => entries?,
        };
        // After reading the entries, so that the directory contains the sites they introduce.
        self.app.sites().await?;
        let progress = if entries.len() < ENTRIES_PER_BATCH { Progress::CaughtUp } else { Progress::More };
        if let Some(last) = entries.last() {
            let (position, recorded_at) = (last.position, last.recorded_at);
            let LogSummary { changed, erased } = LogSummary::new(&entries);
            let changes = read_changes(&self.app, changed, position).await?;
            // Recorded first: a snapshot must not include the log entry of an erasure that is not purged.
            loaded.to_purge.extend(erased);
            build::apply(&loaded.index, changes, position).await?;
            loaded.position = position;
            self.handle.publish(position, Some(recorded_at));
            if !self.handle.is_ready() {
                // A long log makes many segments, and `maintain` merges only once the index is open.
                build::merge(&loaded.index).await?;
            }
        }
        if progress == Progress::CaughtUp {
            self.handle.caught_up(self.app.clock.now());
            self.open();
        }
        self.take_snapshot_if_due().await?;
        Ok(progress)
    }

    /// Opens the index for queries once it has caught up with the log.
    fn open(&self) {
        let Some(loaded) = &self.loaded else { return };
        let Loaded { index, position, started_at, .. } = loaded;
        if self.handle.is_ready() {
            return;
        }
        let took = self.app.clock.now().duration_since(*started_at);
        let took = Duration::try_from(took).unwrap_or_default();
        self.handle.publish(*position, None);
        self.handle.open(index, took);
        let properties = index.searcher().len();
        tracing::info!(properties, position = position.0, seconds = took.as_secs_f64(), "the index is ready");
    }
}

/// The properties that a batch of the log concerns.
struct LogSummary {
    /// Properties that changed, each with the position of its last change.
    changed: BTreeMap<PropertyId, Position>,
    /// Properties of which older versions contain erased data.
    erased: Vec<PropertyId>,
}

impl LogSummary {
    fn new(entries: &[LogEntry]) -> Self {
        let mut summary = Self { changed: BTreeMap::new(), erased: Vec::new() };
        for LogEntry { position, change, .. } in entries {
            let (property, erasure) = match change {
                store::Change::Property { property, cause, .. } => match cause {
                    PropertyCause::AdvertErased(erasure) => (property, Some(erasure)),
                    PropertyCause::Advert { .. }
                    | PropertyCause::Regrouped { .. }
                    | PropertyCause::Crawl
                    | PropertyCause::AdvertLeft => (property, None),
                },
                store::Change::PropertyRemoved { property, cause } => match cause {
                    RemovalCause::AdvertErased(erasure) => (property, Some(erasure)),
                    RemovalCause::AdvertLeft | RemovalCause::Merged { .. } => (property, None),
                },
                // The current version is read again. The entry may have been an erasure, so older ones are purged.
                store::Change::Damaged { property: Some(property), .. } => {
                    summary.changed.insert(*property, *position);
                    summary.erased.push(*property);
                    continue;
                }
                store::Change::Damaged { property: None, .. } => {
                    tracing::error!(
                        position = position.0,
                        "a damaged log entry does not say what it is about: the index may miss one change. To build the index again, \
                         stop the server, delete the folder `index` in the data folder, and start the server"
                    );
                    continue;
                }
                // A blanked entry has no data; the erasure itself has a later entry.
                store::Change::Search { .. }
                | store::Change::SearchRemoved { .. }
                | store::Change::Erased => {
                    continue;
                }
            };
            summary.changed.insert(*property, *position);
            if let Some(erasure) = erasure {
                summary.erased.push(*property);
                summary.erased.extend(&erasure.previous_properties);
            }
        }
        summary
    }
}

/// Returns what the index has to change. Most properties were committed by this process a moment ago and are in memory.
async fn read_changes(
    app: &App,
    changed: BTreeMap<PropertyId, Position>,
    until: Position,
) -> Result<Vec<Change>, Error> {
    let put = |property, position: Position| Change::Put(property, SequenceNumber(position.0));
    let mut committed = app.store.take_committed(until);
    let mut changes = Vec::with_capacity(changed.len());
    let mut unknown = BTreeMap::new();
    for (id, position) in changed {
        match committed.remove(&position) {
            Some(property) => changes.push(put(property, position)),
            None => drop(unknown.insert(id, position)),
        }
    }
    let mut stored = read_properties(app, unknown.keys().copied().collect()).await?;
    changes.extend(unknown.into_iter().map(|(id, position)| match stored.remove(&id) {
        Some(stored) => put(stored.property.into(), position),
        None => Change::Remove(id),
    }));
    Ok(changes)
}

/// Reads the current version of properties. A damaged record counts as removed, so that it does not stop the indexer.
async fn read_properties(
    app: &App,
    ids: Vec<PropertyId>,
) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
    let reads = ids.chunks(PROPERTIES_PER_READ).map(|ids| read_chunk(app, ids.to_vec())).collect::<Vec<_>>();
    let parts: Vec<_> = stream::iter(reads).buffer_unordered(PARALLEL_READS).try_collect().await?;
    Ok(parts.into_iter().flatten().collect())
}

async fn read_chunk(app: &App, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
    Ok(app.store.find_properties(ids).await?.intact)
}

#[cfg(test)]
pub(super) mod tests;
