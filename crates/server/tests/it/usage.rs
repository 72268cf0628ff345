//! Usage by key and day.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::Request;

async fn usage(server: &TestServer, key: &str, query: &str) -> Vec<Value> {
    server.app.flush_usage().await.unwrap();
    let page = server.send(Request::new("GET", &format!("/usage{query}")).key(key)).await.ok();
    let members = page["hydra:member"].as_array().unwrap().clone();
    assert_eq!(page["hydra:totalItems"], members.len(), "{query}");
    members
}

/// The requests and items of an operation.
fn counted(usage: &Value, operation: &str) -> (u64, u64) {
    let operations = usage["operations"].as_array().unwrap();
    let found = operations.iter().find(|counted| counted["operation"] == operation);
    let found = found.unwrap_or_else(|| panic!("{operation}: {operations:?}"));
    (found["requests"].as_u64().unwrap(), found["items"].as_u64().unwrap())
}

fn path_of(key: &str) -> String {
    format!("/keys/{}", &key[6..28])
}

#[tokio::test]
async fn requests_and_items_are_counted_by_operation() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    server.post("/adverts", &json!([minimal("2"), minimal("3"), {}])).await.ok();
    assert_eq!(server.post_lines(format!("{}\n{}\n", minimal("4"), minimal("5"))).await.len(), 2);
    server.get("/cities?itemsPerPage=7").await.ok();
    server.get("/cities?itemsPerPage=0").await.ok();
    server.document(&receipt).await;
    server.get("/adverts/x").await.problem(404);
    let lines =
        server.get("/documents/properties.ndjson?withCoherentPrice=false").await.text().lines().count()
            as u64;
    assert!(lines > 0);
    let ingested = server.send(Request::new("GET", "/cities").key(&server.keys.ingest)).await;
    ingested.problem(403);

    let days = usage(&server, &server.keys.read, "").await;
    // Refused requests are not counted, so the key for ingest is not listed.
    assert_eq!(days.len(), 1, "{days:?}");
    let all = &days[0];
    assert_eq!((&all["day"], &all["key"]), (&json!("2026-03-02"), &json!(path_of(&server.keys.all))));
    assert_eq!(
        (&all["@type"], &all["user"], &all["label"]),
        (&json!("Usage"), &json!("tester"), &Value::Null)
    );
    assert_eq!(counted(all, "POST /adverts"), (3, 1 + 3 + 2));
    assert_eq!(counted(all, "GET /cities"), (2, 7));
    assert_eq!(counted(all, "GET /documents/properties/{id}"), (1, 1));
    assert_eq!(counted(all, "GET /adverts/{uuid}"), (1, 0));
    assert_eq!(counted(all, "GET /documents/properties.ndjson"), (1, lines));
    assert_eq!((&all["requests"], &all["items"]), (&json!(8), &json!(6 + 7 + 1 + lines)));
    // The address of a member leads to it.
    let same =
        usage(&server, &server.keys.all, all["@id"].as_str().unwrap().trim_start_matches("/usage")).await;
    assert_eq!(same[0], *all);
}

#[tokio::test]
async fn usage_is_filtered_and_belongs_to_its_user() {
    let server = TestServer::start().await;
    let (_, stranger) = server.app.create_key("stranger", domain::Scopes::all()).await.unwrap();
    let stranger = stranger.reveal();
    let request = async |key: &str| {
        server.send(Request::new("GET", "/regions/11").key(key)).await.ok();
    };
    request(&server.keys.all).await;
    request(&stranger).await;
    // An hour before midnight in Paris, and one after.
    server.clock.advance_seconds(13 * 3_600);
    request(&server.keys.all).await;
    server.clock.advance_seconds(2 * 3_600);
    request(&server.keys.read).await;

    let listed = async |key: &str, query: &str| {
        let days = usage(&server, key, query).await;
        let row = |usage: &Value| {
            (usage["day"].as_str().unwrap().to_owned(), usage["key"].as_str().unwrap().to_owned())
        };
        let mut rows: Vec<_> = days.iter().map(row).collect();
        rows.sort();
        rows
    };
    let row = |day: &str, key: &str| (day.to_owned(), path_of(key));
    let searches = &server.keys.searches;
    let (first, second) = (row("2026-03-02", &server.keys.all), row("2026-03-03", &server.keys.read));
    // A list counts too: in the next one.
    assert_eq!(listed(searches, "").await, [first.clone(), second.clone()]);
    assert_eq!(listed(searches, "?to=2026-03-02").await, std::slice::from_ref(&first));
    assert_eq!(
        listed(searches, &format!("?from=2026-03-03&key={}", second.1)).await,
        std::slice::from_ref(&second)
    );
    assert_eq!(
        listed(searches, &format!("?key={}", &server.keys.all[6..28])).await,
        std::slice::from_ref(&first)
    );
    // The key of another user is not theirs, except for an operator who asks for all.
    assert!(listed(searches, &format!("?key={}", path_of(&stranger))).await.is_empty());
    assert_eq!(listed(&stranger, "").await, [row("2026-03-02", &stranger)]);
    let query = format!("?all=true&to=2026-03-02&key={}", path_of(&stranger));
    assert_eq!(listed(&server.keys.admin, &query).await, [row("2026-03-02", &stranger)]);
    let everything = listed(&server.keys.admin, "?all=1&to=2026-03-02").await;
    assert!(everything.contains(&first) && everything.contains(&row("2026-03-02", &stranger)));
    let denied = server.send(Request::new("GET", "/usage?all=true").key(searches)).await;
    assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"admin\".");

    let violations = async |query: &str| server.get(&format!("/usage{query}")).await.problem(400);
    assert!(violations("?from=yesterday").await.contains("yesterday"));
    assert!(violations("?key=/users/1").await.contains("/users/1"));
    assert!(violations("?from=2026-03-03&to=2026-03-02").await.contains("from"));
    server.send(Request::new("GET", "/usage")).await.problem(401);
    let page = server.get("/usage?itemsPerPage=1").await.ok();
    assert_eq!(page["hydra:search"]["hydra:template"], "/usage{?from,to,key,all,page,itemsPerPage}");
    assert_eq!(page["hydra:member"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn shutdown_writes_what_was_counted_and_retention_deletes_it() {
    let mut server = TestServer::start().await;
    server.get("/regions/11").await.ok();
    server.shut_down().await;
    let list = || store::UsageList { take: 10, ..store::UsageList::default() };
    let page = server.app.usage(list()).await.unwrap();
    assert_eq!((page.total, page.days[0].requests), (1, 1));
    assert_eq!(page.days[0].operations[0].operation, "GET /regions/{id}");
    let days = |days: u64| std::time::Duration::from_secs(days * 86_400);
    server.clock.advance_seconds(400 * 86_400);
    server.app.prune_usage(days(400)).await.unwrap();
    assert_eq!(server.app.usage(list()).await.unwrap().total, 1);
    server.clock.advance_seconds(86_400);
    server.app.prune_usage(days(400)).await.unwrap();
    assert_eq!(server.app.usage(list()).await.unwrap().total, 0);
}
