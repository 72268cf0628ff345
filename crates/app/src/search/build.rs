//! Making the index from everything there is.
//!
//! Reading and decompressing is most of the work, so that parts are read side by side, on readers of their own, each into a
//! builder of its own; each part is read on while what it gave is being laid out.

use std::sync::Arc;

use domain::PropertyId;
use engine::{Change, Index, IndexBuilder, IndexSettings, SequenceNumber};
use store::{Position, ScanPart, Store, StoredProperty};
use tokio::task::JoinSet;

use crate::{App, Error, computed};

/// One for each core of a small machine. More would take the readers that answer requests meanwhile.
const PARTS: usize = 2;

/// Large enough that what a piece costs beside its properties does not count, small enough for a few megabytes.
const PROPERTIES_PER_PIECE: usize = 512;

/// An index of all properties, and the position from which to follow the log on.
pub struct Built {
    pub index: Arc<Index>,
    pub position: Position,
    pub damaged: Vec<PropertyId>,
}

/// Reads everything. What changes meanwhile is seen again through the log: a property that was read after its change is
/// simply put twice.
pub async fn from_store(app: &App) -> Result<Built, Error> {
    let position = *app.store.head().borrow();
    let mut parts = JoinSet::new();
    for part in app.store.scan_parts(PARTS).await? {
        parts.spawn(read_part(Arc::clone(&app.store), part, SequenceNumber(position.0)));
    }
    let (mut builders, mut damaged) = (Vec::new(), Vec::new());
    while let Some(read) = parts.join_next().await {
        let (builder, missing) = read.map_err(|_| Error::Interrupted)??;
        builders.push(builder);
        damaged.extend(missing);
    }
    let index =
        computed(move || Index::from_builders(IndexSettings::default(), builders, position.0)).await?;
    Ok(Built { index: Arc::new(index), position, damaged })
}

async fn read_part(
    store: Arc<dyn Store>,
    part: ScanPart,
    sequence_number: SequenceNumber,
) -> Result<(IndexBuilder, Vec<PropertyId>), Error> {
    let mut builder = IndexBuilder::new(IndexSettings::default());
    let mut damaged = Vec::new();
    let mut read: Vec<StoredProperty> = Vec::new();
    let mut next = Some(part);
    while let Some(part) = next {
        let taking = take(builder, std::mem::take(&mut read), sequence_number);
        let (piece, taken) = tokio::join!(store.scan(part, PROPERTIES_PER_PIECE), taking);
        builder = taken?;
        let piece = piece?;
        read.extend(piece.properties);
        damaged.extend(piece.damaged);
        next = piece.rest;
    }
    builder = take(builder, read, sequence_number).await?;
    let builder = computed(move || builder.finish()).await?;
    Ok((builder, damaged))
}

async fn take(
    mut builder: IndexBuilder,
    read: Vec<StoredProperty>,
    sequence_number: SequenceNumber,
) -> Result<IndexBuilder, Error> {
    let take = move || {
        for stored in &read {
            builder.put(&stored.property, sequence_number);
        }
        builder
    };
    computed(take).await
}

/// Applies changes on a thread that may be busy for a while.
pub async fn apply(index: &Arc<Index>, changes: Vec<Change>, position: Position) -> Result<(), Error> {
    let index = Arc::clone(index);
    computed(move || index.apply(changes, position.0)).await
}

/// Merges what can be merged.
pub async fn merge(index: &Arc<Index>) -> Result<(), Error> {
    let index = Arc::clone(index);
    computed(move || while index.maintain() {}).await
}
