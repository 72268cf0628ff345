//! Backends: how a test opens a store, closes it and opens it again.

use std::ops::Deref;
use std::sync::Arc;

use store::prelude::*;
use store::sqlite::SqliteStore;

/// Holds the data of one store and outlives the store.
pub trait Backend: Sized {
    type Opened: Store;

    /// Creates an empty backend. Its data is deleted when it is dropped.
    async fn fresh() -> Self;

    async fn open(&self) -> Self::Opened;
}

/// The embedded store in a temporary folder.
pub struct Sqlite {
    folder: tempfile::TempDir,
}

impl Backend for Sqlite {
    type Opened = SqliteStore;

    async fn fresh() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    async fn open(&self) -> SqliteStore {
        SqliteStore::open(self.folder.path()).unwrap()
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
