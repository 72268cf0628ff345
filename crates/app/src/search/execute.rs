//! Search execution: which query runs on which thread, and how many run at once.
//!
//! A cheap query runs on the thread of its caller, because handing it to another thread would take as long as the query itself.
//! An expensive one runs on a blocking thread, so that it does not delay other requests of the same runtime thread. At most as
//! many expensive ones run at once as there are cores: more would only take turns. One user has at most all cores but one, and
//! users wait in [fair turns](crate::fair), so that no user makes the others wait for more than one query. A query stops when it
//! has done more work than a query may ([`ExecutionSettings::query_work_max`]), or when its client has disconnected.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use domain::{Criteria, OrderBy, PropertyId, SiteDirectory, SortMode, UserId};
use engine::{Budget, Hit, Matches, SearchRequest, SearchResult, Searcher, SimilarRequest, Stopped};
use serde_json::value::RawValue;

use super::document_cache::DocumentCache;
use crate::documents::DocumentRenderer;
use crate::fair::{FairQueue, Turn, TurnLimits};
use crate::{App, Error};

/// From this offset on, finding a page takes long enough to block a runtime thread.
const DEEP_PAGE: usize = 10_000;

/// A larger circle needs the distance of nearly every property.
const WIDE_CIRCLE_KM: f64 = 200.0;

/// More expressions than this make a query expensive.
const EXPRESSIONS_INLINE_MAX: usize = 4;

/// The lists that may be read at once: each may keep one reader of the store busy, and the store has one more.
const LISTS_MAX: usize = 2;

/// The work of all users together that may wait in one queue. Requests have a limit, too; this one is for a process without it.
const WAITING_MAX: usize = 10_000;

/// How queries are executed.
#[derive(Debug, Clone, Copy)]
pub struct ExecutionSettings {
    /// The size of the document cache.
    pub document_cache_bytes: usize,
    /// The units of work that the queries of one request may do together ([`engine::budget`]).
    pub query_work_max: u64,
    /// The work of one user that may wait in one queue.
    pub waiting_per_user_max: usize,
}

impl Default for ExecutionSettings {
    fn default() -> Self {
        Self {
            document_cache_bytes: 64 * 1024 * 1024,
            query_work_max: 2_000_000_000,
            waiting_per_user_max: 100,
        }
    }
}

/// What the queries of a process share: the limits on parallel execution, and the document cache.
pub(crate) struct Executor {
    /// Expensive computations.
    computations: FairQueue,
    /// Reads of many records from the store.
    lists: FairQueue,
    /// Previews, of which one runs at a time.
    previews: FairQueue,
    query_work_max: u64,
    pub(super) documents: DocumentCache,
}

impl Executor {
    pub fn new(settings: ExecutionSettings) -> Self {
        let ExecutionSettings { document_cache_bytes, query_work_max, waiting_per_user_max } = settings;
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let queue = |running_max: usize, running_per_user_max: usize| {
            FairQueue::new(TurnLimits {
                running_max,
                running_per_user_max,
                waiting_max: WAITING_MAX,
                waiting_per_user_max,
            })
        };
        Self {
            // All but one for one user: another user's query starts at once.
            computations: queue(cores, (cores - 1).max(1)),
            lists: queue(LISTS_MAX, 1),
            previews: queue(1, 1),
            query_work_max,
            documents: DocumentCache::new(document_cache_bytes),
        }
    }

    /// Drops the cached document of a property from which an advert was erased.
    pub fn evict_document(&self, property: PropertyId) {
        self.documents.evict(property);
    }
}

/// Tells a computation on another thread that its caller has gone away.
#[derive(Default)]
pub struct CancelOnDrop(Arc<AtomicBool>);

