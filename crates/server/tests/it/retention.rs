//! Retention in a running server: what clients see stays.

use std::time::Duration;

use app::workers::retention::{self, Pace, Settings};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::with_timeout;

const DAY: i64 = 86_400;

/// Lets retention run until it has deleted this many log entries: it waits for followers that have not reported their progress yet.
async fn delete_entries(server: &TestServer, count: u64) {
    let month = Some(Duration::from_secs(30 * 86_400));
    let settings = Settings { log: month, matches: month, expired_properties: None, pace: Pace::Background };
    with_timeout(async {
        while server.app.retention_status().deleted.log_entries < count {
            retention::run_once(&server.app, settings, &CancellationToken::new()).await.unwrap();
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn matches_and_documents_outlive_the_log() {
    let server = TestServer::start().await;
    let search = json!({
        "title": "Un bien", "transactionType": 0, "propertyTypes": [0, 1], "withCoherentPrice": false,
        "notificationEnabled": true,
    });
    let search = server.post("/searches", &search).await;
    assert_eq!(search.status, 201, "{}", search.text());
    let matches = format!("{}/matches", search.json()["@id"].as_str().unwrap());
    let receipt = server.accept(&advert("1", json!({"price": 100_000}))).await;
    for step in 1..=5 {
        server.clock.advance_seconds(60);
        server.accept(&advert("1", json!({"price": 100_000 - 1_000 * step}))).await;
    }
    server.app.wait_until_matched().await;
    let before = (server.get(&matches).await.ok(), server.document(&receipt).await);
    assert_eq!(before.0["hydra:totalItems"], 1, "{}", before.0);
    let one = before.0["hydra:member"][0].clone();
    assert_eq!(one["propertyDocument"]["adverts"][0]["price"], 100_000, "as it was when it matched");

    server.clock.advance_seconds(31 * DAY);
    server.accept(&advert("2", json!({"price": 1}))).await;
    server.app.wait_until_matched().await;
    delete_entries(&server, 7).await;
    let metrics = server.get("/metrics").await;
    for line in [
        "vigie_retention_deleted_rows_total{table=\"log\"} 7",
        "vigie_retention_deleted_rows_total{table=\"property_version\"} 4",
        "vigie_log_oldest_position 8",
        "vigie_log_position 8",
    ] {
        assert!(metrics.text().lines().any(|printed| printed == line), "{line} is not in {}", metrics.text());
    }
    let server = server.restarted().await;
    let page = server.get(&matches).await.ok();
    let listed = page["hydra:member"].as_array().unwrap();
    assert_eq!(listed.iter().find(|it| it["@id"] == one["@id"]), Some(&one), "{page}");
    assert_eq!(
        server.get(one["@id"].as_str().unwrap()).await.ok()["propertyDocument"],
        one["propertyDocument"]
    );
    assert_eq!(server.document(&receipt).await, before.1, "with the history of its price");
}
