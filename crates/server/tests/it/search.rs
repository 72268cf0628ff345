//! Property search: filters, sort orders, expressions, errors.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, merge};
use crate::harness::client::Request;

/// Returns an advert with a plausible price, named by its title.
pub fn listing(name: &str, fields: Value) -> Value {
    let mut listing = advert(name, json!({"title": name, "price": 200_000, "surface": 50}));
    merge(&mut listing, fields);
    listing
}

/// Starts a server and ingests and indexes adverts.
pub async fn with(adverts: &[Value]) -> TestServer {
    let server = TestServer::start().await;
    ingest(&server, adverts).await;
    server
}

pub async fn ingest(server: &TestServer, adverts: &[Value]) {
    for receipt in server.post("/adverts", &json!(adverts)).await.ok()["hydra:member"].as_array().unwrap() {
        assert_ne!(receipt["outcome"], "rejected", "{receipt}");
    }
    server.indexed().await;
}

pub fn titles(page: &Value) -> Vec<String> {
    let members = page["hydra:member"].as_array().unwrap().iter();
    members.map(|member| member["title"].as_str().unwrap_or("-").to_owned()).collect()
}

/// Returns the titles a query finds, in alphabetical order.
pub async fn found(server: &TestServer, query: &str) -> String {
    let page = server.get(&format!("/documents/properties?{query}&itemsPerPage=30")).await.ok();
    let mut titles = titles(&page);
    assert_eq!(page["hydra:totalItems"], titles.len(), "{query}");
    titles.sort();
    titles.join(" ")
}

pub async fn check(server: &TestServer, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(found(server, query).await, *expected, "{query}");
    }
}

#[tokio::test]
async fn bounds_are_inclusive_and_exclude_unknown_values() {
    let server = with(&[
        listing("a", json!({"price": 100_000, "room": 2, "surface": 62.5})),
        listing("b", json!({"price": 200_000, "room": 3, "surface": 62.4})),
        listing("c", json!({"price": 300_000, "surface": null})),
        listing("d", json!({"price": null})),
    ])
    .await;
    check(
        &server,
        &[
            ("", "a b c"),
            ("budgetMin=200000", "b c"),
            ("budgetMax=200000", "a b"),
            ("budgetMin=200000&budgetMax=200000.00", "b"),
            ("surfaceMin=62.5", "a"),
            ("surfaceMax=62.45", "b"),
            ("roomMin=1", "a b"),
            // A maximum of zero means no maximum, also beside a minimum of zero.
            ("budgetMax=0", "a b c"),
            ("budgetMax=0&budgetMin=200000", "b c"),
            ("budgetMax=0&budgetMin=0", "a b c"),
            // By default, properties without a plausible price are excluded.
            ("withCoherentPrice=true", "a b c"),
            ("withCoherentPrice=false", "a b c d"),
            ("withCoherentPrice=null", "a b c d"),
        ],
    )
    .await;
}

#[tokio::test]
async fn upper_date_bound_includes_the_whole_day() {
    let server = with(&[
        listing("first", json!({"createdAt": "2026-02-10T23:00:00Z"})),
        listing("last", json!({"createdAt": "2026-02-11T22:59:59Z"})),
        listing("next", json!({"createdAt": "2026-02-11T23:00:00Z"})),
    ])
    .await;
    check(
        &server,
        &[
            ("toDate=2026-02-11", "first last"),
            ("fromDate=2026-02-11&toDate=2026-02-11", "first last"),
            ("fromDate=2026-02-12", "next"),
            ("toDate=2026-02-11%2000:00:00", "first"),
            ("toDate=2026-02-11T23:59:59%2B01:00", "first last"),
            ("toDate=2026-02-11T23:59:59+01:00", "first last"),
            ("fromDate=2026-02-11T22:59:59.5Z", "next"),
        ],
    )
    .await;
}

