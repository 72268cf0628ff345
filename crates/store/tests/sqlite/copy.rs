//! Copies of a database that others write to.

use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::{FILE_NAME, check_copy, copy_database, prepare_restored, verify_copy};
use store::{DELIVERIES_HELD, Error, Expected, Position};
use testkit::build::{advert, advert_id, at, property};

use crate::changes::{commit, create, whole_log};

/// Adds properties, one transaction each.
async fn add(store: &SqlStore, numbers: std::ops::Range<u64>) {
    for number in numbers {
        commit(store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    }
}

/// Creates an empty file to copy to.
fn empty(path: &Path) -> &Path {
    std::fs::write(path, "").unwrap();
    path
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_others_neither_change_nor_restart_a_copy() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..200).await;
    let before = whole_log(&store).await;
    let other_process = SqlStore::open(folder.path()).unwrap();

    let target = elsewhere.path().join(FILE_NAME);
    let (path, runtime) = (empty(&target).to_owned(), tokio::runtime::Handle::current());
    let (data, writers) = (folder.path().to_owned(), [store.clone(), other_process.clone()]);
    let copying = tokio::task::spawn_blocking(move || {
        let (mut number, mut steps, mut copied_pages) = (1_000, Vec::new(), 0);
        let copied = copy_database(&data, &path, 4, &mut |progress| {
            assert!(progress.pages > copied_pages, "it started again: {progress:?} after {steps:?}");
            copied_pages = progress.pages;
            steps.push(progress.pages);
            // By both connections, after every step.
            for writer in &writers {
                runtime.block_on(add(writer, number..number + 1));
                number += 1;
            }
            ControlFlow::Continue(())
        });
        (copied.unwrap().unwrap(), steps.len(), copied_pages)
    });
    let (copied, steps, pages) = copying.await.unwrap();
    assert!(steps > 10, "{steps} steps of {pages} pages: too few to prove anything");
    assert_eq!(copied.position, Position(before.len() as u64));
    assert_eq!((copied.properties, copied.adverts, copied.searches), (199, 199, 0));
    assert!(copied.wal_bytes > 0);
    assert!(store.counts().await.unwrap().0 > 199, "others have written meanwhile");

    assert_eq!(check_copy(&target).unwrap(), None);
    let verified = verify_copy(&target, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!(verified.findings, []);
    assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 1, "the copy is one file");
    let copy = SqlStore::open(elsewhere.path()).unwrap();
    assert_eq!(whole_log(&copy).await, before);
}

#[tokio::test]
async fn write_ahead_log_is_written_back_after_a_copy() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..50).await;
    let wal = folder.path().join(format!("{FILE_NAME}-wal"));
    assert!(std::fs::metadata(&wal).unwrap().len() > 0);
    let target = elsewhere.path().join(FILE_NAME);
    copy_database(folder.path(), empty(&target), 64, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    assert_eq!(std::fs::metadata(&wal).unwrap().len(), 0);
    add(&store, 50..60).await;
}

#[tokio::test]
async fn copy_can_be_cancelled() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..20).await;
    let target = elsewhere.path().join(FILE_NAME);
    let copied = copy_database(folder.path(), empty(&target), 1, &mut |_| ControlFlow::Break(()));
    assert_eq!(copied.unwrap(), None);
}

#[tokio::test]
async fn other_schema_versions_are_refused() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    drop(SqlStore::open(folder.path()).unwrap());
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let target = elsewhere.path().join(FILE_NAME);
    let copy = || copy_database(folder.path(), empty(&target), 1, &mut |_| ControlFlow::Continue(()));
    connection.pragma_update(None, "user_version", 1).unwrap();
    assert!(matches!(copy(), Err(Error::TooOld { found: 1, .. })));
    connection.pragma_update(None, "user_version", 99).unwrap();
    assert!(matches!(copy(), Err(Error::TooNew { found: 99, .. })));
    connection.pragma_update(None, "application_id", 7).unwrap();
    assert!(matches!(copy(), Err(Error::NotOurs { .. })));
    let nowhere = elsewhere.path().join("nowhere");
    let missing = copy_database(&nowhere, &target, 1, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(missing, Err(Error::Open { .. })), "{missing:?}");
}

#[tokio::test]
async fn damage_of_the_original_is_found_in_the_copy() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..20).await;
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    connection.execute("UPDATE property_version SET record = x'00' WHERE record_id = 3", []).unwrap();
    let target = elsewhere.path().join(FILE_NAME);
    copy_database(folder.path(), empty(&target), 64, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    let verified = verify_copy(&target, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    assert!(!verified.findings.is_empty());

    let mut bytes = std::fs::read(&target).unwrap();
    let length = bytes.len();
    bytes[4_096..length / 2].fill(0xA5);
    std::fs::write(&target, bytes).unwrap();
    assert!(check_copy(&target).unwrap().is_some());
}

#[tokio::test]
async fn restored_copy_holds_its_deliveries_if_asked() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..3).await;
    drop(store);
    let path = folder.path().join(FILE_NAME);
    assert_eq!(prepare_restored(&path, None).unwrap().deliveries_held, None);
    let state = prepare_restored(&path, Some("2026-11-16T03:00:00Z")).unwrap();
    assert_eq!((state.position, state.deliveries_held.is_some()), (Position(2), true));
    // Held in the original: held in the copy.
    assert!(prepare_restored(&path, None).unwrap().deliveries_held.is_some());
    let store = SqlStore::open(folder.path()).unwrap();
    let held = store.metadata(DELIVERIES_HELD.to_owned()).await.unwrap();
    assert_eq!(held.as_deref(), Some("2026-11-16T03:00:00Z"));
}

/// A second process would delete the write-ahead log under the first one, if a copy had released the locks of the first.
#[tokio::test]
async fn a_copy_keeps_the_locks_of_its_process() {
    let (folder, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..3).await;
    let target = elsewhere.path().join(FILE_NAME);
    copy_database(folder.path(), empty(&target), 64, &mut |_| ControlFlow::Continue(())).unwrap().unwrap();
    add(&store, 3..5).await;
    let database = folder.path().join(FILE_NAME);
    let locks = || {
        let inode = std::fs::metadata(&database).unwrap().ino().to_string();
        let process = std::process::id().to_string();
        let locks = std::fs::read_to_string("/proc/locks").unwrap();
        let is_ours = |line: &&str| {
            let fields: Vec<&str> = line.split_whitespace().collect();
            fields.contains(&process.as_str()) && line.contains(&format!(":{inode} "))
        };
        locks.lines().filter(is_ours).count()
    };
    assert!(locks() > 0, "the connections hold the database open, and others must see that");
}

/// A backup reads for minutes. Writers must not wait for it.
#[tokio::test]
async fn an_erasure_does_not_wait_for_a_long_reader() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    add(&store, 1..5).await;
    let wal = folder.path().join(format!("{FILE_NAME}-wal"));
    let reader = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM property").unwrap();
    add(&store, 5..6).await;
    store.erase(advert_id(1), at(9_000)).await.unwrap().unwrap();
    add(&store, 6..7).await;
    assert!(std::fs::metadata(&wal).unwrap().len() > 0, "the reader still needs it");
    reader.execute_batch("COMMIT").unwrap();
    // The writer does it by itself.
    let truncated = async {
        while std::fs::metadata(&wal).unwrap().len() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), truncated).await.unwrap();
}
