//! Several processes on one database notice each other.

use std::time::Duration;

use store::prelude::*;
use store::{ChangeSet, CommitOutcome, Expected, ForeignWrites, Position, Step, StoreFailure, UsageBatch};
use testkit::build::{advert, advert_id, at, property, saved_search};

use crate::backend::{Backend, Postgres};
use crate::changes::{commit, create, create_search, set};

fn creation(number: u64) -> Step {
    create(&property(number, [advert(number).build()]), Expected::New)
}

fn grouped_at(count: u64, number: u64) -> ChangeSet {
    ChangeSet { grouped_at: Some(count), ..set([creation(number)]) }
}

#[tokio::test]
async fn own_writes_are_not_foreign() {
    let store = Postgres::fresh().await.open().await;
    for number in 1..=3 {
        commit(&store, [creation(number)]).await;
        assert_eq!(store.commit(set([creation(number)])).await.unwrap(), CommitOutcome::Conflict);
        store.put_signatures(vec![(advert_id(number), vec![1])]).await.unwrap();
    }
    assert_eq!(store.detect_foreign_writes().await.unwrap().count, 0);
    assert_eq!(store.commit(grouped_at(0, 4)).await.unwrap(), CommitOutcome::Committed(Position(4)));
    assert_eq!(store.foreign_ranges(0), []);
}

#[tokio::test]
async fn set_conflicts_if_another_process_committed() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    commit(&one, [creation(1)]).await;
    other.detect_foreign_writes().await.unwrap();
    commit(&other, [creation(2)]).await;
    commit(&other, [creation(3)]).await;
    // The writer looks from time to time, too, so that it may have noticed them one by one.
    let noticed = one.detect_foreign_writes().await.unwrap();
    assert_eq!(noticed.until, Position(3));
    assert!(noticed.count > 0);
    assert_eq!(one.commit(grouped_at(0, 4)).await.unwrap(), CommitOutcome::Conflict);
    let ranges = one.foreign_ranges(0);
    assert_eq!((ranges.first().unwrap().0, ranges.last().unwrap().1), (Position(1), Position(3)));
    assert_eq!(
        one.commit(grouped_at(noticed.count, 4)).await.unwrap(),
        CommitOutcome::Committed(Position(4))
    );
}

#[tokio::test]
async fn states_of_deliveries_are_not_noticed() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    let before = one.detect_foreign_writes().await.unwrap();
    other.add_usage(UsageBatch::default()).await.unwrap();
    other.reap_leases(store::Leases::Expired, at(1), 10).await.unwrap();
    assert_eq!(one.detect_foreign_writes().await.unwrap(), before);
    other.set_metadata("a".to_owned(), Some("b".to_owned())).await.unwrap();
    let after = one.detect_foreign_writes().await.unwrap();
    assert_eq!(after, ForeignWrites { count: before.count + 1, ..before });
}

#[tokio::test]
async fn head_follows_the_writes_of_others() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    let mut head = one.head();
    commit(&other, [creation(1)]).await;
    let seen = tokio::time::timeout(Duration::from_secs(30), head.wait_for(|head| *head == Position(1)));
    seen.await.expect("the write of another process is not seen").unwrap();
}

#[tokio::test]
async fn a_role_has_one_holder() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    let long = Duration::from_secs(600);
    assert!(one.take_role("matcher", 1, long).await.unwrap());
    assert!(one.take_role("matcher", 1, long).await.unwrap(), "it is renewed");
    assert!(!other.take_role("matcher", 2, long).await.unwrap());
    assert!(other.take_role("another", 2, long).await.unwrap());
    // The lease ends at once.
    assert!(one.take_role("matcher", 1, Duration::ZERO).await.unwrap());
    let taken = async {
        while !other.take_role("matcher", 2, long).await.unwrap() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), taken).await.expect("the role is not free");
    assert!(!one.take_role("matcher", 1, long).await.unwrap());
}

#[tokio::test]
async fn a_set_conflicts_with_properties_and_not_with_searches() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    let known = one.detect_foreign_writes().await.unwrap().count;
    commit(&other, [create_search(&saved_search(1))]).await;
    let noticed = one.detect_foreign_writes().await.unwrap();
    assert!(noticed.count > known, "others hear of the search");
    assert_eq!(one.commit(grouped_at(known, 1)).await.unwrap(), CommitOutcome::Committed(Position(2)));
    other.erase(advert_id(1), at(5)).await.unwrap().unwrap();
    assert_eq!(one.commit(grouped_at(noticed.count, 2)).await.unwrap(), CommitOutcome::Conflict);
}

#[tokio::test]
async fn processes_take_turns_with_grouping() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    // Both are in one turn, unless they are more than a tenth of a second apart.
    let (first, second) = tokio::join!(one.grouping_turn(), one.grouping_turn());
    let (first, second) = (first.unwrap(), second.unwrap());
    let mut waiting = Box::pin(other.grouping_turn());
    // The other one asks for its turn, and does not get it.
    let asks = async {
        while database.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())") != ["1"] {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        _ = &mut waiting => panic!("two processes have a turn at the same time"),
        () = asks => {}
    }
    commit(&one, [creation(1)]).await;
    drop((first, second));
    let turn = tokio::time::timeout(Duration::from_secs(30), waiting).await;
    let turn = turn.expect("the other process gets no turn").unwrap();
    assert_eq!(other.foreign_writes().borrow().until, Position(1), "it knows what was written before");
    drop(turn);
}

#[tokio::test]
async fn a_turn_that_is_lost_with_its_connection_keeps_nothing_out() {
    let database = Postgres::fresh().await;
    let (one, other) = (database.open().await, database.open().await);
    let lost = one.grouping_turn().await.unwrap();
    database.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
             AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    );
    drop(other.grouping_turn().await.unwrap());
    drop(lost);
    drop(one.grouping_turn().await.unwrap());
}

#[tokio::test]
async fn lost_writes_end_the_store() {
    let database = Postgres::fresh().await;
    let store = database.open().await;
    commit(&store, [creation(1)]).await;
    // As after a crash of a database server that does not sync its commits.
    database.execute("UPDATE write_turn SET writes = writes - 1");
    let mut failure = store.failure();
    let noticed = tokio::time::timeout(Duration::from_secs(30), failure.wait_for(Option::is_some)).await;
    assert_eq!(*noticed.expect("it is not noticed").unwrap(), Some(StoreFailure::WritesLost));
    assert!(store.commit(set([creation(2)])).await.is_err());
}
