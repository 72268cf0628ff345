//! Saved searches: ownership, limits, lists, and their state at a log position.

use domain::criteria::{Direction, RawCriterion};
use domain::{SavedSearch, SearchNumber};
use store::prelude::*;
use store::{CommitOutcome, Expected, MatchBatch, Position, SearchList, SearchPage, Step, StoredSearch};
use testkit::Random;
use testkit::build::{
    advert, advert_id, at, property, raw_criteria, saved_search, search_id, short_text, user_id,
};
use tokio::task::JoinSet;

use crate::backend::{Backend, Opened};
use crate::changes::{
    change, change_search, commit, create, create_search, create_search_below, refuse, remove_search, set,
    whole_log,
};
/// A search with an owner and a title.
pub fn search_of(owner: u64, number: u64, title: &str) -> SavedSearch {
    let mut search = saved_search(number);
    search.owner = user_id(owner);
    search.draft.title = short_text(title);
    search
}

async fn numbers(store: &impl Store, searches: &[SavedSearch]) -> Vec<SearchNumber> {
    let mut numbers = Vec::new();
    for search in searches {
        numbers.push(store.search(search.id).await.unwrap().unwrap().number);
    }
    numbers
}

/// Advances the matcher's checkpoint without matches.
pub async fn pass(store: &impl Store, until: Position) {
    let after = store.matcher_checkpoint().await.unwrap();
    assert!(store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await.unwrap());
}

pub async fn search_is_found_by_id_and_number<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mut search = search_of(1, 1, "Maison à Annecy");
    search.created_at = domain::Timestamp::from_millisecond(1_700_000_000_123).unwrap();
    search.draft.raw_criteria = raw_criteria([
        ("budgetMax", RawCriterion::Number(0.1 + 0.2)),
        ("includedCities", RawCriterion::Cities(vec![74_010])),
        ("withVirtualTour", RawCriterion::Flag(true)),
    ]);
    commit(&*store, [create_search(&search)]).await;
    let store = store.reopened().await;
    let stored = store.search(search.id).await.unwrap().unwrap();
    assert_eq!(
        stored,
        StoredSearch { number: stored.number, version: 1, search: search.clone(), last_alert_at: None }
    );
    assert_eq!(store.search_by_number(stored.number).await.unwrap(), Some(stored.clone()));
    assert_eq!(store.search_at(search.id, 1).await.unwrap(), Some(stored));
    assert_eq!(store.search(search_id(2)).await.unwrap(), None);
    assert_eq!(store.search_by_number(SearchNumber(0)).await.unwrap(), None);
    assert_eq!(store.search_by_number(SearchNumber(u32::MAX)).await.unwrap(), None);
    assert_eq!(store.search_at(search.id, 2).await.unwrap(), None);
}

pub async fn search_is_found_by_its_token<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let searches = [search_of(1, 1, "Une"), search_of(1, 2, "Deux"), search_of(2, 3, "Trois")];
    commit(&*store, searches.iter().map(create_search)).await;
    let store = store.reopened().await;
    for search in &searches {
        let expected = store.search(search.id).await.unwrap();
        assert!(expected.is_some());
        assert_eq!(store.search_by_token(search.owner, search.token.clone()).await.unwrap(), expected);
    }
    let [first, second, third] = searches;
    assert_eq!(store.search_by_token(user_id(1), third.token).await.unwrap(), None);
    assert_eq!(store.search_by_token(user_id(1), saved_search(9).token).await.unwrap(), None);
    // A changed search keeps its token, and a deleted one has none.
    commit(&*store, [change_search(&search_of(1, 1, "Autre"), 1), remove_search(second.id)]).await;
    let found = store.search_by_token(user_id(1), first.token).await.unwrap().unwrap();
    assert_eq!(found.search.draft.title.as_str(), "Autre");
    assert_eq!(store.search_by_token(user_id(1), second.token).await.unwrap(), None);
}

pub async fn only_the_owner_changes_or_deletes_a_search<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mine = search_of(1, 1, "À moi");
    commit(&*store, [create_search(&mine)]).await;
    let before = store.search(mine.id).await.unwrap();
    let theirs = search_of(2, 1, "À eux");
    refuse(&*store, [change_search(&theirs, 1)]).await;
    refuse(&*store, [create_search(&theirs)]).await;
    refuse(&*store, [create_search(&mine)]).await;
    refuse(&*store, [change_search(&mine, 0)]).await;
    refuse(&*store, [change_search(&mine, 2)]).await;
    refuse(&*store, [change_search(&saved_search(9), 1)]).await;
    let removal = Step::RemoveSearch { search: mine.id, owner: user_id(2) };
    assert_eq!(commit(&*store, [removal.clone()]).await, Position::START, "there is nothing to write");
    assert_eq!(store.search(mine.id).await.unwrap(), before);
    assert_eq!(whole_log(&*store).await.len(), 1);

    // Deleting a missing search does not prevent the rest of the set.
    let other = search_of(2, 2, "Autre");
    assert_eq!(commit(&*store, [create_search(&other), removal]).await, Position(2));
    assert_eq!(commit(&*store, [remove_search(mine.id)]).await, Position(3));
    assert_eq!(store.search(mine.id).await.unwrap(), None);
    assert_eq!(commit(&*store, [remove_search(mine.id)]).await, Position::START, "it was deleted before");
}

