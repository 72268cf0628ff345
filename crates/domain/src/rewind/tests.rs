//! One history per rule, of an advert created at second 1,000.

use super::*;
use crate::advert_fields::{AdvertDetails, AdvertPatch, FieldUpdate};
use crate::criteria::{CriteriaBuilder, CriterionValue};
use crate::draft::{AdvertDraft, Identity, Lifecycle};
use crate::filter::Filter;
use crate::ids::{AdvertId, PropertyId};
use crate::merge;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn id(number: u8) -> AdvertId {
    AdvertId::from_bytes([number; 16])
}

fn draft(patch: AdvertPatch) -> AdvertDraft {
    AdvertDraft::seen(Identity::Uuid(id(1)), patch)
}

fn price(euros: f64) -> AdvertDraft {
    draft(AdvertPatch { price: FieldUpdate::Set(Amount::new(euros)), ..AdvertPatch::default() })
}

fn surface(square_metres: f64) -> AdvertDraft {
    draft(AdvertPatch { surface: FieldUpdate::Set(Amount::new(square_metres)), ..AdvertPatch::default() })
}

fn expiry() -> AdvertDraft {
    AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..draft(AdvertPatch::default()) }
}

/// Returns the advert after each draft. The first is received at second 1,000, each of the others 1,000 seconds later.
fn versions(drafts: impl IntoIterator<Item = AdvertDraft>) -> Vec<Advert> {
    let mut versions: Vec<Advert> = Vec::new();
    for (draft, second) in drafts.into_iter().zip((1_000..).step_by(1_000)) {
        let merged = match versions.last() {
            None => merge::create(id(1), draft, None, at(second)),
            Some(current) => merge::update(current, draft, None, at(second)),
        };
        versions.push(merged.advert);
    }
    versions
}

fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: PropertyId::from_bytes([9; 16]), adverts: adverts.into_iter().collect() }
}

/// Returns the only advert without its crawls and their dates, which are not restored.
fn only(property: Option<Property>) -> Option<Advert> {
    let mut adverts = property?.adverts;
    assert_eq!(adverts.len(), 1);
    let without_crawls =
        |advert: Advert| Advert { updated_at: at(0), last_crawled_at: at(0), ..advert.without_timeline() };
    adverts.pop().map(without_crawls)
}

/// Checks that rewinding the last version to the time of each draft yields the version of that time.
#[track_caller]
fn check(drafts: impl IntoIterator<Item = AdvertDraft>) {
    let versions = versions(drafts);
    let newest = property(versions.last().cloned());
    assert_eq!(as_of(&newest, at(999)), None);
    for (version, second) in versions.into_iter().zip((1_000..).step_by(1_000)) {
        let expected = only(Some(property([version])));
        assert_eq!(only(as_of(&newest, at(second))), expected, "at {second}");
        assert_eq!(only(as_of(&newest, at(second + 999))), expected, "just before {}", second + 1_000);
    }
}

#[test]
fn prices_are_restored() {
    check([200_000.0, 210_000.0, 190_000.0, 195_000.5, 150_000.0].map(price));
}

#[test]
fn surfaces_are_restored() {
    check([surface(50.0), price(100_000.0), surface(62.3), surface(50.0), price(90_000.0)]);
}

#[test]
fn prices_set_and_cleared_are_restored() {
    let cleared = || draft(AdvertPatch { price: FieldUpdate::Set(None), ..AdvertPatch::default() });
    check([cleared(), price(100_000.0), cleared(), price(90_000.0)]);
}

#[test]
fn expiry_and_return_are_undone() {
    check([price(100_000.0), expiry(), price(100_000.0), price(90_000.0), expiry()]);
}

#[test]
fn back_filled_history_counts_from_its_own_dates() {
    let event =
        AdvertEvent::amount(at(500), AdvertField::Price, Amount::new(120_000.0), Amount::new(100_000.0));
    let newest = property(versions([AdvertDraft {
        created_at: Some(at(400)),
        history: vec![event],
        ..price(100_000.0)
    }]));
    let price = |second: i64| only(as_of(&newest, at(second))).map(|advert| advert.details.price);
    assert_eq!(price(399), None);
    assert_eq!(price(400), Some(Amount::new(120_000.0)));
    assert_eq!(price(500), Some(Amount::new(100_000.0)));
}

