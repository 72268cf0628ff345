use domain::{FieldUpdate, Identity, Lifecycle};
use domain::{PercentVariation, SiteKey};
use serde_json::{Value, json};

use super::*;
use crate::json::Json;
use crate::names;

fn parse_json(value: Value) -> Result<ParsedDraft, RejectedDraft> {
    parse_in(ParseMode::Lenient, value)
}

fn parse_in(mode: ParseMode, value: Value) -> Result<ParsedDraft, RejectedDraft> {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let now = "2026-06-01T12:00:00Z".parse().unwrap();
    parse(&Json::from(&value), ParseContext { zone: &zone, now, sites: &SiteDirectory::default(), mode })
}

fn with(mut extra: Value) -> Value {
    let base =
        json!({"transactionType": 0, "propertyType": 1, "site": "portail.example", "reference": "A-1"});
    for (name, value) in base.as_object().unwrap() {
        extra.as_object_mut().unwrap().entry(name).or_insert_with(|| value.clone());
    }
    extra
}

fn listed(violations: &[Violation]) -> Vec<String> {
    violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect()
}

/// Returns `path: message` of every violation in strict mode.
fn violations(value: Value) -> Vec<String> {
    listed(&parse_in(ParseMode::Strict, value).expect_err("the advert is invalid").violations)
}

/// Returns the patch and `path: message` of every warning in lenient mode.
fn lenient(extra: Value) -> (domain::AdvertPatch, Vec<String>) {
    let read = parse_json(with(extra)).unwrap();
    (read.draft.patch, listed(&read.warnings))
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
    for mode in [ParseMode::Lenient, ParseMode::Strict] {
        let sent = with(json!({"price": null, "pictures": [], "title": " "}));
        let patch = parse_in(mode, sent).unwrap().draft.patch;
        assert_eq!(patch.price, FieldUpdate::Set(None));
        assert_eq!(patch.pictures, FieldUpdate::Set([].into()));
        assert_eq!(patch.surface, FieldUpdate::Keep);
        // Blank text says nothing, unless the client is strict.
        let expected = if mode == ParseMode::Strict { FieldUpdate::Set(None) } else { FieldUpdate::Keep };
        assert_eq!(patch.title, expected);
    }
}

#[test]
fn unusable_optional_values_are_kept_out_with_a_warning() {
    let (patch, mut warnings) = lenient(json!({
        "price": [], "surface": "60-65 m²", "room": 2.5, "url": "ftp://x.example/", "energy": {"category": "Z"},
        "pictures": ["https://ok.example/1.jpg", 4], "features": [true], "locations": {"lat": 91, "lon": 2},
        "createdAt": "yesterday", "updatedAt": "1970-01-01", "contact": "Agence", "feesPercentage": 101,
        "events": [{"fieldName": "price"}], "elevator": "peut-être", "expired": false, "expiredAt": "2026-05-01",
        "property": "x", "uuid": "x", "zipcode": "!",
    }));
    assert_eq!(patch.pictures.value().map(|pictures| pictures.len()), Some(1));
    for kept in [&patch.price, &patch.surface, &patch.fees_percentage] {
        assert_eq!(*kept, FieldUpdate::Keep);
    }
    assert_eq!(patch.url, FieldUpdate::Keep);
    assert_eq!(patch.energy, FieldUpdate::Keep);
    assert_eq!(patch.contact, FieldUpdate::Keep);
    assert_eq!(patch.features, FieldUpdate::Keep);
    assert_eq!(patch.place, FieldUpdate::Keep);
    warnings.sort();
    let expected = [
        "contact: \"Agence\" is not an object; it was ignored.",
        "createdAt: \"yesterday\" is not a date such as 2026-03-02, 02/03/2026 or 2026-03-02T14:30:00+01:00; it was ignored.",
        "elevator: \"peut-être\" is neither yes nor no; it was ignored.",
        "energy.category: \"Z\" is not the letter of a rating; the letters are A, B, C, D, E, F, G; it was ignored.",
        "events[0].createdAt: This value should not be blank.",
        "expiredAt: An advert that is not expired cannot have an expiry date.",
        "features[0]: true is not a string; it was ignored.",
        "feesPercentage: 101 is not between 0 and 100; it was ignored.",
        "locations: {\"lat\":91,\"lon\":2} is not a point on earth; it was ignored.",
        "pictures[1]: 4 is not a string; it was ignored.",
        "price: [] is not a number; it was ignored.",
        "property: Invalid reference \"x\".",
        "room: 2.5 is not a whole number; it was ignored.",
        "surface: \"60-65 m²\" is a range; it was ignored.",
        "updatedAt: \"1970-01-01\" is before 1990; the date counts as unknown.",
        "url: \"ftp://x.example/\" is not an http or https URL; it was ignored.",
        "uuid: Invalid reference \"x\".",
        "zipcode: \"!\" is not a zipcode.",
    ];
    assert_eq!(warnings, expected);
}