impl CancelOnDrop {
    /// Returns the flag that is set when this is dropped.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// A page of rendered documents.
#[derive(Debug)]
pub struct DocumentPage {
    /// The number of hits on all pages.
    pub total: u64,
    pub documents: Vec<Arc<RawValue>>,
}

/// Returns `true` if a query takes about as long as handing it to another thread. Phrases, many words, polygons, and orders
/// that are computed hit by hit take longer.
fn is_cheap(request: &SearchRequest) -> bool {
    let SearchRequest { criteria, order, skip, take: _ } = request;
    *skip < DEEP_PAGE
        && are_cheap(criteria)
        && order.mode == SortMode::Property
        && order.by.iter().all(|(by, _)| *by != OrderBy::Distance)
}

/// The same for criteria, whatever is computed from their matches.
fn are_cheap(criteria: &Criteria) -> bool {
    let entries = || criteria.expressions.iter().flatten();
    let single_words =
        entries().all(|entry| entry.phrase.alternatives().iter().all(|words| words.len() == 1));
    let places = &criteria.places;
    entries().count() <= EXPRESSIONS_INLINE_MAX
        && single_words
        && places.polygons.is_empty()
        && places.circle.is_none_or(|circle| circle.radius_km <= WIDE_CIRCLE_KM)
}

impl App {
    /// Sets how queries are executed.
    #[must_use]
    pub fn with_execution(self, settings: ExecutionSettings) -> Self {
        Self { executor: Arc::new(Executor::new(settings)), ..self }
    }

    /// Starts a session of a user on the current index, or returns [`Error::Starting`] while the index is being built.
    pub async fn search_session(&self, user: UserId) -> Result<SearchSession, Error> {
        let searcher = self.index_searcher()?;
        let renderer = DocumentRenderer { sites: self.sites_for_search().await?, app: self.clone() };
        Ok(SearchSession { user, searcher, renderer })
    }

    /// Runs a computation of a request on a blocking thread, when it is the user's turn. The budget ends queries that need too much
    /// work, and those whose caller has gone away.
    pub async fn compute<T: Send + 'static>(
        &self,
        user: UserId,
        work: impl FnOnce(&Budget) -> T + Send + 'static,
    ) -> Result<T, Error> {
        let turn = self.executor.computations.turn(user).await?;
        let cancelled = CancelOnDrop::default();
        let budget = self.budget().until(cancelled.flag());
        // The turn moves into the task: the thread is busy until the work is done, even if the caller is gone.
        let work = move || {
            let result = work(&budget);
            drop(turn);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_panicked| Error::Panicked)
    }

    /// Runs a query of a request like [`App::compute`].
    pub(crate) async fn compute_query<T: Send + 'static>(
        &self,
        user: UserId,
        query: impl FnOnce(&Budget) -> Result<T, Stopped> + Send + 'static,
    ) -> Result<T, Error> {
        self.compute(user, query).await?.map_err(|stopped| self.stopped(stopped))
    }

    /// Waits for the user's turn to read a list from the store. The turn is held while the list is read.
    pub async fn list_turn(&self, user: UserId) -> Result<Turn, Error> {
        self.executor.lists.turn(user).await
    }

    /// Waits for the user's turn to run a preview.
    pub async fn preview_turn(&self, user: UserId) -> Result<Turn, Error> {
        self.executor.previews.turn(user).await
    }

    /// Returns how many callers wait for their turn to compute, to read a list or to run a preview.
    pub fn waiting_work(&self) -> usize {
        let Executor { computations, lists, previews, .. } = &*self.executor;
        computations.waiting() + lists.waiting() + previews.waiting()
    }

    /// Returns the budget of a request.
    pub(crate) fn budget(&self) -> Budget {
        Budget::new(self.executor.query_work_max)
    }

    pub(crate) fn stopped(&self, stopped: Stopped) -> Error {
        match stopped {
            Stopped::TooExpensive { most } => {
                Error::TooExpensive { work_max: self.executor.query_work_max, most }
            }
            Stopped::Cancelled => Error::Interrupted,
        }
    }
}

/// Runs the queries of one request on one view of the index.
pub struct SearchSession {
    user: UserId,
    searcher: Arc<Searcher>,
    renderer: DocumentRenderer,
}

impl SearchSession {
    pub(crate) fn app(&self) -> &App {
        &self.renderer.app
    }

    pub(crate) fn user(&self) -> UserId {
        self.user
    }

