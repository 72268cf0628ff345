//! Matches: recorded once, found by property, by search and by id, before and after indexing.

use std::collections::{BTreeMap, HashMap};

use domain::search::MatchChannel;
use domain::{EventName, MatchId, PropertyId, SearchNumber};
use store::prelude::*;
use store::{
    Expected, MatchBatch, MatchCounts, MatchGroup, MatchPage, MatchRow, Notification, OutboxEntry, Position,
    VersionLookup,
};
use testkit::Random;
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, search_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change, commit, crawl, create, create_search, join, leave, remove, remove_search};

fn numbers(numbers: impl IntoIterator<Item = u32>) -> Vec<SearchNumber> {
    numbers.into_iter().map(SearchNumber).collect()
}

/// A group without searches.
fn group(position: u64, property: u64, version: u32) -> MatchGroup {
    MatchGroup {
        position: Position(position),
        at: at(5_000),
        property: property_id(property),
        version,
        advert: advert_id(property),
        matched: Vec::new(),
        linked: Vec::new(),
        inherited: Vec::new(),
        outbox: Vec::new(),
    }
}

fn batch(after: u64, until: u64, groups: Vec<MatchGroup>) -> MatchBatch {
    MatchBatch { after: Position(after), until: Position(until), groups }
}

/// Creates searches, then properties of one advert each, and returns the numbers of the searches.
async fn store_with<B: Backend>(searches: u64, properties: u64) -> (Opened<B>, Vec<SearchNumber>) {
    let store = Opened::<B>::fresh().await;
    commit(&*store, (1..=searches).map(|number| create_search(&saved_search(number)))).await;
    let targets: Vec<_> = (1..=properties).map(|number| property(number, [advert(number).build()])).collect();
    commit(&*store, targets.iter().map(|target| create(target, Expected::New))).await;
    let mut numbers = Vec::new();
    for number in 1..=searches {
        numbers.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    (store, numbers)
}

async fn index_all(store: &impl Store, limit: usize) {
    while store.index_matches(limit).await.unwrap() {}
}

fn row(search: SearchNumber, property: PropertyId, version: u32, first_position: u64) -> MatchRow {
    MatchRow { id: MatchId::of(search, first_position), search, property, version, at: at(5_000) }
}

pub async fn recorded_groups_read_back_in_order<B: Backend>() {
    let (store, searches) = store_with::<B>(3, 4).await;
    let full = MatchGroup {
        matched: vec![searches[0], searches[2]],
        linked: vec![searches[1]],
        inherited: vec![searches[0]],
        outbox: vec![
            OutboxEntry {
                notification: Notification::Match(MatchChannel::Endpoint),
                searches: searches.clone(),
            },
            OutboxEntry {
                notification: Notification::Match(MatchChannel::Email),
                searches: vec![searches[1]],
            },
            OutboxEntry {
                notification: Notification::Event(EventName::UpdatePrice, 3),
                searches: vec![searches[2]],
            },
        ],
        ..group(4, 1, 1)
    };
    let all_events = MatchGroup {
        outbox: EventName::ALL
            .iter()
            .map(|event| OutboxEntry {
                notification: Notification::Event(*event, u16::MAX),
                searches: vec![searches[0]],
            })
            .collect(),
        ..group(6, 3, 1)
    };
    let far = MatchGroup { linked: numbers([1, 200, u32::MAX]), ..group(7, 4, 1) };
    // The group of property 2 is empty and is not stored.
    let groups = vec![full.clone(), group(5, 2, 1), all_events.clone(), far.clone()];
    assert!(store.record_matches(batch(0, 7, groups)).await.unwrap());
    let store = store.reopened().await;
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(7));
    let read = store.match_groups_after(Position::START, 100).await.unwrap();
    assert_eq!(read, [full.clone(), all_events.clone(), far.clone()]);
    assert_eq!(store.match_groups_after(Position(3), 2).await.unwrap(), [full, all_events]);
    assert_eq!(store.match_groups_after(Position(6), 2).await.unwrap(), [far]);
    assert_eq!(store.match_groups_after(Position(7), 2).await.unwrap(), []);
}

