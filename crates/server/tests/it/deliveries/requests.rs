//! What was sent, shown again, and how receivers fare.

use serde_json::{Value, json};
use testkit::receiver::{Behaviour, Receiver, Step};

use super::{TRUSTED, match_everything, members, once, path, receiver, with_deliveries, with_dispatcher};
use crate::harness::TestServer;
use crate::harness::adverts::{advert, full};
use crate::harness::client::{Request, with_timeout};

#[tokio::test]
async fn request_is_shown_as_it_was_sent() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    match_everything(&server, json!({"endpointRecipient": receiver.url("/matches")})).await;
    server.accept(&full("1")).await;
    let sent = receiver.wait_for(1).await.remove(0);
    let delivery = format!("/deliveries/{}", sent.webhook_id().unwrap());
    once(&server, &delivery, "delivered").await;

    let shown = server.get(&format!("{delivery}/request")).await.ok();
    assert_eq!(shown["body"].as_str().unwrap().as_bytes(), sent.body);
    assert_eq!((&shown["url"], &shown["method"]), (&json!(receiver.url("/matches")), &json!("POST")));
    let headers = shown["headers"].as_object().unwrap();
    for (name, value) in headers {
        assert_eq!(sent.header(name), value.as_str(), "{name}");
    }
    let own = |name: &str| !matches!(name, "host" | "content-length" | ":authority");
    let missing: Vec<_> =
        sent.headers.iter().filter(|(name, _)| own(name) && !headers.contains_key(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    let prefix = format!("{}.{}.", sent.webhook_id().unwrap(), sent.header("webhook-timestamp").unwrap());
    assert_eq!(shown["signedPrefix"], prefix);

    assert_eq!(server.get(&format!("{delivery}/request?attempt=1")).await.ok(), shown);
    for wrong in ["0", "2"] {
        server.get(&format!("{delivery}/request?attempt={wrong}")).await.problem(404);
    }
    server.get(&format!("{delivery}/request?attempt=x")).await.problem(400);
    server.get("/deliveries/00000000-0000-8000-8000-000000000001/request").await.problem(404);
    let (_, other) = server.app.create_key("other", domain::Scopes::all()).await.unwrap();
    let foreign = Request::new("GET", &format!("{delivery}/request")).key(&other.reveal());
    server.send(foreign).await.problem(404);
}

#[tokio::test]
async fn request_is_shown_before_the_first_attempt() {
    let (server, _) = with_deliveries(1).await;
    let page = server.get("/deliveries").await.ok();
    let shown = server.get(&format!("{}/request", path(&members(&page)[0]))).await.ok();
    assert_eq!(shown["url"], json!(null));
    assert!(shown["body"].as_str().unwrap().starts_with('{'));
}

#[tokio::test]
async fn attempt_has_the_headers_of_the_answer_and_the_timings_of_its_phases() {
    let head = "HTTP/1.1 503 Busy\r\nServer: test\r\nRetry-After: 30\r\ncontent-length: 0\r\n\r\n";
    let busy = Behaviour::Steps(vec![Step::write(head.as_bytes()), Step::Close]);
    let (server, busy) = (with_dispatcher().await, Receiver::always(&TRUSTED.authority, busy).await);
    match_everything(&server, json!({"endpointRecipient": busy.url("/")})).await;
    server.accept(&full("1")).await;
    let sent = busy.wait_for(1).await.remove(0);
    let attempt = first_attempt(&server, sent.webhook_id().unwrap()).await;
    let header = |name: &str, value: &str| json!({"name": name, "value": value});
    let expected = [header("server", "test"), header("retry-after", "30"), header("content-length", "0")];
    assert_eq!((&attempt["status"], &attempt["answerHeaders"]), (&json!(503), &json!(expected)));
    // The host of the endpoint is an IP address, so there is no name to resolve.
    assert_eq!(phases(&attempt), [false, true, true, true]);
}

#[tokio::test]
async fn attempt_over_an_open_connection_has_only_the_last_phase() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    match_everything(&server, json!({"endpointRecipient": receiver.url("/")})).await;
    server.accept(&full("1")).await;
    let first = receiver.wait_for(1).await.remove(0);
    // The connection is open again for others once the attempt is recorded.
    let attempt = first_attempt(&server, first.webhook_id().unwrap()).await;
    assert_eq!(phases(&attempt), [false, true, true, true]);
    server.accept(&advert("2", json!({"price": 200_000}))).await;
    let second = receiver.wait_for(2).await.remove(1);
    let attempt = first_attempt(&server, second.webhook_id().unwrap()).await;
    assert_eq!(phases(&attempt), [false, false, false, true]);
}

/// Waits until the first attempt of a delivery is recorded.
async fn first_attempt(server: &TestServer, id: &str) -> Value {
    let path = format!("/deliveries/{id}");
    let recorded = async {
        loop {
            let attempt = server.get(&path).await.ok()["attempts"].get(0).cloned();
            if let Some(attempt) = attempt {
                return attempt;
            }
        }
    };
    with_timeout(recorded).await
}

/// Which phases of an attempt have a timing.
fn phases(attempt: &Value) -> [bool; 4] {
    ["nameMs", "connectMs", "tlsMs", "firstByteMs"].map(|name| attempt["timings"][name].is_u64())
}

#[tokio::test]
async fn health_is_counted_by_host_and_hour() {
    let (server, good) = (with_dispatcher().await, receiver().await);
    let bad = Receiver::always(&TRUSTED.authority, Behaviour::Answer(503)).await;
    match_everything(&server, json!({"endpointRecipient": good.url("/")})).await;
    match_everything(&server, json!({"endpointRecipient": bad.url("/")})).await;
    server.accept(&full("1")).await;
    let health = async || server.get("/deliveries/health?since=2026-03-02").await.ok();
    // The outcome is recorded a moment after the answer.
    let recorded = async {
        while health().await["hosts"].as_array().unwrap().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(recorded).await;
    let health = health().await;
    assert_eq!(health["isComplete"], true);
    for (receiver, delivered) in [(&good, 1), (&bad, 0)] {
        let name = receiver.url("/").trim_start_matches("https://").trim_end_matches('/').to_owned();
        let hosts = health["hosts"].as_array().unwrap();
        let host =
            hosts.iter().find(|host| host["host"] == name).unwrap_or_else(|| panic!("{name}: {health}"));
        assert_eq!((&host["attempts"], &host["delivered"]), (&json!(1), &json!(delivered)));
        let hour = &host["hours"][0];
        assert_eq!((&hour["hour"], &hour["attempts"]), (&json!("2026-03-02T10:00:00+01:00"), &json!(1)));
    }
    let later = server.get("/deliveries/health?since=2026-03-03").await.ok();
    assert_eq!(later["hosts"], json!([]));
    assert_eq!(server.get("/deliveries/health").await.violations(400), ["since"]);
    assert_eq!(server.get("/deliveries/health?since=x").await.violations(400), ["since"]);
}
