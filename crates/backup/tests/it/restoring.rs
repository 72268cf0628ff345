//! Restoring refuses what is not complete and what would overwrite something.

use std::path::Path;

use backup::{Error, Manifests};
use std::os::unix::fs::PermissionsExt;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::{FILE_NAME, ServerLock};
use store::{DELIVERIES_HELD, Position};
use tempfile::TempDir;

use crate::fixtures::{add, assert_equal_at, back_up, date, names, restore, restore_options, target};

const FIRST: &str = "2026-11-16T03:00:00Z";

/// A data folder with nine properties, and a folder with a backup of it.
async fn backed_up() -> (TempDir, TempDir) {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..10).await;
    back_up(data.path(), &target(backups.path()), FIRST).await.unwrap();
    (data, backups)
}

/// The only backup in a folder.
fn file(backups: &Path) -> std::path::PathBuf {
    backups.join("vigie-20261116T030000Z.db")
}

#[tokio::test]
async fn restored_folder_is_private_and_complete() {
    let (data, backups) = backed_up().await;
    let elsewhere = TempDir::new().unwrap();
    let folder = elsewhere.path().join("new");
    let restored = restore(&target(backups.path()), &folder).await.unwrap();
    assert_eq!((restored.log_position, restored.deliveries_held), (9, false));
    assert_eq!(restored.source, file(backups.path()).to_str().unwrap());
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&folder), mode(&folder.join(FILE_NAME))), (0o700, 0o600));
    assert_eq!(names(&folder), ["server.lock", FILE_NAME]);
    let (original, copy) = (SqlStore::open(data.path()).unwrap(), SqlStore::open(&folder).unwrap());
    assert_equal_at(&original, &copy, Position(9)).await;
    // And it is a database like any other.
    add(&copy, 10..12).await;
}

#[tokio::test]
async fn newest_complete_backup_of_a_folder_is_restored() {
    let (data, backups) = backed_up().await;
    add(&SqlStore::open(data.path()).unwrap(), 10..15).await;
    back_up(data.path(), &target(backups.path()), "2026-11-17T03:00:00Z").await.unwrap();
    std::fs::write(backups.path().join("vigie-20261118T030000Z.db"), "half").unwrap();
    let elsewhere = TempDir::new().unwrap();
    let restored = restore(&target(backups.path()), elsewhere.path()).await.unwrap();
    assert_eq!(restored.log_position, 14);
    let elsewhere = TempDir::new().unwrap();
    let restored = restore(&target(&file(backups.path())), elsewhere.path()).await.unwrap();
    assert_eq!(restored.log_position, 9);
}

#[tokio::test]
async fn nothing_is_overwritten() {
    let (data, backups) = backed_up().await;
    let source = target(backups.path());
    let into_original = restore(&source, data.path()).await;
    assert!(matches!(into_original, Err(Error::NotEmpty(_))), "{into_original:?}");
    for left in ["vigie.db-wal", "index"] {
        let elsewhere = TempDir::new().unwrap();
        std::fs::write(elsewhere.path().join(left), "of another database").unwrap();
        assert!(matches!(restore(&source, elsewhere.path()).await, Err(Error::NotEmpty(_))), "{left}");
        assert_eq!(names(elsewhere.path()), [left]);
    }
    let running = TempDir::new().unwrap();
    let _lock = ServerLock::acquire(running.path()).unwrap();
    assert!(matches!(restore(&source, running.path()).await, Err(Error::ServerRunning(_))));
}

#[tokio::test]
async fn incomplete_and_altered_backups_are_refused() {
    let (_data, backups) = backed_up().await;
    let path = file(backups.path());
    let whole = std::fs::read(&path).unwrap();
    let refused = async || {
        let elsewhere = TempDir::new().unwrap();
        let error = restore(&target(&path), elsewhere.path()).await.unwrap_err();
        assert_eq!(names(elsewhere.path()), ["server.lock"], "nothing is left of it");
        error
    };
    std::fs::write(&path, &whole[..whole.len() - 4_096]).unwrap();
    assert!(matches!(refused().await, Error::WrongSize { .. }));
    let mut altered = whole.clone();
    *altered.last_mut().unwrap() ^= 1;
    std::fs::write(&path, &altered).unwrap();
    assert!(matches!(refused().await, Error::WrongChecksum { .. }));
    std::fs::write(&path, &whole).unwrap();

    let manifest = backups.path().join("vigie-20261116T030000Z.db.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
    assert!(matches!(refused().await, Error::UnknownFormat { found: 2, .. }));
    std::fs::write(&manifest, "half a manif").unwrap();
    assert!(matches!(refused().await, Error::InvalidManifest { .. }));
    std::fs::remove_file(&manifest).unwrap();
    assert!(matches!(refused().await, Error::NoManifest(_)));

    let elsewhere = TempDir::new().unwrap();
    let mut options = restore_options(elsewhere.path());
    options.manifests = Manifests::Optional;
    assert_eq!(backup::restore(&target(&path), options).await.unwrap().log_position, 9);
    // What is in a write-ahead log is not in the file.
    for suffix in ["-wal", "-journal"] {
        let beside = backups.path().join(format!("vigie-20261116T030000Z.db{suffix}"));
        std::fs::write(&beside, "changes").unwrap();
        let elsewhere = TempDir::new().unwrap();
        let mut options = restore_options(elsewhere.path());
        options.manifests = Manifests::Optional;
        let refused = backup::restore(&target(&path), options).await;
        assert!(matches!(&refused, Err(Error::ChangesBeside(path)) if *path == beside), "{refused:?}");
        std::fs::remove_file(&beside).unwrap();
    }
    // Without a manifest, SQLite and the verification still find the damage.
    std::fs::write(&path, vec![0xA5; whole.len()]).unwrap();
    let elsewhere = TempDir::new().unwrap();
    let mut options = restore_options(elsewhere.path());
    options.manifests = Manifests::Optional;
    assert!(backup::restore(&target(&path), options).await.is_err());
    assert_eq!(names(elsewhere.path()), ["server.lock"]);
}

#[tokio::test]
async fn missing_backups_are_named() {
    let (empty, elsewhere) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let nothing = restore(&target(empty.path()), elsewhere.path()).await;
    assert!(matches!(nothing, Err(Error::NoBackup(_))), "{nothing:?}");
    for missing in ["no-folder", "no-file.db"] {
        let missing = restore(&target(&empty.path().join(missing)), elsewhere.path()).await;
        assert!(matches!(missing, Err(Error::File { .. })), "{missing:?}");
    }
}

#[tokio::test]
async fn deliveries_are_held_if_asked() {
    let (_data, backups) = backed_up().await;
    let elsewhere = TempDir::new().unwrap();
    let mut options = restore_options(elsewhere.path());
    options.hold_deliveries = Some(date("2026-11-17T08:00:00Z"));
    assert!(backup::restore(&target(backups.path()), options).await.unwrap().deliveries_held);
    let store = SqlStore::open(elsewhere.path()).unwrap();
    let held = store.metadata(DELIVERIES_HELD.to_owned()).await.unwrap();
    assert_eq!(held.as_deref(), Some("2026-11-17T08:00:00Z"));
}
