//! Search execution: which query runs on which thread, and how many run at once.
//!
//! A cheap query runs on the thread of its caller, because handing it to another thread would take as long as the query itself.
//! An expensive one runs on a blocking thread, so that it does not delay other requests of the same runtime thread. At most as
//! many expensive ones run at once as there are cores: more would only take turns, and one whose client has disconnected
//! still has to run to its end.

use std::sync::Arc;

use domain::{Criteria, OrderBy, PropertyId, SiteDirectory, SortMode};
use engine::{Hit, Matches, SearchRequest, SearchResult, Searcher, SimilarRequest};
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::document_cache::DocumentCache;
use crate::documents::DocumentRenderer;
use crate::{App, Error};

/// From this offset on, finding a page takes long enough to block a runtime thread.
const DEEP_PAGE: usize = 10_000;

/// A larger circle needs the distance of nearly every property.
const WIDE_CIRCLE_KM: f64 = 200.0;

/// More expressions than this make a query expensive.
const EXPRESSIONS_INLINE_MAX: usize = 4;

/// What the queries of a process share: the limits on parallel execution, and the document cache.
pub(crate) struct Executor {
    /// One permit for each expensive computation that may run at once.
    computations: Arc<Semaphore>,
    /// The permit of the one preview that may run.
    previews: Arc<Semaphore>,
    pub(super) documents: DocumentCache,
}

impl Executor {
    pub fn new(document_cache_bytes: usize) -> Self {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        Self {
            computations: Arc::new(Semaphore::new(cores)),
            previews: Arc::new(Semaphore::new(1)),
            documents: DocumentCache::new(document_cache_bytes),
        }
    }

    /// Drops the cached document of a property from which an advert was erased.
    pub fn evict_document(&self, property: PropertyId) {
        self.documents.evict(property);
    }
}

/// The right to run a preview. Only one exists at a time.
#[derive(Debug)]
pub struct PreviewPermit {
    _permit: Option<OwnedSemaphorePermit>,
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
    let entries = || criteria.expressions.iter().flatten();
    let single_words =
        entries().all(|entry| entry.phrase.alternatives().iter().all(|words| words.len() == 1));
    let places = &criteria.places;
    *skip < DEEP_PAGE
        && entries().count() <= EXPRESSIONS_INLINE_MAX
        && single_words
        && places.polygons.is_empty()
        && places.circle.is_none_or(|circle| circle.radius_km <= WIDE_CIRCLE_KM)
        && order.mode == SortMode::Property
        && order.by.iter().all(|(by, _)| *by != OrderBy::Distance)
}

impl App {
    /// Sets the size of the document cache.
    #[must_use]
    pub fn with_document_cache(self, bytes_max: usize) -> Self {
        Self { executor: Arc::new(Executor::new(bytes_max)), ..self }
    }

    /// Starts a session on the current index, or returns [`Error::Starting`] while the index is being built.
    pub async fn search_session(&self) -> Result<SearchSession, Error> {
        let searcher = self.index_searcher()?;
        let renderer = DocumentRenderer { sites: self.sites_for_search().await?, app: self.clone() };
        Ok(SearchSession { searcher, renderer })
    }

    /// Runs a computation of a request on a blocking thread, when a permit is free.
    pub async fn compute<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let permit = Arc::clone(&self.executor.computations).acquire_owned().await;
        // The permit moves into the task: the thread is busy until the work is done, even if the caller is gone.
        let work = move || {
            let result = work();
            drop(permit);
            result
        };
        tokio::task::spawn_blocking(work).await.map_err(|_panicked| Error::Panicked)
    }

    /// Waits until no other preview runs.
    pub async fn preview_permit(&self) -> PreviewPermit {
        // The semaphore is never closed.
        PreviewPermit { _permit: Arc::clone(&self.executor.previews).acquire_owned().await.ok() }
    }
}

/// Runs the queries of one request on one view of the index.
pub struct SearchSession {
    searcher: Arc<Searcher>,
    renderer: DocumentRenderer,
}

impl SearchSession {
    pub(crate) fn app(&self) -> &App {
        &self.renderer.app
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
            self.searcher.search(&request)
        } else {
            let searcher = self.searcher();
            self.app().compute(move || searcher.search(&request)).await?
        };
        self.page(&result).await
    }

    /// Returns a page of the properties that are similar to another one.
    pub async fn similar(&self, request: SimilarRequest) -> Result<DocumentPage, Error> {
        let searcher = self.searcher();
        let result = self.app().compute(move || searcher.similar(&request)).await?;
        self.page(&result).await
    }

    /// Finds all properties that match criteria, for reading them one batch after the other.
    pub async fn export(&self, criteria: Criteria) -> Result<Export, Error> {
        let (searcher, searched) = (self.searcher(), criteria.clone());
        let matches = Arc::new(self.app().compute(move || searcher.matches(&searched)).await?);
        Ok(Export { app: self.app().clone(), criteria, matches })
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
        let hits = self.app.compute(move || matches.after(after, limit)).await?;
        Ok(hits.into_iter().map(|hit| hit.property).collect())
    }

    /// Renders documents, one per line. A property that was removed or no longer matches the criteria is left out.
    pub async fn render_lines(
        &self,
        ids: Vec<PropertyId>,
        renderer: DocumentRenderer,
    ) -> Result<Vec<u8>, Error> {
        let properties = self.app.properties(ids.clone()).await?;
        let criteria = self.criteria.clone();
        let render = move || {
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
        self.app.compute(render).await
    }
}

#[cfg(test)]
mod tests {
    use domain::Identity;
    use engine::SequenceNumber;
    use testkit::build::{advert_id, draft};

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
        let result = app.compute(|| panic!("on purpose")).await;
        assert!(matches!(result, Err::<(), _>(Error::Panicked)));
    }
}
