//! A store copied to another database and back.

mod dump;
mod filled;

use std::ops::ControlFlow;
use std::path::Path;

use store::prelude::*;
use store::sqlite::{FILE_NAME, ServerLock, copy_database};
use store::transfer::{
    StoreAddress, TransferError, TransferOptions, TransferProgress, TransferStage, Transferred, transfer,
};
use store::{Error, SqlStore};
use tempfile::TempDir;
use testkit::build::saved_search;

use crate::changes::{commit, create_search};

/// Small, so that most tables are copied in several pieces.
const OPTIONS: TransferOptions = TransferOptions { rows_per_piece: 2 };

/// A database without tables.
struct Database {
    name: String,
    address: StoreAddress,
}

impl Database {
    fn new() -> Self {
        let name = local_postgres::shared().create_database();
        let options = local_postgres::shared().url(&name).parse().unwrap();
        Self { name, address: StoreAddress::Postgres(Box::new(options)) }
    }

    fn execute(&self, sql: &str) {
        local_postgres::shared().execute(&self.name, sql);
    }

    fn url(&self) -> String {
        local_postgres::shared().url(&self.name)
    }

    fn open(&self) -> Result<SqlStore, Error> {
        SqlStore::connect(&self.url().parse().unwrap())
    }
}

fn folder(folder: &TempDir) -> StoreAddress {
    StoreAddress::Folder(folder.path().to_owned())
}

/// A folder with a filled store.
async fn filled_folder() -> TempDir {
    let folder = TempDir::new().unwrap();
    filled::fill(&SqlStore::open(folder.path()).unwrap()).await;
    folder
}

fn copy(from: &StoreAddress, to: &StoreAddress) -> Result<Transferred, TransferError> {
    transfer(from, to, &OPTIONS, &mut |_| ControlFlow::Continue(()))
}

