//! When a snapshot of the index is taken, and how one is trusted at the start.
//!
//! Segments are written by a thread of its own while the index follows on; what a view holds and the position it claims
//! belong together. Before a snapshot goes beyond an erasure, the segments that still hold what was erased are rewritten,
//! which takes a while and is done by a thread of its own as well.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::{PropertyId, Timestamp};
use engine::{Index, SegmentReader};
use store::{LogEntry, Position};
use tokio::task::JoinHandle;

use super::{Following, Indexer, Progress, Settings};
use crate::search::SnapshotTaken;
use crate::search::folder::{SnapshotFolder, Unusable};
use crate::search::manifest::{Anchor, Manifest};
use crate::{App, Error};

/// How long erasures are gathered before a snapshot is taken for their sake: whoever erases a thousand adverts should not
/// have large segments rewritten a thousand times.
const ERASURES_GATHERED: Duration = Duration::from_secs(10);

pub struct Snapshots {
    folder: Arc<Mutex<SnapshotFolder>>,
    every: Duration,
    /// The position of the snapshot on disk, if there is one that counts.
    saved: Option<Position>,
    /// There is something in the folder that does not count.
    is_littered: bool,
    tried_at: Option<Timestamp>,
    /// Erased words are in files until the next snapshot.
    erased_at: Option<Timestamp>,
    forgetting: Option<Forgetting>,
    writing: Option<Writing>,
}

/// Segments are being rewritten without what was erased.
struct Forgetting {
    handle: JoinHandle<()>,
    properties: Vec<PropertyId>,
}

struct Writing {
    handle: JoinHandle<std::io::Result<Manifest>>,
    position: Position,
    /// Erasures that this snapshot takes account of.
    erased_at: Option<Timestamp>,
}

impl Snapshots {
    pub fn new(settings: Settings) -> Self {
        let Settings { folder, snapshot_every } = settings;
        let folder = Arc::new(Mutex::new(SnapshotFolder::new(folder)));
        Self {
            folder,
            every: snapshot_every,
            saved: None,
            is_littered: false,
            tried_at: None,
            erased_at: None,
            forgetting: None,
            writing: None,
        }
    }

    /// The index of the last snapshot and its position, if it is sound and of this store. Says why if not.
    pub async fn restore(&mut self, app: &App) -> Result<Option<(Arc<Index>, Position)>, Error> {
        match self.try_restore(app).await? {
            Ok((index, position)) => {
                self.saved = Some(position);
                self.tried_at = Some(app.clock.now());
                Ok(Some((Arc::new(index), position)))
            }
            Err(Unusable::Missing) => {
                tracing::info!("there is no snapshot of the index; it is built from the store");
                Ok(None)
            }
            Err(reason) => {
                self.is_littered = true;
                tracing::warn!(
                    error = &reason as &dyn std::error::Error,
                    "the snapshot of the index is not used; it is built from the store"
                );
                Ok(None)
            }
        }
    }

    /// Following begins. A store without anything in it is worth no snapshot before its time; what was built from much is
    /// worth one at once, and so is what takes the place of files that may hold what was erased since.
    pub fn began(&mut self, properties: usize, now: Timestamp) {
        if properties == 0 && !self.is_littered {
            self.tried_at = Some(now);
        }
    }

    async fn try_restore(&self, app: &App) -> Result<Result<(Index, Position), Unusable>, Error> {
        let manifest = match self.in_folder(|folder| folder.manifest(&Index::format())).await? {
            Ok(manifest) => manifest,
            Err(reason) => return Ok(Err(reason)),
        };
        // Before reading gigabytes: are they of this store at all?
        let position = Position(manifest.anchor.position);
        match entry_at(app, position).await? {
            None => return Ok(Err(Unusable::LogTooShort { position: position.0 })),
            Some(entry) if !manifest.anchor.is(&entry) => {
                return Ok(Err(Unusable::OtherLog { position: position.0 }));
            }
            Some(_) => {}
        }
        let restore = move |folder: &mut SnapshotFolder| {
            let settings = engine::IndexSettings::default();
            let parts = folder.segments(&manifest, |id, bytes, live_docs| {
                SegmentReader::decode(settings, id, bytes, live_docs)
            })?;
            folder.go_on_from(&manifest);
            Ok((Index::restore(settings, parts, position.0), position))
        };
        self.in_folder(restore).await
    }

    async fn in_folder<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut SnapshotFolder) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let folder = Arc::clone(&self.folder);
        let work = move || work(&mut folder.lock().unwrap_or_else(PoisonError::into_inner));
        tokio::task::spawn_blocking(work).await.map_err(|_| Error::Interrupted)
    }

    fn is_due(&self, position: Position, now: Timestamp) -> bool {
        let since = |moment: Timestamp| Duration::try_from(now.duration_since(moment)).unwrap_or_default();
        let is_worth_it = position > Position::START && self.saved != Some(position);
        match (self.tried_at, self.erased_at) {
            _ if self.writing.is_some() || self.forgetting.is_some() => false,
            (_, Some(erased_at)) if since(erased_at) >= ERASURES_GATHERED => true,
            (None, _) => is_worth_it,
            (Some(tried_at), _) => is_worth_it && since(tried_at) >= self.every,
        }
    }

    /// Takes note of a snapshot that has been written. `None` as long as it is being written.
    async fn settle(&mut self, now: Timestamp) -> Option<SnapshotTaken> {
        let Writing { handle, position, erased_at } = self.writing.take()?;
        match handle.await {
            Ok(Ok(manifest)) => {
                self.saved = Some(position);
                let bytes = manifest.bytes();
                let segments = manifest.segments.len();
                tracing::info!(position = position.0, bytes, segments, "a snapshot of the index was written");
                return Some(SnapshotTaken { at: now, position, bytes });
            }
            Ok(Err(error)) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a snapshot of the index could not be written; the one before still counts"
                );
            }
            Err(_) => tracing::error!("writing a snapshot of the index was interrupted"),
        }
        // What was erased is still on disk; it is tried again after a while.
        self.erased_at = self.erased_at.or(erased_at.map(|_| now));
        None
    }
}