#[tokio::test]
async fn advert_criteria_apply_to_a_single_advert() {
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let server = with(&[
        listing("split", json!({"property": property, "publisher": {"type": 0}, "lastCrawledAt": "2026-03-02"})),
        listing(
            "other",
            json!({"property": property, "site": "agence.fr", "publisher": {"type": 1}, "constructionYear": 1970,
                "lastCrawledAt": "2026-03-01"}),
        ),
        listing("whole", json!({"publisher": {"type": 0}, "constructionYear": 1970})),
    ])
    .await;
    check(
        &server,
        &[
            ("publisherTypes[]=0", "split whole"),
            ("constructionYearMin=1970", "split whole"),
            ("publisherTypes[]=0&constructionYearMin=1970", "whole"),
            ("publisherTypes[]=1&constructionYearMax=1970", "split"),
            ("expired=false&publisherTypes[]=1", "split"),
        ],
    )
    .await;
    // With expired=false, only live adverts count.
    ingest(&server, &[advert("other", json!({"site": "agence.fr", "expired": true}))]).await;
    check(
        &server,
        &[
            ("publisherTypes[]=1", "split"),
            ("expired=false&publisherTypes[]=1", ""),
            ("expired=false&publisherTypes[]=0", "split whole"),
            ("expired=true", ""),
            ("isExpired=0", "split whole"),
            ("expired=null", "split whole"),
        ],
    )
    .await;
}

#[tokio::test]
async fn price_change_criteria_apply_to_a_single_event() {
    let server =
        with(&[listing("fell", json!({})), listing("rose", json!({})), listing("same", json!({}))]).await;
    server.clock.advance(jiff::SignedDuration::from_hours(24));
    ingest(
        &server,
        &[listing("fell", json!({"price": 190_000})), listing("rose", json!({"price": 210_000}))],
    )
    .await;
    check(
        &server,
        &[
            ("eventPriceVariationMax=0", "fell"),
            ("eventPriceVariationMin=0", "rose"),
            ("eventPriceVariationMin=-5&eventPriceVariationMax=5", "fell rose"),
            ("eventPriceVariationFromCreatedAt=2026-03-03", "fell rose"),
            ("eventPriceVariationToCreatedAt=2026-03-02", ""),
            ("eventPriceVariationMax=-1&eventPriceVariationFromCreatedAt=2026-03-04", ""),
            ("eventSurfaceVariationMin=0", ""),
        ],
    )
    .await;
}

#[tokio::test]
async fn city_includes_its_districts() {
    let server = with(&[
        listing("onzieme", json!({"insee": "75111", "zipcode": "75011"})),
        listing("tours", json!({"insee": "37261", "zipcode": "37000"})),
        listing("joue", json!({"insee": "37122", "zipcode": "37300"})),
    ])
    .await;
    check(
        &server,
        &[
            ("includedCities[]=/cities/75056", "onzieme"),
            ("includedCities=75111", "onzieme"),
            ("includedInseeCodes[]=75056", "onzieme"),
            ("excludedCities[]=75056", "joue tours"),
            ("excludedInseeCodes=75111", "joue tours"),
            ("includedDepartments[]=/departments/37", "joue tours"),
            ("includedDepartments[]=37&excludedZipcodes[]=37000", "joue"),
            // Included places are alternatives.
            ("includedDepartments[]=/departments/75&includedZipcodes[]=37300", "joue onzieme"),
            // A valid but unknown reference matches nothing.
            ("includedCities[]=/cities/99999", ""),
            ("includedZipcodes=00000", ""),
        ],
    )
    .await;
}

#[tokio::test]
async fn zipcode_does_not_include_other_zipcodes_of_the_city() {
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let server = with(&[
        listing("premier", json!({"insee": "75101"})),
        listing("paris", json!({"insee": "75056"})),
        listing("joue", json!({"insee": "37122"})),
        listing("tours", json!({"insee": "37261"})),
        // If the reference advert has no zipcode, the next one of the same commune provides it.
        listing("nord", json!({"insee": "37261", "property": property, "lastCrawledAt": "2026-03-02"})),
        listing(
            "other",
            json!({"insee": "37261", "zipcode": "37100", "property": property, "site": "agence.fr",
                "lastCrawledAt": "2026-03-01"}),
        ),
        listing("unplaced", json!({"insee": null, "zipcode": "9999"})),
    ])
    .await;
    check(
        &server,
        &[
            // If no advert has a zipcode, the commune's main one applies, as the document shows it.
            ("includedZipcodes=75001", "paris premier"),
            ("includedZipcodes=75002", ""),
            ("includedZipcodes=37300", "joue"),
            ("includedZipcodes=37000", "tours"),
            ("includedZipcodes=37100", "nord"),
            ("includedZipcodes=9999", "unplaced"),
            ("includedCities=37261&excludedZipcodes=37000", "nord"),
            ("includedCities=37261&excludedZipcodes=37100", "tours"),
            ("includedCities=75056", "paris premier"),
        ],
    )
    .await;
    for zipcode in ["37000", "37100"] {
        let page = server.get(&format!("/documents/properties?includedZipcodes={zipcode}")).await.ok();
        assert_eq!(page["hydra:member"][0]["city"]["zipcode"], zipcode);
    }
}

