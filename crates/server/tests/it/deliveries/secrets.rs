//! Webhook secrets.

use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::client::Request;
use crate::searches::stranger;

async fn rotate(server: &TestServer) -> Value {
    server.send(Request::new("POST", "/webhook-secret/rotate").key(&server.keys.all)).await.ok()
}

#[tokio::test]
async fn secret_is_stable_until_rotated() {
    let server = TestServer::start().await;
    let response = server.get("/webhook-secret").await;
    assert_eq!(response.header("cache-control"), Some("no-store"));
    let first = response.ok();
    let text = first["secret"].as_str().unwrap();
    assert!(delivery::signature::parse(text).is_some(), "{text}");
    let expected = json!({
        "@context": "/contexts/WebhookSecret", "@id": "/webhook-secret", "@type": "WebhookSecret", "secret": text,
        "createdAt": "2026-03-02T10:00:00+01:00", "previousSecretValidUntil": null,
    });
    assert_eq!(first, expected);
    // Keys of one user share the secret; another user has another one.
    let same = server.send(Request::new("GET", "/webhook-secret").key(&server.keys.searches)).await.ok();
    assert_eq!(same, first);
    let stranger = stranger(&server).await;
    let other = server.send(Request::new("GET", "/webhook-secret").key(&stranger)).await.ok();
    assert_ne!(other["secret"], first["secret"]);

    server.clock.advance(SignedDuration::from_hours(1));
    let second = rotate(&server).await;
    assert_ne!(second["secret"], first["secret"]);
    assert_eq!(second["createdAt"], "2026-03-02T11:00:00+01:00");
    assert_eq!(second["previousSecretValidUntil"], "2026-03-03T11:00:00+01:00");
    assert_eq!(server.get("/webhook-secret").await.ok(), second);
    server.clock.advance(SignedDuration::from_hours(24));
    let later = server.get("/webhook-secret").await.ok();
    assert_eq!((&later["secret"], &later["previousSecretValidUntil"]), (&second["secret"], &Value::Null));
}

#[tokio::test]
async fn two_rotations_in_a_day_keep_both_old_secrets_valid() {
    let server = TestServer::start().await;
    server.get("/webhook-secret").await.ok();
    rotate(&server).await;
    server.clock.advance(SignedDuration::from_hours(1));
    let third = rotate(&server).await;
    // Of the two old secrets, the one that is valid longest.
    assert_eq!(third["previousSecretValidUntil"], "2026-03-03T11:00:00+01:00");
    server.clock.advance(SignedDuration::from_hours(23));
    assert_eq!(server.get("/webhook-secret").await.ok(), third, "the first expired, the second did not");
    server.clock.advance(SignedDuration::from_hours(1));
    assert_eq!(server.get("/webhook-secret").await.ok()["previousSecretValidUntil"], Value::Null);
}

#[tokio::test]
async fn rotation_body_is_optional_and_checked() {
    let server = TestServer::start().await;
    let rotate = || Request::new("POST", "/webhook-secret/rotate").key(&server.keys.all);
    let before = server.get("/webhook-secret").await.ok();
    server.send(rotate().body("text/plain", "now")).await.problem(415);
    server.send(rotate().body("application/json", "{")).await.problem(400);
    assert_eq!(server.send(rotate().body("application/json", "[]")).await.violations(400), [""]);
    let strict = rotate().header("Prefer", "handling=strict").json(&json!({"validFor": "7d"}));
    assert!(server.send(strict).await.problem(400).contains("validFor"));
    assert_eq!(server.get("/webhook-secret").await.ok(), before, "nothing was rotated");
    for fine in [rotate().body("application/json", ""), rotate().body("application/ld+json", "{}")] {
        let response = server.send(fine).await;
        response.ok();
        assert_eq!(response.header("x-ignored-parameters"), None);
    }
    let response = server.send(rotate().json(&json!({"validFor": "7d"}))).await;
    response.ok();
    assert_eq!(response.header("x-ignored-parameters"), Some("validFor"));
}

#[tokio::test]
async fn first_rotation_has_no_previous_secret() {
    let server = TestServer::start().await;
    let response = server.send(Request::new("POST", "/webhook-secret/rotate").key(&server.keys.all)).await;
    assert_eq!(response.header("cache-control"), Some("no-store"));
    assert_eq!(response.ok()["previousSecretValidUntil"], Value::Null);
}
