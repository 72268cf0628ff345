//! Responses have exactly the keys and types of the contract's tables.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{full, minimal};

/// The type of a value; `null` is allowed where the table says so.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    Text,
    Uuid,
    Date,
    Path,
    Integer,
    Number,
    Boolean,
    Texts,
    Integers,
    Objects,
    Object(&'static [(&'static str, Presence)]),
}

/// Whether a value may be null.
#[derive(Debug, Clone, Copy)]
pub enum Presence {
    Always(Type),
    OrNull(Type),
}

use Presence::{Always, OrNull};
use Type::{Boolean, Date, Integer, Integers, Number, Object, Objects, Path, Text, Texts, Uuid};

const POINT: &[(&str, Presence)] = &[("lat", Always(Number)), ("lon", Always(Number))];
const DIVISION: &[(&str, Presence)] =
    &[("code", Always(Text)), ("id", Always(Integer)), ("name", Always(Text))];
const RATING: &[(&str, Presence)] = &[("category", OrNull(Text)), ("value", OrNull(Number))];

const CITY: &[(&str, Presence)] = &[
    ("id", OrNull(Integer)),
    ("cityParentId", OrNull(Integer)),
    ("name", OrNull(Text)),
    ("originalName", OrNull(Text)),
    ("insee", OrNull(Text)),
    ("zipcode", OrNull(Text)),
    ("country", OrNull(Object(DIVISION))),
    ("department", OrNull(Object(DIVISION))),
    ("region", OrNull(Object(DIVISION))),
    ("groupedCityNames", Always(Texts)),
    ("groupedCityZipcodes", Always(Texts)),
    ("hasGroupedByName", Always(Boolean)),
    ("hasGroupedByZipcode", Always(Boolean)),
    ("open", Always(Boolean)),
    ("locations", OrNull(Object(POINT))),
];

const LINE: &[(&str, Presence)] = &[
    ("id", Always(Integer)),
    ("name", Always(Text)),
    ("number", Always(Text)),
    ("routeName", Always(Text)),
    ("color", Always(Text)),
];

const STATION: &[(&str, Presence)] =
    &[("id", Always(Integer)), ("name", Always(Text)), ("lines", Always(Objects))];

const DOCUMENT: &[(&str, Presence)] = &[
    ("@context", Always(Path)),
    ("@id", Always(Path)),
    ("@type", Always(Text)),
    ("uuid", Always(Uuid)),
    ("property", Always(Path)),
    ("adverts", Always(Objects)),
    ("bedroom", OrNull(Integer)),
    ("room", OrNull(Integer)),
    ("city", OrNull(Object(CITY))),
    ("createdAt", Always(Date)),
    ("updatedAt", Always(Date)),
    ("lastCrawledAt", OrNull(Date)),
    ("expiredAt", OrNull(Date)),
    ("description", OrNull(Text)),
    ("title", OrNull(Text)),
    ("elevator", OrNull(Boolean)),
    ("furnished", OrNull(Boolean)),
    ("expired", Always(Boolean)),
    ("floor", OrNull(Integer)),
    ("landSurface", OrNull(Number)),
    ("surface", OrNull(Number)),
    ("lastCrawledAdvert", Always(Uuid)),
    ("locations", OrNull(Object(POINT))),
    ("location", OrNull(Object(POINT))),
    ("geoAccuracy", OrNull(Integer)),
    ("pictures", Always(Texts)),
    ("price", OrNull(Number)),
    ("pricePerMeter", OrNull(Number)),
    ("propertyType", Always(Integer)),
    ("publisherTypes", Always(Integers)),
    ("stations", Always(Objects)),
    ("transactionType", Always(Integer)),
    // Not in the contract's table.
    ("district", OrNull(Text)),
    ("coherentPrice", Always(Boolean)),
    ("priceProblem", OrNull(Text)),
];

const CONTACT: &[(&str, Presence)] = &[
    ("agency", OrNull(Text)),
    ("email", OrNull(Text)),
    ("fax", OrNull(Text)),
    ("name", OrNull(Text)),
    ("phone", OrNull(Text)),
    ("reference", OrNull(Text)),
];

const PUBLISHER: &[(&str, Presence)] =
    &[("category", OrNull(Text)), ("name", OrNull(Text)), ("type", OrNull(Integer))];

const LIFE_ANNUITY: &[(&str, Presence)] = &[("bouquet", OrNull(Number)), ("rent", OrNull(Number))];

const NEW_BUILDING: &[(&str, Presence)] = &[
    ("priceMin", OrNull(Number)),
    ("priceMax", OrNull(Number)),
    ("surfaceMin", OrNull(Number)),
    ("surfaceMax", OrNull(Number)),
    ("roomMin", OrNull(Integer)),
    ("roomMax", OrNull(Integer)),
];

