//! Limits on request bodies: their size, what they hold, and all of them together.

use description::operation::BodyLimit;
use description::operations;
use domain::Scopes;
use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, minimal};
use crate::harness::client::{Connection, Request, Response, with_timeout};

#[tokio::test]
async fn each_operation_has_a_limit_of_its_own() {
    let server = TestServer::start().await;
    let mut checked = 0;
    for operation in operations::all() {
        let Some(BodyLimit::Bytes(limit)) = operation.body.map(|body| body.limit) else { continue };
        // Others look for what their path names before they read the body.
        if operation.path.contains('{') {
            continue;
        }
        checked += 1;
        let send = async |bytes: usize| -> Response {
            let request = Request::new(operation.method.name(), operation.path).key(&server.keys.all);
            server.send(request.body("application/json", vec![b' '; bytes])).await
        };
        let expected = format!("The body is larger than {limit} bytes.");
        assert_eq!(send(limit + 1).await.problem(413), expected, "{}", operation.path);
        send(limit).await.problem(400);
    }
    assert_eq!(checked, 9);
}

#[tokio::test]
async fn control_calls_take_small_bodies_only() {
    let server = TestServer::start().await;
    let search = json!({"title": "a", "transactionType": 0, "propertyTypes": [0]});
    let search = server.post("/searches", &search).await.json();
    let path = format!("{}/replay", search["@id"].as_str().unwrap());
    let large = json!({"since": "2026-01-01", "x": "x".repeat(4_096)});
    assert_eq!(server.post(&path, &large).await.problem(413), "The body is larger than 4096 bytes.");
}

/// Text of many small objects, which takes much more memory as values.
fn small_objects(count: usize) -> String {
    format!("[{}{{}}]", "{\"a\":{}},".repeat(count))
}

#[tokio::test]
async fn values_of_a_body_are_limited() {
    let server = TestServer::start().await;
    let post = async |path: &str, body: String| {
        let request = Request::new("POST", path).key(&server.keys.all);
        server.send(request.body("application/json", body)).await
    };
    for path in ["/searches", "/searches/preview"] {
        let response = post(path, small_objects(40_000)).await;
        assert_eq!(response.violations(422), [""]);
        let expected = "The body has 120002 values and names of members; the limit is 120000.";
        assert_eq!(response.json()["violations"][0]["message"], expected);
        // Fewer are only not a search.
        post(path, small_objects(30_000)).await.problem(400);
    }
}

#[tokio::test]
async fn values_of_an_advert_are_limited() {
    let server = TestServer::start().await;
    let with_values =
        |reference: &str, count: usize| advert(reference, json!({"unknown": vec![json!({}); count]}));
    let message = |violations: &Value| violations[0]["message"].as_str().unwrap().to_owned();
    let is_refused = |message: &str| message.ends_with("values and names of members; the limit is 50000.");

    let single = server.post("/adverts", &with_values("1", 50_000)).await;
    assert_eq!(single.violations(422), [""]);
    assert!(is_refused(&message(&single.json()["violations"])), "{}", single.text());
    assert_eq!(server.accept(&with_values("1", 40_000)).await["ignored"], json!(["unknown"]));

    // In an array and in a stream, only that advert is refused.
    let array = server.post("/adverts", &json!([minimal("2"), with_values("3", 50_000), minimal("4")])).await;
    let members = array.ok()["hydra:member"].as_array().unwrap().clone();
    let lines = format!("{}\n{}\n{}\n", minimal("2"), with_values("3", 50_000), minimal("4"));
    let receipts = server.post_lines(lines).await;
    for (receipts, outcome) in [(members, "created"), (receipts, "unchanged")] {
        let outcomes: Vec<&Value> = receipts.iter().map(|receipt| &receipt["outcome"]).collect();
        assert_eq!(outcomes, [outcome, "rejected", outcome]);
        assert!(is_refused(&message(&receipts[1]["violations"])), "{}", receipts[1]);
    }
}

#[tokio::test]
async fn an_element_that_is_not_json_refuses_the_array() {
    let server = TestServer::start().await;
    let body = format!("[{},{{\"price\":1e400}}]", minimal("1"));
    let description = server.post_bytes_strict(body.clone()).await.problem(400);
    assert!(
        description.starts_with("The body is not valid JSON: advert 1 of the array: number out of range")
    );
    assert_eq!(server.log_length().await, 0);
    // Lenient handling repairs the number.
    let receipts = server.post_bytes(body).await.ok();
    assert_eq!(receipts["hydra:member"][0]["outcome"], "created");
}

