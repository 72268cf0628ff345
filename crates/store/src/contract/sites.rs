//! Sites that publish adverts, and the categories an operator sorts them into.

use async_trait::async_trait;
use domain::{
    FieldUpdate, Site, SiteCategory, SiteCategoryId, SiteCategoryName, SiteDirectory, SiteKey, SiteName,
};

use crate::error::Error;

/// Reads and edits the site directory.
#[async_trait]
pub trait SiteStore: Send + Sync + 'static {
    /// Returns all sites and categories; `None` if the directory is still at `known_revision`.
    ///
    /// The first advert that names a site adds it to the directory, in the same transaction. A site is removed only when its last
    /// advert is erased and no operator has named or categorised it.
    async fn site_directory(&self, known_revision: Option<u64>) -> Result<Option<SiteDirectory>, Error>;

    /// Creates or updates a site. Returns `None` and writes nothing if the category does not exist.
    async fn put_site(&self, site: PutSite) -> Result<Option<Site>, Error>;

    /// Creates a category. Returns `None` and writes nothing if the name is taken. Ids are never reused.
    async fn create_site_category(&self, name: SiteCategoryName) -> Result<Option<SiteCategory>, Error>;

    /// Renames a category. Writes nothing unless the outcome is [`RenameOutcome::Renamed`].
    async fn rename_site_category(
        &self,
        id: SiteCategoryId,
        name: SiteCategoryName,
    ) -> Result<RenameOutcome, Error>;

    /// Deletes a category and leaves its sites without one. Returns `false` if it does not exist.
    async fn delete_site_category(&self, id: SiteCategoryId) -> Result<bool, Error>;
}

/// An operator's change of a site.
#[derive(Debug, Clone)]
pub struct PutSite {
    pub key: SiteKey,
    pub name: FieldUpdate<Option<SiteName>>,
    pub category: FieldUpdate<Option<SiteCategoryId>>,
}

/// The result of renaming a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameOutcome {
    Renamed,
    /// There is no such category.
    NotFound,
    /// Another category has that name.
    NameTaken,
}