/// Copies until the report says so.
fn copy_until(
    from: &StoreAddress,
    to: &StoreAddress,
    mut is_enough: impl FnMut(TransferProgress) -> bool + Send,
) -> Result<Transferred, TransferError> {
    transfer(from, to, &OPTIONS, &mut |progress| {
        if is_enough(progress) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
}

/// Stops after a few pieces.
#[track_caller]
fn interrupt(from: &StoreAddress, to: &StoreAddress, pieces: usize) {
    let mut left = pieces;
    let interrupted = copy_until(from, to, |_| {
        left -= 1;
        left == 0
    });
    assert!(matches!(interrupted, Err(TransferError::Interrupted)), "{interrupted:?}");
}

/// Copies everything, and stops before it is verified.
#[track_caller]
fn copy_unverified(from: &StoreAddress, to: &StoreAddress) {
    let interrupted = copy_until(from, to, |progress| progress.stage == TransferStage::Verify);
    assert!(matches!(interrupted, Err(TransferError::Interrupted)), "{interrupted:?}");
}

/// The text of an error with its causes, as the command prints it.
fn text(error: &TransferError) -> String {
    let causes = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

fn execute_in(folder: &Path, sql: &str) {
    rusqlite::Connection::open(folder.join(FILE_NAME)).unwrap().execute_batch(sql).unwrap();
}

#[tokio::test]
async fn everything_arrives_and_comes_back() {
    let (original, there, back) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    let before = dump::of_folder(original.path());
    for (table, rows) in &before {
        assert!(!rows.is_empty(), "the test has no row in {table}");
    }
    let bytes = std::fs::read(original.path().join(FILE_NAME)).unwrap();
    let copied = copy(&folder(&original), &there.address).unwrap();
    let counts = copied.tables.iter().map(|(table, rows)| ((*table).to_owned(), *rows as usize)).collect();
    let expected: std::collections::BTreeMap<String, usize> =
        before.iter().map(|(table, rows)| (table.clone(), rows.len())).collect();
    assert_eq!(expected, counts);
    assert_eq!(dump::of_postgres(&there.url()).await, before);
    assert_eq!(std::fs::read(original.path().join(FILE_NAME)).unwrap(), bytes, "the source is not changed");

    copy(&there.address, &folder(&back)).unwrap();
    assert_eq!(dump::of_folder(back.path()), before);
    assert_eq!(dump::of_postgres(&there.url()).await, before, "the source is not changed");
    filled::check_that_it_goes_on(&there.open().unwrap()).await;
    filled::check_that_it_goes_on(&SqlStore::open(back.path()).unwrap()).await;
}

#[tokio::test]
async fn same_kind_of_database_is_copied_as_well() {
    let (original, other) = (filled_folder().await, TempDir::new().unwrap());
    let (first, second) = (Database::new(), Database::new());
    copy(&folder(&original), &folder(&other)).unwrap();
    assert_eq!(dump::of_folder(other.path()), dump::of_folder(original.path()));
    copy(&folder(&other), &first.address).unwrap();
    copy(&first.address, &second.address).unwrap();
    assert_eq!(dump::of_postgres(&second.url()).await, dump::of_folder(original.path()));
    let identity = |database: &Database| database.open().unwrap().shared_identity().map(str::to_owned);
    assert_ne!(identity(&first), identity(&second), "each keeps its own");
    filled::check_that_it_goes_on(&SqlStore::open(other.path()).unwrap()).await;
    filled::check_that_it_goes_on(&second.open().unwrap()).await;
}

#[tokio::test]
async fn new_store_is_copied() {
    let (empty, there, back) = (TempDir::new().unwrap(), Database::new(), TempDir::new().unwrap());
    drop(SqlStore::open(empty.path()).unwrap());
    copy(&folder(&empty), &there.address).unwrap();
    copy(&there.address, &folder(&back)).unwrap();
    assert_eq!(dump::of_folder(back.path()), dump::of_folder(empty.path()));
}

#[tokio::test]
async fn interrupted_copy_goes_on_where_it_stopped() {
    let (original, there, back) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    let before = dump::of_folder(original.path());
    for (from, to) in [(&folder(&original), &there.address), (&there.address, &folder(&back))] {
        let (mut runs, mut done) = (0, 0);
        loop {
            let mut pieces = 0;
            let copied = copy_until(from, to, |progress| {
                if progress.stage == TransferStage::Verify {
                    return false;
                }
                assert!(progress.rows >= done, "it started again: {progress:?} after {done} rows");
                done = progress.rows;
                pieces += 1;
                pieces == 4
            });
            runs += 1;
            match copied {
                Err(TransferError::Interrupted) => {}
                copied => break drop(copied.unwrap()),
            }
        }
        assert!(runs > 10, "{runs} runs are too few to prove anything");
    }
    assert_eq!(dump::of_postgres(&there.url()).await, before);
    assert_eq!(dump::of_folder(back.path()), before);
    filled::check_that_it_goes_on(&SqlStore::open(back.path()).unwrap()).await;
}

#[tokio::test]
async fn unfinished_copy_is_not_opened() {
    let (original, there, back) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    interrupt(&folder(&original), &there.address, 20);
    let refused = there.open().err().unwrap();
    assert!(matches!(&refused, Error::HalfMigrated { .. }), "{refused:?}");
    let message = refused.to_string();
    assert!(message.contains("is half migrated from") && message.contains("`vigie migrate`"), "{message}");
    let refused = copy(&there.address, &folder(&back)).unwrap_err();
    assert!(text(&refused).contains("is half migrated from"), "{refused:?}");

    interrupt(&folder(&original), &folder(&back), 20);
    assert!(matches!(SqlStore::open(back.path()), Err(Error::HalfMigrated { .. })));
    let backup = original.path().join("backup.db");
    std::fs::write(&backup, "").unwrap();
    let copied = copy_database(back.path(), &backup, 100, &mut |_| ControlFlow::Continue(()));
    assert!(matches!(copied, Err(Error::HalfMigrated { .. })), "{copied:?}");
    copy(&folder(&original), &folder(&back)).unwrap();
    drop(SqlStore::open(back.path()).unwrap());
}

#[tokio::test]
async fn changed_source_is_refused() {
    let (original, there) = (filled_folder().await, Database::new());
    interrupt(&folder(&original), &there.address, 20);
    commit(&SqlStore::open(original.path()).unwrap(), [create_search(&saved_search(70))]).await;
    let refused = copy(&folder(&original), &there.address).unwrap_err();
    assert!(text(&refused).contains("has changed since the migration began: the table"), "{refused:?}");

    // Another source altogether.
    let other = filled_folder().await;
    let refused = copy(&folder(&other), &there.address).unwrap_err();
    assert!(matches!(refused, TransferError::OtherOrigin { .. }), "{refused:?}");

    // A row that was changed after it was copied, without a trace elsewhere.
    let there = Database::new();
    copy_unverified(&folder(&other), &there.address);
    execute_in(other.path(), "UPDATE delivery SET due_at = due_at + 1 WHERE sequence = 1");
    let refused = copy(&folder(&other), &there.address).unwrap_err();
    assert!(matches!(refused, TransferError::Different { table: "delivery", .. }), "{refused:?}");
    execute_in(other.path(), "UPDATE delivery SET due_at = due_at - 1 WHERE sequence = 1");
    copy(&folder(&other), &there.address).unwrap();
}

#[tokio::test]
async fn write_during_the_copy_is_noticed() {
    let (original, there) = (filled_folder().await, Database::new());
    let mut writes = 0;
    let copied = copy_until(&folder(&original), &there.address, |progress| {
        if progress.stage == TransferStage::Verify && writes == 0 {
            execute_in(original.path(), "UPDATE search_alert SET last_alert_at = last_alert_at + 1");
            writes += 1;
        }
        false
    });
    let refused = copied.unwrap_err();
    assert!(matches!(refused, TransferError::Changed { .. }), "{refused:?}");
    assert!(matches!(there.open(), Err(Error::HalfMigrated { .. })));

    // On PostgreSQL other processes cannot write meanwhile.
    let (source, there) = (Database::new(), TempDir::new().unwrap());
    execute_in(original.path(), "UPDATE search_alert SET last_alert_at = last_alert_at - 1");
    copy(&folder(&original), &source.address).unwrap();
    let mut tries = 0;
    let copied = copy_until(&source.address, &folder(&there), |progress| {
        if progress.stage == TransferStage::Verify && tries == 0 {
            // Fails if the table is not locked. Every write of a server begins with a lock that this one excludes.
            source.execute(
                "SELECT 1 / count(*) FROM pg_locks
                 WHERE relation = 'write_turn'::regclass AND mode = 'ExclusiveLock' AND granted",
            );
            tries += 1;
        }
        false
    });
    copied.unwrap();
    assert_eq!(tries, 1);
}

#[tokio::test]
async fn difference_is_found_and_the_table_named() {
    let (original, there, back) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    copy_unverified(&folder(&original), &there.address);
    for (table, damage, repair) in [
        (
            "log",
            "UPDATE log SET recorded_at = recorded_at + 1",
            "UPDATE log SET recorded_at = recorded_at - 1",
        ),
        (
            "api_key",
            "UPDATE api_key SET label = NULL WHERE label = 'Site de l''agence'",
            "UPDATE api_key SET label = 'Site de l''agence'",
        ),
        (
            "webhook_secret",
            "UPDATE webhook_secret SET secret = set_byte(secret, 3, get_byte(secret, 3) # 1)",
            "UPDATE webhook_secret SET secret = set_byte(secret, 3, get_byte(secret, 3) # 1)",
        ),
        ("outbox", "DELETE FROM outbox WHERE ordinal = 1", ""),
    ] {
        there.execute(damage);
        let refused = copy(&folder(&original), &there.address).unwrap_err();
        assert!(
            matches!(&refused, TransferError::Different { table: found, .. } if *found == table),
            "{damage}: {refused:?}"
        );
        assert!(matches!(there.open(), Err(Error::HalfMigrated { .. })), "{damage}");
        there.execute(repair);
    }
    copy_unverified(&folder(&original), &folder(&back));
    execute_in(back.path(), "UPDATE search SET record = CAST(record || x'00' AS BLOB) WHERE number = 2");
    let refused = copy(&folder(&original), &folder(&back)).unwrap_err();
    assert!(
        text(&refused).starts_with("search differs after the copy: the same number of rows"),
        "{refused:?}"
    );
}

#[tokio::test]
async fn target_with_data_is_refused() {
    let original = filled_folder().await;
    let (there, other) = (Database::new(), TempDir::new().unwrap());
    commit(&there.open().unwrap(), [create_search(&saved_search(1))]).await;
    commit(&SqlStore::open(other.path()).unwrap(), [create_search(&saved_search(1))]).await;
    let before = dump::of_folder(other.path());
    for target in [&there.address, &folder(&other)] {
        let refused = copy(&folder(&original), target).unwrap_err();
        let message = text(&refused);
        assert!(
            message.contains("is not empty: it has rows in log (1), search (1), search_count (1)"),
            "{message}"
        );
    }
    assert_eq!(dump::of_folder(other.path()), before);
    // Neither of them is marked.
    drop((there.open().unwrap(), SqlStore::open(other.path()).unwrap()));
}

#[tokio::test]
async fn target_of_another_release_is_not_changed() {
    let (original, there, other) = (filled_folder().await, Database::new(), filled_folder().await);
    execute_in(other.path(), "PRAGMA user_version = 10");
    drop(there.open().unwrap());
    there.execute("UPDATE vigie_schema SET version = 0");
    for target in [&there.address, &folder(&other)] {
        let refused = copy(&folder(&original), target).unwrap_err();
        assert!(text(&refused).contains("has schema version"), "{refused:?}");
    }
    let connection = rusqlite::Connection::open(other.path().join(FILE_NAME)).unwrap();
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
    assert_eq!(version, 10, "its schema is not migrated");
    // A file without tables is new.
    let empty = TempDir::new().unwrap();
    std::fs::write(empty.path().join(FILE_NAME), "").unwrap();
    copy(&folder(&original), &folder(&empty)).unwrap();
}

#[tokio::test]
async fn same_store_is_refused() {
    let (original, there) = (filled_folder().await, Database::new());
    let link = original.path().join("link");
    std::os::unix::fs::symlink(original.path(), &link).unwrap();
    let refused = copy(&folder(&original), &StoreAddress::Folder(link)).unwrap_err();
    assert!(matches!(refused, TransferError::SameStore { .. }), "{refused:?}");
    drop(there.open().unwrap());
    let refused = copy(&there.address, &there.address).unwrap_err();
    assert!(matches!(refused, TransferError::SameStore { .. }), "{refused:?}");
}

#[tokio::test]
async fn stores_in_use_are_refused() {
    let (original, there, other) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    let lock = ServerLock::acquire(original.path()).unwrap();
    let refused = copy(&folder(&original), &there.address).unwrap_err();
    assert!(text(&refused).contains("another vigie server is running on"), "{refused:?}");
    drop(lock);
    let lock = ServerLock::acquire(other.path()).unwrap();
    let refused = copy(&folder(&original), &folder(&other)).unwrap_err();
    assert!(text(&refused).contains("another vigie server is running on"), "{refused:?}");
    drop(lock);

    let server = there.open().unwrap();
    for (from, to) in [(&folder(&original), &there.address), (&there.address, &folder(&other))] {
        let refused = copy(from, to).unwrap_err();
        assert!(text(&refused).contains("other Vigie processes use PostgreSQL database"), "{refused:?}");
    }
    drop(server);
    copy(&folder(&original), &there.address).unwrap();
}

#[tokio::test]
async fn source_without_a_store_or_of_another_release_is_refused() {
    let (original, there, other) = (filled_folder().await, Database::new(), TempDir::new().unwrap());
    let nowhere = other.path().join("nowhere");
    let refused = copy(&StoreAddress::Folder(nowhere.clone()), &there.address).unwrap_err();
    assert!(text(&refused).contains("there is no Vigie database in"), "{refused:?}");
    assert!(!nowhere.exists());
    let refused = copy(&there.address, &folder(&other)).unwrap_err();
    assert!(text(&refused).contains("there is no Vigie database in PostgreSQL database"), "{refused:?}");

    execute_in(original.path(), "PRAGMA user_version = 3");
    let refused = copy(&folder(&original), &there.address).unwrap_err();
    assert!(text(&refused).contains("schema version 3"), "{refused:?}");
    execute_in(original.path(), "PRAGMA user_version = 99");
    let refused = copy(&folder(&original), &there.address).unwrap_err();
    assert!(text(&refused).contains("schema version 99"), "{refused:?}");
}

#[tokio::test]
async fn passwords_are_not_printed() {
    let original = filled_folder().await;
    // Nothing listens on a port of an address that was just free.
    let address = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let options = format!("postgres://vigie:hush@{address}/market?sslmode=disable").parse().unwrap();
    let refused = copy(&folder(&original), &StoreAddress::Postgres(Box::new(options))).unwrap_err();
    let message = format!("{} {refused:?}", text(&refused));
    assert!(message.contains("PostgreSQL database market on 127.0.0.1"), "{message}");
    assert!(!message.contains("hush"), "{message}");
}
