//! An export of one service can be imported by another without loss.

use std::path::Path;

use serde_json::{Value, json};
use world::{Grouping, Settings, World};

use crate::cli;
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, merge};
use crate::harness::client::{Response, with_timeout};

const SEED: u64 = 13;

/// Every property: by default, those without a plausible price are left out.
const EXPORT: &str = "/documents/properties.ndjson?withCoherentPrice=null";

/// Drafts per commit of the generated market.
const DRAFTS_PER_BATCH: usize = 25;

/// Lets a server live through a market with grouped properties, changes, expiries and returns.
async fn live_through_a_market(server: &TestServer) {
    println!("seed {SEED}");
    let start = "2026-03-02T09:00:00Z".parse().unwrap();
    let settings = Settings { grouping: Grouping::Named, events_per_day: 150, ..Settings::new(80, start) };
    let world = World::new(SEED, world::sample::towns(), settings).unwrap();
    server.app.ingest(world.drafts().collect()).await.unwrap();
    let events: Vec<_> = world.timeline_of_days(6).collect();
    for batch in events.chunks(DRAFTS_PER_BATCH) {
        server.clock.set(batch.last().unwrap().at);
        server.app.ingest(batch.iter().map(|event| event.draft.clone()).collect()).await.unwrap();
    }
}

/// Adds adverts that a market does not have.
async fn add_unusual_adverts(server: &TestServer) {
    let step = async |fields: Value| {
        server.clock.advance_seconds(60);
        let mut sent = full("U-1");
        merge(&mut sent, fields);
        server.accept(&sent).await
    };
    // Several changes and the expiry in one second, a return, an expiry at an earlier date, events of other systems.
    let first = step(json!({})).await;
    step(json!({"price": 310_000, "surface": 61.25, "pictures": [], "expired": true})).await;
    step(json!({"expired": false, "lastCrawledAt": null})).await;
    step(json!({"expiredAt": "2026-03-01T10:00:00Z", "title": "Vendu"})).await;
    step(json!({"expired": true, "events": [
        {"fieldName": "boost", "createdAt": "2026-02-03T08:00:00Z", "fieldNewValue": "or"},
        {"fieldName": "expired", "createdAt": "2026-02-04T08:00:00Z"},
    ]}))
    .await;
    // Another advert of the same property, without a place, expired by request.
    let property = &first["property"];
    let second = server.accept(&advert("U-2", json!({"property": property, "price": 0}))).await;
    server.clock.advance_seconds(60);
    server.post(&format!("{}/expire", second["@id"].as_str().unwrap()), &json!({})).await.ok();
    // Only a URL; a place that does not exist; a site that was cleared; a number as name of the site.
    let plain = json!({"transactionType": 1, "propertyType": 3, "url": "https://www.Agence.example/a?b=1#c"});
    server.accept(&plain).await;
    server.accept(&advert("U-3", json!({"cityName": "Nulle-Part", "zipcode": "99999", "price": 1}))).await;
    let mut cleared = advert("U-4", json!({"url": "https://portail.example/u-4"}));
    let uuid = server.accept(&cleared).await["uuid"].clone();
    cleared = json!({"uuid": uuid, "transactionType": 0, "propertyType": 0, "site": null, "reference": null});
    server.accept(&cleared).await;
}

/// Adds flats of one town, two of them ten times as expensive as the others: one that was there before the others, so that its price is
/// coherent, and one that costs so much since a change after them.
async fn add_adverts_judged_by_their_market(server: &TestServer) {
    const USUAL: u32 = 250_000;
    let flat = |reference: &str, price: u32| {
        let place = json!({"zipcode": "37000", "cityName": "Tours", "surface": 60, "price": price});
        advert(reference, place)
    };
    let is_coherent = async |reference: &str, price: u32| {
        server.clock.advance_seconds(60);
        let receipt = server.accept(&flat(reference, price)).await;
        server.advert(&receipt).await["coherentPrice"].clone()
    };
    assert_eq!(is_coherent("T-first", 10 * USUAL).await, true);
    assert_eq!(is_coherent("T-changed", USUAL).await, true);
    for number in 0..30 {
        assert_eq!(is_coherent(&format!("T-{number}"), USUAL + 1_000 * number).await, true);
    }
    assert_eq!(is_coherent("T-changed", 10 * USUAL).await, false);
}

/// Returns the lines of a complete export.
async fn export(server: &TestServer) -> String {
    let response = server.get(EXPORT).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.text().to_owned()
}

fn vigie(folder: &Path, file: &Path) -> String {
    cli::run(folder, &["import", "--strict", file.to_str().unwrap()]).succeeded().to_owned()
}

/// Waits until a server has indexed what another process imported.
async fn wait_for_total(server: &TestServer, total: usize) {
    let total = total.to_string();
    let found = |response: &Response| response.header("x-total-items") == Some(&total);
    with_timeout(async {
        while !found(&server.get(EXPORT).await) {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn export_is_imported_without_loss() {
    let first = TestServer::start().await;
    add_adverts_judged_by_their_market(&first).await;
    live_through_a_market(&first).await;
    add_unusual_adverts(&first).await;
    first.indexed().await;
    let exported = export(&first).await;
    let properties = exported.lines().count();
    assert!(properties > 80, "{properties}");
    let documents: Vec<Value> = exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let adverts: Vec<&Value> =
        documents.iter().flat_map(|document| document["adverts"].as_array().unwrap()).collect();
    // The market has what this test is about.
    assert!(documents.iter().any(|document| document["adverts"].as_array().unwrap().len() > 1));
    assert!(adverts.iter().any(|advert| advert["expired"] == true));
    assert!(adverts.iter().any(|advert| advert["events"].as_array().unwrap().len() > 3));

    let second = TestServer::start().await;
    let file = second.folder().join("properties.ndjson");
    std::fs::write(&file, &exported).unwrap();
    let imported = vigie(second.folder(), &file);
    let counts = format!("{} created, 0 updated, 0 unchanged, 0 rejected", adverts.len());
    assert!(imported.lines().next().unwrap().ends_with(&counts), "{imported}");
    assert!(!imported.contains("Ignored names"), "{imported}");
    wait_for_total(&second, properties).await;
    let again = export(&second).await;
    for (again, line) in again.lines().zip(exported.lines()) {
        assert_eq!(again, line);
    }
    assert_eq!(again.len(), exported.len());

    // Importing the same lines again changes nothing.
    let imported = vigie(second.folder(), &file);
    let counts = format!("0 created, 0 updated, {} unchanged, 0 rejected", adverts.len());
    assert!(imported.lines().next().unwrap().ends_with(&counts), "{imported}");
}

#[tokio::test(flavor = "multi_thread")]
async fn imported_export_does_not_undo_later_changes() {
    let first = TestServer::start().await;
    first.accept(&full("1")).await;
    first.indexed().await;
    let exported = export(&first).await;
    let second = TestServer::start().await;
    let file = second.folder().join("properties.ndjson");
    std::fs::write(&file, &exported).unwrap();
    vigie(second.folder(), &file);
    let expired = json!({"site": "portail.example", "reference": "1", "transactionType": 0, "propertyType": 0, "expired": true});
    let receipt = second.accept(&expired).await;
    vigie(second.folder(), &file);
    assert_eq!(second.advert(&receipt).await["expired"], true);
}
