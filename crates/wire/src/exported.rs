//! Reads the property documents of an export back into drafts, one per advert. The inverse of
//! [`export_document`](crate::document::export_document).
//!
//! A document of a release that exported less, or of a page of results, can be read too: what its adverts lack is taken from the
//! property.

use domain::{FieldUpdate, PriceCheck, SiteKey, Violation};
use serde_json::{Map, Value};

use crate::advert_draft::{ParseContext, ParsedDraft, RejectedDraft, parse};
use crate::json::Json;
use crate::names;

/// The fields that say where an advert is.
const PLACE: [&str; 6] = ["insee", "zipcode", "cityName", "locations", "location", "geoAccuracy"];

/// How a line of an export begins.
const BEGINNING: &[u8] = br#"{"@context":"/contexts/PropertyDocument""#;

/// Returns `true` if the text of a line begins like a document of an export.
pub fn starts_document(line: &[u8]) -> bool {
    line.starts_with(BEGINNING)
}

/// Returns `true` for a line of an export: a property document, or the error that ended an export early.
pub fn is_exported(value: &Json<'_>) -> bool {
    matches!(value.get("@type").and_then(Json::as_str), Some("PropertyDocument" | "hydra:Error"))
}

/// Parses the adverts of a document. A document that cannot be read is one rejected draft.
pub fn parse_document(document: Value, context: ParseContext<'_>) -> Vec<Result<ParsedDraft, RejectedDraft>> {
    let rejected = |path: &str, message: &str| {
        let violations = vec![Violation::malformed(path, message)];
        vec![Err(RejectedDraft { violations, ..RejectedDraft::default() })]
    };
    if type_of(&document) == Some("hydra:Error") {
        return rejected("", "The export ended early with an error. Export again, or resume where it ended.");
    }
    let Value::Object(mut document) = document else {
        return rejected("", "A property document must be a JSON object.");
    };
    let Some(Value::Array(adverts)) = document.remove("adverts") else {
        return rejected("adverts", "A property document must have a list of adverts.");
    };
    adverts.into_iter().map(|advert| parse_advert(&document, advert, context)).collect()
}

fn parse_advert(
    document: &Map<String, Value>,
    advert: Value,
    context: ParseContext<'_>,
) -> Result<ParsedDraft, RejectedDraft> {
    let Value::Object(mut advert) = advert else { return parse(&Json::from(&advert), context) };
    complete(&mut advert, document);
    let price_check = price_check(advert.remove("coherentPrice"), advert.remove("priceProblem"));
    if let Some(Value::Object(publisher)) = advert.get_mut("publisher") {
        publisher.remove("category");
    }
    // The advert was live when it was exported. That does not bring back an advert that expired here since then.
    if advert.get("expired") == Some(&Value::Bool(false)) {
        advert.remove("expired");
    }
    // The site of an export is a key. It is neither a reference to a site of this service nor derived from the URL.
    let site = advert.remove("site");
    let advert = Value::Object(advert);
    let mut parsed = parse(&Json::from(&advert), context)?;
    if let Some(site) = site {
        parsed.draft.patch.site = FieldUpdate::Set(site.as_str().and_then(SiteKey::parse));
    }
    parsed.draft.price_check = price_check;
    Ok(parsed)
}

/// Returns what an exported advert says of its price. `None` if it does not say it, or in words of a later release.
fn price_check(is_coherent: Option<Value>, problem: Option<Value>) -> Option<PriceCheck> {
    match (is_coherent?.as_bool()?, problem) {
        (true, _) => Some(PriceCheck::TakenOver(None)),
        (false, problem) => {
            names::parse_price_problem(problem?.as_str()?).map(|problem| PriceCheck::TakenOver(Some(problem)))
        }
    }
}

/// Adds what an advert lacks from the document of its property.
fn complete(advert: &mut Map<String, Value>, document: &Map<String, Value>) {
    for name in ["property", "transactionType", "propertyType"] {
        if let (false, Some(value)) = (advert.contains_key(name), document.get(name)) {
            advert.insert(name.to_owned(), value.clone());
        }
    }
    if PLACE.iter().any(|name| advert.contains_key(*name)) {
        return;
    }
    let city = document.get("city").and_then(Value::as_object);
    let city = |name: &str| city.and_then(|city| city.get(name)).cloned();
    let point = document.get("locations").cloned();
    // Without a point of its own, a property is shown at the centre of its commune.
    let is_centre = point == city("locations");
    for (name, value) in [
        ("insee", city("insee")),
        ("zipcode", city("zipcode")),
        ("cityName", city("name")),
        ("locations", point.filter(|_| !is_centre)),
        ("geoAccuracy", document.get("geoAccuracy").filter(|_| !is_centre).cloned()),
    ] {
        if let Some(value) = value {
            advert.insert(name.to_owned(), value);
        }
    }
}

