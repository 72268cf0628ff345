//! Backups into folders and files.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use backup::{BackupName, Contents, DamagePolicy, Error, Manifest, Progress, Stage};
use rusqlite::Connection;
use store::Position;
use store::SqlStore;
use store::prelude::*;
use store::sqlite::FILE_NAME;
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::fixtures::{
    add, assert_equal_at, back_up, change, date, lose_pages, names, options, restore, restore_options, target,
};

const FIRST: &str = "2026-11-16T03:00:00Z";

/// Two handles of the folder write, as two processes do, while it is backed up. What is restored is the state at the position that the
/// manifest names, to the last record.
#[tokio::test(flavor = "multi_thread")]
async fn backup_during_writes_is_the_state_at_its_position() {
    let (data, backups, elsewhere) =
        (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = SqlStore::open(data.path()).unwrap();
    let other_process = SqlStore::open(data.path()).unwrap();
    add(&store, 1..150).await;

    let done = Arc::new(AtomicBool::new(false));
    let write = async |store: &SqlStore, base: u64| {
        let mut number = base;
        while !done.load(Ordering::SeqCst) {
            add(store, number..number + 2).await;
            change(store, number..number + 1).await;
            number += 2;
        }
        number - base
    };
    let copied = Arc::new(AtomicU64::new(0));
    let seen = Arc::clone(&copied);
    let mut slow = options(data.path(), FIRST);
    // About a second, so that there are many writes meanwhile.
    slow.bytes_per_second = 400 << 10;
    slow.report = Arc::new(move |progress| {
        if progress.stage == Stage::Copy {
            seen.fetch_max(progress.done, Ordering::SeqCst);
        }
    });
    let folder = target(backups.path());
    let making = async {
        let made = backup::make(&folder, slow).await;
        done.store(true, Ordering::SeqCst);
        made.unwrap()
    };
    let (made, by_one, by_other) = tokio::join!(making, write(&store, 10_000), write(&other_process, 20_000));
    assert!(by_one > 0 && by_other > 0);
    let position = Position(made.manifest.log_position);
    assert!(made.manifest.log_position >= 149);
    assert_eq!(copied.load(Ordering::SeqCst), made.manifest.bytes);

    let restored = restore(&folder, elsewhere.path()).await.unwrap();
    assert_eq!((restored.log_position, restored.findings.len()), (position.0, 0));
    let copy = SqlStore::open(elsewhere.path()).unwrap();
    assert_equal_at(&store, &copy, position).await;
    assert_eq!(copy.counts().await.unwrap(), (made.manifest.properties, made.manifest.adverts));
    let written = store.log_after(position, 1).await.unwrap();
    assert!(!written.is_empty(), "nothing was written during the copy");
}

#[tokio::test]
async fn backup_has_a_dated_name_a_manifest_and_a_private_mode() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = SqlStore::open(data.path()).unwrap();
    add(&store, 1..20).await;
    let folder = backups.path().join("new");
    let made = back_up(data.path(), &target(&folder), FIRST).await.unwrap();
    assert_eq!(names(&folder), ["vigie-20261116T030000Z.db", "vigie-20261116T030000Z.db.json"]);
    assert_eq!(made.address, folder.join("vigie-20261116T030000Z.db").to_str().unwrap());
    for name in names(&folder) {
        let mode = std::fs::metadata(folder.join(&name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let mode = std::fs::metadata(&folder).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
    let text = std::fs::read(folder.join("vigie-20261116T030000Z.db.json")).unwrap();
    let manifest: Manifest = serde_json::from_slice(&text).unwrap();
    assert_eq!(manifest, made.manifest);
    assert_eq!((manifest.log_position, manifest.properties, manifest.adverts), (19, 19, 19));
    assert_eq!((manifest.damaged_records, manifest.vigie_version.as_str()), (0, "test"));
    assert!(manifest.verified_records.unwrap() > 40, "{manifest:?}");
    let bytes = std::fs::metadata(folder.join("vigie-20261116T030000Z.db")).unwrap().len();
    assert_eq!(manifest.bytes, bytes);
}

#[tokio::test]
async fn existing_files_are_never_overwritten() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let folder = target(backups.path());
    let first = back_up(data.path(), &folder, FIRST).await.unwrap();
    let before = std::fs::read(&first.address).unwrap();
    add(&SqlStore::open(data.path()).unwrap(), 5..9).await;
    let again = back_up(data.path(), &folder, FIRST).await;
    assert!(matches!(&again, Err(Error::Exists(_))), "{again:?}");
    assert_eq!(std::fs::read(&first.address).unwrap(), before);

    let file = backups.path().join("mine.db");
    back_up(data.path(), &target(&file), FIRST).await.unwrap();
    let again = back_up(data.path(), &target(&file), "2026-11-17T03:00:00Z").await;
    assert!(again.unwrap_err().to_string().contains("mine.db exists already"));
    assert!(names(backups.path()).iter().all(|name| !name.contains("partial")));
}

#[tokio::test]
async fn rotation_keeps_the_newest_and_touches_nothing_else() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let folder = target(backups.path());
    // Not ours, and one without a manifest, which may be the only copy of something.
    for name in ["notes.txt", "other.db", "other.db.json", "vigie-20200101T000000Z.db"] {
        std::fs::write(backups.path().join(name), name).unwrap();
    }
    let mut removed = Vec::new();
    for day in 1..=4 {
        let mut options = options(data.path(), &format!("2026-11-0{day}T03:00:00Z"));
        options.keep = Some(2);
        removed.extend(backup::make(&folder, options).await.unwrap().removed);
    }
    assert_eq!(removed, ["vigie-20261101T030000Z.db", "vigie-20261102T030000Z.db"]);
    assert_eq!(
        names(backups.path()),
        [
            "notes.txt",
            "other.db",
            "other.db.json",
            "vigie-20200101T000000Z.db",
            "vigie-20261103T030000Z.db",
            "vigie-20261103T030000Z.db.json",
            "vigie-20261104T030000Z.db",
            "vigie-20261104T030000Z.db.json",
        ]
    );
    assert_eq!(folder.list(&CancellationToken::new()).await.unwrap().len(), 2);
}

#[tokio::test]
async fn damage_is_refused_or_accepted_and_recorded() {
    let (data, backups, elsewhere) =
        (TempDir::new().unwrap(), TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..20).await;
    let folder = target(backups.path());
    back_up(data.path(), &folder, FIRST).await.unwrap();
    let connection = Connection::open(data.path().join(FILE_NAME)).unwrap();
    let record: Vec<u8> = connection
        .query_row("SELECT record FROM property_version WHERE record_id = 3", [], |row| row.get(0))
        .unwrap();
    connection.execute("UPDATE property_version SET record = x'00' WHERE record_id = 3", []).unwrap();

    let day = "2026-11-17T03:00:00Z";
    let refused = back_up(data.path(), &folder, day).await.unwrap_err().to_string();
    assert!(refused.contains("the copy is damaged: property "), "{refused}");
    assert_eq!(names(backups.path()).len(), 2, "nothing is left of it");

    let mut unverified = options(data.path(), "2026-11-18T03:00:00Z");
    unverified.verify_records = false;
    let made = backup::make(&folder, unverified).await.unwrap();
    assert_eq!((made.manifest.verified_records, made.manifest.damaged_records), (None, 0));

    let mut accepting = options(data.path(), "2026-11-19T03:00:00Z");
    (accepting.damage, accepting.keep) = (DamagePolicy::Accept, Some(1));
    let made = backup::make(&folder, accepting).await.unwrap();
    assert!(made.manifest.damaged_records > 0);
    assert_eq!(
        made.removed,
        ["vigie-20261118T030000Z.db"],
        "an intact backup is worth more than a damaged one"
    );

    // After a repair, what it removed is only in the first one.
    connection.execute("UPDATE property_version SET record = ?1 WHERE record_id = 3", [&record]).unwrap();
    let mut repaired = options(data.path(), "2026-11-20T03:00:00Z");
    repaired.keep = Some(1);
    assert_eq!(backup::make(&folder, repaired).await.unwrap().removed, [] as [&str; 0]);
    let left = folder.list(&CancellationToken::new()).await.unwrap();
    let left: Vec<String> = left.into_iter().map(|name| name.to_string()).collect();
    assert_eq!(left, ["vigie-20261116T030000Z.db", "vigie-20261119T030000Z.db", "vigie-20261120T030000Z.db"]);
    std::fs::remove_file(backups.path().join("vigie-20261120T030000Z.db")).unwrap();

    let refused = restore(&folder, elsewhere.path()).await;
    assert!(matches!(&refused, Err(Error::DamagedBackup { .. })), "{refused:?}");
    assert!(!elsewhere.path().join(FILE_NAME).exists());
    let mut accepting = restore_options(elsewhere.path());
    accepting.damage = DamagePolicy::Accept;
    assert!(!backup::restore(&folder, accepting).await.unwrap().findings.is_empty());
}

#[tokio::test]
async fn damage_of_the_file_itself_is_never_accepted() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    lose_pages(data.path());
    let folder = target(backups.path());
    let mut accepting = options(data.path(), FIRST);
    accepting.damage = DamagePolicy::Accept;
    let refused = backup::make(&folder, accepting).await;
    assert!(matches!(&refused, Err(Error::DamagedFile { .. })), "{refused:?}");
    assert_eq!(names(backups.path()), [] as [&str; 0]);
}

