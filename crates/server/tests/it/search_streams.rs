//! Everything that meets filters, as a stream of lines.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::client::{Answer, Connection, Request};
use crate::search::{home, take_in, with};

fn lines(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn uuids(documents: &[Value]) -> Vec<&str> {
    documents.iter().map(|document| document["uuid"].as_str().unwrap()).collect()
}

async fn with_many(count: usize) -> TestServer {
    let homes: Vec<Value> =
        (0..count).map(|number| home(&format!("h{number}"), json!({"room": number % 4}))).collect();
    with(&homes).await
}

/// Together more than sockets and channels hold, so that a stream stands still until somebody reads.
fn large() -> Vec<Value> {
    let text = "x".repeat(12_000);
    (0..800).map(|number| home(&format!("h{number}"), json!({"description": text}))).collect()
}

#[tokio::test]
async fn every_match_comes_once_in_the_order_of_uuids() {
    let server = with_many(130).await;
    let answer = server.get("/documents/properties.ndjson?roomMin=1&page=2&order[price]=asc").await;
    assert_eq!(answer.header("x-total-items"), Some("97"));
    assert_eq!(answer.header("x-ignored-parameters"), Some("order[price], page"));
    let documents = lines(&answer);
    let ids = uuids(&documents);
    assert_eq!(ids.len(), 97);
    assert!(ids.is_sorted_by(|first, second| first < second));
    let alone = server.get(&format!("/documents/properties/{}", ids[42])).await.ok();
    assert_eq!(documents[42], alone);
}

#[tokio::test]
async fn a_stream_is_resumed_after_the_last_document_received() {
    let server = with_many(120).await;
    let all = lines(&server.get("/documents/properties.ndjson").await);
    let ids = uuids(&all);
    for received in [1, 59, 119, 120] {
        let last = ids[received - 1];
        let answer = server.get(&format!("/documents/properties.ndjson?after={last}")).await;
        let rest = lines(&answer);
        assert_eq!(uuids(&rest), &ids[received..], "{received}");
        assert_eq!(answer.header("x-total-items"), Some("120"));
    }
    assert_eq!(
        server.get("/documents/properties.ndjson?after=7").await.problem(400),
        "after: \"7\" is not a reference to a property."
    );
    assert!(lines(&server.get("/documents/properties.ndjson?budgetMin=900000").await).is_empty());
}

#[tokio::test]
async fn what_changes_meanwhile_is_left_out_or_fresh() {
    let server = with(&large()).await;
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("GET", "/documents/properties.ndjson?budgetMax=500000").key(&server.keys.read);
    connection.send(request.bytes()).await;
    let head = connection.head().await.unwrap();
    assert_eq!(head.header("x-total-items"), Some("800"));
    // The last ones are still to come: one goes, one no longer fits, one changes; a new one is not among them.
    let path = "/documents/properties?order[createdAt]=asc&itemsPerPage=30&page=27";
    let page = server.get(path).await.ok();
    let members = page["hydra:member"].as_array().unwrap();
    let (gone, dear, changed) = (&members[7], &members[8], &members[9]);
    let uuid = gone["adverts"][0]["uuid"].as_str().unwrap();
    assert_eq!(server.delete(&format!("/adverts/{uuid}")).await.status, 204);
    let title = |document: &Value| document["title"].as_str().unwrap().to_owned();
    take_in(
        &server,
        &[
            home(&title(dear), json!({"price": 900_000})),
            home(&title(changed), json!({"price": 250_000})),
            home("new", json!({})),
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
    let find = |wanted: &Value| documents.iter().find(|document| document["uuid"] == wanted["uuid"]);
    assert_eq!((find(gone), find(dear)), (None, None));
    assert_eq!(find(changed).unwrap()["price"], 250_000);
    assert!(documents.iter().all(|document| document["title"] != "new"));
}

#[tokio::test]
async fn a_shutdown_ends_a_stream_with_a_word() {
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
    // Nobody has read the rest, so it has not been sent.
    let ((), ()) = futures_util::future::join(server.shut_down(), read).await;
    let text = String::from_utf8(body).unwrap();
    let last: Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&last["@type"], &last["status"]), (&json!("hydra:Error"), &json!(503)));
    let received = text.lines().count() - 1;
    assert!(received < 800, "{received}");
    let told = last["detail"].as_str().unwrap();
    let before: Value = serde_json::from_str(text.lines().nth_back(1).unwrap()).unwrap();
    assert!(told.contains(before["uuid"].as_str().unwrap()), "{told}");
}

#[tokio::test]
async fn a_stream_that_nobody_reads_is_cut_and_does_not_look_whole() {
    let server = TestServer::with("[limits]\nstream_idle_timeout = \"200ms\"\nrequests_max = 1\n").await;
    take_in(&server, &large()).await;
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", "/documents/properties.ndjson").key(&server.keys.read).bytes()).await;
    assert_eq!(connection.head().await.unwrap().status, 200);
    // The stream has the only place there is, until it is given up.
    let mut refused = 0;
    while server.get("/documents/properties?itemsPerPage=0").await.status == 503 {
        refused += 1;
    }
    assert!(refused > 0);
    let rest = connection.rest().await;
    assert!(!rest.ends_with(b"0\r\n\r\n"), "the end of a whole answer");
}