pub async fn batch_on_another_checkpoint_is_refused<B: Backend>() {
    let (store, searches) = store_with::<B>(1, 3).await;
    let matched =
        |position, property| MatchGroup { matched: searches.clone(), ..group(position, property, 1) };
    assert!(store.record_matches(batch(0, 2, vec![matched(2, 1)])).await.unwrap());
    for (after, until) in [(0, 3), (1, 3), (3, 4)] {
        let late = batch(after, until, vec![matched(until, 2)]);
        assert!(!store.record_matches(late).await.unwrap(), "{after}");
    }
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(2));
    assert_eq!(store.match_groups_after(Position::START, 9).await.unwrap(), [matched(2, 1)]);
    // Of two concurrent matchers, one succeeds.
    let (one, other) = tokio::join!(
        store.record_matches(batch(2, 4, vec![matched(4, 3)])),
        store.record_matches(batch(2, 4, vec![matched(4, 3)]))
    );
    assert_eq!(u8::from(one.unwrap()) + u8::from(other.unwrap()), 1);
    assert_eq!(store.match_groups_after(Position(2), 9).await.unwrap(), [matched(4, 3)]);
    // Groups outside the range of the batch, or in duplicate, are refused.
    for groups in [vec![matched(4, 3)], vec![matched(6, 3)], vec![matched(5, 1), matched(5, 2)]] {
        assert!(store.record_matches(batch(4, 5, groups)).await.is_err());
    }
    let out_of_order = MatchGroup { matched: numbers([2, 1]), ..group(5, 1, 1) };
    assert!(store.record_matches(batch(4, 5, vec![out_of_order])).await.is_err());
    assert_eq!(store.matcher_checkpoint().await.unwrap(), Position(4));
}

pub async fn matched_searches_are_found_by_property<B: Backend>() {
    let (store, searches) = store_with::<B>(3, 3).await;
    let groups = vec![
        MatchGroup { matched: vec![searches[0], searches[2]], ..group(4, 1, 1) },
        MatchGroup { linked: searches.clone(), ..group(5, 2, 1) },
    ];
    assert!(store.record_matches(batch(0, 6, groups)).await.unwrap());
    commit(&*store, [change(&property(1, [advert(1).build()]), Expected::Revision(1), advert_id(1))]).await;
    let later = MatchGroup { matched: vec![searches[1]], ..group(7, 1, 2) };
    assert!(store.record_matches(batch(6, 7, vec![later])).await.unwrap());
    let selection = [1, 2, 3, 9].map(property_id).to_vec();
    let expected = HashMap::from([(property_id(1), searches.clone())]);
    assert_eq!(store.matched_searches(selection.clone()).await.unwrap(), expected);
    index_all(&*store, 1).await;
    assert_eq!(store.matched_searches(selection).await.unwrap(), expected);
    assert_eq!(store.matched_searches(Vec::new()).await.unwrap(), HashMap::new());
}

pub async fn match_is_found_by_first_log_position<B: Backend>() {
    let (store, searches) = store_with::<B>(3, 2).await;
    let [linked_search, matches, nothing] = [searches[0], searches[1], searches[2]];
    let target = property(1, [advert(1).build()]);
    commit(&*store, [crawl(&target, Expected::Revision(1), advert_id(1))]).await; // 6, still version 1
    commit(&*store, [change(&target, Expected::Revision(2), advert_id(1))]).await; // 7, version 2
    commit(&*store, [change(&target, Expected::Revision(3), advert_id(1))]).await; // 8, version 3
    let groups = vec![
        MatchGroup { linked: vec![linked_search, matches], ..group(4, 1, 1) },
        MatchGroup { matched: vec![matches], linked: vec![linked_search], ..group(7, 1, 2) },
        MatchGroup { linked: vec![linked_search, matches], ..group(8, 1, 3) },
    ];
    assert!(store.record_matches(batch(0, 8, groups)).await.unwrap());
    for _ in 0..2 {
        let found = store.find_match(matches, Position(4)).await.unwrap();
        assert_eq!(
            found,
            Some(row(matches, property_id(1), 2, 4)),
            "a match takes precedence over an earlier link"
        );
        let found = store.find_match(linked_search, Position(4)).await.unwrap();
        assert_eq!(found, Some(row(linked_search, property_id(1), 1, 4)), "the first link");
        assert_eq!(store.find_match(nothing, Position(4)).await.unwrap(), None);
        // Entries that are not the first of a property, or not of a property.
        for position in [0, 1, 5, 6, 7, 8, 9, u64::MAX >> 2] {
            assert_eq!(store.find_match(matches, Position(position)).await.unwrap(), None, "{position}");
        }
        let page = MatchPage { total: 1, matches: vec![row(matches, property_id(1), 2, 4)] };
        assert_eq!(store.list_matches(matches, 0, 10).await.unwrap(), page);
        assert_eq!(
            store.list_matches(linked_search, 0, 10).await.unwrap(),
            MatchPage::default(),
            "hearing is no match"
        );
        index_all(&*store, 1).await;
    }
}

