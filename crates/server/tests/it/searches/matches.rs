//! Matches of a search over HTTP.

use serde_json::{Value, json};

use super::{create_search, minimal, path, put, stranger, with};
use crate::contract::assert_document;
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full};
use crate::harness::client::Request;

/// Saves a search that matches every advert of these tests.
async fn match_everything(server: &TestServer, fields: &Value) -> Value {
    let mut search =
        json!({"propertyTypes": [0, 1], "withCoherentPrice": false, "notificationEnabled": true});
    search.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    create_search(server, &search).await
}

/// Starts a server with a search and matches of `count` properties, one second apart.
async fn with_matches(count: usize) -> (TestServer, Value) {
    let server = TestServer::start().await;
    let search = match_everything(&server, &json!({})).await;
    for number in 0..count {
        server.clock.advance_seconds(1);
        server.accept(&advert(&number.to_string(), json!({"price": 100_000 + number}))).await;
    }
    server.app.wait_until_matched().await;
    (server, search)
}

fn members(page: &Value) -> &Vec<Value> {
    page["hydra:member"].as_array().unwrap()
}

#[tokio::test]
async fn match_shows_the_property_at_match_time() {
    let server = TestServer::start().await;
    let search = match_everything(&server, &json!({})).await;
    server.clock.advance_seconds(60);
    let receipt = server.accept(&full("1")).await;
    let document = server.document(&receipt).await;
    server.app.wait_until_matched().await;
    server.clock.advance_seconds(60);
    server.accept(&advert("1", json!({"price": 310_000}))).await;

    let page = server.get(&format!("{}/matches", path(&search))).await.ok();
    assert_eq!(page["hydra:totalItems"], 1);
    assert_eq!(
        (&page["@context"], &page["@id"], &page["@type"]),
        (&json!("/contexts/Match"), &json!(format!("{}/matches", path(&search))), &json!("hydra:Collection"))
    );
    let found = &members(&page)[0];
    let id = found["@id"].as_str().unwrap();
    assert!(id.starts_with("/matches/") && id.len() == "/matches/".len() + 36, "{id}");
    let expected = json!({
        "@context": "/contexts/Match", "@id": id, "@type": "Match", "property": receipt["property"], "search": path(&search),
        "createdAt": "2026-03-02T10:01:00+01:00", "updatedAt": "2026-03-02T10:01:00+01:00", "propertyDocument": document,
    });
    assert_eq!(*found, expected);
    assert_document(&found["propertyDocument"]);
    assert_eq!(server.get(id).await.ok(), *found);

    // Another user does not see it.
    let stranger = stranger(&server).await;
    let theirs = server.send(Request::new("GET", id).key(&stranger)).await;
    theirs.problem(404);
    let unknown = server.get("/matches/00000000-0000-8000-8000-000000000001").await;
    assert_eq!(theirs.body, unknown.body);
    for wrong in ["/matches/1", "/matches/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"] {
        server.get(wrong).await.problem(404);
    }
    assert_eq!(server.delete(path(&search)).await.status, 204);
    server.get(id).await.problem(404);
    server.get(&format!("{}/matches", path(&search))).await.problem(404);
}

#[tokio::test]
async fn hidden_contacts_are_absent_from_matches() {
    let server = TestServer::start().await;
    let search = match_everything(&server, &json!({"hidePropertyContact": true})).await;
    let receipt = server.accept(&full("1")).await;
    server.app.wait_until_matched().await;
    let matches = format!("{}/matches", path(&search));
    let contact = async || {
        let found = members(&server.get(&matches).await.ok())[0].clone();
        assert_document(&found["propertyDocument"]);
        assert_eq!(server.get(found["@id"].as_str().unwrap()).await.ok(), found);
        found["propertyDocument"]["adverts"][0]["contact"].clone()
    };
    let hidden = contact().await;
    assert_eq!(hidden.as_object().unwrap().len(), 6);
    assert!(hidden.as_object().unwrap().values().all(Value::is_null), "{hidden}");
    assert_eq!(server.document(&receipt).await["adverts"][0]["contact"]["agency"], "Agence du Canal");
    put(&server, path(&search), &with(&json!({"hidePropertyContact": false}))).await.ok();
    assert_eq!(contact().await["agency"], "Agence du Canal");
}

