//! The index against the store it follows.

mod support;

use std::fs;

use domain::{AdvertDraft, Criteria, FieldUpdate};
use engine::SearchRequest;
use store::prelude::*;
use testkit::build::{advert, advert_id, draft, property, property_id, short_text, site_reference};
use tokio::task::JoinSet;

use super::*;
use crate::search::folder::SnapshotFolder;
use crate::search::manifest::Anchor;
use support::{ListingSummary, create, found, numbers};

#[tokio::test]
async fn what_is_there_already_is_found_once_the_index_is_built() {
    let home = ListingSummary::new();
    home.commit((1..=3).map(create)).await;
    let app = home.app();
    assert!(matches!(app.view(), Err(Error::Starting)));
    let mut indexer = home.indexer(&app);
    assert_eq!(indexer.run_once().await.unwrap(), Progress::CaughtUp);
    assert_eq!(found(&app), numbers([1, 2, 3]));
    let status = app.index_status().unwrap();
    assert_eq!((status.is_ready, status.position, status.properties), (true, Position(3), 3));
    app.searchable().await;
}

#[tokio::test]
async fn every_kind_of_change_is_followed() {
    let home = ListingSummary::new();
    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), []);

    home.commit((1..=4).map(create)).await;
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 2, 3, 4]));

    home.commit([support::remove(2)]).await;
    home.store().erase(advert_id(3), home.now()).await.unwrap();
    let last = home.commit([support::change(&property(1, [advert(1).title("Studio").build()]))]).await;
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 4]));
    // The sequence_number is the last position that speaks of the property.
    let request = SearchRequest { criteria: Criteria::default(), take: 10, ..SearchRequest::default() };
    let hits = app.view().unwrap().search(&request).hits;
    let sequence_number =
        |number| hits.iter().find(|hit| hit.property == property_id(number)).unwrap().sequence_number;
    assert_eq!([sequence_number(1), sequence_number(4)], [SequenceNumber(last.0), SequenceNumber(4)]);
    assert_eq!(app.view().unwrap().position(), last.0);
    let documents = app.properties(vec![property_id(1), property_id(2)]).await.unwrap();
    assert_eq!(documents[&property_id(1)].adverts[0].details.title, Some(short_text("Studio")));
    assert_eq!(documents.len(), 1);
}

