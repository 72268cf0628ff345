//! When a snapshot of the index is taken, and how one is checked at the start.
//!
//! A blocking thread writes the segments of one view while the indexer goes on; the snapshot records the log position of that view.
//! Before a snapshot includes the log entry of an erasure, the segments that still contain erased data are rewritten. That takes
//! a while, and runs on a blocking thread as well.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{PropertyId, Timestamp};
use engine::{Index, SegmentReader};
use store::{LogEntry, Position};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::fetch::{FetchError, fetch};
use super::{Indexer, Loaded, Progress, Settings};
use crate::search::folder::{SnapshotFolder, Unusable};
use crate::search::manifest::{Anchor, Manifest};
use crate::search::shared::SharedSnapshots;
use crate::search::{IndexOrigin, SnapshotTaken};
use crate::{App, Error};

/// How long an erasure waits for others before a snapshot is taken because of it. A thousand erasures in a row should not rewrite
/// large segments a thousand times.
const ERASURE_BATCH_WINDOW: Duration = Duration::from_secs(10);

pub struct Snapshots {
    pub(super) folder: Arc<Mutex<SnapshotFolder>>,
    /// Where servers on this database share a snapshot, if they do.
    pub(super) shared: Option<Arc<dyn SharedSnapshots>>,
    every: Duration,
    /// The position of the valid snapshot on disk, if there is one.
    pub(super) saved: watch::Sender<Option<Position>>,
    /// The folder contains files that are not a valid snapshot.
    has_stale_files: bool,
    attempted_at: Option<Timestamp>,
    /// Files contain erased data until the next snapshot.
    erased_at: Option<Timestamp>,
    purge: Option<Purge>,
    writing: Option<Writing>,
}

/// An index that was read from a snapshot.
pub struct Restored {
    pub index: Arc<Index>,
    pub position: Position,
    pub origin: IndexOrigin,
}

/// Segments that are being rewritten without erased data.
struct Purge {
    handle: JoinHandle<()>,
    properties: Vec<PropertyId>,
}

struct Writing {
    handle: JoinHandle<std::io::Result<Manifest>>,
    position: Position,
    /// Set if this snapshot replaces files with erased data.
    erased_at: Option<Timestamp>,
}

impl Snapshots {
    pub fn new(settings: Settings) -> Self {
        let Settings { folder, snapshot_interval, shared } = settings;
        let folder = Arc::new(Mutex::new(SnapshotFolder::new(folder)));
        Self {
            folder,
            shared,
            every: snapshot_interval,
            saved: watch::Sender::new(None),
            has_stale_files: false,
            attempted_at: None,
            erased_at: None,
            purge: None,
            writing: None,
        }
    }

    /// Returns the index of the last snapshot, its position and its origin. If this server has no snapshot that is intact and belongs to
    /// this store, that of another server is fetched. Returns `None` if there is none either. Logs why.
    pub async fn restore(&mut self, app: &App) -> Result<Option<Restored>, Error> {
        match self.try_restore(app).await? {
            Ok((index, position)) => {
                return Ok(Some(self.continue_from(app, index, position, IndexOrigin::OwnSnapshot)));
            }
            Err(Unusable::Missing) => tracing::info!("this server has no snapshot of the index"),
            Err(reason) => {
                self.has_stale_files = true;
                tracing::warn!(
                    error = &reason as &dyn std::error::Error,
                    "the snapshot of the index cannot be used"
                );
            }
        }
        self.saved.send_replace(None);
        if let Some(shared) = self.shared.clone() {
            match self.restore_shared(app, &*shared).await {
                Ok((index, position)) => {
                    return Ok(Some(self.continue_from(app, index, position, IndexOrigin::SharedSnapshot)));
                }
                Err(FetchError::App(error)) => return Err(error),
                Err(FetchError::Missing) => {
                    tracing::info!("no server has shared a snapshot of the index yet")
                }
                Err(reason) => tracing::warn!(
                    error = &reason as &dyn std::error::Error,
                    "the shared snapshot of the index cannot be used"
                ),
            }
            // A part of it may have been copied.
            self.has_stale_files = true;
        }
        tracing::info!("building the index from the store");
        self.in_folder(SnapshotFolder::start_over).await?;
        Ok(None)
    }

