//! Complete bodies: a match, near misses, and their summaries.

use std::sync::Arc;

use domain::criteria::{Entry, Presence, RawCriterion, References};
use domain::{
    Advert, AdvertDetails, AdvertEvent, AdvertId, Amount, City, Country, Department, EnergyLetter, FILTERS,
    Insee, Phrase, Placement, Property, PropertyType, Rating, Region, ShortText, Site, SiteId, SiteKey,
    Strictness, Timestamp, TransactionType, Zipcode, explain,
};
use serde_json::{Value, json};

use super::*;

fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

fn amount(number: f64) -> Option<Amount> {
    Amount::new(number)
}

/// Builds an advert of an apartment in Tours.
fn advert(number: u8, change: impl FnOnce(&mut Advert)) -> Advert {
    let mut advert = Advert {
        id: AdvertId::from_bytes([number; 16]),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details: AdvertDetails {
            price: amount(250_000.0),
            surface: amount(62.5),
            site: SiteKey::parse("portail.example"),
            title: ShortText::new("T3 avec balcon").unwrap(),
            energy: Rating { category: Some(EnergyLetter::E), value: None },
            ..AdvertDetails::default()
        },
        placement: Some(Placement {
            insee: Insee::parse("37261").unwrap(),
            department: Some(37),
            zipcode: Zipcode::parse("37100"),
            centre: domain::GeoPoint::new(47.4, 0.7),
        }),
        created_at: at(1_800_000_000),
        updated_at: at(1_800_000_000),
        last_crawled_at: at(1_800_000_000),
        expired_at: None,
        events: vec![AdvertEvent::created(at(1_800_000_000))],
        timeline: domain::Timeline::default(),
        price_check: domain::PriceCheck::default(),
    };
    change(&mut advert);
    advert
}

fn property(adverts: impl IntoIterator<Item = Advert>) -> Property {
    Property { id: PropertyId::from_bytes([1; 16]), adverts: adverts.into_iter().collect() }
}

fn region() -> Arc<Department> {
    let region = Arc::new(Region { id: 24, code: "24".into(), name: "Centre-Val de Loire".into() });
    Arc::new(Department {
        id: 37,
        code: "37".into(),
        name: "Indre-et-Loire".into(),
        name_clean: "indre-et-loire".into(),
        capital: None,
        capital_insee: None,
        region,
    })
}

/// Knows Tours, and Paris with one district.
fn city(id: u64) -> Option<Arc<City>> {
    let (name, parent) = match id {
        37_261 => ("Tours", None),
        75_056 => ("Paris", None),
        75_111 => ("Paris 11e", Insee::parse("75056")),
        _ => return None,
    };
    Some(Arc::new(City {
        insee: Insee::parse(&id.to_string())?,
        parent,
        article: None,
        name: name.into(),
        official_name: None,
        zipcodes: Vec::new(),
        population: 1,
        centre: None,
        department: region(),
        country: Arc::new(Country { id: 250, code: "FR".into(), name: "France".into() }),
        districts: Vec::new(),
        grouped_names: Vec::new(),
    }))
}

fn sites() -> SiteDirectory {
    let site = Site {
        id: SiteId::new(3).unwrap(),
        key: SiteKey::parse("portail.example").unwrap(),
        name: None,
        category: None,
    };
    SiteDirectory::new(1, vec![site], Vec::new())
}

fn body(it: &Property, given: &[(&str, RawCriterion)], matched: bool) -> Value {
    let mut raw_criteria = RawCriteria::default();
    for (name, criterion) in given {
        raw_criteria.put(FILTERS.iter().find(|filter| filter.name == *name).unwrap(), criterion.clone());
    }
    let sites = sites();
    let with_districts = |id: u64| if id == 75_056 { vec![75_056, 75_111] } else { vec![id] };
    let commune = |insee: &Insee| vec![insee.id()];
    let references = References { city: &with_districts, commune: &commune, sites: &sites };
    let criteria = raw_criteria.criteria(&references).unwrap();
    let explanation = explain(&criteria, it).unwrap();
    let department = |id: u64| (id == 37).then(region);
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let by_code = |insee: &Insee| city(insee.id());
    let places = Places { city: &city, commune: &by_code, department: &department };
    let context = RenderContext { places, sites: &sites, zone: &zone };
    let input = ExplanationInput {
        search: SearchId::from_bytes([2; 16]),
        property: it.id,
        explanation: &explanation,
        matched,
        raw_criteria: &raw_criteria,
        context: &context,
    };
    serde_json::to_value(super::explanation(&input)).unwrap()
}

