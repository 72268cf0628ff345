//! A naive model of saved searches, which keeps every version.

use std::collections::{BTreeMap, BTreeSet};

use domain::criteria::Direction;
use domain::{SavedSearch, SearchId, SearchNumber, UserId, fold};
use store::{Change, CommitOutcome, ExpectedSearch, Position, PutSearch, SearchList, StoredSearch};

use super::reference::Conflict;

#[derive(Debug, Clone, Default)]
pub struct Searches {
    live: BTreeMap<SearchId, Live>,
    numbers_ever: BTreeSet<SearchNumber>,
}

#[derive(Debug, Clone)]
struct Live {
    /// `None` until the store has assigned it.
    number: Option<SearchNumber>,
    /// Each with the position of its log entry.
    versions: Vec<(Position, SavedSearch)>,
}

impl Live {
    fn stored(&self, index: usize) -> StoredSearch {
        StoredSearch {
            number: self.number.unwrap(),
            version: u32::try_from(index).unwrap() + 1,
            search: self.versions[index].1.clone(),
            last_alert_at: None,
        }
    }

    fn current(&self) -> StoredSearch {
        self.stored(self.versions.len() - 1)
    }
}

impl Searches {
    pub fn put(&mut self, put: &PutSearch, position: Position) -> Result<Change, CommitOutcome> {
        let PutSearch { search, expected } = put;
        let known = self.live.get_mut(&search.id);
        let version = match (expected, known) {
            (ExpectedSearch::New { owner_has_fewer_than }, None) => {
                let owned =
                    self.live.values().filter(|live| live.versions[0].1.owner == search.owner).count();
                if owned >= *owner_has_fewer_than as usize {
                    return Err(CommitOutcome::TooManySearches);
                }
                let versions = vec![(position, search.clone())];
                self.live.insert(search.id, Live { number: None, versions });
                1
            }
            (ExpectedSearch::Version(expected), Some(live))
                if live.versions.len() == *expected as usize && live.versions[0].1.owner == search.owner =>
            {
                live.versions.push((position, search.clone()));
                expected + 1
            }
            _ => return Err(Conflict.into()),
        };
        Ok(Change::Search { search: search.id, version })
    }

    pub fn remove(&mut self, search: SearchId, owner: UserId) -> Option<Change> {
        self.live.get(&search).filter(|live| live.versions[0].1.owner == owner)?;
        self.live.remove(&search);
        Some(Change::SearchRemoved { search })
    }

    /// Records the number that the store has assigned. It must be new.
    pub fn learn_number(&mut self, id: SearchId, number: SearchNumber) {
        let Some(live) = self.live.get_mut(&id) else { return };
        if live.number.is_none() {
            assert!(self.numbers_ever.insert(number), "{number:?} is assigned twice");
            live.number = Some(number);
        }
    }

    pub fn numbers_ever(&self) -> Vec<SearchNumber> {
        self.numbers_ever.iter().copied().collect()
    }

    pub fn current(&self, id: SearchId) -> Option<(u32, &SavedSearch)> {
        let versions = &self.live.get(&id)?.versions;
        versions.last().map(|(_, search)| (u32::try_from(versions.len()).unwrap(), search))
    }

    pub fn stored(&self, id: SearchId) -> Option<StoredSearch> {
        self.live.get(&id).map(Live::current)
    }

    /// Returns all searches in the order of their numbers.
    pub fn all(&self) -> Vec<StoredSearch> {
        let mut all: Vec<_> = self.live.values().map(Live::current).collect();
        all.sort_by_key(|stored| stored.number);
        all
    }

    pub fn at_version(&self, id: SearchId, version: u32, checkpoint: Position) -> Option<StoredSearch> {
        let live = self.live.get(&id)?;
        let index = (version as usize).checked_sub(1).filter(|index| *index < live.versions.len())?;
        let replaced = live.versions.get(index + 1).is_some_and(|(position, _)| *position <= checkpoint);
        (!replaced).then(|| live.stored(index))
    }

    pub fn at_position(&self, position: Position) -> Vec<StoredSearch> {
        let version = |live: &Live| {
            let index = live.versions.iter().rposition(|(made_at, _)| *made_at <= position)?;
            Some(live.stored(index))
        };
        let mut found: Vec<_> = self.live.values().filter_map(version).collect();
        found.sort_by_key(|stored| stored.number);
        found
    }

    /// Returns the searches of all pages.
    pub fn list(&self, selection: &SearchList) -> Vec<StoredSearch> {
        let SearchList { owner, title, enabled, by_title, skip: _, take: _ } = selection;
        let key = |stored: &StoredSearch| fold(stored.search.draft.title.as_str());
        let mut found = self.all();
        found.retain(|stored| stored.search.owner == *owner);
        found.retain(|stored| enabled.is_none_or(|enabled| stored.search.draft.alerts.enabled == enabled));
        found.retain(|stored| title.as_ref().is_none_or(|title| key(stored).contains(&fold(title))));
        match by_title {
            None => found.reverse(),
            Some(Direction::Ascending) => found.sort_by_key(key),
            Some(Direction::Descending) => {
                found.sort_by_key(key);
                found.reverse();
            }
        }
        found
    }
}
