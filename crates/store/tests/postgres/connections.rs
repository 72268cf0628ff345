//! Lost connections are opened again, and nothing is written twice or reported wrongly.

use store::prelude::*;
use store::{CommitOutcome, Expected, Position, Step};
use testkit::build::{advert, property, property_id};

use crate::backend::{Backend, Postgres};
use crate::changes::{commit, create, set};

fn creation(number: u64) -> Step {
    create(&property(number, [advert(number).build()]), Expected::New)
}

const END_ALL: &str = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()";

#[tokio::test]
async fn ended_connections_are_opened_again() {
    let database = Postgres::fresh().await;
    let store = database.open().await;
    commit(&store, [creation(1)]).await;
    for number in 2..=4 {
        database.execute(END_ALL);
        // The write opens its connection again before it begins.
        commit(&store, [creation(number)]).await;
        assert_eq!(store.properties(vec![property_id(number)]).await.unwrap().len(), 1);
        assert_eq!(store.count_searches().await.unwrap(), 0);
    }
    assert_eq!(store.log_after(Position::START, 10).await.unwrap().len(), 4);
}

#[tokio::test]
async fn a_commit_that_loses_its_connection_before_it_begins_is_made_once() {
    let database = Postgres::fresh().await;
    let store = database.open().await;
    // Another transaction has its turn, so that the commit waits for it.
    let (blocker, connection) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
    let mut sessions = tokio::task::JoinSet::new();
    sessions.spawn(connection);
    blocker.batch_execute("BEGIN; SELECT writes FROM write_turn FOR UPDATE").await.unwrap();
    let writing = store.clone();
    let mut committing = tokio::task::JoinSet::new();
    committing.spawn(async move { writing.commit(set([creation(1)])).await });
    let waiting =
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    let pid: i32 = loop {
        if let Some(row) = blocker.query_opt(waiting, &[]).await.unwrap() {
            break row.get(0);
        }
    };
    blocker.execute("SELECT pg_terminate_backend($1)", &[&pid]).await.unwrap();
    blocker.batch_execute("COMMIT").await.unwrap();
    let committed = committing.join_next().await.unwrap().unwrap();
    assert_eq!(committed.unwrap(), CommitOutcome::Committed(Position(1)));
    assert_eq!(store.log_after(Position::START, 10).await.unwrap().len(), 1);
}