#[tokio::test]
async fn matches_are_listed_newest_first() {
    let (server, search) = with_matches(33).await;
    let matches = format!("{}/matches", path(&search));
    let first = server.get(&matches).await.ok();
    assert_eq!((first["hydra:totalItems"].as_u64(), members(&first).len()), (Some(33), 30));
    assert_eq!(first["hydra:view"]["hydra:next"], format!("{matches}?page=2"));
    let prices = |page: &Value| -> Vec<u64> {
        members(page).iter().map(|found| found["propertyDocument"]["price"].as_u64().unwrap()).collect()
    };
    assert_eq!(prices(&first), (100_003..100_033).rev().collect::<Vec<u64>>());
    assert_eq!(prices(&server.get(&format!("{matches}?page=2")).await.ok()), [100_002, 100_001, 100_000]);
    assert_eq!(
        prices(&server.get(&format!("{matches}?itemsPerPage=2&page=2")).await.ok()),
        [100_030, 100_029]
    );
    assert_eq!(prices(&server.get(&format!("{matches}?page=3")).await.ok()), [0; 0]);
    let count = server.get(&format!("{matches}?itemsPerPage=0")).await.ok();
    assert_eq!((count["hydra:totalItems"].as_u64(), members(&count).len()), (Some(33), 0));
    assert_eq!(server.get(&format!("{matches}?page=0")).await.violations(400), ["page"]);
    let response = server.get(&format!("{matches}?pgae=2")).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (200, Some("pgae")));
    // Another search has none of them.
    let other = create_search(&server, &minimal()).await;
    let page = server.get(&format!("{}/matches", path(&other))).await.ok();
    assert_eq!((&page["hydra:totalItems"], &page["hydra:member"]), (&json!(0), &json!([])));
}

#[tokio::test]
async fn matches_are_counted_by_day() {
    let server = TestServer::start().await;
    let search = match_everything(&server, &json!({"title": "Une"})).await;
    let other = create_search(&server, &with(&json!({"title": "Autre"}))).await;
    let accept = async |reference: &str| server.accept(&advert(reference, json!({"price": 100_000}))).await;
    accept("1").await;
    accept("2").await;
    server.clock.advance_seconds(13 * 3_600 + 59 * 60);
    accept("3").await;
    // One minute past midnight in Paris, and the same day in UTC.
    server.clock.advance_seconds(120);
    accept("4").await;
    server.app.wait_until_matched().await;
    server.clock.advance_seconds(2 * 86_400);

    let counted = |search: &Value, days: Value, last: Value| {
        json!({
            "@context": "/contexts/MatchesByDay", "@id": format!("{}/matches-by-day", path(search)), "@type": "MatchesByDay",
            "search": path(search), "days": days, "isComplete": true, "lastMatchAt": last,
        })
    };
    let days = |counts: [u64; 4]| -> Value {
        (2..)
            .zip(counts)
            .map(|(day, matches)| json!({"day": format!("2026-03-0{day}"), "matches": matches}))
            .collect()
    };
    let expected = counted(&search, days([3, 1, 0, 0]), json!("2026-03-03T00:01:00+01:00"));
    let empty = counted(&other, days([0; 4]), Value::Null);
    let page = server.get("/searches/matches-by-day?days=4&order[title]=desc").await.ok();
    assert_eq!(page["hydra:member"], json!([expected, empty]));
    assert_eq!((&page["@id"], &page["hydra:totalItems"]), (&json!("/searches/matches-by-day"), &json!(2)));
    // Filtered, sorted and cut into pages like the searches themselves.
    for query in ["order[title]=asc", "title=un", "itemsPerPage=1&page=2", "notificationEnabled=false"] {
        let searches = server.get(&format!("/searches?{query}")).await.ok();
        let listed: Vec<_> = members(&searches).iter().map(|search| &search["@id"]).collect();
        let page = server.get(&format!("/searches/matches-by-day?{query}")).await.ok();
        assert_eq!(
            members(&page).iter().map(|daily| &daily["search"]).collect::<Vec<_>>(),
            listed,
            "{query}"
        );
        assert_eq!(page["hydra:totalItems"], searches["hydra:totalItems"], "{query}");
        assert!(members(&page).iter().all(|daily| daily["days"].as_array().unwrap().len() == 30));
    }
    // The last match counts, even before the period.
    let one = format!("{}/matches-by-day", path(&search));
    assert_eq!(server.get(&format!("{one}?days=4")).await.ok(), expected);
    let today = server.get(&format!("{one}?days=1")).await.ok();
    assert_eq!(today["days"], json!([{"day": "2026-03-05", "matches": 0}]));
    assert_eq!(today["lastMatchAt"], "2026-03-03T00:01:00+01:00");
    for wrong in ["0", "93", "x", "-1", "1.5"] {
        assert_eq!(server.get(&format!("{one}?days={wrong}")).await.violations(400), ["days"]);
        let list = server.get(&format!("/searches/matches-by-day?days={wrong}")).await;
        assert_eq!(list.violations(400), ["days"]);
    }
    // Another user sees nothing of it.
    let stranger = stranger(&server).await;
    server.send(Request::new("GET", &one).key(&stranger)).await.problem(404);
    let theirs = server.send(Request::new("GET", "/searches/matches-by-day").key(&stranger)).await.ok();
    assert_eq!(theirs["hydra:member"], json!([]));
    server.get("/searches/00000000-0000-8000-8000-000000000001/matches-by-day").await.problem(404);
}
