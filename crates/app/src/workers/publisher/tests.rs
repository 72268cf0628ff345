//! Snapshots that go from one server to another, through storage in memory.

mod storage;

use std::path::Path;
use std::sync::Arc;

use store::MatchBatch;
use store::prelude::*;
use tempfile::TempDir;
use testkit::build::{advert_id, property_id};

use super::*;
use crate::search::IndexOrigin;
use crate::search::manifest::Anchor;
use crate::workers::follower::Progress;
use crate::workers::indexer::tests::support::{self, SNAPSHOT_EVERY, TestService, create, found, numbers};
use crate::workers::indexer::{Indexer, Settings};
use storage::Storage;

/// A server on the store of a test, with a folder of its own.
struct Node {
    app: App,
    indexer: Indexer,
    publisher: Publisher,
}

impl Node {
    fn new(service: &TestService, folder: &Path, storage: &Arc<Storage>) -> Self {
        let app = service.app();
        let shared: Arc<dyn SharedSnapshots> = storage.clone();
        let settings = Settings {
            folder: folder.join("index"),
            snapshot_interval: SNAPSHOT_EVERY,
            shared: Some(shared),
        };
        let indexer = Indexer::new(&app, settings).unwrap();
        let publisher = indexer.publisher().unwrap();
        Self { app, indexer, publisher }
    }

    /// Starts a server and lets it follow the log to its end.
    async fn start(service: &TestService, folder: &Path, storage: &Arc<Storage>) -> Self {
        let mut node = Self::new(service, folder, storage);
        node.follow().await;
        node
    }

    async fn follow(&mut self) {
        while self.indexer.run_once().await.unwrap() == Progress::More {}
    }

    /// Follows the log, takes a snapshot and shares it.
    async fn publish(&mut self) -> Publication {
        self.follow().await;
        self.indexer.snapshot().await.unwrap();
        self.publisher.run_once().await.unwrap()
    }

    fn origin(&self) -> IndexOrigin {
        self.app.index_status().unwrap().origin.unwrap()
    }
}

/// Returns where a new server takes its index from. It must find the same properties in any case.
async fn origin_of_new(service: &TestService, storage: &Arc<Storage>) -> IndexOrigin {
    let folder = TempDir::new().unwrap();
    let node = Node::start(service, folder.path(), storage).await;
    assert_eq!(found(&node.app), service.found_after_restart().await);
    node.origin()
}

/// A store with properties, and a server that has shared its snapshot.
async fn published() -> (TestService, Arc<Storage>, TempDir, Node) {
    let (service, storage, folder) = (TestService::new(), Arc::<Storage>::default(), TempDir::new().unwrap());
    service.commit((1..=3).map(create)).await;
    let mut node = Node::start(&service, folder.path(), &storage).await;
    // A second segment.
    service.commit([create(4), support::remove(2)]).await;
    assert_eq!(node.publish().await, Publication::Published(Position(5)));
    (service, storage, folder, node)
}

#[tokio::test]
async fn a_new_server_starts_from_the_shared_snapshot() {
    let (service, storage, _folder, mut first) = published().await;
    assert_eq!(first.origin(), IndexOrigin::Store);
    let written = storage.written();
    assert_eq!(written.last().unwrap(), MANIFEST, "{written:?}");
    assert!(written.len() > 2, "several segments: {written:?}");

    service.commit([create(6)]).await;
    let folder = TempDir::new().unwrap();
    let mut second = Node::start(&service, folder.path(), &storage).await;
    assert_eq!(second.origin(), IndexOrigin::SharedSnapshot);
    assert_eq!(found(&second.app), numbers([1, 3, 4, 6]));
    // It goes on from there: only what is new is written, and uploaded if it publishes.
    first.publisher.give_up_role().await;
    let before = storage.written().len();
    assert_eq!(second.publish().await, Publication::Published(Position(6)));
    assert_eq!(storage.written().len(), before + 2, "{:?}", storage.written());
    let again = Node::start(&service, folder.path(), &Arc::default()).await;
    assert_eq!(again.origin(), IndexOrigin::OwnSnapshot);
    assert_eq!(found(&again.app), numbers([1, 3, 4, 6]));
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::SharedSnapshot);
}