pub async fn inherited_searches_count_and_are_not_listed<B: Backend>() {
    let (store, searches) = store_with::<B>(3, 2).await;
    let [matches, heir, both] = [searches[0], searches[1], searches[2]];
    // Property 1 was first logged at position 4.
    let groups = vec![
        MatchGroup { matched: vec![matches, both], ..group(4, 1, 1) },
        MatchGroup { inherited: vec![heir, both], ..group(5, 2, 1) },
    ];
    assert!(store.record_matches(batch(0, 5, groups.clone())).await.unwrap());
    let store = store.reopened().await;
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap(), groups);
    for _ in 0..2 {
        let counted = store.matched_searches(vec![property_id(1), property_id(2)]).await.unwrap();
        let expected = [(property_id(1), vec![matches, both]), (property_id(2), vec![heir, both])];
        assert_eq!(counted, HashMap::from(expected));
        assert_eq!(store.list_matches(heir, 0, 10).await.unwrap(), MatchPage::default());
        assert_eq!(store.list_matches(both, 0, 10).await.unwrap().matches, [row(both, property_id(1), 1, 4)]);
        // An event about the property refers to it.
        let found = store.find_match(heir, Position(5)).await.unwrap();
        assert_eq!(found, Some(row(heir, property_id(2), 1, 5)));
        assert_eq!(store.find_match(matches, Position(5)).await.unwrap(), None);
        index_all(&*store, 10).await;
    }
}

pub async fn indexing_does_not_change_results<B: Backend>() {
    const SEARCHES: u32 = 12;
    const PROPERTIES: u64 = 300;
    let (store, searches) = store_with::<B>(u64::from(SEARCHES), PROPERTIES).await;
    let first = u64::from(SEARCHES);
    let mut random = Random::new(testkit::random::seed());
    let mut expected: BTreeMap<SearchNumber, Vec<MatchRow>> = BTreeMap::new();
    let mut recorded = 0;
    while recorded < PROPERTIES {
        match random.below(3) {
            0 => {
                let until = PROPERTIES.min(recorded + 1 + random.below(12));
                let mut groups = Vec::new();
                for number in recorded + 1..=until {
                    let position = first + number;
                    let mut group = group(position, number, 1);
                    group.matched = searches.iter().copied().filter(|_| random.once_in(3)).collect();
                    for search in &group.matched {
                        let rows = expected.entry(*search).or_default();
                        rows.insert(0, row(*search, property_id(number), 1, position));
                    }
                    groups.push(group);
                }
                let after = if recorded == 0 { 0 } else { first + recorded };
                assert!(store.record_matches(batch(after, first + until, groups)).await.unwrap());
                recorded = until;
            }
            1 => {
                store.index_matches(usize::try_from(random.below(30)).unwrap()).await.unwrap();
            }
            _ => {}
        }
        let search = *random.pick(&searches);
        let (skip, take) = (random.below(40), random.below(40));
        let page = store.list_matches(search, skip, take).await.unwrap();
        let all = expected.get(&search).cloned().unwrap_or_default();
        let window = all.iter().skip(skip as usize).take(take as usize);
        let window = MatchPage { total: all.len() as u64, matches: window.cloned().collect() };
        assert_eq!(page, window, "{search:?}, {skip} and {take}, {recorded} recorded");
    }
    index_all(&*store, 7).await;
    let store = store.reopened().await;
    for search in searches {
        let page = store.list_matches(search, 0, u64::MAX).await.unwrap();
        assert_eq!(page.matches, expected[&search]);
    }
}

