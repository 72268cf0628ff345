//! Readers see the log in order and without gaps, however many processes write.

use std::time::Duration;

use store::prelude::*;
use store::{Expected, LogEntry, Position, SqlStore};
use testkit::build::{advert, property};

use crate::backend::{Backend, Postgres};
use crate::changes::{commit, create};

const PROCESSES: u64 = 3;
const WRITERS: u64 = 8;
const COMMITS: u64 = 12;

/// Reads the log like a follower, until it has `count` entries.
async fn follow(store: &SqlStore, count: usize) -> Vec<LogEntry> {
    let (mut entries, mut head) = (Vec::<LogEntry>::new(), store.head());
    while entries.len() < count {
        head.borrow_and_update();
        let after = entries.last().map_or(Position::START, |entry| entry.position);
        let more = store.log_after(after, 7).await.unwrap();
        if more.is_empty() {
            let woken = tokio::time::timeout(Duration::from_secs(60), head.changed()).await;
            woken.expect("no entry for a minute").unwrap();
        }
        entries.extend(more);
    }
    entries
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_of_all_processes_see_the_same_log() {
    let database = Postgres::fresh().await;
    // Transactions that stay open, one with a snapshot and one with a transaction id, must not hide or delay anything.
    let (mut idle, mut sessions) = (Vec::new(), tokio::task::JoinSet::new());
    for begin in
        ["BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM log", "BEGIN; SELECT txid_current()"]
    {
        let (client, connection) =
            tokio_postgres::connect(database.url(), tokio_postgres::NoTls).await.unwrap();
        sessions.spawn(connection);
        client.batch_execute(begin).await.unwrap();
        idle.push(client);
    }
    let mut stores = Vec::new();
    for _ in 0..PROCESSES {
        stores.push(database.open().await);
    }
    let mut tasks = tokio::task::JoinSet::new();
    for (process, store) in (0..).zip(&stores) {
        for writer in 0..WRITERS {
            let store = store.clone();
            tasks.spawn(async move {
                for number in 0..COMMITS {
                    let number = 1 + (process * WRITERS + writer) * COMMITS + number;
                    let target = property(number, [advert(number).build()]);
                    commit(&store, [create(&target, Expected::New)]).await;
                }
            });
        }
    }
    let count = usize::try_from(PROCESSES * WRITERS * COMMITS).unwrap();
    let logs = futures(stores.iter().map(|store| follow(store, count))).await;
    while let Some(written) = tasks.join_next().await {
        written.unwrap();
    }
    let positions: Vec<u64> = logs[0].iter().map(|entry| entry.position.0).collect();
    assert_eq!(positions, (1..=count as u64).collect::<Vec<_>>());
    assert!(logs.iter().all(|log| *log == logs[0]));
}

/// Waits for all, while they run at the same time.
async fn futures<T>(all: impl Iterator<Item = impl Future<Output = T>>) -> Vec<T> {
    let mut all: Vec<_> = all.map(Box::pin).collect();
    let mut done: Vec<Option<T>> = all.iter().map(|_| None).collect();
    std::future::poll_fn(|context| {
        for (future, done) in all.iter_mut().zip(&mut done) {
            if done.is_none()
                && let std::task::Poll::Ready(result) = future.as_mut().poll(context)
            {
                *done = Some(result);
            }
        }
        if done.iter().all(Option::is_some) { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    done.into_iter().flatten().collect()
}
