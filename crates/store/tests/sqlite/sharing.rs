//! Writers share transactions, and processes share the folder.

use std::future::{Future, poll_fn};
use std::path::Path;
use std::sync::Arc;
use std::task::Poll;

use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use store::{Change, CommitOutcome, Expected, Position};
use testkit::build::{advert, advert_id, property, saved_search, site_reference};
use tokio::task::JoinSet;

use crate::changes::{create_claiming, create_search, set, whole_log};

/// Counts the transactions in the write-ahead log: the last frame of each holds the size of the database.
fn transactions(folder: &Path) -> usize {
    const HEADER_BYTES: usize = 32;
    const FRAME_HEADER_BYTES: usize = 24;
    let log = std::fs::read(folder.join(format!("{FILE_NAME}-wal"))).unwrap();
    let number = |at: usize| u32::from_be_bytes(log[at..at + 4].try_into().unwrap());
    let (page_bytes, salt) = (number(8) as usize, &log[16..24]);
    (HEADER_BYTES..log.len())
        .step_by(FRAME_HEADER_BYTES + page_bytes)
        // Frames of an earlier generation of the log have another salt.
        .take_while(|frame| log[frame + 8..frame + 16] == *salt)
        .filter(|frame| number(frame + 4) != 0)
        .count()
}

/// Polls a future once.
async fn start(future: &mut (impl Future + Unpin)) {
    let mut future = std::pin::pin!(future);
    poll_fn(|context| {
        assert!(future.as_mut().poll(context).is_pending());
        Poll::Ready(())
    })
    .await;
}

#[tokio::test]
async fn waiting_writers_share_one_transaction() {
    const WRITERS: u64 = 200;
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    let before = transactions(folder.path());

    // While another process holds the write lock, all writers wait.
    let other = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut waiting = Vec::new();
    for number in 0..WRITERS {
        // Every tenth set is refused; the others in its transaction must not be affected.
        let conflict = (number % 10 == 0).then(|| {
            let target = property(1, [advert(1).build()]);
            create_claiming(&target, Expected::Revision(9), site_reference("a.fr", "1"))
        });
        let steps = std::iter::once(create_search(&saved_search(number))).chain(conflict);
        let mut committing = Box::pin(store.commit(set(steps)));
        start(&mut committing).await;
        waiting.push(committing);
    }
    other.execute_batch("COMMIT").unwrap();

    let (mut committed, mut conflicts) = (Vec::new(), 0);
    for committing in waiting {
        match committing.await.unwrap() {
            CommitOutcome::Committed(Position(position)) => committed.push(position),
            CommitOutcome::Conflict => conflicts += 1,
            CommitOutcome::TooManySearches => panic!("no limit applies"),
        }
    }
    assert_eq!(conflicts, WRITERS / 10);
    assert_eq!(
        committed,
        (1..=WRITERS - WRITERS / 10).collect::<Vec<_>>(),
        "sets are written in the order of arrival"
    );
    assert_eq!(whole_log(&store).await.len(), committed.len());
    // The first may have had a transaction of its own, before the others arrived.
    let used = transactions(folder.path()) - before;
    assert!((1..=2).contains(&used), "{used} transactions for {WRITERS} writers");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn two_processes_on_one_folder_lose_and_duplicate_nothing() {
    const CLAIMS: u64 = 60;
    let folder = tempfile::tempdir().unwrap();
    let stores = [0, 1].map(|_| Arc::new(SqlStore::open(folder.path()).unwrap()));
    let mut writers = JoinSet::new();
    for (index, store) in (0..).zip(&stores) {
        for writer in 0..3 {
            let store = Arc::clone(store);
            writers.spawn(async move {
                let mut won = Vec::new();
                for reference in (0..CLAIMS).filter(|number| number % 3 == writer) {
                    let number = index * 1_000 + reference;
                    let text = reference.to_string();
                    let target = property(number, [advert(number).site("a.fr").reference(&text).build()]);
                    let step = create_claiming(&target, Expected::New, site_reference("a.fr", &text));
                    if let CommitOutcome::Committed(position) = store.commit(set([step])).await.unwrap() {
                        won.push((reference, advert_id(number), position));
                    }
                }
                won
            });
        }
    }
    let mut won = writers.join_all().await.concat();
    won.sort_unstable();
    let references: Vec<u64> = won.iter().map(|(reference, ..)| *reference).collect();
    assert_eq!(references, (0..CLAIMS).collect::<Vec<_>>(), "each claim succeeded once");
    for store in &stores {
        let log = whole_log(&**store).await;
        assert_eq!(log.len() as u64, CLAIMS);
        for (reference, winner, position) in &won {
            let located = store.locate(vec![site_reference("a.fr", &reference.to_string())]).await.unwrap();
            assert_eq!(located[0].map(|located| located.advert), Some(*winner));
            let entry = &log[usize::try_from(position.0).unwrap() - 1];
            assert!(matches!(entry.change, Change::Property { advert, .. } if advert == *winner));
        }
        assert_eq!(store.counts().await.unwrap(), (CLAIMS, CLAIMS));
    }
}
