//! Backups that do not come to their end leave nothing that looks like one.

use std::sync::Arc;

use backup::{Error, Stage};
use store::SqlStore;
use tempfile::TempDir;

use crate::fixtures::{add, back_up, names, options, target};

const FIRST: &str = "2026-11-16T03:00:00Z";

#[tokio::test]
async fn cancelled_backup_leaves_nothing() {
    for at in [Stage::Copy, Stage::Verify, Stage::Checksum] {
        let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
        add(&SqlStore::open(data.path()).unwrap(), 1..100).await;
        let mut options = options(data.path(), FIRST);
        let stop = options.stop.clone();
        options.report = Arc::new(move |progress| {
            if progress.stage == at {
                stop.cancel();
            }
        });
        let made = backup::make(&target(backups.path()), options).await;
        // A copy that is cancelled in its last step is complete, and the next stage ends it.
        assert!(matches!(made, Err(Error::Cancelled)), "{at:?}: {made:?}");
        assert_eq!(names(backups.path()), [] as [&str; 0], "{at:?}");
    }
}

#[tokio::test]
async fn left_overs_of_a_killed_backup_are_removed_by_the_next_one() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    for name in [
        "vigie-20261115T030000Z.db.partial",
        "vigie-20261115T030000Z.db.partial-journal",
        "vigie-20261115T030000Z.db.json.partial",
        "vigie-20261114T030000Z.db.json",
        "mine.partial",
    ] {
        std::fs::write(backups.path().join(name), "{").unwrap();
    }
    back_up(data.path(), &target(backups.path()), FIRST).await.unwrap();
    assert_eq!(
        names(backups.path()),
        ["mine.partial", "vigie-20261116T030000Z.db", "vigie-20261116T030000Z.db.json"]
    );
}

#[tokio::test]
async fn partial_file_of_another_name_is_never_removed() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    for name in ["mine.db.partial", "mine.db.json.partial"] {
        let other = backups.path().join(name);
        std::fs::write(&other, "of another program").unwrap();
        let refused = back_up(data.path(), &target(&backups.path().join("mine.db")), FIRST).await;
        assert!(matches!(&refused, Err(Error::LeftOver(path)) if *path == other), "{refused:?}");
        assert_eq!(std::fs::read(&other).unwrap(), b"of another program");
        std::fs::remove_file(&other).unwrap();
    }
}

#[tokio::test]
async fn target_that_cannot_be_written_is_named() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let file = backups.path().join("file");
    std::fs::write(&file, "").unwrap();
    let inside_a_file = back_up(data.path(), &target(&file.join("folder")), FIRST).await;
    let error = inside_a_file.unwrap_err().to_string();
    assert!(error.starts_with("cannot create the folder ") && error.contains("file/folder"), "{error}");

    let missing = back_up(data.path(), &target(&backups.path().join("missing/b.db")), FIRST).await;
    let error = missing.unwrap_err().to_string();
    assert!(error.starts_with("cannot create ") && error.contains("missing/b.db.partial"), "{error}");

    let nothing = back_up(backups.path(), &target(&backups.path().join("x")), FIRST).await;
    assert!(matches!(nothing, Err(Error::Copy(store::Error::Open { .. }))), "{nothing:?}");
    assert_eq!(names(&backups.path().join("x")), [] as [&str; 0]);
}
