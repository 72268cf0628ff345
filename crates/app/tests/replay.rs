//! A year of crawls that is imported in one go, in any order, gives the same documents, events and price indicators as the same year
//! lived through.

#![expect(clippy::unwrap_used, reason = "a failed unwrap fails the test and names the line")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use app::App;
use app::ingest::Receipt;
use app::workers::follower::Progress;
use app::workers::indexer::{Indexer, Settings as IndexerSettings};
use domain::advert_event::EventSubject;
use domain::indicator::{Indicator, Interval};
use domain::{
    AdvertDraft, AdvertField, AdvertId, Amount, Criteria, FieldUpdate, Identity, Property, PropertyId,
    Timestamp,
};
use places::Gazetteer;
use serde_json::Value;
use tempfile::TempDir;
use testkit::{ManualClock, Random, SeededIds};
use world::{Grouping, Settings, World, sample};

const DAYS: u32 = 365;

/// As many adverts as a file of the replay holds.
const FILE_LENGTH: usize = 150;

/// Every so many adverts have ten times their price.
const WRONG_PRICE_ONCE_IN: u8 = 8;

fn start() -> Timestamp {
    "2025-01-01T00:00:00Z".parse().unwrap()
}

fn end() -> Timestamp {
    "2026-01-02T00:00:00Z".parse().unwrap()
}

/// A service with an empty store.
struct Service {
    app: App,
    clock: Arc<ManualClock>,
    folder: TempDir,
}

/// What readers see of a service.
#[derive(Debug, PartialEq)]
struct Seen {
    documents: BTreeMap<PropertyId, Value>,
    by_month: Indicator,
}

impl Service {
    fn new(now: Timestamp, seed: u64) -> Self {
        static PLACES: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        let clock = Arc::new(ManualClock::at(now));
        let ids = Arc::new(SeededIds::new(seed));
        let app = App::new(store, Arc::clone(&clock) as _, ids, Arc::clone(&PLACES)).with_index();
        Self { app, clock, folder }
    }

    async fn ingest(&self, drafts: Vec<AdvertDraft>) {
        for receipt in self.app.ingest(drafts).await.unwrap() {
            assert!(matches!(receipt, Receipt::Accepted { .. }), "{receipt:?}");
        }
    }

    async fn properties(&self, ids: &[PropertyId]) -> Vec<Property> {
        let mut found = self.app.properties(ids.to_vec()).await.unwrap();
        ids.iter().map(|id| found.remove(id).unwrap()).collect()
    }

    async fn seen(&self, properties: &[Property]) -> Seen {
        let renderer = self.app.document_renderer().await.unwrap();
        let document = |property: &Property| {
            let mut document: Value = serde_json::from_str(renderer.render(property).unwrap().get()).unwrap();
            // Adverts are listed in the order of their arrival.
            let adverts = document["adverts"].as_array_mut().unwrap();
            adverts.sort_by_key(|advert| advert["uuid"].as_str().unwrap().to_owned());
            (property.id, document)
        };
        let documents = properties.iter().map(document).collect();
        let by_month = price_per_meter(&self.app, self.folder.path()).await;
        Seen { documents, by_month }
    }
}

async fn price_per_meter(app: &App, folder: &Path) -> Indicator {
    let snapshot_interval = Duration::from_secs(3_600);
    let settings = IndexerSettings { folder: folder.join("index"), snapshot_interval, shared: None };
    let mut indexer = Indexer::new(app, settings).unwrap();
    while indexer.run_once().await.unwrap() != Progress::CaughtUp {}
    let session = app.search_session(testkit::build::user_id(1)).await.unwrap();
    session.price_per_meter(Criteria::default(), Interval::Month).await.unwrap()
}

/// Gives an advert the same id in every service.
fn identified(mut draft: AdvertDraft) -> AdvertDraft {
    let Identity::SiteReference(site, reference) = &draft.identity else { panic!("{:?}", draft.identity) };
    let key = format!("{site:?} {reference}");
    let mut bytes = [0_u8; 16];
    for (index, byte) in key.bytes().enumerate() {
        let mixed = bytes[index % 16].wrapping_mul(31).wrapping_add(byte);
        bytes[index % 16] = mixed;
    }
    draft.identity = Identity::Uuid(AdvertId::from_bytes(bytes));
    if has_wrong_price(&draft.identity)
        && let FieldUpdate::Set(Some(price)) = &mut draft.patch.price
    {
        *price = Amount::new(price.get() * 10.0).unwrap();
    }
    draft
}

