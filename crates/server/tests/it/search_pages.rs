//! Pages of properties: complete, linked, current.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::Request;
use crate::search::{ingest, listing, titles, with};

/// Starts a server with similar properties, so that ties must be broken.
async fn with_many(count: usize) -> TestServer {
    let listings: Vec<Value> = (0..count)
        .map(|number| listing(&format!("h{number:02}"), json!({"price": 100_000 + 10_000 * (number % 3)})))
        .collect();
    with(&listings).await
}

#[tokio::test]
async fn pages_cover_every_result_once() {
    let server = with_many(23).await;
    for query in ["order[price]=asc", "order[price]=desc", "order[createdAt]=asc", "sortMode=advert"] {
        let mut seen = Vec::new();
        for page in 1..=6 {
            let path = format!("/documents/properties?{query}&itemsPerPage=4&page={page}");
            let body = server.get(&path).await.ok();
            assert_eq!(body["hydra:totalItems"], 23);
            assert_eq!(titles(&body).len(), if page == 6 { 3 } else { 4 });
            seen.extend(titles(&body));
        }
        assert_eq!(seen.iter().collect::<BTreeSet<_>>().len(), 23, "{query}");
    }
}

#[tokio::test]
async fn page_size_is_ten_by_default_and_thirty_at_most() {
    let server = with_many(35).await;
    let count = async |query: &str| {
        let body = server.get(&format!("/documents/properties{query}")).await.ok();
        assert_eq!(body["hydra:totalItems"], 35);
        titles(&body).len()
    };
    assert_eq!(count("").await, 10);
    assert_eq!(count("?itemsPerPage=0").await, 0);
    assert_eq!(count("?itemsPerPage=31").await, 30);
    assert_eq!(count("?itemsPerPage=30&page=2").await, 5);
    assert_eq!(count("?page=40000").await, 0);
    assert_eq!(count("?page=18446744073709551615&itemsPerPage=30").await, 0);
    server.get("/documents/properties?itemsPerPage=-1").await.problem(400);
}

#[tokio::test]
async fn page_links_keep_parameters() {
    let server = with_many(7).await;
    let kept = "expressions%5B3%5D%5B7%5D%5Bword%5D=h&expressions[4][0][word]=h01&propertyTypes[]=0&itemsPerPage=2\
                &expressions[9][0][word]=h02&expressions[9][0][options][strict]=true&unknown=%C3%A9+x&expressions[]=h03\
                &expressions[]=h04&expressions[]=h05&expressions[]=h06&expressions[]=h00";
    let mut next = Some(format!("/documents/properties?{kept}"));
    let mut seen = BTreeSet::new();
    let mut pages = 0;
    while let Some(path) = next {
        let body = server.get(&path).await.ok();
        seen.extend(titles(&body));
        pages += 1;
        let view = &body["hydra:view"];
        let link = |page: usize| format!("/documents/properties?{kept}&page={page}");
        assert_eq!(view["@id"], link(pages));
        assert_eq!((&view["hydra:first"], &view["hydra:last"]), (&json!(link(1)), &json!(link(4))));
        assert_eq!(view["hydra:previous"].as_str(), (pages > 1).then(|| link(pages - 1)).as_deref());
        next = view["hydra:next"].as_str().map(str::to_owned);
    }
    assert_eq!((seen.len(), pages), (7, 4));
}

#[tokio::test]
async fn single_page_without_parameters_has_no_view() {
    let server = with_many(3).await;
    let body = server.get("/documents/properties").await.ok();
    assert_eq!(body.get("hydra:view"), None);
    assert_eq!(
        (&body["@id"], &body["@context"]),
        (&json!("/documents/properties"), &json!("/contexts/PropertyDocument"))
    );
    let template = body["hydra:search"]["hydra:template"].as_str().unwrap();
    assert!(template.starts_with("/documents/properties{?"), "{template}");
    let mapping = body["hydra:search"]["hydra:mapping"].as_array().unwrap();
    for filter in domain::FILTERS {
        let about = |entry: &&Value| entry["property"] == filter.name;
        assert!(mapping.iter().any(|entry| about(&entry)), "{}", filter.name);
    }
}

