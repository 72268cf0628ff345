//! Retention: what is old goes in small steps, and what is still shown or needed stays.

use domain::{PropertyId, SearchNumber, Timestamp};
use store::prelude::*;
use store::{
    CommitOutcome, Error, Expected, Finding, MatchBatch, MatchGroup, Position, PruneStep, PrunedRows, Step,
    VerifyCursor, VersionLookup,
};
use testkit::build::{advert, advert_id, at, property, property_id};

use crate::backend::{Backend, Opened};
use crate::changes::{change, crawl, create, current, leave, merge_into, regroup, set};
use crate::delivery_fixtures::{
    BY_WEBHOOK, CREATION, all_deliveries, claim, delivered, enqueue_all, group, record, store_with,
};

/// Everything in these tests happens before.
const LATER: i64 = 1_000_000;

const ANY: Position = Position(u64::MAX);

/// Commits steps at a date.
async fn commit_at(store: &impl Store, second: i64, steps: impl IntoIterator<Item = Step>) -> Position {
    let mut changes = set(steps);
    changes.recorded_at = at(second);
    match store.commit(changes).await.unwrap() {
        CommitOutcome::Committed(position) => position,
        refused => panic!("unexpectedly refused: {refused:?}"),
    }
}

/// Creates a property, and changes it until it has this many versions, one per second. Returns the last position.
async fn with_versions(store: &impl Store, number: u64, versions: u32) -> Position {
    let target = property(number, [advert(number).build()]);
    let mut last = commit_at(store, 5_000, [create(&target, Expected::New)]).await;
    for version in 1..versions {
        let change = change(&target, Expected::Revision(version), advert_id(number));
        last = commit_at(store, 5_000 + i64::from(version), [change]).await;
    }
    last
}

/// Lets the only advert of a property expire.
async fn expire(store: &impl Store, number: u64, second: i64) -> Position {
    let target = property(number, [advert(number).expired_at(second).build()]);
    let revision = current(store, target.id).await.unwrap().revision;
    commit_at(store, second, [change(&target, Expected::Revision(revision), advert_id(number))]).await
}

/// Moves the matcher's checkpoint to the end of the log.
async fn match_all(store: &impl Store) {
    let (after, until) = (store.matcher_checkpoint().await.unwrap(), *store.head().borrow());
    assert!(store.record_matches(MatchBatch { after, until, groups: Vec::new() }).await.unwrap());
    while store.index_matches(100).await.unwrap() {}
}

/// Moves the matcher's checkpoint towards the end of the log, and leaves some entries.
async fn match_all_but(store: &impl Store, entries: u64) {
    let (after, head) = (store.matcher_checkpoint().await.unwrap(), *store.head().borrow());
    let batch = MatchBatch { after, until: Position(head.0 - entries), groups: Vec::new() };
    assert!(store.record_matches(batch).await.unwrap());
}

/// Deletes all log entries that may go, in steps of a size.
async fn prune_log(store: &impl Store, before: Timestamp, entries_max: usize) -> PrunedRows {
    let mut deleted = PrunedRows::default();
    loop {
        let PruneStep { rows, more } = store.prune_log(before, ANY, entries_max).await.unwrap();
        assert!(rows.log_entries <= entries_max as u64);
        deleted.add(rows);
        if !more {
            return deleted;
        }
    }
}

async fn prune_matches(store: &impl Store, before: Timestamp, matches_max: usize) -> PrunedRows {
    let mut deleted = PrunedRows::default();
    loop {
        let PruneStep { rows, more } = store.prune_matches(before, matches_max).await.unwrap();
        assert!(rows.search_matches <= matches_max as u64);
        deleted.add(rows);
        if !more {
            return deleted;
        }
    }
}

/// Returns which of the first versions of a property can be read.
async fn versions(store: &impl Store, property: PropertyId, until: u32) -> Vec<u32> {
    let keys: Vec<_> = (1..=until).map(|version| (property, version)).collect();
    let read = store.properties_at(keys).await.unwrap();
    let intact =
        |(version, it): (u32, &VersionLookup)| matches!(it, VersionLookup::Intact(_)).then_some(version);
    (1..).zip(&read).filter_map(intact).collect()
}