fn summary(it: &Property, given: &[(&str, RawCriterion)]) -> String {
    body(it, given, false)["summary"].as_str().unwrap().to_owned()
}

fn words(text: &str, presence: Presence) -> Entry {
    Entry { phrase: Phrase::new(text, Strictness::Inflected).unwrap(), presence }
}

#[test]
fn matching_property_lists_all_criteria() {
    let given = [
        ("transactionType", RawCriterion::Codes(vec![0])),
        ("budgetMin", RawCriterion::Number(200_000.0)),
        ("budgetMax", RawCriterion::Number(250_000.0)),
        ("includedDepartments", RawCriterion::Departments(vec![37])),
        ("withCoherentPrice", RawCriterion::Flag(true)),
        (
            "expressions",
            RawCriterion::Expressions(vec![
                vec![words("cave", Presence::Present)],
                vec![words("balcons", Presence::Present)],
            ]),
        ),
    ];
    let it = property([advert(1, |_| {})]);
    let (search, own, advert) = (
        "/searches/02020202-0202-0202-0202-020202020202",
        "/properties/01010101-0101-0101-0101-010101010101",
        "/adverts/01010101-0101-0101-0101-010101010101",
    );
    let options = json!({"includes": true, "strict": false});
    let department = json!({"@id": "/departments/37", "name": "Indre-et-Loire"});
    let expected = json!({
        "@context": "/contexts/Explanation",
        "@id": format!("{search}/explain?property=01010101-0101-0101-0101-010101010101"),
        "@type": "Explanation",
        "search": search,
        "property": own,
        "summary": "The property is on offer and meets all criteria of the search.",
        "held": true,
        "onOffer": true,
        "matched": true,
        "criteria": [
            {"filters": ["transactionType"], "wanted": {"anyOf": [0]}, "found": 0, "held": true},
            {"filters": ["budgetMin", "budgetMax"], "wanted": {"min": 200_000, "max": 250_000}, "found": 250_000, "held": true},
            {"filters": ["withCoherentPrice"], "wanted": true, "found": true, "held": true},
            {
                "filters": ["includedDepartments"], "wanted": {"anyOf": [department]},
                "found": {
                    "city": {"@id": "/cities/37261", "name": "Tours"}, "department": department, "zipcode": "37100",
                    "among": [department]
                },
                "held": true
            },
        ],
        "adverts": [],
        "changes": [],
        "expressions": [
            {"held": false, "entries": [{"word": "cave", "options": options, "held": false, "foundIn": null}]},
            {"held": true, "entries": [
                {"word": "balcons", "options": options, "held": true, "foundIn": {"advert": advert, "fieldName": "title"}}
            ]},
        ],
    });
    assert_eq!(body(&it, &given, true), expected);
}

#[test]
fn advert_criteria_are_listed_per_advert() {
    let it = property([
        advert(1, |advert| advert.details.construction_year = Some(1_950)),
        advert(2, |advert| {
            advert.details.site = SiteKey::parse("agence.example");
            advert.details.energy.category = Some(EnergyLetter::B);
        }),
    ]);
    let given = [
        ("includedSites", RawCriterion::Sites(vec![SiteKey::parse("portail.example").unwrap()])),
        ("energyCategories", RawCriterion::Codes(vec![0, 1])),
    ];
    let body = body(&it, &given, false);
    let portal = json!({"@id": "/sites/3", "name": "portail.example"});
    assert_eq!(
        body["adverts"][0],
        json!({"advert": "/adverts/01010101-0101-0101-0101-010101010101", "held": false, "criteria": [
            {"filters": ["includedSites"], "wanted": {"anyOf": [portal]}, "found": portal, "held": true},
            {"filters": ["energyCategories"], "wanted": {"anyOf": ["A", "B"]}, "found": "E", "held": false},
        ]})
    );
    assert_eq!(body["adverts"][1]["criteria"][0]["found"], "agence.example");
    assert_eq!(
        body["summary"],
        "The property does not meet the search: none of its 2 adverts meets all advert criteria (closest: \
         energyCategories: expected one of A, B, found E)."
    );
}

