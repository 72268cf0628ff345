//! What each filter means, one line a case. Here: builders, `check`, and the rules of properties; the rest is in the parts.

mod adverts;
mod changes;
mod draft;
mod expressions;
mod order;
mod places;

use jiff::Timestamp;

use super::*;
use crate::advert::{AdvertDetails, EnergyLetter, Rating};
use crate::advert_event::AdvertEvent;
use crate::filter::Filter;
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::value::Amount;
use Given::{Codes, Flag, Moment, Number};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn moment(second: i64) -> Given {
    Moment(at(second))
}

fn property_id(number: u8) -> PropertyId {
    PropertyId::from_bytes([number; 16])
}

/// An advert of an apartment for sale with a believable price, and one change to it.
fn advert(change: impl FnOnce(&mut Advert)) -> Advert {
    let mut advert = Advert {
        id: AdvertId::from_bytes([0; 16]),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details: AdvertDetails {
            price: Amount::new(250_000.0),
            surface: Amount::new(50.0),
            ..AdvertDetails::default()
        },
        placement: None,
        created_at: at(100),
        updated_at: at(200),
        last_crawled_at: at(300),
        expired_at: None,
        events: vec![AdvertEvent::created(at(100))],
    };
    change(&mut advert);
    advert
}

/// A property of adverts, which get the ids 1, 2, 3: of two crawled at one time the first is the reference.
fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    let numbered = (1..).zip(adverts).map(|(number, advert)| {
        let id = AdvertId::from_bytes([number; 16]);
        Advert { id, ..advert }
    });
    Property { id: property_id(1), adverts: numbered.collect() }
}

/// A property of one advert.
fn only(change: impl FnOnce(&mut Advert)) -> Property {
    property([advert(change)])
}

fn finished(given: &[(&str, Given)]) -> Result<Finished, Vec<crate::Violation>> {
    let mut draft = CriteriaDraft::default();
    for (name, value) in given {
        draft.put(Filter::named(name).unwrap(), value.clone());
    }
    draft.finish()
}

#[track_caller]
fn criteria(given: &[(&str, Given)]) -> Criteria {
    finished(given).unwrap().criteria
}

#[track_caller]
fn check(it: &Property, given: &[(&str, Given)], expected: bool) {
    assert_eq!(criteria(given).accepts(it), expected, "{given:?}");
}

/// Leaves it open whether a price can be believed.
const ANY_PRICE: (&str, Given) = ("withCoherentPrice", Flag(false));

#[test]
fn bounds_are_included() {
    let it = only(|_| {});
    check(&it, &[("surfaceMin", Number(50.0))], true);
    check(&it, &[("surfaceMin", Number(50.000_001))], false);
    check(&it, &[("surfaceMax", Number(50.0))], true);
    check(&it, &[("surfaceMax", Number(49.999_999))], false);
    check(&it, &[("surfaceMin", Number(50.0)), ("surfaceMax", Number(50.0))], true);
    check(&it, &[("pricePerMeterMin", Number(5_000.0)), ("pricePerMeterMax", Number(5_000.0))], true);
    check(&it, &[("fromUpdatedAt", moment(200)), ("toUpdatedAt", moment(200))], true);
    check(&it, &[("fromUpdatedAt", moment(201))], false);
    check(&it, &[("toUpdatedAt", moment(199))], false);
}

#[test]
fn numbers_are_compared_exactly() {
    let it = only(|advert| advert.details.price = Amount::new(249_999.99));
    check(&it, &[("budgetMax", Number(249_999.99))], true);
    check(&it, &[("budgetMax", Number(249_999.989))], false);
    check(&it, &[("budgetMin", Number(249_999.991))], false);
    let zero = only(|advert| advert.details.land_surface = Amount::new(0.0));
    check(&zero, &[("landSurfaceMin", Number(-0.0)), ("landSurfaceMax", Number(0.0))], true);
}

#[test]
fn a_moment_within_a_second_belongs_to_that_second() {
    let it = only(|advert| advert.updated_at = Timestamp::from_millisecond(200_900).unwrap());
    check(&it, &[("toUpdatedAt", moment(200))], true);
    check(&it, &[("fromUpdatedAt", moment(201))], false);
}

#[test]
fn an_unknown_value_meets_no_bound() {
    let bare = only(|advert| {
        advert.details = AdvertDetails::default();
        advert.expired_at = Some(at(400));
    });
    for (name, given) in [
        ("budgetMin", Number(0.0)),
        ("budgetMax", Number(1e12)),
        ("pricePerMeterMax", Number(1e12)),
        ("surfaceMin", Number(0.0)),
        ("landSurfaceMax", Number(1e12)),
        ("roomMin", Number(-1e12)),
        ("bedroomMax", Number(1e12)),
        ("furnished", Flag(true)),
        ("furnished", Flag(false)),
        ("geoAccuracy", Codes(vec![1, 2])),
        ("fromCrawledAt", moment(0)),
        ("toCrawledAt", moment(1_000)),
        ("publisherTypes", Codes(vec![0, 1])),
        ("energyValueMin", Number(0.0)),
        ("energyCategories", Codes((0..7).collect())),
        ("constructionYearMax", Number(3_000.0)),
        ("advertPriceMin", Number(0.0)),
    ] {
        check(&bare, &[ANY_PRICE, (name, given)], false);
    }
    check(&bare, &[ANY_PRICE], true);
}