async fn first_position(store: &impl Store) -> Position {
    store.store_size().await.unwrap().oldest_position
}

async fn findings(store: &impl Store) -> Vec<Finding> {
    let (mut found, mut cursor) = (Vec::new(), Some(VerifyCursor::default()));
    while let Some(next) = cursor {
        let page = store.verify(next).await.unwrap();
        found.extend(page.findings);
        cursor = page.rest;
    }
    found
}

pub async fn old_entries_go_with_the_versions_they_replaced<B: Backend>() {
    for step in [1, 2, 100] {
        let store = Opened::<B>::fresh().await;
        let last = with_versions(&*store, 1, 6).await;
        commit_at(
            &*store,
            5_006,
            [crawl(&property(1, [advert(1).build()]), Expected::Revision(6), advert_id(1))],
        )
        .await;
        match_all(&*store).await;
        // Those recorded up to 5 003 are the first four.
        let deleted = prune_log(&*store, at(5_004), step).await;
        assert_eq!((deleted.log_entries, deleted.versions), (4, 3));
        assert_eq!(first_position(&*store).await, Position(5));
        assert_eq!(versions(&*store, property_id(1), 6).await, [4, 5, 6]);
        assert_eq!(prune_log(&*store, at(5_004), step).await, PrunedRows::default());
        // The last entry stays, and with it the numbers of positions and versions.
        prune_log(&*store, at(LATER), step).await;
        assert_eq!(first_position(&*store).await, last.next());
        assert_eq!(versions(&*store, property_id(1), 6).await, [6]);
        let store = store.reopened().await;
        assert_eq!(*store.head().borrow(), last.next());
        let revised = [change(&property(1, [advert(1).build()]), Expected::Revision(7), advert_id(1))];
        assert_eq!(commit_at(&*store, 6_000, revised).await, Position(last.0 + 2));
        assert_eq!(current(&*store, property_id(1)).await.unwrap().version, 7);
        assert_eq!(findings(&*store).await, []);
    }
}

pub async fn reading_deleted_entries_fails<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    with_versions(&*store, 1, 6).await;
    match_all(&*store).await;
    prune_log(&*store, at(5_004), 100).await;
    for after in [0, 3] {
        let read = store.log_after(Position(after), 10).await;
        assert!(matches!(read, Err(Error::LogPruned { oldest: 5, .. })), "{read:?}");
    }
    assert_eq!(store.log_after(Position(4), 10).await.unwrap().len(), 2, "nothing is missing");
    assert_eq!(store.log_after(Position(6), 10).await.unwrap(), []);
}

pub async fn what_is_needed_holds_the_log_back<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    with_versions(&*store, 1, 3).await;
    let pruned = async || {
        prune_log(&*store, at(LATER), 100).await;
        first_position(&*store).await.0
    };
    // 1 is the search, 2 to 4 are the property. Nothing is matched yet.
    assert_eq!(pruned().await, 1);
    let event = group(Position(3), 1, 2, &[(CREATION, &numbers)]);
    record(&*store, group(Position(2), 1, 1, &[(BY_WEBHOOK, &numbers)])).await;
    assert_eq!(pruned().await, 2, "the match is not indexed");
    while store.index_matches(100).await.unwrap() {}
    assert_eq!(pruned().await, 2, "the outbox is not enqueued");
    record(&*store, event).await;
    match_all(&*store).await;
    assert_eq!(enqueue_all(&*store, 6_000, 6_000).await.len(), 2);
    with_versions(&*store, 2, 2).await;
    match_all(&*store).await;
    assert_eq!(pruned().await, 2, "a delivery is about it");
    for delivery in all_deliveries(&*store).await {
        assert!(delivery.subject.is_some());
        assert_eq!(claim(&*store, 1, 6_001, &[delivery.id]).await, [delivery.id]);
        assert_eq!(store.settle(vec![delivered(delivery.id, 1, 6_001)]).await.unwrap(), 1);
    }
    while store.prune_deliveries(at(LATER), 0, 1).await.unwrap().more {}
    // A follower that the store does not know is still at entry 4.
    let PruneStep { rows, more } = store.prune_log(at(LATER), Position(3), 100).await.unwrap();
    assert_eq!((rows.log_entries, rows.outbox_entries, more), (2, 2, false));
    assert_eq!(pruned().await, 6, "the end of the log");
}