#[test]
fn required_values_are_refused_in_both_modes() {
    for mode in [ParseMode::Lenient, ParseMode::Strict] {
        let paths = |value: Value| -> Vec<String> {
            let rejected = parse_in(mode, value).expect_err("the advert is invalid");
            rejected.violations.into_iter().map(|violation| violation.path).collect()
        };
        assert_eq!(paths(with(json!({"propertyType": "soucoupe"}))), ["propertyType"]);
        assert_eq!(paths(with(json!({"transactionType": [], "price": 1}))), ["transactionType"]);
        assert_eq!(paths(with(json!({"propertyType": null}))), ["propertyType"]);
        assert_eq!(
            paths(json!({"transactionType": 0, "propertyType": 0, "url": "ftp://x.example/"})),
            ["url"]
        );
        assert_eq!(paths(json!({"transactionType": 0, "propertyType": 0, "uuid": "7"})), ["uuid"]);
        assert_eq!(paths(json!({"transactionType": 0, "propertyType": 0, "site": "a.example"})), ["uuid"]);
    }
    let rejected = parse_json(with(json!({"propertyType": "soucoupe", "url": "https://a.example/1"})));
    let rejected = rejected.expect_err("the advert is invalid");
    assert_eq!(
        listed(&rejected.violations),
        [
            "propertyType: \"soucoupe\" is not a valid choice; the choices are 0 (apartment), 1 (house), 2 (building), \
          3 (parking), 4 (office), 5 (land), 6 (shop)."
        ]
    );
    assert_eq!(rejected.reference.as_deref(), Some("A-1"));
    assert_eq!(rejected.url.as_deref(), Some("https://a.example/1"));
}

#[test]
fn blank_text_says_nothing() {
    for blank in ["", " ", "\u{a0}", "null", "-", "N/A", "nc"] {
        let (patch, warnings) = lenient(json!({
            "price": blank, "room": blank, "elevator": blank, "title": blank, "url": blank, "createdAt": blank,
            "energy": {"category": blank, "value": blank}, "locations": blank, "zipcode": blank, "expired": blank,
            "pictures": blank, "features": [blank], "contact": {"phone": blank}, "feesResponsibility": blank,
        }));
        let (site, reference) = (patch.site.clone(), patch.reference.clone());
        assert_eq!(patch, domain::AdvertPatch { site, reference, ..Default::default() }, "{blank:?}");
        assert_eq!(warnings, [""; 0], "{blank:?}");
    }
}

#[test]
fn feeds_are_understood() {
    let read = parse_json(json!({
        "transactionType": "Vente", "propertyType": "Appartement", "site": "portail.example", "reference": 12,
        "price": "295\u{202f}000 €", "surface": "60,1 m²", "landSurface": "12 a 30 ca", "room": "T3", "floor": "RDC",
        "constructionYear": "2 003", "elevator": "oui", "furnished": "N", "energy": "D (250 kWh)",
        "greenHouseGas": {"category": "NC", "value": "11 kg CO2/m²/an"}, "locations": {"lat": "48,85", "lon": "2,35"},
        "zipcode": "F-75011", "description": "L&#39;entrée<br>R&D", "url": "https://portail.example/a b",
        "createdAt": "12/03/2024", "updatedAt": 1_710_234_000, "publisher": {"type": "particulier"},
        "feesResponsibility": "acquéreur", "features": "balcon, cave",
    }));
    let read = read.unwrap();
    assert_eq!(listed(&read.warnings), [""; 0]);
    let draft = read.draft;
    let again = parse_json(json!({
        "transactionType": 0, "propertyType": 0, "site": "portail.example", "reference": "12",
        "price": 295_000, "surface": 60.1, "landSurface": 1_230, "room": 3, "floor": 0,
        "constructionYear": 2003, "elevator": true, "furnished": false, "energy": {"category": "D", "value": 250},
        "greenHouseGas": {"value": 11}, "locations": {"lat": 48.85, "lon": 2.35},
        "zipcode": "75011", "description": "L'entrée\nR&D", "url": "https://portail.example/a%20b",
        "createdAt": "2024-03-11T23:00:00Z", "updatedAt": "2024-03-12T09:00:00Z", "publisher": {"type": 0},
        "feesResponsibility": 1, "features": ["balcon", "cave"],
    }));
    assert_eq!(draft, again.unwrap().draft);
}

