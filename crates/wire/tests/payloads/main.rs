//! Webhook payloads, byte for byte: a match and each of the six events. Reviewed against the contract, since
//! receivers parse them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod pretty;
mod property;

use domain::{
    AdvertEvent, AdvertField, Amount, EventName, MatchId, Property, SearchNumber, SiteKey, Timestamp,
};
use jiff::tz::TimeZone;
use serde_json::Value;
use testkit::build;
use wire::document::{DocumentInput, property_document, webhook_document};
use wire::webhook::{MatchForm, WebhookEvent, WebhookMatch, event_payload, match_payload};

use pretty::pretty_json;

fn paris() -> TimeZone {
    TimeZone::get("Europe/Paris").unwrap()
}

fn at(text: &str) -> Timestamp {
    text.parse().unwrap()
}

/// Returns the documents of a property: as webhooks carry it and as the API returns it.
fn documents(property: &Property) -> (Vec<u8>, Vec<u8>) {
    let zone = paris();
    let category_of = |_: &SiteKey| Some("Portails".to_owned());
    let input = DocumentInput {
        property,
        derived: property.derive().unwrap(),
        city: Some(property::city()),
        stations: vec![property::station()],
        zone: &zone,
        category_of: &category_of,
    };
    let sent = serde_json::to_vec(&webhook_document(&input)).unwrap();
    (sent, serde_json::to_vec(&property_document(&input)).unwrap())
}

fn webhook_match<'a>(property: &Property, document: &'a [u8], zone: &'a TimeZone) -> WebhookMatch<'a> {
    WebhookMatch {
        id: MatchId::of(SearchNumber(42), 1_337),
        property: property.id,
        search: build::search_id(7),
        at: at("2026-03-02T09:00:00Z"),
        document,
        zone,
    }
}

fn match_payload_text(property: &Property) -> String {
    match_payload_in(MatchForm::Plain, property)
}

fn match_payload_in(form: MatchForm, property: &Property) -> String {
    let zone = paris();
    String::from_utf8(match_payload(&webhook_match(property, &documents(property).0, &zone), form)).unwrap()
}

/// Returns the payload of an event on the property's first advert, after `change` was applied to it.
fn payload(event: AdvertEvent, change: impl FnOnce(&mut domain::Advert)) -> String {
    let name = event.name().unwrap();
    let property = property::after(&event, change);
    let zone = paris();
    let event = WebhookEvent { name, event: &event, advert: property.adverts[0].id };
    let written = event_payload(&event, &webhook_match(&property, &documents(&property).0, &zone));
    String::from_utf8(written).unwrap()
}

const CHANGED_AT: &str = "2026-03-04T09:00:00Z";

fn price_fell() -> String {
    let (old, new) = (Amount::new(320_000.0), Amount::new(311_000.0));
    payload(AdvertEvent::amount(at(CHANGED_AT), AdvertField::Price, old, new), |advert| {
        advert.details.price = new
    })
}

fn surface_grew() -> String {
    let (old, new) = (Amount::new(62.5), Amount::new(65.0));
    let event = AdvertEvent::amount(at(CHANGED_AT), AdvertField::Surface, old, new);
    payload(event, |advert| advert.details.surface = new)
}

fn pictures_changed() -> String {
    let pictures = [build::web_address("https://images.example/3.jpg")].into();
    payload(AdvertEvent::field(at(CHANGED_AT), AdvertField::Pictures), |advert| {
        advert.details.pictures = pictures
    })
}

fn expired() -> String {
    payload(AdvertEvent::expiry(at(CHANGED_AT), true), |advert| advert.expired_at = Some(at(CHANGED_AT)))
}

fn created() -> String {
    payload(AdvertEvent::created(property::created_at()), |_| {})
}

fn updated() -> String {
    payload(AdvertEvent::field(at(CHANGED_AT), AdvertField::Elevator), |advert| {
        advert.details.elevator = Some(false);
    })
}

#[test]
fn match_snapshot() {
    insta::assert_snapshot!("match", pretty_json(&match_payload_text(&property::property())));
}

#[test]
fn nested_match_repeats_the_match() {
    let property = property::property();
    let plain: Value = serde_json::from_str(&match_payload_text(&property)).unwrap();
    let mut nested: Value = serde_json::from_str(&match_payload_in(MatchForm::Nested, &property)).unwrap();
    assert_eq!(nested.as_object_mut().unwrap().remove("match"), Some(plain.clone()));
    assert_eq!(nested, plain);
}

#[test]
fn event_snapshots() {
    insta::assert_snapshot!("ad.update.price", pretty_json(&price_fell()));
    insta::assert_snapshot!("ad.update.surface", pretty_json(&surface_grew()));
    insta::assert_snapshot!("ad.update.pictures", pretty_json(&pictures_changed()));
    insta::assert_snapshot!("ad.update.expired", pretty_json(&expired()));
    insta::assert_snapshot!("property.ad.create", pretty_json(&created()));
    insta::assert_snapshot!("property.ad.update", pretty_json(&updated()));
}

#[test]
fn events_have_the_six_names() {
    let payloads = [price_fell(), surface_grew(), pictures_changed(), expired(), created(), updated()];
    for (payload, name) in payloads.iter().zip(EventName::ALL) {
        let payload: Value = serde_json::from_str(payload).unwrap();
        assert_eq!(payload["event"], wire::names::event_name(*name));
        assert_eq!(payload["match"]["@type"], "Match");
        let advert = payload["match"]["propertyDocument"]["adverts"][0]["uuid"].as_str().unwrap();
        assert_eq!(payload["adEvent"]["advert"], format!("/adverts/{advert}"));
        // The event is the last one in the document, except for the type of its variation.
        let events = payload["match"]["propertyDocument"]["adverts"][0]["events"].as_array().unwrap();
        let last = events.last().unwrap();
        for member in ["fieldName", "fieldOldValue", "fieldNewValue", "createdAt"] {
            assert_eq!(payload["adEvent"].get(member), last.get(member), "{member}");
        }
    }
}

#[test]
fn variation_is_a_string_in_events_and_a_number_in_documents() {
    let payload: Value = serde_json::from_str(&price_fell()).unwrap();
    assert_eq!(payload["adEvent"]["percentVariation"], "-2.81");
    let events = payload["match"]["propertyDocument"]["adverts"][0]["events"].as_array().unwrap();
    assert_eq!(events.last().unwrap()["percentVariation"], -2.81);
    let whole: Value = serde_json::from_str(&surface_grew()).unwrap();
    assert_eq!(whole["adEvent"]["percentVariation"], "4");
}

#[test]
fn webhook_document_differs_in_one_key() {
    let (sent, read) = documents(&property::property());
    let (sent, mut read): (Value, Value) =
        (serde_json::from_slice(&sent).unwrap(), serde_json::from_slice(&read).unwrap());
    let city = read["city"].as_object_mut().unwrap();
    assert!(!city.contains_key("location"));
    let point = city.remove("locations").unwrap();
    assert!(point["lat"].is_number());
    city.insert("location".to_owned(), point);
    assert_eq!(sent, read);
    assert_eq!(sent["location"], sent["locations"], "the property itself has both keys");
}

#[test]
fn document_bytes_are_embedded_unchanged() {
    let property = property::property();
    let document = documents(&property).0;
    let payload = match_payload_text(&property);
    let ending = format!(",\"propertyDocument\":{}}}", String::from_utf8(document).unwrap());
    assert!(payload.ends_with(&ending));
    assert!(price_fell().ends_with("}}}") && serde_json::from_str::<Value>(&payload).is_ok());
}
