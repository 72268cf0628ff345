//! API keys and scopes.

use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::system::RandomIds;
use domain::{KeySettings, Scope, Scopes};
use serde_json::{Value, json};

use crate::harness::adverts::minimal;
use crate::harness::client::{Request, Response, with_timeout};
use crate::harness::{TestServer, gazetteer};

const PATH: &str = "/documents/properties/00000000-0000-7000-8000-00000000ffff";

const DENIED_READ: &str = "Access Denied. This key lacks the scope \"read\".";
const DENIED_INGEST: &str = "Access Denied. This key lacks the scope \"ingest\".";

async fn with_key(server: &TestServer, key: &str) -> Response {
    server.send(Request::new("GET", PATH).key(key)).await
}

fn assert_refused(response: &Response) {
    assert_eq!(response.problem(401), "A valid API key is required in the X-API-KEY header.");
    assert_eq!(response.header("www-authenticate"), Some("ApiKey realm=\"vigie\""));
}

#[tokio::test]
async fn rejected_keys_get_the_same_response() {
    let server = TestServer::start().await;
    let key = &server.keys.all;
    let revoked = app::access::KeyText::parse(&server.keys.read).unwrap();
    server.app.revoke_key(revoked.id().clone()).await.unwrap();
    let unknown = {
        let other = TestServer::start().await;
        other.keys.all.clone()
    };

    let mut answers = vec![server.send(Request::new("GET", PATH)).await];
    let damaged = format!("{}x", &key[..key.len() - 1]);
    for wrong in ["", "x", "Bearer abc", "clé", &damaged, &unknown, &server.keys.read] {
        answers.push(with_key(&server, wrong).await);
    }
    answers.push(server.send(Request::new("GET", PATH).key(key).key(key)).await);
    answers.push(server.send(Request::new("GET", PATH).header("Authorization", key)).await);

    for response in &answers {
        assert_refused(response);
        assert_eq!(response.body, answers[0].body);
        assert_eq!(response.headers.len(), answers[0].headers.len(), "{:?}", response.headers);
    }
}

#[tokio::test]
async fn key_header_name_is_case_insensitive() {
    let server = TestServer::start().await;
    for name in ["X-API-KEY", "x-api-key", "X-Api-Key"] {
        let response = server.send(Request::new("GET", PATH).header(name, &server.keys.read)).await;
        response.problem(404);
    }
}

#[tokio::test]
async fn key_is_limited_to_its_scopes() {
    let server = TestServer::start().await;
    let keys = &server.keys;
    let receipt = server.accept(&minimal("1")).await;
    let advert = receipt["@id"].as_str().unwrap();
    let document = format!("/documents{}", receipt["property"].as_str().unwrap());
    let expire = format!("{advert}/expire");

    let reading = [("GET", document.as_str()), ("GET", advert)];
    let ingesting = [("POST", "/adverts"), ("POST", expire.as_str()), ("DELETE", advert)];
    for (method, path) in reading {
        for key in [&keys.searches, &keys.ingest, &keys.admin] {
            let response = server.send(Request::new(method, path).key(key)).await;
            assert_eq!(response.problem(403), DENIED_READ, "{method} {path}");
        }
        server.send(Request::new(method, path).key(&keys.read)).await.ok();
    }
    for (method, path) in ingesting {
        for key in [&keys.searches, &keys.read, &keys.admin] {
            let response = server.send(Request::new(method, path).key(key).json(&minimal("2"))).await;
            assert_eq!(response.problem(403), DENIED_INGEST, "{method} {path}");
        }
    }
    for (method, path) in ingesting {
        let response = server.send(Request::new(method, path).key(&keys.ingest).json(&minimal("2"))).await;
        assert!(response.status < 300, "{method} {path}: {}", response.text());
    }
}