pub async fn matches_are_counted_by_period<B: Backend>() {
    const PROPERTIES: u64 = 40;
    let (store, searches) = store_with::<B>(3, PROPERTIES).await;
    let [every, some, none] = [searches[0], searches[1], searches[2]];
    let unknown = SearchNumber(999);
    let starts: Vec<_> = [1_000, 1_010, 1_010, 1_030].map(at).to_vec();
    let counted = async |searches: &[SearchNumber], count_max: u64| {
        store.count_matches(searches.to_vec(), starts.clone(), count_max).await.unwrap()
    };
    let empty = MatchCounts { counts: vec![0; 4], is_complete: true, last_at: None };
    assert_eq!(counted(&searches, 100).await, vec![empty.clone(); 3], "before any match");
    // One match a second from 995 on, so that five are before the first period; of the second search, every tenth.
    let groups = (1..=PROPERTIES).map(|number| MatchGroup {
        at: at(994 + number as i64),
        matched: if number % 10 == 0 { vec![every, some] } else { vec![every] },
        linked: vec![none],
        ..group(3 + number, number, 1)
    });
    assert!(store.record_matches(batch(0, 3 + PROPERTIES, groups.collect())).await.unwrap());
    let all = MatchCounts { counts: vec![10, 0, 20, 5], is_complete: true, last_at: Some(at(1_034)) };
    let tenths = MatchCounts { counts: vec![1, 0, 2, 1], ..all.clone() };
    let cut = MatchCounts { counts: vec![0, 0, 15, 5], is_complete: false, ..all.clone() };
    // Before any match is indexed, while some are, and afterwards.
    for _ in 0..4 {
        let expected = [tenths.clone(), empty.clone(), all.clone(), empty.clone()];
        assert_eq!(counted(&[some, unknown, every, none], 35).await, expected);
        assert_eq!(counted(&[every], 20).await, std::slice::from_ref(&cut), "only the newest are counted");
        store.index_matches(20).await.unwrap();
    }
    assert_eq!(store.count_matches(vec![every], Vec::new(), 9).await.unwrap()[0].last_at, Some(at(1_034)));
    // The property of the last match is erased, and so is the match.
    store.erase(advert_id(PROPERTIES), at(9_000)).await.unwrap().unwrap();
    let counts = counted(&[every, some], 100).await;
    assert_eq!((&counts[0].counts[..], counts[0].last_at), (&[10, 0, 20, 4][..], Some(at(1_033))));
    assert_eq!((&counts[1].counts[..], counts[1].last_at), (&[1, 0, 2, 0][..], Some(at(1_024))));
    commit(&*store, [remove_search(search_id(1))]).await;
    assert_eq!(counted(&[every], 100).await, [empty]);
}

pub async fn matches_of_a_deleted_search_are_not_listed<B: Backend>() {
    let (store, searches) = store_with::<B>(2, 6).await;
    let group_of =
        |property: u64| MatchGroup { matched: searches.clone(), ..group(property + 2, property, 1) };
    assert!(store.record_matches(batch(0, 5, (1..=3).map(group_of).collect())).await.unwrap());
    index_all(&*store, 100).await;
    assert!(store.record_matches(batch(5, 6, vec![group_of(4)])).await.unwrap());
    // It is deleted at 9; the matcher, whose checkpoint is before that, still matches it.
    commit(&*store, [remove_search(search_id(1))]).await;
    assert!(store.record_matches(batch(6, 8, vec![group_of(5), group_of(6)])).await.unwrap());
    for _ in 0..2 {
        assert_eq!(store.list_matches(searches[0], 0, 10).await.unwrap(), MatchPage::default());
        assert_eq!(store.find_match(searches[0], Position(3)).await.unwrap(), None);
        assert_eq!(store.list_matches(searches[1], 0, 10).await.unwrap().total, 6);
        index_all(&*store, 1).await;
    }
    // Once the checkpoint is past the deletion, its rows are deleted; results do not change.
    crate::searches::pass(&*store, Position(9)).await;
    assert!(store.index_matches(2).await.unwrap());
    index_all(&*store, 2).await;
    assert!(!store.index_matches(2).await.unwrap());
    assert_eq!(store.list_matches(searches[1], 0, 10).await.unwrap().total, 6);
    // A new search under the same id has no matches.
    commit(&*store, [create_search(&saved_search(1))]).await;
    let again = store.search(search_id(1)).await.unwrap().unwrap();
    assert!(again.number > searches[1]);
    assert_eq!(store.list_matches(again.number, 0, 10).await.unwrap(), MatchPage::default());
}

