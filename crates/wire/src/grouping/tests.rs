//! Complete bodies and their summaries, and corrections in all spellings.

use domain::grouping::{EvidenceKind, Veto};
use domain::{AdvertDetails, PropertyType, ShortText, SiteKey, TransactionType, WebAddress};
use serde_json::json;

use super::*;

const ONE: &str = "00000000-0000-7000-8000-000000000001";
const TWO: &str = "00000000-0000-7000-8000-000000000002";

fn property(number: u8) -> PropertyId {
    format!("00000000-0000-7000-8000-00000000000{number}").parse().unwrap()
}

fn advert_id(number: u8) -> AdvertId {
    format!("00000000-0000-7000-9000-00000000000{number}").parse().unwrap()
}

fn evidence(kind: EvidenceKind, points: f32) -> Evidence {
    Evidence { kind, points, detail: "as a test".to_owned() }
}

fn comparison(veto: Option<Veto>, points: &[(EvidenceKind, f32)]) -> Comparison {
    let evidence: Vec<Evidence> = points.iter().map(|(kind, points)| evidence(*kind, *points)).collect();
    Comparison { score: evidence.iter().map(|evidence| evidence.points).sum(), veto, evidence }
}

fn compared(properties: [u8; 2], comparison: Option<&Comparison>) -> ComparisonInput<'_> {
    ComparisonInput {
        adverts: [advert_id(1), advert_id(2)],
        properties: properties.map(property),
        verdict: None,
        comparison,
    }
}

fn advert(number: u8) -> Advert {
    let at = Timestamp::from_second(1_700_000_000).unwrap();
    Advert {
        id: advert_id(number),
        transaction_type: TransactionType::Sell,
        property_type: PropertyType::Apartment,
        details: AdvertDetails {
            site: SiteKey::parse("portail.example"),
            reference: ShortText::new("A-12").unwrap(),
            url: WebAddress::parse("https://portail.example/a-12").ok(),
            ..AdvertDetails::default()
        },
        placement: None,
        created_at: at,
        updated_at: at,
        last_crawled_at: at,
        expired_at: None,
        events: Vec::new(),
        timeline: domain::timeline::Timeline::default(),
        price_check: domain::PriceCheck::default(),
    }
}

#[test]
fn corrections_parse_in_all_spellings() {
    let spellings = [
        json!({"properties": [format!("/properties/{ONE}"), format!("/documents/properties/{TWO}")]}),
        json!({"properties": [ONE, TWO, ONE], "@type": "PropertyMerge"}),
        json!({"properties": {"0": ONE, "1": {"@id": format!("properties/{TWO}")}}}),
    ];
    for body in spellings {
        assert_eq!(parse_merge(&body), Ok(vec![property(1), property(2)]), "{body}");
    }
    assert_eq!(parse_merge(&json!({"properties": [TWO, ONE]})), Ok(vec![property(2), property(1)]));
    let one = parse_split(&json!({"adverts": format!("/adverts/{}", advert_id(1))}));
    assert_eq!(one, Ok(vec![advert_id(1)]));
    // Whether a list is long enough is not decided here.
    assert_eq!(parse_split(&json!({"adverts": []})), Ok(Vec::new()));
}

#[test]
fn all_violations_of_a_correction_are_reported() {
    let check = |body: Value, expected: &[&str]| {
        let violations = parse_merge(&body).unwrap_err();
        let lines: Vec<String> = violations.iter().map(|v| format!("{}: {}", v.path, v.message)).collect();
        assert_eq!(lines, expected, "{body}");
    };
    check(json!([]), &[": The body must be a JSON object, array given."]);
    check(json!({}), &["properties: This value should not be blank."]);
    check(json!({"properties": null}), &["properties: This value should not be blank."]);
    check(
        json!({"properties": [ONE, "/searches/x", 7], "property": TWO}),
        &[
            "property: This attribute is not known.",
            "properties[1]: \"/searches/x\" is not a reference to a property.",
            "properties[2]: The type of the \"properties[2]\" attribute must be a string, number 7 given.",
        ],
    );
}

#[test]
fn results_of_corrections_name_the_properties() {
    assert_eq!(
        serde_json::to_value(MergeBody::of(property(1), &[property(2), property(3)])).unwrap(),
        json!({
            "@context": "/contexts/PropertyMerge", "@id": format!("/properties/{ONE}"), "@type": "PropertyMerge",
            "property": format!("/properties/{ONE}"),
            "merged": [format!("/properties/{TWO}"), format!("/properties/{}", property(3))],
        })
    );
    assert_eq!(
        serde_json::to_value(SplitBody::of(property(1), property(2))).unwrap(),
        json!({
            "@context": "/contexts/PropertySplit", "@id": format!("/properties/{TWO}"), "@type": "PropertySplit",
            "property": format!("/properties/{ONE}"), "created": format!("/properties/{TWO}"),
        })
    );
}

