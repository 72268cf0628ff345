//! Previews of searches.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::merge;
use crate::harness::client::Request;
use crate::search::{ingest, listing, titles};

const DAY: i64 = 86_400;

/// A search for apartments, with the given fields added or replaced.
fn flats(fields: Value) -> Value {
    let mut body = json!({"transactionType": 0, "propertyTypes": [0], "budgetMax": 200_000});
    merge(&mut body, fields);
    body
}

async fn preview(server: &TestServer, fields: Value) -> Value {
    server.post("/searches/preview", &flats(fields)).await.ok()
}

fn priced(name: &str, price: u32) -> Value {
    listing(name, json!({"price": price}))
}

fn gone(name: &str) -> Value {
    listing(name, json!({"expired": true}))
}

/// Starts a server and sends forty days of a market, day by day.
async fn market() -> TestServer {
    let server = TestServer::start().await;
    let days_pass = async |days: i64, adverts: &[Value]| {
        server.clock.advance_seconds(days * DAY);
        ingest(&server, adverts).await;
    };
    // Forty days ago: two below the maximum price, and two above.
    days_pass(0, &[priced("stays", 190_000), priced("drops early", 250_000)]).await;
    days_pass(0, &[priced("returns", 190_000), priced("drops late", 250_000)]).await;
    // Twenty days ago.
    days_pass(20, &[priced("new early", 150_000), priced("drops early", 195_000), gone("returns")]).await;
    // Ten days ago.
    days_pass(10, &[priced("comes and goes", 180_000)]).await;
    // Five days ago.
    days_pass(5, &[priced("new late", 199_000), priced("returns", 190_000)]).await;
    days_pass(0, &[priced("drops late", 200_000), gone("comes and goes"), priced("too dear", 300_000)]).await;
    // Yesterday: a crawl of what matched all along.
    days_pass(4, &[priced("stays", 185_000)]).await;
    server.clock.advance_seconds(DAY);
    server
}

#[tokio::test]
async fn preview_counts_current_and_recent_matches() {
    let server = market().await;
    let seen = preview(&server, json!({})).await;
    assert_eq!(
        (&seen["@context"], &seen["@type"]),
        (&json!("/contexts/SearchPreview"), &json!("SearchPreview"))
    );
    assert_eq!((&seen["propertiesNow"], &seen["hydra:totalItems"]), (&json!(6), &json!(6)));
    // Newest first; ties by price per square metre, descending.
    assert_eq!(titles(&seen), ["new late", "new early", "drops late", "drops early", "returns", "stays"]);
    // "new late", "drops late" and "returns".
    assert_eq!(seen["matchesLast7Days"], json!({"count": 3, "estimated": false}));
    // The same, and "new early", "drops early" and "comes and goes".
    assert_eq!(seen["matchesLast30Days"], json!({"count": 6, "estimated": false}));
    let nothing = preview(&server, json!({"budgetMax": 1_000})).await;
    assert_eq!((&nothing["propertiesNow"], &nothing["matchesLast30Days"]["count"]), (&json!(0), &json!(0)));
    assert_eq!(titles(&nothing), Vec::<String>::new());
}

#[tokio::test]
async fn preview_saves_nothing_and_shows_ten_documents() {
    let server = TestServer::start().await;
    let adverts: Vec<Value> =
        (0..12).map(|number| priced(&format!("n{number:02}"), 100_000 + number)).collect();
    ingest(&server, &adverts).await;
    let before = server.log_length().await;
    let seen = preview(&server, json!({"title": ""})).await;
    assert_eq!((titles(&seen).len(), &seen["hydra:totalItems"]), (10, &json!(12)));
    assert_eq!(seen["matchesLast7Days"], json!({"count": 12, "estimated": false}));
    assert_eq!(server.log_length().await, before);
    assert_eq!(server.get("/searches").await.ok()["hydra:totalItems"], 0);
}

#[tokio::test]
async fn preview_documents_hide_contacts_like_deliveries() {
    let server = TestServer::start().await;
    let contact = json!({"name": "Camille Martin", "phone": "01 99 00 00 01"});
    ingest(&server, &[listing("a", json!({"contact": contact}))]).await;
    let name = async |fields: Value| {
        preview(&server, fields).await["hydra:member"][0]["adverts"][0]["contact"]["name"].clone()
    };
    assert_eq!(name(json!({})).await, "Camille Martin");
    assert_eq!(name(json!({"hidePropertyContact": true})).await, Value::Null);
}

#[tokio::test]
async fn preview_body_is_a_search_body() {
    let server = TestServer::start().await;
    let refused = async |body: Value| server.post("/searches/preview", &body).await;
    assert_eq!(refused(json!({})).await.violations(422), ["transactionType", "propertyTypes"]);
    assert_eq!(refused(flats(json!({"budgetMin": 300_000}))).await.violations(422), ["budgetMin"]);
    refused(flats(json!({"budgetMax": "dear"}))).await.problem(400);
    refused(json!([])).await.problem(400);
    assert_eq!(refused(flats(json!({"budgetMaximum": 1}))).await.violations(422), ["budgetMaximum"]);
    let response = refused(flats(json!({"folder": 1}))).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (200, Some("folder")));
    assert_eq!(response.json()["ignored"], json!(["folder"]));

    let sent_with = async |key: &str| {
        server.send(Request::new("POST", "/searches/preview").key(key).json(&flats(json!({})))).await
    };
    assert_eq!(sent_with(&server.keys.searches).await.status, 200);
    sent_with(&server.keys.read).await.problem(403);
    server.send(Request::new("POST", "/searches/preview").json(&flats(json!({})))).await.problem(401);
    server.get("/searches/preview").await.problem(405);
}

#[tokio::test]
async fn large_preview_counts_are_estimated() {
    let server = TestServer::start().await;
    let listings = app::preview::READ_MAX + 10;
    let lines = |price: u32| -> String {
        (0..listings).map(|number| format!("{}\n", priced(&format!("n{number}"), price))).collect()
    };
    server.post_lines(lines(250_000)).await;
    server.clock.advance_seconds(10 * DAY);
    assert_eq!(
        preview(&server, json!({"budgetMax": 300_000})).await["matchesLast30Days"],
        json!({"count": listings, "estimated": false})
    );
    server.post_lines(lines(190_000)).await;
    server.indexed().await;
    let seen = preview(&server, json!({})).await;
    assert_eq!(seen["matchesLast7Days"], json!({"count": listings, "estimated": true}));
    // All are new in this period, whatever their first price.
    assert_eq!(seen["matchesLast30Days"], json!({"count": listings, "estimated": false}));
    assert_eq!(seen["propertiesNow"], listings);
}
