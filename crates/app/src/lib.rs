//! Use cases and workers.
//!
//! [`App`] is what an edge (HTTP, the command line) talks to: take adverts in ([`ingest`]), read them back
//! ([`documents`]), find them ([`search`]), wait for them ([`searches`], [`preview`]), see who is calling ([`access`]), know
//! where they come from ([`sites`]). [`workers`] do what nobody asks for: the index follows the store, changes are held against
//! saved searches ([`matching`]), what is owed is brought ([`dispatch`]), adverts unseen for long expire.
//!
//! **Invariant:** decisions are `domain`'s, durability is `store`'s; here they meet. Nothing here knows HTTP or JSON.

pub mod access;
pub mod deliveries;
pub mod dispatch;
pub mod documents;
pub mod error;
pub mod indicators;
pub mod ingest;
pub mod matching;
pub mod preview;
mod references;
pub mod search;
pub mod searches;
pub mod sites;
pub mod system;
pub mod workers;

use std::sync::Arc;

use domain::{Clock, IdSource};
use places::Gazetteer;
use store::Store;

pub use error::Error;

/// The service without its edges.
#[derive(Clone)]
pub struct App {
    store: Arc<dyn Store>,
    background_store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn IdSource>,
    places: Arc<Gazetteer>,
    sites: Arc<sites::KnownSites>,
    /// Commands that only write have none.
    search: Option<Arc<search::Search>>,
    matching: Option<Arc<matching::Matching>>,
    dispatch: Option<Arc<dispatch::Dispatch>>,
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
            search: None,
            matching: None,
            dispatch: None,
        }
    }

    /// Uses another handle of the same store for background work, one that does not compete with requests.
    pub fn with_background_store(self, background_store: Arc<dyn Store>) -> Self {
        Self { background_store, ..self }
    }

    /// Returns the same service for background work: it reads through the background store.
    pub fn background(&self) -> Self {
        Self { store: Arc::clone(&self.background_store), ..self.clone() }
    }

    /// The reference geography.
    pub fn places(&self) -> &Gazetteer {
        &self.places
    }

    pub fn clock(&self) -> &dyn Clock {
        &*self.clock
    }

    /// An identifier that was never given before.
    pub fn fresh_id(&self) -> uuid::Uuid {
        self.ids.fresh()
    }

    pub fn store(&self) -> &dyn Store {
        &*self.store
    }
}

/// Runs what computes for a while on a thread that may be busy.
async fn computed<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Error> {
    tokio::task::spawn_blocking(work).await.map_err(|_| Error::Interrupted)
}