const ADVERT: &[(&str, Presence)] = &[
    ("uuid", Always(Uuid)),
    ("title", OrNull(Text)),
    ("description", OrNull(Text)),
    ("url", OrNull(Text)),
    ("contact", Always(Object(CONTACT))),
    ("createdAt", Always(Date)),
    ("updatedAt", Always(Date)),
    ("lastCrawledAt", Always(Date)),
    ("condominiumFees", OrNull(Number)),
    ("feesPercentage", OrNull(Number)),
    ("inventoryPrice", OrNull(Number)),
    ("lotCount", OrNull(Number)),
    ("price", OrNull(Number)),
    ("priceExcludingFees", OrNull(Number)),
    ("rentalCharges", OrNull(Number)),
    ("rentalPledge", OrNull(Number)),
    ("renterFees", OrNull(Number)),
    ("constructionYear", OrNull(Integer)),
    ("floor", OrNull(Integer)),
    ("floorQuantity", OrNull(Integer)),
    ("landSurface", OrNull(Number)),
    ("surface", OrNull(Number)),
    ("elevator", OrNull(Boolean)),
    ("furnished", OrNull(Boolean)),
    ("energy", Always(Object(RATING))),
    ("greenHouseGas", Always(Object(RATING))),
    ("events", Always(Objects)),
    ("features", Always(Texts)),
    ("feesResponsibility", OrNull(Integer)),
    ("pictures", Always(Texts)),
    ("picturesRemote", Always(Texts)),
    ("publisher", Always(Object(PUBLISHER))),
    ("virtualTour", OrNull(Text)),
    // Not in the contract's table.
    ("expired", Always(Boolean)),
    ("expiredAt", OrNull(Date)),
    ("coherentPrice", Always(Boolean)),
    ("priceProblem", OrNull(Text)),
    ("room", OrNull(Integer)),
    ("bedroom", OrNull(Integer)),
    ("propertyTax", OrNull(Number)),
    ("site", OrNull(Text)),
    ("district", OrNull(Text)),
    ("exclusiveMandate", OrNull(Boolean)),
    ("parkingCount", OrNull(Integer)),
    ("heating", OrNull(Text)),
    ("lifeAnnuity", Always(Object(LIFE_ANNUITY))),
    ("occupied", OrNull(Boolean)),
    ("rentPeriod", OrNull(Text)),
    ("newBuilding", Always(Object(NEW_BUILDING))),
];

const RESOURCE: &[(&str, Presence)] = &[
    ("@context", Always(Path)),
    ("@id", Always(Path)),
    ("@type", Always(Text)),
    ("property", Always(Path)),
    ("transactionType", Always(Integer)),
    ("propertyType", Always(Integer)),
    ("reference", OrNull(Text)),
    ("insee", OrNull(Text)),
    ("zipcode", OrNull(Text)),
    ("cityName", OrNull(Text)),
    ("locations", OrNull(Object(POINT))),
    ("geoAccuracy", OrNull(Integer)),
];

const EVENT: &[(&str, Presence)] = &[
    ("createdAt", Always(Date)),
    ("fieldName", Always(Text)),
    ("fieldOldValue", OrNull(Text)),
    ("fieldNewValue", OrNull(Text)),
    ("percentVariation", OrNull(Number)),
];

fn is_date(text: &str) -> bool {
    // Whole seconds and a numeric offset: 2026-03-02T10:00:00+01:00.
    text.parse::<jiff::Timestamp>().is_ok() && !text.contains(['.', 'Z']) && text.as_bytes()[10] == b'T'
}

fn has_type(value: &Value, kind: Type) -> bool {
    let all = |test: fn(&Value) -> bool| value.as_array().is_some_and(|items| items.iter().all(test));
    match kind {
        Text => value.is_string(),
        Uuid => value.as_str().is_some_and(|text| text.len() == 36 && text.parse::<uuid::Uuid>().is_ok()),
        Date => value.as_str().is_some_and(is_date),
        Path => value.as_str().is_some_and(|text| text.starts_with('/')),
        Integer => value.is_i64() || value.is_u64(),
        Number => value.is_number(),
        Boolean => value.is_boolean(),
        Texts => all(Value::is_string),
        Integers => all(Value::is_u64),
        Objects => all(Value::is_object),
        Object(table) => {
            assert_table(value, &[table]);
            true
        }
    }
}

/// Asserts that an object has the keys of the tables and no others, each with its type.
fn assert_table(value: &Value, tables: &[&[(&str, Presence)]]) {
    let object = value.as_object().unwrap_or_else(|| panic!("{value} is not an object"));
    let mut expected: Vec<&str> = tables.iter().copied().flatten().map(|(name, _)| *name).collect();
    let mut found: Vec<&str> = object.keys().map(String::as_str).collect();
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    for (name, presence) in tables.iter().copied().flatten() {
        let value = &object[*name];
        let fits = match presence {
            Always(kind) => has_type(value, *kind),
            OrNull(kind) => value.is_null() || has_type(value, *kind),
        };
        assert!(fits, "{name} is {value}, not {presence:?}");
    }
}

