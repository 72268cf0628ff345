//! A full disk, made by a limit on the pages of the database: what cannot be written is refused, nothing acknowledged is
//! lost, and writing goes on when there is room again. And what happens between the two halves of filing matches.

use testkit::Random;
use testkit::build::{advert, advert_id, at, key_id, property, property_id, saved_search, user_id};

use super::*;
use crate::contract::{Expected, ExpectedSearch, PutCause, PutProperty, PutSearch, Step};

/// A store whose database can grow by so many pages and no more.
fn store_with_room_for(folder: &Path, pages: u32) -> SqliteStore {
    let path = folder.join(FILE_NAME);
    let connection = schema::open_for_writing(&path).unwrap();
    let used: u32 = connection.pragma_query_value(None, "page_count", |row| row.get(0)).unwrap();
    limit_pages(&connection, used + pages);
    let readers = ReaderPools::start(&path).unwrap();
    SqliteStore { folder: folder.to_owned(), writer: Writer::start(connection).unwrap(), readers }
}

fn limit_pages(connection: &rusqlite::Connection, pages: u32) {
    let set = format!("PRAGMA max_page_count = {pages}");
    let _: u32 = connection.query_row(&set, [], |row| row.get(0)).unwrap();
}

async fn make_room(store: &SqliteStore) {
    let lift = |connection: &rusqlite::Connection| {
        limit_pages(connection, 1 << 30);
        Ok(Verdict::Keep(()))
    };
    store.writer.run(lift).await.unwrap();
}

/// A property of a few pages: its text is drawn, so that it does not compress to nothing.
fn creation(number: u64, random: &mut Random) -> ChangeSet {
    let text: String = (0..500).map(|_| format!("{:016x}", random.next_u64())).collect();
    let known = advert(number).description(&text).build();
    let put = PutProperty {
        advert: known.id,
        property: property(number, [known]),
        expected: Expected::New,
        cause: PutCause::Created { claim: Identity::Uuid(advert_id(number)), events: Vec::new() },
    };
    ChangeSet { recorded_at: at(1), steps: vec![Step::Put(put)] }
}

fn small_change(number: u64) -> ChangeSet {
    let expected = ExpectedSearch::New { owner_has_fewer_than: u32::MAX };
    let put = PutSearch { search: saved_search(number), expected };
    ChangeSet { recorded_at: at(1), steps: vec![Step::PutSearch(put)] }
}

/// How many were acknowledged, of those numbered from `first` on, before the disk was full.
async fn fill(store: &SqliteStore, random: &mut Random) -> u64 {
    for number in 0..1_000 {
        match store.commit(creation(number, random)).await {
            Ok(CommitOutcome::Committed(position)) => assert_eq!(position, Position(number + 1)),
            Err(Error::CannotWrite(_)) => return number,
            other => panic!("{other:?}"),
        }
    }
    panic!("the disk never was full");
}

#[tokio::test]
async fn a_full_disk_is_said_and_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_room_for(folder.path(), 60);
    let mut random = Random::new(1);
    let written = fill(&store, &mut random).await;
    assert!(written > 3, "only {written} were written");

    // Reading goes on, and says what was acknowledged and nothing of what was refused.
    let ids = || (0..1_000).map(property_id).collect::<Vec<_>>();
    let before = store.properties(ids()).await.unwrap();
    assert_eq!(before.len() as u64, written);
    assert_eq!(store.counts().await.unwrap(), (written, written));
    assert_eq!(store.log_after(Position::START, 1_000).await.unwrap().len() as u64, written);
    assert_eq!(*store.head().borrow(), Position(written));

    // It stays refused, and then there is room and it is written, at the next position.
    assert!(matches!(store.commit(creation(written, &mut random)).await, Err(Error::CannotWrite(_))));
    make_room(&store).await;
    let outcome = store.commit(creation(written, &mut random)).await.unwrap();
    assert_eq!(outcome, CommitOutcome::Committed(Position(written + 1)));
    drop(store);

    let mut after = SqliteStore::open(folder.path()).unwrap().properties(ids()).await.unwrap();
    assert!(after.remove(&property_id(written)).is_some());
    assert_eq!(after, before);
}

#[tokio::test]
async fn whoever_shares_the_transaction_that_filled_the_disk_is_told_so_and_can_try_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = store_with_room_for(folder.path(), 60);
    let mut random = Random::new(2);
    let written = fill(&store, &mut random).await;

    // Another process holds the write lock until all of them wait, so that they come in few transactions.
    let other = rusqlite::Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let note = store.set_note("a".to_owned(), Some("b".to_owned()));
    let together = async {
        tokio::join!(
            store.commit(small_change(1)),
            store.commit(creation(written, &mut random)),
            store.commit(small_change(2)),
            note,
            async { other.execute_batch("COMMIT").unwrap() }
        )
    };
    let (first, large, second, note, ()) = together.await;
    assert!(matches!(large, Err(Error::CannotWrite(_))), "{large:?}");

    // Each of the others was either written or refused for that reason, and the log holds just those written.
    let mut entries = written;
    for outcome in [first, second] {
        match outcome {
            Ok(CommitOutcome::Committed(_)) => entries += 1,
            Err(Error::CannotWrite(_)) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(store.log_after(Position::START, 1_000).await.unwrap().len() as u64, entries);
    let kept = store.note("a".to_owned()).await.unwrap();
    match note {
        Ok(()) => assert_eq!(kept.as_deref(), Some("b")),
        Err(Error::CannotWrite(_)) => assert_eq!(kept, None),
        Err(other) => panic!("{other:?}"),
    }

    make_room(&store).await;
    let key = NewKey {
        id: key_id(1),
        secret_hash: [0; 32],
        user_name: "zoé".to_owned(),
        user_id_if_new: user_id(1),
        scopes: domain::Scopes::all(),
        created_at: at(1),
    };
    store.create_key(key).await.unwrap();
    let outcome = store.commit(small_change(3)).await.unwrap();
    assert_eq!(outcome, CommitOutcome::Committed(Position(entries + 1)));
}

#[tokio::test]
async fn what_is_erased_or_filed_while_it_is_being_filed_is_not_filed_then() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(folder.path()).unwrap();
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
            outbox: Vec::new(),
        });
    }
    let batch = MatchBatch { after: Position::START, until: Position(3), groups };
    assert!(store.record_matches(batch).await.unwrap());
    let read = || async {
        match store.readers.run(|connection| filing::next(connection, 10)).await.unwrap() {
            Piece::File(piece) => piece,
            Piece::Clear(_) | Piece::Nothing => panic!("there is something to file"),
        }
    };
    let (first, second) = (read().await, read().await);
    store.erase(advert_id(1), at(2)).await.unwrap().unwrap();
    let file = |piece| store.writer.run(move |connection| filing::file(connection, &piece));
    assert!(!file(first).await.unwrap(), "everything is filed");
    assert!(file(second).await.unwrap(), "somebody else was faster: look again");
    let page = store.matches_of(SearchNumber(1), 0, 10).await.unwrap();
    assert_eq!((page.total, page.matches[0].property), (1, property_id(2)));
    assert!(!store.index_matches(10).await.unwrap());
}
