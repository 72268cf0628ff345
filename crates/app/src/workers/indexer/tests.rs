//! The indexer on a real store.

pub(in crate::workers) mod support;

use std::fs;

use domain::{AdvertDraft, Criteria, FieldUpdate};
use engine::SearchRequest;
use store::MatchBatch;
use store::prelude::*;
use testkit::build::{advert, advert_id, draft, property, property_id, short_text, site_reference};
use tokio::task::JoinSet;

use super::*;
use crate::search::folder::SnapshotFolder;
use crate::search::manifest::Anchor;
use support::{TestService, create, found, numbers};

#[tokio::test]
async fn existing_properties_are_found_once_the_index_is_built() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    let app = service.app();
    assert!(matches!(app.index_searcher(), Err(Error::Starting)));
    let mut indexer = service.indexer(&app);
    assert_eq!(indexer.run_once().await.unwrap(), Progress::CaughtUp);
    assert_eq!(found(&app), numbers([1, 2, 3]));
    let status = app.index_status().unwrap();
    assert_eq!((status.is_ready, status.position, status.properties), (true, Position(3), 3));
    app.wait_until_searchable().await;
}

#[tokio::test]
async fn every_kind_of_change_is_followed() {
    let service = TestService::new();
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), []);

    service.commit((1..=4).map(create)).await;
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 2, 3, 4]));

    service.commit([support::remove(2)]).await;
    service.store().erase(advert_id(3), service.now()).await.unwrap();
    let last = service.commit([support::change(&property(1, [advert(1).title("Studio").build()]))]).await;
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 4]));
    // The sequence number is the position of the last change of the property.
    let request = SearchRequest { criteria: Criteria::default(), take: 10, ..SearchRequest::default() };
    let hits = app.index_searcher().unwrap().search(&request, &engine::Budget::unlimited()).unwrap().hits;
    let sequence_number =
        |number| hits.iter().find(|hit| hit.property == property_id(number)).unwrap().sequence_number;
    assert_eq!([sequence_number(1), sequence_number(4)], [SequenceNumber(last.0), SequenceNumber(4)]);
    assert_eq!(app.index_searcher().unwrap().position(), last.0);
    let documents = app.properties(vec![property_id(1), property_id(2)]).await.unwrap();
    assert_eq!(documents[&property_id(1)].adverts[0].details.title, Some(short_text("Studio")));
    assert_eq!(documents.len(), 1);
}

