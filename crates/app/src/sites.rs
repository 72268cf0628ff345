//! Sites and their categories. Adverts introduce sites; the operator names and categorises them.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory};
use store::{PutSite, RenameOutcome};

use crate::{App, Error};

/// The site directory as it was last read.
#[derive(Debug, Default)]
pub(crate) struct SiteCache(Mutex<Option<Arc<SiteDirectory>>>);

impl SiteCache {
    fn get(&self) -> Option<Arc<SiteDirectory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Stores a directory, unless a newer one was stored in the meantime.
    fn put(&self, read: SiteDirectory) -> Arc<SiteDirectory> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some(newer) if newer.revision() >= read.revision() => Arc::clone(newer),
            Some(_) | None => Arc::clone(cached.insert(Arc::new(read))),
        }
    }
}

impl App {
    /// Returns the current site directory. Every call asks the store whether the directory has changed, so that a change by a
    /// command-line process takes effect at once; the directory is read again only if it has.
    pub async fn sites(&self) -> Result<Arc<SiteDirectory>, Error> {
        let cached = self.sites.get();
        let revision = cached.as_ref().map(|cached| cached.revision());
        match (self.store.site_directory(revision).await?, cached) {
            (Some(read), _) => Ok(self.sites.put(read)),
            (None, Some(cached)) => Ok(cached),
            (None, None) => Ok(Arc::default()),
        }
    }

    /// Returns the site directory for a search, without asking the store. The indexer refreshes it before new properties become
    /// searchable, and a few times a second for changes by other processes; changes by this process take effect at once.
    pub async fn sites_for_search(&self) -> Result<Arc<SiteDirectory>, Error> {
        match self.sites.get() {
            Some(cached) if self.index.is_some() => Ok(cached),
            _ => self.sites().await,
        }
    }

    /// Names or categorises a site, and creates it if necessary. Returns `None` if the category does not exist.
    pub async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error> {
        let outcome = self.store.put_site(site).await?;
        self.sites().await?;
        Ok(outcome)
    }

    /// Creates a category. Returns `None` if the name is taken.
    pub async fn create_site_category(&self, name: SiteCategoryName) -> Result<Option<SiteCategory>, Error> {
        let outcome = self.store.create_site_category(name).await?;
        self.sites().await?;
        Ok(outcome)
    }

    pub async fn rename_site_category(
        &self,
        id: SiteCategoryId,
        name: SiteCategoryName,
    ) -> Result<RenameOutcome, Error> {
        let outcome = self.store.rename_site_category(id, name).await?;
        self.sites().await?;
        Ok(outcome)
    }

    /// Deletes a category; its sites stay, without a category. Returns `false` if no category has this id.
    pub async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error> {
        let outcome = self.store.delete_site_category(id).await?;
        self.sites().await?;
        Ok(outcome)
    }
}
