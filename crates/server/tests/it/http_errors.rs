//! Requests that never reach a handler are answered like all others.

use crate::harness::TestServer;
use crate::harness::client::{Connection, Request, Response};

fn check(response: &Response, status: u16, description: &str) {
    assert_eq!(response.problem(status), description);
    assert_eq!(response.header("content-type"), Some("application/ld+json; charset=utf-8"));
    assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert!(!response.header("x-request-id").unwrap().is_empty());
    assert!(response.header("link").unwrap().contains("docs.jsonld"));
}

/// Sends bytes on a connection of their own. Returns the first response, after which the server must close the connection.
async fn answer(server: &TestServer, bytes: impl AsRef<[u8]>) -> Response {
    let mut connection = Connection::open(server.address).await;
    connection.send(bytes).await;
    let response = connection.response().await;
    assert_eq!(response.header("connection"), Some("close"));
    assert_eq!(connection.rest().await, b"");
    response
}

const MALFORMED: &str = "The request is not valid HTTP/1.1.";

#[tokio::test]
async fn malformed_requests_get_an_error_of_the_standard_shape() {
    let server = TestServer::start().await;
    for nonsense in [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n".as_slice(),
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: a\0b\r\n\r\n",
        b"GET /a b HTTP/1.1\r\nHost: x\r\n\r\n",
        b"POST /adverts HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /adverts HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    ] {
        let response = answer(&server, nonsense).await;
        check(&response, 400, MALFORMED);
    }
}

#[tokio::test]
async fn heads_that_are_too_large_get_an_error_of_the_standard_shape() {
    let server = TestServer::with("[limits]\nheader_bytes_max = \"100KiB\"\n").await;
    let path = format!("GET /{} HTTP/1.1\r\nHost: x\r\n\r\n", "a".repeat(70_000));
    check(&answer(&server, path).await, 414, "The address of the request is too long.");
    let header = format!("GET / HTTP/1.1\r\nHost: x\r\nX: {}\r\n\r\n", "a".repeat(300_000));
    check(&answer(&server, header).await, 431, "The request line and headers are too large.");
}

#[tokio::test]
async fn a_head_that_does_not_arrive_gets_408() {
    let server = TestServer::with("[limits]\nheader_timeout = \"50ms\"\n").await;
    for beginning in ["GET /healthz HTTP/1.1\r\nHost: vig", "GET /heal"] {
        let response = answer(&server, beginning).await;
        check(&response, 408, "The request line and headers were not received in time.");
    }
    // A connection that was not used is closed without one.
    let mut connection = Connection::open(server.address).await;
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn a_malformed_request_after_others_does_not_spoil_their_responses() {
    let server = TestServer::start().await;
    let valid = Request::new("GET", "/healthz").bytes();
    let mut connection = Connection::open(server.address).await;
    connection.send([valid.clone(), valid, b"nonsense\r\n\r\n".to_vec()].concat()).await;
    for _ in 0..2 {
        connection.response().await.ok();
    }
    check(&connection.response().await, 400, MALFORMED);
    assert_eq!(connection.rest().await, b"");
}

#[tokio::test]
async fn exactly_one_host_is_required() {
    let server = TestServer::start().await;
    for (head, expected) in [
        ("GET /healthz HTTP/1.1\r\n", Some("The Host header is missing.")),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: a\r\n", Some("The Host header is repeated.")),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n", Some("The Host header is repeated.")),
        ("GET /healthz HTTP/1.0\r\nHost: a\r\nHost: b\r\n", Some("The Host header is repeated.")),
        ("GET /nowhere HTTP/1.1\r\n", Some("The Host header is missing.")),
        ("GET /healthz HTTP/1.1\r\nHost: a\r\n", None),
        ("GET /healthz HTTP/1.1\r\nHost:\r\n", None),
        ("GET /healthz HTTP/1.0\r\n", None),
    ] {
        let mut connection = Connection::open(server.address).await;
        connection.send(format!("{head}\r\n")).await;
        let response = connection.response().await;
        match expected {
            Some(description) => check(&response, 400, description),
            None => assert_eq!(response.status, 200, "{head}"),
        }
    }
}

#[tokio::test]
async fn queries_of_64_kibibytes_are_accepted() {
    let server = TestServer::start().await;
    let mut connection = Connection::open(server.address).await;
    // The last parameter is read, whatever precedes it.
    let target = |length: usize, last: &str| {
        let (start, last) = ("itemsPerPage=0&x=", format!("&{last}"));
        let filler = "a".repeat(length - start.len() - last.len());
        format!("/documents/properties?{start}{filler}{last}")
    };
    for length in [60_000, 65_512, 65_513, 65_514, 65_535, 65_536, 65_537, 90_000] {
        // Each on the same connection, with and without a body before it.
        for (last, status) in [("budgetMin=1", 200), ("budgetMin=no", 400)] {
            let request = Request::new("GET", &target(length, last)).key(&server.keys.all);
            connection.send(request.bytes()).await;
            let response = connection.response().await;
            assert_eq!(response.status, status, "{length}: {}", response.text());
            if status == 200 {
                assert_eq!(response.header("x-ignored-parameters"), Some("x"), "{length}");
            }
        }
        let body = format!("{{\"x\": \"{}\"}}", "GET /?a ".repeat(1_000));
        let request = Request::new("POST", "/adverts").key(&server.keys.all);
        connection.send(request.body("application/json", body).bytes()).await;
        assert_eq!(connection.response().await.status, 422);
    }
    let request = Request::new("GET", &target(99_000, "budgetMin=1")).key(&server.keys.all);
    connection.send(request.bytes()).await;
    let limit = "The request line and headers are larger than 98304 bytes.";
    check(&connection.response().await, 431, limit);
}
