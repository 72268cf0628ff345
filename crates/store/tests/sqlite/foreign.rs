//! Commits of other processes are noticed.

use store::SqlStore;
use store::prelude::*;
use store::{ChangeSet, CommitOutcome, Expected, ForeignWrites, Position, Step};
use testkit::build::{advert, advert_id, at, property};

use crate::changes::{commit, create, set};

fn creation(number: u64) -> Step {
    create(&property(number, [advert(number).build()]), Expected::New)
}

fn grouped_at(count: u64, number: u64) -> ChangeSet {
    ChangeSet { grouped_at: Some(count), ..set([creation(number)]) }
}

fn two_handles() -> (tempfile::TempDir, SqlStore, SqlStore) {
    let folder = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| SqlStore::open(folder.path()).unwrap());
    (folder, one, other)
}

#[tokio::test]
async fn own_writes_are_not_foreign() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let watch = store.foreign_writes();
    for number in 1..=3 {
        commit(&store, [creation(number)]).await;
        // Refused: the property exists.
        assert_eq!(store.commit(set([creation(number)])).await.unwrap(), CommitOutcome::Conflict);
        store.put_signatures(vec![(advert_id(number), vec![1])]).await.unwrap();
    }
    store.erase(advert_id(2), at(9_000)).await.unwrap();
    assert_eq!(store.detect_foreign_writes().await.unwrap(), ForeignWrites::default());
    assert_eq!(store.commit(grouped_at(0, 4)).await.unwrap(), CommitOutcome::Committed(Position(5)));
    assert!(!watch.has_changed().unwrap());
    assert_eq!(store.foreign_ranges(0), []);
}

#[tokio::test]
async fn set_conflicts_if_another_process_committed() {
    let (_folder, server, import) = two_handles();
    commit(&server, [creation(1)]).await;
    commit(&import, [creation(2)]).await;
    commit(&import, [creation(3)]).await;
    assert_eq!(server.commit(grouped_at(0, 4)).await.unwrap(), CommitOutcome::Conflict);
    // The refused commit has noticed both.
    let noticed = ForeignWrites { count: 1, until: Position(3) };
    assert_eq!(*server.foreign_writes().borrow(), noticed);
    assert_eq!(server.foreign_ranges(0), [(Position(1), Position(3))]);
    assert_eq!(server.commit(grouped_at(1, 4)).await.unwrap(), CommitOutcome::Committed(Position(4)));
    // A set that does not depend on grouping is not refused.
    commit(&import, [creation(5)]).await;
    assert_eq!(
        server.commit(set([creation(6)])).await.unwrap(),
        CommitOutcome::Committed(Position(6)),
        "after the foreign entry"
    );
    assert_eq!(server.commit(grouped_at(1, 7)).await.unwrap(), CommitOutcome::Conflict);
    assert_eq!(server.foreign_ranges(0), [(Position(1), Position(3)), (Position(4), Position(5))]);
    assert_eq!(server.foreign_ranges(1), [(Position(4), Position(5))]);
    assert_eq!(server.foreign_ranges(2), []);
    // The import has seen the writes of the server in the same way.
    assert_eq!(import.commit(grouped_at(0, 7)).await.unwrap(), CommitOutcome::Conflict);
}

#[tokio::test]
async fn foreign_writes_are_noticed_without_writing() {
    let (_folder, server, import) = two_handles();
    let mut watch = server.foreign_writes();
    let mut head = server.head();
    commit(&import, [creation(1)]).await;
    let noticed = ForeignWrites { count: 1, until: Position(1) };
    assert_eq!(server.detect_foreign_writes().await.unwrap(), noticed);
    assert_eq!(*watch.borrow_and_update(), noticed);
    assert_eq!(*head.borrow_and_update(), Position(1), "followers are woken");
    assert_eq!(server.detect_foreign_writes().await.unwrap(), noticed, "once");
    // A write without a log entry counts too: signatures and decisions change the grouping.
    import.put_signatures(vec![(advert_id(1), vec![1])]).await.unwrap();
    let noticed = ForeignWrites { count: 2, until: Position(1) };
    assert_eq!(server.detect_foreign_writes().await.unwrap(), noticed);
    assert_eq!(server.foreign_ranges(1), [(Position(1), Position(1))]);
}

#[tokio::test]
async fn many_foreign_writes_are_summed_up_without_a_gap() {
    const WRITES: u64 = 1_500;
    let (_folder, server, import) = two_handles();
    for number in 1..=WRITES {
        commit(&import, [creation(number)]).await;
        server.detect_foreign_writes().await.unwrap();
    }
    let ranges = server.foreign_ranges(0);
    assert!(ranges.len() < 1_100, "{}", ranges.len());
    assert_eq!(ranges[0].0, Position(0));
    assert_eq!(ranges.last().unwrap().1, Position(WRITES));
    assert!(ranges.windows(2).all(|pair| pair[0].1 == pair[1].0));
    assert_eq!(server.foreign_ranges(WRITES - 1), [(Position(WRITES - 1), Position(WRITES))]);
}
