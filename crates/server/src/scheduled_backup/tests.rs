use std::path::Path;
use std::sync::Arc;

use app::App;
use app::system::RandomIds;
use store::SqlStore;
use tempfile::TempDir;
use testkit::clock::ManualClock;
use tokio_util::sync::CancellationToken;

use super::*;
use crate::config::{Config, Sources};
use crate::open;

/// A server that is not running, with a schedule, at three in the morning of Paris.
fn scheduled(data: &Path, settings: &str) -> (Shared, Arc<ManualClock>, ScheduledBackup) {
    let flag = Some(data.display().to_string());
    let sources = Sources::defaults().file("test", settings).flag("--data", "store.data", flag);
    let config = Config::load(sources).unwrap();
    let clock = Arc::new(ManualClock::at("2026-11-16T02:00:00Z".parse().unwrap()));
    let store = Arc::new(SqlStore::open(data).unwrap());
    let places = Arc::new(open::gazetteer(&config).unwrap());
    let app = App::new(store, Arc::clone(&clock) as _, Arc::new(RandomIds), places);
    let scheduled = ScheduledBackup::new(config.backup.target.clone().unwrap());
    (Shared::new(app, config, CancellationToken::new()).unwrap(), clock, scheduled)
}

fn backups(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.ends_with(".db")).collect();
    names.sort();
    names
}

/// Returns the value of a metric.
fn metric(shared: &Shared, name: &str) -> String {
    let text = shared.metrics.print();
    let mut lines = text.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    lines.next().unwrap().to_owned()
}

#[tokio::test]
async fn backups_are_made_when_due_and_rotated() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = format!("[backup]\ntarget = {:?}\ninterval = \"6h\"\nkeep = 2\n", target.path());
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    // The target is empty: the first one is due at once, and no second one.
    for _ in 0..2 {
        scheduled.run_once(&shared).await;
        assert_eq!(backups(target.path()), ["vigie-20261116T020000Z.db"]);
    }
    assert_eq!(metric(&shared, "vigie_backup_last_success_timestamp_seconds"), "1794794400");
    clock.advance_seconds(6 * 3_600 - 1);
    scheduled.run_once(&shared).await;
    assert_eq!(backups(target.path()).len(), 1);
    clock.advance_seconds(1);
    scheduled.run_once(&shared).await;
    // Two are missed: one is made.
    clock.advance_seconds(20 * 3_600);
    scheduled.run_once(&shared).await;
    scheduled.run_once(&shared).await;
    assert_eq!(backups(target.path()), ["vigie-20261116T080000Z.db", "vigie-20261117T040000Z.db"]);
    // Another process knows from the target when the last one was made.
    let restarted = ScheduledBackup::new(shared.config.backup.target.clone().unwrap());
    restarted.run_once(&shared).await;
    assert_eq!(backups(target.path()).len(), 2);
    assert_eq!(metric(&shared, "vigie_backup_failures_total"), "0");
    assert_ne!(metric(&shared, "vigie_backup_bytes"), "0");
}

#[tokio::test]
async fn failure_is_counted_and_tried_again_later() {
    let (data, folder) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let target = folder.path().join("occupied");
    std::fs::create_dir(&target).unwrap();
    let settings = format!("[backup]\ntarget = {target:?}\nat = \"03:00\"\n");
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    std::fs::remove_dir(&target).unwrap();
    std::fs::write(&target, "a file").unwrap();
    for _ in 0..3 {
        scheduled.run_once(&shared).await;
    }
    assert_eq!(metric(&shared, "vigie_backup_failures_total"), "1");
    std::fs::remove_file(&target).unwrap();
    clock.advance_seconds(15 * 60);
    scheduled.run_once(&shared).await;
    assert_eq!(backups(&target), ["vigie-20261116T021500Z.db"]);
    // The next time of day is tomorrow's.
    clock.advance_seconds(23 * 3_600);
    scheduled.run_once(&shared).await;
    clock.advance_seconds(45 * 60);
    scheduled.run_once(&shared).await;
    assert_eq!(backups(&target).len(), 2);
}

#[tokio::test]
async fn shutdown_ends_a_backup_and_is_no_failure() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    // At this rate it takes days.
    let settings = format!("[backup]\ntarget = {:?}\nrate = 1\n", target.path());
    let (shared, _clock, scheduled) = scheduled(data.path(), &settings);
    let begun = async {
        while std::fs::read_dir(target.path()).unwrap().count() == 0 {
            tokio::task::yield_now().await;
        }
        shared.stop.cancel();
    };
    tokio::join!(scheduled.run_once(&shared), begun);
    assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    assert_eq!(metric(&shared, "vigie_backup_failures_total"), "0");
}