pub fn assert_document(document: &Value) {
    assert_table(document, &[DOCUMENT]);
    for advert in document["adverts"].as_array().unwrap() {
        assert_table(advert, &[ADVERT]);
        assert_events(advert);
    }
    for station in document["stations"].as_array().unwrap() {
        assert_table(station, &[STATION]);
        for line in station["lines"].as_array().unwrap() {
            assert_table(line, &[LINE]);
            let color = line["color"].as_str().unwrap();
            assert!(color.len() == 7 && color.starts_with('#'), "{color} is not a colour");
        }
    }
    assert_eq!(document["expired"], !document["expiredAt"].is_null());
}

pub fn assert_advert(advert: &Value) {
    assert_table(advert, &[ADVERT, RESOURCE]);
    assert_events(advert);
}

fn assert_events(advert: &Value) {
    let events = advert["events"].as_array().unwrap();
    events.iter().for_each(|event| assert_table(event, &[EVENT]));
    assert_eq!(events[0]["fieldName"], "created");
    assert_eq!(events[0]["createdAt"], advert["createdAt"]);
    assert_eq!(advert["expired"], !advert["expiredAt"].is_null());
}

fn nulls(value: &Value) -> Vec<&str> {
    let object = value.as_object().unwrap();
    object.iter().filter(|(_, value)| value.is_null()).map(|(name, _)| name.as_str()).collect()
}

#[tokio::test]
async fn full_document_has_every_key_with_its_type() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let (document, advert) = (server.document(&receipt).await, server.advert(&receipt).await);
    assert_document(&document);
    assert_advert(&advert);
    // Only what a live advert, a life annuity, and a coherent price cannot have is null.
    assert_eq!(nulls(&document), ["expiredAt", "pricePerMeter", "priceProblem"]);
    server.accept(&crate::harness::adverts::advert("1", json!({"lifeAnnuity": null}))).await;
    assert_eq!(nulls(&server.document(&receipt).await), ["expiredAt", "priceProblem"]);
    assert_eq!(nulls(&document["city"]), Vec::<&str>::new());
    assert!(!document["stations"].as_array().unwrap().is_empty());
    assert_eq!(nulls(&document["adverts"][0]), ["expiredAt", "priceProblem"]);
    assert_eq!(nulls(&advert), ["expiredAt", "priceProblem"]);
    for part in ["contact", "energy", "greenHouseGas", "lifeAnnuity", "newBuilding"] {
        assert_eq!(nulls(&advert[part]), Vec::<&str>::new(), "{part}");
    }
    // The response has the values that were sent.
    for (name, sent) in full("1").as_object().unwrap() {
        if !matches!(name.as_str(), "events" | "createdAt" | "updatedAt" | "lastCrawledAt" | "publisher") {
            assert_eq!(&advert[name], sent, "{name}");
        }
    }
}

#[tokio::test]
async fn empty_document_has_every_key() {
    let server = TestServer::start().await;
    let receipt = server
        .accept(
            &json!({"transactionType": 1, "propertyType": 6, "uuid": "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"}),
        )
        .await;
    let (document, advert) = (server.document(&receipt).await, server.advert(&receipt).await);
    assert_document(&document);
    assert_advert(&advert);
    for name in ["adverts", "pictures", "publisherTypes", "stations"] {
        assert!(document[name].is_array(), "{name}");
    }
    for name in ["features", "pictures", "picturesRemote", "events"] {
        assert!(advert[name].is_array(), "{name}");
    }
    for part in ["contact", "energy", "greenHouseGas", "publisher", "lifeAnnuity", "newBuilding"] {
        assert_eq!(nulls(&advert[part]).len(), advert[part].as_object().unwrap().len(), "{part}");
    }
    assert_eq!((&document["transactionType"], &document["propertyType"]), (&json!(1), &json!(6)));
}

#[tokio::test]
async fn links_match_their_resources() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let document = server.document(&receipt).await;
    let uuid = document["uuid"].as_str().unwrap();
    assert_eq!(document["@context"], "/contexts/PropertyDocument");
    assert_eq!(document["@type"], "PropertyDocument");
    assert_eq!(document["@id"], format!("/documents/properties/{uuid}"));
    assert_eq!(document["property"], format!("/properties/{uuid}"));
    assert_eq!(document["lastCrawledAdvert"], receipt["uuid"]);
}

#[tokio::test]
async fn dates_have_the_offset_of_the_configured_zone() {
    for (zone, summer, winter) in [
        ("Europe/Paris", "2025-07-01T12:00:00+02:00", "2026-01-01T11:00:00+01:00"),
        ("UTC", "2025-07-01T10:00:00+00:00", "2026-01-01T10:00:00+00:00"),
        ("America/Guadeloupe", "2025-07-01T06:00:00-04:00", "2026-01-01T06:00:00-04:00"),
    ] {
        let server = TestServer::with(&format!("[service]\ntime_zone = \"{zone}\"\n")).await;
        let sent = json!({"createdAt": "2025-07-01T10:00:00Z", "updatedAt": "2026-01-01T10:00:00Z"});
        let receipt = server.accept(&crate::harness::adverts::advert("1", sent)).await;
        let read = server.advert(&receipt).await;
        assert_eq!((&read["createdAt"], &read["updatedAt"]), (&json!(summer), &json!(winter)));
    }
}
