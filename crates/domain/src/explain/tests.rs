//! Explanations, one criterion at a time. The differential test in `engine/tests` compares them with `Criteria::accepts`.

use super::*;
use crate::advert::Advert;
use crate::advert_event::AdvertEvent;
use crate::advert_fields::{AdvertDetails, AdvertField};
use crate::criteria::{CriteriaBuilder, CriterionValue, Entry, Presence, TextPart};
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::phrase::{Phrase, Strictness};
use crate::place::{Insee, Placement, Zipcode};
use crate::site::SiteKey;
use crate::value::{Amount, LongText, ShortText};
use jiff::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn id(number: u8) -> AdvertId {
    AdvertId::from_bytes([number; 16])
}

/// Builds an advert of an apartment for sale in Tours with a plausible price, modified by `change`.
fn advert(number: u8, change: impl FnOnce(&mut Advert)) -> Advert {
    let mut advert = Advert {
        id: id(number),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details: AdvertDetails {
            price: Amount::new(250_000.0),
            surface: Amount::new(50.0),
            site: SiteKey::parse("portail.example"),
            ..AdvertDetails::default()
        },
        placement: Some(Placement {
            insee: Insee::parse("37261").unwrap(),
            department: Some(37),
            zipcode: Zipcode::parse("37000"),
            centre: GeoPoint::new(47.4, 0.7),
        }),
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

fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: PropertyId::from_bytes([1; 16]), adverts: adverts.into_iter().collect() }
}

fn criteria(given: &[(&str, CriterionValue)]) -> Criteria {
    let mut builder = CriteriaBuilder::default();
    builder.put(Filter::named("withCoherentPrice").unwrap(), CriterionValue::Flag(false));
    for (name, value) in given {
        builder.put(Filter::named(name).unwrap(), value.clone());
    }
    builder.build().unwrap().criteria
}

fn names(filters: Vec<&'static Filter>) -> String {
    filters.iter().map(|filter| filter.name).collect::<Vec<_>>().join(" ")
}

/// Compares the filter names and the result of every check of the property as a whole.
#[track_caller]
fn check(it: &Property, given: &[(&str, CriterionValue)], expected: &[(&str, bool)]) {
    let criteria = criteria(given);
    let explanation = explain(&criteria, it).unwrap();
    let checks: Vec<(String, bool)> =
        explanation.property.iter().map(|check| (names(check.filters()), check.passed())).collect();
    let expected: Vec<(String, bool)> =
        expected.iter().map(|(name, passed)| ((*name).to_owned(), *passed)).collect();
    assert_eq!(checks, expected);
    assert_eq!(explanation.passed(), criteria.accepts(it));
}

#[test]
fn every_criterion_has_a_check_with_its_filter_names() {
    let it = property([advert(1, |_| {})]);
    check(&it, &[], &[]);
    let number = CriterionValue::Number;
    check(&it, &[("budgetMax", number(249_999.0))], &[("budgetMax", false)]);
    check(
        &it,
        &[("budgetMin", number(1.0)), ("budgetMax", number(300_000.0)), ("roomMin", number(1.0))],
        &[("budgetMin budgetMax", true), ("roomMin", false)],
    );
    // A maximum of zero means no bound, so it yields no check.
    check(&it, &[("budgetMin", number(1.0)), ("budgetMax", number(0.0))], &[("budgetMin", true)]);
    check(&it, &[("fromDate", CriterionValue::Timestamp(at(100)))], &[("fromDate", true)]);
    check(&it, &[("propertyTypes", CriterionValue::Codes(vec![1, 2]))], &[("propertyTypes", false)]);
    let own = CriterionValue::Properties(vec![it.id]);
    check(&it, &[("excludedProperties", own)], &[("excludedProperties", false)]);
}

#[test]
fn property_without_adverts_has_no_explanation() {
    assert_eq!(explain(&Criteria::default(), &property([])), None);
}

