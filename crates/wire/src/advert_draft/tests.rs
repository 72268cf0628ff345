use domain::{FieldUpdate, Identity, Lifecycle};
use domain::{PercentVariation, SiteKey};
use serde_json::{Value, json};

use super::*;
use crate::names;

fn parse_json(value: Value) -> Result<ParsedDraft, RejectedDraft> {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let now = "2026-06-01T12:00:00Z".parse().unwrap();
    parse(&value, ParseContext { zone: &zone, now, sites: &SiteDirectory::default() })
}

fn with(mut extra: Value) -> Value {
    let base =
        json!({"transactionType": 0, "propertyType": 1, "site": "portail.example", "reference": "A-1"});
    for (name, value) in base.as_object().unwrap() {
        extra.as_object_mut().unwrap().entry(name).or_insert_with(|| value.clone());
    }
    extra
}

/// Returns `path: message` of every violation.
fn violations(value: Value) -> Vec<String> {
    let rejected = parse_json(value).expect_err("the advert is invalid");
    rejected.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect()
}

#[test]
fn minimal_advert_has_types_and_an_identity() {
    let read = parse_json(with(json!({}))).unwrap();
    let site = SiteKey::parse("portail.example").unwrap();
    assert_eq!(read.draft.identity, Identity::SiteReference(site, "A-1".into()));
    assert_eq!(read.draft.lifecycle, Lifecycle::Seen);
    assert!(read.ignored.is_empty());
}

#[test]
fn identity_precedence() {
    let uuid = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let url = "https://www.portail.example/annonce/1#photos";
    let kind = |value| parse_json(value).unwrap().draft.identity;
    assert_eq!(kind(with(json!({"uuid": uuid, "url": url}))), Identity::Uuid(uuid.parse().unwrap()));
    assert!(matches!(kind(with(json!({"url": url}))), Identity::SiteReference(..)));
    assert_eq!(
        kind(json!({"transactionType": 0, "propertyType": 1, "url": url})),
        Identity::Url("https://www.portail.example/annonce/1".into())
    );
    // The site comes from the URL; with a reference it identifies the advert.
    assert!(matches!(
        kind(json!({"transactionType": 0, "propertyType": 1, "url": url, "reference": 7})),
        Identity::SiteReference(site, reference) if site.as_str() == "portail.example" && &*reference == "7"
    ));
}

#[test]
fn absent_keeps_and_null_clears() {
    let patch = parse_json(with(json!({"price": null, "pictures": [], "title": " "}))).unwrap().draft.patch;
    assert_eq!(patch.price, FieldUpdate::Set(None));
    assert_eq!(patch.pictures, FieldUpdate::Set(Vec::new()));
    assert_eq!(patch.title, FieldUpdate::Set(None));
    assert_eq!(patch.surface, FieldUpdate::Keep);
}

#[test]
fn numbers_may_be_strings() {
    let patch = parse_json(with(json!({"price": "250000.50", "room": "3"}))).unwrap().draft.patch;
    assert_eq!(patch.price, FieldUpdate::Set(domain::Amount::new(250_000.5)));
    assert_eq!(patch.room, FieldUpdate::Set(Some(3)));
}

#[test]
fn all_violations_are_reported_together() {
    let messages = violations(json!({
        "site": "portail.example", "propertyType": 9, "price": [], "surface": -1, "room": 2.5,
        "url": "ftp://x.example/", "energy": {"category": "Z"}, "pictures": ["https://ok.example/1.jpg", 4],
        "locations": {"lat": 91, "lon": 2}, "createdAt": "yesterday", "contact": {"email": 3},
        "events": [{"fieldName": "price"}], "feesPercentage": 101,
    }));
    let paths: Vec<&str> = messages.iter().map(|line| line.split(':').next().unwrap()).collect();
    let mut expected = [
        "propertyType",
        "price",
        "surface",
        "room",
        "url",
        "energy.category",
        "pictures[1]",
        "locations.lat",
        "createdAt",
        "contact.email",
        "events[0].createdAt",
        "feesPercentage",
        "transactionType",
    ];
    let mut paths_sorted = paths.clone();
    paths_sorted.sort_unstable();
    expected.sort_unstable();
    assert_eq!(paths_sorted, expected);
}

