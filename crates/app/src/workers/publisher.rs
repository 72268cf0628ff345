//! Shares the snapshots of this server's index, so that a new server does not have to read all properties.
//!
//! Of the servers on one database, one publishes; another takes over when it is gone. A new snapshot on disk wakes it. It uploads the
//! segments that are missing, then the manifest, and removes every other object: erased data must not stay there. The role only saves
//! work: if two servers publish at the same time, one of the two snapshots stays, or one that a fetching server refuses because an object
//! is missing, until the next look.
//!
//! A failure is logged and tried again. It affects no other worker.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::panic::AssertUnwindSafe;
use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;
use engine::{Index, SegmentId};
use futures_util::FutureExt;
use store::Position;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::indexer::snapshots::check_anchor;
use crate::search::IndexHandle;
use crate::search::folder::{SnapshotFolder, Unusable};
use crate::search::manifest::{Manifest, SegmentEntry};
use crate::search::shared::{
    self, MANIFEST, MANIFEST_BYTES_MAX, SegmentDigest, SharedManifest, SharedSnapshots, StorageError,
};
use crate::{App, Error, run_blocking};

/// The name of the role, and of the worker.
pub const NAME: &str = "publisher";

/// How long a server that stopped renewing it keeps the role, and how often it is renewed or asked for.
const ROLE_LEASE: Duration = Duration::from_secs(60);
const ROLE_INTERVAL: Duration = Duration::from_secs(10);

/// How often the storage is looked at if there is no new snapshot: it may have lost objects, or hold those of a publisher that was cut off.
const CHECK_INTERVAL: Duration = Duration::from_secs(600);

/// How long after a failure the same snapshot is tried again.
const RETRY_AFTER: Duration = Duration::from_secs(60);

/// The worker.
pub struct Publisher {
    app: App,
    handle: Arc<IndexHandle>,
    shared: Arc<dyn SharedSnapshots>,
    folder: Arc<Mutex<SnapshotFolder>>,
    /// The position of the valid snapshot in the folder.
    saved: watch::Receiver<Option<Position>>,
    /// A random number that identifies this process.
    holder: u64,
    has_role: bool,
    /// The segments whose digest is known.
    digests: HashMap<SegmentKey, SegmentDigest>,
    last: Option<Attempt>,
}

/// The generation, id and checksum of a segment in the folder.
type SegmentKey = (u64, SegmentId, u32);

/// When a snapshot was last published, or failed to be.
struct Attempt {
    local: Position,
    at: Timestamp,
    has_failed: bool,
}

/// What [`Publisher::run_once`] did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Publication {
    /// There is no snapshot yet, or it was published before.
    NotDue,
    /// Another server publishes.
    OfAnother,
    /// The shared snapshot is at least as new as that of this server.
    Current(Position),
    Published(Position),
}