#[tokio::test]
async fn without_a_shared_snapshot_the_index_is_built() {
    let (service, storage) = (TestService::new(), Arc::<Storage>::default());
    service.commit((1..=3).map(create)).await;
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::Store);
}

#[tokio::test]
async fn a_damaged_or_missing_object_is_not_used() {
    let (service, storage, _folder, _node) = published().await;
    for (name, sound) in storage.objects() {
        let mut damaged = sound.clone();
        damaged[sound.len() / 2] ^= 1;
        for wrong in [Some(damaged), Some(sound[..sound.len() - 1].to_vec()), None] {
            storage.set(&name, wrong);
            assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::Store, "{name}");
        }
        storage.set(&name, Some(sound));
    }
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::SharedSnapshot);
}

#[tokio::test]
async fn a_publisher_repairs_what_is_missing() {
    let (service, storage, _folder, mut node) = published().await;
    let segment = storage.objects().into_keys().find(|name| name != MANIFEST).unwrap();
    storage.set(&segment, None);
    assert_eq!(node.publisher.run_once().await.unwrap(), Publication::NotDue);
    service.clock.advance_seconds(600);
    assert_eq!(node.publisher.run_once().await.unwrap(), Publication::Published(Position(5)));
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::SharedSnapshot);
}

#[tokio::test]
async fn a_half_copied_snapshot_is_none() {
    let (service, storage, _folder, _node) = published().await;
    let folder = TempDir::new().unwrap();
    storage.fail_downloads_after(1);
    let mut node = Node::new(&service, folder.path(), &storage);
    // As after a crash: nothing but the copy has happened.
    assert!(node.indexer.snapshots.restore(&node.app).await.unwrap().is_none());
    let names: Vec<_> = std::fs::read_dir(folder.path().join("index")).unwrap().collect();
    assert!(!names.is_empty());
    let empty = Arc::default();
    let mut again = Node::start(&service, folder.path(), &empty).await;
    assert_eq!(again.origin(), IndexOrigin::Store);
    // Its first snapshot removes what was copied.
    again.publish().await;
    let own = again.publisher.open_snapshot().await.unwrap().0;
    let files = std::fs::read_dir(folder.path().join("index")).unwrap().count();
    assert_eq!(files, own.segments.len() + 1);
    node.follow().await;
    assert_eq!(node.origin(), IndexOrigin::OwnSnapshot);
}

#[tokio::test]
async fn a_snapshot_of_another_store_or_release_is_not_used_but_replaced() {
    let (service, storage, _folder, _node) = published().await;
    let other = TestService::new();
    other.commit((11..=13).map(create)).await;
    let downloads = storage.downloads();
    assert_eq!(origin_of_new(&other, &storage).await, IndexOrigin::Store, "a shorter log");
    other.commit((14..=18).map(create)).await;
    assert_eq!(origin_of_new(&other, &storage).await, IndexOrigin::Store, "another entry");
    let manifest = storage.objects()[MANIFEST].clone();
    let mut foreign = SharedManifest::decode(&manifest).unwrap();
    foreign.manifest.format = "columns of long ago".to_owned();
    foreign.manifest.anchor.position = 1_000;
    storage.set(MANIFEST, Some(foreign.encode()));
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::Store, "another format");
    assert_eq!(storage.downloads(), downloads, "no segment was copied");

    let folder = TempDir::new().unwrap();
    let mut node = Node::start(&other, folder.path(), &storage).await;
    assert_eq!(node.publish().await, Publication::Published(Position(8)));
    assert_eq!(origin_of_new(&other, &storage).await, IndexOrigin::SharedSnapshot);
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::Store);
}

