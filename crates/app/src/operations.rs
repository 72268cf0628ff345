//! Operator tasks: health checks, counts, compaction, verification and the bookmarks of interrupted imports.

use domain::{AdvertId, Identity};
use store::{Finding, Position, RecordKind, Repair, StoreFailure, VerifyCursor, VerifyPage};

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

    /// Returns the identity of a database that other servers may use at the same time; `None` if this server has its own.
    pub fn shared_identity(&self) -> Option<&str> {
        self.store.shared_identity()
    }

    /// Returns why the store accepts no more writes; `None` while it does.
    pub fn store_failure(&self) -> Option<StoreFailure> {
        *self.store.failure().borrow()
    }

    /// Waits until the store accepts no more writes.
    pub async fn wait_for_store_failure(&self) -> StoreFailure {
        let mut failure = self.store.failure();
        let is_known = failure.wait_for(Option::is_some).await.is_ok();
        if !is_known {
            // The store is closed: the process is about to end.
            std::future::pending::<()>().await;
        }
        failure.borrow().unwrap_or(StoreFailure::WriterEnded)
    }

    /// Returns how many damaged records this process has met, by kind.
    pub fn damaged_records(&self) -> Vec<(RecordKind, u64)> {
        self.store.damage()
    }

    /// Checks the next records of the store. Start with the default cursor, and go on with the rest of the page.
    pub async fn verify(&self, cursor: VerifyCursor) -> Result<VerifyPage, Error> {
        Ok(self.store.verify(cursor).await?)
    }

    /// Repairs what a verification found.
    pub async fn repair(&self, finding: Finding) -> Result<Repair, Error> {
        Ok(self.store.repair(finding, self.clock.now()).await?)
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