#[tokio::test]
async fn the_index_is_ready_after_the_last_batch_of_a_long_log() {
    let service = TestService::new();
    service.commit([create(1)]).await;
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    indexer.snapshot().await.unwrap();

    let last = service.commit((2..=ENTRIES_PER_BATCH as u64 + 10).map(create)).await;
    let app = service.app();
    let mut indexer = service.indexer(&app);
    assert_eq!(indexer.run_once().await.unwrap(), Progress::More);
    assert!(matches!(app.index_searcher(), Err(Error::Starting)), "it has not caught up");
    assert_eq!(indexer.run_once().await.unwrap(), Progress::CaughtUp);
    assert_eq!(app.index_searcher().unwrap().position(), last.0);
    assert_eq!(found(&app).len(), ENTRIES_PER_BATCH + 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_acknowledged_write_is_found_by_the_next_search() {
    let service = TestService::new();
    let app = service.app();
    let stop = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn(run(service.indexer(&app), stop.clone()));
    app.wait_until_searchable().await;
    let drafts = |price: u32| -> Vec<AdvertDraft> {
        let priced = |number: u32| {
            let mut draft = draft(site_reference("portail.fr", &number.to_string()));
            draft.patch.site = FieldUpdate::Set(Some(testkit::build::site("portail.fr")));
            draft.patch.reference = FieldUpdate::Set(Some(short_text(&number.to_string())));
            draft.patch.price = FieldUpdate::Set(domain::Amount::new(f64::from(price)));
            draft
        };
        (0..20).map(priced).collect()
    };
    let mut positions = Vec::new();
    for price in [100_000, 200_000, 200_000, 300_000] {
        app.ingest(drafts(price)).await.unwrap();
        let searcher = app.index_searcher().unwrap();
        assert_eq!(searcher.len(), 20);
        assert_eq!(searcher.position(), app.store.head().borrow().0);
        positions.push(searcher.position());
    }
    assert_eq!(positions, [20, 40, 40, 60], "an unchanged advert writes nothing");

    let located = app.store.locate(vec![site_reference("portail.fr", "7")]).await.unwrap()[0].unwrap();
    app.expire(located.advert).await.unwrap().unwrap();
    assert_eq!(app.index_searcher().unwrap().position(), 61);
    app.erase(located.advert).await.unwrap().unwrap();
    assert_eq!(app.index_searcher().unwrap().len(), 19);

    // Writes of other processes are found by polling.
    let other = service.open_store();
    other.commit(support::set([create(500)])).await.unwrap();
    let mut published = app.index.as_ref().unwrap().watch();
    published.wait_for(|position| *position == Position(63)).await.unwrap();
    assert_eq!(app.index_searcher().unwrap().len(), 20);
    assert_eq!(app.index_status().unwrap().visibility_timeouts, 0);

    // The last snapshot is complete.
    stop.cancel();
    running.join_next().await.unwrap().unwrap();
    assert_eq!(app.index_status().unwrap().snapshot.unwrap().position, Position(63));
    assert!(service.restores_snapshot().await);
}

#[tokio::test]
async fn a_restart_continues_from_the_snapshot() {
    let service = TestService::new();
    service.commit((1..=5).map(create)).await;
    service.take_snapshot().await;
    service.commit([create(6), support::remove(2)]).await;
    assert!(service.restores_snapshot().await);
    // The next snapshot is valid as well, with the deleted rows of the previous one.
    service.take_snapshot().await;
    assert!(service.restores_snapshot().await);
    assert_eq!(service.found_after_restart().await, numbers([1, 3, 4, 5, 6]));
}

#[tokio::test]
async fn a_damaged_snapshot_is_not_used() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    service.take_snapshot().await;
    service.commit([create(4)]).await;
    for file in service.snapshot_files() {
        let sound = fs::read(&file).unwrap();
        let mut damaged = sound.clone();
        damaged[sound.len() / 2] ^= 1;
        for wrong in [Some(&damaged[..]), Some(&sound[..sound.len() - 1]), None] {
            match wrong {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            assert!(!service.restores_snapshot().await, "{}", file.display());
            assert_eq!(service.found_after_restart().await, numbers([1, 2, 3, 4]));
            fs::write(&file, &sound).unwrap();
        }
    }
    assert!(service.restores_snapshot().await);
}

#[tokio::test]
async fn a_snapshot_of_another_format_is_not_used() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    let entry = service.store().log_after(Position(2), 1).await.unwrap().remove(0);
    let mut folder = SnapshotFolder::new(service.snapshots());
    folder.save::<engine::SegmentReader>("columns of long ago", Anchor::of(&entry), &[]).unwrap();
    assert!(!service.restores_snapshot().await);
    assert_eq!(service.found_after_restart().await, numbers([1, 2, 3]));
}

#[tokio::test]
async fn a_snapshot_of_another_store_is_not_used() {
    let (service, other) = (TestService::new(), TestService::new());
    service.commit((1..=3).map(create)).await;
    service.take_snapshot().await;
    // A shorter log, a log of the same length, and one that differs only in time.
    other.commit([create(7)]).await;
    support::copy(&service.snapshots(), &other.snapshots());
    assert_eq!(other.found_after_restart().await, numbers([7]));
    other.commit([create(8), create(9)]).await;
    support::copy(&service.snapshots(), &other.snapshots());
    assert_eq!(other.found_after_restart().await, numbers([7, 8, 9]));
    let later = TestService::new();
    later.clock.advance_seconds(1);
    later.commit([create(4), create(5), create(3)]).await;
    support::copy(&service.snapshots(), &later.snapshots());
    assert_eq!(later.found_after_restart().await, numbers([3, 4, 5]));
    assert!(service.restores_snapshot().await);
}

#[tokio::test]
async fn a_snapshot_from_before_the_log_is_not_used() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    service.take_snapshot().await;
    let restored = service.app();
    let mut late = service.indexer(&restored);
    late.loaded = Some(late.load().await.unwrap());
    // Meanwhile properties come and go, and retention deletes what the snapshot misses.
    service.commit([create(4), support::remove(2), create(5), create(6)]).await;
    service.clock.advance_seconds(10);
    let batch = MatchBatch { after: Position::START, until: Position(7), groups: Vec::new() };
    assert!(service.store().record_matches(batch).await.unwrap());
    let pruned = service.store().prune_log(service.now(), Position(5), 100).await.unwrap();
    assert_eq!(pruned.rows.log_entries, 5);
    assert!(!service.restores_snapshot().await);
    assert_eq!(service.found_after_restart().await, numbers([1, 3, 4, 5, 6]));
    // The indexer that had restored it just before notices as well.
    while late.run_once().await.unwrap() == Progress::More {}
    assert_eq!(found(&restored), numbers([1, 3, 4, 5, 6]));
    // Its next snapshot has segments of its own, although they are numbered like those of the old one.
    late.snapshot().await.unwrap();
    assert!(service.restores_snapshot().await);
    assert_eq!(service.found_after_restart().await, numbers([1, 3, 4, 5, 6]));
}