#[test]
fn long_texts_and_lists_are_cut() {
    let (patch, warnings) = lenient(json!({
        "title": "é".repeat(1_001), "pictures": vec!["https://a.example/1.jpg"; 201],
    }));
    assert_eq!(
        patch.title.value().and_then(Option::as_ref).map(|title| title.as_str().chars().count()),
        Some(1_000)
    );
    assert_eq!(patch.pictures.value().map(|pictures| pictures.len()), Some(200));
    assert!(
        warnings.iter().any(|line| line.contains("1001 characters; the first 1000 were kept")),
        "{warnings:?}"
    );
    assert!(warnings.contains(&"pictures: The list has 201 items; the first 200 were kept.".to_owned()));
    // A receipt stays short, however much is wrong.
    let (_, warnings) = lenient(json!({"pictures": vec![1; 150], "features": vec![true; 150]}));
    assert_eq!(warnings.len(), 101);
    assert_eq!(warnings[100], ": 200 more warnings are not listed.");
}

#[test]
fn strict_texts_are_verbatim() {
    let text = "L&#39;entrée <br> 60 m²";
    let read = parse_in(ParseMode::Strict, with(json!({"description": text}))).unwrap();
    assert_eq!(
        read.draft.patch.description.value().and_then(Option::as_ref).map(|text| text.as_str()),
        Some(text)
    );
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
    // The reason of a refusal is not called ignored.
    let unusable =
        json!({"transactionType": 0, "propertyType": 1, "site": "portail.example", "reference": true});
    let refused = parse_json(unusable).unwrap_err();
    assert_eq!(listed(&refused.violations), ["reference: true is not a string."]);
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
fn amounts_in_events_are_plain() {
    let event = json!({"fieldName": "price", "createdAt": "01/02/2026", "fieldOldValue": "200 000 €",
                       "fieldNewValue": "190.000", "percentVariation": "-5 %"});
    let other = json!({"fieldName": "title", "createdAt": "2026-02-01", "fieldNewValue": "T3 190.000 €"});
    let history = parse_json(with(json!({"events": [event, other]}))).unwrap().draft.history;
    assert_eq!(
        (history[0].old_value.as_deref(), history[0].new_value.as_deref()),
        (Some("200000"), Some("190000"))
    );
    assert_eq!(history[0].percent_variation.map(PercentVariation::get), Some(-5.0));
    assert_eq!(history[1].new_value.as_deref(), Some("T3 190.000 €"));
}

#[test]
fn list_may_be_a_text() {
    let check = |name: &str, text: &str, expected: &[&str]| {
        let read = parse_json(with(json!({name: text}))).unwrap();
        assert_eq!(super::write(&read.draft)[name], json!(expected), "{text}");
        assert_eq!(listed(&read.warnings), [""; 0], "{text}");
    };
    check("features", "Balcon, cave ,parking", &["Balcon", "cave", "parking"]);
    check("features", "Balcon; vue sur mer, plein sud|cave", &["Balcon", "vue sur mer, plein sud", "cave"]);
    check(
        "pictures",
        "https://a.example/1,2.jpg|https://a.example/2.jpg",
        &["https://a.example/1,2.jpg", "https://a.example/2.jpg"],
    );
    check(
        "pictures",
        "https://a.example/?x=1&amp;y=2;https://a.example/2.jpg, //b.example/3.jpg",
        &["https://a.example/?x=1&y=2", "https://a.example/2.jpg", "https://b.example/3.jpg"],
    );
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
        ["priceHistory[0].date: This value should not be blank."]
    );
    assert!(parse_json(with(json!({"priceHistory": null}))).unwrap().draft.history.is_empty());
}

