//! What happens after the start is told in order, of adverts that are known, and merges as it was meant.

use std::collections::HashMap;

use domain::advert_event::EventSubject;
use domain::merge::{self, Effect};
use domain::{Advert, AdvertField, AdvertId};
use world::{HappeningKind, Settings, World, sample};

use crate::{key, start, world};

/// Follows a timeline with the domain's own rules and checks each step.
fn follow(seed: u64, properties: u64, happenings: usize) -> HashMap<HappeningKind, usize> {
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
    for (number, happening) in world.timeline().take(happenings).enumerate() {
        let at =
            format!("seed {seed}, happening {number}, {:?} of {:?}", happening.kind, key(&happening.draft));
        assert!(happening.at >= before, "{at}: {} after {before}", happening.at);
        before = happening.at;
        *counts.entry(happening.kind).or_default() += 1;
        let key = key(&happening.draft);
        let Some((property, advert)) = known.get(&key) else {
            assert_eq!(happening.kind, HappeningKind::Published, "{at}: an advert nobody knows");
            let made = merge::create(id, happening.draft, None, happening.at);
            assert_eq!(made.advert.created_at, happening.at, "{at}");
            known.insert(key, (happening.property, made.advert));
            continue;
        };
        assert_eq!(*property, happening.property, "{at}: it changed its property");
        let merged = merge::update(advert, happening.draft, None, happening.at);
        check(happening.kind, advert, &merged, &at);
        known.insert(key, (happening.property, merged.advert));
    }
    counts
}

fn check(kind: HappeningKind, advert: &Advert, merged: &merge::Merged, at: &str) {
    let names = |field| merged.events.iter().any(|event| event.subject == EventSubject::Field(field));
    let percent = || {
        let price = |advert: &Advert| advert.details.price.unwrap().get();
        (price(&merged.advert) / price(advert) - 1.0) * 100.0
    };
    assert_eq!(
        advert.is_expired(),
        kind == HappeningKind::Republished,
        "{at}: only a return touches the expired"
    );
    assert_eq!(merged.advert.is_expired(), kind == HappeningKind::Expired, "{at}");
    match kind {
        HappeningKind::Published => panic!("{at}: it was there already"),
        HappeningKind::Crawled => {
            assert_eq!(merged.effect, Effect::Crawled, "{at}: {:?}", merged.events);
        }
        HappeningKind::PriceDropped => {
            // Parking spaces to let cost so little that one euro is a lot.
            let least = if advert.details.price.unwrap().get() < 200.0 { -12.0 } else { -8.7 };
            assert!(names(AdvertField::Price) && (least..-0.4).contains(&percent()), "{at}: {}", percent());
        }
        HappeningKind::PriceRose => {
            assert!(names(AdvertField::Price) && (0.0..6.0).contains(&percent()), "{at}: {}", percent());
        }
        HappeningKind::SurfaceCorrected => assert!(names(AdvertField::Surface), "{at}: {:?}", merged.events),
        HappeningKind::PicturesChanged => assert!(names(AdvertField::Pictures), "{at}: {:?}", merged.events),
        HappeningKind::DescriptionEdited => {
            assert_eq!(merged.events.len(), 1, "{at}: {:?}", merged.events);
            assert!(names(AdvertField::Description), "{at}");
        }
        HappeningKind::Expired | HappeningKind::Republished => {
            assert_eq!(merged.events.len(), 1, "{at}: {:?}", merged.events);
            assert_eq!(merged.events[0].subject, EventSubject::Expired, "{at}");
        }
    }
}

#[test]
fn every_happening_is_what_it_says() {
    for seed in [1, 2, 3] {
        let counts = follow(seed, 300, 2_500);
        let count = |kind| counts.get(&kind).copied().unwrap_or_default();
        assert_eq!(counts.len(), 9, "seed {seed}: every kind happens: {counts:?}");
        assert!(count(HappeningKind::PriceDropped) > 5 * count(HappeningKind::PriceRose), "{counts:?}");
    }
}

#[test]
fn a_market_that_begins_empty_fills() {
    let counts = follow(4, 0, 500);
    assert!(counts[&HappeningKind::Published] > 50, "seed 4: {counts:?}");
}

#[test]
fn a_day_has_as_many_happenings_as_asked() {
    let settings = Settings { happenings_per_day: 500, ..Settings::new(200, start()) };
    let world = World::new(5, sample::towns(), settings).unwrap();
    let happenings = world.timeline_of_days(4).count();
    assert!((1_900..2_100).contains(&happenings), "seed 5: {happenings} in four days");
}

#[test]
fn only_what_changed_is_kept_in_mind() {
    let world = world(6, 100_000);
    let mut timeline = world.timeline();
    let touched =
        timeline.by_ref().take(500).filter(|happening| happening.kind != HappeningKind::Crawled).count();
    assert!(timeline.remembered() <= touched, "seed 6: {} of {touched}", timeline.remembered());
}