#[tokio::test]
async fn members_are_current_documents() {
    let server = with(&[listing("a", json!({"site": "portail.fr", "publisher": {"type": 1}}))]).await;
    let member = async || {
        server.indexed().await;
        let page = server.get("/documents/properties?withCoherentPrice=false").await.ok();
        assert_eq!(page["hydra:totalItems"], page["hydra:member"].as_array().unwrap().len());
        page["hydra:member"][0].clone()
    };
    let first = member().await;
    let path = first["@id"].as_str().unwrap().to_owned();
    assert_eq!(first, server.get(&path).await.ok());
    assert_eq!(first, member().await, "the same from the cache");

    // A change, a crawl, and a category of the site are visible at once.
    ingest(&server, &[listing("a", json!({"site": "portail.fr", "price": 190_000}))]).await;
    assert_eq!(member().await["price"], 190_000);
    let crawled =
        json!({"site": "portail.fr", "price": 190_000, "lastCrawledAt": "2026-03-02T10:00:00+01:00"});
    ingest(&server, &[listing("a", crawled)]).await;
    assert_eq!(member().await["lastCrawledAt"], "2026-03-02T10:00:00+01:00");
    server.post("/site_categories", &json!({"name": "Portails"})).await;
    let change = Request::new("PUT", "/sites/1").key(&server.keys.all).json(&json!({"category": 1}));
    server.send(change).await.ok();
    assert_eq!(member().await["adverts"][0]["publisher"]["category"], "Portails");

    // An erased advert disappears, and the property with the last one.
    let second = advert("b", json!({"site": "portail.fr", "title": "b", "property": first["property"]}));
    ingest(&server, &[second]).await;
    let document = member().await;
    let erase = async |index: usize| {
        let uuid = document["adverts"][index]["uuid"].as_str().unwrap();
        assert_eq!(server.delete(&format!("/adverts/{uuid}")).await.status, 204);
    };
    assert_eq!(document["adverts"].as_array().unwrap().len(), 2);
    erase(1).await;
    assert_eq!(member().await["adverts"].as_array().unwrap().len(), 1);
    erase(0).await;
    assert_eq!(member().await, Value::Null);
}

#[tokio::test]
async fn small_cache_gives_the_same_results() {
    let server = TestServer::with("[search]\ndocument_cache_bytes = \"1KiB\"\n").await;
    ingest(&server, &[listing("a", json!({})), listing("b", json!({}))]).await;
    for _ in 0..3 {
        assert_eq!(titles(&server.get("/documents/properties?order[createdAt]=asc").await.ok()).len(), 2);
    }
}

#[tokio::test]
async fn similar_properties_share_kind_and_measures() {
    let server = with(&[
        listing("this", json!({"insee": "37261", "room": 3, "createdAt": "2026-01-01"})),
        listing(
            "alike",
            json!({"insee": "37261", "room": 3, "price": 210_000, "createdAt": "2026-01-03",
                   "locations": {"lat": 47.38, "lon": 0.69}}),
        ),
        listing(
            "neighbour",
            json!({"insee": "37122", "room": 2, "price": 190_000, "createdAt": "2026-01-02"}),
        ),
        listing("far", json!({"insee": "75111", "room": 3})),
        listing("house", json!({"insee": "37261", "room": 3, "propertyType": 1})),
        listing("dear", json!({"insee": "37261", "room": 3, "price": 900_000})),
        listing("gone", json!({"insee": "37261", "room": 3, "expired": true})),
    ])
    .await;
    let page = server.get("/documents/properties?expressions[]=this").await.ok();
    let path = format!("{}/similar-properties", page["hydra:member"][0]["@id"].as_str().unwrap());
    let body = server.get(&path).await.ok();
    assert_eq!(titles(&body), ["alike", "neighbour"]);
    assert_eq!((&body["@id"], &body["@type"]), (&json!(path), &json!("hydra:Collection")));
    assert_eq!(body["hydra:totalItems"], 2);
    let order = async |query: &str| titles(&server.get(&format!("{path}?{query}")).await.ok()).join(" ");
    assert_eq!(order("order[price]=asc").await, "neighbour alike");
    // The neighbour has no coordinates: the centre of its commune is near, but not a distance to sort by.
    assert_eq!(order("order[distance]=desc").await, "alike neighbour");
    assert_eq!(order("order[distance]=asc").await, "alike neighbour");
    assert_eq!(order("fromDate=2026-01-03").await, "alike");
    assert_eq!(order("itemsPerPage=1&page=2").await, "neighbour");
    let body = server.get(&format!("{path}?itemsPerPage=1")).await.ok();
    assert_eq!(body["hydra:view"]["hydra:next"], format!("{path}?itemsPerPage=1&page=2"));
    let response = server.get(&format!("{path}?budgetMin=1")).await;
    assert_eq!(response.header("x-ignored-parameters"), Some("budgetMin"));
    assert_eq!(
        server.get(&format!("{path}?fromDate=x")).await.problem(400),
        "fromDate: \"x\" is not a date such as 2026-03-02, 2026-03-02 14:30:00 or 2026-03-02T14:30:00+01:00."
    );
    server
        .get("/documents/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b/similar-properties")
        .await
        .problem(404);
    server.get("/documents/properties/x/similar-properties").await.problem(404);
}

