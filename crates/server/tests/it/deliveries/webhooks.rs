//! Webhooks end to end: what arrives, what is recorded, and what happens when a receiver fails.

use serde_json::{Value, json};
use testkit::receiver::{Behaviour, Receiver, ReceiverConfig, Script};

use super::{
    TRUSTED, match_everything, members, once, path, receiver, with_delivery_settings, with_dispatcher,
};
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full};
use crate::harness::client::{Request, with_timeout};

/// Waits until there are `count` deliveries.
async fn listed(server: &TestServer, count: usize) -> Vec<Value> {
    with_timeout(async {
        loop {
            let page = server.get("/deliveries").await.ok();
            if page["hydra:totalItems"].as_u64() >= Some(count as u64) {
                return members(&page).clone();
            }
        }
    })
    .await
}

#[tokio::test]
async fn a_setting_repeats_the_match_under_match() {
    let server = with_delivery_settings("nested_match = true\n").await;
    let receiver = receiver().await;
    let endpoints = json!({"endpointRecipient": receiver.url("/matches"), "eventEndpoint": receiver.url("/events"),
        "subscribedEvents": ["property.ad.create"]});
    let search = match_everything(&server, endpoints).await;
    server.accept(&full("1")).await;
    for request in receiver.wait_for(2).await {
        let mut payload: Value = serde_json::from_slice(&request.body).unwrap();
        let nested = payload.as_object_mut().unwrap().remove("match").unwrap();
        assert_eq!((&nested["@type"], &nested["search"]), (&json!("Match"), &search["@id"]));
        match request.path.as_str() {
            "/matches" => assert_eq!(nested, payload),
            // An event has it only there.
            _ => assert_eq!(payload.get("propertyDocument"), None),
        }
    }
}

#[tokio::test]
async fn match_and_event_webhooks_follow_the_contract() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let search = match_everything(
        &server,
        json!({
            "endpointRecipient": receiver.url("/matches"), "eventEndpoint": receiver.url("/events"),
            "subscribedEvents": ["ad.update.price"],
        }),
    )
    .await;
    let receipt = server.accept(&full("1")).await;
    receiver.wait_for(1).await;
    server.clock.advance_seconds(60);
    server.accept(&advert("1", json!({"price": 311_000}))).await;
    let received = receiver.wait_for(2).await;
    let paths: Vec<&str> = received.iter().map(|request| request.path.as_str()).collect();
    assert_eq!(paths, ["/matches", "/events"]);

    let payload: Value = serde_json::from_slice(&received[0].body).unwrap();
    assert_eq!((&payload["property"], &payload["search"]), (&receipt["property"], &search["@id"]));
    let read = server.get(payload["@id"].as_str().unwrap()).await.ok();
    let mut document = read["propertyDocument"].clone();
    let city = document["city"].as_object_mut().unwrap();
    let point = city.remove("locations").unwrap();
    city.insert("location".to_owned(), point);
    assert_eq!(payload["propertyDocument"], document);
    let event: Value = serde_json::from_slice(&received[1].body).unwrap();
    assert_eq!(
        (&event["event"], &event["adEvent"]),
        (
            &json!("ad.update.price"),
            &json!({
                "fieldName": "price", "fieldOldValue": "320000", "fieldNewValue": "311000", "percentVariation": "-2.81",
                "createdAt": "2026-03-02T10:01:00+01:00", "advert": receipt["@id"],
            })
        )
    );
    assert_eq!((&event["match"]["@id"], &event["match"]["search"]), (&payload["@id"], &search["@id"]));

    let deliveries = listed(&server, 2).await;
    for (delivery, request) in deliveries.iter().rev().zip(&received) {
        let delivered = once(&server, path(delivery), "delivered").await;
        assert_eq!(path(delivery), format!("/deliveries/{}", request.webhook_id().unwrap()));
        let attempt = &delivered["attempts"][0];
        assert_eq!((&attempt["outcome"], &attempt["status"]), (&json!("delivered"), &json!(200)));
        assert_eq!(delivered["match"], payload["@id"]);
    }
    // The counters follow a moment after the record.
    let lines = [
        "vigie_delivery_attempts_total{channel=\"endpointRecipient\",outcome=\"delivered\"} 1",
        "vigie_delivery_attempts_total{channel=\"eventEndpoint\",outcome=\"delivered\"} 1",
        "vigie_deliveries_delivered_total 2",
        "vigie_deliveries_failed_total 0",
    ];
    with_timeout(async {
        loop {
            let metrics = server.send(Request::new("GET", "/metrics")).await;
            if lines.iter().all(|line| metrics.text().contains(line)) {
                return;
            }
        }
    })
    .await;
}

#[tokio::test]
async fn delivery_failed_six_times_can_be_replayed() {
    let server = with_dispatcher().await;
    let script = Script::sequence(vec![Behaviour::Answer(503); 6]);
    let receiver = Receiver::start(&TRUSTED.authority, ReceiverConfig::new(script)).await.unwrap();
    match_everything(&server, json!({"endpointRecipient": receiver.url("/")})).await;
    server.accept(&full("1")).await;
    for attempt in 1..=6 {
        receiver.wait_for(attempt).await;
        let delivery = listed(&server, 1).await[0].clone();
        let seen = with_timeout(async {
            loop {
                let seen = server.get(path(&delivery)).await.ok();
                if seen["state"] != "leased" && seen["attemptCount"] == attempt {
                    return seen;
                }
            }
        })
        .await;
        if attempt < 6 {
            assert_eq!(seen["state"], "pending", "{seen}");
            server.clock.advance(jiff::SignedDuration::from_hours(1));
        } else {
            assert_eq!(seen["state"], "failed", "{seen}");
        }
    }
    let delivery = listed(&server, 1).await[0].clone();
    let replay = format!("{}/replay", path(&delivery));
    let response = server.send(Request::new("POST", &replay).key(&server.keys.all)).await;
    assert_eq!(response.status, 202, "{}", response.text());
    let received = receiver.wait_for(7).await;
    assert_eq!(once(&server, path(&delivery), "delivered").await["attemptCount"], 7);
    for request in &received {
        assert_eq!((request.webhook_id(), &request.body), (received[0].webhook_id(), &received[0].body));
    }
}

#[tokio::test]
async fn hidden_contacts_are_absent_from_webhooks() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let search =
        |hidden: bool| json!({"endpointRecipient": receiver.url("/"), "hidePropertyContact": hidden});
    let hiding = match_everything(&server, search(true)).await;
    match_everything(&server, search(false)).await;
    server.accept(&full("1")).await;
    for request in receiver.wait_for(2).await {
        let payload: Value = serde_json::from_slice(&request.body).unwrap();
        let contact = payload["propertyDocument"]["adverts"][0]["contact"].as_object().unwrap();
        let hidden = payload["search"] == hiding["@id"];
        assert_eq!(contact.len(), 6);
        assert!(contact.values().all(|value| value.is_null() == hidden), "{contact:?}");
    }
}
