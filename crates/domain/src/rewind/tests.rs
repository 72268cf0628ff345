//! One history a rule, of an advert first seen at second 1,000.

use super::*;
use crate::advert::AdvertDetails;
use crate::criteria::CriteriaDraft;
use crate::draft::{AdvertDraft, AdvertPatch, Given, Identity, Lifecycle};
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
    draft(AdvertPatch { price: Given::Value(Amount::new(euros)), ..AdvertPatch::default() })
}

fn surface(square_metres: f64) -> AdvertDraft {
    draft(AdvertPatch { surface: Given::Value(Amount::new(square_metres)), ..AdvertPatch::default() })
}

fn expiry() -> AdvertDraft {
    AdvertDraft { lifecycle: Lifecycle::Expired { at: None }, ..draft(AdvertPatch::default()) }
}

/// The advert after each of its drafts, the first of them received at second 1,000 and each of the others 1,000 later.
fn versions(drafts: impl IntoIterator<Item = AdvertDraft>) -> Vec<Advert> {
    let mut versions: Vec<Advert> = Vec::new();
    for (draft, second) in drafts.into_iter().zip((1_000..).step_by(1_000)) {
        let merged = match versions.last() {
            None => merge::create(id(1), draft, None, at(second)),
            Some(known) => merge::update(known, draft, None, at(second)),
        };
        versions.push(merged.advert);
    }
    versions
}

fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: PropertyId::from_bytes([9; 16]), adverts: adverts.into_iter().collect() }
}

/// The one advert as it was, without the dates of its sightings, which are not put back.
fn only(property: Option<Property>) -> Option<Advert> {
    let mut adverts = property?.adverts;
    assert_eq!(adverts.len(), 1);
    adverts.pop().map(|advert| Advert { updated_at: at(0), last_crawled_at: at(0), ..advert })
}

/// Rewound to each of its moments, the last version of an advert is what it was then.
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
fn prices_go_back_whichever_way_they_went() {
    check([200_000.0, 210_000.0, 190_000.0, 195_000.5, 150_000.0].map(price));
}

#[test]
fn surfaces_go_back_as_well() {
    check([surface(50.0), price(100_000.0), surface(62.3), surface(50.0), price(90_000.0)]);
}

#[test]
fn a_price_that_became_known_or_unknown_was_not_or_was() {
    let silent = || draft(AdvertPatch { price: Given::Value(None), ..AdvertPatch::default() });
    check([silent(), price(100_000.0), silent(), price(90_000.0)]);
}

#[test]
fn an_expiry_and_a_return_are_undone() {
    check([price(100_000.0), expiry(), price(100_000.0), price(90_000.0), expiry()]);
}

#[test]
fn a_history_filled_in_later_counts_from_its_own_dates() {
    let told =
        AdvertEvent::amount(at(500), AdvertField::Price, Amount::new(120_000.0), Amount::new(100_000.0));
    let newest = property(versions([AdvertDraft {
        created_at: Some(at(400)),
        history: vec![told],
        ..price(100_000.0)
    }]));
    let price = |second: i64| only(as_of(&newest, at(second))).map(|advert| advert.details.price);
    assert_eq!(price(399), None);
    assert_eq!(price(400), Some(Amount::new(120_000.0)));
    assert_eq!(price(500), Some(Amount::new(100_000.0)));
}

#[test]
fn what_tells_nothing_changes_nothing() {
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
fn a_date_of_expiry_without_its_event_is_believed() {
    let mut advert = versions([price(1.0)]).remove(0);
    advert.expired_at = Some(at(3_000));
    let expired_at = |second: i64| only(as_of(&property([advert.clone()]), at(second))).unwrap().expired_at;
    assert_eq!(expired_at(2_999), None);
    assert_eq!(expired_at(3_000), Some(at(3_000)));
    // A return without the expiry before it.
    advert.expired_at = None;
    advert.events.push(AdvertEvent::expiry(at(5_000), false));
    let before = only(as_of(&property([advert]), at(4_000))).unwrap();
    assert_eq!(before.expired_at, Some(at(1_000)));
}

#[test]
fn an_advert_that_joined_later_was_not_there() {
    let first = versions([price(100_000.0)]).remove(0);
    let second = Advert { id: id(2), created_at: at(2_000), ..first.clone() };
    let both = property([second, first.clone()]);
    assert_eq!(as_of(&both, at(1_999)), Some(property([first])));
    assert_eq!(as_of(&both, at(2_000)), Some(both));
}

#[track_caller]
fn came(newest: &Advert, since: i64, expected: bool) {
    let mut draft = CriteriaDraft::default();
    draft.put(Filter::named("budgetMax").unwrap(), crate::criteria::Given::Number(200_000.0));
    let criteria = draft.finish().unwrap().criteria;
    assert_eq!(came_to_meet(&criteria, &property([newest.clone()]), at(since)), expected, "since {since}");
}

#[test]
fn what_is_new_or_changed_or_back_came_and_what_was_there_did_not() {
    let new = versions([price(190_000.0)]).remove(0);
    came(&new, 999, true);
    came(&new, 1_000, false);
    let cheaper = versions([price(210_000.0), price(190_000.0)]).remove(1);
    came(&cheaper, 999, true);
    came(&cheaper, 1_999, true);
    came(&cheaper, 2_000, false);
    let still_met = versions([price(195_000.0), price(190_000.0)]).remove(1);
    came(&still_met, 1_500, false);
    let dearer = versions([price(190_000.0), price(210_000.0)]).remove(1);
    came(&dearer, 999, false);
    let back = versions([price(190_000.0), expiry(), price(190_000.0)]).remove(2);
    came(&back, 1_500, true);
    came(&back, 2_500, true);
    came(&back, 3_000, false);
    let dear_for_a_while = versions([190_000.0, 210_000.0, 200_000.0].map(price)).remove(2);
    came(&dear_for_a_while, 1_000, true);
    came(&dear_for_a_while, 3_000, false);
}

#[test]
fn what_has_expired_since_came_and_what_had_expired_did_not() {
    let gone = versions([price(190_000.0), expiry()]).remove(1);
    came(&gone, 999, true);
    came(&gone, 1_500, false);
    // Changed while it was expired: nobody could have bought it.
    let details = AdvertDetails { price: Amount::new(180_000.0), ..gone.details.clone() };
    let changed = AdvertEvent::amount(at(3_000), AdvertField::Price, Amount::new(210_000.0), details.price);
    let mut changed_since = Advert { details, ..gone };
    changed_since.events.push(changed);
    came(&changed_since, 2_500, false);
}
