//! A full disk, simulated by a limit on the pages of the database: writes are refused, nothing acknowledged is lost, and writing
//! continues once there is space again. Also: changes between the two halves of indexing matches.

use std::path::Path;

use domain::{Identity, SearchNumber};
use testkit::Random;
use testkit::build::{advert, advert_id, at, key_id, property, property_id, saved_search, user_id};

use super::matches::indexing::{self, IndexStep};
use super::*;
use crate::contract::{
    ChangeSet, CommitOutcome, Expected, ExpectedSearch, MatchBatch, MatchGroup, NewKey, Position, PutCause,
    PutProperty, PutSearch, Step, StoreFailure,
};
use crate::prelude::*;
use crate::sqlite::{FILE_NAME, schema};

/// Opens a store whose database can grow by at most `pages`.
fn store_with_space_for(folder: &Path, pages: u32) -> SqlStore {
    let path = folder.join(FILE_NAME);
    let connection = schema::open_for_writing(&path).unwrap();
    let used: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    limit_pages(&connection, used + pages);
    SqlStore::start(Place::Folder(folder.to_owned()), Connection::Sqlite(connection), || {
        schema::open_for_reading(&path).map(Connection::Sqlite)
    })
    .unwrap()
}

fn limit_pages(connection: &rusqlite::Connection, pages: u32) {
    let set = format!("PRAGMA max_page_count = {pages}");
    let _: u32 = connection.query_row(&set, [], |row| row.get(0)).unwrap();
}

async fn free_space(store: &SqlStore) {
    let lift = |connection: &Connection| {
        limit_pages(connection.sqlite().unwrap(), 1 << 30);
        Ok(())
    };
    store.write(lift).await.unwrap();
}

/// A property of a few pages. Its text is random, so that it does not compress.
fn creation(number: u64, random: &mut Random) -> ChangeSet {
    let text: String = (0..500).map(|_| format!("{:016x}", random.next_u64())).collect();
    let known = advert(number).description(&text).build();
    let put = PutProperty {
        advert: known.id,
        property: property(number, [known]).into(),
        expected: Expected::New,
        cause: PutCause::Created { claim: Identity::Uuid(advert_id(number)), events: Vec::new() },
        grouping: None,
    };
    ChangeSet { recorded_at: at(1), steps: vec![Step::Put(put)], grouped_at: None }
}

fn small_change(number: u64) -> ChangeSet {
    let expected = ExpectedSearch::New { owner_has_fewer_than: u32::MAX };
    let put = PutSearch { search: saved_search(number), expected };
    ChangeSet { recorded_at: at(1), steps: vec![Step::PutSearch(put)], grouped_at: None }
}

/// Creates properties until the disk is full, and returns how many were acknowledged.
async fn fill(store: &SqlStore, random: &mut Random) -> u64 {
    for number in 0..1_000 {
        match store.commit(creation(number, random)).await {
            Ok(CommitOutcome::Committed(position)) => assert_eq!(position, Position(number + 1)),
            Err(Error::CannotWrite(_)) => return number,
            other => panic!("{other:?}"),
        }
    }
    panic!("the disk never filled up");
}

#[tokio::test]
async fn full_disk_is_reported_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_space_for(folder.path(), 60);
    let mut random = Random::new(1);
    let written = fill(&store, &mut random).await;
    assert!(written > 3, "only {written} were written");

    // Reads still work, and return exactly what was acknowledged.
    let ids = || (0..1_000).map(property_id).collect::<Vec<_>>();
    let before = store.properties(ids()).await.unwrap();
    assert_eq!(before.len() as u64, written);
    assert_eq!(store.counts().await.unwrap(), (written, written));
    assert_eq!(store.log_after(Position::START, 1_000).await.unwrap().len() as u64, written);
    assert_eq!(*store.head().borrow(), Position(written));

    // Writes stay refused until there is space, and then take the next position.
    assert!(matches!(store.commit(creation(written, &mut random)).await, Err(Error::CannotWrite(_))));
    free_space(&store).await;
    let outcome = store.commit(creation(written, &mut random)).await.unwrap();
    assert_eq!(outcome, CommitOutcome::Committed(Position(written + 1)));
    drop(store);

    let mut after = SqlStore::open(folder.path()).unwrap().properties(ids()).await.unwrap();
    assert!(after.remove(&property_id(written)).is_some());
    assert_eq!(after, before);
}

