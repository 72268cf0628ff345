//! Saved searches and their matches, as their owners see them.
//!
//! A search is its owner's alone: whoever else asks is told that there is none.

use std::collections::HashMap;

use domain::ports::whole_second;
use domain::search::SearchDraft;
use domain::{MatchId, Property, PropertyId, SavedSearch, SearchId, SearchToken, UserId};
use store::{
    ChangeSet, CommitOutcome, ExpectedSearch, MatchRow, Position, PutSearch, SearchList, SearchPage, Step,
    StoredSearch,
};

use crate::{App, Error};

/// A match with the property as it was then.
#[derive(Debug, Clone)]
pub struct MatchSeen {
    pub row: MatchRow,
    pub property: Property,
}

impl App {
    /// Saves a search; nothing when its owner has `limit` already.
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
            // Not there any more only if its owner was faster than this answer.
            CommitOutcome::Committed(_) => self.search_of(owner, id).await?.ok_or(Error::Contended).map(Some),
            CommitOutcome::TooManySearches => Ok(None),
            CommitOutcome::Conflict => Err(Error::Contended),
        }
    }

    pub async fn search_of(&self, owner: UserId, id: SearchId) -> Result<Option<StoredSearch>, Error> {
        Ok(self.store.search(id).await?.filter(|stored| stored.search.owner == owner))
    }

    pub async fn searches_of(&self, asked: SearchList) -> Result<SearchPage, Error> {
        Ok(self.store.list_searches(asked).await?)
    }

    /// Changes a search; nothing when somebody else has changed or deleted it since it was read.
    pub async fn update_search(
        &self,
        known: &StoredSearch,
        draft: SearchDraft,
    ) -> Result<Option<StoredSearch>, Error> {
        let updated_at = whole_second(self.clock.now());
        let search = SavedSearch { updated_at, draft, ..known.search.clone() };
        let (owner, id) = (search.owner, search.id);
        match self.put_search(search, ExpectedSearch::Version(known.version)).await? {
            CommitOutcome::Committed(_) => self.search_of(owner, id).await,
            CommitOutcome::Conflict | CommitOutcome::TooManySearches => Ok(None),
        }
    }

    /// Deletes a search with its matches; `false` when the owner has none of that id.
    pub async fn delete_search(&self, owner: UserId, id: SearchId) -> Result<bool, Error> {
        if self.search_of(owner, id).await?.is_none() {
            return Ok(false);
        }
        let steps = vec![Step::RemoveSearch { search: id, owner }];
        self.store.commit(ChangeSet { recorded_at: self.clock.now(), steps }).await?;
        Ok(true)
    }

    /// Matches of a search, the newest first, and how many there are. One whose property was erased is left out.
    pub async fn matches_of(
        &self,
        search: &StoredSearch,
        skip: u64,
        take: u64,
    ) -> Result<(u64, Vec<MatchSeen>), Error> {
        let page = self.store.list_matches(search.number, skip, take).await?;
        Ok((page.total, self.seen(page.matches).await?))
    }

    /// A match and the search it belongs to; nothing when it is not its owner who asks.
    pub async fn match_of(
        &self,
        owner: UserId,
        id: MatchId,
    ) -> Result<Option<(StoredSearch, MatchSeen)>, Error> {
        let Some((number, first_told_at)) = id.parts() else { return Ok(None) };
        let search = self.store.search_by_number(number).await?;
        let Some(search) = search.filter(|stored| stored.search.owner == owner) else { return Ok(None) };
        let Some(row) = self.store.find_match(number, Position(first_told_at)).await? else {
            return Ok(None);
        };
        Ok(self.seen(vec![row]).await?.pop().map(|seen| (search, seen)))
    }

    /// Whether a search and a property have a match.
    pub async fn is_matched(&self, search: &StoredSearch, property: PropertyId) -> Result<bool, Error> {
        let matched = self.store.matched_searches(vec![property]).await?;
        Ok(matched.get(&property).is_some_and(|searches| searches.contains(&search.number)))
    }

    async fn seen(&self, rows: Vec<MatchRow>) -> Result<Vec<MatchSeen>, Error> {
        let wanted = rows.iter().map(|row| (row.property, row.version)).collect();
        let versions = self.store.properties_at(wanted).await?;
        // Of a version that held nothing but what was erased since, nothing is left. What has come to that property since is.
        let lost = rows.iter().zip(&versions).filter(|(_, version)| version.is_none());
        let lost: Vec<_> = lost.map(|(row, _)| row.property).collect();
        let mut present = if lost.is_empty() { HashMap::new() } else { self.properties(lost).await? };
        let seen = |(row, version): (MatchRow, Option<Property>)| {
            let property = version.or_else(|| present.remove(&row.property))?;
            Some(MatchSeen { row, property })
        };
        Ok(rows.into_iter().zip(versions).filter_map(seen).collect())
    }

    async fn put_search(
        &self,
        search: SavedSearch,
        expected: ExpectedSearch,
    ) -> Result<CommitOutcome, Error> {
        let steps = vec![Step::PutSearch(PutSearch { search, expected })];
        Ok(self.store.commit(ChangeSet { recorded_at: self.clock.now(), steps }).await?)
    }
}