pub async fn shown_versions_and_matches_stay<B: Backend>() {
    let (store, numbers) = store_with::<B>(2).await;
    with_versions(&*store, 1, 5).await;
    // The first search matches version 2. The other one got events of versions 3 and 4 without a match.
    let linked = |position, version| MatchGroup {
        linked: vec![numbers[1]],
        ..group(Position(position), 1, version, &[])
    };
    let matched = MatchGroup { matched: vec![numbers[0]], ..group(Position(4), 1, 2, &[]) };
    let groups = vec![matched.clone(), linked(5, 3), linked(6, 4)];
    let batch = MatchBatch { after: Position::START, until: Position(7), groups };
    assert!(store.record_matches(batch).await.unwrap());
    match_all(&*store).await;
    commit_at(&*store, 5_100, [create(&property(2, [advert(2).build()]), Expected::New)]).await;
    match_all(&*store).await;
    let read = async || {
        let mut rows = store.list_matches(numbers[0], 0, 10).await.unwrap().matches;
        for number in &numbers {
            rows.extend(store.find_match(*number, Position(3)).await.unwrap());
        }
        rows
    };
    let before = read().await;
    assert_eq!(before.len(), 3);
    let deleted = prune_log(&*store, at(LATER), 2).await;
    assert_eq!((deleted.log_entries, deleted.match_groups), (7, 1), "the second event says nothing new");
    assert_eq!(versions(&*store, property_id(1), 5).await, [2, 3, 5]);
    assert_eq!(read().await, before, "found by its first position, without the log");
    assert_eq!(prune_matches(&*store, at(LATER), 100).await, PrunedRows::default(), "it is on offer");
    let alerted = store.matched_searches(vec![property_id(1)]).await.unwrap();
    assert_eq!(alerted[&property_id(1)], [numbers[0]]);
    assert_eq!(findings(&*store).await, []);
}

/// Ten searches match two properties, which then expire; the first one is offered again.
pub async fn matches_of_expired_properties_go_in_pieces<B: Backend>() {
    for matches_max in [1, 3, 1_000] {
        let (store, numbers) = store_with::<B>(10).await;
        for number in [1, 2] {
            let position = with_versions(&*store, number, 1).await;
            record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, number, 1, &[]) }).await;
        }
        expire(&*store, 1, 5_010).await;
        expire(&*store, 2, 5_010).await;
        match_all(&*store).await;
        commit_at(&*store, 5_020, [create(&property(3, [advert(3).build()]), Expected::New)]).await;
        match_all(&*store).await;
        prune_log(&*store, at(5_015), 100).await;
        assert_eq!(prune_matches(&*store, at(5_010), matches_max).await, PrunedRows::default(), "too early");
        let offered = property(1, [advert(1).build()]);
        commit_at(&*store, 5_030, [change(&offered, Expected::Revision(2), advert_id(1))]).await;
        let deleted = prune_matches(&*store, at(5_011), matches_max).await;
        assert_eq!((deleted.search_matches, deleted.match_groups, deleted.versions), (10, 1, 1));
        assert_eq!(findings(&*store).await, []);
        let alerted = store.matched_searches(vec![property_id(1), property_id(2)]).await.unwrap();
        assert_eq!(alerted.keys().collect::<Vec<_>>(), [&property_id(1)]);
        for number in &numbers {
            assert_eq!(store.list_matches(*number, 0, 10).await.unwrap().total, 1);
        }
        assert!(current(&*store, property_id(2)).await.is_some(), "the property itself stays");
    }
}