impl Indexer {
    pub(super) async fn take_snapshot_if_due(&mut self) -> Result<(), Error> {
        let now = self.app.clock.now();
        let Some(following) = &self.following else { return Ok(()) };
        if !following.to_forget.is_empty() {
            self.snapshots.erased_at.get_or_insert(now);
        }
        if self.snapshots.writing.as_ref().is_some_and(|writing| writing.handle.is_finished()) {
            self.settle().await;
        }
        if self.snapshots.forgetting.as_ref().is_some_and(|forgetting| forgetting.handle.is_finished()) {
            self.forgotten().await?;
            return self.begin_snapshot().await;
        }
        if self.snapshots.is_due(following_position(self.following.as_ref()), now) && !self.begin_forgetting()
        {
            self.begin_snapshot().await?;
        }
        Ok(())
    }

    /// Has what was erased taken out of the segments; `false` when there is nothing to take out.
    fn begin_forgetting(&mut self) -> bool {
        let Some(Following { index, to_forget, .. }) = &mut self.following else { return false };
        if to_forget.is_empty() {
            return false;
        }
        // What is erased from now on is noted anew, even of the same property.
        let properties: Vec<_> = std::mem::take(to_forget).into_iter().collect();
        let (index, forgotten) = (Arc::clone(index), properties.clone());
        let handle = tokio::task::spawn_blocking(move || index.purge(&forgotten));
        self.snapshots.forgetting = Some(Forgetting { handle, properties });
        true
    }

    /// Waits until the segments are rewritten.
    async fn forgotten(&mut self) -> Result<(), Error> {
        let Some(Forgetting { handle, properties }) = self.snapshots.forgetting.take() else { return Ok(()) };
        let forgotten = handle.await.map_err(|_| Error::Interrupted);
        if let (Err(_), Some(following)) = (&forgotten, &mut self.following) {
            following.to_forget.extend(properties);
        }
        forgotten
    }

    /// Waits for the snapshot that is being written.
    pub(super) async fn settle(&mut self) {
        if let Some(taken) = self.snapshots.settle(self.app.clock.now()).await {
            self.search.snapshot_taken(taken);
        }
    }

    /// Has what is there written. Nothing that was erased before this position may be left in it.
    async fn begin_snapshot(&mut self) -> Result<(), Error> {
        let Some(Following { index, position, to_forget, .. }) = &self.following else { return Ok(()) };
        if !to_forget.is_empty() {
            // Erased while the last ones were being forgotten: these come first, and are due at once.
            self.begin_forgetting();
            return Ok(());
        }
        let position = *position;
        self.snapshots.tried_at = Some(self.app.clock.now());
        let Some(entry) = entry_at(&self.app, position).await? else { return Ok(()) };
        let view = index.searcher();
        let folder = Arc::clone(&self.snapshots.folder);
        let write = move || {
            let mut folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            folder.save(&Index::format(), Anchor::of(&entry), view.segment_readers())
        };
        let handle = tokio::task::spawn_blocking(write);
        let erased_at = self.snapshots.erased_at.take();
        self.snapshots.writing = Some(Writing { handle, position, erased_at });
        Ok(())
    }

    /// Takes a snapshot of all there is and waits until it is on disk, unless the last one has it all.
    pub async fn snapshot(&mut self) -> Result<(), Error> {
        self.settle().await;
        self.forgotten().await?;
        let Some(following) = &self.following else { return Ok(()) };
        let position = following.position;
        let has_all = self.snapshots.saved == Some(position)
            && following.to_forget.is_empty()
            && self.snapshots.erased_at.is_none();
        if position > Position::START && !has_all {
            self.begin_forgetting();
            self.forgotten().await?;
            self.begin_snapshot().await?;
            self.settle().await;
        }
        Ok(())
    }

    /// The last thing: what was written since the last look is followed, so that the next start begins where this one ends.
    pub(super) async fn finish(&mut self) {
        let finished = async {
            if self.following.is_some() {
                while self.run_once().await? == Progress::More {}
            }
            self.snapshot().await
        };
        if let Err(error) = finished.await {
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "no last snapshot of the index was taken; the next start follows the log for longer"
            );
        }
    }
}

fn following_position(following: Option<&Following>) -> Position {
    following.map_or(Position::START, |following| following.position)
}

async fn entry_at(app: &App, position: Position) -> Result<Option<LogEntry>, Error> {
    let before = Position(position.0.saturating_sub(1));
    let entry = app.store.log_after(before, 1).await?.pop();
    Ok(entry.filter(|entry| entry.position == position))
}
