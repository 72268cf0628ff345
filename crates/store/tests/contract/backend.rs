//! How a test gets a store, and how it closes one and opens it again.

use std::ops::Deref;
use std::sync::Arc;

use store::Store;
use store::sqlite::SqliteStore;

/// A place that holds one store's data and outlives the store.
pub trait Backend: Sized {
    type Opened: Store;

    /// A place without data. It is gone with the value.
    async fn fresh() -> Self;

    async fn open(&self) -> Self::Opened;
}

/// The embedded store, in a folder of its own.
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

/// An open store and the place its data is in.
pub struct Opened<B: Backend> {
    store: Arc<B::Opened>,
    backend: B,
}

impl<B: Backend> Opened<B> {
    pub async fn fresh() -> Self {
        let backend = B::fresh().await;
        Self { store: Arc::new(backend.open().await), backend }
    }

    /// Closes the store and opens its data anew.
    pub async fn reopened(self) -> Self {
        let Self { store, backend } = self;
        assert_eq!(Arc::strong_count(&store), 1, "somebody still uses the store that is to be closed");
        drop(store);
        Self { store: Arc::new(backend.open().await), backend }
    }

    /// The store, for a task of its own.
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