    fn continue_from(
        &mut self,
        app: &App,
        index: Index,
        position: Position,
        origin: IndexOrigin,
    ) -> Restored {
        self.saved.send_replace(Some(position));
        self.attempted_at = Some(app.clock.now());
        Restored { index: Arc::new(index), position, origin }
    }

    /// Copies the shared snapshot into the folder and restores it from there.
    async fn restore_shared(
        &self,
        app: &App,
        shared: &dyn SharedSnapshots,
    ) -> Result<(Index, Position), FetchError> {
        fetch(app, self, shared).await?;
        self.try_restore(app).await?.map_err(FetchError::Unusable)
    }

    /// Decides when the first snapshot is due. An empty store waits for the interval. An index built from a full store gets a snapshot
    /// at once, and so does one that replaces stale files, which may contain data erased since.
    pub fn started(&mut self, properties: usize, now: Timestamp) {
        if properties == 0 && !self.has_stale_files {
            self.attempted_at = Some(now);
        }
    }

    async fn try_restore(&self, app: &App) -> Result<Result<(Index, Position), Unusable>, Error> {
        let manifest = match self.in_folder(|folder| folder.manifest(&Index::format())).await? {
            Ok(manifest) => manifest,
            Err(reason) => return Ok(Err(reason)),
        };
        // Checked before reading gigabytes.
        if let Err(reason) = check_anchor(app, &manifest).await? {
            return Ok(Err(reason));
        }
        let position = Position(manifest.anchor.position);
        let restore = move |folder: &mut SnapshotFolder| {
            let settings = engine::IndexSettings::default();
            let segments = folder.segments(&manifest, |id, bytes, live_docs| {
                SegmentReader::decode(settings, id, bytes, live_docs)
            })?;
            folder.continue_from(&manifest);
            Ok((Index::restore(settings, segments, position.0), position))
        };
        self.in_folder(restore).await
    }

    pub(super) async fn in_folder<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SnapshotFolder) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let folder = Arc::clone(&self.folder);
        let work = move || work(&mut folder.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Interrupted)
    }

    fn is_due(&self, position: Position, now: Timestamp) -> bool {
        let since = |time: Timestamp| Duration::try_from(now.duration_since(time)).unwrap_or_default();
        let has_changes = position > Position::START && *self.saved.borrow() != Some(position);
        match (self.attempted_at, self.erased_at) {
            _ if self.writing.is_some() || self.purge.is_some() => false,
            (_, Some(erased_at)) if since(erased_at) >= ERASURE_BATCH_WINDOW => true,
            (None, _) => has_changes,
            (Some(attempted_at), _) => has_changes && since(attempted_at) >= self.every,
        }
    }

    /// Waits for the snapshot that is being written. Returns `None` if there is none, or writing failed.
    async fn finish_write(&mut self, now: Timestamp) -> Option<SnapshotTaken> {
        let Writing { handle, position, erased_at } = self.writing.take()?;
        match handle.await {
            Ok(Ok(manifest)) => {
                self.saved.send_replace(Some(position));
                let bytes = manifest.bytes();
                let segments = manifest.segments.len();
                tracing::info!(position = position.0, bytes, segments, "snapshot of the index written");
                return Some(SnapshotTaken { at: now, position, bytes });
            }
            Ok(Err(error)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "cannot write a snapshot of the index; the previous one remains valid"
                );
            }
            Err(_) => tracing::error!("writing a snapshot of the index was interrupted"),
        }
        // Erased data is still on disk; the snapshot is retried after a while.
        self.erased_at = self.erased_at.or(erased_at.map(|_| now));
        None
    }
}

impl Indexer {
    pub(super) async fn take_snapshot_if_due(&mut self) -> Result<(), Error> {
        let now = self.app.clock.now();
        let Some(loaded) = &self.loaded else { return Ok(()) };
        if !loaded.to_purge.is_empty() {
            self.snapshots.erased_at.get_or_insert(now);
        }
        if self.snapshots.writing.as_ref().is_some_and(|writing| writing.handle.is_finished()) {
            self.finish_write().await;
        }
        if self.snapshots.purge.as_ref().is_some_and(|purge| purge.handle.is_finished()) {
            self.finish_purge().await?;
            return self.start_snapshot().await;
        }
        if self.snapshots.is_due(loaded_position(self.loaded.as_ref()), now) && !self.start_purge() {
            self.start_snapshot().await?;
        }
        Ok(())
    }