#[tokio::test]
async fn circles_and_polygons_filter() {
    let at = |lat: f64, lon: f64| json!({"locations": {"lat": lat, "lon": lon}, "geoAccuracy": 1});
    let nowhere = json!({"insee": null});
    let server = with(&[
        listing("near", at(47.39, 0.69)),
        // Shown at the centre of its commune, which is in the circles and in the square below.
        listing("centre", json!({"insee": "37261"})),
        // The same point, given by the advert.
        listing(
            "quarter",
            json!({"insee": "37261", "locations": {"lat": 47.393, "lon": 0.69}, "geoAccuracy": 2}),
        ),
        listing("far", at(47.5, 0.69)),
        listing("nowhere", nowhere),
    ])
    .await;
    let square = "geoShapes[0][0][0]=0.6&geoShapes[0][0][1]=47.3&geoShapes[0][1][0]=0.8&geoShapes[0][1][1]=47.3\
                  &geoShapes[0][2][0]=0.8&geoShapes[0][2][1]=47.4&geoShapes[0][3][0]=0.6&geoShapes[0][3][1]=47.4";
    check(
        &server,
        &[
            ("lat=47.39&lon=0.69&radius=0.2", "near"),
            ("lat=47.39&lon=0.69&radius=20", "far near quarter"),
            ("lat=47.39&lon=0.69&radius=20040", "far near quarter"),
            ("lat=47.39&lon=0.69&radius=20&includedCities[]=37261", "near quarter"),
            ("lat=47.39&lon=0.69", "centre far near nowhere quarter"),
            ("lat=47.39&lon=0.69&radius=0", "centre far near nowhere quarter"),
            ("radius=5", "centre far near nowhere quarter"),
            (square, "near quarter"),
            ("withLocation=true", "far near quarter"),
            ("withLocation=false", "centre far near nowhere quarter"),
            ("geoAccuracy=1", "far near"),
            ("geoAccuracy=2", "centre quarter"),
        ],
    )
    .await;
    for (direction, expected) in [("asc", ["far", "quarter", "near"]), ("desc", ["near", "quarter", "far"])] {
        let path = format!("/documents/properties?lat=47.5&lon=0.69&order[distance]={direction}");
        assert_eq!(titles(&server.get(&path).await.ok())[..3], expected, "{direction}");
    }
    // What documents show stays.
    let page = server.get("/documents/properties?expressions[]=centre").await.ok();
    let document = &page["hydra:member"][0];
    assert_eq!(
        (&document["geoAccuracy"], &document["location"]),
        (&json!(2), &document["city"]["locations"])
    );
}

#[tokio::test]
async fn radius_without_its_centre_is_reported_or_rejected() {
    let server = with(&[listing("a", json!({}))]).await;
    for query in ["radius=5", "radius=5&lat=47.39", "radius=5&lon=0.69"] {
        let path = format!("/documents/properties?{query}");
        let response = server.get(&path).await;
        assert_eq!(response.header("x-ignored-parameters"), Some("radius"), "{query}");
        assert_eq!(titles(&response.ok()), ["a"], "{query}");
        let strict = Request::new("GET", &path).key(&server.keys.all).header("Prefer", "handling=strict");
        assert_eq!(
            server.send(strict).await.problem(400),
            "radius: A radius has no effect without its centre: give \"lat\" and \"lon\" as well.",
            "{query}"
        );
    }
    for query in ["radius=0", "radius=", "lat=47.39&lon=0.69", "lat=47.39&lon=0.69&radius=5"] {
        let path = format!("/documents/properties?{query}");
        let strict = Request::new("GET", &path).key(&server.keys.all).header("Prefer", "handling=strict");
        assert_eq!(server.send(strict).await.status, 200, "{query}");
    }
}

#[tokio::test]
async fn sites_are_referenced_by_id_path_or_domain() {
    let server = with(&[
        listing("a", json!({"site": "portail.fr"})),
        listing("b", json!({"site": "agence.fr"})),
        listing(
            "c",
            json!({"site": "agence.fr", "property": "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"}),
        ),
        listing(
            "c",
            json!({"site": "portail.fr", "property": "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"}),
        ),
    ])
    .await;
    for reference in ["/sites/1", "1", "portail.fr", "https://www.portail.fr/annonces"] {
        assert_eq!(found(&server, &format!("includedSites[]={reference}")).await, "a c", "{reference}");
    }
    check(
        &server,
        &[
            // One advert on another site is enough.
            ("excludedSites[]=portail.fr", "b c"),
            ("excludedSites[]=portail.fr&excludedSites[]=agence.fr", ""),
            ("includedSites[]=/sites/9", ""),
            ("includedSites[]=inconnu.fr", ""),
            ("includedSites[]=inconnu.fr&includedSites[]=/sites/2", "b c"),
            ("excludedSites[]=inconnu.fr", "a b c"),
        ],
    )
    .await;
}

