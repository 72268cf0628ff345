//! Log entries and the head.

use store::prelude::*;
use store::{Change, Expected, LogEntry, Position, PropertyCause};
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, search_id};

use crate::backend::{Backend, Opened};
use crate::changes::{
    RECORDED_AT_SECOND, change, change_search, commit, crawl, create, create_search, creation, log_changes,
    refuse, remove_search, set, title_event, whole_log,
};

pub async fn entries_record_changes_in_order<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let target = property(1, [advert(1).build()]);
    // Entries carry the date of their set, to the millisecond, even if dates decrease.
    let late = domain::Timestamp::from_millisecond(7_000_123).unwrap();
    let mut first = set([create(&target, Expected::New)]);
    first.recorded_at = late;
    store.commit(first).await.unwrap();
    commit(&*store, [crawl(&target, Expected::Revision(1), advert_id(1))]).await;
    commit(&*store, [change(&target, Expected::Revision(2), advert_id(1))]).await;

    let entry = |position, recorded_at, version, cause| LogEntry {
        position: Position(position),
        recorded_at,
        change: Change::Property { property: property_id(1), version, advert: advert_id(1), cause },
    };
    let soon = at(RECORDED_AT_SECOND);
    let expected = [
        entry(1, late, 1, PropertyCause::Advert { events: creation(&target.adverts[0]) }),
        entry(2, soon, 1, PropertyCause::Crawl),
        entry(3, soon, 2, PropertyCause::Advert { events: title_event() }),
    ];
    assert_eq!(whole_log(&*store).await, expected);
    let store = store.reopened().await;
    assert_eq!(whole_log(&*store).await, expected);
}

pub async fn log_is_read_from_any_position_with_any_limit<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    assert_eq!(whole_log(&*store).await, []);
    commit(&*store, (1..=20).map(|number| create_search(&saved_search(number)))).await;
    let whole = whole_log(&*store).await;
    assert_eq!(whole.len(), 20);
    for size in [1, 3, 7, 20, 21] {
        let (mut read, mut position) = (Vec::new(), Position::START);
        loop {
            let piece = store.log_after(position, size).await.unwrap();
            assert!(piece.len() <= size);
            let Some(last) = piece.last() else { break };
            position = last.position;
            read.extend(piece);
        }
        assert_eq!(read, whole, "in batches of {size}");
    }
    assert_eq!(store.log_after(Position(20), 5).await.unwrap(), []);
    assert_eq!(store.log_after(Position(1_000), 5).await.unwrap(), []);
    assert_eq!(store.log_after(Position::START, 0).await.unwrap(), []);
}

pub async fn properties_and_searches_share_one_log<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let one = property(1, [advert(1).build()]);
    let two = property(2, [advert(2).build()]);
    let first = commit(&*store, [create(&one, Expected::New)]).await;
    let second = commit(&*store, [create_search(&saved_search(1))]).await;
    let fourth = commit(&*store, [create(&two, Expected::New), remove_search(search_id(1))]).await;
    assert_eq!([first, second, fourth], [Position(1), Position(2), Position(4)]);

    let created = |number: u64| Change::Property {
        property: property_id(number),
        version: 1,
        advert: advert_id(number),
        cause: PropertyCause::Advert { events: creation(&one.adverts[0]) },
    };
    assert_eq!(
        log_changes(&*store).await,
        [
            created(1),
            Change::Search { search: search_id(1), version: 1 },
            created(2),
            Change::SearchRemoved { search: search_id(1) },
        ]
    );
}

pub async fn search_entries_name_their_version<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let search = saved_search(1);
    commit(&*store, [create_search(&search)]).await;
    // Writing the same content again is a change as well.
    for version in 1..=2 {
        commit(&*store, [change_search(&search, version)]).await;
    }
    commit(&*store, [create_search(&saved_search(2))]).await;
    let store = store.reopened().await;
    commit(&*store, [change_search(&search, 3)]).await;
    let versions: Vec<_> = log_changes(&*store)
        .await
        .into_iter()
        .map(|change| match change {
            Change::Search { search, version } => (search, version),
            other => panic!("{other:?}"),
        })
        .collect();
    let [one, two] = [1, 2].map(search_id);
    assert_eq!(versions, [(one, 1), (one, 2), (one, 3), (two, 1), (one, 4)]);
}

pub async fn head_advances_before_a_commit_returns<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let mut head = store.head();
    assert_eq!(*head.borrow_and_update(), Position::START);
    for round in 1..=100 {
        let waiting = async {
            head.changed().await.unwrap();
            *head.borrow_and_update()
        };
        let writing = async {
            let position = commit(&*store, [create_search(&saved_search(round))]).await;
            // The head has advanced by the time a commit returns.
            assert_eq!(*store.head().borrow(), position);
            position
        };
        let (woken_at, written_at) = tokio::join!(waiting, writing);
        assert_eq!((woken_at, written_at), (Position(round), Position(round)));
    }
    store.erase(advert_id(1), at(1)).await.unwrap();
    assert!(!head.has_changed().unwrap(), "nothing was erased, so the head did not move");
}

pub async fn head_ignores_refused_commits<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let target = property(1, [advert(1).build()]);
    let position = commit(&*store, [create(&target, Expected::New)]).await;
    let mut head = store.head();
    head.mark_unchanged();
    refuse(&*store, [create_search(&saved_search(1)), create(&target, Expected::New)]).await;
    store.set_metadata("a".to_owned(), Some("b".to_owned())).await.unwrap();
    assert_eq!(
        commit(&*store, [remove_search(search_id(1))]).await,
        Position::START,
        "there is no such search"
    );
    assert!(!head.has_changed().unwrap());
    assert_eq!(commit(&*store, [create_search(&saved_search(1))]).await, position.next());
    assert!(head.has_changed().unwrap());
}

pub async fn committed_properties_are_taken_once<B: Backend>() {
    let store = Opened::<B>::fresh().await;
    let [one, two] = [1, 2].map(|number| property(number, [advert(number).build()]));
    commit(&*store, [create(&one, Expected::New)]).await;
    assert!(store.take_committed(Position(9)).is_empty(), "they were not asked for");

    store.keep_committed();
    let changed = property(1, [advert(1).price(123_456.0).build()]);
    let steps = [
        create_search(&saved_search(1)),
        create(&two, Expected::New),
        change(&changed, Expected::Revision(1), advert_id(1)),
    ];
    let until = commit(&*store, steps).await;
    refuse(&*store, [change(&one, Expected::Revision(1), advert_id(1))]).await;
    let later = commit(&*store, [crawl(&two, Expected::Revision(1), advert_id(2))]).await;

    let taken = store.take_committed(until);
    let taken: Vec<_> = taken.into_iter().map(|(position, property)| (position.0, property)).collect();
    assert_eq!(taken, [(3, two.clone().into()), (4, changed.into())]);
    assert!(store.take_committed(until).is_empty());
    let rest: Vec<_> = store.take_committed(later).into_iter().collect();
    assert_eq!(rest, [(later, two.into())]);
}