#[test]
fn poor_crawls_leave_what_is_known() {
    let (nothing, _) = lenient(json!({}));
    for silent in [
        json!({"geoAccuracy": null}),
        json!({"country": null}),
        json!({"locations": null}),
        json!({"zipcode": null, "cityName": "", "locations": null}),
        json!({"energy": {"category": "NC", "value": null}}),
        json!({"publisher": {"name": "", "type": null}}),
        json!({"surface": "0", "room": 0, "landSurface": 0.0}),
        json!({"lifeAnnuity": {"bouquet": 0, "rent": "0"}}),
        json!({"newBuilding": {"priceMin": 0, "surfaceMax": "0", "roomMin": 0}}),
    ] {
        assert_eq!(lenient(silent.clone()), (nothing.clone(), vec![]), "{silent}");
    }
    for unusable in [
        json!({"zipcode": "ABC"}),
        json!({"zipcode": "37"}),
        json!({"zipcode": "00000"}),
        json!({"price": 0}),
    ] {
        let (patch, warnings) = lenient(unusable.clone());
        assert_eq!((patch, warnings.len()), (nothing.clone(), 1), "{unusable}");
    }
    // A person who is no longer named is not kept.
    let unnamed = lenient(json!({"contact": {"name": null, "phone": ""}})).0.contact;
    assert_eq!(unnamed, FieldUpdate::Set(domain::Contact::default()));
    let nowhere = json!({"insee": null, "zipcode": null, "cityName": null, "location": null});
    assert_eq!(lenient(nowhere).0.place, FieldUpdate::Set(domain::GivenPlace::default()));
}

#[test]
fn points_of_a_price_history_need_a_price_and_a_date() {
    let read = parse_json(with(json!({
        "events": [
            {"fieldName": "price", "createdAt": "2026-02-05", "fieldOldValue": "250 000 €", "fieldNewValue": "abc"},
        ],
        "priceHistory": [
            {"date": "2026-02-01", "price": null},
            {"date": "2026-02-01", "price": "NC"},
            {"date": "2026-02-02", "price": "nous consulter"},
            {"date": "2026-02-03", "price": -5},
            {"date": "nie", "price": 1_000},
            {"at": "2026-02-04", "value": "250 000 €"},
        ],
    })));
    let read = read.unwrap();
    let values = read.draft.history.iter().map(|event| event.new_value.as_deref());
    assert_eq!(values.collect::<Vec<_>>(), [Some("250000")]);
    let paths = read.warnings.iter().map(|warning| warning.path.as_str());
    let expected = ["events[0].fieldNewValue", "priceHistory[3].price", "priceHistory[4].date"];
    assert_eq!(paths.collect::<Vec<_>>(), expected);
}

#[test]
fn numbers_that_lost_digits_identify_nothing() {
    let reference = |mode, digits: &str| {
        let number: Value = serde_json::from_str(digits).unwrap();
        parse_in(mode, with(json!({"reference": number}))).map(|read| read.draft.identity)
    };
    for mode in [ParseMode::Strict, ParseMode::Lenient] {
        let refused = reference(mode, "123456789012345678901").unwrap_err();
        let messages = listed(&refused.violations);
        assert!(messages[0].starts_with("reference: 1.2345678901234568e+20"), "{messages:?}");
        assert!(messages[0].ends_with("is too long for a number; send it as a string."), "{messages:?}");
        let site = SiteKey::parse("portail.example").unwrap();
        let expected = Identity::SiteReference(site, "18446744073709551615".into());
        assert_eq!(reference(mode, "18446744073709551615").unwrap(), expected);
    }
}

#[test]
fn lists_are_read_from_texts_of_every_form() {
    let list = |name: &str, text: &str| {
        let written = write(&parse_json(with(json!({name: text}))).unwrap().draft);
        let items = written[name].as_array().unwrap().iter();
        items.map(|item| item.as_str().unwrap().to_owned()).collect::<Vec<String>>()
    };
    let pictures = ["https://e.example/1.jpg", "https://e.example/2.jpg"];
    assert_eq!(list("pictures", "https://e.example/1.jpg https://e.example/2.jpg"), pictures);
    assert_eq!(list("features", r#"["cave",null,3,"terrasse"]"#), ["cave", "3", "terrasse"]);
    assert_eq!(list("features", "<ul><li>Cave</li><li>Terrasse</li></ul>"), ["Cave", "Terrasse"]);
    assert_eq!(list("features", "Surface 60,5 m², cave"), ["Surface 60,5 m²", "cave"]);
    assert_eq!(list("features", "vue mer"), ["vue mer"]);
}