#[tokio::test]
async fn indicators_report_averages_and_medians() {
    let server = with(&[
        listing("a", json!({"price": 100_000, "createdAt": "2026-01-10"})),
        listing("b", json!({"price": 200_000, "createdAt": "2026-01-20"})),
        listing("c", json!({"price": 150_001, "createdAt": "2026-02-01T00:30:00+01:00"})),
        listing("d", json!({"surface": null})),
    ])
    .await;
    let get = async |query: &str| server.get(&format!("/indicators/price_per_meter?{query}")).await;
    let only_member = async |query: &str| {
        let page = get(query).await.ok();
        assert_eq!((&page["@type"], &page["hydra:totalItems"]), (&json!("hydra:Collection"), &json!(1)));
        assert_eq!(page["hydra:member"].as_array().unwrap().len(), 1);
        page["hydra:member"][0].clone()
    };
    let page = get("").await.ok();
    assert_eq!(
        (&page["@context"], &page["@id"]),
        (&json!("/contexts/PricePerMeter"), &json!("/indicators/price_per_meter"))
    );
    let template = page["hydra:search"]["hydra:template"].as_str().unwrap();
    assert!(template.contains("budgetMin,") && template.contains("aggregationInterval"), "{template}");
    assert_eq!(
        page["hydra:member"],
        json!([{
            "@id": "/indicators/price_per_meter#result", "@type": "PricePerMeter",
            "average": 3000.01, "average_min": 3000.0, "average_max": 3000.02, "median": 3000.02,
            "percentile10": 2200.0, "percentile90": 3800.0, "count": 3,
            "series": {"2026-01": 3000.0, "2026-02": 3000.02},
            "periods": [
                {"date": "2026-01", "average": 3000.0, "median": 3000.0,
                 "percentile10": 2200.0, "percentile90": 3800.0, "count": 2},
                {"date": "2026-02", "average": 3000.02, "median": 3000.02,
                 "percentile10": 3000.02, "percentile90": 3000.02, "count": 1}
            ]
        }])
    );
    for name in ["aggregationInterval", "dateHistogramGranularity"] {
        let yearly = only_member(&format!("{name}=year&budgetMax=150000")).await;
        assert_eq!(yearly["series"], json!({"2026": 2000.0}), "{name}");
        assert_eq!(
            yearly["periods"],
            json!([{"date": "2026", "average": 2000.0, "median": 2000.0,
                    "percentile10": 2000.0, "percentile90": 2000.0, "count": 1}])
        );
    }
    let nothing = only_member("budgetMin=900000").await;
    for member in ["average", "average_min", "average_max", "median", "percentile10", "percentile90"] {
        assert_eq!(nothing[member], Value::Null);
    }
    assert_eq!((&nothing["series"], &nothing["periods"]), (&json!({}), &json!([])));
    assert_eq!(
        get("aggregationInterval=week").await.problem(400),
        "aggregationInterval: \"week\" is not month or year."
    );
    let response = get("page=2&order[price]=asc").await;
    response.ok();
    assert_eq!(response.header("x-ignored-parameters"), Some("order[price], page"));
}