#[test]
fn grouping_body_is_complete() {
    let comparison = comparison(None, &[(EvidenceKind::Price, JOIN_SCORE), (EvidenceKind::Surface, 1.1)]);
    let (join, score) = (rounded(JOIN_SCORE), rounded(JOIN_SCORE + 1.1));
    let (first, adverts) = (advert(1), [advert_id(2)]);
    let input = GroupingInput {
        property: property(1),
        adverts: vec![
            GroupedAdvertInput {
                id: advert_id(1),
                advert: Some(&first),
                grouped_by: "evidence",
                closest: Some(compared([1, 1], Some(&comparison))),
            },
            GroupedAdvertInput { id: advert_id(2), advert: None, grouped_by: "first", closest: None },
        ],
        history: vec![RegroupingInput {
            at: Timestamp::from_second(1_700_000_000).unwrap(),
            from: property(2),
            to: property(1),
            adverts: &adverts,
            by: "person",
            decided_by: Some("Zoé"),
        }],
        zone: &TimeZone::UTC,
    };
    let expected = json!({
        "@context": "/contexts/PropertyGrouping",
        "@id": format!("/documents/properties/{ONE}/grouping"),
        "@type": "PropertyGrouping",
        "property": format!("/properties/{ONE}"),
        "adverts": [{
            "@id": format!("/adverts/{}", advert_id(1)),
            "uuid": advert_id(1).to_string(),
            "site": "portail.example",
            "reference": "A-12",
            "url": "https://portail.example/a-12",
            "groupedBy": "evidence",
            "closest": {
                "advert": format!("/adverts/{}", advert_id(2)),
                "summary": format!(
                    "The adverts are in one property. Their score of {score} reaches the {join} for one property."
                ),
                "score": score,
                "threshold": join,
                "keepThreshold": rounded(KEEP_SCORE),
                "veto": null,
                "verdict": null,
                "evidence": [
                    {"name": "price", "points": join, "detail": "as a test"},
                    {"name": "surface", "points": 1.1, "detail": "as a test"},
                ],
            },
        }, {
            "@id": format!("/adverts/{}", advert_id(2)),
            "uuid": advert_id(2).to_string(),
            "site": null, "reference": null, "url": null,
            "groupedBy": "first",
            "closest": null,
        }],
        "history": [{
            "createdAt": "2023-11-14T22:13:20+00:00",
            "from": format!("/properties/{TWO}"),
            "to": format!("/properties/{ONE}"),
            "adverts": [format!("/adverts/{}", advert_id(2))],
            "by": "person", "decidedBy": "Zoé",
        }],
    });
    assert_eq!(serde_json::to_value(GroupingBody::of(&input)).unwrap(), expected);
}

#[test]
fn comparison_body_is_complete() {
    let comparison = comparison(Some(Veto::BothLiveOnOneSite), &[(EvidenceKind::Surface, 3.0)]);
    let (one, other) = (advert(1), advert(2));
    let input = compared([1, 2], Some(&comparison));
    let body = AdvertComparisonBody::of(property(1), &input, [Some(&one), Some(&other)]);
    let side = |number: u8| {
        json!({
            "@id": format!("/adverts/{}", advert_id(number)), "uuid": advert_id(number).to_string(),
            "site": "portail.example", "reference": "A-12", "url": "https://portail.example/a-12",
            "property": format!("/properties/{}", property(number)),
        })
    };
    let expected = json!({
        "@context": "/contexts/AdvertComparison",
        "@id": format!(
            "/documents/properties/{ONE}/grouping?adverts[]={}&adverts[]={}", advert_id(1), advert_id(2)
        ),
        "@type": "AdvertComparison",
        "oneProperty": false,
        "adverts": [side(1), side(2)],
        "summary": "The adverts are in two properties. They cannot be of one property, whatever their score of 3: \
                    both live on one site.",
        "score": 3.0, "threshold": rounded(JOIN_SCORE), "keepThreshold": rounded(KEEP_SCORE), "veto": "bothLiveOnOneSite", "verdict": null,
        "evidence": [{"name": "surface", "points": 3.0, "detail": "as a test"}],
    });
    assert_eq!(serde_json::to_value(body).unwrap(), expected);
}

