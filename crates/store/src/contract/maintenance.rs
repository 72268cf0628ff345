//! Upkeep of the database, and small values that belong to no other table.

use async_trait::async_trait;

use crate::error::Error;

/// Compacts the database, and stores metadata.
#[async_trait]
pub trait MaintenanceStore: Send + Sync + 'static {
    /// Rewrites the database, so that no erased byte is left in unused parts of its files, and returns free space to the file system.
    /// Takes a while; writers wait for it.
    async fn compact(&self) -> Result<(), Error>;

    /// Returns the value stored under a name, such as the progress of an import; `None` if there is none.
    async fn metadata(&self, name: String) -> Result<Option<String>, Error>;

    /// Stores a value under a name, or deletes it if `value` is `None`.
    async fn set_metadata(&self, name: String, value: Option<String>) -> Result<(), Error>;
}