pub async fn search_limit_per_owner_is_enforced<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let too_many = |steps: Vec<Step>| {
        let store = store.shared();
        async move { assert_eq!(store.commit(set(steps)).await.unwrap(), CommitOutcome::TooManySearches) }
    };
    let search = |number| search_of(1, number, "x");
    too_many(vec![create_search_below(&search(1), 0)]).await;
    commit(&*store, [create_search_below(&search(1), 2), create_search_below(&search(2), 2)]).await;
    // The whole set is rolled back, and changing a search does not count as creating one.
    let target = property(1, [advert(1).build()]);
    too_many(vec![create(&target, Expected::New), create_search_below(&search(3), 2)]).await;
    assert_eq!(store.counts().await.unwrap(), (0, 0));
    assert_eq!(whole_log(&*store).await.len(), 2);
    commit(&*store, [change_search(&search(2), 1)]).await;
    // Other owners have their own limit, and a deletion makes room.
    commit(&*store, [create_search_below(&search_of(2, 4, "x"), 1)]).await;
    commit(&*store, [remove_search(search_id(1)), create_search_below(&search(3), 2)]).await;
    let store = store.reopened().await;
    let refused = store.commit(set([create_search_below(&search(5), 2)])).await.unwrap();
    assert_eq!(refused, CommitOutcome::TooManySearches);
    assert_eq!(store.count_searches().await.unwrap(), 3);
}

pub async fn concurrent_creation_at_the_limit_succeeds_once<B: Backend>() {
    const CREATORS: u64 = 6;
    let opened = Opened::<B>::fresh().await;
    for limit in 1..=8 {
        let mut creators = JoinSet::new();
        for number in 0..CREATORS {
            let (store, search) = (opened.shared(), search_of(1, u64::from(limit) * 100 + number, "x"));
            creators.spawn(
                async move { store.commit(set([create_search_below(&search, limit)])).await.unwrap() },
            );
        }
        let outcomes = creators.join_all().await;
        let made = outcomes.iter().filter(|outcome| matches!(outcome, CommitOutcome::Committed(_))).count();
        assert_eq!(made, 1, "{outcomes:?}");
        assert_eq!(opened.count_searches().await.unwrap(), u64::from(limit));
    }
}

pub async fn search_numbers_are_never_reused<B: Backend>() {
    let mut store = Opened::<B>::fresh().await;
    let mut ever = std::collections::BTreeSet::new();
    for round in 0..4 {
        let searches: Vec<_> = (0..3).map(|number| search_of(1, number, "x")).collect();
        commit(&*store, searches.iter().map(create_search)).await;
        let assigned = numbers(&*store, &searches).await;
        assert!(assigned.is_sorted_by(|one, next| one < next), "in the order of creation: {assigned:?}");
        for number in assigned {
            assert!(number.0 > 0 && ever.insert(number), "{number:?} in round {round}");
        }
        // The number of a deleted search is not reused, not even the last one after a restart.
        commit(&*store, searches.iter().map(|search| remove_search(search.id))).await;
        store = store.reopened().await;
    }
    assert_eq!(store.count_searches().await.unwrap(), 0);
}

