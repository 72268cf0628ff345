//! Every field of an advert, with every wrong type.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, minimal};

/// Types that a field accepts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Strings only.
    Text,
    /// Strings, and numbers.
    Label,
    /// Numbers and numeric strings.
    Number,
    /// Booleans, 0 and 1, and these as strings.
    Boolean,
    List,
    Object,
}

use Kind::{Boolean, Label, List, Number, Object, Text};

/// Every field, including the members of objects.
const FIELDS: &[(&str, Kind)] = &[
    ("uuid", Text),
    ("property", Text),
    ("transactionType", Number),
    ("propertyType", Number),
    ("site", Text),
    ("reference", Label),
    ("url", Text),
    ("title", Text),
    ("description", Text),
    ("contact", Object),
    ("contact.agency", Text),
    ("contact.email", Text),
    ("contact.fax", Text),
    ("contact.name", Text),
    ("contact.phone", Text),
    ("contact.reference", Text),
    ("publisher", Object),
    ("publisher.name", Text),
    ("publisher.type", Number),
    ("price", Number),
    ("priceExcludingFees", Number),
    ("feesPercentage", Number),
    ("feesResponsibility", Number),
    ("condominiumFees", Number),
    ("inventoryPrice", Number),
    ("propertyTax", Number),
    ("rentalCharges", Number),
    ("rentalPledge", Number),
    ("renterFees", Number),
    ("lotCount", Number),
    ("surface", Number),
    ("landSurface", Number),
    ("room", Number),
    ("bedroom", Number),
    ("floor", Number),
    ("floorQuantity", Number),
    ("constructionYear", Number),
    ("elevator", Boolean),
    ("furnished", Boolean),
    ("energy", Object),
    ("energy.category", Text),
    ("energy.value", Number),
    ("greenHouseGas", Object),
    ("greenHouseGas.category", Text),
    ("greenHouseGas.value", Number),
    ("features", List),
    ("features[0]", Text),
    ("pictures", List),
    ("pictures[0]", Text),
    ("picturesRemote", List),
    ("picturesRemote[0]", Text),
    ("virtualTour", Text),
    ("district", Text),
    ("exclusiveMandate", Boolean),
    ("parkingCount", Number),
    ("heating", Text),
    ("lifeAnnuity", Object),
    ("lifeAnnuity.bouquet", Number),
    ("lifeAnnuity.rent", Number),
    ("occupied", Boolean),
    ("rentPeriod", Text),
    ("newBuilding", Object),
    ("newBuilding.priceMin", Number),
    ("newBuilding.priceMax", Number),
    ("newBuilding.surfaceMin", Number),
    ("newBuilding.surfaceMax", Number),
    ("newBuilding.roomMin", Number),
    ("newBuilding.roomMax", Number),
    ("insee", Label),
    ("zipcode", Label),
    ("cityName", Text),
    ("locations", Object),
    ("locations.lat", Number),
    ("locations.lon", Number),
    ("geoAccuracy", Number),
    ("createdAt", Text),
    ("updatedAt", Text),
    ("lastCrawledAt", Text),
    ("expired", Boolean),
    ("expiredAt", Text),
    ("events", List),
    ("events[0]", Object),
    ("events[0].createdAt", Text),
    ("events[0].fieldName", Text),
    ("events[0].fieldOldValue", Label),
    ("events[0].fieldNewValue", Label),
    ("events[0].percentVariation", Number),
];

fn wrong_values(kind: Kind) -> Vec<Value> {
    let all = [json!(true), json!(1.5), json!("wrong"), json!([]), json!({})];
    let fits = |value: &Value| match kind {
        Text => value.is_string(),
        Label => value.is_string() || value.is_number(),
        Number => value.is_number(),
        Boolean => value.is_boolean(),
        List => value.is_array(),
        Object => value.is_object(),
    };
    all.into_iter().filter(|value| !fits(value)).collect()
}

/// Returns the full advert with the value at a path replaced.
fn with(path: &str, value: &Value) -> Value {
    let mut advert = full("1");
    let pointer = format!("/{}", path.replace("[0]", "/0").replace('.', "/"));
    match advert.pointer_mut(&pointer) {
        Some(slot) => *slot = value.clone(),
        None => advert[path] = value.clone(),
    }
    advert
}

