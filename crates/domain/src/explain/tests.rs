//! What an explanation says, one criterion at a time. That it agrees with the meaning of criteria is the law of `engine/tests`.

use super::*;
use crate::advert::{Advert, AdvertDetails, AdvertField};
use crate::advert_event::AdvertEvent;
use crate::criteria::{CriteriaDraft, Entry, Given, Presence, TextPart};
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::place::{Insee, Placement, Zipcode};
use crate::site::SiteKey;
use crate::value::{Amount, LongText, ShortText};
use crate::words::{Phrase, Strictness};
use jiff::Timestamp;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn id(number: u8) -> AdvertId {
    AdvertId::from_bytes([number; 16])
}

/// An advert of an apartment for sale in Tours with a believable price, and one change to it.
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
    };
    change(&mut advert);
    advert
}

fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: PropertyId::from_bytes([1; 16]), adverts: adverts.into_iter().collect() }
}

fn criteria(given: &[(&str, Given)]) -> Criteria {
    let mut draft = CriteriaDraft::default();
    draft.put(Filter::named("withCoherentPrice").unwrap(), Given::Flag(false));
    for (name, value) in given {
        draft.put(Filter::named(name).unwrap(), value.clone());
    }
    draft.finish().unwrap().criteria
}

fn names(filters: Vec<&'static Filter>) -> String {
    filters.iter().map(|filter| filter.name).collect::<Vec<_>>().join(" ")
}

/// The names and the outcome of every line on the property as a whole.
#[track_caller]
fn check(it: &Property, given: &[(&str, Given)], expected: &[(&str, bool)]) {
    let criteria = criteria(given);
    let explanation = explain(&criteria, it).unwrap();
    let lines: Vec<(String, bool)> =
        explanation.property.iter().map(|line| (names(line.filters()), line.held())).collect();
    let expected: Vec<(String, bool)> =
        expected.iter().map(|(name, held)| ((*name).to_owned(), *held)).collect();
    assert_eq!(lines, expected);
    assert_eq!(explanation.held(), criteria.accepts(it));
}

#[test]
fn every_criterion_has_a_line_under_the_names_it_was_given() {
    let it = property([advert(1, |_| {})]);
    check(&it, &[], &[]);
    let number = Given::Number;
    check(&it, &[("budgetMax", number(249_999.0))], &[("budgetMax", false)]);
    check(
        &it,
        &[("budgetMin", number(1.0)), ("budgetMax", number(300_000.0)), ("roomMin", number(1.0))],
        &[("budgetMin budgetMax", true), ("roomMin", false)],
    );
    // Zero for "no bound" is no criterion.
    check(&it, &[("budgetMin", number(1.0)), ("budgetMax", number(0.0))], &[("budgetMin", true)]);
    check(&it, &[("fromDate", Given::Moment(at(100)))], &[("fromDate", true)]);
    check(&it, &[("propertyTypes", Given::Codes(vec![1, 2]))], &[("propertyTypes", false)]);
    let own = Given::Properties(vec![it.id]);
    check(&it, &[("excludedProperties", own)], &[("excludedProperties", false)]);
}

#[test]
fn a_property_without_adverts_is_none() {
    assert_eq!(explain(&Criteria::default(), &property([])), None);
}

#[test]
fn places_say_which_of_them_it_is_in() {
    let it = property([advert(1, |_| {})]);
    let elsewhere = ("includedCities", Given::Places(vec![41_018]));
    let department = ("includedDepartments", Given::Places(vec![37]));
    let both = "includedCities includedDepartments includedInseeCodes";
    check(&it, &[elsewhere.clone(), department.clone()], &[(both, true)]);
    check(&it, std::slice::from_ref(&elsewhere), &[("includedCities includedInseeCodes", false)]);
    let zipcodes = Given::Zipcodes(vec![Zipcode::parse("37000").unwrap()]);
    check(&it, &[("excludedZipcodes", zipcodes)], &[("excludedZipcodes", false)]);

    let criteria = criteria(&[elsewhere, department]);
    let explanation = explain(&criteria, &it).unwrap();
    let PropertyLine::Places(line) = &explanation.property[0] else { panic!("{explanation:?}") };
    assert_eq!(line.found.city, Some(Key::place(37_261)));
    let shared = Whereabouts { department: Some(Key::place(37)), ..Whereabouts::default() };
    assert_eq!(line.shared, shared);
}

