//! The semantics of each filter, one line per case. This file has the helpers and the conditions on properties.

mod adverts;
mod builder;
mod changes;
mod expressions;
mod order;
mod places;

use jiff::Timestamp;

use super::*;
use crate::advert_event::AdvertEvent;
use crate::advert_fields::{AdvertDetails, EnergyLetter, Rating};
use crate::filter::Filter;
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::special_sale::{LifeAnnuity, NewBuilding};
use crate::value::Amount;
use CriterionValue::{Codes, Flag, Number};

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn time(second: i64) -> CriterionValue {
    CriterionValue::Timestamp(at(second))
}

fn property_id(number: u8) -> PropertyId {
    PropertyId::from_bytes([number; 16])
}

/// Builds an advert of an apartment for sale with a plausible price, modified by `change`.
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
        timeline: crate::Timeline::default(),
        price_check: crate::PriceCheck::default(),
    };
    change(&mut advert);
    advert
}

/// Builds a property. Its adverts get the ids 1, 2, 3, so that the first is the reference if the crawl dates are equal.
fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    let numbered = (1..).zip(adverts).map(|(number, advert)| {
        let id = AdvertId::from_bytes([number; 16]);
        Advert { id, ..advert }
    });
    Property { id: property_id(1), adverts: numbered.collect() }
}

/// Builds a property with one advert.
fn only(change: impl FnOnce(&mut Advert)) -> Property {
    property([advert(change)])
}

fn built(given: &[(&str, CriterionValue)]) -> Result<BuiltCriteria, Vec<crate::Violation>> {
    let mut builder = CriteriaBuilder::default();
    for (name, value) in given {
        builder.put(Filter::named(name).unwrap(), value.clone());
    }
    builder.build()
}

#[track_caller]
fn criteria(given: &[(&str, CriterionValue)]) -> Criteria {
    built(given).unwrap().criteria
}

#[track_caller]
fn check(it: &Property, given: &[(&str, CriterionValue)], expected: bool) {
    assert_eq!(criteria(given).accepts(it), expected, "{given:?}");
}

/// Disables the condition on plausible prices.
const ANY_PRICE: (&str, CriterionValue) = ("withCoherentPrice", Flag(false));

#[test]
fn bounds_are_included() {
    let it = only(|_| {});
    check(&it, &[("surfaceMin", Number(50.0))], true);
    check(&it, &[("surfaceMin", Number(50.000_001))], false);
    check(&it, &[("surfaceMax", Number(50.0))], true);
    check(&it, &[("surfaceMax", Number(49.999_999))], false);
    check(&it, &[("surfaceMin", Number(50.0)), ("surfaceMax", Number(50.0))], true);
    check(&it, &[("pricePerMeterMin", Number(5_000.0)), ("pricePerMeterMax", Number(5_000.0))], true);
    check(&it, &[("fromUpdatedAt", time(200)), ("toUpdatedAt", time(200))], true);
    check(&it, &[("fromUpdatedAt", time(201))], false);
    check(&it, &[("toUpdatedAt", time(199))], false);
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
fn fractions_of_a_second_are_ignored() {
    let it = only(|advert| advert.updated_at = Timestamp::from_millisecond(200_900).unwrap());
    check(&it, &[("toUpdatedAt", time(200))], true);
    check(&it, &[("fromUpdatedAt", time(201))], false);
}

#[test]
fn unknown_value_satisfies_no_bound() {
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
        ("fromCrawledAt", time(0)),
        ("toCrawledAt", time(1_000)),
        ("publisherTypes", Codes(vec![0, 1])),
        ("energyValueMin", Number(0.0)),
        ("energyCategories", Codes((0..7).collect())),
        ("constructionYearMax", Number(3_000.0)),
        ("parkingCountMin", Number(0.0)),
        ("exclusiveMandate", Flag(false)),
        ("occupied", Flag(false)),
        ("advertPriceMin", Number(0.0)),
    ] {
        check(&bare, &[ANY_PRICE, (name, given)], false);
    }
    check(&bare, &[ANY_PRICE], true);
}

