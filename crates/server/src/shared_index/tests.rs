//! Both kinds of storage, through the same steps.

use std::io::{Read, Seek, Write};

use testkit::s3_server::{KEY_ID, S3Server, SECRET};

use super::*;

fn settings_of(server: &S3Server) -> S3Settings {
    S3Settings {
        endpoint: Some(server.endpoint()),
        region: Some("eu-west-3".to_owned()),
        access_key_id: Some(KEY_ID.to_owned()),
        secret_access_key: Some(SECRET.to_owned()),
        ..S3Settings::of("index")
    }
}

fn file(content: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(content).unwrap();
    file.rewind().unwrap();
    file
}

async fn check(storage: &SharedIndexStorage) {
    assert_eq!(storage.list().await.unwrap(), [] as [&str; 0]);
    assert_eq!(storage.read("manifest", 10).await.unwrap(), None);
    assert!(!storage.download("segment-1", file(b""), 10).await.unwrap());
    for content in ["first", "2nd"] {
        storage.write("manifest", content.as_bytes().to_vec()).await.unwrap();
        assert_eq!(storage.read("manifest", 5).await.unwrap().unwrap(), content.as_bytes());
    }
    assert!(storage.read("manifest", 2).await.is_err());

    // More than one part of an upload.
    let large: Vec<u8> = (0..17_u32 << 20).map(|number| number.to_le_bytes()[0]).collect();
    storage.upload("segment-1", file(&large), large.len() as u64).await.unwrap();
    storage.upload("segment-2", file(b"small"), 5).await.unwrap();
    for (name, expected) in [("segment-1", large.as_slice()), ("segment-2", b"small")] {
        for count in [expected.len(), expected.len() - 1] {
            let mut copy = file(b"");
            assert!(storage.download(name, copy.try_clone().unwrap(), count as u64).await.unwrap());
            copy.rewind().unwrap();
            let mut content = Vec::new();
            copy.read_to_end(&mut content).unwrap();
            assert!(content == expected[..count], "{name}: {} bytes", content.len());
        }
    }
    let mut names = storage.list().await.unwrap();
    names.sort();
    assert_eq!(names, ["manifest", "segment-1", "segment-2"]);
    for name in ["segment-1", "segment-1"] {
        storage.remove(name).await.unwrap();
    }
    assert_eq!(storage.list().await.unwrap().len(), 2);
    storage.stop.cancel();
    assert!(storage.upload("segment-3", file(&large), large.len() as u64).await.is_err());
    assert!(storage.list().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_holds_objects() {
    let folder = tempfile::tempdir().unwrap();
    let address = Address::Folder(folder.path().join("index-1"));
    let storage =
        SharedIndexStorage::open(&address, &S3Settings::of("index"), 1, CancellationToken::new()).unwrap();
    check(&storage).await;
    assert_eq!(std::fs::read_dir(folder.path().join("index-1")).unwrap().count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bucket_holds_objects() {
    let server = S3Server::start().await;
    let address = Address::parse("s3://market/vigie").unwrap().join("index-1");
    let storage =
        SharedIndexStorage::open(&address, &settings_of(&server), 1, CancellationToken::new()).unwrap();
    check(&storage).await;
    assert_eq!(server.keys(), ["vigie/index-1/manifest", "vigie/index-1/segment-2"]);
    assert!(server.bucket.lock().unwrap().uploads.is_empty(), "no parts are left behind");
}

/// A shutdown does not wait for storage, and the parts that it has are forgotten.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_that_is_cancelled_is_aborted() {
    let server = S3Server::start().await;
    let hung = {
        let mut bucket = server.bucket.lock().unwrap();
        bucket.hang = Some((http::Method::PUT, "segment-1"));
        Arc::clone(&bucket.hung)
    };
    let address = Address::parse("s3://market/vigie").unwrap();
    let stop = CancellationToken::new();
    let storage = SharedIndexStorage::open(&address, &settings_of(&server), 1, stop.clone()).unwrap();
    let cancel = async {
        hung.notified().await;
        assert_eq!(server.bucket.lock().unwrap().uploads.len(), 1);
        stop.cancel();
    };
    let large = file(&vec![7; 17 << 20]);
    let (uploaded, ()) = tokio::join!(storage.upload("segment-1", large, 17 << 20), cancel);
    assert!(uploaded.is_err());
    assert!(server.bucket.lock().unwrap().uploads.is_empty());
    assert_eq!(server.keys(), [] as [&str; 0]);
}
