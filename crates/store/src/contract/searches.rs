//! Saved searches: current state, state at a log position, lists.

use async_trait::async_trait;
use domain::criteria::Direction;
use domain::{SavedSearch, SearchId, SearchNumber, SearchRef, SearchToken, Timestamp, UserId};

use super::position::Position;
use crate::error::Error;

/// Reads saved searches. [`LogStore::commit`](crate::LogStore::commit) writes them.
#[async_trait]
pub trait SearchStore: Send + Sync + 'static {
    /// Returns a search; `None` if there is none with that id.
    async fn search(&self, id: SearchId) -> Result<Option<StoredSearch>, Error>;

    /// Returns a search; `None` if there is none with that number.
    async fn search_by_number(&self, number: SearchNumber) -> Result<Option<StoredSearch>, Error>;

    /// Returns the search of an owner with this token.
    async fn search_by_token(&self, owner: UserId, token: SearchToken)
    -> Result<Option<StoredSearch>, Error>;

    /// Looks searches up. Returns one element per number, in the order of the request.
    async fn searches_by_number(&self, numbers: Vec<SearchNumber>) -> Result<Vec<SearchLookup>, Error>;

    /// Returns the id of an owner's search with this id or token, whether its record can be read or not.
    async fn search_id(&self, owner: UserId, name: SearchRef) -> Result<Option<SearchId>, Error>;

    /// Lists the searches of one owner. A damaged one is left out of the page and still counted.
    async fn list_searches(&self, list: SearchList) -> Result<SearchPage, Error>;

    /// Returns at most `limit` searches after a number, in ascending order of numbers, each as of a position of the log: searches
    /// created later are left out, and searches changed later are returned in their previous version. Searches deleted since are
    /// left out too. `position` must not be before the matcher's checkpoint. A search whose record is damaged is left out and
    /// logged, because it must not stop the matching of the others.
    async fn searches_at(
        &self,
        position: Position,
        after: Option<SearchNumber>,
        limit: usize,
    ) -> Result<Vec<StoredSearch>, Error>;

    /// Returns a search at a version named by the log; `None` if the search was deleted since or if the matcher's checkpoint is past
    /// that version.
    async fn search_at(&self, id: SearchId, version: u32) -> Result<Option<StoredSearch>, Error>;

    /// Returns `true` if a search once had another e-mail address than now, or the same one before it was removed and given again.
    async fn recipient_was_changed(&self, number: SearchNumber) -> Result<bool, Error>;

    /// Returns the number of searches of all owners.
    async fn count_searches(&self) -> Result<u64, Error>;
}

/// A saved search with the state the store adds to it. Dates are kept to the millisecond.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSearch {
    pub number: SearchNumber,
    /// Counts the changes of the search, from 1.
    pub version: u32,
    pub search: SavedSearch,
    /// When a notification was last delivered for the search.
    pub last_alert_at: Option<Timestamp>,
}

/// The result of looking one search up.
#[derive(Debug, Clone, PartialEq)]
pub enum SearchLookup {
    Found(Box<StoredSearch>),
    /// The search never existed or was deleted.
    NotFound,
    /// The search exists and its record cannot be read.
    Damaged,
}

/// Selects searches of one owner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchList {
    pub owner: UserId,
    /// Only searches with this text in their title, ignoring case and accents.
    pub title: Option<String>,
    /// Only searches whose notifications are on (`true`) or off (`false`).
    pub enabled: Option<bool>,
    /// Sorts by title, ignoring case and accents; `None` sorts the newest first.
    pub by_title: Option<Direction>,
    pub skip: u64,
    pub take: u64,
}

/// A page of an owner's searches.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchPage {
    /// The number of searches on all pages.
    pub total: u64,
    pub searches: Vec<StoredSearch>,
}

/// A saved search as it is to be stored.
///
/// Cancels the pending deliveries of every channel that has no recipient any more, because notifications were switched off or the
/// address was removed. They stay cancelled if the channel gets a recipient again.
#[derive(Debug, Clone)]
pub struct PutSearch {
    pub search: SavedSearch,
    pub expected: ExpectedSearch,
}

/// The state the writer of a search built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExpectedSearch {
    /// There is no search with that id, and the owner has fewer than this many.
    New { owner_has_fewer_than: u32 },
    /// The search was at this version.
    Version(u32),
}
