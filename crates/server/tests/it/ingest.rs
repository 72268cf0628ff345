//! Ingest of adverts: single, batched, repeated, changed.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, minimal};
use crate::harness::client::Request;

/// Returns the fields of an advert's events, oldest first.
fn events(advert: &Value) -> Vec<&str> {
    advert["events"].as_array().unwrap().iter().map(|event| event["fieldName"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn advert_is_created_once() {
    let server = TestServer::start().await;
    let created = server.post("/adverts", &minimal("1")).await;
    let receipt = created.json();
    assert_eq!(created.status, 201);
    assert_eq!(created.header("location"), receipt["@id"].as_str());
    assert_eq!(created.header("content-location"), receipt["@id"].as_str());
    let (uuid, property) = (receipt["uuid"].as_str().unwrap(), receipt["property"].as_str().unwrap());
    let expected = json!({
        "@context": "/contexts/AdvertReceipt", "@id": format!("/adverts/{uuid}"), "@type": "AdvertReceipt",
        "uuid": uuid, "property": property, "outcome": "created", "ignored": []
    });
    assert_eq!(receipt, expected);
    assert_eq!(server.document(&receipt).await["adverts"][0]["uuid"], uuid);

    let repeated = server.post("/adverts", &minimal("1")).await;
    assert_eq!((repeated.status, &repeated.json()["outcome"]), (200, &json!("unchanged")));
    assert_eq!(
        (repeated.header("location"), repeated.header("content-location")),
        (None, receipt["@id"].as_str())
    );

    let changed = server.post("/adverts", &advert("1", json!({"price": 5}))).await;
    assert_eq!((changed.status, &changed.json()["outcome"]), (200, &json!("updated")));
    assert_eq!(changed.json()["uuid"], uuid);
}

#[tokio::test]
async fn unknown_attributes_of_an_advert_are_reported() {
    let server = TestServer::start().await;
    let sent = advert(
        "1",
        json!({"colour": "blue", "contact": {"twitter": "@x"}, "publisher": {"category": "x"}, "energy": {"year": 1},
               "locations": {"lat": 1, "lon": 2, "alt": 3}, "@id": "/adverts/x", "@type": "Advert", "@context": "x"}),
    );
    let receipt = server.accept(&sent).await;
    let mut ignored: Vec<&str> =
        receipt["ignored"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
    ignored.sort_unstable();
    assert_eq!(ignored, ["colour", "contact.twitter", "energy.year", "locations.alt", "publisher.category"]);
}

#[tokio::test]
async fn all_violations_of_an_advert_are_reported_together() {
    let server = TestServer::start().await;
    let response = server.post("/adverts", &json!({})).await;
    assert_eq!(response.violations(422), ["transactionType", "propertyType", "uuid"]);
    let response = server.post("/adverts", &json!({"transactionType": 0, "propertyType": 0})).await;
    assert_eq!(response.violations(422), ["uuid"]);

    let wrong = advert(
        "1",
        json!({"propertyType": 9, "price": -1, "url": "x", "expired": false, "expiredAt": "2026-01-01"}),
    );
    let mut paths = server.post_strict(&wrong).await.violations(422);
    paths.sort();
    assert_eq!(paths, ["expiredAt", "price", "propertyType", "url"]);
    // One malformed value makes the response a 400; the other violations are still listed.
    let wrong = advert("1", json!({"propertyType": 9, "price": [], "title": 3}));
    let mut paths = server.post_strict(&wrong).await.violations(400);
    paths.sort();
    assert_eq!(paths, ["price", "propertyType", "title"]);
    assert_eq!(server.log_length().await, 0);
}

#[tokio::test]
async fn unusable_values_are_warnings_unless_the_client_is_strict() {
    let server = TestServer::start().await;
    let known =
        advert("1", json!({"price": 250_000, "title": "Loft", "zipcode": "37000", "cityName": "Tours"}));
    let receipt = server.accept(&known).await;
    let messy =
        advert("1", json!({"price": "250-300 k€", "title": "", "surface": "60,5 m²", "zipcode": "99999"}));
    let strict = [("application/json", messy.to_string()), ("application/json", format!("[{messy}]"))];
    for (content_type, body) in strict {
        let request =
            Request::new("POST", "/adverts").key(&server.keys.all).header("Prefer", "handling=strict");
        let response = server.send(request.body(content_type, body)).await;
        assert!(response.text().contains("The type of the \\\"price\\\" attribute"), "{}", response.text());
    }
    let request = Request::new("POST", "/adverts").key(&server.keys.all).header("Prefer", "handling=strict");
    let lines = server.send(request.body("application/x-ndjson", messy.to_string())).await;
    assert!(lines.text().contains("\"outcome\":\"rejected\""), "{}", lines.text());

    let updated = server.accept(&messy).await;
    assert_eq!(updated["outcome"], "updated");
    // The parser's warnings come first, then those about the place.
    let warnings = updated["warnings"].as_array().unwrap();
    assert_eq!(warnings[0]["propertyPath"], "price");
    assert_eq!(warnings[0]["message"], "\"250-300 k€\" is a range; it was ignored.");
    assert_eq!(warnings[1]["propertyPath"], "zipcode");
    let read = server.advert(&receipt).await;
    assert_eq!(
        (&read["price"], &read["title"], &read["surface"]),
        (&json!(250_000), &json!("Loft"), &json!(60.5))
    );
}

#[tokio::test]
async fn array_receipts_keep_order_and_include_rejections() {
    let server = TestServer::start().await;
    let unidentified = json!({"price": "x", "reference": 12, "url": "/annonce/12"});
    let sent =
        json!([minimal("1"), unidentified, minimal("2"), 7, advert("1", json!({"room": 2})), minimal("1")]);
    let body = server.post("/adverts", &sent).await.ok();
    assert_eq!(body["@type"], "hydra:Collection");
    assert_eq!(body["@id"], "/adverts");
    assert_eq!(body["hydra:totalItems"], 6);
    let members = body["hydra:member"].as_array().unwrap();
    let outcomes: Vec<&str> = members.iter().map(|member| member["outcome"].as_str().unwrap()).collect();
    assert_eq!(outcomes, ["created", "rejected", "created", "rejected", "updated", "unchanged"]);
    assert_eq!(members[0]["uuid"], members[4]["uuid"]);
    assert_ne!(members[0]["uuid"], members[2]["uuid"]);
    assert_eq!(members[1]["violations"][0]["propertyPath"], "transactionType");
    // The sender recognises a refused advert by what it sent.
    assert_eq!((&members[1]["reference"], &members[1]["url"]), (&json!("12"), &json!("/annonce/12")));
    assert_eq!(members[0].get("reference"), None);
    assert_eq!(members[3]["violations"][0]["message"], "An advert must be a JSON object, number given.");
    for member in members {
        assert_eq!((member.get("@context"), &member["@type"]), (None, &json!("AdvertReceipt")));
    }
    assert_eq!(server.post("/adverts", &json!([])).await.ok()["hydra:member"], json!([]));
}

#[tokio::test]
async fn advert_is_identified_by_uuid_then_reference_then_url() {
    let server = TestServer::start().await;
    let uuid = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let kinds = json!({"transactionType": 1, "propertyType": 1});
    let with = |fields: Value| {
        let mut advert = kinds.clone();
        crate::harness::adverts::merge(&mut advert, fields);
        advert
    };
    let first = server.accept(&with(json!({"uuid": uuid, "site": "a.example", "reference": "1"}))).await;
    assert_eq!(first["uuid"], uuid);
    for same in [
        json!({"uuid": uuid.to_uppercase()}),
        json!({"uuid": format!("/adverts/{uuid}"), "site": "A.example"}),
        json!({"site": "https://www.a.example/", "reference": 1}),
        json!({"site": "a.example", "reference": "1", "url": "https://a.example/x"}),
        json!({"url": "HTTPS://A.example:443/x#photos"}),
    ] {
        assert_eq!(server.accept(&with(same.clone())).await["uuid"], uuid, "{same}");
    }
    for other in [
        json!({"site": "b.example", "reference": "1"}),
        json!({"site": "a.example", "reference": "2"}),
        json!({"url": "https://a.example/y"}),
        json!({"url": "https://a.example/x?page=2"}),
    ] {
        let receipt = server.accept(&with(other.clone())).await;
        assert_eq!(receipt["outcome"], "created", "{other}");
    }
}

#[tokio::test]
async fn site_is_derived_from_the_url() {
    let server = TestServer::start().await;
    let sent = json!({"transactionType": 0, "propertyType": 0, "url": "https://www.portail.example/9", "reference": "9"});
    let receipt = server.accept(&sent).await;
    assert_eq!(server.advert(&receipt).await["site"], "portail.example");
    assert_eq!(server.accept(&minimal("9")).await["uuid"], receipt["uuid"]);
}

#[tokio::test]
async fn resent_advert_is_unchanged() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let (before, log_before) = (server.document(&receipt).await, server.log_length().await);
    for _ in 0..2 {
        assert_eq!(server.accept(&full("1")).await["outcome"], "unchanged");
    }
    assert_eq!(server.document(&receipt).await, before);
    assert_eq!(server.log_length().await, log_before);
    // An advert can be sent back as it was read, without a change.
    let mut read = server.advert(&receipt).await;
    assert_eq!(server.accept(&read).await["outcome"], "unchanged", "{read}");
    read.as_object_mut().unwrap().remove("uuid");
    assert_eq!(server.accept(&read).await["outcome"], "unchanged", "{read}");
}

#[tokio::test]
async fn crawl_updates_only_the_crawl_date() {
    let server = TestServer::start().await;
    let receipt = server.accept(&advert("1", json!({"price": 100}))).await;
    let before = server.advert(&receipt).await;
    server.clock.advance(jiff::SignedDuration::from_hours(24));
    assert_eq!(server.accept(&minimal("1")).await["outcome"], "unchanged");
    let mut expected = before.clone();
    expected["lastCrawledAt"] = json!("2026-03-03T10:00:00+01:00");
    assert_eq!(server.advert(&receipt).await, expected);
    assert_eq!(server.document(&receipt).await["lastCrawledAt"], "2026-03-03T10:00:00+01:00");

    // An older crawl that arrives late changes no value. It fills the history: the advert is older, and its price was not known yet.
    server.accept(&advert("1", json!({"lastCrawledAt": "2026-01-01"}))).await;
    let event = |at: &str, field: &str, new: Option<&str>| json!({"createdAt": at, "fieldName": field, "fieldOldValue": null, "fieldNewValue": new, "percentVariation": null});
    let first_crawl = "2026-01-01T00:00:00+01:00";
    expected["createdAt"] = json!(first_crawl);
    expected["events"] = json!([
        event(first_crawl, "created", None),
        event("2026-03-02T10:00:00+01:00", "price", Some("100")),
    ]);
    assert_eq!(server.advert(&receipt).await, expected);
}

#[tokio::test]
async fn null_clears_and_absent_keeps_a_field() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let before = server.advert(&receipt).await;
    // With all fields absent, all are kept.
    server.accept(&minimal("1")).await;
    let mut kept = server.advert(&receipt).await;
    kept["lastCrawledAt"] = before["lastCrawledAt"].clone();
    assert_eq!(kept, before);

    let empties = |name: &str| match name {
        "features" | "pictures" | "picturesRemote" => json!([]),
        _ => Value::Null,
    };
    for name in before.as_object().unwrap().keys() {
        let fixed = [
            "@context",
            "@id",
            "@type",
            "uuid",
            "property",
            "site",
            "reference",
            "transactionType",
            "propertyType",
            "createdAt",
            "updatedAt",
            "lastCrawledAt",
            "expired",
            "expiredAt",
            "events",
            "coherentPrice",
            "priceProblem",
            // A place is one value: set as a whole, cleared as a whole.
            "insee",
            "zipcode",
            "cityName",
            "locations",
            "geoAccuracy",
        ];
        if fixed.contains(&name.as_str()) {
            continue;
        }
        assert_eq!(server.accept(&advert("1", json!({name: null}))).await["outcome"], "updated", "{name}");
        let read = server.advert(&receipt).await;
        match name.as_str() {
            "contact" | "publisher" | "energy" | "greenHouseGas" | "lifeAnnuity" | "newBuilding" => {
                assert!(read[name].as_object().unwrap().values().all(Value::is_null), "{name}");
            }
            _ => assert_eq!(read[name], empties(name), "{name}"),
        }
    }
    // A crawl without coordinates says nothing about the place.
    let known = server.advert(&receipt).await["locations"].clone();
    assert_eq!(server.accept(&advert("1", json!({"locations": null}))).await["outcome"], "unchanged");
    assert_eq!(server.advert(&receipt).await["locations"], known);
    let nowhere = json!({"insee": null, "zipcode": null, "cityName": null, "locations": null});
    server.accept(&advert("1", nowhere)).await;
    let read = server.advert(&receipt).await;
    for name in ["insee", "zipcode", "cityName", "locations", "geoAccuracy"] {
        assert_eq!(read[name], Value::Null, "{name}");
    }
    assert_eq!((&read["site"], &read["reference"]), (&json!("portail.example"), &json!("1")));
}

#[tokio::test]
async fn price_and_surface_events_have_values() {
    let server = TestServer::start().await;
    let receipt = server.accept(&advert("1", json!({"price": 320_000, "surface": 50}))).await;
    server.clock.advance(jiff::SignedDuration::from_hours(1));
    server.accept(&advert("1", json!({"price": 311_000, "surface": 48.5, "title": "Loft"}))).await;
    server.accept(&advert("1", json!({"price": null}))).await;
    // 0 stands for no price, and is no event.
    let unpriced = server.accept(&advert("1", json!({"price": 0}))).await;
    assert_eq!(unpriced["warnings"][0]["message"], "0 stands for no price; it was ignored.");
    server.accept(&advert("1", json!({"price": "250000.50"}))).await;
    let at = "2026-03-02T11:00:00+01:00";
    let event = |field: &str, old: Option<&str>, new: Option<&str>, percent: Option<f64>| {
        let percent = percent.map_or(Value::Null, |percent| {
            if percent.fract() == 0.0 { json!(percent as i64) } else { json!(percent) }
        });
        json!({"createdAt": at, "fieldName": field, "fieldOldValue": old, "fieldNewValue": new, "percentVariation": percent})
    };
    let mut created = event("created", None, None, None);
    created["createdAt"] = json!("2026-03-02T10:00:00+01:00");
    assert_eq!(
        server.advert(&receipt).await["events"],
        json!([
            created,
            event("title", None, None, None),
            event("price", Some("320000"), Some("311000"), Some(-2.81)),
            event("surface", Some("50"), Some("48.5"), Some(-3.0)),
            event("price", Some("311000"), None, None),
            event("price", None, Some("250000.5"), None),
        ])
    );
    assert_eq!(server.advert(&receipt).await["updatedAt"], at);
}

#[tokio::test]
async fn pictures_share_one_event() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let pictures =
        json!({"pictures": ["https://i.example/1"], "picturesRemote": ["https://r.example/1"], "room": 2});
    server.accept(&advert("1", pictures)).await;
    assert_eq!(events(&server.advert(&receipt).await), ["created", "room", "pictures"]);
    server.accept(&advert("1", json!({"picturesRemote": [], "zipcode": "75010"}))).await;
    let read = server.advert(&receipt).await;
    assert_eq!(events(&read), ["created", "room", "pictures", "pictures", "locations"]);
}

#[tokio::test]
async fn history_can_be_added_later() {
    let server = TestServer::start().await;
    let receipt = server.accept(&advert("1", json!({"price": 200}))).await;
    let history = json!([
        {"createdAt": "2025-06-01T00:00:00Z", "fieldName": "price", "fieldOldValue": 250, "fieldNewValue": "200",
         "percentVariation": "20"},
        {"createdAt": "2025-05-01", "fieldName": "somethingElse"},
    ]);
    let backfill = advert("1", json!({"createdAt": "2025-04-01 10:00:00", "events": history}));
    assert_eq!(server.accept(&backfill).await["outcome"], "updated");
    let read = server.advert(&receipt).await;
    assert_eq!(events(&read), ["created", "somethingElse", "price"]);
    assert_eq!(read["createdAt"], "2025-04-01T10:00:00+02:00");
    assert_eq!(read["events"][0]["createdAt"], "2025-04-01T10:00:00+02:00");
    assert_eq!(
        read["events"][2],
        json!({"createdAt": "2025-06-01T02:00:00+02:00", "fieldName": "price", "fieldOldValue": "250",
               "fieldNewValue": "200", "percentVariation": -20})
    );
    assert_eq!(server.document(&receipt).await["createdAt"], "2025-04-01T10:00:00+02:00");
    // Sending the same history again adds nothing, and a later creation date does not replace an earlier one.
    assert_eq!(server.accept(&backfill).await["outcome"], "unchanged");
    let younger = advert("1", json!({"createdAt": "2026-01-01", "events": []}));
    assert_eq!(server.accept(&younger).await["outcome"], "unchanged");
    assert_eq!(server.advert(&receipt).await["createdAt"], "2025-04-01T10:00:00+02:00");
}

#[tokio::test]
async fn resent_history_with_extreme_values_is_unchanged() {
    let server = TestServer::start().await;
    for percent in [1e308, -1e308, 1e300, 123_456_789.987_654_3, 1e16 + 2.0] {
        let sent = advert(
            &percent.to_string(),
            json!({"events": [{"createdAt": "2026-01-01", "fieldName": "price", "percentVariation": percent}]}),
        );
        let receipt = server.accept(&sent).await;
        assert_eq!(server.accept(&sent).await["outcome"], "unchanged", "{percent}");
        assert_eq!(events(&server.advert(&receipt).await), ["created", "price"], "{percent}");
    }
}

#[tokio::test]
async fn site_round_trips() {
    let server = TestServer::start().await;
    for site in [
        "www.www.portail.example",
        "WWW.Example",
        "www. a.b",
        "Agence du Lac",
        "www.http://x.example/",
        "İstanbul",
    ] {
        let mut sent = minimal("1");
        sent["site"] = json!(site);
        let receipt = server.accept(&sent).await;
        assert_eq!(receipt["outcome"], "created", "{site}");
        let known = server.accept(&sent).await;
        assert_eq!((&known["outcome"], &known["uuid"]), (&json!("unchanged"), &receipt["uuid"]), "{site}");
        sent["site"] = server.advert(&receipt).await["site"].clone();
        assert_eq!(server.accept(&sent).await["uuid"], receipt["uuid"], "{site}");
    }
}

#[tokio::test]
async fn reference_belongs_to_one_advert() {
    let server = TestServer::start().await;
    let first = server.accept(&minimal("1")).await;
    let second = server.accept(&minimal("2")).await;
    let taken = advert("1", json!({"uuid": second["uuid"]}));
    let response = server.post("/adverts", &taken).await;
    assert_eq!(response.violations(422), ["reference"]);
    assert!(response.text().contains(first["uuid"].as_str().unwrap()));
    assert_eq!(response.json()["violations"][0]["code"], "contradiction");
    let fresh = advert("1", json!({"uuid": "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"}));
    assert_eq!(server.post("/adverts", &fresh).await.violations(422), ["reference"]);
    assert_eq!(server.advert(&second).await["reference"], "2");
    // Within one batch as well: the second draft sees the first.
    let body = server
        .post("/adverts", &json!([minimal("3"), advert("3", json!({"uuid": second["uuid"]}))]))
        .await
        .ok();
    assert_eq!(body["hydra:member"][1]["outcome"], "rejected");
    // Once the first advert gives it up, the reference is free.
    server.accept(&advert("4", json!({"uuid": first["uuid"]}))).await;
    assert_eq!(server.accept(&taken).await["outcome"], "updated");
}

#[tokio::test]
async fn concurrent_senders_create_one_advert() {
    let server = TestServer::start().await;
    let sends = (1..=20).map(|price| {
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        server.send(request.json(&advert("1", json!({"price": price}))))
    });
    let answers = futures_util::future::join_all(sends).await;
    let created = answers.iter().filter(|response| response.status == 201).count();
    assert_eq!(created, 1);
    let uuids: std::collections::HashSet<String> =
        answers.iter().map(|response| response.json()["uuid"].to_string()).collect();
    assert_eq!(uuids.len(), 1);
    // Each change builds on the one before: old and new values form a chain.
    let read = server.advert(&answers[0].json()).await;
    let prices: Vec<&Value> = read["events"].as_array().unwrap()[1..].iter().collect();
    assert_eq!(prices.len(), 19);
    for pair in prices.windows(2) {
        assert_eq!(pair[0]["fieldNewValue"], pair[1]["fieldOldValue"]);
    }
}

/// An advert identified by its uuid only.
fn by_uuid(number: u32, fields: Value) -> Value {
    let uuid = format!("0190a1b2-c3d4-7e5f-8a9b-{number:012}");
    let mut advert = json!({"uuid": uuid, "transactionType": 0, "propertyType": 0});
    crate::harness::adverts::merge(&mut advert, fields);
    advert
}

#[tokio::test]
async fn batch_can_set_many_references() {
    let server = TestServer::start().await;
    let with_site: Vec<Value> = (0..600).map(|n| by_uuid(n, json!({"site": "portail.example"}))).collect();
    server.post("/adverts", &json!(with_site)).await.ok();
    let with_reference: Vec<Value> =
        (0..600).map(|n| by_uuid(n, json!({"reference": n.to_string()}))).collect();
    let body = server.post("/adverts", &json!(with_reference)).await.ok();
    let outcomes = body["hydra:member"].as_array().unwrap().iter().map(|receipt| &receipt["outcome"]);
    assert_eq!(outcomes.filter(|outcome| **outcome == "updated").count(), 600);
}

#[tokio::test]
async fn released_identity_is_reusable_within_a_batch() {
    let server = TestServer::start().await;
    let first = server.accept(&advert("1", json!({"url": "https://portail.example/1"}))).await;
    let moved = advert("2", json!({"uuid": first["uuid"], "url": "https://portail.example/2"}));
    let body = server.post("/adverts", &json!([moved, advert("1", json!({"title": "Another"}))])).await.ok();
    let receipts = body["hydra:member"].as_array().unwrap();
    assert_eq!((&receipts[0]["outcome"], &receipts[1]["outcome"]), (&json!("updated"), &json!("created")));
    assert_eq!(receipts[0]["uuid"], first["uuid"]);
    assert_ne!(receipts[1]["uuid"], first["uuid"]);
    let by_url = server.get("/documents/properties/by-url?url=https://portail.example/1").await;
    by_url.problem(404);
    // Also for an advert that already exists.
    let swap = json!([
        advert("3", json!({"uuid": first["uuid"]})),
        advert("2", json!({"uuid": receipts[1]["uuid"]})),
    ]);
    let body = server.post("/adverts", &swap).await.ok();
    assert_eq!(body["hydra:member"][1]["outcome"], "updated");
}

#[tokio::test]
async fn many_changes_of_a_large_property_are_split() {
    let server = TestServer::start().await;
    let property = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    let long = "mot ".repeat(12_000);
    let stock: Vec<Value> = (0..40)
        .map(|n| advert(&n.to_string(), json!({"property": property, "description": long, "price": 1})))
        .collect();
    server.post("/adverts", &json!(stock)).await.ok();
    // Each step takes about two megabytes: together far more than the limit of one transaction plan.
    let changes: Vec<Value> =
        (0..120).map(|n| advert(&(n % 40).to_string(), json!({"price": 2 + n}))).collect();
    let body = server.post("/adverts", &json!(changes)).await.ok();
    assert_eq!(body["hydra:totalItems"], 120);
    for (n, receipt) in body["hydra:member"].as_array().unwrap().iter().enumerate() {
        assert_eq!(receipt["outcome"], "updated", "{n}");
    }
    let document = server.get(&format!("/documents/properties/{property}")).await.ok();
    for (n, advert) in document["adverts"].as_array().unwrap().iter().enumerate() {
        assert_eq!((&advert["price"], advert["events"].as_array().unwrap().len()), (&json!(82 + n), 4));
    }
}