#[tokio::test]
async fn health_checks_need_no_key() {
    let server = TestServer::start().await;
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.send(Request::new("GET", path)).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn body_is_not_read_for_a_rejected_key() {
    let server = TestServer::start().await;
    let mut connection = crate::harness::client::Connection::open(server.address).await;
    // Not a byte of the announced body is sent.
    let head = "POST /adverts HTTP/1.1\r\nHost: vigie.test\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n";
    connection.send(head).await;
    assert_refused(&connection.response().await);
}

#[tokio::test]
async fn key_changes_apply_to_a_running_server() {
    let server = TestServer::start().await;
    let store = test_database::open(server.folder());
    let beside = App::new(Arc::new(store), server.clock.clone(), Arc::new(RandomIds), gazetteer());
    let scopes: Scopes = [Scope::Read].into_iter().collect();

    let (key, text) = beside.create_key("operator", scopes).await.unwrap();
    with_key(&server, &text.reveal()).await.problem(404);
    assert!(beside.revoke_key(key.id).await.unwrap());
    // The server looks for changes of other processes twice a second.
    let refused = async {
        while with_key(&server, &text.reveal()).await.status != 401 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(refused).await;
    assert_refused(&with_key(&server, &text.reveal()).await);
}

#[tokio::test]
async fn expired_key_gets_the_response_of_an_unknown_one() {
    let server = TestServer::start().await;
    let expires_at = Some(server.app.clock().now().saturating_add(Duration::from_secs(60)).unwrap());
    let settings = KeySettings { expires_at, ..KeySettings::default() };
    let scopes: Scopes = [Scope::Read].into_iter().collect();
    let (_, text) = server.app.create_key_with("tester", scopes, settings).await.unwrap();
    with_key(&server, &text.reveal()).await.problem(404);
    server.clock.advance_seconds(60);
    let expired = with_key(&server, &text.reveal()).await;
    assert_refused(&expired);
    assert_eq!(expired.body, with_key(&server, "x").await.body);
}

#[tokio::test]
async fn own_limit_of_a_key_beats_the_general_one() {
    let server = TestServer::with("[rate_limit]\nrequests_per_minute = 1\nburst = 3\n").await;
    let key = async |requests_per_minute: u32| {
        let settings =
            KeySettings { requests_per_minute: Some(requests_per_minute), ..KeySettings::default() };
        server.app.create_key_with("tester", Scopes::all(), settings).await.unwrap().1.reveal()
    };
    // More than the general limit, with its burst.
    let fast = key(6_000).await;
    for _ in 0..3 {
        let response = with_key(&server, &fast).await;
        response.problem(404);
        assert_eq!(response.header("ratelimit-policy"), Some("\"key\";q=6000;w=60"));
        let remaining = response.header("ratelimit").unwrap();
        assert!(remaining.starts_with("\"key\";r="), "{remaining}");
    }
    // Less than the general burst.
    let slow = key(1).await;
    with_key(&server, &slow).await.problem(404);
    let refused = with_key(&server, &slow).await;
    refused.problem(429);
    assert!(refused.header("retry-after").is_some());
    // None at all.
    let unlimited = key(0).await;
    for _ in 0..10 {
        let response = with_key(&server, &unlimited).await;
        response.problem(404);
        assert_eq!(response.header("ratelimit"), None);
    }
}

#[tokio::test]
async fn operator_manages_keys_over_http() {
    let server = TestServer::start().await;
    let admin = |method: &str, path: &str| Request::new(method, path).key(&server.keys.admin);
    let body = json!({
        "user": "Zoé", "label": "Site de l'agence", "scopes": ["read"], "expiresAt": "2026-12-31", "requestsPerMinute": 600
    });
    let created = server.send(admin("POST", "/keys").json(&body)).await;
    assert_eq!(created.status, 201, "{}", created.text());
    let path = created.header("location").unwrap().to_owned();
    let created = created.json();
    let text = created["key"].as_str().unwrap().to_owned();
    assert_eq!(created["@id"], path);
    with_key(&server, &text).await.problem(404);

    // Read back without its text, and with its last use once that is written.
    server.app.flush_usage().await.unwrap();
    let read = server.send(admin("GET", &path)).await.ok();
    let id = &text[6..28];
    assert_eq!(
        read,
        json!({
            "@context": "/contexts/Key", "@id": format!("/keys/{id}"), "@type": "Key", "id": id, "user": "Zoé",
            "label": "Site de l'agence", "scopes": ["read"], "requestsPerMinute": 600,
            "createdAt": "2026-03-02T10:00:00+01:00", "expiresAt": "2026-12-31T23:59:59+01:00",
            "lastUsedAt": "2026-03-02T10:00:00+01:00", "revokedAt": null
        })
    );
    let list = server.send(admin("GET", "/keys?user=Zo%C3%A9")).await.ok();
    assert_eq!((&list["hydra:totalItems"], &list["hydra:member"][0]["id"]), (&json!(1), &json!(id)));
    assert!(!list.to_string().contains(&text[28..60]));
    assert_eq!(server.send(admin("GET", "/keys?itemsPerPage=2")).await.ok()["hydra:totalItems"], 6);

    let change = json!({"label": null, "requestsPerMinute": 0});
    let changed = server.send(admin("PUT", &path).json(&change)).await.ok();
    assert_eq!((&changed["label"], &changed["requestsPerMinute"]), (&Value::Null, &json!(0)));
    assert_eq!(changed["expiresAt"], "2026-12-31T23:59:59+01:00");

    assert_eq!(server.send(admin("DELETE", &path)).await.status, 204);
    assert_refused(&with_key(&server, &text).await);
    assert!(server.send(admin("GET", &path)).await.ok()["revokedAt"].is_string());

    // Problems.
    let wrong = json!({"user": "", "scopes": ["write"], "expiresAt": "2020-01-01", "colour": 1});
    let mut paths = server.send(admin("POST", "/keys").json(&wrong)).await.violations(400);
    paths.sort_unstable();
    assert_eq!(paths, ["colour", "expiresAt", "scopes", "user"]);
    server.send(admin("PUT", &path).json(&json!({"scopes": ["admin"]}))).await.problem(422);
    for (method, path) in [("GET", "/keys/x"), ("DELETE", "/keys/0000000000000000000000")] {
        server.send(admin(method, path)).await.problem(404);
    }
    for (method, path) in [("GET", "/keys"), ("POST", "/keys"), ("DELETE", path.as_str())] {
        let denied = server.send(Request::new(method, path).key(&server.keys.read).json(&body)).await;
        assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"admin\".");
    }
}
