//! Counts compared with an evaluation of every property, and extrapolation.

use domain::criteria::CriteriaBuilder;
use domain::merge;
use domain::{Advert, AdvertDraft, AdvertPatch, Amount, FieldUpdate, Filter, Lifecycle, criteria, matching};
use engine::{Change, Index, SequenceNumber};
use testkit::Random;
use testkit::build::{advert_id, at, draft, property, property_id, url_identity};

use super::*;

const DAY: i64 = 86_400;
const NOW: i64 = 1_800_000_000;

/// A random draft of one day: a price, an expiry, or nothing new.
fn random_draft(random: &mut Random) -> AdvertDraft {
    let mut draft = draft(url_identity("https://portail.example/1"));
    if !random.once_in(4) {
        let price = *random.pick(&[150_000.0, 190_000.0, 200_000.0, 210_000.0, 300_000.0]);
        draft.patch = AdvertPatch { price: FieldUpdate::Set(Amount::new(price)), ..draft.patch };
    }
    if random.once_in(4) {
        draft.lifecycle = Lifecycle::Expired { at: None };
    }
    draft
}

/// An advert with a history of up to forty days.
fn advert(random: &mut Random, number: u64) -> Advert {
    let mut day = random.below(40) as i64;
    // Often whole days, so that some changes happen exactly when a window starts.
    let mut at_day = |day: i64| at(NOW - day * DAY + random.pick(&[0, 0, 3_600]));
    let (first, mut later) = (at_day(day), Vec::new());
    while day > 3 {
        day -= 1 + day / 3;
        later.push(at_day(day));
    }
    let mut advert = merge::create(advert_id(number), random_draft(random), None, first).advert;
    for at in later {
        advert = merge::update(&advert, random_draft(random), None, at).advert;
    }
    advert
}

fn market(random: &mut Random, size: u64) -> Vec<Property> {
    let one = |number: u64| {
        let adverts = 1 + random.below(3);
        property(number, (0..adverts).map(|other| advert(random, number * 10 + other)))
    };
    (0..size).map(one).collect()
}

fn at_most(price: f64) -> Criteria {
    let mut builder = CriteriaBuilder::default();
    builder.put(Filter::named("budgetMax").unwrap(), criteria::CriterionValue::Number(price));
    builder.build().unwrap().criteria
}

/// The criteria of a saved search for properties whose price dropped, on an advert on offer.
fn dropped() -> Criteria {
    let mut builder = CriteriaBuilder::default();
    builder.put(Filter::named("eventPriceVariationMax").unwrap(), criteria::CriterionValue::Number(-1.0));
    Criteria { advert_scope: AdvertScope::Live, ..builder.build().unwrap().criteria }
}

#[test]
fn counts_agree_with_an_evaluation_of_every_property() {
    let mut random = Random::new(testkit::random::seed());
    let (mut evaluated, mut matched, mut total) = (0, 0, 0);
    for criteria in [at_most(200_000.0), dropped()].iter().cycle().take(60) {
        let market = market(&mut random, 40);
        let index = Index::default();
        index.apply(
            market.iter().map(|property| Change::Put(property.clone().into(), SequenceNumber(1))).collect(),
            1,
        );
        let (searcher, unlimited) = (index.searcher(), Budget::unlimited());
        let available = available_now(&searcher, criteria, 3, &unlimited).unwrap();
        assert_eq!(available.total, market.iter().filter(|it| matching::matches(criteria, it)).count());
        assert_eq!(available.hits.len(), available.total.min(3));
        total += available.total;
        for days in [7, 30] {
            let window = Window::new(&searcher, criteria, days_before(at(NOW), days), &unlimited).unwrap();
            let since = at(NOW - days * DAY);
            let expected =
                market.iter().filter(|it| rewind::newly_matched_since(criteria, it, since)).count();
            let sample = window.evaluate(criteria, market.iter());
            let count = Count { count: expected, is_estimated: false };
            assert_eq!(window.count(sample), count, "{days} days: {market:#?}");
            (evaluated, matched) = (evaluated + sample.evaluated, matched + sample.matched);
        }
    }
    assert!(total > 0 && matched > 0 && matched < evaluated, "the generated market exercises too little");
}

#[test]
fn unread_properties_are_extrapolated() {
    let window = |changed: usize, read: u64| Window {
        since: at(0),
        created: 100,
        changed,
        to_read: (0..read).map(property_id).collect(),
    };
    let sample = |evaluated, matched| Sample { evaluated, matched };
    let exact = Count { count: 105, is_estimated: false };
    assert_eq!(window(10, 10).count(sample(10, 5)), exact);
    // One property was removed between the index lookup and the read.
    assert_eq!(window(10, 10).count(sample(9, 5)), exact);
    assert_eq!(window(30, 10).count(sample(10, 5)), Count { count: 115, is_estimated: true });
    assert_eq!(window(13, 10).count(sample(10, 5)), Count { count: 107, is_estimated: true });
    assert_eq!(window(30, 10).count(sample(0, 0)), Count { count: 100, is_estimated: true });
}
