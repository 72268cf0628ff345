//! NDJSON streams of search results.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::client::{Connection, Request, Response};
use crate::search::{ingest, listing, with};

fn lines(response: &Response) -> Vec<Value> {
    assert_eq!(response.status, 200, "{}", response.text());
    assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
    response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn uuids(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["uuid"].as_str().unwrap()).collect()
}

async fn with_many(count: usize) -> TestServer {
    let listings: Vec<Value> =
        (0..count).map(|number| listing(&format!("h{number}"), json!({"room": number % 4}))).collect();
    with(&listings).await
}

/// More data than sockets and channels buffer, so that a stream blocks until the client reads.
fn large() -> Vec<Value> {
    let text = "x".repeat(12_000);
    (0..800).map(|number| listing(&format!("h{number}"), json!({"description": text}))).collect()
}

#[tokio::test]
async fn stream_returns_every_match_once_by_uuid() {
    let server = with_many(130).await;
    let response = server.get("/documents/properties.ndjson?roomMin=1&page=2&order[price]=asc").await;
    assert_eq!(response.header("x-total-items"), Some("97"));
    assert_eq!(response.header("x-ignored-parameters"), Some("order[price], page"));
    let documents = lines(&response);
    let ids = uuids(&documents);
    assert_eq!(ids.len(), 97);
    assert!(ids.is_sorted_by(|first, second| first < second));
    let alone = server.get(&format!("/documents/properties/{}", ids[42])).await.ok();
    let mut exported = documents[42].clone();
    let Value::Array(adverts) = exported["adverts"].take() else { panic!("{exported}") };
    // The adverts of an export are resources: they have more fields than those of a document.
    for (exported, document) in adverts.iter().zip(alone["adverts"].as_array().unwrap()) {
        let mut resource = server.get(exported["@id"].as_str().unwrap()).await.ok();
        resource.as_object_mut().unwrap().remove("@context");
        assert_eq!(exported, &resource);
        for (name, value) in document.as_object().unwrap() {
            assert_eq!(&exported[name], value, "{name}");
        }
    }
    exported["adverts"] = alone["adverts"].clone();
    assert_eq!(exported, alone);
}

#[tokio::test]
async fn stream_resumes_after_a_document() {
    let server = with_many(120).await;
    let all = lines(&server.get("/documents/properties.ndjson").await);
    let ids = uuids(&all);
    for received in [1, 59, 119, 120] {
        let last = ids[received - 1];
        let response = server.get(&format!("/documents/properties.ndjson?after={last}")).await;
        let rest = lines(&response);
        assert_eq!(uuids(&rest), &ids[received..], "{received}");
        assert_eq!(response.header("x-total-items"), Some("120"));
    }
    assert_eq!(
        server.get("/documents/properties.ndjson?after=7").await.problem(400),
        "after: \"7\" is not a reference to a property."
    );
    assert!(lines(&server.get("/documents/properties.ndjson?budgetMin=900000").await).is_empty());
}

#[tokio::test]
async fn stream_reflects_concurrent_changes() {
    let server = with(&large()).await;
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("GET", "/documents/properties.ndjson?budgetMax=500000").key(&server.keys.read);
    connection.send(request.bytes()).await;
    let head = connection.head().await.unwrap();
    assert_eq!(head.header("x-total-items"), Some("800"));
    // The last documents are still to come: erase one, make one stop matching, change one, add one.
    let path = "/documents/properties?order[createdAt]=asc&itemsPerPage=30&page=27";
    let page = server.get(path).await.ok();
    let members = page["hydra:member"].as_array().unwrap();
    let (gone, dear, changed) = (&members[7], &members[8], &members[9]);
    let uuid = gone["adverts"][0]["uuid"].as_str().unwrap();
    assert_eq!(server.delete(&format!("/adverts/{uuid}")).await.status, 204);
    let title = |document: &Value| document["title"].as_str().unwrap().to_owned();
    ingest(
        &server,
        &[
            listing(&title(dear), json!({"price": 900_000})),
            listing(&title(changed), json!({"price": 250_000})),
            listing("new", json!({})),
        ],
    )
    .await;
    let mut body = Vec::new();
    while let Some(chunk) = connection.chunk().await {
        body.extend(chunk);
    }
    let text = String::from_utf8(body).unwrap();
    let documents: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(documents.len(), 798);
    let find = |expected: &Value| documents.iter().find(|document| document["uuid"] == expected["uuid"]);
    assert_eq!((find(gone), find(dear)), (None, None));
    assert_eq!(find(changed).unwrap()["price"], 250_000);
    assert!(documents.iter().all(|document| document["title"] != "new"));
}

#[tokio::test]
async fn shutdown_ends_a_stream_with_an_error_line() {
    let mut server = with(&large()).await;
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", "/documents/properties.ndjson").key(&server.keys.read).bytes()).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    let mut body = connection.chunk().await.unwrap();
    let read = async {
        while let Some(chunk) = connection.chunk().await {
            body.extend(chunk);
        }
    };
    // The client has not read the rest, so it has not been sent.
    let ((), ()) = futures_util::future::join(server.shut_down(), read).await;
    let text = String::from_utf8(body).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&last["@type"], &last["status"]), (&json!("hydra:Error"), &json!(503)));
    let received = text.lines().count() - 1;
    assert!(received < 800, "{received}");
    let message = last["detail"].as_str().unwrap();
    let before: Value = serde_json::from_str(text.lines().nth_back(1).unwrap()).unwrap();
    assert!(message.contains(before["uuid"].as_str().unwrap()), "{message}");
}

#[tokio::test]
async fn unread_stream_is_aborted() {
    let server = TestServer::with("[limits]\nstream_idle_timeout = \"200ms\"\nrequests_max = 1\n").await;
    ingest(&server, &large()).await;
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", "/documents/properties.ndjson").key(&server.keys.read).bytes()).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    // The stream holds the only permit until it is aborted.
    let mut refused = 0;
    while server.get("/documents/properties?itemsPerPage=0").await.status == 503 {
        refused += 1;
    }
    assert!(refused > 0);
    let rest = connection.rest().await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the response looks complete");
}
