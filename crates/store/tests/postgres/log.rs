//! Readers see the log in order and without gaps, however many processes write.
//!
//! `VIGIE_LOG_ENTRIES` sets the number of entries (640).

use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use store::prelude::*;
use store::{Expected, Position, SqlStore};
use testkit::build::{advert, property};

use crate::backend::{Backend, Postgres};
use crate::changes::{commit, create};

const PROCESSES: u64 = 4;

/// Per process: 64 in all.
const WRITERS: u64 = 16;

/// Reads the log like a follower, until it has seen `count` entries: each once, and in order. Returns a digest of all of them.
async fn follow(store: &SqlStore, count: u64) -> u64 {
    let (mut last, mut digest, mut head) = (Position::START, DefaultHasher::new(), store.head());
    while last.0 < count {
        head.borrow_and_update();
        let more = store.log_after(last, 61).await.unwrap();
        if more.is_empty() {
            let woken = tokio::time::timeout(Duration::from_secs(60), head.changed()).await;
            woken.expect("no entry for a minute").unwrap();
        }
        for entry in more {
            assert_eq!(entry.position, last.next(), "an entry is missing or was seen twice");
            last = entry.position;
            format!("{entry:?}").hash(&mut digest);
        }
    }
    digest.finish()
}

#[tokio::test(flavor = "multi_thread")]
async fn followers_of_all_processes_see_the_same_log() {
    let entries = std::env::var("VIGIE_LOG_ENTRIES").map_or(640, |entries| entries.parse().unwrap());
    let commits = u64::div_ceil(entries, PROCESSES * WRITERS);
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
                for number in 0..commits {
                    let number = 1 + (process * WRITERS + writer) * commits + number;
                    let target = property(number, [advert(number).build()]);
                    commit(&store, [create(&target, Expected::New)]).await;
                }
            });
        }
    }
    let count = PROCESSES * WRITERS * commits;
    let logs = futures(stores.iter().map(|store| follow(store, count))).await;
    while let Some(written) = tasks.join_next().await {
        written.unwrap();
    }
    assert!(logs.iter().all(|log| *log == logs[0]), "followers saw different logs");
    println!(
        "{count} entries of {} writers, each seen once and in order by {PROCESSES} followers",
        PROCESSES * WRITERS
    );
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
