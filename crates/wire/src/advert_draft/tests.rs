use serde_json::json;

use super::*;

fn read_json(value: Value) -> Result<ReadDraft, RefusedDraft> {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let now = "2026-06-01T12:00:00Z".parse().unwrap();
    read(&value, ParseContext { zone: &zone, now, sites: &SiteDirectory::default() })
}

fn with(mut extra: Value) -> Value {
    let base =
        json!({"transactionType": 0, "propertyType": 1, "site": "portail.example", "reference": "A-1"});
    for (name, value) in base.as_object().unwrap() {
        extra.as_object_mut().unwrap().entry(name).or_insert_with(|| value.clone());
    }
    extra
}

/// `path: message` of every violation.
fn refused(value: Value) -> Vec<String> {
    let refused = read_json(value).expect_err("refused");
    refused.violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect()
}

#[test]
fn the_smallest_advert_is_a_kind_and_an_identity() {
    let read = read_json(with(json!({}))).unwrap();
    let site = SiteKey::parse("portail.example").unwrap();
    assert_eq!(read.draft.identity, Identity::SiteReference(site, "A-1".into()));
    assert_eq!(read.draft.lifecycle, Lifecycle::Seen);
    assert!(read.ignored.is_empty());
}

#[test]
fn identity_is_the_first_that_is_given() {
    let uuid = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let url = "https://www.portail.example/annonce/1#photos";
    let kind = |value| read_json(value).unwrap().draft.identity;
    assert_eq!(kind(with(json!({"uuid": uuid, "url": url}))), Identity::Uuid(uuid.parse().unwrap()));
    assert!(matches!(kind(with(json!({"url": url}))), Identity::SiteReference(..)));
    assert_eq!(
        kind(json!({"transactionType": 0, "propertyType": 1, "url": url})),
        Identity::Url("https://www.portail.example/annonce/1".into())
    );
    // The site is taken from the address, and with a reference it identifies the advert.
    assert!(matches!(
        kind(json!({"transactionType": 0, "propertyType": 1, "url": url, "reference": 7})),
        Identity::SiteReference(site, reference) if site.as_str() == "portail.example" && &*reference == "7"
    ));
}

#[test]
fn absent_keeps_null_clears() {
    let patch = read_json(with(json!({"price": null, "pictures": [], "title": " "}))).unwrap().draft.patch;
    assert_eq!(patch.price, FieldUpdate::Set(None));
    assert_eq!(patch.pictures, FieldUpdate::Set(Vec::new()));
    assert_eq!(patch.title, FieldUpdate::Set(None));
    assert_eq!(patch.surface, FieldUpdate::Keep);
}

#[test]
fn numbers_may_be_texts() {
    let patch = read_json(with(json!({"price": "250000.50", "room": "3"}))).unwrap().draft.patch;
    assert_eq!(patch.price, FieldUpdate::Set(domain::Amount::new(250_000.5)));
    assert_eq!(patch.room, FieldUpdate::Set(Some(3)));
}

#[test]
fn everything_wrong_is_reported_together() {
    let told = refused(json!({
        "site": "portail.example", "propertyType": 9, "price": [], "surface": -1, "room": 2.5,
        "url": "ftp://x.example/", "energy": {"category": "Z"}, "pictures": ["https://ok.example/1.jpg", 4],
        "locations": {"lat": 91, "lon": 2}, "createdAt": "yesterday", "contact": {"email": 3},
        "events": [{"fieldName": "price"}], "feesPercentage": 101,
    }));
    let paths: Vec<&str> = told.iter().map(|line| line.split(':').next().unwrap()).collect();
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
fn an_advert_that_nothing_identifies_is_refused() {
    let told = refused(json!({"transactionType": 0, "propertyType": 1, "site": "portail.example"}));
    assert_eq!(told, ["uuid: An advert needs a uuid, a site with a reference, or a url."]);
    assert_eq!(refused(json!([1])), [": An advert must be an object, array given."]);
}

#[test]
fn unknown_names_are_reported_not_refused() {
    let read = read_json(with(json!({
        "colour": "red", "publisher": {"name": "Agence", "category": "portal"}, "@id": "/adverts/x",
        "contact": {"skype": "a"},
    })));
    let mut ignored = read.unwrap().ignored;
    ignored.sort();
    assert_eq!(ignored, ["colour", "contact.skype", "publisher.category"]);
}

#[test]
fn the_lifecycle_is_said_in_three_ways() {
    let lifecycle = |extra| read_json(with(extra)).unwrap().draft.lifecycle;
    let at = "2026-05-01T00:00:00Z".parse().unwrap();
    assert_eq!(lifecycle(json!({"expired": true})), Lifecycle::Expired { at: None });
    assert_eq!(
        lifecycle(json!({"expiredAt": "2026-05-01T02:00:00+02:00"})),
        Lifecycle::Expired { at: Some(at) }
    );
    assert_eq!(lifecycle(json!({"expired": false, "expiredAt": null})), Lifecycle::Live);
    let told = refused(with(json!({"expired": false, "expiredAt": "2026-05-01"})));
    assert_eq!(told, ["expiredAt: An advert that is not expired has no date of expiry."]);
}

#[test]
fn dates_of_the_future_are_errors() {
    assert_eq!(
        refused(with(json!({"createdAt": "2026-06-03"}))),
        ["createdAt: \"2026-06-03\" lies in the future."]
    );
}

#[test]
fn a_long_wrong_value_is_not_repeated_in_full() {
    let told = refused(with(json!({"zipcode": "9".repeat(100_000)})));
    assert!(told[0].len() < 200, "{}", told[0].len());
}

#[test]
fn history_keeps_names_it_does_not_know() {
    let history = read_json(with(json!({"events": [
        {"fieldName": "price", "fieldOldValue": "210000", "fieldNewValue": 200000, "percentVariation": "-4.76",
         "createdAt": "2026-01-01T00:00:00Z"},
        {"fieldName": "boost", "createdAt": "2026-01-02T00:00:00Z"},
    ]})));
    let history = history.unwrap().draft.history;
    assert_eq!(history[0].percent_variation.map(PercentVariation::get), Some(-4.76));
    assert_eq!(history[0].new_value.as_deref(), Some("200000"));
    assert_eq!(names::event_subject(&history[1].subject), "boost");
}