#[test]
fn circles_say_how_far_and_polygons_which() {
    let it = property([advert(1, |_| {})]);
    let circle = |radius: f64| {
        [("lat", Given::Number(47.4)), ("lon", Given::Number(0.8)), ("radius", Given::Number(radius))]
    };
    check(&it, &circle(10.0), &[("lat lon radius", true)]);
    check(&it, &circle(5.0), &[("lat lon radius", false)]);
    let near = criteria(&circle(5.0));
    let explanation = explain(&near, &it).unwrap();
    let PropertyLine::Circle { distance_km: Some(distance_km), .. } = explanation.property[0] else {
        panic!("{explanation:?}")
    };
    assert!((distance_km - 7.53).abs() < 0.01, "{distance_km}");

    let square = |lat: f64| {
        let corner = |up: f64, right: f64| GeoPoint::new(lat + up, right).unwrap();
        Polygon::new(vec![corner(0.0, 0.0), corner(0.0, 1.0), corner(1.0, 1.0), corner(1.0, 0.0)]).unwrap()
    };
    let shapes = criteria(&[("geoShapes", Given::Polygons(vec![square(40.0), square(47.0)]))]);
    let explanation = explain(&shapes, &it).unwrap();
    let PropertyLine::Polygons { inside, .. } = &explanation.property[0] else { panic!("{explanation:?}") };
    assert_eq!(*inside, Some(1));
}

#[test]
fn adverts_are_tried_one_by_one_and_the_nearest_comes_first() {
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
        ("includedSites", Given::Sites(vec![SiteKey::parse("agence.example").unwrap()])),
        ("constructionYearMin", Given::Number(1980.0)),
    ];
    let criteria = criteria(&given);
    let explanation = explain(&criteria, &it).unwrap();
    let tried = explanation.adverts.as_ref().unwrap();
    // The first and the third meet one each, and no advert meets both.
    assert_eq!(tried.iter().map(|tried| tried.advert).collect::<Vec<_>>(), [id(1), id(3), id(2)]);
    let outcome = |tried: &AdvertTried<'_>| -> Vec<(String, bool)> {
        tried.lines.iter().map(|line| (names(line.filters()), line.held())).collect()
    };
    let sites = "includedSites includedSiteCategories".to_owned();
    assert_eq!(outcome(&tried[0]), [(sites.clone(), true), ("constructionYearMin".to_owned(), false)]);
    assert_eq!(outcome(&tried[1]), [(sites, false), ("constructionYearMin".to_owned(), true)]);
    assert!(!explanation.held() && !criteria.accepts(&it));
}

#[test]
fn of_changes_the_nearest_is_shown() {
    let change = |second: i64, new: f64| {
        AdvertEvent::amount(at(second), AdvertField::Price, Amount::new(100.0), Amount::new(new))
    };
    let it = property([advert(1, |advert| {
        advert.events.extend([change(200, 95.0), change(300, 99.0), change(400, 98.0)]);
    })]);
    let least = |percent: f64, from: i64| {
        criteria(&[
            ("eventPriceVariationMax", Given::Number(percent)),
            ("eventPriceVariationFromCreatedAt", Given::Moment(at(from))),
        ])
    };
    let nearest = |criteria: &Criteria| {
        let explanation = explain(criteria, &it).unwrap();
        let tried = &explanation.changes[0];
        assert_eq!((tried.count, explanation.held()), (3, criteria.accepts(&it)));
        (tried.nearest.as_ref().unwrap().event.at.as_second(), tried.held())
    };
    assert_eq!(nearest(&least(-1.0, 250)), (400, true));
    assert_eq!(nearest(&least(-5.0, 250)), (400, false));
    assert_eq!(nearest(&least(-5.0, 100)), (200, true));
    let criteria = criteria(&[("eventSurfaceVariationMin", Given::Number(1.0))]);
    let explanation = explain(&criteria, &it).unwrap();
    let [tried] = explanation.changes.as_slice() else { panic!("{explanation:?}") };
    assert_eq!((tried.count, &tried.nearest, tried.held()), (0, &None, false));
    assert_eq!(names(tried.filters(&tried.wanted[0])), "eventSurfaceVariationMin");
}

#[test]
fn words_are_found_where_they_stand_first() {
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
    let criteria = criteria(&[("expressions", Given::Expressions(groups))]);
    let explanation = explain(&criteria, &it).unwrap();
    let groups = explanation.expressions.as_ref().unwrap();
    assert_eq!(groups.iter().map(GroupTried::held).collect::<Vec<_>>(), [false, true]);
    let found = |group: usize, entry: usize| groups[group].entries[entry].found;
    assert_eq!(found(0, 0), Some(Passage { advert: id(2), part: TextPart::Title }));
    assert_eq!(found(0, 1), Some(Passage { advert: id(2), part: TextPart::Description }));
    assert_eq!(found(1, 0), Some(Passage { advert: id(1), part: TextPart::Title }));
    assert_eq!(found(1, 1), None);
    assert!(explanation.held() && explanation.is_on_offer);
    assert_eq!(names(expression_filters()), "expressions");
}

#[test]
fn an_expired_property_is_not_on_offer() {
    let it = property([advert(1, |advert| advert.expired_at = Some(at(400)))]);
    let criteria = Criteria::default();
    let explanation = explain(&criteria, &it).unwrap();
    assert!(explanation.held() && !explanation.is_on_offer);
}