/// A group stays readable between two steps.
pub async fn interrupted_deletion_leaves_whole_matches<B: Backend>() {
    let (store, numbers) = store_with::<B>(5).await;
    let position = with_versions(&*store, 1, 1).await;
    record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, 1, 1, &[]) }).await;
    expire(&*store, 1, 5_010).await;
    commit_at(&*store, 5_020, [create(&property(3, [advert(3).build()]), Expected::New)]).await;
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    for left in (0..=3_usize).rev() {
        assert!(store.prune_matches(at(LATER), 2).await.unwrap().rows.search_matches <= 2);
        let alerted = store.matched_searches(vec![property_id(1)]).await.unwrap();
        let alerted: Vec<SearchNumber> = alerted.get(&property_id(1)).cloned().unwrap_or_default();
        for number in &numbers {
            let listed = store.list_matches(*number, 0, 10).await.unwrap();
            assert_eq!(listed.total == 1, alerted.contains(number), "{left}");
        }
        assert_eq!(findings(&*store).await, []);
    }
    assert_eq!(store.matched_searches(vec![property_id(1)]).await.unwrap().len(), 0);
}

/// Lets both adverts of a merged property expire or come back, and adds a property, so that these entries are not the last.
async fn offer_both(store: &impl Store, offered: bool, second: i64) {
    let build = |number| match offered {
        true => advert(number).build(),
        false => advert(number).expired_at(second).build(),
    };
    let target = property(1, [build(1), build(2)]);
    let Some(revision) = current(store, target.id).await.map(|it| it.revision) else { panic!("no property") };
    let changes = [(revision, 1), (revision + 1, 2)]
        .map(|(revision, number)| change(&target, Expected::Revision(revision), advert_id(number)));
    for change in changes {
        commit_at(store, second, [change]).await;
    }
    let number = second.unsigned_abs();
    commit_at(store, second, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
}

pub async fn removed_property_leaves_nothing<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    for number in [1, 2] {
        let position = with_versions(&*store, number, 3).await;
        record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, number, 3, &[]) }).await;
    }
    // The second becomes part of the first.
    let merged = property(1, [advert(1).build(), advert(2).build()]);
    let steps = [
        regroup(&merged, Expected::Revision(3), vec![advert_id(2)], vec![property_id(2)]),
        merge_into(property_id(2), Expected::Revision(3), advert_id(2), property_id(1)),
    ];
    commit_at(&*store, 5_100, steps).await;
    commit_at(&*store, 5_200, [create(&property(3, [advert(3).build()]), Expected::New)]).await;
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    // What it is part of is on offer, so its match is still shown.
    assert_eq!(prune_matches(&*store, at(LATER), 100).await, PrunedRows::default());
    assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 2);
    assert_eq!(findings(&*store).await, []);
    // Off the market and back before its time was up.
    offer_both(&*store, false, 5_210).await;
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    offer_both(&*store, true, 5_220).await;
    assert_eq!(prune_matches(&*store, at(LATER), 100).await, PrunedRows::default());
    assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 2);
    // Off the market for good.
    offer_both(&*store, false, 5_230).await;
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    let deleted = prune_matches(&*store, at(LATER), 100).await;
    assert_eq!((deleted.match_groups, deleted.search_matches, deleted.properties), (2, 2, 0));
    assert_eq!(versions(&*store, property_id(2), 5).await, [0_u32; 0]);
    assert_eq!(
        store.survivor(property_id(2)).await.unwrap(),
        Some(property_id(1)),
        "its id still leads there"
    );
    assert_eq!(findings(&*store).await, []);

    // Created again, moved and removed again: its match and its first version belong together.
    let moved = property(2, [advert(2).build()]);
    let rest = property(1, [advert(1).build()]);
    let steps = [
        regroup(&moved, Expected::New, vec![advert_id(2)], vec![property_id(1)]),
        leave(&rest, Expected::Revision(10), advert_id(2)),
    ];
    let position = Position(commit_at(&*store, 5_250, steps).await.0 - 1);
    assert_eq!(current(&*store, property_id(2)).await.unwrap().version, 1);
    match_all_but(&*store, 2).await;
    record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, 2, 1, &[]) }).await;
    let revision = current(&*store, property_id(2)).await.unwrap().revision;
    let steps = [
        regroup(&merged, Expected::Revision(11), vec![advert_id(2)], vec![property_id(2)]),
        merge_into(property_id(2), Expected::Revision(revision), advert_id(2), property_id(1)),
    ];
    commit_at(&*store, 5_260, steps).await;
    match_all(&*store).await;
    let listed = store.list_matches(numbers[0], 0, 10).await.unwrap();
    assert_eq!((listed.total, listed.matches.len()), (1, 1));

    // Without adverts nothing is left of the two but the numbers of the log.
    for number in [1, 2] {
        store.erase(advert_id(number), at(5_300)).await.unwrap().unwrap();
    }
    commit_at(&*store, 5_400, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    match_all(&*store).await;
    let mut deleted = prune_log(&*store, at(LATER), 100).await;
    deleted.add(prune_matches(&*store, at(LATER), 100).await);
    assert_eq!(deleted.properties, 2);
    assert_eq!(store.survivor(property_id(2)).await.unwrap(), None);
    assert_eq!(findings(&*store).await, []);
    // Created again, it begins anew.
    commit_at(&*store, 5_500, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    assert_eq!(current(&*store, property_id(1)).await.unwrap().version, 1);
}

pub async fn expired_properties_are_erased_only_unchanged<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    for number in [1, 2, 3] {
        let position = with_versions(&*store, number, 1).await;
        record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, number, 1, &[]) }).await;
    }
    expire(&*store, 1, 5_010).await;
    expire(&*store, 2, 5_010).await;
    commit_at(&*store, 5_020, [create(&property(4, [advert(4).build()]), Expected::New)]).await;
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    assert_eq!(
        store.erase_departed(at(LATER), at(6_000), 10).await.unwrap().properties,
        [],
        "matches go first"
    );
    prune_matches(&*store, at(LATER), 100).await;
    let offered = property(2, [advert(2).build()]);
    commit_at(&*store, 5_030, [change(&offered, Expected::Revision(2), advert_id(2))]).await;
    let erased = store.erase_departed(at(LATER), at(6_000), 10).await.unwrap();
    assert_eq!(erased.properties, [(property_id(1), vec![advert_id(1)])]);
    assert_eq!(erased.position, *store.head().borrow());
    assert!(current(&*store, property_id(1)).await.is_none());
    for number in [2, 3] {
        assert!(current(&*store, property_id(number)).await.is_some());
    }
    assert_eq!(store.erase_departed(at(LATER), at(6_000), 10).await.unwrap().properties, []);
    match_all(&*store).await;
    assert_eq!(findings(&*store).await, []);
}