#[tokio::test]
async fn expression_syntaxes_are_equivalent() {
    let server = with(&[
        listing("balcon", json!({"description": "Un grand balcon, sans vis-à-vis."})),
        listing("cour", json!({"description": "Un petit balcon sur cour, vis-à-vis proche."})),
        listing("jardin", json!({"description": "Jardin clos."})),
    ])
    .await;
    let keys = "expressions[0][0][word]=balcon&expressions[0][1][word]=sur+cour&expressions[0][1][options][includes]=false\
                &expressions[1][0][word]=JARDIN&expressions[1][0][options][strict]=true";
    let nested = json!([
        [{"word": "balcon"}, {"value": "sur cour", "options": {"includes": false}}],
        [{"word": "JARDIN", "options": {"strict": true}}]
    ]);
    let encoded = |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    for query in [
        keys.to_owned(),
        keys.replace('[', "%5B").replace(']', "%5D"),
        keys.replace("[word]", "[value]"),
        format!("expressions={}", encoded(keys)),
        format!("expressions={}", encoded(&nested.to_string())),
        format!("expressions[]={}", encoded(keys)),
    ] {
        assert_eq!(found(&server, &query).await, "balcon jardin", "{query}");
    }
    check(
        &server,
        &[
            ("expressions[]=jardin&expressions[]=cour", "cour jardin"),
            ("expressions[0][word]=jardin&expressions[1][word]=cour", "cour jardin"),
            ("expressions=sans+vis-%C3%A0-vis", "balcon"),
            ("expressions[0][0][word]=balcon&expressions[0][1][word]=cour", "cour"),
        ],
    )
    .await;
}

#[tokio::test]
async fn sort_orders_combine_and_unknown_values_come_last() {
    let server = with(&[
        listing("a", json!({"price": 300_000, "surface": 100, "createdAt": "2026-01-01"})),
        listing("b", json!({"price": 200_000, "surface": 50, "createdAt": "2026-01-03"})),
        listing("c", json!({"price": 200_000, "surface": 80, "createdAt": "2026-01-02"})),
        listing("d", json!({"price": 200_000, "surface": null, "createdAt": "2026-01-02"})),
    ])
    .await;
    let order = async |query: &str| {
        titles(&server.get(&format!("/documents/properties?{query}")).await.ok()).join("")
    };
    for (query, expected) in [
        ("", "bcda"),
        ("order[price]=asc&order[surface]=desc", "cbda"),
        ("order[surface]=desc&order[price]=asc", "acbd"),
        ("order[surface]=asc", "bcad"),
        ("order[pricePerMeter]=asc", "cabd"),
        ("order[createdAt]=asc&order[surface]=asc", "acdb"),
    ] {
        assert_eq!(order(query).await, expected, "{query}");
    }
}