/// An old backup cannot be removed, as one of another user cannot. The new one is complete, and is not made again.
#[tokio::test]
async fn failed_rotation_is_counted_apart_and_does_not_repeat_the_backup() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = format!("[backup]\ntarget = {:?}\nkeep = 1\n", target.path());
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    scheduled.run_once(&shared).await;
    let first = "vigie-20261116T020000Z.db";
    // A folder cannot be removed like a file, whatever the user may do.
    std::fs::remove_file(target.path().join(first)).unwrap();
    std::fs::create_dir(target.path().join(first)).unwrap();
    clock.advance_seconds(24 * 3_600);
    scheduled.run_once(&shared).await;
    clock.advance_seconds(15 * 60);
    scheduled.run_once(&shared).await;
    assert_eq!(backups(target.path()), [first, "vigie-20261117T020000Z.db"]);
    assert_eq!(metric(&shared, "vigie_backup_rotation_failures_total"), "1");
    assert_eq!(metric(&shared, "vigie_backup_failures_total"), "0");
    assert_eq!(metric(&shared, "vigie_backup_last_success_timestamp_seconds"), "1794880800");
}

#[tokio::test]
async fn damaged_backup_is_kept_but_is_no_success() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = format!("[backup]\ntarget = {:?}\nkeep = 1\n", target.path());
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    scheduled.run_once(&shared).await;
    let connection = rusqlite::Connection::open(data.path().join(store::sqlite::FILE_NAME)).unwrap();
    let damage = "PRAGMA foreign_keys = OFF; INSERT INTO site (key, category_id) VALUES ('example', 77);";
    connection.execute_batch(damage).unwrap();
    clock.advance_seconds(24 * 3_600);
    scheduled.run_once(&shared).await;
    assert_eq!(backups(target.path()), ["vigie-20261116T020000Z.db", "vigie-20261117T020000Z.db"]);
    // Also after a restart.
    let restarted = ScheduledBackup::new(shared.config.backup.target.clone().unwrap());
    for scheduled in [scheduled, restarted] {
        scheduled.run_once(&shared).await;
        assert_eq!(metric(&shared, "vigie_backup_last_success_timestamp_seconds"), "1794794400");
        assert_ne!(metric(&shared, "vigie_backup_damaged_records"), "0");
        assert_eq!(metric(&shared, "vigie_backup_failures_total"), "1");
    }
    assert_eq!(backups(target.path()).len(), 2);
}

/// Damage of the file does not pass, so that it is not looked for every 15 minutes.
#[tokio::test]
async fn damaged_file_is_not_backed_up() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = format!("[backup]\ntarget = {:?}\ninterval = \"6h\"\n", target.path());
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    let connection = rusqlite::Connection::open(data.path().join(store::sqlite::FILE_NAME)).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE lost (number); CREATE INDEX lost_number ON lost (number);
             PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'lost_number';",
        )
        .unwrap();
    for failures in ["1", "1", "2"] {
        scheduled.run_once(&shared).await;
        assert_eq!(metric(&shared, "vigie_backup_failures_total"), failures);
        clock.advance_seconds(3 * 3_600);
    }
    assert_eq!(backups(target.path()), [] as [&str; 0]);
    assert_eq!(metric(&shared, "vigie_backup_last_success_timestamp_seconds"), "0");
}

/// A clock that was wrong once does not end all backups.
#[tokio::test]
async fn backup_of_the_future_is_not_the_last_one() {
    let (data, target) = (TempDir::new().unwrap(), TempDir::new().unwrap());
    let settings = format!("[backup]\ntarget = {:?}\nkeep = 1\n", target.path());
    let (shared, clock, scheduled) = scheduled(data.path(), &settings);
    for name in ["vigie-20361116T020000Z.db", "vigie-20361116T020000Z.db.json"] {
        std::fs::write(target.path().join(name), "{}").unwrap();
    }
    for _ in 0..2 {
        scheduled.run_once(&shared).await;
        clock.advance_seconds(24 * 3_600);
    }
    assert_eq!(backups(target.path()), ["vigie-20261117T020000Z.db", "vigie-20361116T020000Z.db"]);
    // Nor is one that this process made before the clock was put back.
    clock.set("2026-11-10T02:00:00Z".parse().unwrap());
    scheduled.run_once(&shared).await;
    assert_eq!(backups(target.path()).first().unwrap(), "vigie-20261110T020000Z.db");
}
