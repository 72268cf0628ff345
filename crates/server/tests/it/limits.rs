//! What the process does when it is asked for too much, too slowly, or to stop.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, least};
use crate::harness::client::{Connection, Request};

#[tokio::test]
async fn a_key_that_calls_too_often_is_told_when_to_come_back() {
    let server = TestServer::with("[rate_limit]\nrequests_per_minute = 1\nburst = 3\n").await;
    for left in [2, 1, 0] {
        let answer = server.get("/adverts/x").await;
        answer.problem(404);
        assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=1;w=60"));
        assert_eq!(answer.header("ratelimit"), Some(format!("\"default\";r={left};t=0").as_str()));
    }
    let answer = server.get("/adverts/x").await;
    let description = answer.problem(429);
    let seconds: u64 = answer.header("retry-after").unwrap().parse().unwrap();
    assert!((1..=60).contains(&seconds), "{seconds}");
    assert_eq!(description, format!("Too many requests; try again in {seconds} s."));
    assert_eq!(answer.header("ratelimit"), Some(format!("\"default\";r=0;t={seconds}").as_str()));
    assert_eq!(answer.header("ratelimit-policy"), Some("\"default\";q=1;w=60"));
    assert!(answer.header("x-request-id").is_some());

    // Another key has an allowance of its own, and health needs none.
    server.send(Request::new("GET", "/adverts/x").key(&server.keys.read)).await.problem(404);
    server.send(Request::new("GET", "/healthz")).await.ok();
}

#[tokio::test]
async fn without_a_rate_limit_nothing_is_said_of_one() {
    let server = TestServer::start().await;
    let answer = server.get("/adverts/x").await;
    assert_eq!((answer.header("ratelimit"), answer.header("ratelimit-policy")), (None, None));
}

/// A request that has begun and waits for the rest of its body. Answers once the server works on it.
async fn begun_request(server: &TestServer, body: &[u8]) -> Connection {
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request = request.header("Content-Type", "application/json").header("Expect", "100-continue");
    connection.send(request.header("Content-Length", &body.len().to_string()).bytes()).await;
    // "Go on" is sent by whoever starts to read the body: the request is past every check then.
    assert_eq!(connection.head().await.unwrap().status, 100);
    connection
}

#[tokio::test]
async fn requests_over_the_limit_are_shed_at_once() {
    let server = TestServer::with("[limits]\nrequests_max = 1\n").await;
    let body = serde_json::to_vec(&least("1")).unwrap();
    let mut first = begun_request(&server, &body).await;

    let answer = server.get("/adverts/x").await;
    assert_eq!(answer.problem(503), "Too many requests are being worked on.");
    assert_eq!(answer.header("retry-after"), Some("1"));

    first.send(&body).await;
    assert_eq!(first.answer().await.status, 201);
    server.get("/adverts/x").await.problem(404);
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_answered_and_closed() {
    let server = TestServer::with("[limits]\nrequest_timeout = \"50ms\"\n").await;
    let mut connection = begun_request(&server, b"{}").await;
    let answer = connection.answer().await;
    assert_eq!(answer.problem(408), "The request took longer than 50ms.");
    assert_eq!(answer.header("connection"), Some("close"));
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn a_client_that_says_nothing_or_drips_its_headers_is_closed() {
    let server = TestServer::with("[limits]\nheader_timeout = \"50ms\"\n").await;
    for beginning in ["", "GET /healthz HTTP/1.1\r\nHost: vig"] {
        let mut connection = Connection::open(server.address).await;
        connection.send(beginning).await;
        let last_words = connection.rest().await;
        assert!(!last_words.starts_with(b"HTTP/1.1 2"), "{beginning}");
    }
    // So is one that stays idle after its first request.
    let mut connection = Connection::open(server.address).await;
    connection.send(Request::new("GET", "/healthz").bytes()).await;
    connection.answer().await.ok();
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn a_stream_that_pauses_too_long_is_closed_and_keeps_what_it_sent() {
    let server = TestServer::with("[limits]\nstream_idle_timeout = \"50ms\"\n").await;
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request =
        request.header("Content-Type", "application/x-ndjson").header("Transfer-Encoding", "chunked");
    connection.send(request.bytes()).await;
    connection.send_chunk(format!("{}\n{{\"half\":", least("1"))).await;
    let answer = connection.answer().await;
    let lines: Vec<Value> = answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines.len(), &lines[0]["outcome"]), (2, &"created".into()), "{}", answer.text());
    assert_eq!(lines[1]["detail"], "The stream paused for 0.05 s; nothing from line 2 on was taken in.");
    assert_eq!(server.post("/adverts", &least("1")).await.json()["outcome"], "unchanged");
}

#[tokio::test]
async fn connections_over_the_limit_wait_for_their_turn() {
    let server = TestServer::with("[limits]\nconnections_max = 1\n").await;
    let mut first = Connection::open(server.address).await;
    first.send(Request::new("GET", "/healthz").bytes()).await;
    first.answer().await.ok();
    let mut second = Connection::open(server.address).await;
    second.send(Request::new("GET", "/healthz").bytes()).await;
    // The first may go on as long as it likes; the second gets its answer when the first is gone.
    first.send(Request::new("GET", "/healthz").bytes()).await;
    first.answer().await.ok();
    drop(first);
    second.answer().await.ok();
}

#[tokio::test]
async fn a_shutdown_finishes_what_is_under_way() {
    let mut server = TestServer::start().await;
    let body = serde_json::to_vec(&advert("1", json!({"price": 1}))).unwrap();
    let mut under_way = begun_request(&server, &body).await;
    let mut idle = Connection::open(server.address).await;
    idle.send(Request::new("GET", "/healthz").bytes()).await;
    idle.answer().await.ok();

    server.stop.cancel();
    // An idle connection is closed at once.
    assert_eq!(idle.rest().await, b"");
    under_way.send(&body).await;
    let answer = under_way.answer().await;
    assert_eq!(answer.status, 201);
    assert_eq!(under_way.rest().await, b"");
    server.shut_down().await;

    let id = answer.json()["uuid"].as_str().unwrap().parse().unwrap();
    assert!(server.app.advert(id).await.unwrap().is_some());
    assert!(tokio::net::TcpStream::connect(server.address).await.is_err(), "still listening");
}

#[tokio::test]
async fn a_shutdown_does_not_wait_for_ever() {
    let mut server = TestServer::with("[limits]\nshutdown_timeout = \"50ms\"\n").await;
    let _never_finishes = begun_request(&server, b"{}").await;
    server.shut_down().await;
}