#[test]
fn city_includes_its_districts() {
    let it = property([advert(1, |_| {})]);
    let body = body(&it, &[("includedCities", RawCriterion::Cities(vec![75_056]))], false);
    let line = &body["criteria"][1];
    assert_eq!(line["wanted"], json!({"anyOf": [{"@id": "/cities/75056", "name": "Paris"}]}));
    assert_eq!((&line["held"], &line["found"]["among"]), (&json!(false), &json!([])));
    assert_eq!(line["filters"], json!(["includedCities"]));
}

#[test]
fn summary_names_failed_criteria() {
    let it = property([advert(1, |advert| {
        advert.details.place.point = domain::GeoPoint::new(47.4, 0.7);
        advert.events.push(AdvertEvent::amount(
            at(1_800_000_100),
            AdvertField::Price,
            amount(100.0),
            amount(99.0),
        ));
    })]);
    let check = |given: &[(&str, RawCriterion)], expected: &str| {
        assert_eq!(summary(&it, given), format!("The property does not meet the search: {expected}."));
    };
    let number = RawCriterion::Number;
    check(&[("budgetMax", number(240_000.0))], "budgetMax: expected at most 240000, found 250000");
    check(
        &[("surfaceMin", number(70.0)), ("surfaceMax", number(80.5)), ("roomMin", number(3.0))],
        "surfaceMin and surfaceMax: expected from 70 to 80.5, found 62.5; roomMin: expected at least 3, but the value is unknown",
    );
    check(
        &[("lat", number(47.4)), ("lon", number(0.8)), ("radius", number(5.0))],
        "lat, lon and radius: expected at most 5 km away, found 7.527 km",
    );
    let tours = RawCriterion::Cities(vec![37_261]);
    check(&[("excludedCities", tours)], "excludedCities: expected not Tours, found Tours");
    let zipcodes = ["37000", "37200", "37300", "37400"].map(|text| Zipcode::parse(text).unwrap());
    check(
        &[("includedZipcodes", RawCriterion::Zipcodes(zipcodes.to_vec()))],
        "includedZipcodes: expected one of 37000, 37200, 37300 and 1 more, found 37100 Tours",
    );
    check(
        &[("publisherTypes", RawCriterion::Codes(vec![0]))],
        "its advert fails (publisherTypes: expected 0, but the value is unknown)",
    );
    check(
        &[("eventPriceVariationMax", number(-5.0))],
        "no change of its price meets the criteria (closest of 1: eventPriceVariationMax: expected at most -5, found -1)",
    );
    check(&[("eventSurfaceVariationMin", number(1.0))], "no advert on offer has changed its surface");
    let entries = vec![words("terrasse", Presence::Present), words("balcon", Presence::Absent)];
    check(
        &[("expressions", RawCriterion::Expressions(vec![entries]))],
        "\"terrasse\" is in none of its texts and \"balcon\" is in a title but is excluded",
    );
    let features = ["cave", "parking"].map(|text| Phrase::new(text, Strictness::Inflected).unwrap());
    check(
        &[("features", RawCriterion::Features(features.to_vec()))],
        "features: expected a feature with \"cave\", but it has none; features: expected a feature with \"parking\", but it has none",
    );
    check(
        &[("excludedProperties", RawCriterion::Properties(vec![it.id]))],
        "excludedProperties: expected not /properties/01010101-0101-0101-0101-010101010101, found \
         /properties/01010101-0101-0101-0101-010101010101",
    );
}

#[test]
fn summary_explains_missing_and_old_matches() {
    let it = property([advert(1, |_| {})]);
    assert_eq!(
        summary(&it, &[]),
        "The property is on offer and meets all criteria of the search. There is no match: a match is created only when a \
         property starts to meet a search that is already saved and enabled."
    );
    let gone = property([advert(1, |advert| advert.expired_at = Some(at(1_800_000_500)))]);
    assert_eq!(
        summary(&gone, &[]),
        "The property meets all criteria of the search, but all its adverts have expired: it is not on offer and cannot \
         match."
    );
    let dear = [("budgetMax", RawCriterion::Number(1.0))];
    assert!(summary(&gone, &dear).ends_with("found 250000. All its adverts have expired as well."));
    let explained = body(&it, &dear, true);
    assert!(
        explained["summary"]
            .as_str()
            .unwrap()
            .ends_with("found 250000. There is a match from an earlier time when it did.")
    );
}