/// Sends the head of a request and a part of its body. Returns when the server has counted it.
async fn begin_body(server: &TestServer, key: &str, declared: usize, sent: usize) -> Connection {
    let before = server_body_bytes(server).await;
    let mut connection = Connection::open(server.address).await;
    let head = Request::new("POST", "/adverts").key(key).header("Content-Type", "application/json");
    connection.send(head.header("Content-Length", &declared.to_string()).bytes()).await;
    connection.send(vec![b' '; sent]).await;
    with_timeout(async { while server_body_bytes(server).await < before + sent {} }).await;
    connection
}

async fn server_body_bytes(server: &TestServer) -> usize {
    let text = server.send(Request::new("GET", "/metrics")).await.text().to_owned();
    let value = text.lines().find_map(|line| line.strip_prefix("vigie_http_body_bytes "));
    value.unwrap().parse().unwrap()
}

#[tokio::test]
async fn bodies_in_flight_share_a_budget() {
    let limits = "[limits]\nbody_bytes_max = 100000\nbody_bytes_total_max = 200000\n";
    let server = TestServer::with(limits).await;
    let mut keys = Vec::new();
    for user in ["second", "third"] {
        keys.push(server.app.create_key(user, Scopes::all()).await.unwrap().1.reveal());
    }
    let send = async |key: &str, bytes: usize| {
        let mut body = serde_json::to_vec(&minimal("1")).unwrap();
        body.resize(bytes, b' ');
        server.send(Request::new("POST", "/adverts").key(key).body("application/json", body)).await
    };
    let check = |response: Response, description: &str| {
        assert_eq!(response.problem(503), description);
        assert_eq!(response.header("retry-after"), Some("1"));
    };

    // One user takes its share: more of it is refused, others are not.
    let first = begin_body(&server, &server.keys.ingest, 90_000, 80_000).await;
    let share = "Your requests in progress take all the memory for bodies that one user may have; send fewer at a time.";
    check(send(&server.keys.ingest, 30_000).await, share);
    assert_eq!(send(&keys[0], 30_000).await.status, 201);
    // Two users take nearly everything.
    let second = begin_body(&server, &keys[0], 90_000, 80_000).await;
    let total = "The requests in progress take all memory for bodies; try again.";
    check(send(&keys[1], 60_000).await, total);
    // A declared length alone takes nothing, and what is not sent any more is given back.
    drop((first, second));
    with_timeout(async { while server_body_bytes(&server).await > 0 {} }).await;
    let _declared = begin_body(&server, &server.keys.ingest, 100_000, 0).await;
    assert_eq!(send(&server.keys.ingest, 40_000).await.status, 200);
    assert_eq!(send(&keys[1], 40_000).await.status, 200);
    with_timeout(async { while server_body_bytes(&server).await > 0 {} }).await;
}

#[tokio::test]
async fn parsed_values_count_in_the_budget() {
    // Searches may have 100,000 bytes, but not what so many small objects take as values.
    let limits = "[limits]\nbody_bytes_max = 100000\nbody_bytes_total_max = 1000000\n";
    let server = TestServer::with(limits).await;
    let body = small_objects(10_000);
    let request = Request::new("POST", "/searches").key(&server.keys.all).body("application/json", body);
    server.send(request).await.problem(503);
    assert_eq!(server_body_bytes(&server).await, 0);
}

#[tokio::test]
async fn a_stream_ends_with_an_error_when_there_is_no_memory() {
    let limits =
        "[limits]\nbody_bytes_max = 1000\nbody_bytes_total_max = 30000\nstream_idle_timeout = \"100ms\"\n";
    let server = TestServer::with(limits).await;
    let receipts = server.post_lines(format!("{}\n", minimal("1"))).await;
    assert_eq!(receipts[0]["outcome"], "created");
    let large = advert("2", json!({"description": "x".repeat(20_000)}));
    let receipts = server.post_lines(format!("{large}\n")).await;
    assert_eq!(
        receipts[0]["detail"],
        "The requests in progress take all memory for bodies. Line 1 and all following lines were not ingested."
    );
}
