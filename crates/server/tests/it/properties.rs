//! How the document of a property is derived from its adverts.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, minimal};

#[tokio::test]
async fn advert_can_name_its_property() {
    let server = TestServer::start().await;
    let first = server.accept(&minimal("1")).await;
    let property = first["property"].as_str().unwrap();
    let uuid = property.strip_prefix("/properties/").unwrap();
    for (number, spelling) in [property, &format!("/documents{property}"), uuid].into_iter().enumerate() {
        let receipt = server.accept(&advert(&format!("x{number}"), json!({"property": spelling}))).await;
        assert_eq!(receipt["property"], property, "{spelling}");
    }
    assert_eq!(server.document(&first).await["adverts"].as_array().unwrap().len(), 4);
    // An unknown property is created.
    let fresh = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let receipt = server.accept(&advert("y", json!({"property": fresh}))).await;
    assert_eq!(receipt["property"], fresh);
    assert_eq!(server.document(&receipt).await["property"], fresh);
}

#[tokio::test]
async fn advert_moves_to_another_property() {
    let server = TestServer::start().await;
    let first = server.accept(&advert("1", json!({"url": "https://a.example/1"}))).await;
    let second = server.accept(&minimal("2")).await;
    let third = server.accept(&advert("3", json!({"property": first["property"]}))).await;

    let moved = server.accept(&advert("1", json!({"property": second["property"]}))).await;
    assert_eq!((&moved["outcome"], &moved["property"]), (&json!("updated"), &second["property"]));
    let uuids = |document: &Value| -> Vec<Value> {
        document["adverts"].as_array().unwrap().iter().map(|advert| advert["uuid"].clone()).collect()
    };
    assert_eq!(uuids(&server.document(&third).await), [third["uuid"].clone()]);
    assert_eq!(uuids(&server.document(&second).await), [second["uuid"].clone(), first["uuid"].clone()]);
    assert_eq!(server.advert(&first).await["property"], second["property"]);
    assert_eq!(
        server.get("/documents/properties/by-url?url=https://a.example/1").await.ok()["property"],
        second["property"]
    );

    // The property is removed with its last advert, and its id leads to the other one; the advert keeps its own events.
    server.accept(&advert("3", json!({"property": second["property"]}))).await;
    let redirect = server.get(&format!("/documents{}", first["property"].as_str().unwrap())).await;
    redirect.problem(301);
    let events = server.advert(&third).await["events"].clone();
    assert_eq!(events.as_array().unwrap().len(), 1, "{events}");
    // Naming the current property moves nothing; naming none keeps it.
    assert_eq!(
        server.accept(&advert("3", json!({"property": second["property"]}))).await["outcome"],
        "unchanged"
    );
    assert_eq!(server.accept(&minimal("3")).await["property"], second["property"]);
}

#[tokio::test]
async fn batch_can_move_adverts_back_and_forth() {
    let server = TestServer::start().await;
    let first = server.accept(&minimal("1")).await;
    let second = server.accept(&minimal("2")).await;
    let to = |reference: &str, receipt: &Value| advert(reference, json!({"property": receipt["property"]}));
    let body = server
        .post(
            "/adverts",
            &json!([to("1", &second), to("2", &first), to("1", &first), to("2", &second), to("1", &first)]),
        )
        .await
        .ok();
    let outcomes: Vec<&Value> =
        body["hydra:member"].as_array().unwrap().iter().map(|member| &member["outcome"]).collect();
    assert_eq!(outcomes, ["updated", "updated", "updated", "updated", "unchanged"]);
    for receipt in [&first, &second] {
        let document = server.document(receipt).await;
        assert_eq!(document["adverts"].as_array().unwrap().len(), 1);
        assert_eq!(document["adverts"][0]["uuid"], receipt["uuid"]);
    }
}

#[tokio::test]
async fn adverts_per_property_are_limited() {
    let server = TestServer::start().await;
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let adverts: Vec<Value> =
        (0..201).map(|number| advert(&number.to_string(), json!({"property": property}))).collect();
    let body = server.post("/adverts", &json!(adverts)).await.ok();
    assert_eq!(body["hydra:member"][199]["outcome"], "created");
    assert_eq!(body["hydra:member"][200]["violations"][0]["propertyPath"], "property");
    // An advert that is already in the property can still be changed.
    assert_eq!(
        server.accept(&advert("7", json!({"price": 1, "property": property}))).await["outcome"],
        "updated"
    );
}

