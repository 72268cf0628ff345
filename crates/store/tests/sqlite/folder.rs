//! One server per folder, and only our own databases.

use std::path::Path;
use std::sync::Barrier;

use rusqlite::Connection;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::{FILE_NAME, ServerLock};
use store::{Error, Expected};
use testkit::build::{advert, property};

use crate::changes::{commit, create};

fn refusal(folder: &Path) -> Error {
    match SqlStore::open(folder) {
        Ok(_) => panic!("the folder was opened"),
        Err(error) => error,
    }
}

#[test]
fn second_server_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let first = ServerLock::acquire(folder.path()).unwrap();
    match ServerLock::acquire(folder.path()) {
        Err(Error::InUse { path }) => assert_eq!(path, folder.path()),
        other => panic!("{other:?}"),
    }
    // Commands may open the folder next to a server.
    SqlStore::open(folder.path()).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    ServerLock::acquire(elsewhere.path()).unwrap();
    drop(first);
    ServerLock::acquire(folder.path()).unwrap();
}

#[test]
fn missing_folder_is_created() {
    let parent = tempfile::tempdir().unwrap();
    let folder = parent.path().join("not/yet");
    ServerLock::acquire(&folder).unwrap();
    drop(SqlStore::open(&folder).unwrap());
    assert!(folder.join(FILE_NAME).is_file());
}

#[tokio::test]
async fn folder_of_a_later_release_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::open(folder.path()).unwrap();
    commit(&store, [create(&property(1, [advert(1).build()]), Expected::New)]).await;
    drop(store);
    let connection = Connection::open(folder.path().join(FILE_NAME)).unwrap();
    let known: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    connection.pragma_update(None, "user_version", known + 41).unwrap();
    match refusal(folder.path()) {
        Error::TooNew { found, known: answered } => assert_eq!((found, answered), (known + 41, known)),
        other => panic!("{other:?}"),
    }
    connection.pragma_update(None, "user_version", known).unwrap();
    drop(connection);
    assert_eq!(SqlStore::open(folder.path()).unwrap().counts().await.unwrap(), (1, 1));
}

#[test]
fn foreign_database_is_refused_and_not_changed() {
    for application_id in [0, 0x1234] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE_NAME);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch("CREATE TABLE recipe (name TEXT)").unwrap();
        connection.pragma_update(None, "application_id", application_id).unwrap();
        drop(connection);
        let before = std::fs::read(&path).unwrap();
        match refusal(folder.path()) {
            Error::NotOurs { path: named } => assert_eq!(named, path),
            other => panic!("{other:?}"),
        }
        assert_eq!(std::fs::read(&path).unwrap(), before);
    }
}

#[test]
fn file_that_is_not_a_database_is_refused_and_not_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let text = "Once upon a time there was a file that was no database. ".repeat(100);
    std::fs::write(&path, &text).unwrap();
    assert!(matches!(refusal(folder.path()), Error::Corrupt { .. }));
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn folder_that_cannot_be_created_is_reported() {
    let parent = tempfile::tempdir().unwrap();
    let file = parent.path().join("file");
    std::fs::write(&file, "").unwrap();
    let folder = file.join("data");
    match refusal(&folder) {
        Error::Open { path, .. } => assert_eq!(path, folder),
        other => panic!("{other:?}"),
    }
}

#[test]
fn new_folder_can_be_opened_concurrently() {
    const MANY: usize = 8;
    for _ in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let start = Barrier::new(MANY);
        std::thread::scope(|scope| {
            for _ in 0..MANY {
                scope.spawn(|| {
                    start.wait();
                    SqlStore::open(folder.path()).unwrap();
                });
            }
        });
    }
}
