//! API keys and scopes.

use std::sync::Arc;

use app::App;
use app::system::RandomIds;
use domain::{Scope, Scopes};
use store::sqlite::SqliteStore;

use crate::harness::adverts::minimal;
use crate::harness::client::{Request, Response};
use crate::harness::{TestServer, gazetteer};

const PATH: &str = "/documents/properties/00000000-0000-7000-8000-00000000ffff";

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
            assert_eq!(response.problem(403), "Access Denied.", "{method} {path}");
        }
        server.send(Request::new(method, path).key(&keys.read)).await.ok();
    }
    for (method, path) in ingesting {
        for key in [&keys.searches, &keys.read, &keys.admin] {
            let response = server.send(Request::new(method, path).key(key).json(&minimal("2"))).await;
            assert_eq!(response.problem(403), "Access Denied.", "{method} {path}");
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
    let store = SqliteStore::open(server.folder()).unwrap();
    let beside = App::new(Arc::new(store), server.clock.clone(), Arc::new(RandomIds), gazetteer());
    let scopes: Scopes = [Scope::Read].into_iter().collect();

    let (key, text) = beside.create_key("operator", scopes).await.unwrap();
    with_key(&server, &text.reveal()).await.problem(404);
    assert!(beside.revoke_key(key.id).await.unwrap());
    assert_refused(&with_key(&server, &text.reveal()).await);
}
