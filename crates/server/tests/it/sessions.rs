//! Sessions of the console.

use std::time::Duration;

use app::access::KeyText;
use domain::{KeySettings, Scope, Scopes};
use serde_json::json;

use crate::harness::TestServer;
use crate::harness::client::{Request, Response};

const SESSION: &str = "/console/session";

/// An operation that needs the scope `read`, on something that does not exist.
const READ: &str = "/documents/properties/00000000-0000-7000-8000-00000000ffff";

const ENDED: &str = "The session has ended, or its key is no longer valid. Sign in again.";

async fn sign_in(server: &TestServer, key: &str) -> Response {
    server.send(Request::new("POST", SESSION).json(&json!({"key": key}))).await
}

/// Signs in with a key that must be valid. Returns the cookie as a browser sends it.
async fn cookie(server: &TestServer, key: &str) -> String {
    let response = sign_in(server, key).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let set = response.header("set-cookie").unwrap();
    set.split(';').next().unwrap().to_owned()
}

async fn with_cookie(server: &TestServer, method: &str, path: &str, cookie: &str) -> Response {
    server.send(Request::new(method, path).header("Cookie", cookie)).await
}

#[tokio::test]
async fn key_is_exchanged_for_a_cookie_that_scripts_cannot_read() {
    let server = TestServer::start().await;
    let settings =
        KeySettings { label: domain::access::parse_label("Le bureau").unwrap(), ..KeySettings::default() };
    let scopes: Scopes = [Scope::Read, Scope::Searches].into_iter().collect();
    let (_, text) = server.app.create_key_with("zoé", scopes, settings).await.unwrap();
    let response = sign_in(&server, &text.reveal()).await;
    assert_eq!(response.status, 201);
    let expected = json!({
        "@context": "/contexts/Session", "@id": "/console/session", "@type": "Session", "user": "zoé",
        "label": "Le bureau", "scopes": ["read", "searches"], "expiresAt": "2026-03-02T22:00:00+01:00"
    });
    assert_eq!(response.json(), expected);
    let set = response.header("set-cookie").unwrap();
    let (pair, attributes) = set.split_once("; ").unwrap();
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Strict; Max-Age=43200");
    assert!(!set.contains(&text.reveal()[28..60]), "the cookie contains the secret of the key");
    assert_eq!(response.header("cache-control"), Some("no-store"));

    assert_eq!(with_cookie(&server, "GET", SESSION, pair).await.ok(), expected);
    with_cookie(&server, "GET", READ, pair).await.problem(404);
    // Beside other cookies, as browsers send them.
    with_cookie(&server, "GET", READ, &format!("theme=dark; {pair}; a=b=c")).await.problem(404);
    let denied = with_cookie(&server, "GET", "/keys", pair).await;
    assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"admin\".");
}

#[tokio::test]
async fn cookie_is_secure_if_the_public_address_is() {
    let server = TestServer::with("[email]\npublic_url = \"https://vigie.example\"\n").await;
    let response = sign_in(&server, &server.keys.read).await;
    assert!(response.header("set-cookie").unwrap().ends_with("; Max-Age=43200; Secure"));
    // A proxy asks under another name than the browser.
    let cookie = response.header("set-cookie").unwrap().split(';').next().unwrap();
    let out = Request::new("DELETE", SESSION).header("Cookie", cookie);
    assert_eq!(server.send(out.header("Origin", "https://vigie.example")).await.status, 204);
}

#[tokio::test]
async fn cookie_is_secure_if_a_proxy_speaks_tls() {
    let server = TestServer::start().await;
    let sign_in = Request::new("POST", SESSION).json(&json!({"key": server.keys.read}));
    let response = server.send(sign_in.header("X-Forwarded-Proto", "https")).await;
    assert!(response.header("set-cookie").unwrap().ends_with("; Secure"));
}