/// Whether a price is believed depends on the others around there, which come in another order each time.
fn has_wrong_price(identity: &Identity) -> bool {
    let Identity::Uuid(advert) = identity else { panic!("{identity:?}") };
    advert.as_bytes()[3].is_multiple_of(WRONG_PRICE_ONCE_IN)
}

#[tokio::test]
async fn year_replayed_in_any_order_is_the_year_lived_through() {
    let settings = Settings {
        events_per_day: 6,
        grouping: Grouping::Named,
        past_days: 200,
        ..Settings::new(120, start())
    };
    // So many homes of a town that each knows what is usual there.
    let towns = sample::towns().into_iter().take(2).collect();
    let world = World::new(11, towns, settings).unwrap();
    let stock: Vec<AdvertDraft> = world.drafts().map(identified).collect();
    let events: Vec<(Timestamp, AdvertDraft)> =
        world.timeline_of_days(DAYS).map(|event| (event.at, identified(event.draft))).collect();
    let mut ids: Vec<PropertyId> = stock
        .iter()
        .chain(events.iter().map(|(_, draft)| draft))
        .filter_map(|draft| draft.property)
        .collect();
    ids.sort_unstable();
    ids.dedup();

    // Every day what was crawled that day.
    let lived = Service::new(start(), 1);
    lived.ingest(stock.clone()).await;
    for day in events.chunk_by(|(one, _), (other, _)| day_of(*one) == day_of(*other)) {
        lived.clock.set(day.last().unwrap().0);
        lived.ingest(day.iter().map(|(_, draft)| draft.clone()).collect()).await;
        // Now and then, as a server does.
        if day_of(day[0].0) % 10 == 0 {
            lived.app.check_prices_again().await.unwrap();
        }
    }
    lived.app.check_prices_again().await.unwrap();
    let lived_properties = lived.properties(&ids).await;
    let recorded = |field: EventSubject| {
        let adverts = lived_properties.iter().flat_map(|property| &property.adverts);
        adverts.flat_map(|advert| &advert.events).filter(|event| event.subject == field).count()
    };
    assert!(recorded(EventSubject::Field(AdvertField::Price)) > 200);
    assert!(recorded(EventSubject::Field(AdvertField::Description)) > 20);
    assert!(recorded(EventSubject::Expired) > 100);
    let lived_seen = lived.seen(&lived_properties).await;
    let incoherent = |property: &&Property| !domain::price::is_coherent(&property.adverts[0]);
    let incoherent = lived_properties.iter().filter(incoherent).count();
    assert!(incoherent > 10, "{incoherent}");
    assert!(lived_seen.by_month.series.len() > 12, "{:?}", lived_seen.by_month.series.len());

    // All of it at the end, in any order.
    let mut random = Random::new(testkit::random::seed());
    let mut all: Vec<AdvertDraft> =
        stock.into_iter().chain(events.into_iter().map(|(_, draft)| draft)).collect();
    for index in (1..all.len()).rev() {
        all.swap(index, random.below(index as u64 + 1) as usize);
    }
    replay(&all, &ids, &lived_seen).await;
    // The wrong prices are all there is of the market at first.
    all.sort_by_key(|draft| !has_wrong_price(&draft.identity));
    let changed = replay(&all, &ids, &lived_seen).await;
    assert!(changed > 10, "{changed}");
}

/// Replays crawls in one go. The result must be what was seen of those that were lived through. Returns how many prices were found otherwise in the end.
async fn replay(crawls: &[AdvertDraft], properties: &[PropertyId], lived: &Seen) -> usize {
    let replayed = Service::new(end(), 2);
    for file in crawls.chunks(FILE_LENGTH) {
        replayed.ingest(file.to_vec()).await;
    }
    let checked = replayed.app.check_prices_again().await.unwrap();
    assert_eq!(checked.skipped, 0);
    assert_eq!(replayed.app.check_prices_again().await.unwrap().changed, 0);
    let seen = replayed.seen(&replayed.properties(properties).await).await;
    for (id, document) in &lived.documents {
        assert_eq!(&seen.documents[id], document);
    }
    assert_eq!(seen, *lived);
    checked.changed
}

fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(86_400)
}
