//! Events are in order, concern known adverts, and have the intended effect when merged.

use std::collections::HashMap;

use domain::advert_event::EventSubject;
use domain::merge::{self, Effect};
use domain::{Advert, AdvertField, AdvertId};
use world::{MarketEventKind, Settings, World, sample};

use crate::{key, start, world};

/// Applies a timeline with the merge rules of the domain and checks each event.
fn follow(seed: u64, properties: u64, events: usize) -> HashMap<MarketEventKind, usize> {
    let world = world(seed, properties);
    let mut known: HashMap<_, (domain::PropertyId, Advert)> = HashMap::new();
    let id = AdvertId::from_bytes([0; 16]);
    for property in world.properties() {
        for draft in property.drafts {
            known.insert(key(&draft), (property.id, merge::create(id, draft, None, start()).advert));
        }
    }
    let mut counts = HashMap::new();
    let mut before = start();
    for (number, event) in world.timeline().take(events).enumerate() {
        let at = format!("seed {seed}, event {number}, {:?} of {:?}", event.kind, key(&event.draft));
        assert!(event.at >= before, "{at}: {} after {before}", event.at);
        before = event.at;
        *counts.entry(event.kind).or_default() += 1;
        let key = key(&event.draft);
        let Some((property, advert)) = known.get(&key) else {
            assert_eq!(event.kind, MarketEventKind::Published, "{at}: an unknown advert");
            let made = merge::create(id, event.draft, None, event.at);
            assert_eq!(made.advert.created_at, event.at, "{at}");
            known.insert(key, (event.property, made.advert));
            continue;
        };
        assert_eq!(*property, event.property, "{at}: the property changed");
        let merged = merge::update(advert, event.draft, None, event.at);
        check(event.kind, advert, &merged, &at);
        known.insert(key, (event.property, merged.advert));
    }
    counts
}

fn check(kind: MarketEventKind, advert: &Advert, merged: &merge::Merged, at: &str) {
    let names = |field| merged.events.iter().any(|event| event.subject == EventSubject::Field(field));
    let percent = || {
        let price = |advert: &Advert| advert.details.price.unwrap().get();
        (price(&merged.advert) / price(advert) - 1.0) * 100.0
    };
    assert_eq!(
        advert.is_expired(),
        kind == MarketEventKind::Republished,
        "{at}: only a return touches the expired"
    );
    assert_eq!(merged.advert.is_expired(), kind == MarketEventKind::Expired, "{at}");
    match kind {
        MarketEventKind::Published => panic!("{at}: it was there already"),
        MarketEventKind::Crawled => {
            assert_eq!(merged.effect, Effect::Crawled, "{at}: {:?}", merged.events);
        }
        MarketEventKind::PriceDropped => {
            // The rent of a parking space is so low that one euro is a large share.
            let least = if advert.details.price.unwrap().get() < 200.0 { -12.0 } else { -8.7 };
            assert!(names(AdvertField::Price) && (least..-0.4).contains(&percent()), "{at}: {}", percent());
        }
        MarketEventKind::PriceRose => {
            assert!(names(AdvertField::Price) && (0.0..6.0).contains(&percent()), "{at}: {}", percent());
        }
        MarketEventKind::SurfaceCorrected => {
            assert!(names(AdvertField::Surface), "{at}: {:?}", merged.events)
        }
        MarketEventKind::PicturesChanged => {
            assert!(names(AdvertField::Pictures), "{at}: {:?}", merged.events)
        }
        MarketEventKind::DescriptionEdited => {
            assert_eq!(merged.events.len(), 1, "{at}: {:?}", merged.events);
            assert!(names(AdvertField::Description), "{at}");
        }
        MarketEventKind::Expired | MarketEventKind::Republished => {
            assert_eq!(merged.events.len(), 1, "{at}: {:?}", merged.events);
            assert_eq!(merged.events[0].subject, EventSubject::Expired, "{at}");
        }
    }
}

#[test]
fn every_event_does_what_it_says() {
    for seed in [1, 2, 3] {
        let counts = follow(seed, 300, 2_500);
        let count = |kind| counts.get(&kind).copied().unwrap_or_default();
        assert_eq!(counts.len(), 9, "seed {seed}: a kind is missing: {counts:?}");
        assert!(count(MarketEventKind::PriceDropped) > 5 * count(MarketEventKind::PriceRose), "{counts:?}");
    }
}

#[test]
fn an_empty_market_fills() {
    let counts = follow(4, 0, 500);
    assert!(counts[&MarketEventKind::Published] > 50, "seed 4: {counts:?}");
}

#[test]
fn a_day_has_the_configured_number_of_events() {
    let settings = Settings { events_per_day: 500, ..Settings::new(200, start()) };
    let world = World::new(5, sample::towns(), settings).unwrap();
    let events = world.timeline_of_days(4).count();
    assert!((1_900..2_100).contains(&events), "seed 5: {events} in four days");
}

#[test]
fn only_changed_adverts_take_memory() {
    let world = world(6, 100_000);
    let mut timeline = world.timeline();
    let touched = timeline.by_ref().take(500).filter(|event| event.kind != MarketEventKind::Crawled).count();
    assert!(timeline.changed_adverts() <= touched, "seed 6: {} of {touched}", timeline.changed_adverts());
}