#[test]
fn values_are_those_of_the_reference_advert() {
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
fn choice_matches_any_of_its_codes() {
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
fn boolean_filter_matches_true_or_false() {
    let furnished = only(|advert| advert.details.furnished = Some(true));
    check(&furnished, &[("furnished", Flag(true))], true);
    check(&furnished, &[("furnished", Flag(false))], false);
    let unfurnished = only(|advert| advert.details.furnished = Some(false));
    check(&unfurnished, &[("furnished", Flag(false))], true);
}

#[test]
fn false_means_no_condition_for_required_flags() {
    let it = only(|_| {});
    check(&it, &[("withLocation", Flag(true))], false);
    check(&it, &[("withLocation", Flag(false))], true);
    check(&it, &[("withVirtualTour", Flag(true))], false);
    check(&it, &[("withVirtualTour", Flag(false))], true);
}

#[test]
fn plausible_price_is_required_by_default() {
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
fn price_on_request_is_found_on_its_own() {
    let none = only(|advert| advert.details.price = None);
    let some = only(|_| {});
    check(&none, &[("priceOnRequest", Flag(true))], true);
    check(&some, &[("priceOnRequest", Flag(true))], false);
    check(&none, &[("priceOnRequest", Flag(false)), ANY_PRICE], false);
    check(&some, &[("priceOnRequest", Flag(false))], true);
    // It is not coherent, so it is not found by default, nor if a coherent price is required.
    check(&none, &[], false);
    check(&none, &[("priceOnRequest", Flag(true)), ("withCoherentPrice", Flag(true))], false);
    check(&none, &[("priceOnRequest", Flag(true)), ANY_PRICE], true);
    // A placeholder is a price, though no coherent one.
    let placeholder = only(|advert| advert.details.price = Amount::new(1.0));
    check(&placeholder, &[("priceOnRequest", Flag(true))], false);
    check(&placeholder, &[("priceOnRequest", Flag(false)), ANY_PRICE], true);
    // A programme without a price has that of its smallest lot.
    let programme = only(|advert| {
        let price_min = Amount::new(215_000.0);
        advert.details.price = None;
        advert.details.new_building = NewBuilding { price_min, ..NewBuilding::default() };
    });
    check(&programme, &[("priceOnRequest", Flag(true))], false);
}

#[test]
fn life_annuity_is_found_without_a_plausible_price() {
    let given = |price: Option<f64>| {
        only(|advert| {
            advert.details.price = price.and_then(Amount::new);
            advert.details.life_annuity = LifeAnnuity { bouquet: None, rent: Amount::new(700.0) };
        })
    };
    for it in [given(None), given(Some(1.0)), given(Some(250_000.0))] {
        assert!(crate::price::is_coherent(&it.adverts[0]));
        check(&it, &[], true);
        check(&it, &[("lifeAnnuity", Flag(true))], true);
        check(&it, &[("lifeAnnuity", Flag(false))], false);
        check(&it, &[("pricePerMeterMax", Number(1e12))], false);
    }
    // A rent is not a price.
    check(&given(None), &[("budgetMax", Number(1e12))], false);
    // An advert that does not say so is none.
    check(&only(|_| {}), &[("lifeAnnuity", Flag(false))], true);
    check(&only(|_| {}), &[("lifeAnnuity", Flag(true))], false);
}

#[test]
fn programme_is_found_by_its_lowest_price() {
    let it = only(|advert| {
        advert.details = AdvertDetails {
            new_building: NewBuilding {
                price_min: Amount::new(215_000.0),
                price_max: Amount::new(480_000.0),
                surface_min: Amount::new(43.0),
                room_min: Some(2),
                ..NewBuilding::default()
            },
            ..AdvertDetails::default()
        };
    });
    assert!(crate::price::is_coherent(&it.adverts[0]));
    check(&it, &[("newBuilding", Flag(true)), ("budgetMin", Number(215_000.0))], true);
    check(&it, &[("budgetMax", Number(215_000.0)), ("roomMax", Number(2.0))], true);
    check(&it, &[("surfaceMin", Number(43.0)), ("surfaceMax", Number(43.0))], true);
    check(&it, &[("budgetMin", Number(215_001.0))], false);
    check(&it, &[("newBuilding", Flag(false))], false);
    // The advert itself has no price.
    check(&it, &[("advertPriceMin", Number(0.0))], false);
    check(&only(|_| {}), &[("newBuilding", Flag(false))], true);
    check(&only(|_| {}), &[("newBuilding", Flag(true))], false);
}

#[test]
fn property_is_expired_if_all_adverts_are() {
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
fn excluded_properties_are_rejected() {
    let it = only(|_| {});
    check(&it, &[("excludedProperties", CriterionValue::Properties(vec![property_id(2), it.id]))], false);
    check(&it, &[("excludedProperties", CriterionValue::Properties(vec![property_id(2)]))], true);
    check(&it, &[("excludedProperties", CriterionValue::Properties(vec![]))], true);
}

#[test]
fn every_filter_must_hold() {
    let it = only(|advert| advert.details.room = Some(3));
    check(&it, &[("roomMin", Number(3.0)), ("budgetMax", Number(250_000.0))], true);
    check(&it, &[("roomMin", Number(4.0)), ("budgetMax", Number(250_000.0))], false);
    check(&it, &[("roomMin", Number(3.0)), ("budgetMax", Number(249_000.0))], false);
}

#[test]
fn property_without_adverts_is_rejected() {
    assert!(!Criteria::default().accepts(&property([])));
    assert!(Criteria::default().accepts(&only(|advert| advert.details = AdvertDetails::default())));
}