#[tokio::test]
async fn a_snapshot_that_is_replaced_meanwhile_is_copied_again() {
    let (service, storage, _folder, mut node) = published().await;
    let old = storage.objects();
    service.commit((20..=24).map(create)).await;
    // The second segment goes, the first one stays.
    service.store().erase(advert_id(4), service.now()).await.unwrap();
    assert!(matches!(node.publish().await, Publication::Published(_)));
    let new = storage.objects();
    // The new one takes the place of the old one before the second segment is copied.
    storage.replace_all(old.clone());
    storage.replace_at_download([old.clone(), new.clone()]);
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::SharedSnapshot);
    assert_eq!(storage.missed(), 1);
    let mut downloads = storage.downloads();
    let count = downloads.len();
    downloads.sort();
    downloads.dedup();
    assert_eq!(downloads.len(), count, "what both have is copied once");

    // The manifest that names what is gone stays the same: that is not a replacement.
    let mut broken = new.clone();
    broken.insert(MANIFEST.to_owned(), old[MANIFEST].clone());
    storage.replace_all(broken);
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::Store);
}

#[tokio::test]
async fn what_other_publishers_left_behind_is_removed() {
    let (service, storage, _folder, mut node) = published().await;
    let left = ["segment-0000", "segment-0000.0001.unfinished", "manifest.0001.unfinished"];
    for name in left.iter().chain(&["notes"]) {
        storage.set(name, Some(b"words of adverts".to_vec()));
    }
    service.commit([create(7)]).await;
    assert_eq!(node.publish().await, Publication::Published(Position(6)));
    let objects = storage.objects();
    assert!(left.iter().all(|name| !objects.contains_key(*name)), "{:?}", objects.keys());
    assert!(objects.contains_key("notes"), "not ours");
    let shared = SharedManifest::decode(&objects[MANIFEST]).unwrap();
    assert_eq!(objects.len(), shared.objects().len() + 2);
}

#[tokio::test]
async fn erased_data_is_removed_from_the_storage() {
    let (service, storage, _folder, mut node) = published().await;
    let is_stored = |number: u64| {
        let has = |content: &Vec<u8>| content.windows(16).any(|it| it == property_id(number).as_bytes());
        // The manifest contains the id in its log entry, which is no personal data.
        storage.objects().iter().any(|(name, content)| name != MANIFEST && has(content))
    };
    assert!(is_stored(3) && is_stored(1));
    service.store().erase(advert_id(3), service.now()).await.unwrap();
    assert!(matches!(node.publish().await, Publication::Published(_)));
    assert!(!is_stored(3) && is_stored(1));
    assert_eq!(origin_of_new(&service, &storage).await, IndexOrigin::SharedSnapshot);
}

#[tokio::test]
async fn an_older_snapshot_does_not_replace_a_newer_one() {
    let (service, storage, _folder, mut node) = published().await;
    let folder = TempDir::new().unwrap();
    let mut late = Node::start(&service, folder.path(), &storage).await;
    service.store().erase(advert_id(3), service.now()).await.unwrap();
    let Publication::Published(newest) = node.publish().await else { panic!("it is newer") };
    // The role has passed to the other server, whose snapshot still has the advert.
    node.publisher.give_up_role().await;
    let shared = storage.objects();
    assert_eq!(late.publisher.run_once().await.unwrap(), Publication::Current(newest));
    assert_eq!(storage.objects(), shared);
    assert_eq!(late.app.index_status().unwrap().published, Some(newest));
}

#[tokio::test]
async fn storage_that_fails_is_tried_again() {
    let (service, storage, folder) = (TestService::new(), Arc::<Storage>::default(), TempDir::new().unwrap());
    storage.refuse(true);
    service.commit((1..=3).map(create)).await;
    let mut node = Node::start(&service, folder.path(), &storage).await;
    assert_eq!(found(&node.app), numbers([1, 2, 3]));
    assert_eq!(node.publisher.run_once().await.unwrap(), Publication::NotDue, "no snapshot yet");
    node.indexer.snapshot().await.unwrap();
    assert!(matches!(node.publisher.run_once().await, Err(PublishError::Storage(_))));
    storage.refuse(false);
    assert_eq!(node.publisher.run_once().await.unwrap(), Publication::NotDue);
    service.clock.advance_seconds(60);
    assert_eq!(node.publisher.run_once().await.unwrap(), Publication::Published(Position(3)));

    // A new snapshot does not wait.
    storage.refuse(true);
    service.commit([create(4)]).await;
    node.follow().await;
    node.indexer.snapshot().await.unwrap();
    assert!(node.publisher.run_once().await.is_err());
    storage.refuse(false);
    service.commit([create(5)]).await;
    assert_eq!(node.publish().await, Publication::Published(Position(5)));
}

