//! Builds the index from the store.
//!
//! Reading and decompressing is most of the work. The store is therefore scanned in parts, in parallel, each with its own reader
//! and its own builder; the next chunk of a part is read while the builder processes the previous one.

use std::sync::Arc;

use domain::PropertyId;
use engine::{Change, Index, IndexBuilder, IndexSettings, SequenceNumber};
use store::{Position, ScanPart, Store, StoredProperty};
use tokio::task::JoinSet;

use crate::{App, Error, run_blocking};

/// One for each core of a small machine. More would occupy the readers that answer requests.
const PARTS: usize = 2;

/// Large enough to make the overhead of a chunk negligible, small enough to fit into a few megabytes.
const PROPERTIES_PER_CHUNK: usize = 512;

/// An index of all properties, and the log position from which to follow.
pub struct Built {
    pub index: Arc<Index>,
    pub position: Position,
    pub damaged: Vec<PropertyId>,
}

/// Reads all properties. Changes committed during the scan are seen again through the log: a property that was read after its
/// change is put twice, with the same result.
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
        run_blocking(move || Index::from_builders(IndexSettings::default(), builders, position.0)).await?;
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
        let adding = add(builder, std::mem::take(&mut read), sequence_number);
        let (chunk, added) = tokio::join!(store.scan(part, PROPERTIES_PER_CHUNK), adding);
        builder = added?;
        let chunk = chunk?;
        read.extend(chunk.properties);
        damaged.extend(chunk.damaged);
        next = chunk.rest;
    }
    builder = add(builder, read, sequence_number).await?;
    let builder = run_blocking(move || builder.finish()).await?;
    Ok((builder, damaged))
}

async fn add(
    mut builder: IndexBuilder,
    read: Vec<StoredProperty>,
    sequence_number: SequenceNumber,
) -> Result<IndexBuilder, Error> {
    let add = move || {
        for stored in &read {
            builder.put(&stored.property, sequence_number);
        }
        builder
    };
    run_blocking(add).await
}

/// Applies changes on a blocking thread.
pub async fn apply(index: &Arc<Index>, changes: Vec<Change>, position: Position) -> Result<(), Error> {
    let index = Arc::clone(index);
    run_blocking(move || index.apply(changes, position.0)).await
}

/// Merges segments until no merge is worthwhile.
pub async fn merge(index: &Arc<Index>) -> Result<(), Error> {
    let index = Arc::clone(index);
    run_blocking(move || while index.maintain() {}).await
}
