//! Operator tasks: health checks, counts, compaction and the bookmarks of interrupted imports.

use domain::{AdvertId, Identity};
use store::Position;

use crate::{App, Error};

impl App {
    /// Fails if the store does not answer.
    pub async fn check_store(&self) -> Result<(), Error> {
        self.store.metadata("ready".to_owned()).await?;
        Ok(())
    }

    /// Returns the position of the last entry of the change log.
    pub fn log_position(&self) -> Position {
        *self.store.head().borrow()
    }

    /// Finds adverts by identity. Returns one element per identity, in the same order.
    pub async fn locate(&self, identities: Vec<Identity>) -> Result<Vec<Option<AdvertId>>, Error> {
        let found = self.store.locate(identities).await?;
        Ok(found.into_iter().map(|located| located.map(|located| located.advert)).collect())
    }

    /// Returns the number of properties and the number of adverts.
    pub async fn counts(&self) -> Result<(u64, u64), Error> {
        Ok(self.store.counts().await?)
    }

    /// Compacts the database file.
    pub async fn compact(&self) -> Result<(), Error> {
        Ok(self.store.compact().await?)
    }

    /// Returns a import_checkpoint saved by [`App::save_import_checkpoint`].
    pub async fn import_checkpoint(&self, name: String) -> Result<Option<String>, Error> {
        Ok(self.store.metadata(name).await?)
    }

    /// Saves how far a long-running command has come; `None` removes the import_checkpoint.
    pub async fn save_import_checkpoint(&self, name: String, value: Option<String>) -> Result<(), Error> {
        Ok(self.store.set_metadata(name, value).await?)
    }
}