#[tokio::test]
async fn a_server_that_was_off_too_long_starts_from_the_shared_snapshot() {
    let (service, storage, _folder, mut node) = published().await;
    let folder = TempDir::new().unwrap();
    let mut late = Node::start(&service, folder.path(), &storage).await;
    late.indexer.snapshot().await.unwrap();
    drop(late);
    service.commit((6..=9).map(create)).await;
    assert!(matches!(node.publish().await, Publication::Published(_)));
    service.clock.advance_seconds(10);
    let batch = MatchBatch { after: Position::START, until: Position(9), groups: Vec::new() };
    assert!(service.store().record_matches(batch).await.unwrap());
    service.store().prune_log(service.now(), Position(7), 100).await.unwrap();
    let again = Node::start(&service, folder.path(), &storage).await;
    assert_eq!(again.origin(), IndexOrigin::SharedSnapshot);
    assert_eq!(found(&again.app), numbers([1, 3, 4, 6, 7, 8, 9]));
}

#[tokio::test]
async fn a_damaged_file_is_not_shared() {
    let (service, storage, folder, mut node) = published().await;
    service.commit([create(7)]).await;
    node.follow().await;
    node.indexer.snapshot().await.unwrap();
    let before = storage.objects();
    for entry in std::fs::read_dir(folder.path().join("index")).unwrap() {
        let path = entry.unwrap().path();
        if !path.ends_with("manifest") {
            let mut bytes = std::fs::read(&path).unwrap();
            bytes[0] ^= 1;
            std::fs::write(&path, bytes).unwrap();
        }
    }
    let refused = node.publisher.run_once().await;
    assert!(matches!(refused, Err(PublishError::DamagedSegment { .. })), "{refused:?}");
    assert_eq!(storage.objects(), before);
}

#[tokio::test]
async fn the_worker_shares_each_snapshot_until_it_is_stopped() {
    let (service, storage, folder) = (TestService::new(), Arc::<Storage>::default(), TempDir::new().unwrap());
    service.commit([create(1)]).await;
    let Node { mut indexer, publisher, .. } = Node::start(&service, folder.path(), &storage).await;
    let stop = CancellationToken::new();
    let mut running = tokio::task::JoinSet::new();
    running.spawn(run(publisher, stop.clone()));
    for position in 1..=2 {
        indexer.snapshot().await.unwrap();
        storage
            .wait_for(|objects| {
                let manifest = objects.get(MANIFEST).and_then(|bytes| SharedManifest::decode(bytes));
                manifest.is_some_and(|shared| shared.manifest.anchor.position == position)
            })
            .await;
        service.commit([create(position + 1)]).await;
        indexer.run_once().await.unwrap();
    }
    stop.cancel();
    running.join_next().await.unwrap().unwrap();
}

#[test]
fn only_what_publishers_write_is_removed() {
    for (name, expected) in [
        ("segment-12ab", true),
        ("segment-12ab.0001.unfinished", true),
        ("manifest.0001.unfinished", true),
        ("manifest", false),
        ("notes", false),
    ] {
        assert_eq!(shared::is_ours(name), expected, "{name}");
    }
    let anchor = Anchor { position: 1, recorded_at_millisecond: 1, subject: Vec::new() };
    let empty = Manifest { format: "columns 3".to_owned(), generation: 1, anchor, segments: Vec::new() };
    assert!(SharedManifest { manifest: empty, digests: Vec::new() }.objects().is_empty());
}