#[test]
fn the_values_of_a_property_are_those_of_its_reference_advert() {
    let it = property([
        advert(|advert| advert.details.price = Amount::new(200_000.0)),
        advert(|advert| {
            advert.details.price = Amount::new(300_000.0);
            advert.details.room = Some(3);
            advert.last_crawled_at = at(299);
        }),
    ]);
    check(&it, &[("budgetMin", Number(200_001.0))], false);
    check(&it, &[("budgetMax", Number(200_000.0))], true);
    check(&it, &[("roomMin", Number(3.0)), ("roomMax", Number(3.0))], true);
}

#[test]
fn a_choice_is_any_of_its_codes() {
    let it = only(|advert| advert.property_type = PropertyType::House);
    check(&it, &[("propertyTypes", Codes(vec![1]))], true);
    check(&it, &[("propertyTypes", Codes(vec![0, 1]))], true);
    check(&it, &[("propertyTypes", Codes(vec![0, 2]))], false);
    check(&it, &[("propertyTypes", Codes(vec![]))], false);
    check(&it, &[("transactionType", Codes(vec![0]))], true);
    check(&it, &[("transactionType", Codes(vec![1]))], false);
    let rated =
        only(|advert| advert.details.energy = Rating { category: Some(EnergyLetter::C), value: None });
    check(&rated, &[("energyCategories", Codes(vec![2]))], true);
    check(&rated, &[("energyCategories", Codes(vec![1, 3]))], false);
    check(&rated, &[("greenHouseGasCategories", Codes(vec![2]))], false);
}

#[test]
fn yes_and_no_are_two_questions_where_both_can_be_asked() {
    let furnished = only(|advert| advert.details.furnished = Some(true));
    check(&furnished, &[("furnished", Flag(true))], true);
    check(&furnished, &[("furnished", Flag(false))], false);
    let unfurnished = only(|advert| advert.details.furnished = Some(false));
    check(&unfurnished, &[("furnished", Flag(false))], true);
}

#[test]
fn no_asks_for_nothing_where_only_yes_can_be_asked() {
    let it = only(|_| {});
    check(&it, &[("withLocation", Flag(true))], false);
    check(&it, &[("withLocation", Flag(false))], true);
    check(&it, &[("withVirtualTour", Flag(true))], false);
    check(&it, &[("withVirtualTour", Flag(false))], true);
}

#[test]
fn a_believable_price_is_asked_for_unless_that_is_switched_off() {
    for price in [None, Some(0.0), Some(1.0)] {
        let it = only(|advert| advert.details.price = price.and_then(Amount::new));
        check(&it, &[], false);
        check(&it, &[("withCoherentPrice", Flag(true))], false);
        check(&it, &[("withCoherentPrice", Flag(false))], true);
    }
    check(&only(|_| {}), &[], true);
    check(&only(|_| {}), &[("withCoherentPrice", Flag(true))], true);
}

#[test]
fn a_property_is_expired_when_all_its_adverts_are() {
    let gone = |advert: &mut Advert| advert.expired_at = Some(at(400));
    let (live, half, dead) =
        (only(|_| {}), property([advert(gone), advert(|_| {})]), property([advert(gone), advert(gone)]));
    for (it, expired) in [(live, false), (half, false), (dead, true)] {
        check(&it, &[("expired", Flag(expired))], true);
        check(&it, &[("expired", Flag(!expired))], false);
        check(&it, &[("isExpired", Flag(expired))], true);
        check(&it, &[], true);
    }
}

#[test]
fn excluded_properties_are_left_out() {
    let it = only(|_| {});
    check(&it, &[("excludedProperties", Given::Properties(vec![property_id(2), it.id]))], false);
    check(&it, &[("excludedProperties", Given::Properties(vec![property_id(2)]))], true);
    check(&it, &[("excludedProperties", Given::Properties(vec![]))], true);
}

#[test]
fn every_filter_must_hold() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMin", Number(3.0)), ("budgetMax", Number(250_000.0))], true);
    check(&it, &[("roomMin", Number(4.0)), ("budgetMax", Number(250_000.0))], false);
    check(&it, &[("roomMin", Number(3.0)), ("budgetMax", Number(249_000.0))], false);
}

#[test]
fn a_property_without_adverts_is_never_what_is_looked_for() {
    assert!(!Criteria::default().accepts(&property([])));
    assert!(Criteria::default().accepts(&only(|advert| advert.details = AdvertDetails::default())));
}
