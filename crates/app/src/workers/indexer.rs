//! Keeps the index in step with the store.
//!
//! Survives a crash by trusting nothing but the store: it begins with the last snapshot, if that is sound and of this very store, and else with everything
//! there is; then it follows the log. What was erased is forgotten before a snapshot goes beyond the erasure, so that
//! a crash in between finds the entry in the log again, and forgets again.

mod snapshots;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use domain::{PropertyId, Timestamp};
use engine::{Change, Index, SequenceNumber};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use store::{LogEntry, Position, PropertyCause, RemovalCause, StoredProperty};
use tokio_util::sync::CancellationToken;

use super::following::{Follower, Progress, follow};
use crate::search::{Search, build};
use crate::{App, Error};
use snapshots::Snapshots;

/// How often to look whether segments can be merged.
const MAINTAIN_EVERY: Duration = Duration::from_millis(500);

/// How many entries of the log are taken on together. Writers wait for the whole look, so that it must not take long.
const ENTRIES_PER_LOOK: usize = 1_000;

/// How many properties one reader decodes at a time, while another does the next ones. Whoever takes adverts in has the same
/// readers, and waits behind them: half a millisecond.
const PROPERTIES_PER_READ: usize = 16;

/// Readers that decode at the same time.
const READS_AT_ONCE: usize = 2;

/// What an operator may choose.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where snapshots are kept.
    pub folder: PathBuf,
    /// How often one is taken when something has changed.
    pub snapshot_every: Duration,
}

/// The worker, and how far it has come.
pub struct Indexer {
    app: App,
    search: Arc<Search>,
    snapshots: Snapshots,
    following: Option<Following>,
}

struct Following {
    index: Arc<Index>,
    position: Position,
    started_at: Timestamp,
    /// What was erased, and is still in segments.
    to_forget: BTreeSet<PropertyId>,
}

/// Follows until told to stop, then takes a last snapshot.
pub async fn run(mut indexer: Indexer, stop: CancellationToken) {
    let head = indexer.app.store.head();
    follow(&mut indexer, head, &stop).await;
    indexer.finish().await;
}

/// Keeps segments few while the index follows: what is too much to do between two commits is done here.
pub async fn maintain(app: App, stop: CancellationToken) {
    loop {
        let index = app.search.as_ref().and_then(|search| search.index());
        let worked = match index {
            Some(index) => tokio::task::spawn_blocking(move || index.maintain()).await.unwrap_or(false),
            None => false,
        };
        if !worked {
            let _ = tokio::time::timeout(MAINTAIN_EVERY, stop.cancelled()).await;
        }
        if stop.is_cancelled() {
            return;
        }
    }
}

impl Follower for Indexer {
    const NAME: &'static str = "indexer";

    /// Building the index, which can take a minute, ends early when told to stop. Following does not: what it has begun, it has
    /// to note.
    async fn look(&mut self, stop: &CancellationToken) -> Result<Progress, Error> {
        if self.following.is_none() {
            tokio::select! {
                () = stop.cancelled() => return Ok(Progress::CaughtUp),
                following = self.begin() => self.following = Some(following?),
            }
        }
        self.follow().await
    }
}

impl Indexer {
    /// A worker for the index of a service; nothing when it has none.
    pub fn new(app: &App, settings: Settings) -> Option<Self> {
        let search = Arc::clone(app.search.as_ref()?);
        Some(Self { app: app.background(), search, snapshots: Snapshots::new(settings), following: None })
    }

    /// One look at the log: begins if that is still to do, indexes what is new, and takes a snapshot if it is time.
    pub async fn run_once(&mut self) -> Result<Progress, Error> {
        if self.following.is_none() {
            self.following = Some(self.begin().await?);
        }
        self.follow().await
    }

    async fn begin(&mut self) -> Result<Following, Error> {
        let started_at = self.app.clock.now();
        let (index, position) = match self.snapshots.restore(&self.app).await? {
            Some(restored) => restored,
            None => {
                let built = build::from_store(&self.app).await?;
                if !built.damaged.is_empty() {
                    let properties = built.damaged.len();
                    tracing::error!(properties, "damaged properties are missing from the index");
                }
                (built.index, built.position)
            }
        };
        let properties = index.searcher().len();
        self.snapshots.began(properties, started_at);
        tracing::info!(properties, position = position.0, "the index begins to follow the log");
        Ok(Following { index, position, started_at, to_forget: BTreeSet::new() })
    }

