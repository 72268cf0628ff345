//! Builders for change sets as ingest writes them, and reads that many tests share.

use domain::{
    Advert, AdvertEvent, AdvertField, AdvertId, Identity, Property, PropertyId, SavedSearch, SearchId,
};
use store::prelude::*;
use store::{
    Change, ChangeSet, CommitOutcome, Expected, ExpectedSearch, LogEntry, Position, PutCause, PutProperty,
    PutSearch, Step, StoredProperty,
};
use testkit::build::{at, user_id};

/// The date at which these sets are recorded.
pub const RECORDED_AT_SECOND: i64 = 5_000;

pub fn set(steps: impl IntoIterator<Item = Step>) -> ChangeSet {
    ChangeSet { recorded_at: at(RECORDED_AT_SECOND), steps: steps.into_iter().collect(), grouped_at: None }
}

pub fn put(property: &Property, expected: Expected, advert: AdvertId, cause: PutCause) -> Step {
    Step::Put(PutProperty { property: property.clone().into(), expected, advert, cause, grouping: None })
}

/// The last advert of the property is new, and claims its own id.
pub fn create(property: &Property, expected: Expected) -> Step {
    let advert = property.adverts.last().unwrap();
    create_claiming(property, expected, Identity::Uuid(advert.id))
}

/// The last advert of the property is new, and claims this identity.
pub fn create_claiming(property: &Property, expected: Expected, claim: Identity) -> Step {
    let advert = property.adverts.last().unwrap();
    put(property, expected, advert.id, PutCause::Created { claim, events: creation(advert) })
}

pub fn change(property: &Property, expected: Expected, advert: AdvertId) -> Step {
    put(property, expected, advert, PutCause::Changed { events: title_event() })
}

pub fn crawl(property: &Property, expected: Expected, advert: AdvertId) -> Step {
    put(property, expected, advert, PutCause::Crawled)
}

pub fn leave(property: &Property, expected: Expected, advert: AdvertId) -> Step {
    put(property, expected, advert, PutCause::Left)
}

/// The last advert of the property came from another one.
pub fn join(property: &Property, expected: Expected, from: PropertyId) -> Step {
    let advert = property.adverts.last().unwrap().id;
    regroup(property, expected, vec![advert], vec![from])
}

/// Adverts of the property came from others. The last one is the cause.
pub fn regroup(property: &Property, expected: Expected, moved: Vec<AdvertId>, from: Vec<PropertyId>) -> Step {
    let advert = property.adverts.last().unwrap().id;
    let cause = PutCause::Regrouped { moved, from, events: title_event(), automatic: false };
    put(property, expected, advert, cause)
}

pub fn remove(property: PropertyId, expected: Expected, advert: AdvertId) -> Step {
    Step::Remove { property, expected, advert, merged_into: None }
}

pub fn merge_into(property: PropertyId, expected: Expected, advert: AdvertId, into: PropertyId) -> Step {
    Step::Remove { property, expected, advert, merged_into: Some(into) }
}

/// Creates a search without a limit per owner.
pub fn create_search(search: &SavedSearch) -> Step {
    create_search_below(search, u32::MAX)
}

pub fn create_search_below(search: &SavedSearch, owner_has_fewer_than: u32) -> Step {
    let expected = ExpectedSearch::New { owner_has_fewer_than };
    Step::PutSearch(PutSearch { search: search.clone(), expected })
}

pub fn change_search(search: &SavedSearch, version: u32) -> Step {
    Step::PutSearch(PutSearch { search: search.clone(), expected: ExpectedSearch::Version(version) })
}

/// Deletes a search of the first user.
pub fn remove_search(search: SearchId) -> Step {
    Step::RemoveSearch { search, owner: user_id(1) }
}

pub fn creation(advert: &Advert) -> Vec<AdvertEvent> {
    vec![AdvertEvent::created(advert.created_at)]
}

pub fn title_event() -> Vec<AdvertEvent> {
    vec![AdvertEvent::field(at(4_000), AdvertField::Title)]
}

/// Commits steps that must succeed.
pub async fn commit(store: &impl Store, steps: impl IntoIterator<Item = Step>) -> Position {
    match store.commit(set(steps)).await.unwrap() {
        CommitOutcome::Committed(position) => position,
        refused => panic!("unexpectedly refused: {refused:?}"),
    }
}

/// Commits steps that must conflict.
pub async fn refuse(store: &impl Store, steps: impl IntoIterator<Item = Step>) {
    assert_eq!(store.commit(set(steps)).await.unwrap(), CommitOutcome::Conflict);
}

pub async fn current(store: &impl Store, id: PropertyId) -> Option<StoredProperty> {
    store.properties(vec![id]).await.unwrap().remove(&id)
}

pub async fn document_and_version(store: &impl Store, id: PropertyId) -> Option<(Property, u32)> {
    current(store, id).await.map(|stored| (stored.property, stored.version))
}

pub async fn located(store: &impl Store, identity: Identity) -> Option<(AdvertId, PropertyId)> {
    let found = store.locate(vec![identity]).await.unwrap();
    assert_eq!(found.len(), 1);
    found[0].map(|located| (located.advert, located.property))
}

/// Returns the whole log, and checks that its positions are dense.
pub async fn whole_log(store: &impl Store) -> Vec<LogEntry> {
    let entries = store.log_after(Position::START, usize::MAX).await.unwrap();
    for (expected, entry) in (1..).zip(&entries) {
        assert_eq!(entry.position, Position(expected), "positions are dense");
    }
    entries
}

pub async fn log_changes(store: &impl Store) -> Vec<Change> {
    whole_log(store).await.into_iter().map(|entry| entry.change).collect()
}