#[tokio::test]
async fn newest_backups_are_known_from_their_manifests() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..20).await;
    let folder = target(backups.path());
    assert_eq!(folder.contents(date(FIRST), &CancellationToken::new()).await.unwrap(), Contents::default());
    back_up(data.path(), &folder, FIRST).await.unwrap();
    let connection = Connection::open(data.path().join(FILE_NAME)).unwrap();
    connection.execute("UPDATE property_version SET record = x'00' WHERE record_id = 3", []).unwrap();
    let mut accepting = options(data.path(), "2026-11-17T03:00:00Z");
    accepting.damage = DamagePolicy::Accept;
    let damaged = backup::make(&folder, accepting).await.unwrap().manifest.damaged_records;
    let mut unverified = options(data.path(), "2036-11-16T03:00:00Z");
    unverified.verify_records = false;
    backup::make(&folder, unverified).await.unwrap();
    let name = |at: &str| BackupName::at(date(at));
    let expected = Contents {
        newest: Some(name("2026-11-17T03:00:00Z")),
        newest_intact: Some(name(FIRST)),
        damaged_records: damaged,
        dated_later: vec![name("2036-11-16T03:00:00Z")],
    };
    assert_eq!(
        folder.contents(date("2026-11-18T03:00:00Z"), &CancellationToken::new()).await.unwrap(),
        expected
    );
}

#[tokio::test]
async fn progress_covers_the_whole_file() {
    let (data, backups) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..50).await;
    let seen: Arc<std::sync::Mutex<Vec<Progress>>> = Arc::default();
    let mut options = options(data.path(), FIRST);
    let sink = Arc::clone(&seen);
    options.report = Arc::new(move |progress| sink.lock().unwrap().push(progress));
    let made = backup::make(&target(backups.path()), options).await.unwrap();
    let seen = seen.lock().unwrap();
    for stage in [Stage::Copy, Stage::Checksum] {
        let last = seen.iter().rfind(|progress| progress.stage == stage).unwrap();
        assert_eq!((last.done, last.total), (made.manifest.bytes, Some(made.manifest.bytes)));
    }
    let verified = seen.iter().rfind(|progress| progress.stage == Stage::Verify).unwrap();
    assert_eq!(Some(verified.done), made.manifest.verified_records);
}