#[test]
fn advert_without_identity_is_rejected() {
    let messages = violations(json!({"transactionType": 0, "propertyType": 1, "site": "portail.example"}));
    assert_eq!(messages, ["uuid: An advert needs a uuid, a site and a reference, or a url."]);
    assert_eq!(violations(json!([1])), [": An advert must be a JSON object, array given."]);
}

#[test]
fn unknown_fields_are_reported_not_rejected() {
    let read = parse_json(with(json!({
        "colour": "red", "publisher": {"name": "Agence", "category": "portal"}, "@id": "/adverts/x",
        "contact": {"skype": "a"},
    })));
    let mut ignored = read.unwrap().ignored;
    ignored.sort();
    assert_eq!(ignored, ["colour", "contact.skype", "publisher.category"]);
}

#[test]
fn lifecycle_from_expired_and_expired_at() {
    let lifecycle = |extra| parse_json(with(extra)).unwrap().draft.lifecycle;
    let at = "2026-05-01T00:00:00Z".parse().unwrap();
    assert_eq!(lifecycle(json!({"expired": true})), Lifecycle::Expired { at: None });
    assert_eq!(
        lifecycle(json!({"expiredAt": "2026-05-01T02:00:00+02:00"})),
        Lifecycle::Expired { at: Some(at) }
    );
    assert_eq!(lifecycle(json!({"expired": false, "expiredAt": null})), Lifecycle::Live);
    let messages = violations(with(json!({"expired": false, "expiredAt": "2026-05-01"})));
    assert_eq!(messages, ["expiredAt: An advert that is not expired cannot have an expiry date."]);
}

#[test]
fn future_dates_are_rejected() {
    assert_eq!(
        violations(with(json!({"createdAt": "2026-06-03"}))),
        ["createdAt: \"2026-06-03\" is in the future."]
    );
}

#[test]
fn long_invalid_values_are_truncated() {
    let messages = violations(with(json!({"zipcode": "9".repeat(100_000)})));
    assert!(messages[0].len() < 200, "{}", messages[0].len());
}

#[test]
fn history_keeps_unknown_field_names() {
    let history = parse_json(with(json!({"events": [
        {"fieldName": "price", "fieldOldValue": "210000", "fieldNewValue": 200000, "percentVariation": "-4.76",
         "createdAt": "2026-01-01T00:00:00Z"},
        {"fieldName": "boost", "createdAt": "2026-01-02T00:00:00Z"},
    ]})));
    let history = history.unwrap().draft.history;
    assert_eq!(history[0].percent_variation.map(PercentVariation::get), Some(-4.76));
    assert_eq!(history[0].new_value.as_deref(), Some("200000"));
    assert_eq!(names::event_subject(&history[1].subject), "boost");
}

#[test]
fn history_is_read_as_pairs_points_and_creations() {
    let read = parse_json(with(json!({
        "events": [
            {"fieldName": null, "createdAt": "2026-01-01T00:00:00Z"},
            {"fieldName": "expired", "createdAt": "2026-01-05T00:00:00Z", "fieldOldValue": null},
            {"fieldName": "price", "createdAt": "2026-01-02T00:00:00Z", "fieldNewValue": "210000"},
        ],
        "priceHistory": [
            {"date": "2026-01-03T00:00:00Z", "price": 205_000}, {"at": "2026-01-04T00:00:00Z", "value": "200000"},
        ],
    })));
    let read = read.unwrap();
    assert_eq!(read.ignored, [""; 0]);
    let written: Vec<String> = read
        .draft
        .history
        .iter()
        .map(|event| {
            let text = |value: &Option<Box<str>>| value.as_deref().unwrap_or("-").to_owned();
            let (old, new) = (text(&event.old_value), text(&event.new_value));
            format!("{} {} {old} {new}", names::event_subject(&event.subject), event.at)
        })
        .collect();
    assert_eq!(
        written,
        [
            "created 2026-01-01T00:00:00Z - -",
            "expired 2026-01-05T00:00:00Z - -",
            "price 2026-01-02T00:00:00Z - 210000",
            "price 2026-01-03T00:00:00Z - 205000",
            "price 2026-01-04T00:00:00Z - 200000",
        ]
    );
    assert_eq!(
        violations(with(json!({"priceHistory": [{"price": 1}]}))),
        ["priceHistory[0].createdAt: This value should not be blank."]
    );
    assert!(parse_json(with(json!({"priceHistory": null}))).unwrap().draft.history.is_empty());
}
