//! The list of searches: filters, sort order, pages and links.

use serde_json::{Value, json};

use super::{create_search, path, stranger};
use crate::harness::TestServer;
use crate::harness::client::Request;

/// Starts a server with searches created one second apart, with these titles; every second one has notifications on.
async fn with_titles(titles: &[&str]) -> TestServer {
    let server = TestServer::start().await;
    for (number, title) in titles.iter().enumerate() {
        create_search(&server, &json!({"title": title, "notificationEnabled": number % 2 == 1})).await;
        server.clock.advance_seconds(1);
    }
    server
}

fn titles(page: &Value) -> Vec<&str> {
    page["hydra:member"].as_array().unwrap().iter().map(|search| search["title"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn searches_are_filtered_and_sorted() {
    let server = with_titles(&["Élan", "maison à Tours", "Appartement", "MAISON a Lyon", "zone"]).await;
    let found = async |query: &str| {
        let response = server.get(&format!("/searches?{query}")).await;
        assert_eq!(response.header("x-ignored-parameters"), None, "{query}");
        let page = response.ok();
        assert_eq!(page["hydra:totalItems"], page["hydra:member"].as_array().unwrap().len(), "{query}");
        titles(&page).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        found("").await,
        ["zone", "MAISON a Lyon", "Appartement", "maison à Tours", "Élan"],
        "newest first"
    );
    assert_eq!(
        found("order[title]=asc").await,
        ["Appartement", "Élan", "MAISON a Lyon", "maison à Tours", "zone"]
    );
    assert_eq!(
        found("order%5Btitle%5D=DESC").await,
        ["zone", "maison à Tours", "MAISON a Lyon", "Élan", "Appartement"]
    );
    assert_eq!(found("title=maison+a").await, ["MAISON a Lyon", "maison à Tours"]);
    assert_eq!(found("title=%C3%A0%20tours").await, ["maison à Tours"]);
    assert_eq!(found("title=ELAN").await, ["Élan"]);
    assert_eq!(found("title=rien").await, [""; 0]);
    assert_eq!(found("title=100%25").await, [""; 0]);
    assert_eq!(found("title=_").await, [""; 0], "no title contains only punctuation");
    assert_eq!(found("notificationEnabled=true").await, ["MAISON a Lyon", "maison à Tours"]);
    assert_eq!(found("notificationEnabled=0&order[title]=asc").await, ["Appartement", "Élan", "zone"]);
    assert_eq!(found("notificationEnabled=1&title=tours").await, ["maison à Tours"]);
    assert_eq!(found("notificationEnabled=null&title=&order[title]=").await.len(), 5);
    for (wrong, parameter) in [
        ("notificationEnabled=oui", "notificationEnabled"),
        ("order[title]=up", "order[title]"),
        ("page=0", "page"),
        ("page=x", "page"),
        ("itemsPerPage=-1", "itemsPerPage"),
    ] {
        assert_eq!(server.get(&format!("/searches?{wrong}")).await.violations(400), [parameter]);
    }
    let response = server.get("/searches?titel=maison&order[createdAt]=asc").await;
    assert_eq!(
        (response.status, response.header("x-ignored-parameters")),
        (200, Some("order[createdAt], titel"))
    );
    let strict =
        Request::new("GET", "/searches?titel=x").key(&server.keys.all).header("Prefer", "handling=strict");
    assert!(server.send(strict).await.problem(400).contains("titel"));
}

#[tokio::test]
async fn page_contains_complete_searches() {
    let server = TestServer::start().await;
    let empty = server.get("/searches").await.ok();
    assert_eq!((&empty["hydra:member"], &empty["hydra:totalItems"]), (&json!([]), &json!(0)));
    assert_eq!(
        (&empty["@context"], &empty["@id"], &empty["@type"], empty.get("hydra:view")),
        (&json!("/contexts/Search"), &json!("/searches"), &json!("hydra:Collection"), None)
    );
    let variables: Vec<&str> = empty["hydra:search"]["hydra:mapping"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mapping| mapping["variable"].as_str().unwrap())
        .collect();
    assert_eq!(variables, ["notificationEnabled", "order[title]", "page", "title", "itemsPerPage"]);
    let created = create_search(&server, &json!({"budgetMin": 5})).await;
    assert_eq!(server.get("/searches").await.ok()["hydra:member"], json!([created]));
}

#[tokio::test]
async fn search_pages_have_links_and_do_not_overlap() {
    // All have the same title and date: the order must still be stable.
    let server = TestServer::start().await;
    for _ in 0..33 {
        create_search(&server, &json!({"title": "Même titre"})).await;
    }
    let other = stranger(&server).await;
    let theirs = Request::new("POST", "/searches").key(&other).json(&super::minimal());
    assert_eq!(server.send(theirs).await.status, 201);

    let first = server.get("/searches").await.ok();
    assert_eq!((first["hydra:totalItems"].as_u64(), titles(&first).len()), (Some(33), 30));
    assert_eq!(first["hydra:view"]["hydra:next"], "/searches?page=2");
    assert_eq!(titles(&server.get("/searches?itemsPerPage=100").await.ok()).len(), 30);
    for order in ["", "order[title]=asc&", "order[title]=desc&", "title=meme&"] {
        let mut seen = Vec::new();
        for page in 1..=7 {
            let page = server.get(&format!("/searches?{order}itemsPerPage=5&page={page}")).await.ok();
            seen.extend(
                page["hydra:member"].as_array().unwrap().iter().map(|search| path(search).to_owned()),
            );
        }
        assert_eq!(seen.len(), 33, "{order}");
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 33, "{order}");
    }
    let view = &server.get("/searches?itemsPerPage=5&title=m%C3%AAme&page=3").await.ok()["hydra:view"];
    assert_eq!(view["@id"], "/searches?itemsPerPage=5&title=m%C3%AAme&page=3");
    assert_eq!(view["hydra:previous"], "/searches?itemsPerPage=5&title=m%C3%AAme&page=2");
    assert_eq!(view["hydra:last"], "/searches?itemsPerPage=5&title=m%C3%AAme&page=7");
    let count = server.get("/searches?itemsPerPage=0").await.ok();
    assert_eq!((count["hydra:totalItems"].as_u64(), titles(&count).len()), (Some(33), 0));
    for far in ["9", "18446744073709551615"] {
        let past = server.get(&format!("/searches?page={far}")).await.ok();
        assert_eq!((past["hydra:totalItems"].as_u64(), titles(&past).len()), (Some(33), 0), "{far}");
    }
}