#[tokio::test]
async fn invalid_keys_get_no_session() {
    let server = TestServer::start().await;
    let revoked = KeyText::parse(&server.keys.read).unwrap();
    server.app.revoke_key(revoked.id().clone()).await.unwrap();
    let unknown = TestServer::start().await.keys.all.clone();
    let mut answers = Vec::new();
    for wrong in ["", "x", &unknown, &server.keys.read, &server.keys.all[1..]] {
        let response = sign_in(&server, wrong).await;
        assert_eq!(response.problem(401), "This key is not valid.", "{wrong}");
        assert_eq!(response.header("set-cookie"), None);
        answers.push(response.body);
    }
    answers.dedup();
    assert_eq!(answers.len(), 1, "the answer tells what is wrong with the key");

    let send = async |body| server.send(Request::new("POST", SESSION).json(&body)).await;
    assert_eq!(send(json!({})).await.violations(422), ["key"]);
    assert_eq!(send(json!({"key": 7})).await.violations(400), ["key"]);
    assert_eq!(send(json!({"key": server.keys.all, "life": 1})).await.violations(400), ["life"]);
    send(json!([])).await.problem(400);
}

#[tokio::test]
async fn forged_cookies_are_refused() {
    let server = TestServer::start().await;
    let cookie = cookie(&server, &server.keys.all).await;
    let token = cookie.split_once('=').unwrap().1;
    let (id, secret) = token.split_at(22);
    let other_server = TestServer::start().await;
    let foreign = self::cookie(&other_server, &other_server.keys.all).await;
    let guessed = format!("vigie-session={id}{}", "0".repeat(32));
    let unknown = format!("vigie-session={}{secret}", "0".repeat(22));
    let twice = format!("{cookie}; vigie-session={}", "0".repeat(54));
    let key = format!("vigie-session={}", server.keys.all);
    for forged in [&guessed, &unknown, &foreign, &twice, &key, "vigie-session="] {
        for path in [SESSION, READ] {
            let response = with_cookie(&server, "GET", path, forged).await;
            assert_eq!(response.problem(401), ENDED, "{forged}");
        }
    }
    with_cookie(&server, "GET", READ, &cookie).await.problem(404);
}

#[tokio::test]
async fn session_ends_after_its_life() {
    let server = TestServer::with("[console]\nsession_life = \"1h\"\n").await;
    let cookie = cookie(&server, &server.keys.all).await;
    server.clock.advance_seconds(3_599);
    with_cookie(&server, "GET", READ, &cookie).await.problem(404);
    server.clock.advance_seconds(1);
    assert_eq!(with_cookie(&server, "GET", READ, &cookie).await.problem(401), ENDED);
    assert_eq!(with_cookie(&server, "GET", SESSION, &cookie).await.problem(401), ENDED);
}

#[tokio::test]
async fn session_ends_with_its_key() {
    let server = TestServer::start().await;
    let revoked = cookie(&server, &server.keys.read).await;
    with_cookie(&server, "GET", READ, &revoked).await.problem(404);
    let key = KeyText::parse(&server.keys.read).unwrap();
    let path = format!("/keys/{}", key.id());
    assert_eq!(server.send(Request::new("DELETE", &path).key(&server.keys.admin)).await.status, 204);
    assert_eq!(with_cookie(&server, "GET", READ, &revoked).await.problem(401), ENDED);

    let expires_at = Some(server.app.clock().now().saturating_add(Duration::from_secs(60)).unwrap());
    let settings = KeySettings { expires_at, ..KeySettings::default() };
    let (_, text) = server.app.create_key_with("tester", Scopes::all(), settings).await.unwrap();
    let expiring = cookie(&server, &text.reveal()).await;
    let session = with_cookie(&server, "GET", SESSION, &expiring).await.ok();
    assert_eq!(session["expiresAt"], "2026-03-02T10:01:00+01:00");
    server.clock.advance_seconds(60);
    assert_eq!(with_cookie(&server, "GET", READ, &expiring).await.problem(401), ENDED);
}

#[tokio::test]
async fn limit_of_the_key_counts_for_its_sessions() {
    let server = TestServer::start().await;
    let (key, text) = server.app.create_key("tester", Scopes::all()).await.unwrap();
    let cookie = cookie(&server, &text.reveal()).await;
    with_cookie(&server, "GET", READ, &cookie).await.problem(404);
    let settings = KeySettings { requests_per_minute: Some(1), ..KeySettings::default() };
    server.app.change_key(key.id, settings).await.unwrap();
    with_cookie(&server, "GET", READ, &cookie).await.problem(404);
    with_cookie(&server, "GET", READ, &cookie).await.problem(429);
}

