//! Use cases and workers.
//!
//! [`App`] is the entry point for the HTTP server and the command line: ingest adverts ([`ingest`]), read them back
//! ([`documents`]), search them ([`search`]), manage saved searches ([`searches`], [`preview`]), authenticate callers
//! ([`access`]), share the machine between them ([`fair`]), count what they use ([`usage`]), manage sites ([`sites`]) and deliveries ([`deliveries`], [`unsubscribe`]). [`workers`] run in the background: the
//! [indexer](workers::indexer) keeps the index in step with the store, the [publisher](workers::publisher) shares its snapshots with other
//! servers, the [matcher](workers::matcher) matches changes against
//! saved searches ([`matching`]), the [dispatcher](workers::dispatcher) sends notifications ([`dispatch`]),
//! [`expiry`](workers::expiry) expires adverts that no crawler has seen for a while, and [`retention`](workers::retention) deletes what
//! is no longer needed.
//!
//! The life of a match: [`ingest`] commits a change to the log. `workers/matcher.rs` reads the change with its records into a
//! `LogBatch`, `workers/matcher/evaluate.rs` finds the saved searches it concerns (`PercolatorState`), and the matcher records
//! matches, outbox entries and its checkpoint in one transaction (`store::MatchBatch`). Later it indexes the matches by search,
//! for lists.
//!
//! The life of a delivery, in `workers/dispatcher`: `enqueue.rs` turns outbox entries into deliveries, `schedule.rs` picks the
//! lanes that are due, `round.rs` plans what to do with each lane and claims deliveries, `render.rs` renders them, `attempt.rs`
//! sends them through the [`Transport`](dispatch::Transport), `record.rs` records the outcome: delivered, retried later, or failed.
//!
//! **Invariant:** `domain` decides, `store` makes durable, `wire` encodes JSON; this crate connects them. Nothing here knows HTTP.

pub mod access;
pub mod confirmation;
pub mod deliveries;
pub mod dispatch;
pub mod documents;
pub mod error;
pub mod fair;
pub mod grouping;
pub mod indicators;
pub mod ingest;
mod map;
pub mod matching;
pub mod operations;
pub mod preview;
pub mod prices;
mod references;
pub mod search;
pub mod searches;
pub mod sites;
pub mod system;
pub mod unsubscribe;
pub mod usage;
pub mod workers;

use std::sync::Arc;

use domain::{Clock, IdSource};
use jiff::tz::TimeZone;
use places::Gazetteer;
use store::Store;
use tokio::sync::OnceCell;

pub use error::Error;

/// The service without its HTTP server and command line.
#[derive(Clone)]
pub struct App {
    store: Arc<dyn Store>,
    background_store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    places: Arc<Gazetteer>,
    sites: Arc<sites::SiteCache>,
    /// The time zone of dates in documents and payloads.
    time_zone: TimeZone,
    executor: Arc<search::Executor>,
    key_cache: Arc<access::KeyCache>,
    session_cache: Arc<access::SessionCache>,
    /// `None` in commands that only write.
    index: Option<Arc<search::IndexHandle>>,
    matcher: Option<Arc<matching::MatcherProgress>>,
    dispatch: Option<Arc<dispatch::Dispatch>>,
    grouping: Arc<grouping::Grouping>,
    pending_usage: Arc<usage::PendingUsage>,
    workers: Arc<workers::health::Workers>,
    retention: Arc<workers::retention::Counters>,
    link_key: Arc<OnceCell<unsubscribe::LinkKey>>,
}

impl App {
    pub fn new(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdSource>,
        places: Arc<Gazetteer>,
    ) -> Self {
        Self {
            background_store: Arc::clone(&store),
            store,
            clock,
            ids,
            places,
            sites: Arc::default(),
            time_zone: TimeZone::UTC,
            executor: Arc::new(search::Executor::new(search::ExecutionSettings::default())),
            key_cache: Arc::default(),
            session_cache: Arc::default(),
            index: None,
            matcher: None,
            dispatch: None,
            grouping: Arc::default(),
            pending_usage: Arc::default(),
            workers: Arc::default(),
            retention: Arc::default(),
            link_key: Arc::default(),
        }
    }

    /// Sets the time zone of dates in documents and payloads. The default is UTC.
    #[must_use]
    pub fn with_time_zone(self, time_zone: TimeZone) -> Self {
        Self { time_zone, ..self }
    }

    /// Sets how adverts are grouped. The default is by evidence.
    #[must_use]
    pub fn with_grouping(self, settings: grouping::GroupingSettings) -> Self {
        Self { grouping: Arc::new(grouping::Grouping::new(settings)), ..self }
    }

    /// Returns the reference geography.
    pub fn places(&self) -> &Gazetteer {
        &self.places
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// Returns a new unique identifier.
    pub fn fresh_id(&self) -> uuid::Uuid {
        self.ids.fresh()
    }

    /// Uses another handle of the same store for background work, one that does not compete with requests.
    #[must_use]
    pub fn with_background_store(self, background_store: Arc<dyn Store>) -> Self {
        Self { background_store, ..self }
    }

    /// Returns the same service for background work: it reads through the background store.
    #[must_use]
    pub fn background(&self) -> Self {
        Self { store: Arc::clone(&self.background_store), ..self.clone() }
    }

    /// Returns the store, for tests and benchmarks. Handlers and commands call use cases instead.
    #[doc(hidden)]
    pub fn store(&self) -> &dyn Store {
        &*self.store
    }
}

/// Runs work that must come to its end even if the caller is cancelled, because a client hung up for example.
async fn run_to_end<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    #[expect(clippy::disallowed_methods, reason = "the caller gets the result, and a panic as an error")]
    let task = tokio::spawn(work);
    task.await.map_err(|_| Error::Interrupted)?
}

/// Runs CPU-bound work of a worker on a blocking thread. Requests use [`App::compute`], which limits how many run at once.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Interrupted)
}