#[test]
fn summary_says_what_decided() {
    let check = |properties: [u8; 2], verdict: Option<Verdict>, points: Option<f32>, expected: &[&str]| {
        let comparison = points.map(|points| comparison(None, &[(EvidenceKind::Price, points)]));
        let input = ComparisonInput { verdict, ..compared(properties, comparison.as_ref()) };
        let text = summary(&input);
        for part in expected {
            assert!(text.contains(part), "{text}");
        }
        let has_other_reason = expected.iter().any(|part| part.starts_with("Something else"));
        assert_eq!(text.contains("Something else"), has_other_reason, "{text}");
    };
    let apart = "Something else keeps them apart";
    let together = "Something else keeps them together";
    let (join, keep) = (rounded(JOIN_SCORE), rounded(KEEP_SCORE));
    let reaches = format!("score of {join} reaches the {join}");
    let between = format!("below the {join} for joining a property, and not below the {keep} for leaving");
    let below = format!("below the {keep} for staying");
    check([1, 1], None, Some(JOIN_SCORE), &["in one property", &reaches]);
    check([1, 2], None, Some(JOIN_SCORE), &["in two properties", &reaches, apart]);
    check([1, 1], None, Some(KEEP_SCORE), &[&between]);
    check([1, 2], None, Some(JOIN_SCORE - 0.1), &[&between]);
    check([1, 2], None, Some(KEEP_SCORE - 2.5), &[&below]);
    check([1, 1], None, Some(KEEP_SCORE - 2.5), &[&below, together]);
    check([1, 1], Some(Verdict::Same), Some(-9.0), &["A person decided that they are of one property."]);
    check([1, 2], Some(Verdict::Different), Some(20.0), &["A person decided", "different properties"]);
    check([1, 2], Some(Verdict::Same), None, &["A person decided", apart]);
    check([1, 2], None, None, &["no known commune"]);
    check([1, 1], None, None, &["no known commune", together]);
}

#[test]
fn veto_beats_any_score() {
    let vetoed = comparison(Some(Veto::NotComparable), &[(EvidenceKind::Price, 99.0)]);
    let text = summary(&compared([1, 2], Some(&vetoed)));
    assert_eq!(
        text,
        "The adverts are in two properties. They cannot be of one property, whatever their score of 99: not comparable."
    );
}

#[test]
fn points_are_rounded() {
    assert_eq!(rounded(0.1 + 0.2), 0.3);
    assert_eq!(rounded(-1.005), -1.0);
}

#[test]
fn doubtful_pair_body_is_complete() {
    let comparison = comparison(None, &[(EvidenceKind::Price, JOIN_SCORE - 0.5)]);
    let mut one = advert(1);
    one.details.description = domain::LongText::new(&"é".repeat(2_001)).unwrap();
    one.details.price = domain::Amount::new(250_000.0);
    one.details.surface = domain::Amount::new(62.31);
    one.details.place.city_name = ShortText::new("TOURS").unwrap();
    let other = advert(2);
    let zone = TimeZone::UTC;
    let body = DoubtfulPairBody::of(&DoubtfulPairInput {
        comparison: compared([1, 2], Some(&comparison)),
        needed: JOIN_SCORE,
        adverts: [(&one, Some("Tours")), (&other, None)],
        zone: &zone,
    });
    let body = serde_json::to_value(body).unwrap();
    let side = |number: u8| {
        json!({
            "@id": format!("/adverts/{}", advert_id(number)), "uuid": advert_id(number).to_string(),
            "site": "portail.example", "reference": "A-12", "url": "https://portail.example/a-12",
            "property": format!("/properties/{}", property(number)),
            "transactionType": 0, "propertyType": 0, "title": null, "description": null, "price": null,
            "surface": null, "landSurface": null, "room": null, "bedroom": null, "floor": null,
            "constructionYear": null, "energy": {"category": null, "value": null},
            "greenHouseGas": {"category": null, "value": null}, "zipcode": null, "cityName": null,
            "pictureCount": 0, "createdAt": "2023-11-14T22:13:20+00:00",
            "lastCrawledAt": "2023-11-14T22:13:20+00:00", "expiredAt": null,
        })
    };
    let mut first = side(1);
    first["description"] = json!(format!("{}…", "é".repeat(2_000)));
    first["price"] = json!(250_000);
    first["surface"] = json!(62.31);
    first["cityName"] = json!("Tours");
    assert_eq!(body["adverts"], json!([first, side(2)]));
    let head = |name: &str| body[name].clone();
    assert_eq!(head("@type"), "DoubtfulPair");
    assert_eq!((head("oneProperty"), head("neededScore")), (json!(false), json!(rounded(JOIN_SCORE))));
    assert_eq!(head("score"), json!(rounded(JOIN_SCORE - 0.5)));
}

#[test]
fn decisions_parse_in_all_spellings() {
    let path = format!("/adverts/{}", advert_id(2));
    for (verdict, expected) in [("same", Verdict::Same), ("different", Verdict::Different)] {
        let body = json!({"adverts": [advert_id(1).to_string(), {"@id": path}], "verdict": verdict});
        assert_eq!(parse_decision(&body), Ok(([advert_id(1), advert_id(2)], expected)));
    }
}