#[test]
fn event_without_readable_values_is_ignored() {
    let event = |old: Option<&str>, new: Option<&str>| AdvertEvent {
        old_value: old.map(Into::into),
        new_value: new.map(Into::into),
        ..AdvertEvent::field(at(2_000), AdvertField::Price)
    };
    for (old, new, expected) in [
        (None, None, Some(1.0)),
        (Some("on request"), Some("1"), Some(1.0)),
        (Some("-5"), None, Some(1.0)),
        (Some(" 2.5 "), None, Some(2.5)),
        (None, Some("1"), None),
    ] {
        let mut advert = versions([price(1.0)]).remove(0);
        advert.events.push(event(old, new));
        let before = only(as_of(&property([advert]), at(1_500))).unwrap();
        assert_eq!(before.details.price, expected.and_then(Amount::new), "{old:?} {new:?}");
        assert_eq!(before.events.len(), 1);
    }
}

#[test]
fn expiry_date_without_event_is_trusted() {
    let mut advert = versions([price(1.0)]).remove(0);
    advert.expired_at = Some(at(3_000));
    let expired_at = |second: i64| only(as_of(&property([advert.clone()]), at(second))).unwrap().expired_at;
    assert_eq!(expired_at(2_999), None);
    assert_eq!(expired_at(3_000), Some(at(3_000)));
    // A return without an earlier expiry.
    advert.expired_at = None;
    advert.events.push(AdvertEvent::expiry(at(5_000), false));
    let before = only(as_of(&property([advert]), at(4_000))).unwrap();
    assert_eq!(before.expired_at, Some(at(1_000)));
}

#[test]
fn later_advert_is_dropped() {
    let first = versions([price(100_000.0)]).remove(0).without_timeline();
    let second = Advert { id: id(2), created_at: at(2_000), ..first.clone() };
    let both = property([second, first.clone()]);
    assert_eq!(as_of(&both, at(1_999)), Some(property([first])));
    assert_eq!(as_of(&both, at(2_000)), Some(both));
}

#[track_caller]
fn check_newly_matched(newest: &Advert, since: i64, expected: bool) {
    let mut builder = CriteriaBuilder::default();
    builder.put(Filter::named("budgetMax").unwrap(), CriterionValue::Number(200_000.0));
    let criteria = builder.build().unwrap().criteria;
    assert_eq!(
        newly_matched_since(&criteria, &property([newest.clone()]), at(since)),
        expected,
        "since {since}"
    );
}

#[test]
fn new_changed_and_returned_properties_are_newly_matched() {
    let new = versions([price(190_000.0)]).remove(0);
    check_newly_matched(&new, 999, true);
    check_newly_matched(&new, 1_000, false);
    let cheaper = versions([price(210_000.0), price(190_000.0)]).remove(1);
    check_newly_matched(&cheaper, 999, true);
    check_newly_matched(&cheaper, 1_999, true);
    check_newly_matched(&cheaper, 2_000, false);
    let still_matching = versions([price(195_000.0), price(190_000.0)]).remove(1);
    check_newly_matched(&still_matching, 1_500, false);
    let more_expensive = versions([price(190_000.0), price(210_000.0)]).remove(1);
    check_newly_matched(&more_expensive, 999, false);
    let back = versions([price(190_000.0), expiry(), price(190_000.0)]).remove(2);
    check_newly_matched(&back, 1_500, true);
    check_newly_matched(&back, 2_500, true);
    check_newly_matched(&back, 3_000, false);
    let expensive_for_a_while = versions([190_000.0, 210_000.0, 200_000.0].map(price)).remove(2);
    check_newly_matched(&expensive_for_a_while, 1_000, true);
    check_newly_matched(&expensive_for_a_while, 3_000, false);
}

#[test]
fn property_that_expired_meanwhile_is_newly_matched() {
    let gone = versions([price(190_000.0), expiry()]).remove(1);
    check_newly_matched(&gone, 999, true);
    check_newly_matched(&gone, 1_500, false);
    // Changed while it was expired, hence never available after `since`.
    let details = AdvertDetails { price: Amount::new(180_000.0), ..gone.details.clone() };
    let changed = AdvertEvent::amount(at(3_000), AdvertField::Price, Amount::new(210_000.0), details.price);
    let mut changed_since = Advert { details, ..gone };
    changed_since.events.push(changed);
    check_newly_matched(&changed_since, 2_500, false);
}

#[test]
fn adverts_of_a_property_that_expired_meanwhile_are_considered() {
    let newest = versions([price(250_000.0), price(190_000.0), expiry()]).remove(2);
    let mut builder = CriteriaBuilder::default();
    builder.put(Filter::named("eventPriceVariationMax").unwrap(), CriterionValue::Number(-10.0));
    let dropped = builder.build().unwrap().criteria;
    let on_offer = Criteria { advert_scope: AdvertScope::Live, ..dropped };
    let gone = property([newest]);
    assert!(!on_offer.accepts(&gone));
    for (since, expected) in [(999, true), (1_500, true), (2_500, false), (3_500, false)] {
        assert_eq!(newly_matched_since(&on_offer, &gone, at(since)), expected, "since {since}");
    }
}