#[test]
fn place_check_reports_the_shared_places() {
    let it = property([advert(1, |_| {})]);
    let elsewhere = ("includedCities", CriterionValue::Places(vec![41_018]));
    let department = ("includedDepartments", CriterionValue::Places(vec![37]));
    let both = "includedCities includedDepartments includedInseeCodes";
    check(&it, &[elsewhere.clone(), department.clone()], &[(both, true)]);
    check(&it, std::slice::from_ref(&elsewhere), &[("includedCities includedInseeCodes", false)]);
    let zipcodes = CriterionValue::Zipcodes(vec![Zipcode::parse("37000").unwrap()]);
    check(&it, &[("excludedZipcodes", zipcodes)], &[("excludedZipcodes", false)]);

    let criteria = criteria(&[elsewhere, department]);
    let explanation = explain(&criteria, &it).unwrap();
    let PropertyCheck::Places(check) = &explanation.property[0] else { panic!("{explanation:?}") };
    assert_eq!(check.found.city, Some(Key::place(37_261)));
    let shared = PlaceKeys { department: Some(Key::place(37)), ..PlaceKeys::default() };
    assert_eq!(check.shared, shared);
}

#[test]
fn circle_reports_the_distance_and_polygons_the_index() {
    let it = property([advert(1, |advert| advert.details.place.point = GeoPoint::new(47.4, 0.7))]);
    let circle = |radius: f64| {
        [
            ("lat", CriterionValue::Number(47.4)),
            ("lon", CriterionValue::Number(0.8)),
            ("radius", CriterionValue::Number(radius)),
        ]
    };
    check(&it, &circle(10.0), &[("lat lon radius", true)]);
    check(&it, &circle(5.0), &[("lat lon radius", false)]);
    let near = criteria(&circle(5.0));
    let explanation = explain(&near, &it).unwrap();
    let PropertyCheck::Circle { distance_km: Some(distance_km), .. } = explanation.property[0] else {
        panic!("{explanation:?}")
    };
    assert!((distance_km - 7.53).abs() < 0.01, "{distance_km}");
    let at_the_centre = property([advert(1, |_| {})]);
    check(&at_the_centre, &circle(10.0), &[("lat lon radius", false)]);
    let explanation = explain(&near, &at_the_centre).unwrap();
    assert!(
        matches!(explanation.property[0], PropertyCheck::Circle { distance_km: None, .. }),
        "{explanation:?}"
    );

    let square = |lat: f64| {
        let corner = |up: f64, right: f64| GeoPoint::new(lat + up, right).unwrap();
        Polygon::new(vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)]).unwrap()
    };
    let shapes = criteria(&[("geoShapes", CriterionValue::Polygons(vec![square(40.0), square(47.0)]))]);
    let explanation = explain(&shapes, &it).unwrap();
    let PropertyCheck::Polygons { inside, .. } = &explanation.property[0] else { panic!("{explanation:?}") };
    assert_eq!(*inside, Some(1));
}

#[test]
fn adverts_are_checked_one_by_one_and_the_closest_comes_first() {
    let year = |year: i32| move |advert: &mut Advert| advert.details.construction_year = Some(year);
    let it = property([
        advert(1, |advert| {
            advert.details.construction_year = Some(1950);
            advert.details.site = SiteKey::parse("agence.example");
        }),
        advert(2, year(1950)),
        advert(3, year(1990)),
    ]);
    let given = [
        ("includedSites", CriterionValue::Sites(vec![SiteKey::parse("agence.example").unwrap()])),
        ("constructionYearMin", CriterionValue::Number(1980.0)),
    ];
    let criteria = criteria(&given);
    let explanation = explain(&criteria, &it).unwrap();
    let adverts = explanation.adverts.as_ref().unwrap();
    // The first and the third pass one check each, and no advert passes both.
    assert_eq!(adverts.iter().map(|it| it.advert).collect::<Vec<_>>(), [id(1), id(3), id(2)]);
    let results = |explanation: &AdvertExplanation<'_>| -> Vec<(String, bool)> {
        explanation.checks.iter().map(|check| (names(check.filters()), check.passed())).collect()
    };
    let sites = "includedSites includedSiteCategories".to_owned();
    assert_eq!(results(&adverts[0]), [(sites.clone(), true), ("constructionYearMin".to_owned(), false)]);
    assert_eq!(results(&adverts[1]), [(sites, false), ("constructionYearMin".to_owned(), true)]);
    assert!(!explanation.passed() && !criteria.accepts(&it));
}