    /// Starts rewriting segments without erased data. Returns `false` if there is none.
    fn start_purge(&mut self) -> bool {
        let Some(Loaded { index, to_purge, .. }) = &mut self.loaded else { return false };
        if to_purge.is_empty() {
            return false;
        }
        // Later erasures are collected anew, even of the same property.
        let properties: Vec<_> = std::mem::take(to_purge).into_iter().collect();
        let (index, purged) = (Arc::clone(index), properties.clone());
        let handle = tokio::task::spawn_blocking(move || index.purge(&purged));
        self.snapshots.purge = Some(Purge { handle, properties });
        true
    }

    /// Waits until the segments are rewritten.
    async fn finish_purge(&mut self) -> Result<(), Error> {
        let Some(Purge { handle, properties }) = self.snapshots.purge.take() else { return Ok(()) };
        let result = handle.await.map_err(|_| Error::Interrupted);
        if let (Err(_), Some(loaded)) = (&result, &mut self.loaded) {
            loaded.to_purge.extend(properties);
        }
        result
    }

    /// Waits for the snapshot that is being written.
    pub(super) async fn finish_write(&mut self) {
        if let Some(taken) = self.snapshots.finish_write(self.app.clock.now()).await {
            self.handle.snapshot_taken(taken);
        }
    }

    /// Starts writing a snapshot. It must not contain data that was erased before its position.
    async fn start_snapshot(&mut self) -> Result<(), Error> {
        let Some(Loaded { index, position, to_purge, .. }) = &self.loaded else { return Ok(()) };
        if !to_purge.is_empty() {
            // Erased during the last purge: purge these first.
            self.start_purge();
            return Ok(());
        }
        let position = *position;
        self.snapshots.attempted_at = Some(self.app.clock.now());
        let Some(entry) = entry_at(&self.app, position).await? else { return Ok(()) };
        let searcher = index.searcher();
        let folder = Arc::clone(&self.snapshots.folder);
        let write = move || {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.save(&Index::format(), Anchor::of(&entry), searcher.segment_readers())
        };
        let handle = tokio::task::spawn_blocking(write);
        let erased_at = self.snapshots.erased_at.take();
        self.snapshots.writing = Some(Writing { handle, position, erased_at });
        Ok(())
    }

    /// Takes a snapshot and waits until it is on disk, unless the last one is current.
    pub async fn snapshot(&mut self) -> Result<(), Error> {
        self.finish_write().await;
        self.finish_purge().await?;
        let Some(loaded) = &self.loaded else { return Ok(()) };
        let position = loaded.position;
        let is_current = *self.snapshots.saved.borrow() == Some(position)
            && loaded.to_purge.is_empty()
            && self.snapshots.erased_at.is_none();
        if position > Position::START && !is_current {
            self.start_purge();
            self.finish_purge().await?;
            self.start_snapshot().await?;
            self.finish_write().await;
        }
        Ok(())
    }

    /// Indexes the rest of the log and takes a last snapshot, so that the next start continues from there.
    pub(super) async fn finish(&mut self) {
        let finished = async {
            if self.loaded.is_some() {
                while self.run_once().await? == Progress::More {}
            }
            self.snapshot().await
        };
        if let Err(error) = finished.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot take a last snapshot of the index; the next start takes longer"
            );
        }
    }
}

fn loaded_position(loaded: Option<&Loaded>) -> Position {
    loaded.map_or(Position::START, |loaded| loaded.position)
}

/// Checks that a snapshot belongs to this store, and that the log still has what came after it.
pub(in crate::workers) async fn check_anchor(
    app: &App,
    manifest: &Manifest,
) -> Result<Result<(), Unusable>, Error> {
    let position = manifest.anchor.position;
    let entry = match entry_at(app, Position(position)).await {
        Err(Error::Store(store::Error::LogPruned { oldest, .. })) => {
            return Ok(Err(Unusable::LogPruned { position, oldest }));
        }
        entry => entry?,
    };
    Ok(match entry {
        None => Err(Unusable::LogTooShort { position }),
        Some(entry) if !manifest.anchor.matches(&entry) => Err(Unusable::OtherLog { position }),
        Some(_) => Ok(()),
    })
}

async fn entry_at(app: &App, position: Position) -> Result<Option<LogEntry>, Error> {
    let before = Position(position.0.saturating_sub(1));
    let entry = app.store.log_after(before, 1).await?.pop();
    Ok(entry.filter(|entry| entry.position == position))
}