pub async fn searches_are_read_as_of_a_position<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let titled = |number, title| search_of(1, number, title);
    let target = property(1, [advert(1).build()]);
    commit(&*store, [create_search(&titled(1, "a1"))]).await; // 1
    commit(&*store, [create_search(&titled(2, "b1"))]).await; // 2
    commit(&*store, [create(&target, Expected::New)]).await; // 3
    commit(&*store, [change_search(&titled(1, "a2"), 1)]).await; // 4
    commit(&*store, [change_search(&titled(1, "a3"), 2)]).await; // 5
    commit(&*store, [create_search(&titled(3, "c1"))]).await; // 6
    commit(&*store, [change(&target, Expected::Revision(1), advert_id(1))]).await; // 7
    commit(&*store, [change_search(&titled(2, "b2"), 1)]).await; // 8
    let read = async |position| {
        let found = store.searches_at(Position(position), None, 100).await.unwrap();
        let titles = found.iter().map(|stored| stored.search.draft.title.to_string());
        titles.collect::<Vec<_>>().join(" ")
    };
    let expected = ["", "a1", "a1 b1", "a1 b1", "a2 b1", "a3 b1", "a3 b1 c1", "a3 b1 c1", "a3 b2 c1"];
    for (position, titles) in (0..).zip(expected) {
        assert_eq!(read(position).await, titles, "at {position}");
    }
    // As the checkpoint advances, versions before it may be deleted; later ones may not.
    for until in 1..=8 {
        pass(&*store, Position(until)).await;
        for (position, titles) in (0..).zip(expected).skip(usize::try_from(until).unwrap()) {
            assert_eq!(read(position).await, titles, "at {position}, the matcher at {until}");
        }
    }
    for (version, kept) in [(1, false), (2, false), (3, true)] {
        assert_eq!(store.search_at(search_id(1), version).await.unwrap().is_some(), kept, "{version}");
    }
    commit(&*store, [remove_search(search_id(2))]).await;
    assert_eq!(read(8).await, "a3 c1", "searches deleted since are left out");

    // Any limit works, with searches created later in between.
    for limit in 1..4 {
        let mut after = None;
        let mut found = Vec::new();
        loop {
            let piece = store.searches_at(Position(8), after, limit).await.unwrap();
            let Some(last) = piece.last() else { break };
            after = Some(last.number);
            found.extend(piece.into_iter().map(|stored| stored.search.id));
        }
        assert_eq!(found, [1, 3].map(search_id));
    }
}

pub async fn list_returns_one_owner_in_the_requested_order<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mut random = Random::new(testkit::random::seed());
    let words = ["Maison", "ÉTUDE", "étude", "lac", "l'Haÿ", "vue", "T3"];
    let mut all = Vec::new();
    for number in 0..60 {
        let title = format!("{} {}", random.pick(&words), random.pick(&words));
        let mut search = search_of(1 + random.below(2), number, &title);
        search.draft.alerts.enabled = random.once_in(2);
        all.push(search);
    }
    commit(&*store, all.iter().map(create_search)).await;
    for title in [None, Some("ETUDE"), Some("hay"), Some("tude l"), Some("  lac - "), Some("rien"), Some("-")]
    {
        for enabled in [None, Some(true), Some(false)] {
            for by_title in [None, Some(Direction::Ascending), Some(Direction::Descending)] {
                let selection = |skip, take| SearchList {
                    owner: user_id(1),
                    title: title.map(str::to_owned),
                    enabled,
                    by_title,
                    skip,
                    take,
                };
                let key = |search: &SavedSearch| domain::fold(search.draft.title.as_str());
                let mut expected: Vec<_> = all
                    .iter()
                    .filter(|search| search.owner == user_id(1))
                    .filter(|search| enabled.is_none_or(|enabled| search.draft.alerts.enabled == enabled))
                    .filter(|search| {
                        // No title key contains punctuation.
                        title
                            .map(domain::fold)
                            .is_none_or(|part| !part.is_empty() && key(search).contains(&part))
                    })
                    .cloned()
                    .collect();
                if by_title.is_some() {
                    expected.sort_by_key(key);
                }
                if by_title != Some(Direction::Ascending) {
                    expected.reverse();
                }
                let (mut read, take) = (Vec::new(), 1 + random.below(20));
                loop {
                    let page = store.list_searches(selection(read.len() as u64, take)).await.unwrap();
                    assert_eq!(page.total, expected.len() as u64, "{:?}", selection(0, take));
                    if page.searches.is_empty() {
                        break;
                    }
                    read.extend(page.searches.into_iter().map(|stored| stored.search));
                }
                assert_eq!(read, expected, "{:?}", selection(0, take));
            }
        }
    }
    let unknown_owner =
        SearchList { owner: user_id(3), title: None, enabled: None, by_title: None, skip: 0, take: u64::MAX };
    assert_eq!(store.list_searches(unknown_owner).await.unwrap(), SearchPage::default());
    assert_eq!(store.count_searches().await.unwrap(), all.len() as u64);

    // A new title changes the order.
    let mut renamed = all.iter().find(|search| search.owner == user_id(1)).unwrap().clone();
    renamed.draft.title = short_text("aaa");
    renamed.updated_at = at(9_000);
    commit(&*store, [change_search(&renamed, 1)]).await;
    let first = SearchList {
        owner: user_id(1),
        title: None,
        enabled: None,
        by_title: Some(Direction::Ascending),
        skip: 0,
        take: 1,
    };
    assert_eq!(store.list_searches(first).await.unwrap().searches[0].search, renamed);
}