    async fn follow(&mut self) -> Result<Progress, Error> {
        let Some(following) = &mut self.following else { return Ok(Progress::CaughtUp) };
        let entries = self.app.store.log_after(following.position, ENTRIES_PER_LOOK).await?;
        // After the entries were read: a site they made known is in it.
        self.app.sites().await?;
        let progress = if entries.len() < ENTRIES_PER_LOOK { Progress::CaughtUp } else { Progress::More };
        if let Some(last) = entries.last() {
            let position = last.position;
            let Seen { changed, erased } = Seen::of(&entries);
            let mut documents = documents(&self.app, changed.keys().copied().collect()).await?;
            let change = |(id, position): (PropertyId, Position)| match documents.remove(&id) {
                Some(stored) => Change::Put(stored.property, SequenceNumber(position.0)),
                None => Change::Remove(id),
            };
            let changes = changed.into_iter().map(change).collect();
            // Noted first: a snapshot must not go beyond an erasure that nobody remembers to forget.
            following.to_forget.extend(erased);
            build::apply(&following.index, changes, position).await?;
            following.position = position;
            self.search.publish(position);
            if !self.search.is_ready() {
                // A long tail of the log makes many segments, and nobody else merges them before the index is open.
                build::merge(&following.index).await?;
            }
        }
        if progress == Progress::CaughtUp {
            self.search.caught_up();
            self.open();
        }
        self.take_snapshot_if_due().await?;
        Ok(progress)
    }

    /// The index has everything that was in the log a moment ago: it can be asked.
    fn open(&self) {
        let Some(following) = &self.following else { return };
        let Following { index, position, started_at, .. } = following;
        if self.search.is_ready() {
            return;
        }
        let took = self.app.clock.now().duration_since(*started_at);
        let took = Duration::try_from(took).unwrap_or_default();
        self.search.publish(*position);
        self.search.open(index, took);
        let properties = index.searcher().len();
        tracing::info!(properties, position = position.0, seconds = took.as_secs_f64(), "the index is ready");
    }
}

/// What a look at the log finds.
struct Seen {
    /// Properties that changed, each with the last position that says so.
    changed: BTreeMap<PropertyId, Position>,
    /// Properties of which older versions hold something that was erased.
    erased: Vec<PropertyId>,
}

impl Seen {
    fn of(entries: &[LogEntry]) -> Self {
        let mut seen = Self { changed: BTreeMap::new(), erased: Vec::new() };
        for LogEntry { position, change, .. } in entries {
            let (property, erasure) = match change {
                store::Change::Property { property, cause, .. } => match cause {
                    PropertyCause::AdvertErased(erasure) => (property, Some(erasure)),
                    PropertyCause::Advert { .. } | PropertyCause::Crawl | PropertyCause::AdvertLeft => {
                        (property, None)
                    }
                },
                store::Change::PropertyRemoved { property, cause } => match cause {
                    RemovalCause::AdvertErased(erasure) => (property, Some(erasure)),
                    RemovalCause::AdvertLeft => (property, None),
                },
                // A blank says nothing, and need not: the erasure itself has an entry further on.
                store::Change::Search { .. }
                | store::Change::SearchRemoved { .. }
                | store::Change::Erased => {
                    continue;
                }
            };
            seen.changed.insert(*property, *position);
            if let Some(erasure) = erasure {
                seen.erased.push(*property);
                seen.erased.extend(&erasure.previous_properties);
            }
        }
        seen
    }
}

/// Properties as they are now. One whose record is damaged counts as gone: it must not keep the others from being found.
async fn documents(app: &App, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
    let reads = ids.chunks(PROPERTIES_PER_READ).map(|ids| read(app, ids.to_vec())).collect::<Vec<_>>();
    let parts: Vec<_> = stream::iter(reads).buffer_unordered(READS_AT_ONCE).try_collect().await?;
    Ok(parts.into_iter().flatten().collect())
}

async fn read(app: &App, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
    match app.store.properties(ids.clone()).await {
        Err(store::Error::Corrupt { .. }) => {}
        other => return Ok(other?),
    }
    let mut found = HashMap::with_capacity(ids.len());
    for id in ids {
        match app.store.properties(vec![id]).await {
            Ok(one) => found.extend(one),
            Err(error @ store::Error::Corrupt { .. }) => {
                tracing::error!(
                    property = %id,
                    error = &error as &dyn std::error::Error,
                    "a damaged property is missing from the index"
                );
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests;
