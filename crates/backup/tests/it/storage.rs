//! Backups in S3-compatible storage.

use std::sync::Arc;
use std::time::Duration;

use backup::{Error, Location, Stage, Target};
use bytes::Bytes;
use http::Method;
use objects::S3Settings;
use store::Position;
use store::SqlStore;
use store::sqlite::FILE_NAME;
use tempfile::TempDir;
use testkit::s3_server::{KEY_ID, S3Server, SECRET};
use tokio_util::sync::CancellationToken;

use crate::fixtures::{add, assert_equal_at, back_up, date, names, options, restore};

const FIRST: &str = "2026-11-16T03:00:00Z";
const FILE: &str = "vigie/prod/vigie-20261116T030000Z.db";

fn settings_of(server: &S3Server) -> S3Settings {
    S3Settings {
        endpoint: Some(server.endpoint()),
        region: Some("eu-west-3".to_owned()),
        access_key_id: Some(KEY_ID.to_owned()),
        secret_access_key: Some(SECRET.to_owned()),
        ..S3Settings::of("backup")
    }
}

fn target_in(server: &S3Server, prefix: &str) -> Target {
    Location::parse(&format!("s3://market/{prefix}")).unwrap().open(&settings_of(server)).unwrap()
}

/// A data folder with properties, so many that its database needs several parts.
async fn large() -> TempDir {
    let data = TempDir::new().unwrap();
    let store = SqlStore::open(data.path()).unwrap();
    add(&store, 1..10).await;
    let connection = rusqlite::Connection::open(data.path().join(FILE_NAME)).unwrap();
    // Of another program's making, as far as the store is concerned: it is copied all the same.
    connection
        .execute_batch("CREATE TABLE ballast (b); INSERT INTO ballast VALUES (randomblob(20000000))")
        .unwrap();
    data
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_is_uploaded_in_parts_and_restored() {
    let (server, data, elsewhere) = (S3Server::start().await, large().await, TempDir::new().unwrap());
    let target = target_in(&server, "vigie/prod");
    let made = back_up(data.path(), &target, FIRST).await.unwrap();
    assert_eq!(made.address, format!("s3://market/{FILE}"));
    assert_eq!(server.keys(), [FILE.to_owned(), format!("{FILE}.json")]);
    {
        let bucket = server.bucket.lock().unwrap();
        assert_eq!(bucket.objects[FILE].len() as u64, made.manifest.bytes);
        let parts = bucket.writes.iter().filter(|write| **write == format!("PUT {FILE}")).count();
        assert_eq!(parts, 2, "20 MB in parts of 16 MiB");
        assert_eq!(bucket.writes.last().unwrap(), &format!("PUT {FILE}.json"), "the manifest comes last");
    }
    assert_eq!(names(&data.path().join("staging")), [] as [&str; 0]);

    let restored = restore(&target, elsewhere.path()).await.unwrap();
    assert_eq!((restored.source, restored.log_position), (made.address, 9));
    let (original, copy) = (SqlStore::open(data.path()).unwrap(), SqlStore::open(elsewhere.path()).unwrap());
    assert_equal_at(&original, &copy, Position(9)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_keeps_the_newest_and_removes_what_was_left_behind() {
    let (server, data) = (S3Server::start().await, TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    {
        let mut bucket = server.bucket.lock().unwrap();
        for name in ["notes", "a/vigie-20260101T000000Z.db", "a/b/vigie-20200101T000000Z.db"] {
            bucket.objects.insert(name.to_owned(), Bytes::from_static(b"x"));
        }
    }
    let target = target_in(&server, "a");
    for day in 1..=3 {
        let mut options = options(data.path(), &format!("2026-11-0{day}T03:00:00Z"));
        options.keep = Some(2);
        backup::make(&target, options).await.unwrap();
    }
    assert_eq!(
        server.keys(),
        [
            "a/b/vigie-20200101T000000Z.db",
            "a/vigie-20261102T030000Z.db",
            "a/vigie-20261102T030000Z.db.json",
            "a/vigie-20261103T030000Z.db",
            "a/vigie-20261103T030000Z.db.json",
            "notes",
        ]
    );
    assert_eq!(target.list(&CancellationToken::new()).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn unverified_backup_does_not_replace_a_verified_one() {
    let (server, data) = (S3Server::start().await, TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let target = target_in(&server, "");
    back_up(data.path(), &target, FIRST).await.unwrap();
    for (day, removed) in [(17, None), (18, Some("vigie-20261117T030000Z.db"))] {
        let mut options = options(data.path(), &format!("2026-11-{day}T03:00:00Z"));
        (options.keep, options.verify_records) = (Some(1), false);
        let made = backup::make(&target, options).await.unwrap();
        assert_eq!(made.removed.first().map(String::as_str), removed);
    }
    assert!(server.keys().contains(&"vigie-20261116T030000Z.db".to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn storage_that_refuses_to_delete_does_not_fail_a_complete_backup() {
    let (server, data) = (S3Server::start().await, TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let target = target_in(&server, "");
    back_up(data.path(), &target, FIRST).await.unwrap();
    server.bucket.lock().unwrap().refuse_method = Some(Method::DELETE);
    let mut options = options(data.path(), "2026-11-17T03:00:00Z");
    options.keep = Some(1);
    let made = backup::make(&target, options).await.unwrap();
    let error = made.rotation_error.unwrap().to_string();
    assert_eq!(error, "cannot delete s3://market/vigie-20261116T030000Z.db.json");
    assert_eq!(made.removed, [] as [&str; 0]);
    assert_eq!(target.list(&CancellationToken::new()).await.unwrap().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn backup_without_its_manifest_is_not_one() {
    let (server, data, elsewhere) =
        (S3Server::start().await, TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let target = target_in(&server, "");
    server.bucket.lock().unwrap().refuse = Some(".json".to_owned());
    // The name is looked up first.
    let refused = back_up(data.path(), &target, FIRST).await.unwrap_err().to_string();
    assert_eq!(refused, "cannot reach s3://market/vigie-20261116T030000Z.db.json");
    server.bucket.lock().unwrap().refuse = None;
    back_up(data.path(), &target, FIRST).await.unwrap();
    let again = back_up(data.path(), &target, FIRST).await;
    assert!(matches!(again, Err(Error::Exists(_))), "{again:?}");
    server.bucket.lock().unwrap().objects.remove("vigie-20261116T030000Z.db.json");
    let none = restore(&target, elsewhere.path()).await;
    assert!(matches!(none, Err(Error::NoBackup(_))), "{none:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn altered_object_is_refused() {
    let (server, data, elsewhere) =
        (S3Server::start().await, TempDir::new().unwrap(), TempDir::new().unwrap());
    add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
    let target = target_in(&server, "vigie/prod");
    back_up(data.path(), &target, FIRST).await.unwrap();
    let whole = server.bucket.lock().unwrap().objects[FILE].clone();
    let put = |bytes: Vec<u8>| server.bucket.lock().unwrap().objects.insert(FILE.to_owned(), bytes.into());
    let mut altered = whole.to_vec();
    altered[5_000] ^= 1;
    put(altered);
    assert!(matches!(restore(&target, elsewhere.path()).await, Err(Error::WrongChecksum { .. })));
    put(whole[..whole.len() - 1].to_vec());
    assert!(matches!(restore(&target, elsewhere.path()).await, Err(Error::WrongSize { .. })));
    assert_eq!(names(elsewhere.path()), ["server.lock"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_upload_is_aborted() {
    let (server, data) = (S3Server::start().await, large().await);
    let mut options = options(data.path(), FIRST);
    let stop = options.stop.clone();
    options.report = Arc::new(move |progress| {
        if progress.stage == Stage::Upload {
            stop.cancel();
        }
    });
    let made = backup::make(&target_in(&server, ""), options).await;
    assert!(matches!(made, Err(Error::Cancelled)), "{made:?}");
    assert_eq!(server.keys(), [] as [&str; 0]);
    assert!(server.bucket.lock().unwrap().uploads.is_empty());
    assert_eq!(names(&data.path().join("staging")), [] as [&str; 0]);
}

/// Storage that does not answer holds up neither a backup that is cancelled nor the shutdown that waits for it.
#[tokio::test(flavor = "multi_thread")]
async fn cancelled_backup_does_not_wait_for_the_storage() {
    for (method, part) in [
        (Method::HEAD, ""),
        (Method::POST, ""),
        (Method::PUT, ".db"),
        (Method::PUT, ".json"),
        (Method::GET, ""),
    ] {
        let (server, data) = (S3Server::start().await, TempDir::new().unwrap());
        add(&SqlStore::open(data.path()).unwrap(), 1..5).await;
        let hung = {
            let mut bucket = server.bucket.lock().unwrap();
            bucket.hang = Some((method.clone(), part));
            Arc::clone(&bucket.hung)
        };
        let (target, mut options) = (target_in(&server, ""), options(data.path(), FIRST));
        options.keep = Some(1);
        let stop = options.stop.clone();
        let cancel = async {
            hung.notified().await;
            stop.cancel();
        };
        let making = async { tokio::join!(backup::make(&target, options), cancel).0 };
        let made = tokio::time::timeout(Duration::from_secs(60), making).await.expect("it waits");
        if method == Method::GET {
            // Only the list of older backups is missing.
            let made = made.unwrap();
            assert!(matches!(made.rotation_error, Some(Error::Cancelled)), "{made:?}");
            let contents = target.contents(date(FIRST), &stop).await;
            assert!(matches!(contents, Err(Error::Cancelled)), "{contents:?}");
        } else {
            assert!(matches!(made, Err(Error::Cancelled)), "{method} {part}: {made:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_backup_is_restored_by_its_name() {
    let (server, data, elsewhere) =
        (S3Server::start().await, TempDir::new().unwrap(), TempDir::new().unwrap());
    let store = SqlStore::open(data.path()).unwrap();
    for (day, numbers) in [(16, 1..5), (17, 5..9)] {
        add(&store, numbers).await;
        back_up(data.path(), &target_in(&server, "vigie/prod"), &format!("2026-11-{day}T03:00:00Z"))
            .await
            .unwrap();
    }
    let older = target_in(&server, "vigie/prod/vigie-20261116T030000Z.db");
    let restored = restore(&older, elsewhere.path()).await.unwrap();
    assert_eq!((restored.source, restored.log_position), (format!("s3://market/{FILE}"), 4));

    let elsewhere = TempDir::new().unwrap();
    let missing = restore(&target_in(&server, "vigie/vigie-20261116T030000Z.db"), elsewhere.path()).await;
    assert!(matches!(missing, Err(Error::NotComplete(_))), "{missing:?}");
    let refused = back_up(data.path(), &older, FIRST).await;
    assert!(matches!(refused, Err(Error::NotATarget(_))), "{refused:?}");
}

#[tokio::test]
async fn credentials_are_required_and_never_shown() {
    let location = || Location::parse("s3://market/x").unwrap();
    if std::env::var_os("AWS_ACCESS_KEY_ID").is_none() {
        let none = location().open(&S3Settings::of("backup"));
        assert!(matches!(none, Err(Error::Storage(objects::Error::NoCredentials { .. }))), "{none:?}");
    }
    let server = S3Server::start().await;
    let settings = S3Settings { access_key_id: Some("other".to_owned()), ..settings_of(&server) };
    let data = TempDir::new().unwrap();
    add(&SqlStore::open(data.path()).unwrap(), 1..2).await;
    let target = location().open(&settings).unwrap();
    let refused = back_up(data.path(), &target, FIRST).await.unwrap_err();
    let shown = format!("{refused:?} {refused} {target:?} {settings:?}");
    assert!(shown.contains("cannot reach") && !shown.contains(SECRET), "{shown}");
}