/// Why a snapshot was not published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    #[error(transparent)]
    Unusable(Unusable),
    #[error("cannot read the snapshot in the folder of the index")]
    Folder(#[source] io::Error),
    #[error("segment {id} in the folder of the index is damaged")]
    DamagedSegment { id: SegmentId },
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// No snapshot was due, as far as this server knows.
    #[error("cannot ask which server shares its snapshot")]
    Role(#[source] Error),
    #[error("another server has taken over")]
    RoleLost,
    #[error(transparent)]
    App(#[from] Error),
}

/// Publishes snapshots until `stop` is cancelled.
pub async fn run(mut publisher: Publisher, stop: CancellationToken) {
    while !stop.is_cancelled() {
        let published = AssertUnwindSafe(publisher.run_once()).catch_unwind().await;
        if let Err(error) = published.unwrap_or(Err(PublishError::App(Error::Panicked)))
            && !stop.is_cancelled()
        {
            if !matches!(error, PublishError::Role(_)) {
                publisher.handle.publish_failed();
            }
            tracing::warn!(
                error = &error as &dyn std::error::Error,
                "cannot share the snapshot of the index; trying again in a minute, or with the next snapshot"
            );
        }
        let wake = async {
            if publisher.saved.changed().await.is_err() {
                // The indexer has ended.
                std::future::pending::<()>().await;
            }
        };
        let wake = tokio::time::timeout(ROLE_INTERVAL, wake);
        tokio::select! { () = stop.cancelled() => {}, _ = wake => {} }
    }
    publisher.give_up_role().await;
}

impl Publisher {
    pub(super) fn new(
        app: &App,
        handle: Arc<IndexHandle>,
        shared: Arc<dyn SharedSnapshots>,
        folder: Arc<Mutex<SnapshotFolder>>,
        saved: watch::Receiver<Option<Position>>,
    ) -> Self {
        let mut random = [0; 8];
        // Without randomness, two servers may publish at the same time, which does no lasting harm.
        let _ = getrandom::fill(&mut random);
        let (app, holder) = (app.clone(), u64::from_be_bytes(random) >> 1);
        let (has_role, digests, last) = (false, HashMap::new(), None);
        Self { app, handle, shared, folder, saved, holder, has_role, digests, last }
    }

    /// Publishes the snapshot of this server, if it has the role and the shared one is older.
    pub async fn run_once(&mut self) -> Result<Publication, PublishError> {
        let Some(local) = *self.saved.borrow_and_update() else { return Ok(Publication::NotDue) };
        if !self.take_role().await.map_err(PublishError::Role)? {
            self.last = None;
            self.handle.published(None);
            return Ok(Publication::OfAnother);
        }
        let now = self.app.clock.now();
        if !self.is_due(local, now) {
            return Ok(Publication::NotDue);
        }
        // In case it fails, or panics.
        self.last = Some(Attempt { local, at: now, has_failed: true });
        let publication = self.publish().await?;
        self.last = Some(Attempt { local, at: now, has_failed: false });
        if let Publication::Published(position) | Publication::Current(position) = publication {
            self.handle.published(Some(position));
        }
        Ok(publication)
    }

    fn is_due(&self, local: Position, now: Timestamp) -> bool {
        self.last.as_ref().is_none_or(|last| {
            let since = Duration::try_from(now.duration_since(last.at)).unwrap_or_default();
            let wait = if last.has_failed { RETRY_AFTER } else { CHECK_INTERVAL };
            last.local != local || since >= wait
        })
    }

    /// Lets another server take over at once. If it fails, that one waits for the lease to end.
    async fn give_up_role(&mut self) {
        if std::mem::take(&mut self.has_role) {
            let _ = self.app.store.take_role(NAME, self.holder, Duration::ZERO).await;
        }
    }

    /// Takes or renews the role. Returns `false` if another server has it.
    async fn take_role(&mut self) -> Result<bool, Error> {
        let had = std::mem::take(&mut self.has_role);
        self.has_role = self.renew_role().await?;
        if self.has_role != had {
            tracing::info!(
                is_publishing = self.has_role,
                "the role of sharing snapshots of the index has changed hands"
            );
        }
        Ok(self.has_role)
    }

    async fn renew_role(&self) -> Result<bool, Error> {
        Ok(self.app.store.take_role(NAME, self.holder, ROLE_LEASE).await?)
    }

    /// Waits for work that may take longer than the lease, and renews that meanwhile.
    async fn renewing<T>(
        &self,
        work: impl Future<Output = Result<T, StorageError>>,
    ) -> Result<T, PublishError> {
        let mut work = pin!(work);
        loop {
            match tokio::time::timeout(ROLE_INTERVAL, &mut work).await {
                Ok(result) => return Ok(result?),
                Err(_elapsed) if self.renew_role().await? => {}
                Err(_elapsed) => return Err(PublishError::RoleLost),
            }
        }
    }

    async fn publish(&mut self) -> Result<Publication, PublishError> {
        let (manifest, files) = self.open_snapshot().await?;
        let position = Position(manifest.anchor.position);
        let stored: HashSet<String> = self.shared.list().await?.into_iter().collect();
        if let Some(current) = self.current(&manifest, &stored).await? {
            self.remove_others(&stored, &current).await?;
            return Ok(Publication::Current(Position(current.manifest.anchor.position)));
        }
        let mut digests = Vec::with_capacity(files.len());
        for (entry, file) in manifest.segments.iter().zip(files) {
            let (digest, file) = self.digest(manifest.generation, entry, file).await?;
            digests.push(digest);
            let object = digest.object();
            if !stored.contains(&object) {
                self.renewing(self.shared.upload(&object, file, entry.length)).await?;
            }
        }
        let bytes = manifest.bytes();
        let of_snapshot = |(generation, id, checksum): &SegmentKey| {
            let is = |entry: &SegmentEntry| entry.id == *id && entry.checksum == *checksum;
            *generation == manifest.generation && manifest.segments.iter().any(is)
        };
        self.digests.retain(|key, _| of_snapshot(key));
        let published = SharedManifest { manifest, digests };
        // The last moment at which another publisher can be noticed.
        if !self.take_role().await? {
            return Err(PublishError::RoleLost);
        }
        self.shared.write(MANIFEST, published.encode()).await?;
        self.remove_others(&stored, &published).await?;
        tracing::info!(position = position.0, bytes, "snapshot of the index shared");
        Ok(Publication::Published(position))
    }

    /// Returns the valid snapshot in the folder, with its segment files.
    async fn open_snapshot(&self) -> Result<(Manifest, Vec<File>), PublishError> {
        let folder = Arc::clone(&self.folder);
        let open = move || {
            // While a snapshot is being written, this waits for it.
            let folder = folder.lock().unwrap_or_else(PoisonError::into_inner);
            let manifest = folder.manifest(&Index::format()).map_err(PublishError::Unusable)?;
            let files = folder.open_segments(&manifest).map_err(PublishError::Folder)?;
            Ok((manifest, files))
        };
        run_blocking(open).await?
    }

    /// Returns the shared snapshot, if it is complete, of this store and this release, and at least as new as that of this server. An
    /// older one must not replace it: it may contain data that was erased meanwhile.
    async fn current(
        &self,
        own: &Manifest,
        stored: &HashSet<String>,
    ) -> Result<Option<SharedManifest>, PublishError> {
        if !stored.contains(MANIFEST) {
            return Ok(None);
        }
        let Some(bytes) = self.shared.read(MANIFEST, MANIFEST_BYTES_MAX).await? else { return Ok(None) };
        let Some(found) = SharedManifest::decode(&bytes) else { return Ok(None) };
        let is_current = found.manifest.format == own.format
            && found.manifest.anchor.position >= own.anchor.position
            && found.objects().is_subset(stored)
            && check_anchor(&self.app, &found.manifest).await?.is_ok();
        Ok(is_current.then_some(found))
    }

    /// Returns the digest of a segment, and its file to upload it.
    async fn digest(
        &mut self,
        generation: u64,
        entry: &SegmentEntry,
        mut file: File,
    ) -> Result<(SegmentDigest, File), PublishError> {
        let key = (generation, entry.id, entry.checksum);
        if let Some(digest) = self.digests.get(&key) {
            return Ok((*digest, file));
        }
        let measure = move || shared::measure(&mut file).map(|measured| (measured, file));
        let (measured, file) = run_blocking(measure).await?.map_err(PublishError::Folder)?;
        if (measured.length, measured.checksum) != (entry.length, entry.checksum) {
            return Err(PublishError::DamagedSegment { id: entry.id });
        }
        self.digests.insert(key, measured.digest);
        Ok((measured.digest, file))
    }

    /// Removes the objects that the shared snapshot does not name, whichever publisher has written them.
    async fn remove_others(
        &self,
        stored: &HashSet<String>,
        published: &SharedManifest,
    ) -> Result<(), PublishError> {
        let named = published.objects();
        let is_unused = |object: &&String| shared::is_ours(object) && !named.contains(*object);
        for object in stored.iter().filter(is_unused) {
            self.renewing(self.shared.remove(object)).await?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