#[tokio::test]
async fn requests_of_other_origins_are_refused() {
    let server = TestServer::start().await;
    let cookie = cookie(&server, &server.keys.all).await;
    let search = json!({"title": "Tours", "transactionType": 0, "propertyTypes": [1]});
    let create = |header: Option<(&str, &str)>| {
        let request = Request::new("POST", "/searches").header("Cookie", &cookie);
        let request = match header {
            Some((name, value)) => request.header(name, value),
            None => request,
        };
        request.json(&search)
    };
    let count = async || server.get("/searches").await.ok()["hydra:totalItems"].clone();
    for refused in [
        None,
        Some(("Origin", "https://evil.example")),
        Some(("Origin", "http://vigie.test.evil.example")),
        Some(("Origin", "http://vigie.test:81")),
        Some(("Origin", "null")),
        Some(("Sec-Fetch-Site", "cross-site")),
        Some(("Sec-Fetch-Site", "same-site")),
        Some(("Sec-Fetch-Site", "none")),
    ] {
        let response = server.send(create(refused)).await;
        assert!(response.problem(403).contains("must come from a page of this server"), "{refused:?}");
    }
    assert_eq!(count().await, 0);
    for accepted in [("Origin", "http://vigie.test"), ("Sec-Fetch-Site", "same-origin")] {
        assert_eq!(server.send(create(Some(accepted))).await.status, 201, "{accepted:?}");
    }
    assert_eq!(count().await, 2);
    // A read that a page of another origin causes is refused as well: some reads have effects, such as a sample webhook.
    let read = Request::new("GET", READ).header("Cookie", &cookie).header("Sec-Fetch-Site", "cross-site");
    server.send(read).await.problem(403);
    // Nor can such a page sign its visitor in.
    let body = json!({"key": server.keys.all});
    for (name, value) in [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "cross-site")] {
        server.send(Request::new("POST", SESSION).header(name, value).json(&body)).await.problem(403);
    }
    // Nor sign it out.
    let out = Request::new("DELETE", SESSION).header("Cookie", &cookie);
    server.send(out.header("Origin", "https://evil.example")).await.problem(403);
    with_cookie(&server, "GET", SESSION, &cookie).await.ok();
}

#[tokio::test]
async fn signing_out_ends_the_session_itself() {
    let server = TestServer::start().await;
    let (one, other) = (cookie(&server, &server.keys.all).await, cookie(&server, &server.keys.all).await);
    let out = |cookie: &str| {
        Request::new("DELETE", SESSION).header("Cookie", cookie).header("Origin", "http://vigie.test")
    };
    for _ in 0..2 {
        let response = server.send(out(&one)).await;
        assert_eq!(response.status, 204);
        let removed = "vigie-session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0";
        assert_eq!(response.header("set-cookie"), Some(removed));
        // A copy of the cookie is worth nothing.
        assert_eq!(with_cookie(&server, "GET", READ, &one).await.problem(401), ENDED);
    }
    with_cookie(&server, "GET", READ, &other).await.problem(404);
    assert_eq!(server.send(Request::new("DELETE", SESSION)).await.status, 204);
    // Not after a restart either.
    let server = server.restarted().await;
    assert_eq!(with_cookie(&server, "GET", READ, &one).await.problem(401), ENDED);
    with_cookie(&server, "GET", READ, &other).await.problem(404);
}

#[tokio::test]
async fn signing_in_again_ends_the_session_before() {
    let server = TestServer::start().await;
    let first = cookie(&server, &server.keys.read).await;
    let body = json!({"key": server.keys.all});
    let again = server.send(Request::new("POST", SESSION).header("Cookie", &first).json(&body)).await;
    let second = again.header("set-cookie").unwrap().split(';').next().unwrap();
    assert_ne!(first, second);
    assert_eq!(with_cookie(&server, "GET", READ, &first).await.problem(401), ENDED);
    with_cookie(&server, "GET", "/keys", second).await.ok();
}

