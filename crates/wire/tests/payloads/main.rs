//! What webhooks carry, to the letter: a match, and each of the six events. Reviewed against the contract; receivers read these.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod home;
mod layout;

use domain::{
    AdvertEvent, AdvertField, Amount, EventName, MatchId, Property, SearchNumber, SiteKey, Timestamp,
};
use jiff::tz::TimeZone;
use serde_json::Value;
use testkit::build;
use wire::document::{DocumentParts, property_document, webhook_document};
use wire::webhook::{Told, event_payload, match_payload};

use layout::laid_out;

fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Documents of a property, as webhooks carry it and as everybody reads it.
fn documents(property: &Property) -> (Vec<u8>, Vec<u8>) {
    let zone = paris();
    let category_of = |_: &SiteKey| Some("Portails".to_owned());
    let parts = DocumentParts {
        property,
        derived: property.derive().unwrap(),
        city: Some(home::city()),
        stations: vec![home::station()],
        zone: &zone,
        category_of: &category_of,
    };
    let told = serde_json::to_vec(&webhook_document(&parts)).unwrap();
    (told, serde_json::to_vec(&property_document(&parts)).unwrap())
}

fn told<'a>(property: &Property, document: &'a [u8], zone: &'a TimeZone) -> Told<'a> {
    Told {
        id: MatchId::of(SearchNumber(42), 1_337),
        property: property.id,
        search: build::search_id(7),
        at: at("2026-03-02T09:00:00Z"),
        document,
        zone,
    }
}

fn payload_of_match(property: &Property) -> String {
    let zone = paris();
    String::from_utf8(match_payload(&told(property, &documents(property).0, &zone))).unwrap()
}

/// The payload of an event that happened to the property's advert, which then reads as `change` leaves it.
fn payload(event: AdvertEvent, change: impl FnOnce(&mut domain::Advert)) -> String {
    let name = event.name().unwrap();
    let property = home::after(&event, change);
    let zone = paris();
    let written = event_payload(name, &event, &told(&property, &documents(&property).0, &zone));
    String::from_utf8(written).unwrap()
}

const MOMENT: &str = "2026-03-04T09:00:00Z";

fn price_fell() -> String {
    let (old, new) = (Amount::new(320_000.0), Amount::new(311_000.0));
    payload(AdvertEvent::amount(at(MOMENT), AdvertField::Price, old, new), |advert| {
        advert.details.price = new
    })
}

fn surface_grew() -> String {
    let (old, new) = (Amount::new(62.5), Amount::new(65.0));
    let event = AdvertEvent::amount(at(MOMENT), AdvertField::Surface, old, new);
    payload(event, |advert| advert.details.surface = new)
}

fn pictures_changed() -> String {
    let pictures = vec![build::web_address("https://images.example/3.jpg")];
    payload(AdvertEvent::field(at(MOMENT), AdvertField::Pictures), |advert| {
        advert.details.pictures = pictures
    })
}

fn expired() -> String {
    payload(AdvertEvent::expiry(at(MOMENT), true), |advert| advert.expired_at = Some(at(MOMENT)))
}

fn created() -> String {
    payload(AdvertEvent::created(home::created_at()), |_| {})
}

fn updated() -> String {
    payload(AdvertEvent::field(at(MOMENT), AdvertField::Elevator), |advert| {
        advert.details.elevator = Some(false);
    })
}

#[test]
fn a_match() {
    insta::assert_snapshot!("match", laid_out(&payload_of_match(&home::property())));
}

#[test]
fn the_six_events() {
    insta::assert_snapshot!("ad.update.price", laid_out(&price_fell()));
    insta::assert_snapshot!("ad.update.surface", laid_out(&surface_grew()));
    insta::assert_snapshot!("ad.update.pictures", laid_out(&pictures_changed()));
    insta::assert_snapshot!("ad.update.expired", laid_out(&expired()));
    insta::assert_snapshot!("property.ad.create", laid_out(&created()));
    insta::assert_snapshot!("property.ad.update", laid_out(&updated()));
}

#[test]
fn events_are_told_under_the_six_names() {
    let payloads = [price_fell(), surface_grew(), pictures_changed(), expired(), created(), updated()];
    for (payload, name) in payloads.iter().zip(EventName::ALL) {
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(payload["event"], wire::names::event_name(*name));
        assert_eq!(payload["match"]["@type"], "Match");
        // The event is the last of those the document has, but for the type of its variation.
        let events = payload["match"]["propertyDocument"]["adverts"][0]["events"].as_array().unwrap();
        let last = events.last().unwrap();
        for member in ["fieldName", "fieldOldValue", "fieldNewValue", "createdAt"] {
            assert_eq!(payload["adEvent"].get(member), last.get(member), "{member}");
        }
    }
}

#[test]
fn a_variation_is_a_text_in_the_event_and_a_number_in_the_document() {
    let payload: Value = serde_json::from_str(&price_fell()).unwrap();
    assert_eq!(payload["adEvent"]["percentVariation"], "-2.81");
    let events = payload["match"]["propertyDocument"]["adverts"][0]["events"].as_array().unwrap();
    assert_eq!(events.last().unwrap()["percentVariation"], -2.81);
    let whole: Value = serde_json::from_str(&surface_grew()).unwrap();
    assert_eq!(whole["adEvent"]["percentVariation"], "4");
}

#[test]
fn a_webhook_differs_from_a_document_in_the_name_of_one_key() {
    let (told, read) = documents(&home::property());
    let (told, mut read): (Value, Value) =
        (serde_json::from_slice(&told).unwrap(), serde_json::from_slice(&read).unwrap());
    let city = read["city"].as_object_mut().unwrap();
    assert!(!city.contains_key("location"));
    let point = city.remove("locations").unwrap();
    assert!(point["lat"].is_number());
    city.insert("location".to_owned(), point);
    assert_eq!(told, read);
    assert_eq!(told["location"], told["locations"], "of the property itself both are there");
}

#[test]
fn the_document_is_sent_as_the_bytes_it_is() {
    let property = home::property();
    let document = documents(&property).0;
    let payload = payload_of_match(&property);
    let ending = format!(",\"propertyDocument\":{}}}", String::from_utf8(document).unwrap());
    assert!(payload.ends_with(&ending));
    assert!(price_fell().ends_with("}}}") && serde_json::from_str::<Value>(&payload).is_ok());
}