#[tokio::test]
async fn callers_that_share_a_transaction_with_a_full_disk_can_retry() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_space_for(folder.path(), 60);
    let mut random = Random::new(2);
    let written = fill(&store, &mut random).await;

    // Another process holds the write lock until all calls wait, so that they share few transactions.
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let metadata = store.set_metadata("a".to_owned(), Some("b".to_owned()));
    let together = async {
        tokio::join!(
            store.commit(small_change(1)),
            store.commit(creation(written, &mut random)),
            store.commit(small_change(2)),
            metadata,
            async { other.execute_batch("COMMIT").unwrap() }
        )
    };
    let (first, large, second, metadata, ()) = together.await;
    assert!(matches!(large, Err(Error::CannotWrite(_))), "{large:?}");

    // Each of the others was either written or refused for the same reason, and the log holds exactly those written.
    let mut entries = written;
    for outcome in [first, second] {
        match outcome {
            Ok(CommitOutcome::Committed(_)) => entries += 1,
            Err(Error::CannotWrite(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.log_after(Position::START, 1_000).await.unwrap().len() as u64, entries);
    let stored = store.metadata("a".to_owned()).await.unwrap();
    match metadata {
        Ok(()) => assert_eq!(stored.as_deref(), Some("b")),
        Err(Error::CannotWrite(_)) => assert_eq!(stored, None),
        Err(other) => panic!("{other:?}"),
    }

    free_space(&store).await;
    let key = NewKey {
        id: key_id(1),
        secret_hash: [0; 32],
        user_name: "zoé".to_owned(),
        user_id_if_new: user_id(1),
        scopes: domain::Scopes::all(),
        settings: domain::KeySettings::default(),
        created_at: at(1),
    };
    store.create_key(key).await.unwrap();
    let outcome = store.commit(small_change(3)).await.unwrap();
    assert_eq!(outcome, CommitOutcome::Committed(Position(entries + 1)));
}

#[tokio::test]
async fn matches_erased_or_indexed_meanwhile_are_not_indexed_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    store.commit(small_change(1)).await.unwrap();
    let mut random = Random::new(3);
    let mut groups = Vec::new();
    for number in 1..=2 {
        store.commit(creation(number, &mut random)).await.unwrap();
        groups.push(MatchGroup {
            position: Position(1 + number),
            at: at(1),
            property: property_id(number),
            version: 1,
            advert: advert_id(number),
            matched: vec![SearchNumber(1)],
            linked: Vec::new(),
            inherited: Vec::new(),
            outbox: Vec::new(),
        });
    }
    let batch = MatchBatch { after: Position::START, until: Position(3), groups };
    assert!(store.record_matches(batch).await.unwrap());
    let read = || async {
        match store
            .read_checked(|connection, damage| indexing::next_step(connection, 10, damage))
            .await
            .unwrap()
        {
            IndexStep::Insert(step) => step,
            IndexStep::Delete(_) | IndexStep::Done => panic!("there are matches to index"),
        }
    };
    let (first, second) = (read().await, read().await);
    store.erase(advert_id(1), at(2)).await.unwrap().unwrap();
    let insert =
        |step| store.transact(Invalidation::Nothing, move |connection| indexing::insert(connection, &step));
    assert!(!insert(first).await.unwrap(), "all matches are indexed");
    assert!(insert(second).await.unwrap(), "another process was faster: try again");
    let page = store.list_matches(SearchNumber(1), 0, 10).await.unwrap();
    assert_eq!((page.total, page.matches[0].property), (1, property_id(2)));
    assert!(!store.index_matches(10).await.unwrap());
}

#[tokio::test]
async fn panicking_call_is_rolled_back_and_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let half_done = |connection: &Connection| -> Result<(), Error> {
        metadata::set(connection, "half", Some("done"))?;
        panic!("on purpose")
    };
    assert!(matches!(store.write(half_done).await, Err(Error::Panicked)));
    // Together with others, while another process holds the write lock.
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let together = async {
        tokio::join!(
            store.commit(small_change(1)),
            store.write(half_done),
            store.set_metadata("whole".to_owned(), Some("done".to_owned())),
            async { other.execute_batch("COMMIT").unwrap() }
        )
    };
    let (first, panicked, whole, ()) = together.await;
    assert_eq!(first.unwrap(), CommitOutcome::Committed(Position(1)));
    assert!(matches!(panicked, Err(Error::Panicked)), "{panicked:?}");
    whole.unwrap();
    assert_eq!(store.metadata("half".to_owned()).await.unwrap(), None);
    assert_eq!(store.metadata("whole".to_owned()).await.unwrap().as_deref(), Some("done"));
    assert_eq!(*store.failure().borrow(), None);
}

#[tokio::test]
async fn full_disk_and_failed_writes_are_no_failure_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    for (number, fault) in (1..).zip([WriteFault::Full, WriteFault::Write]) {
        store.inject(fault);
        assert!(matches!(store.commit(small_change(number)).await, Err(Error::CannotWrite(_))), "{fault:?}");
        store.commit(small_change(number)).await.unwrap();
        assert_eq!(*store.failure().borrow(), None);
    }
}

#[tokio::test]
async fn failed_sync_and_dead_writer_are_announced() {
    for (fault, expected) in [
        (WriteFault::Sync, StoreFailure::SyncFailed),
        (WriteFault::PanickingWriter, StoreFailure::WriterEnded),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::open(folder.path()).unwrap();
        store.commit(small_change(1)).await.unwrap();
        store.inject(fault);
        assert!(store.commit(small_change(2)).await.is_err());
        let mut failure = store.failure();
        failure.wait_for(Option::is_some).await.unwrap();
        assert_eq!(*failure.borrow(), Some(expected));
        assert!(matches!(store.commit(small_change(3)).await, Err(Error::Closed)), "no more writes");
        assert!(store.search(testkit::build::search_id(1)).await.unwrap().is_some(), "reads go on");
        drop(store);
        let again = SqlStore::open(folder.path()).unwrap();
        assert_eq!(*again.failure().borrow(), None);
        again.commit(small_change(2)).await.unwrap();
    }
}
