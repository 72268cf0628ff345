//! Backends: how a test opens a store, closes it and opens it again.

use std::ops::Deref;
use std::sync::Arc;

use store::SqlStore;
use store::prelude::*;

/// Holds the data of one store and outlives the store.
pub trait Backend: Sized {
    type Opened: Store;

    /// Tests with random cases run one in this many of them: where a fresh store is expensive, fewer.
    const CASES_DIVISOR: u32;

    /// Creates an empty backend. Its data is deleted when it is dropped.
    async fn fresh() -> Self;

    async fn open(&self) -> Self::Opened;
}

/// The embedded store in a temporary folder.
pub struct Sqlite {
    folder: tempfile::TempDir,
}

impl Backend for Sqlite {
    type Opened = SqlStore;

    const CASES_DIVISOR: u32 = 1;

    async fn fresh() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    async fn open(&self) -> SqlStore {
        SqlStore::open(self.folder.path()).unwrap()
    }
}

/// A database of its own on a server that all tests of this process share.
pub struct Postgres {
    #[allow(dead_code, reason = "for the tests of PostgreSQL alone")]
    name: String,
    url: String,
}

#[allow(dead_code, reason = "for the tests of PostgreSQL alone")]
impl Postgres {
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Runs statements beside the store, and returns the first column of their rows.
    pub fn query(&self, sql: &str) -> Vec<String> {
        local_postgres::shared().query(&self.name, sql)
    }

    /// Runs statements beside the store.
    pub fn execute(&self, sql: &str) {
        local_postgres::shared().execute(&self.name, sql);
    }
}

impl Backend for Postgres {
    type Opened = SqlStore;

    const CASES_DIVISOR: u32 = 4;

    async fn fresh() -> Self {
        let server = local_postgres::shared();
        let name = local_postgres::prepared_database(|url| {
            drop(SqlStore::connect(&url.parse().unwrap()).unwrap());
        });
        // Copies would issue the same ids of deliveries.
        server.execute(&name, "UPDATE delivery_epoch SET epoch = (random() * 1e18)::BIGINT");
        Self { url: server.url(&name), name }
    }

    async fn open(&self) -> SqlStore {
        SqlStore::connect(&self.url.parse().unwrap()).unwrap()
    }
}

/// An open store and its backend.
pub struct Opened<B: Backend> {
    store: Arc<B::Opened>,
    backend: B,
}

impl<B: Backend> Opened<B> {
    pub async fn fresh() -> Self {
        let backend = B::fresh().await;
        Self { store: Arc::new(backend.open().await), backend }
    }

    /// Closes the store and opens it again.
    pub async fn reopened(self) -> Self {
        let Self { store, backend } = self;
        assert_eq!(Arc::strong_count(&store), 1, "the store is still in use");
        drop(store);
        Self { store: Arc::new(backend.open().await), backend }
    }

    /// Returns a shared handle, for use in another task.
    pub fn shared(&self) -> Arc<B::Opened> {
        Arc::clone(&self.store)
    }
}

impl<B: Backend> Deref for Opened<B> {
    type Target = B::Opened;

    fn deref(&self) -> &B::Opened {
        &self.store
    }
}