#[test]
fn closest_change_is_reported() {
    let change = |second: i64, new: f64| {
        AdvertEvent::amount(at(second), AdvertField::Price, Amount::new(100.0), Amount::new(new))
    };
    let it = property([advert(1, |advert| {
        advert.events.extend([change(200, 95.0), change(300, 99.0), change(400, 98.0)]);
    })]);
    let least = |percent: f64, from: i64| {
        criteria(&[
            ("eventPriceVariationMax", CriterionValue::Number(percent)),
            ("eventPriceVariationFromCreatedAt", CriterionValue::Timestamp(at(from))),
        ])
    };
    let nearest = |criteria: &Criteria| {
        let explanation = explain(criteria, &it).unwrap();
        let changes = &explanation.changes[0];
        assert_eq!((changes.count, explanation.passed()), (3, criteria.accepts(&it)));
        (changes.nearest.as_ref().unwrap().event.at.as_second(), changes.passed())
    };
    assert_eq!(nearest(&least(-1.0, 250)), (400, true));
    assert_eq!(nearest(&least(-5.0, 250)), (400, false));
    assert_eq!(nearest(&least(-5.0, 100)), (200, true));
    let criteria = criteria(&[("eventSurfaceVariationMin", CriterionValue::Number(1.0))]);
    let explanation = explain(&criteria, &it).unwrap();
    let [changes] = explanation.changes.as_slice() else { panic!("{explanation:?}") };
    assert_eq!((changes.count, &changes.nearest, changes.passed()), (0, &None, false));
    assert_eq!(names(changes.filters(&changes.wanted[0])), "eventSurfaceVariationMin");
}

#[test]
fn entry_reports_the_first_text_that_contains_it() {
    let it = property([
        advert(1, |advert| advert.details.title = ShortText::new("Appartement lumineux").unwrap()),
        advert(2, |advert| {
            advert.details.title = ShortText::new("T3 avec balcon").unwrap();
            advert.details.description = LongText::new("Un grand balcon, vis-à-vis").unwrap();
        }),
    ]);
    let entry = |text: &str, presence: Presence| Entry {
        phrase: Phrase::new(text, Strictness::Inflected).unwrap(),
        presence,
    };
    let groups = vec![
        vec![entry("balcon", Presence::Present), entry("vis-à-vis", Presence::Absent)],
        vec![entry("lumineuse", Presence::Present), entry("cave", Presence::Absent)],
    ];
    let criteria = criteria(&[("expressions", CriterionValue::Expressions(groups))]);
    let explanation = explain(&criteria, &it).unwrap();
    let groups = explanation.expressions.as_ref().unwrap();
    assert_eq!(groups.iter().map(GroupExplanation::passed).collect::<Vec<_>>(), [false, true]);
    let found = |group: usize, entry: usize| groups[group].entries[entry].found;
    assert_eq!(found(0, 0), Some(TextLocation { advert: id(2), part: TextPart::Title }));
    assert_eq!(found(0, 1), Some(TextLocation { advert: id(2), part: TextPart::Description }));
    assert_eq!(found(1, 0), Some(TextLocation { advert: id(1), part: TextPart::Title }));
    assert_eq!(found(1, 1), None);
    assert!(explanation.passed() && explanation.is_available);
    assert_eq!(names(expression_filters()), "expressions");
}

#[test]
fn expired_property_is_not_available() {
    let it = property([advert(1, |advert| advert.expired_at = Some(at(400)))]);
    let criteria = Criteria::default();
    let explanation = explain(&criteria, &it).unwrap();
    assert!(explanation.passed() && !explanation.is_available);
}