    pub(crate) fn searcher(&self) -> Arc<Searcher> {
        Arc::clone(&self.searcher)
    }

    /// Returns the site directory that filters are parsed with and documents are rendered with.
    pub fn sites(&self) -> &SiteDirectory {
        self.renderer.sites()
    }

    /// Returns a page of the properties that match criteria.
    pub async fn search(&self, request: SearchRequest) -> Result<DocumentPage, Error> {
        let result = if is_cheap(&request) {
            let found = self.searcher.search(&request, &self.app().budget());
            found.map_err(|stopped| self.app().stopped(stopped))?
        } else {
            let searcher = self.searcher();
            self.app().compute_query(self.user, move |budget| searcher.search(&request, budget)).await?
        };
        self.page(&result).await
    }

    /// Runs a query that counts the matches of criteria, on the thread of the caller if the criteria are cheap.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        criteria: &Criteria,
        query: impl FnOnce(&Searcher, &Budget) -> Result<T, Stopped> + Send + 'static,
    ) -> Result<T, Error> {
        if are_cheap(criteria) {
            let counted = query(&self.searcher, &self.app().budget());
            return counted.map_err(|stopped| self.app().stopped(stopped));
        }
        let searcher = self.searcher();
        self.app().compute_query(self.user, move |budget| query(&searcher, budget)).await
    }

    /// Returns a page of the properties that are similar to another one.
    pub async fn similar(&self, request: SimilarRequest) -> Result<DocumentPage, Error> {
        let searcher = self.searcher();
        let similar = move |budget: &Budget| searcher.similar(&request, budget);
        let result = self.app().compute_query(self.user, similar).await?;
        self.page(&result).await
    }

    /// Finds all properties that match criteria, for reading them one batch after the other.
    pub async fn export(&self, criteria: Criteria) -> Result<Export, Error> {
        let (searcher, searched) = (self.searcher(), criteria.clone());
        let find = move |budget: &Budget| searcher.matches(&searched, budget);
        let matches = Arc::new(self.app().compute_query(self.user, find).await?);
        Ok(Export { app: self.app().clone(), user: self.user, criteria, matches })
    }

    /// Returns the documents of hits: the cached ones, and the others read from the store in one go. A property that was
    /// removed after the index saw it is left out.
    async fn page(&self, result: &SearchResult) -> Result<DocumentPage, Error> {
        let cache = &self.app().executor.documents;
        let revision = self.sites().revision();
        let read_started = cache.start_read(revision);
        let mut documents: Vec<Option<Arc<RawValue>>> =
            result.hits.iter().map(|hit| cache.get(hit, revision)).collect();
        let missing: Vec<(usize, Hit)> = result
            .hits
            .iter()
            .copied()
            .enumerate()
            .filter(|(index, _)| documents[*index].is_none())
            .collect();
        if !missing.is_empty() {
            let ids = missing.iter().map(|(_, hit)| hit.property).collect();
            let mut properties = self.app().properties(ids).await?;
            let render = |(index, hit): (usize, Hit)| {
                let document = self.renderer.render(&properties.remove(&hit.property)?)?;
                Some((index, hit, Arc::<RawValue>::from(document)))
            };
            for (index, hit, document) in missing.into_iter().filter_map(render) {
                cache.insert(&hit, read_started, Arc::clone(&document));
                documents[index] = Some(document);
            }
        }
        Ok(DocumentPage { total: result.total as u64, documents: documents.into_iter().flatten().collect() })
    }
}

/// All properties that matched criteria at one point in time, read in the order of their ids. Concurrent writers cause neither gaps
/// nor duplicates.
pub struct Export {
    app: App,
    user: UserId,
    criteria: Criteria,
    matches: Arc<Matches>,
}

impl Export {
    pub fn total(&self) -> usize {
        self.matches.total()
    }

    /// Returns at most `limit` ids after `after`, in order; an empty list at the end.
    pub async fn ids_after(&self, after: Option<PropertyId>, limit: usize) -> Result<Vec<PropertyId>, Error> {
        let matches = Arc::clone(&self.matches);
        let hits = self.app.compute(self.user, move |_| matches.after(after, limit)).await?;
        Ok(hits.into_iter().map(|hit| hit.property).collect())
    }