#[tokio::test]
async fn wrong_type_of_every_field_is_reported() {
    let server = TestServer::start().await;
    for (path, kind) in FIELDS {
        for value in wrong_values(*kind) {
            let response = server.post_strict(&with(path, &value)).await;
            assert_eq!(response.status, 400, "{path} {value}: {}", response.text());
            let mut paths = response.violations(400);
            // An event without a valid name has no path of its own.
            paths.dedup();
            assert_eq!(paths, [*path], "{value}");
            assert_eq!(response.json()["violations"][0]["code"], "malformed", "{path} {value}");
        }
    }
    assert_eq!(server.log_length().await, 0);
}

#[tokio::test]
async fn wrong_type_of_an_optional_field_is_never_refused() {
    let server = TestServer::start().await;
    for (path, kind) in FIELDS.iter().filter(|(path, _)| !matches!(*path, "transactionType" | "propertyType"))
    {
        for value in wrong_values(*kind) {
            let receipt = server.accept(&with(path, &value)).await;
            // A number may be a text, a text a list, and no coordinates an empty list. Everything else is reported.
            let understood = matches!((kind, &value), (Text, Value::Number(_)) | (List, Value::String(_)))
                || *path == "locations" && value == json!([]);
            if !understood && *path != "events[0].fieldOldValue" && *path != "events[0].fieldNewValue" {
                let warnings = receipt["warnings"].as_array().cloned().unwrap_or_default();
                let about = |warning: &Value| {
                    let about = warning["propertyPath"].as_str().unwrap();
                    path.starts_with(about.split(['.', '[']).next().unwrap())
                };
                assert!(warnings.iter().any(about), "{path} {value}: {receipt}");
            }
        }
    }
}

#[tokio::test]
async fn field_table_covers_the_full_advert() {
    let known = |name: &str| FIELDS.iter().any(|(path, _)| *path == name);
    for (name, value) in full("1").as_object().unwrap() {
        assert!(known(name), "{name}");
        for member in value.as_object().into_iter().flat_map(|members| members.keys()) {
            assert!(known(&format!("{name}.{member}")), "{name}.{member}");
        }
    }
    // The server knows every name in it.
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    assert_eq!(receipt["ignored"], json!([]));
    for (path, _) in FIELDS.iter().filter(|(path, _)| !path.contains(['.', '['])) {
        if !matches!(*path, "transactionType" | "propertyType" | "site" | "reference") {
            let receipt = server.accept(&advert("1", json!({*path: null}))).await;
            assert_eq!(receipt["ignored"], json!([]), "{path}");
        }
    }
}

#[tokio::test]
async fn invalid_enumeration_values_are_reported() {
    let server = TestServer::start().await;
    for (path, wrong) in [
        ("transactionType", json!(2)),
        ("propertyType", json!(7)),
        ("propertyType", json!("7")),
        ("feesResponsibility", json!(2)),
        ("publisher.type", json!(2)),
        ("geoAccuracy", json!(0)),
        ("geoAccuracy", json!(3)),
        ("energy.category", json!("H")),
        ("energy.category", json!("AB")),
        ("greenHouseGas.category", json!("é")),
        ("locations.lat", json!(90.1)),
        ("locations.lon", json!(-180.1)),
        ("insee", json!("2C004")),
        ("zipcode", json!("7")),
        ("url", json!("ftp://a.example/")),
        ("url", json!("javascript:alert(1)")),
        ("pictures[0]", json!("//a.example/1.jpg")),
        ("virtualTour", json!("https://")),
        ("parkingCount", json!(1_001)),
        ("rentPeriod", json!("fortnight")),
        ("lifeAnnuity.rent", json!(-1)),
        ("newBuilding.roomMax", json!(-1)),
    ] {
        let response = server.post_strict(&with(path, &wrong)).await;
        assert_eq!(response.violations(422), [path], "{wrong}");
    }
}

#[tokio::test]
async fn incomplete_location_is_rejected() {
    let server = TestServer::start().await;
    for (given, missing) in [
        (json!({"lat": 1}), "locations.lon"),
        (json!({"lon": 1}), "locations.lat"),
        (json!({"lat": null, "lon": 1}), "locations.lat"),
    ] {
        let response = server.post_strict(&advert("1", json!({"locations": given}))).await;
        assert_eq!(response.violations(422), [missing]);
    }
}

#[tokio::test]
async fn missing_type_is_reported_as_missing() {
    let server = TestServer::start().await;
    for name in ["transactionType", "propertyType"] {
        let mut sent = minimal("1");
        sent[name] = Value::Null;
        assert_eq!(server.post_strict(&sent).await.violations(422), [name]);
    }
}
