//! Copies the snapshot that another server shares into the folder of this one.
//!
//! Segments are copied one at a time and verified; the manifest comes last, so that a crash leaves no snapshot, or a complete one. The
//! publisher may replace the snapshot meanwhile: then an object is missing, and the new snapshot is copied, without what both have.

use std::collections::HashMap;
use std::io;
use std::time::Duration;

use engine::{Index, SegmentId};

use super::snapshots::{Snapshots, check_anchor};
use crate::search::folder::{SnapshotFolder, Unusable};
use crate::search::manifest::SegmentEntry;
use crate::search::shared::{
    self, MANIFEST, MANIFEST_BYTES_MAX, Measured, SegmentDigest, SharedManifest, SharedSnapshots,
    StorageError,
};
use crate::{App, Error};

/// How often a snapshot is begun that the publisher replaces. Each time only segments that are new have to be copied.
const ATTEMPTS: usize = 5;

/// How long the manifest may take. Storage that does not answer must not keep a server from building its index.
const MANIFEST_TIMEOUT: Duration = Duration::from_secs(30);

/// How long one segment may take: gigabytes on a slow line. Building the index is faster than waiting longer.
const SEGMENT_TIMEOUT: Duration = Duration::from_secs(1_800);

/// Why the shared snapshot was not fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("there is no shared snapshot")]
    Missing,
    #[error("the shared manifest is damaged")]
    DamagedManifest,
    #[error(transparent)]
    Unusable(Unusable),
    #[error("the shared manifest names {object}, which is missing")]
    MissingObject { object: String },
    #[error("the shared object {object} is damaged")]
    DamagedObject { object: String },
    #[error("the shared snapshot was replaced {ATTEMPTS} times while it was copied")]
    Replaced,
    #[error("the shared storage did not answer within {} seconds", .0.as_secs())]
    TimedOut(Duration),
    #[error(transparent)]
    Storage(#[from] StorageError),
    #[error("cannot write to the folder of the index")]
    Folder(#[source] io::Error),
    #[error(transparent)]
    App(#[from] Error),
}

/// Where in the folder segments are that were copied already: their generation and id.
type Copied = HashMap<SegmentDigest, (u64, SegmentId)>;

/// Copies the shared snapshot, if it belongs to this store and this release can read it.
pub(super) async fn fetch(
    app: &App,
    snapshots: &Snapshots,
    shared: &dyn SharedSnapshots,
) -> Result<(), FetchError> {
    let mut copied = Copied::new();
    for _ in 0..ATTEMPTS {
        let bytes = read_manifest(shared).await?.ok_or(FetchError::Missing)?;
        let wanted = SharedManifest::decode(&bytes).ok_or(FetchError::DamagedManifest)?;
        // Checked before copying gigabytes.
        let (found, expected) = (&wanted.manifest.format, Index::format());
        if *found != expected {
            return Err(FetchError::Unusable(Unusable::Format { found: found.clone(), expected }));
        }
        check_anchor(app, &wanted.manifest).await?.map_err(FetchError::Unusable)?;
        let (bytes_total, position) = (wanted.manifest.bytes(), wanted.manifest.anchor.position);
        tracing::info!(bytes = bytes_total, position, "copying the shared snapshot of the index");
        let Some(object) = copy_segments(snapshots, shared, &wanted, &mut copied).await? else {
            let adopt = move |folder: &mut SnapshotFolder| folder.adopt(wanted.manifest);
            return snapshots.in_folder(adopt).await?.map_err(FetchError::Folder);
        };
        if read_manifest(shared).await?.is_some_and(|now| now == bytes) {
            return Err(FetchError::MissingObject { object });
        }
        tracing::info!("the shared snapshot was replaced meanwhile; copying the new one");
    }
    Err(FetchError::Replaced)
}

async fn read_manifest(shared: &dyn SharedSnapshots) -> Result<Option<Vec<u8>>, FetchError> {
    within(MANIFEST_TIMEOUT, shared.read(MANIFEST, MANIFEST_BYTES_MAX)).await
}

/// Copies the segments of a snapshot. Returns the first object that is missing, if one is.
async fn copy_segments(
    snapshots: &Snapshots,
    shared: &dyn SharedSnapshots,
    wanted: &SharedManifest,
    copied: &mut Copied,
) -> Result<Option<String>, FetchError> {
    let begin = |folder: &mut SnapshotFolder| {
        folder.start_over();
        folder.generation()
    };
    let generation = snapshots.in_folder(begin).await?;
    for (entry, digest) in wanted.manifest.segments.iter().zip(&wanted.digests) {
        let id = entry.id;
        match copied.get(digest).copied() {
            Some((earlier, from)) if earlier != generation => {
                let take_over =
                    move |folder: &mut SnapshotFolder| folder.take_over_segment(earlier, from, id);
                snapshots.in_folder(take_over).await?.map_err(FetchError::Folder)?;
            }
            _ => {
                if !copy_segment(snapshots, shared, entry, *digest).await? {
                    return Ok(Some(digest.object()));
                }
            }
        }
        copied.insert(*digest, (generation, id));
    }
    Ok(None)
}

/// Copies and verifies one segment. Returns `false` if it is missing.
async fn copy_segment(
    snapshots: &Snapshots,
    shared: &dyn SharedSnapshots,
    entry: &SegmentEntry,
    digest: SegmentDigest,
) -> Result<bool, FetchError> {
    let (id, length, object) = (entry.id, entry.length, digest.object());
    let begin = move |folder: &mut SnapshotFolder| {
        let file = folder.begin_segment(id)?;
        Ok((file.try_clone()?, file))
    };
    let (to, mut file) = snapshots.in_folder(begin).await?.map_err(FetchError::Folder)?;
    if !within(SEGMENT_TIMEOUT, shared.download(&object, to, length)).await? {
        return Ok(false);
    }
    let expected = Measured { length, checksum: entry.checksum, digest };
    let finish = move |folder: &mut SnapshotFolder| {
        let is_intact = shared::measure(&mut file)? == expected;
        if is_intact {
            folder.finish_segment(id, &file)?;
        }
        Ok(is_intact)
    };
    match snapshots.in_folder(finish).await?.map_err(FetchError::Folder)? {
        true => Ok(true),
        false => Err(FetchError::DamagedObject { object }),
    }
}

async fn within<T>(
    limit: Duration,
    work: impl Future<Output = Result<T, StorageError>>,
) -> Result<T, FetchError> {
    match tokio::time::timeout(limit, work).await {
        Ok(result) => Ok(result?),
        Err(_elapsed) => Err(FetchError::TimedOut(limit)),
    }
}
