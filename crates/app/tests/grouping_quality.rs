//! Grouping of a small market with hard cases. `cargo xtask grouping` measures a larger one and prints the cases that go wrong.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::sync::Arc;

use app::App;
use app::ingest::Receipt;
use domain::{AdvertDraft, AdvertId, Identity, PropertyId, Timestamp};
use places::Gazetteer;
use tempfile::TempDir;
use testkit::{ManualClock, Random, SeededIds};
use world::{GroupingReport, LabelledAdvert, Settings, World, grouping_report, sample};

/// As many adverts as `vigie import` sends at once.
const BATCH_LENGTH: usize = 500;

/// Fixed: the market is part of what is measured. `cargo xtask grouping` takes others.
const SEED: u64 = 7;

fn start() -> Timestamp {
    "2026-01-01T00:00:00Z".parse().unwrap()
}

/// Returns the market in a random order.
fn market(adverts: usize) -> Vec<LabelledAdvert> {
    let world = World::new(SEED, sample::towns(), Settings::new(adverts as u64, start())).unwrap();
    let mut market: Vec<LabelledAdvert> = world.hard_market().take(adverts).collect();
    let mut random = Random::new(SEED);
    for index in (1..market.len()).rev() {
        market.swap(index, random.below(index as u64 + 1) as usize);
    }
    market
}

/// Ingests the market and compares the properties with the true homes.
async fn report(market: &[LabelledAdvert]) -> GroupingReport {
    let folder = TempDir::new().unwrap();
    let store = Arc::new(test_database::open(folder.path()));
    let clock = Arc::new(ManualClock::at(start()));
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store, clock, Arc::new(SeededIds::new(SEED)), places);
    let mut adverts = Vec::with_capacity(market.len());
    for batch in market.chunks(BATCH_LENGTH) {
        let drafts: Vec<AdvertDraft> = batch.iter().map(|advert| advert.draft.clone()).collect();
        adverts.extend(app.ingest(drafts).await.unwrap().into_iter().map(advert_of));
    }
    // Read back at the end: a later advert may have moved an earlier one.
    let located = app.store().locate(adverts.into_iter().map(Identity::Uuid).collect()).await.unwrap();
    let found: Vec<PropertyId> = located.into_iter().map(|located| located.unwrap().property).collect();
    grouping_report(market, &found)
}

fn advert_of(receipt: Receipt) -> AdvertId {
    match receipt {
        Receipt::Accepted { advert, .. } => advert,
        Receipt::Rejected { violations } => panic!("rejected: {violations:?}"),
    }
}

/// `cargo xtask grouping` measures a larger market.
#[tokio::test]
async fn hard_cases_are_grouped() {
    let report = report(&market(3_000)).await;
    for ((first, second), wrong) in &report.wrong {
        println!("{} wrong pairs of {} and {}", wrong.count, first.name(), second.name());
    }
    for (kind, counts) in &report.kinds {
        println!("{}: {} of {} true pairs", kind.name(), counts.correct_pairs, counts.true_pairs);
    }
    assert!(report.true_pairs > 1_000, "seed {SEED}: {report}");
    assert!(report.reaches(0.99, 0.95), "seed {SEED}: {report}");
}

/// Checks the measurement itself: a sender that names every home leaves nothing to group.
#[tokio::test]
async fn named_homes_are_grouped_perfectly() {
    let mut market = market(600);
    for advert in &mut market {
        advert.draft.property = Some(advert.home);
    }
    let report = report(&market).await;
    assert!(report.true_pairs > 100, "seed {SEED}: {report}");
    assert!(report.reaches(1.0, 1.0), "seed {SEED}: {report}");
}