#[tokio::test]
async fn reference_advert_is_the_last_crawled_live_one() {
    let server = TestServer::start().await;
    let older = json!({
        "lastCrawledAt": "2026-02-01", "createdAt": "2026-01-01", "updatedAt": "2026-01-15", "price": 100, "surface": 50,
        "room": 2, "title": "Older", "pictures": ["https://i.example/1", "https://i.example/2"],
        "publisher": {"type": 1}, "locations": {"lat": 48.5, "lon": 2.5}, "geoAccuracy": 1
    });
    let first = server.accept(&advert("1", older)).await;
    let newer = json!({
        "lastCrawledAt": "2026-02-02", "createdAt": "2026-01-02", "updatedAt": "2026-01-20", "price": 90, "bedroom": 1,
        "title": "Newer", "propertyType": 1, "pictures": ["https://i.example/3", "https://i.example/1"],
        "publisher": {"type": 0}, "property": first["property"], "zipcode": "75010", "cityName": "Paris"
    });
    let second = server.accept(&advert("2", newer)).await;

    let document = server.document(&first).await;
    let expected = json!({
        "lastCrawledAdvert": second["uuid"], "title": "Newer", "price": 90, "propertyType": 1, "bedroom": 1,
        // Fields that the reference advert lacks come from the next one.
        "surface": 50, "room": 2, "pricePerMeter": 1.8, "locations": {"lat": 48.5, "lon": 2.5},
        "location": {"lat": 48.5, "lon": 2.5}, "geoAccuracy": 1,
        "pictures": ["https://i.example/3", "https://i.example/1", "https://i.example/2"],
        "publisherTypes": [0, 1],
        "createdAt": "2026-01-01T00:00:00+01:00", "updatedAt": "2026-01-20T00:00:00+01:00",
        "lastCrawledAt": "2026-02-02T00:00:00+01:00", "expired": false, "expiredAt": null
    });
    check(&document, &expected);
    assert_eq!(
        (&document["city"]["zipcode"], &document["city"]["name"]),
        (&json!("75010"), &json!("Paris 10e"))
    );

    // When the reference advert expires, the other one takes its place.
    server.accept(&advert("2", json!({"expired": true, "expiredAt": "2026-02-10"}))).await;
    let document = server.document(&first).await;
    check(
        &document,
        &json!({
            "lastCrawledAdvert": first["uuid"], "title": "Older", "price": 100, "pricePerMeter": 2, "propertyType": 0,
            "pictures": ["https://i.example/1", "https://i.example/2", "https://i.example/3"],
            "lastCrawledAt": "2026-02-01T00:00:00+01:00", "expired": false, "expiredAt": null
        }),
    );

    // When all adverts are expired, so is the property, since the last expiry; the last crawled advert is the reference again.
    server.accept(&advert("1", json!({"expired": true, "expiredAt": "2026-02-05"}))).await;
    let document = server.document(&first).await;
    check(
        &document,
        &json!({
            "lastCrawledAdvert": second["uuid"], "title": "Newer", "lastCrawledAt": null, "expired": true,
            "expiredAt": "2026-02-10T00:00:00+01:00"
        }),
    );
}

#[tokio::test]
async fn concurrent_crawls_of_a_property_are_all_recorded() {
    let server = TestServer::start().await;
    let property = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let adverts: Vec<Value> = (0..20)
        .map(|number| {
            advert(&number.to_string(), json!({"property": property, "lastCrawledAt": "2026-01-01"}))
        })
        .collect();
    server.post("/adverts", &json!(adverts)).await.ok();
    let crawled: Vec<Value> =
        (0..20).map(|number| advert(&number.to_string(), json!({"lastCrawledAt": "2026-02-02"}))).collect();
    futures_util::future::join_all(crawled.iter().map(|advert| server.accept(advert))).await;
    let document = server.get(&format!("/documents{property}")).await.ok();
    for advert in document["adverts"].as_array().unwrap() {
        assert_eq!(advert["lastCrawledAt"], "2026-02-02T00:00:00+01:00", "an acknowledged crawl is lost");
    }
}