#[tokio::test]
async fn a_long_log_is_followed_in_several_looks_and_only_then_is_the_index_ready() {
    let home = ListingSummary::new();
    home.commit([create(1)]).await;
    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    indexer.snapshot().await.unwrap();

    let last = home.commit((2..=ENTRIES_PER_LOOK as u64 + 10).map(create)).await;
    let app = home.app();
    let mut indexer = home.indexer(&app);
    assert_eq!(indexer.run_once().await.unwrap(), Progress::More);
    assert!(matches!(app.view(), Err(Error::Starting)), "it is behind");
    assert_eq!(indexer.run_once().await.unwrap(), Progress::CaughtUp);
    assert_eq!(app.view().unwrap().position(), last.0);
    assert_eq!(found(&app).len(), ENTRIES_PER_LOOK + 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_found_by_the_next_question() {
    let home = ListingSummary::new();
    let app = home.app();
    let stop = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn(run(home.indexer(&app), stop.clone()));
    app.searchable().await;
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
    let mut stamps = Vec::new();
    for price in [100_000, 200_000, 200_000, 300_000] {
        app.ingest(drafts(price)).await.unwrap();
        let view = app.view().unwrap();
        assert_eq!(view.len(), 20);
        assert_eq!(view.position(), app.store.head().borrow().0);
        stamps.push(view.position());
    }
    assert_eq!(stamps, [20, 40, 40, 60], "what is unchanged writes nothing");

    let located = app.store.locate(vec![site_reference("portail.fr", "7")]).await.unwrap()[0].unwrap();
    app.expire(located.advert).await.unwrap().unwrap();
    assert_eq!(app.view().unwrap().position(), 61);
    app.erase(located.advert, |_| {}).await.unwrap().unwrap();
    assert_eq!(app.view().unwrap().len(), 19);

    // What another process writes is found without anybody saying so.
    let other = home.open_store();
    other.commit(support::set([create(500)])).await.unwrap();
    let mut published = app.search.as_ref().unwrap().watch();
    published.wait_for(|position| *position == Position(63)).await.unwrap();
    assert_eq!(app.view().unwrap().len(), 20);
    assert_eq!(app.index_status().unwrap().late_answers, 0);

    // The last snapshot has it all.
    stop.cancel();
    running.join_next().await.unwrap().unwrap();
    assert_eq!(app.index_status().unwrap().snapshot.unwrap().position, Position(63));
    assert!(home.begins_with_snapshot().await);
}

#[tokio::test]
async fn a_restart_begins_with_the_snapshot_and_follows_from_there() {
    let home = ListingSummary::new();
    home.commit((1..=5).map(create)).await;
    home.take_snapshot().await;
    home.commit([create(6), support::remove(2)]).await;
    assert!(home.begins_with_snapshot().await);
    // And what that one wrote is good again, with the dead of before.
    home.take_snapshot().await;
    assert!(home.begins_with_snapshot().await);
    assert_eq!(home.rebuilt_or_restored().await, numbers([1, 3, 4, 5, 6]));
}

#[tokio::test]
async fn a_snapshot_that_is_damaged_anywhere_is_not_used() {
    let home = ListingSummary::new();
    home.commit((1..=3).map(create)).await;
    home.take_snapshot().await;
    home.commit([create(4)]).await;
    for file in home.snapshot_files() {
        let sound = fs::read(&file).unwrap();
        let mut damaged = sound.clone();
        damaged[sound.len() / 2] ^= 1;
        for wrong in [Some(&damaged[..]), Some(&sound[..sound.len() - 1]), None] {
            match wrong {
                Some(bytes) => fs::write(&file, bytes).unwrap(),
                None => fs::remove_file(&file).unwrap(),
            }
            assert!(!home.begins_with_snapshot().await, "{}", file.display());
            assert_eq!(home.rebuilt_or_restored().await, numbers([1, 2, 3, 4]));
            fs::write(&file, &sound).unwrap();
        }
    }
    assert!(home.begins_with_snapshot().await);
}

#[tokio::test]
async fn a_snapshot_of_another_format_is_not_used() {
    let home = ListingSummary::new();
    home.commit((1..=3).map(create)).await;
    let entry = home.store().log_after(Position(2), 1).await.unwrap().remove(0);
    let mut folder = SnapshotFolder::new(home.snapshots());
    folder.save::<engine::SegmentReader>("columns of long ago", Anchor::of(&entry), &[]).unwrap();
    assert!(!home.begins_with_snapshot().await);
    assert_eq!(home.rebuilt_or_restored().await, numbers([1, 2, 3]));
}

#[tokio::test]
async fn a_snapshot_of_another_store_is_not_used() {
    let (home, other) = (ListingSummary::new(), ListingSummary::new());
    home.commit((1..=3).map(create)).await;
    home.take_snapshot().await;
    // One that is shorter, one that is as long, and one in which only the time is another.
    other.commit([create(7)]).await;
    support::copy(&home.snapshots(), &other.snapshots());
    assert_eq!(other.rebuilt_or_restored().await, numbers([7]));
    other.commit([create(8), create(9)]).await;
    support::copy(&home.snapshots(), &other.snapshots());
    assert_eq!(other.rebuilt_or_restored().await, numbers([7, 8, 9]));
    let later = ListingSummary::new();
    later.clock.advance_seconds(1);
    later.commit([create(4), create(5), create(3)]).await;
    support::copy(&home.snapshots(), &later.snapshots());
    assert_eq!(later.rebuilt_or_restored().await, numbers([3, 4, 5]));
    assert!(home.begins_with_snapshot().await);
}

#[tokio::test]
async fn nothing_of_what_was_erased_is_left_in_the_files() {
    let home = ListingSummary::new();
    home.commit((1..=3).map(create)).await;
    // An advert that moved: the home it left is there no more, but its segment is.
    home.take_snapshot().await;
    home.commit(support::moved(2, 1, 12)).await;
    home.take_snapshot().await;
    let is_on_disk = |number: u64| {
        let has = |file: &PathBuf| {
            fs::read(file).unwrap().windows(16).any(|bytes| bytes == property_id(number).as_bytes())
        };
        // The manifest names the entry of the log it stands at, which is no more than an id.
        let is_segment = |file: &&PathBuf| !file.ends_with("manifest");
        home.snapshot_files().iter().filter(is_segment).any(has)
    };
    assert!(is_on_disk(2), "dead, but there");

    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    home.store().erase(advert_id(2), home.now()).await.unwrap();
    // A look without time to spare writes nothing; a crash now is made good by the next start.
    indexer.run_once().await.unwrap();
    assert!(is_on_disk(2) && is_on_disk(12));
    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    home.clock.advance_seconds(11);
    indexer.run_once().await.unwrap();
    indexer.snapshot().await.unwrap();
    assert!(!is_on_disk(2) && !is_on_disk(12));
    assert!(is_on_disk(1) && is_on_disk(3));
    assert!(home.begins_with_snapshot().await);
    assert_eq!(home.rebuilt_or_restored().await, numbers([1, 3]));
}

#[tokio::test]
async fn snapshots_are_taken_when_it_is_time_and_something_has_changed() {
    let home = ListingSummary::new();
    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    let taken = |app: &App| app.index_status().unwrap().snapshot.map(|snapshot| snapshot.position.0);
    for (seconds, commits, expected) in
        [(0, 1, None), (599, 0, None), (1, 0, Some(1)), (600, 0, Some(1)), (0, 1, Some(2))]
    {
        home.clock.advance_seconds(seconds);
        for number in 0..commits {
            home.commit([create(expected.unwrap_or(0) + 10 + number)]).await;
        }
        indexer.run_once().await.unwrap();
        indexer.settle().await;
        assert_eq!(taken(&app), expected, "after {seconds} s");
    }
}

#[tokio::test]
async fn a_damaged_property_keeps_no_other_from_being_found() {
    let home = ListingSummary::new();
    home.commit((1..=3).map(create)).await;
    home.damage(2);
    assert_eq!(home.rebuilt_or_restored().await, numbers([1, 3]));
    let app = home.app();
    let mut indexer = home.indexer(&app);
    indexer.run_once().await.unwrap();
    home.commit([create(4), create(5)]).await;
    home.damage(4);
    indexer.run_once().await.unwrap();
    assert_eq!(found(&app), numbers([1, 3, 5]));
}

#[test]
fn an_erasure_names_every_property_that_has_to_be_forgotten() {
    // Blanked entries say nothing; the entry of the erasure names all that has to be looked at.
    let erasure = store::Erasure { previous_properties: vec![property_id(7)] };
    let entry = |position, change| LogEntry {
        position: Position(position),
        recorded_at: testkit::build::at(1),
        change,
    };
    let removed = |cause| store::Change::PropertyRemoved { property: property_id(1), cause };
    let seen = Seen::of(&[
        entry(1, store::Change::Erased),
        entry(2, removed(RemovalCause::AdvertLeft)),
        entry(3, removed(RemovalCause::AdvertErased(erasure))),
    ]);
    assert_eq!(seen.changed, BTreeMap::from([(property_id(1), Position(3))]));
    assert_eq!(seen.erased, [property_id(1), property_id(7)]);
}