pub async fn erasure_covers_what_retention_left<B: Backend>() {
    let (store, numbers) = store_with::<B>(1).await;
    let target = property(1, [advert(1).build(), advert(2).build()]);
    let first = property(1, [advert(1).build()]);
    commit_at(&*store, 5_000, [create(&first, Expected::New)]).await;
    let position = commit_at(&*store, 5_001, [create(&target, Expected::Revision(1))]).await;
    record(&*store, MatchGroup { matched: numbers.clone(), ..group(position, 1, 2, &[]) }).await;
    for revision in 2..5 {
        commit_at(&*store, 5_002, [change(&target, Expected::Revision(revision), advert_id(1))]).await;
    }
    match_all(&*store).await;
    prune_log(&*store, at(LATER), 100).await;
    assert_eq!(versions(&*store, property_id(1), 5).await, [2, 4, 5], "the last entry is not deleted");
    store.erase(advert_id(2), at(6_000)).await.unwrap().unwrap();
    let left = store.properties_at(vec![(property_id(1), 2), (property_id(1), 6)]).await.unwrap();
    for version in left {
        let adverts: Vec<_> = version.intact().unwrap().adverts.iter().map(|advert| advert.id).collect();
        assert_eq!(adverts, [advert_id(1)]);
    }
    assert_eq!(store.list_matches(numbers[0], 0, 10).await.unwrap().total, 1);
    match_all(&*store).await;
    assert_eq!(findings(&*store).await, []);
}