#[tokio::test]
async fn erased_data_is_removed_from_the_files() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    // An advert that moved: the property it left is removed, but its segment still contains it.
    service.take_snapshot().await;
    service.commit(support::moved(2, 1, 12)).await;
    service.take_snapshot().await;
    let is_on_disk = |number: u64| {
        let has = |file: &PathBuf| {
            fs::read(file).unwrap().windows(16).any(|bytes| bytes == property_id(number).as_bytes())
        };
        // The manifest contains the id in its log entry, which is no personal data.
        let is_segment = |file: &&PathBuf| !file.ends_with("manifest");
        service.snapshot_files().iter().filter(is_segment).any(has)
    };
    assert!(is_on_disk(2), "deleted, but still in the segment");

    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    service.store().erase(advert_id(2), service.now()).await.unwrap();
    // The batch window is still open, so no snapshot is written. After a crash now, the next start purges.
    indexer.run_once().await.unwrap();
    assert!(is_on_disk(2) && is_on_disk(12));
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    service.clock.advance_seconds(11);
    indexer.run_once().await.unwrap();
    indexer.snapshot().await.unwrap();
    assert!(!is_on_disk(2) && !is_on_disk(12));
    assert!(is_on_disk(1) && is_on_disk(3));
    assert!(service.restores_snapshot().await);
    assert_eq!(service.found_after_restart().await, numbers([1, 3]));
}

#[tokio::test]
async fn a_snapshot_is_taken_at_the_interval_if_there_are_changes() {
    let service = TestService::new();
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    let taken = |app: &App| app.index_status().unwrap().snapshot.map(|snapshot| snapshot.position.0);
    for (seconds, commits, expected) in
        [(0, 1, None), (599, 0, None), (1, 0, Some(1)), (600, 0, Some(1)), (0, 1, Some(2))]
    {
        service.clock.advance_seconds(seconds);
        for number in 0..commits {
            service.commit([create(expected.unwrap_or(0) + 10 + number)]).await;
        }
        indexer.run_once().await.unwrap();
        indexer.finish_write().await;
        assert_eq!(taken(&app), expected, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_damaged_property_does_not_stop_the_indexer() {
    let service = TestService::new();
    service.commit((1..=3).map(create)).await;
    service.damage(2);
    assert_eq!(service.found_after_restart().await, numbers([1, 3]));
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    service.commit([create(4), create(5)]).await;
    service.damage(4);
    // Otherwise it is not read.
    service.store().take_committed(Position(1_000));
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 3, 5]));
}

#[tokio::test]
async fn what_was_just_committed_is_not_read_again() {
    let service = TestService::new();
    let app = service.app();
    let mut indexer = service.indexer(&app);
    indexer.run_once().await.unwrap();
    service.commit([create(1), create(2)]).await;
    // Reading these would find nothing.
    service.damage(1);
    service.damage(2);
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 2]));
}

#[test]
fn an_erasure_names_every_property_to_purge() {
    // Blanked entries have no data; the entry of the erasure names all affected properties.
    let erasure = store::Erasure { previous_properties: vec![property_id(7)] };
    let entry = |position, change| LogEntry {
        position: Position(position),
        recorded_at: testkit::build::at(1),
        change,
    };
    let removed = |cause| store::Change::PropertyRemoved { property: property_id(1), cause };
    let summary = LogSummary::new(&[
        entry(1, store::Change::Erased),
        entry(2, removed(RemovalCause::AdvertLeft)),
        entry(3, removed(RemovalCause::AdvertErased(erasure))),
    ]);
    assert_eq!(summary.changed, BTreeMap::from([(property_id(1), Position(3))]));
    assert_eq!(summary.erased, [property_id(1), property_id(7)]);
}