#[tokio::test]
async fn key_counts_and_a_cookie_beside_it_does_not() {
    let server = TestServer::start().await;
    let cookie = cookie(&server, &server.keys.all).await;
    // A valid key, without a check of the origin: no browser sends it by itself.
    let search = json!({"title": "Tours", "transactionType": 0, "propertyTypes": [1]});
    let with_key = |key: &str| Request::new("POST", "/searches").header("Cookie", &cookie).key(key);
    assert_eq!(server.send(with_key(&server.keys.searches).json(&search)).await.status, 201);
    let denied = server.send(with_key(&server.keys.read).json(&search)).await;
    assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"searches\".");
    // An invalid key is refused, although the cookie is valid.
    let required = "A valid API key is required in the X-API-KEY header.";
    assert_eq!(server.send(with_key("x").json(&search)).await.problem(401), required);
    let other = Request::new("GET", READ).header("Cookie", &cookie).header("Authorization", "Basic eDp5");
    assert_eq!(server.send(other).await.problem(401), required);
    // The session itself is always that of the cookie.
    let session = Request::new("GET", SESSION).key(&server.keys.all);
    assert_eq!(server.send(session).await.problem(401), ENDED);
    // The endpoint for assistants takes keys only.
    with_cookie(&server, "POST", "/mcp", &cookie).await.problem(401);
}

#[tokio::test]
async fn sign_ins_of_one_address_are_limited() {
    let server = TestServer::with("[console]\nsign_ins_per_minute_max = 3\n").await;
    for _ in 0..3 {
        sign_in(&server, "x").await.problem(401);
    }
    let refused = sign_in(&server, "y").await;
    assert!(refused.problem(429).contains("console.sign_ins_per_minute_max"));
    assert!(refused.header("retry-after").is_some());
    // Behind a proxy all people have this address. Those whose key is in memory can still sign in.
    server.send(Request::new("GET", READ).key(&server.keys.all)).await;
    cookie(&server, &server.keys.all).await;
}

#[tokio::test]
async fn oldest_session_of_a_key_ends_when_there_are_too_many() {
    let server = TestServer::with("[console]\nsign_ins_per_minute_max = 0\n").await;
    let first = cookie(&server, &server.keys.read).await;
    server.clock.advance_seconds(1);
    let mut others = Vec::new();
    for _ in 0..50 {
        others.push(cookie(&server, &server.keys.read).await);
    }
    assert_eq!(with_cookie(&server, "GET", READ, &first).await.problem(401), ENDED);
    for other in [&others[0], &others[49]] {
        with_cookie(&server, "GET", READ, other).await.problem(404);
    }
}

#[tokio::test]
async fn page_is_served_with_its_policy() {
    let server = TestServer::start().await;
    for path in ["/console", "/console/", "/console/searches/new", "/console/index.html"] {
        let response = server.send(Request::new("GET", path)).await;
        assert_eq!(response.status, 200, "{path}");
        assert_eq!(response.header("content-type"), Some("text/html; charset=utf-8"));
        assert!(response.text().starts_with("<!doctype html>"), "{path}");
        let policy = response.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
        assert_eq!(response.header("cache-control"), Some("no-cache"));
        assert_eq!(response.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(response.header("referrer-policy"), Some("no-referrer"));
        let etag = response.header("etag").unwrap();
        let again = server
            .send(Request::new("GET", path).header("If-None-Match", etag).header("Connection", "close"))
            .await;
        assert_eq!((again.status, again.body.len()), (304, 0), "{path}");
        let compressed = server.send(Request::new("GET", path).header("Accept-Encoding", "gzip, zstd")).await;
        assert_eq!(compressed.header("content-encoding"), Some("gzip"));
        assert_eq!(compressed.header("etag"), Some(etag));
        assert_eq!(&compressed.body[..2], [0x1f, 0x8b]);
    }
    for missing in ["/console/assets/missing.js", "/console/../Cargo.toml", "/console/..%2fCargo.toml"] {
        server.send(Request::new("GET", missing)).await.problem(404);
    }
    assert_eq!(server.send(Request::new("POST", "/console")).await.status, 405);
}

#[tokio::test]
async fn console_can_be_turned_off() {
    let server = TestServer::with("[console]\nenabled = false\n").await;
    for path in ["/console", "/console/searches", SESSION] {
        server.send(Request::new("GET", path)).await.problem(404);
    }
    sign_in(&server, &server.keys.all).await.problem(404);
}
