//! Saved searches and their matches, as their owners see them.
//!
//! Only its owner sees a search. For any other user it does not exist.

use std::collections::HashMap;
use std::iter::successors;

use domain::ports::whole_second;
use domain::search::SearchDraft;
use domain::{
    Date, MatchId, Property, PropertyId, SavedSearch, SearchId, SearchRef, SearchToken, Timestamp, UserId,
};
use store::{
    ChangeSet, CommitOutcome, ExpectedSearch, MatchCounts, MatchRow, Position, PutSearch, SearchList,
    SearchPage, Step, StoredSearch, VersionLookup,
};

use crate::{App, Error};

/// A match with the version of the property that matched.
#[derive(Debug, Clone)]
pub struct MatchedProperty {
    pub row: MatchRow,
    pub property: Property,
}

/// More matches of one search are not counted. Counting as many takes a few milliseconds, and a page has thirty searches.
pub const COUNTED_MATCHES_MAX: u64 = 100_000;

/// How many matches a search had on each of the last days.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyMatches {
    /// The oldest first. The last one is today, in the time zone of the service.
    pub days: Vec<(Date, u64)>,
    /// `false` if there were more than [`COUNTED_MATCHES_MAX`]. Then the oldest ones are missing.
    pub is_complete: bool,
    /// The date of the newest match, however old it is.
    pub last_match_at: Option<Timestamp>,
}

impl App {
    /// Saves a search. Returns `None` if the owner already has `limit` searches.
    pub async fn create_search(
        &self,
        owner: UserId,
        draft: SearchDraft,
        limit: u32,
    ) -> Result<Option<StoredSearch>, Error> {
        let mut random = [0; SearchToken::BYTES];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        let now = whole_second(self.clock.now());
        let id = SearchId::from_uuid(self.ids.fresh());
        let token = SearchToken::new(random);
        let search = SavedSearch { id, owner, token, created_at: now, updated_at: now, draft };
        let expected = ExpectedSearch::New { owner_has_fewer_than: limit };
        match self.put_search(search, expected).await? {
            // Missing only if the owner deleted it concurrently.
            CommitOutcome::Committed(_) => self.search_of(owner, id).await?.ok_or(Error::Contended).map(Some),
            CommitOutcome::TooManySearches => Ok(None),
            CommitOutcome::Conflict => Err(Error::Contended),
        }
    }

    /// Returns a search of any owner, for the operator.
    pub async fn search(&self, id: SearchId) -> Result<Option<StoredSearch>, Error> {
        Ok(self.store.search(id).await?)
    }

    /// Returns a search, or `None` if `owner` does not own it.
    pub async fn search_of(&self, owner: UserId, id: SearchId) -> Result<Option<StoredSearch>, Error> {
        Ok(self.store.search(id).await?.filter(|stored| stored.search.owner == owner))
    }

    /// Returns a search named by its id or its token, or `None` if `owner` does not own it.
    pub async fn search_named(&self, owner: UserId, name: SearchRef) -> Result<Option<StoredSearch>, Error> {
        match name {
            SearchRef::Id(id) => self.search_of(owner, id).await,
            SearchRef::Token(token) => Ok(self.store.search_by_token(owner, token).await?),
        }
    }

    pub async fn searches_of(&self, list: SearchList) -> Result<SearchPage, Error> {
        Ok(self.store.list_searches(list).await?)
    }

    /// Changes a search. Returns `None` if it was changed or deleted since `stored` was read.
    pub async fn update_search(
        &self,
        stored: &StoredSearch,
        draft: SearchDraft,
    ) -> Result<Option<StoredSearch>, Error> {
        let updated_at = whole_second(self.clock.now());
        let search = SavedSearch { updated_at, draft, ..stored.search.clone() };
        let (owner, id) = (search.owner, search.id);
        match self.put_search(search, ExpectedSearch::Version(stored.version)).await? {
            CommitOutcome::Committed(_) => self.search_of(owner, id).await,
            CommitOutcome::Conflict | CommitOutcome::TooManySearches => Ok(None),
        }
    }