#[tokio::test]
async fn invalid_query_reports_name_and_value() {
    let server = TestServer::start().await;
    for (query, expected) in [
        ("budgetMin=cher", "budgetMin: \"cher\" is not a number."),
        (
            "propertyTypes[]=9",
            "propertyTypes: \"9\" is not one of 0 Apartment, 1 House, 2 Building, 3 Parking, 4 Office, 5 Land, 6 Shop.",
        ),
        ("expired=maybe", "expired: \"maybe\" is not true or false."),
        (
            "toDate=31/12/2026",
            "toDate: \"31/12/2026\" is not a date such as 2026-03-02, 2026-03-02 14:30:00 or 2026-03-02T14:30:00+01:00.",
        ),
        (
            "includedCities[]=Paris",
            "includedCities: \"Paris\" is not a reference to a city, such as /cities/37261 (GET /cities?name=… finds it).",
        ),
        ("excludedProperties=12", "excludedProperties: \"12\" is not a reference to a property."),
        (
            "includedSites[]=/sites/x",
            "includedSites: \"/sites/x\" is not a reference to a site, such as /sites/1 or portail.fr (GET /sites lists them).",
        ),
        ("lat=200&lon=2", "lat: 200 is not between -90 and 90."),
        ("radius=-1", "radius: The radius -1 is not between 0 and 20040 kilometres."),
        ("sortMode=age", "sortMode: \"age\" is not property or advert."),
        ("order[price]=up", "order[price]: \"up\" is not asc or desc."),
        (
            "geoShapes[0][0][0]=1&geoShapes[0][0][1]=2",
            "geoShapes[0]: A polygon must have 3 to 1000 corners, 1 given.",
        ),
        ("expressions[0][0][options][strict]=1", "expressions[0][0]: This entry has no word."),
        (
            "budgetMin=2&budgetMax=1",
            "budgetMin: The lower bound budgetMin, 2, is greater than the upper bound budgetMax, 1.",
        ),
        ("page=0", "page: \"0\" is not an integer of at least 1."),
        ("page=one", "page: \"one\" is not an integer of at least 1."),
        ("itemsPerPage=-1", "itemsPerPage: \"-1\" is not an integer of at least 0."),
        ("order[distance]=asc", "order[distance]: Sorting by distance requires \"lat\" and \"lon\"."),
    ] {
        let response = server.get(&format!("/documents/properties?{query}")).await;
        assert_eq!(response.problem(400), expected, "{query}");
    }
    let many: String = (0..51).map(|number| format!("expressions[]=mot{number}&")).collect();
    let response = server.get(&format!("/documents/properties?{many}")).await;
    assert_eq!(response.problem(422), "expressions: Too many groups: 51 given, at most 50 allowed.");
    // All violations together.
    let response = server.get("/documents/properties?budgetMin=x&roomMax=y&page=z").await;
    assert_eq!(response.violations(400), ["budgetMin", "roomMax", "page"]);
}

#[tokio::test]
async fn misspelt_filter_is_reported_or_rejected() {
    let server = with(&[listing("a", json!({}))]).await;
    let path = "/documents/properties?budgetmin=900000&order[prize]=asc&expressions[0][0][word]=a&page=1";
    let response = server.get(path).await;
    assert_eq!(titles(&response.ok()), ["a"]);
    assert_eq!(response.header("x-ignored-parameters"), Some("budgetmin, order[prize]"));
    // Without `includes=false` a search means the opposite: an unknown option is never ignored.
    let refused = server.get(&format!("{path}&expressions[0][0][options][include]=false")).await;
    assert_eq!(refused.violations(400), ["expressions[0][0][options][include]"]);
    let strict = Request::new("GET", path).key(&server.keys.read).header("Prefer", "handling=strict");
    assert!(server.send(strict).await.problem(400).contains("budgetmin"));
    let fine = Request::new("GET", "/documents/properties?budgetMin=1&isExpired=false&page=1");
    let response = server.send(fine.key(&server.keys.read).header("Prefer", "handling=strict")).await;
    assert_eq!(titles(&response.ok()), ["a"]);
}

#[tokio::test]
async fn creation_dates_apply_to_property_or_adverts() {
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let server = with(&[
        listing("old", json!({"property": property, "createdAt": "2026-01-01"})),
        listing("old", json!({"property": property, "createdAt": "2026-02-01", "site": "agence.fr"})),
        listing("new", json!({"createdAt": "2026-01-15"})),
    ])
    .await;
    check(
        &server,
        &[
            ("fromDate=2026-02-01", ""),
            ("fromDate=2026-02-01&sortMode=advert", "old"),
            ("toDate=2026-01-10&sortMode=advert", "old"),
        ],
    )
    .await;
    let order = async |query: &str| titles(&server.get(&format!("/documents/properties?{query}")).await.ok());
    assert_eq!(order("order[createdAt]=desc").await, ["new", "old"]);
    assert_eq!(order("order[createdAt]=desc&sortMode=advert").await, ["old", "new"]);
}

#[tokio::test]
async fn search_needs_the_read_scope() {
    let server = TestServer::start().await;
    let id = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    for path in [
        "/documents/properties",
        "/documents/properties.ndjson",
        "/indicators/price_per_meter",
        "/documents/properties/clusters?bounds=0,0,1,1&zoom=1",
        "/documents/properties/facets",
        &format!("/documents/properties/{id}/similar-properties"),
    ] {
        server.send(Request::new("GET", path)).await.problem(401);
        server.send(Request::new("GET", path).key(&server.keys.ingest)).await.problem(403);
        server.send(Request::new("POST", path).key(&server.keys.all).json(&json!({}))).await.problem(405);
    }
}
