//! Limits, timeouts and shutdown.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, minimal};
use crate::harness::client::{Connection, Request};

#[tokio::test]
async fn rate_limited_key_gets_retry_after() {
    let server = TestServer::with("[rate_limit]\nrequests_per_minute = 1\nburst = 3\n").await;
    for left in [2, 1, 0] {
        let response = server.get("/adverts/x").await;
        response.problem(404);
        assert_eq!(response.header("ratelimit-policy"), Some("\"default\";q=1;w=60"));
        assert_eq!(response.header("ratelimit"), Some(format!("\"default\";r={left};t=0").as_str()));
    }
    let response = server.get("/adverts/x").await;
    let description = response.problem(429);
    let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(description, format!("Too many requests; try again in {seconds} s."));
    assert_eq!(response.header("ratelimit"), Some(format!("\"default\";r=0;t={seconds}").as_str()));
    assert_eq!(response.header("ratelimit-policy"), Some("\"default\";q=1;w=60"));
    assert!(response.header("x-request-id").is_some());

    // Another key has its own limit, and health checks have none.
    server.send(Request::new("GET", "/adverts/x").key(&server.keys.read)).await.problem(404);
    server.send(Request::new("GET", "/healthz")).await.ok();
}

#[tokio::test]
async fn no_rate_limit_headers_without_a_limit() {
    let server = TestServer::start().await;
    let response = server.get("/adverts/x").await;
    assert_eq!((response.header("ratelimit"), response.header("ratelimit-policy")), (None, None));
}

/// Starts a request that waits for the rest of its body. Returns when the server is processing it.
async fn begun_request(server: &TestServer, body: &[u8]) -> Connection {
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request = request.header("Content-Type", "application/json").header("Expect", "100-continue");
    connection.send(request.header("Content-Length", &body.len().to_string()).bytes()).await;
    // The server sends "100 Continue" when it starts to read the body: all checks have passed.
    assert_eq!(connection.head().await.unwrap().status, 100);
    connection
}

#[tokio::test]
async fn excess_requests_are_rejected_at_once() {
    let server = TestServer::with("[limits]\nrequests_max = 1\n").await;
    let body = serde_json::to_vec(&minimal("1")).unwrap();
    let mut first = begun_request(&server, &body).await;

    let response = server.get("/adverts/x").await;
    assert_eq!(response.problem(503), "The server is overloaded; try again later.");
    assert_eq!(response.header("retry-after"), Some("1"));

    first.send(&body).await;
    assert_eq!(first.response().await.status, 201);
    server.get("/adverts/x").await.problem(404);
}

#[tokio::test]
async fn slow_request_times_out() {
    let server = TestServer::with("[limits]\nrequest_timeout = \"50ms\"\n").await;
    let mut connection = begun_request(&server, b"{}").await;
    let response = connection.response().await;
    assert_eq!(response.problem(408), "The request took longer than 50ms.");
    assert_eq!(response.header("connection"), Some("close"));
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn slow_headers_close_the_connection() {
    let server = TestServer::with("[limits]\nheader_timeout = \"50ms\"\n").await;
    for beginning in ["", "GET /healthz HTTP/1.1\r\nHost: vig"] {
        let mut connection = Connection::open(server.address).await;
        connection.send(beginning).await;
        let last_words = connection.rest().await;
        assert!(!last_words.starts_with(b"HTTP/1.1 2"), "{beginning}");
    }
    // So is a connection that stays idle after its first request.
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", "/healthz").bytes()).await;
    connection.response().await.ok();
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn idle_stream_is_closed_and_its_lines_are_kept() {
    let server = TestServer::with("[limits]\nstream_idle_timeout = \"50ms\"\n").await;
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request =
        request.header("Content-Type", "application/x-ndjson").header("Transfer-Encoding", "chunked");
    connection.send(request.bytes()).await;
    connection.send_chunk(format!("{}\n{{\"half\":", minimal("1"))).await;
    let response = connection.response().await;
    let lines: Vec<Value> = response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["outcome"]), (2, &"created".into()), "{}", response.text());
    assert_eq!(
        lines[1]["detail"],
        "No data received for 0.05 s. Line 2 and all following lines were not ingested."
    );
    assert_eq!(server.post("/adverts", &minimal("1")).await.json()["outcome"], "unchanged");
}

#[tokio::test]
async fn excess_connections_wait() {
    let server = TestServer::with("[limits]\nconnections_max = 1\n").await;
    let mut first = Connection::open(server.address).await;
    first.send(Request::new("GET", "/healthz").bytes()).await;
    first.response().await.ok();
    let mut second = Connection::open(server.address).await;
    second.send(Request::new("GET", "/healthz").bytes()).await;
    // The first connection continues; the second is served when the first is closed.
    first.send(Request::new("GET", "/healthz").bytes()).await;
    first.response().await.ok();
    drop(first);
    second.response().await.ok();
}

#[tokio::test]
async fn shutdown_finishes_requests_in_progress() {
    let mut server = TestServer::start().await;
    let body = serde_json::to_vec(&advert("1", json!({"price": 1}))).unwrap();
    let mut in_progress = begun_request(&server, &body).await;
    let mut idle = Connection::open(server.address).await;
    idle.send(Request::new("GET", "/healthz").bytes()).await;
    idle.response().await.ok();

    server.stop.cancel();
    // An idle connection is closed at once.
    assert_eq!(idle.rest().await, b"");
    in_progress.send(&body).await;
    let response = in_progress.response().await;
    assert_eq!(response.status, 201);
    assert_eq!(in_progress.rest().await, b"");
    server.shut_down().await;

    let id = response.json()["uuid"].as_str().unwrap().parse().unwrap();
    assert!(server.app.advert(id).await.unwrap().is_some());
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err(), "still listening");
}

#[tokio::test]
async fn shutdown_times_out() {
    let mut server = TestServer::with("[limits]\nshutdown_timeout = \"50ms\"\n").await;
    let _never_finishes = begun_request(&server, b"{}").await;
    server.shut_down().await;
}
