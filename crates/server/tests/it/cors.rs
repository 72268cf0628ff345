//! Requests of pages on other origins.

use serde_json::json;

use crate::harness::TestServer;
use crate::harness::client::{Request, Response};

const ORIGIN: &str = "https://app.example";
const SETTINGS: &str = "[http]\ncors_origins = [\"https://app.example\"]\n[limits]\nbody_bytes_max = 100\n";

fn from(origin: &str, method: &str, path: &str) -> Request {
    Request::new(method, path).header("Origin", origin)
}

fn preflight(origin: &str, path: &str) -> Request {
    let request = from(origin, "OPTIONS", path).header("Access-Control-Request-Method", "POST");
    request.header("Access-Control-Request-Headers", "x-api-key,content-type")
}

fn allowed(response: &Response) -> Option<&str> {
    assert_eq!(response.header("access-control-allow-credentials"), None);
    response.header("access-control-allow-origin")
}

#[tokio::test]
async fn configured_origin_may_call_the_api() {
    let server = TestServer::with(SETTINGS).await;
    let answer = server.send(preflight(ORIGIN, "/searches")).await;
    assert_eq!((answer.status, answer.body.len()), (204, 0));
    assert_eq!((allowed(&answer), answer.header("vary")), (Some(ORIGIN), Some("Origin")));
    assert_eq!(answer.header("access-control-allow-methods"), Some("GET, HEAD, POST, PUT, DELETE"));
    let headers = "X-API-KEY, Content-Type, Accept, Prefer, X-Min-Log-Position";
    assert_eq!(answer.header("access-control-allow-headers"), Some(headers));

    let check = |response: &Response, status: u16| {
        assert_eq!(response.status, status, "{}", response.text());
        assert_eq!(allowed(response), Some(ORIGIN), "{status}");
        assert_eq!(response.header("vary"), Some("Origin"));
        let exposed = "X-Ignored-Parameters, X-Request-Id, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Server-Timing, X-Log-Position";
        assert_eq!(response.header("access-control-expose-headers"), Some(exposed));
    };
    let keyed = |method: &str, path: &str| from(ORIGIN, method, path).key(&server.keys.all);
    check(&server.send(keyed("GET", "/regions/11")).await, 200);
    // Errors too, whichever layer makes them.
    check(&server.send(from(ORIGIN, "GET", "/regions")).await, 401);
    check(&server.send(from(ORIGIN, "GET", "/regions").key(&server.keys.ingest)).await, 403);
    check(&server.send(keyed("GET", "/nowhere")).await, 404);
    check(&server.send(keyed("PATCH", "/searches")).await, 405);
    check(&server.send(keyed("GET", "/regions").header("Accept", "text/csv")).await, 406);
    check(&server.send(keyed("POST", "/adverts").json(&json!(["x".repeat(200)]))).await, 413);
    check(&server.send(keyed("GET", "/regions").header("X-Filler", &"x".repeat(100_000))).await, 431);
}

#[tokio::test]
async fn limits_tell_the_page_what_happened() {
    let limits = "[limits]\nrequests_max = 1\n[rate_limit]\nrequests_per_minute = 1\nburst = 1\n";
    let server = TestServer::with(&format!("[http]\ncors_origins = [\"{ORIGIN}\"]\n{limits}")).await;
    let request = || from(ORIGIN, "GET", "/regions/11").key(&server.keys.read);
    assert_eq!(allowed(&server.send(request()).await), Some(ORIGIN));
    let limited = server.send(request()).await;
    assert_eq!((limited.status, allowed(&limited)), (429, Some(ORIGIN)));

    // Holds the only slot.
    let mut slow = crate::harness::client::Connection::open(server.address).await;
    let begun = Request::new("POST", "/adverts").key(&server.keys.ingest).header("Content-Length", "2");
    let begun = begun.header("Content-Type", "application/json").header("Expect", "100-continue");
    slow.send(begun.bytes()).await;
    assert_eq!(slow.head().await.unwrap().status, 100);
    let overloaded = server.send(request()).await;
    assert_eq!((overloaded.status, allowed(&overloaded)), (503, Some(ORIGIN)));
    assert_eq!(server.send(preflight(ORIGIN, "/searches")).await.status, 204, "a preflight takes no slot");
}

#[tokio::test]
async fn other_origins_are_refused() {
    let server = TestServer::with(SETTINGS).await;
    let off = TestServer::start().await;
    for origin in ["https://evil.example", "http://app.example", "https://app.example:8443", "null", ""] {
        let answer = server.send(preflight(origin, "/searches")).await;
        assert_eq!((answer.status, allowed(&answer), answer.header("vary")), (405, None, Some("Origin")));
        let answer = server.send(from(origin, "GET", "/regions/11").key(&server.keys.read)).await;
        assert_eq!((answer.status, allowed(&answer), answer.header("vary")), (200, None, Some("Origin")));
    }
    // A request without an origin is not one of a page.
    assert_eq!(allowed(&server.get("/regions/11").await), None);
    // Off by default.
    let answer = off.send(preflight(ORIGIN, "/searches")).await;
    assert_eq!((answer.status, allowed(&answer), answer.header("vary")), (405, None, None));
    let answer = off.send(from(ORIGIN, "GET", "/regions/11").key(&off.keys.read)).await;
    assert_eq!((answer.status, allowed(&answer), answer.header("vary")), (200, None, None));
}

#[tokio::test]
async fn public_paths_are_open_to_every_origin() {
    let off = TestServer::start().await;
    let path = "/public/location-autocomplete?query=an&itemsPerPage=1";
    for origin in [ORIGIN, "https://evil.example"] {
        let answer = off.send(from(origin, "GET", path)).await;
        assert_eq!((answer.status, allowed(&answer)), (200, Some("*")));
        assert_eq!(off.send(preflight(origin, path)).await.status, 204);
    }
}
