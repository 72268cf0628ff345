//! Sites and their categories: known from adverts, named and sorted by the operator.

use std::sync::{Arc, Mutex, PoisonError};

use domain::{Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory};
use store::{PutSite, RenameOutcome};

use crate::{App, Error};

/// The directory as it was last read.
#[derive(Debug, Default)]
pub(crate) struct KnownSites(Mutex<Option<Arc<SiteDirectory>>>);

impl KnownSites {
    fn get(&self) -> Option<Arc<SiteDirectory>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Keeps what was read, unless somebody has read something newer meanwhile.
    fn keep(&self, read: SiteDirectory) -> Arc<SiteDirectory> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some(newer) if newer.revision() >= read.revision() => Arc::clone(newer),
            Some(_) | None => Arc::clone(known.insert(Arc::new(read))),
        }
    }
}

impl App {
    /// All sites and categories as they are now. The store is asked at every call whether something has changed, so that what
    /// an operator says beside a running server counts at once; it is read again only when something has.
    pub async fn sites(&self) -> Result<Arc<SiteDirectory>, Error> {
        let known = self.sites.get();
        let revision = known.as_ref().map(|known| known.revision());
        match (self.store.site_directory(revision).await?, known) {
            (Some(read), _) => Ok(self.sites.keep(read)),
            (None, Some(known)) => Ok(known),
            (None, None) => Ok(Arc::default()),
        }
    }

    /// The same for whoever searches, without asking the store: as the index's follower last saw them. It looks before what is
    /// new can be found, and a few times a second for what other processes say; what this process says counts at once.
    pub async fn sites_for_search(&self) -> Result<Arc<SiteDirectory>, Error> {
        match self.sites.get() {
            Some(known) if self.search.is_some() => Ok(known),
            _ => self.sites().await,
        }
    }

    /// Names or categorises a site, and makes it known if it is not yet; nothing when there is no such category.
    pub async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error> {
        let outcome = self.store.put_site(site).await?;
        self.sites().await?;
        Ok(outcome)
    }

    /// Makes a category; nothing when there is one of that name.
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

    /// Deletes a category and leaves its sites without one; `false` when there is none of that id.
    pub async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error> {
        let outcome = self.store.delete_site_category(id).await?;
        self.sites().await?;
        Ok(outcome)
    }
}