#[tokio::test]
async fn price_per_meter_has_two_decimals() {
    let server = TestServer::start().await;
    for (number, (fields, expected)) in [
        (json!({"price": 200_000, "surface": 37}), json!(5_405.41)),
        (json!({"price": 200_000, "surface": 40}), json!(5_000)),
        (json!({"price": 200_000, "surface": 0}), Value::Null),
        (json!({"price": 200_000}), Value::Null),
        (json!({"surface": 40}), Value::Null),
    ]
    .into_iter()
    .enumerate()
    {
        let receipt = server.accept(&advert(&number.to_string(), fields.clone())).await;
        assert_eq!(server.document(&receipt).await["pricePerMeter"], expected, "{fields}");
    }
}

#[tokio::test]
async fn programme_shows_its_smallest_lot_and_its_adverts_their_own_values() {
    let server = TestServer::start().await;
    let ranges =
        json!({"priceMin": 215_000, "priceMax": 480_000, "surfaceMin": 43, "roomMin": 2, "roomMax": 4});
    let receipt = server.accept(&advert("1", json!({"newBuilding": ranges, "district": "Les Halles"}))).await;
    let document = server.document(&receipt).await;
    let expected =
        json!({"price": 215_000, "surface": 43, "room": 2, "pricePerMeter": 5_000, "district": "Les Halles"});
    check(&document, &expected);
    let given = json!({"price": null, "surface": null, "room": null, "district": "Les Halles"});
    check(&document["adverts"][0], &given);
    let shown = json!({"surfaceMax": null, "priceMin": 215_000, "priceMax": 480_000, "roomMax": 4});
    check(&document["adverts"][0]["newBuilding"], &shown);
}

#[tokio::test]
async fn only_plausible_prices_are_coherent() {
    let server = TestServer::start().await;
    for (number, (fields, problem)) in [
        (json!({"price": 200_000, "surface": 40}), None),
        (json!({"price": 200_000}), None),
        (json!({"price": 200_000, "surface": 1}), None),
        (json!({"price": 0.5}), Some("placeholder")),
        (json!({}), Some("noPrice")),
        (json!({"price": 1, "surface": 40}), Some("placeholder")),
        (json!({"price": 8, "surface": 40}), Some("belowBounds")),
        (json!({"price": 900, "surface": 40}), Some("rentInSale")),
        (json!({"transactionType": 1, "price": 900, "surface": 40}), None),
        (json!({"transactionType": 1, "price": 200_000, "surface": 40}), Some("salePriceInRent")),
        (json!({"transactionType": 1, "price": 20_001, "surface": 900}), Some("aboveBounds")),
        (json!({"transactionType": 1, "price": 10_800, "surface": 40, "rentPeriod": "year"}), None),
        (json!({"lifeAnnuity": {"rent": 700}}), None),
        (json!({"lifeAnnuity": {}}), Some("noPrice")),
        (json!({"newBuilding": {"priceMin": 215_000, "surfaceMin": 43}}), None),
        (json!({"newBuilding": {"priceMax": 215_000}}), Some("noPrice")),
    ]
    .into_iter()
    .enumerate()
    {
        let receipt = server.accept(&advert(&number.to_string(), fields.clone())).await;
        let expected = json!({"coherentPrice": problem.is_none(), "priceProblem": problem});
        check(&server.advert(&receipt).await, &expected);
        check(&server.document(&receipt).await, &expected);
        // A missing price is no mistake of the sender.
        let warned = receipt["warnings"].as_array().is_some_and(|warnings| !warnings.is_empty());
        assert_eq!(warned, problem.is_some_and(|problem| problem != "noPrice"), "{fields}: {receipt}");
    }
}

#[tokio::test]
async fn receipt_says_what_is_wrong_with_a_price() {
    let server = TestServer::start().await;
    let warnings = async |fields: Value| server.accept(&advert("1", fields)).await["warnings"].clone();
    let warning = json!([{
        "propertyPath": "price", "message": "8 € is below the least sale price of 2,500 €.", "code": "invalid",
    }]);
    assert_eq!(warnings(json!({"price": 8, "surface": 60})).await, warning);
    // The same price again is not checked again.
    assert_eq!(warnings(json!({"price": 8, "title": "Loft"})).await, Value::Null);
    assert_eq!(warnings(json!({"price": 180_000})).await, Value::Null);
}

/// Asserts every member of the expected object, and ignores others.
fn check(document: &Value, expected: &Value) {
    for (name, value) in expected.as_object().unwrap() {
        assert_eq!(&document[name], value, "{name}");
    }
}