fn type_of(value: &Value) -> Option<&str> {
    value.as_object()?.get("@type")?.as_str()
}

#[cfg(test)]
mod tests {
    use domain::{Lifecycle, PriceProblem, SiteDirectory};
    use jiff::tz::TimeZone;
    use serde_json::json;

    use super::*;
    use crate::advert_draft::ParseMode;

    fn parse_json(document: Value) -> Vec<Result<ParsedDraft, RejectedDraft>> {
        let now = "2026-06-01T12:00:00Z".parse().unwrap();
        let mode = ParseMode::Strict;
        let context = ParseContext { zone: &TimeZone::UTC, now, sites: &SiteDirectory::default(), mode };
        parse_document(document, context)
    }

    fn document(adverts: Value) -> Value {
        json!({
            "@type": "PropertyDocument", "property": "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b",
            "transactionType": 0, "propertyType": 1, "adverts": adverts,
            "city": {"insee": "37261", "zipcode": "37000", "name": "Tours", "locations": {"lat": 47.39, "lon": 0.69}},
            "locations": {"lat": 47.39, "lon": 0.69}, "geoAccuracy": 2,
        })
    }

    const UUID: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c";

    #[test]
    fn computed_fields_are_not_reported_as_ignored() {
        let adverts = json!([{
            "uuid": UUID, "coherentPrice": true, "priceProblem": null, "publisher": {"name": "Agence", "category": "portal"}, "expired": false,
            "colour": "red",
        }]);
        let parsed = parse_json(document(adverts)).remove(0).unwrap();
        assert_eq!(parsed.ignored, ["colour"]);
        assert_eq!(parsed.draft.price_check, Some(PriceCheck::TakenOver(None)));
        assert_eq!(parsed.draft.lifecycle, Lifecycle::Seen);
    }

    #[test]
    fn price_is_judged_as_it_was() {
        let check = |is_coherent: Value, problem: Value, expected: Option<PriceCheck>| {
            let adverts = json!([{"uuid": UUID, "coherentPrice": is_coherent, "priceProblem": problem}]);
            let parsed = parse_json(document(adverts)).remove(0).unwrap();
            assert_eq!(parsed.draft.price_check, expected, "{is_coherent} {problem}");
        };
        check(json!(true), Value::Null, Some(PriceCheck::TakenOver(None)));
        for problem in PriceProblem::ALL {
            let name = names::price_problem(*problem);
            check(json!(false), json!(name), Some(PriceCheck::TakenOver(Some(*problem))));
        }
        check(json!(false), Value::Null, None);
        check(json!(false), json!("unheardOf"), None);
        check(Value::Null, Value::Null, None);
    }

    #[test]
    fn missing_fields_come_from_the_property() {
        let parsed = parse_json(document(json!([{"uuid": UUID}]))).remove(0).unwrap();
        let place = parsed.draft.patch.place.value().unwrap();
        assert_eq!(place.insee.as_ref().map(|insee| insee.as_str()), Some("37261"));
        // The centre of the commune is not the place of the advert.
        assert_eq!((place.point, place.accuracy), (None, None));
        assert!(parsed.draft.property.is_some());
        let nowhere = json!({"insee": null, "zipcode": null, "cityName": null, "locations": null});
        let mut given = json!([{"uuid": UUID, "propertyType": 0}]);
        given[0].as_object_mut().unwrap().extend(nowhere.as_object().unwrap().clone());
        let parsed = parse_json(document(given)).remove(0).unwrap();
        assert!(parsed.draft.patch.place.value().unwrap().is_empty());
        assert_eq!(parsed.draft.property_type.code(), 0);
    }

    #[test]
    fn site_is_a_key_or_absent() {
        let site = |site: Value| {
            let advert = json!([{"uuid": UUID, "site": site, "url": "https://portail.fr/1"}]);
            parse_json(document(advert)).remove(0).unwrap().draft.patch.site
        };
        assert_eq!(site(json!("autre.fr")), FieldUpdate::Set(SiteKey::parse("autre.fr")));
        assert_eq!(site(json!("12")), FieldUpdate::Set(SiteKey::parse("12")));
        assert_eq!(site(Value::Null), FieldUpdate::Set(None));
    }

    #[test]
    fn broken_documents_are_rejected() {
        let rejections = |value| parse_json(value).into_iter().filter(Result::is_err).count();
        assert_eq!(rejections(json!({"@type": "PropertyDocument"})), 1);
        assert_eq!(rejections(json!({"@type": "hydra:Error", "status": 503})), 1);
        assert_eq!(rejections(document(json!([{"uuid": UUID}, 4, {"uuid": 4}]))), 2);
        let exported = |value: serde_json::Value| is_exported(&Json::from(&value));
        assert!(exported(json!({"@type": "hydra:Error"})));
        assert!(!exported(json!({"@type": "Advert"})) && !exported(json!(["@type"])));
    }
}