pub async fn erased_property_loses_its_matches<B: Backend>() {
    let (store, searches) = store_with::<B>(2, 3).await;
    let all_of = |position: u64, property: u64| MatchGroup {
        matched: searches.clone(),
        outbox: vec![OutboxEntry {
            notification: Notification::Match(MatchChannel::Email),
            searches: searches.clone(),
        }],
        ..group(position, property, 1)
    };
    assert!(store.record_matches(batch(0, 3, vec![all_of(3, 1)])).await.unwrap());
    index_all(&*store, 10).await;
    assert!(store.record_matches(batch(3, 4, vec![all_of(4, 2)])).await.unwrap());
    // One that is indexed, one that is not, and one that the matcher has read and not recorded yet.
    for number in 1..=3 {
        store.erase(advert_id(number), at(9_000)).await.unwrap().unwrap();
        assert_eq!(store.find_match(searches[0], Position(number + 2)).await.unwrap(), None);
    }
    assert!(store.record_matches(batch(4, 5, vec![all_of(5, 3)])).await.unwrap());
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap(), []);
    // Up to the erasures, the matcher may still read that adverts moved from these properties.
    let alerted = async || store.matched_searches((1..=3).map(property_id).collect()).await.unwrap();
    let expected = [1, 2].map(|number| (property_id(number), searches.clone()));
    assert_eq!(alerted().await, HashMap::from(expected));
    for _ in 0..2 {
        assert_eq!(store.list_matches(searches[0], 0, 10).await.unwrap(), MatchPage::default());
        index_all(&*store, 1).await;
    }
    // It is created again, and matches again.
    commit(&*store, [create(&property(3, [advert(4).build()]), Expected::New)]).await; // 9, version 2
    let again = MatchGroup { matched: vec![searches[0]], ..group(9, 3, 2) };
    assert!(store.record_matches(batch(5, 8, Vec::new())).await.unwrap());
    assert_eq!(alerted().await, HashMap::new());
    assert!(store.record_matches(batch(8, 9, vec![again.clone()])).await.unwrap());
    assert_eq!(store.match_groups_after(Position::START, 10).await.unwrap(), [again]);
    assert_eq!(
        store.list_matches(searches[0], 0, 10).await.unwrap().matches,
        [row(searches[0], property_id(3), 2, 5)]
    );
}

pub async fn property_with_remaining_adverts_keeps_its_matches<B: Backend>() {
    let (store, searches) = store_with::<B>(1, 1).await;
    let both = property(1, [advert(1).build(), advert(2).build()]);
    commit(&*store, [create(&both, Expected::Revision(1))]).await; // 3
    let matched = MatchGroup { matched: searches.clone(), ..group(2, 1, 1) };
    assert!(store.record_matches(batch(0, 3, vec![matched])).await.unwrap());
    let expected = row(searches[0], property_id(1), 1, 2);
    // The first log entry of the property is erased, and the match is still found by its position.
    store.erase(advert_id(1), at(9_000)).await.unwrap().unwrap();
    for _ in 0..2 {
        assert_eq!(store.find_match(searches[0], Position(2)).await.unwrap(), Some(expected.clone()));
        assert_eq!(
            store.list_matches(searches[0], 0, 9).await.unwrap().matches,
            std::slice::from_ref(&expected)
        );
        index_all(&*store, 1).await;
    }
    // A property whose last advert moves away is removed, not erased.
    let (left, joined) = (property_id(1), property(2, [advert(2).build()]));
    commit(&*store, [join(&joined, Expected::New, left), remove(left, Expected::Revision(3), advert_id(2))])
        .await;
    assert_eq!(store.list_matches(searches[0], 0, 9).await.unwrap().matches, [expected]);
}

pub async fn versions_are_read_in_request_order<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let (one, two) = (advert(1).build(), advert(2).title("Deux").build());
    let (first, both) = (property(1, [one.clone()]), property(1, [one.clone(), two.clone()]));
    let other = property(2, [advert(3).build()]);
    commit(&*store, [create(&first, Expected::New), create(&both, Expected::WrittenBefore)]).await;
    commit(&*store, [leave(&first, Expected::Revision(2), two.id), create(&other, Expected::New)]).await;
    let wanted = [(1, 2), (2, 1), (1, 9), (1, 1), (7, 1), (1, 2), (1, 0)];
    let wanted = wanted.map(|(number, version)| (property_id(number), version)).to_vec();
    let expected = [Some(both.clone()), Some(other), None, Some(first), None, Some(both), None];
    let expected = expected.map(|version| version.map_or(VersionLookup::NotFound, VersionLookup::Intact));
    assert_eq!(store.properties_at(wanted).await.unwrap(), expected);
    assert_eq!(store.properties_at(Vec::new()).await.unwrap(), []);
}