    /// Deletes a search and its matches, even if its record cannot be read. Returns `false` if the owner has no search of this name.
    pub async fn delete_search(&self, owner: UserId, name: SearchRef) -> Result<bool, Error> {
        let Some(id) = self.store.search_id(owner, name).await? else { return Ok(false) };
        let steps = vec![Step::RemoveSearch { search: id, owner }];
        self.store.commit(ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: None }).await?;
        Ok(true)
    }

    /// Returns a page of the matches of a search, newest first, and their total number. Matches of erased properties are left out
    /// of the page.
    pub async fn matches_of(
        &self,
        search: &StoredSearch,
        skip: u64,
        take: u64,
    ) -> Result<(u64, Vec<MatchedProperty>), Error> {
        let page = self.store.list_matches(search.number, skip, take).await?;
        Ok((page.total, self.with_properties(page.matches).await?))
    }

    /// Counts the matches of searches on each of the last `days` days, today included. Returns the counts in the order of the searches.
    pub async fn matches_by_day(
        &self,
        searches: &[StoredSearch],
        days: u16,
    ) -> Result<Vec<DailyMatches>, Error> {
        let today = self.day_of(self.clock.now());
        let mut dates: Vec<Date> =
            successors(Some(today), |day| day.yesterday().ok()).take(usize::from(days)).collect();
        dates.reverse();
        let start = |day: &Date| {
            let start = day.to_zoned(self.time_zone.clone());
            start.map_or(Timestamp::MIN, |start| start.timestamp())
        };
        let starts = dates.iter().map(start).collect();
        let numbers = searches.iter().map(|stored| stored.number).collect();
        let counted = self.store.count_matches(numbers, starts, COUNTED_MATCHES_MAX).await?;
        let daily = |counted: MatchCounts| {
            let MatchCounts { counts, is_complete, last_at } = counted;
            DailyMatches {
                days: dates.iter().copied().zip(counts).collect(),
                is_complete,
                last_match_at: last_at,
            }
        };
        Ok(counted.into_iter().map(daily).collect())
    }

    /// Returns a match and its search, or `None` if `owner` does not own them.
    pub async fn match_of(
        &self,
        owner: UserId,
        id: MatchId,
    ) -> Result<Option<(StoredSearch, MatchedProperty)>, Error> {
        let Some((number, position)) = id.parts() else { return Ok(None) };
        let search = self.store.search_by_number(number).await?;
        let Some(search) = search.filter(|stored| stored.search.owner == owner) else { return Ok(None) };
        let Some(row) = self.store.find_match(number, Position(position)).await? else {
            return Ok(None);
        };
        Ok(self.with_properties(vec![row]).await?.pop().map(|matched| (search, matched)))
    }

    /// Returns `true` if a search has a match with a property.
    pub async fn is_matched(&self, search: &StoredSearch, property: PropertyId) -> Result<bool, Error> {
        let matched = self.store.matched_searches(vec![property]).await?;
        Ok(matched.get(&property).is_some_and(|searches| searches.contains(&search.number)))
    }

    async fn with_properties(&self, rows: Vec<MatchRow>) -> Result<Vec<MatchedProperty>, Error> {
        let versions = rows.iter().map(|row| (row.property, row.version)).collect();
        let versions = self.store.properties_at(versions).await?;
        // A version that contained only adverts that were erased since is gone, and a damaged one cannot be shown. The property
        // itself may still exist.
        let gone = rows.iter().zip(&versions).filter(|(_, it)| !matches!(it, VersionLookup::Intact(_)));
        let gone: Vec<_> = gone.map(|(row, _)| row.property).collect();
        let mut current = if gone.is_empty() { HashMap::new() } else { self.properties(gone).await? };
        let with_property = |(row, version): (MatchRow, VersionLookup)| {
            let property = version.intact().or_else(|| current.remove(&row.property))?;
            Some(MatchedProperty { row, property })
        };
        Ok(rows.into_iter().zip(versions).filter_map(with_property).collect())
    }

    async fn put_search(
        &self,
        search: SavedSearch,
        expected: ExpectedSearch,
    ) -> Result<CommitOutcome, Error> {
        let steps = vec![Step::PutSearch(PutSearch { search, expected })];
        Ok(self.store.commit(ChangeSet { recorded_at: self.clock.now(), steps, grouped_at: None }).await?)
    }
}
