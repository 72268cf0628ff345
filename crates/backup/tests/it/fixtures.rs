//! A store with properties, the options of a backup, and comparisons.

use std::path::Path;
use std::sync::Arc;

use backup::{DamagePolicy, Error, Location, Made, MakeOptions, Manifests, RestoreOptions, Restored, Target};
use domain::{AdvertEvent, AdvertField, Identity, Timestamp};
use objects::S3Settings;
use store::SqlStore;
use store::prelude::*;
use store::{ChangeSet, CommitOutcome, Expected, Position, PutCause, PutProperty, ScanPart, Step};
use testkit::build::{advert, at, property};
use tokio_util::sync::CancellationToken;

/// Adds properties, one transaction each.
pub async fn add(store: &SqlStore, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let advert = advert(number).build();
        let events = vec![AdvertEvent::created(advert.created_at)];
        let cause = PutCause::Created { claim: Identity::Uuid(advert.id), events };
        put(store, number, advert, Expected::New, cause).await;
    }
}

/// Changes the title of properties that [`add`] has added.
pub async fn change(store: &SqlStore, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let advert = advert(number).title("Deux pièces").build();
        let events = vec![AdvertEvent::field(at(4_000), AdvertField::Title)];
        put(store, number, advert, Expected::Revision(1), PutCause::Changed { events }).await;
    }
}

async fn put(store: &SqlStore, number: u64, advert: domain::Advert, expected: Expected, cause: PutCause) {
    let id = advert.id;
    let property = property(number, [advert]);
    let step =
        Step::Put(PutProperty { property: property.into(), expected, advert: id, cause, grouping: None });
    let set = ChangeSet { recorded_at: at(5_000), steps: vec![step], grouped_at: None };
    assert!(matches!(store.commit(set).await.unwrap(), CommitOutcome::Committed(_)));
}

pub fn target(path: &Path) -> Target {
    Location::parse(path.to_str().unwrap()).unwrap().open(&S3Settings::of("backup")).unwrap()
}

pub fn date(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// The options of a backup at some date, without limits.
pub fn options(data: &Path, at: &str) -> MakeOptions {
    MakeOptions {
        data: data.to_owned(),
        staging: data.join("staging"),
        bytes_per_second: u64::MAX,
        keep: None,
        verify_records: true,
        damage: DamagePolicy::Refuse,
        now: date(at),
        vigie_version: "test",
        report: Arc::new(|_| {}),
        stop: CancellationToken::new(),
    }
}

pub async fn back_up(data: &Path, to: &Target, at: &str) -> Result<Made, Error> {
    backup::make(to, options(data, at)).await
}

pub fn restore_options(data: &Path) -> RestoreOptions {
    RestoreOptions {
        data: data.to_owned(),
        hold_deliveries: None,
        damage: DamagePolicy::Refuse,
        manifests: Manifests::Required,
        report: Arc::new(|_| {}),
        stop: CancellationToken::new(),
    }
}

pub async fn restore(from: &Target, data: &Path) -> Result<Restored, Error> {
    backup::restore(from, restore_options(data)).await
}

/// Damages the file of a database, but none of its records: some of its pages belong to nothing.
pub fn lose_pages(data: &Path) {
    let connection = rusqlite::Connection::open(data.join(store::sqlite::FILE_NAME)).unwrap();
    connection
        .execute_batch(
            "CREATE TABLE lost (number); CREATE INDEX lost_number ON lost (number);
             PRAGMA writable_schema = ON; DELETE FROM sqlite_schema WHERE name = 'lost_number';",
        )
        .unwrap();
}

/// The names of the files in a folder, in order.
pub fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Compares a restored store with the original as it was at a position: the log up to there is the same, and each property is the
/// version that the original had then.
pub async fn assert_equal_at(original: &SqlStore, restored: &SqlStore, position: Position) {
    assert_eq!(*restored.head().borrow(), position);
    let mut log = original.log_after(Position::START, usize::MAX).await.unwrap();
    log.retain(|entry| entry.position <= position);
    assert_eq!(log.len() as u64, position.0, "a dense log");
    assert_eq!(restored.log_after(Position::START, usize::MAX).await.unwrap(), log);
    let mut versions = 0;
    for part in restored.scan_parts(1).await.unwrap() {
        let mut next: Option<ScanPart> = Some(part);
        while let Some(part) = next {
            let page = restored.scan(part, 100).await.unwrap();
            assert_eq!(page.damaged, []);
            for found in page.properties {
                let (id, version) = (found.property.id, found.version);
                let expected = original.property_at(id, version).await.unwrap();
                assert_eq!(expected.as_ref(), Some(&found.property), "version {version}");
                versions += 1;
            }
            next = page.rest;
        }
    }
    assert_eq!(versions, restored.counts().await.unwrap().0);
}