    /// Renders documents, one per line. A property that was removed or no longer matches the criteria is left out.
    pub async fn render_lines(
        &self,
        ids: Vec<PropertyId>,
        renderer: DocumentRenderer,
    ) -> Result<Vec<u8>, Error> {
        let turn = self.app.list_turn(self.user).await?;
        let properties = self.app.properties(ids.clone()).await?;
        drop(turn);
        let criteria = self.criteria.clone();
        let render = move |_: &Budget| {
            let mut lines = Vec::new();
            let found = ids.iter().filter_map(|id| properties.get(id));
            for document in
                found.filter(|it| criteria.accepts(it)).filter_map(|it| renderer.render_for_export(it))
            {
                lines.extend_from_slice(&document);
                lines.push(b'\n');
            }
            lines
        };
        self.app.compute(self.user, render).await
    }
}

#[cfg(test)]
mod tests {
    use domain::Identity;
    use engine::SequenceNumber;
    use testkit::build::{advert_id, draft, user_id};

    use super::*;
    use crate::search::tests::app_without_workers;

    #[tokio::test]
    async fn erasure_evicts_the_cached_document_before_the_index_sees_it() {
        let (app, _folder) = app_without_workers();
        let id = advert_id(1);
        app.ingest(vec![draft(Identity::Uuid(id))]).await.unwrap();
        let (_, property) = app.advert(id).await.unwrap().unwrap();
        let hit = Hit { property, sequence_number: SequenceNumber(1) };
        let cache = &app.executor.documents;
        let document = serde_json::value::to_raw_value("cached").unwrap();
        cache.insert(&hit, cache.start_read(1), document.into());
        assert!(cache.get(&hit, 1).is_some());
        app.erase(id).await.unwrap().unwrap();
        assert!(cache.get(&hit, 1).is_none());
    }

    #[tokio::test]
    async fn a_panic_in_a_computation_is_an_error() {
        let (app, _folder) = app_without_workers();
        for _ in 0..10 {
            let result = app.compute(user_id(1), |_| panic!("on purpose")).await;
            assert!(matches!(result, Err::<(), _>(Error::Panicked)), "its turn ended");
        }
    }

    #[tokio::test]
    async fn computation_stops_when_its_caller_goes_away() {
        let (app, _folder) = app_without_workers();
        let (began, begun) = tokio::sync::oneshot::channel();
        let (ended, end) = tokio::sync::oneshot::channel();
        let empty = Searcher::default();
        let computing = app.compute(user_id(1), move |budget| {
            began.send(()).unwrap();
            // A query that never ends by itself.
            let stopped = loop {
                if let Err(stopped) = empty.search(&SearchRequest::default(), budget) {
                    break stopped;
                }
            };
            ended.send(stopped).unwrap();
        });
        tokio::select! {
            biased;
            _ = computing => panic!("it never ends by itself"),
            begun = begun => begun.unwrap(),
        }
        assert_eq!(end.await.unwrap(), Stopped::Cancelled);
    }

    #[tokio::test]
    async fn one_user_leaves_a_computation_to_others() {
        let (app, _folder) = app_without_workers();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let (release, released) = tokio::sync::watch::channel(());
        let mut greedy = tokio::task::JoinSet::new();
        for _ in 0..4 * cores {
            let (app, mut released) = (app.clone(), released.clone());
            let handle = tokio::runtime::Handle::current();
            greedy.spawn(async move {
                let wait = move |_: &Budget| handle.block_on(released.changed()).unwrap();
                app.compute(user_id(1), wait).await.unwrap();
            });
        }
        while app.executor.computations.waiting() == 0 {
            tokio::task::yield_now().await;
        }
        if cores > 1 {
            assert_eq!(app.compute(user_id(2), |_| 7).await.unwrap(), 7, "while the other user's still run");
        }
        release.send(()).unwrap();
        while let Some(ended) = greedy.join_next().await {
            ended.unwrap();
        }
    }
}
