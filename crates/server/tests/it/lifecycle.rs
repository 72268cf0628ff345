//! Adverts that expire, return and are erased.

use std::time::Duration;

use app::workers::expiry;
use jiff::SignedDuration;
use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, minimal};

const DAY: SignedDuration = SignedDuration::from_hours(24);

async fn expire(server: &TestServer, receipt: &Value) -> Value {
    server.post(&format!("{}/expire", receipt["@id"].as_str().unwrap()), &json!({})).await.ok()
}

/// Returns whether the advert is expired, since when, and the values of its expiry events.
async fn state(server: &TestServer, receipt: &Value) -> (bool, Value, Vec<(String, String)>) {
    let read = server.advert(receipt).await;
    let changes = read["events"].as_array().unwrap().iter().filter(|event| event["fieldName"] == "expired");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let changes =
        changes.map(|event| (text(&event["fieldOldValue"]), text(&event["fieldNewValue"]))).collect();
    (read["expired"].as_bool().unwrap(), read["expiredAt"].clone(), changes)
}

fn change(old: bool, new: bool) -> (String, String) {
    (old.to_string(), new.to_string())
}

#[tokio::test]
async fn advert_expires_once_on_request() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    server.clock.advance(DAY);
    let expired = expire(&server, &receipt).await;
    assert_eq!((&expired["outcome"], &expired["uuid"]), (&json!("updated"), &receipt["uuid"]));
    let since = json!("2026-03-03T10:00:00+01:00");
    assert_eq!(state(&server, &receipt).await, (true, since.clone(), vec![change(false, true)]));
    server.clock.advance(DAY);
    assert_eq!(expire(&server, &receipt).await["outcome"], "unchanged");
    assert_eq!(state(&server, &receipt).await, (true, since.clone(), vec![change(false, true)]));
    let document = server.document(&receipt).await;
    assert_eq!((&document["expired"], &document["expiredAt"]), (&json!(true), &since));
    assert_eq!(document["lastCrawledAt"], Value::Null);
}

#[tokio::test]
async fn advert_expires_by_update() {
    let server = TestServer::start().await;
    for (number, (fields, since)) in [
        (json!({"expired": true}), "2026-03-02T10:00:00+01:00"),
        (json!({"expired": true, "expiredAt": "2026-02-01"}), "2026-02-01T00:00:00+01:00"),
        (json!({"expiredAt": "2026-02-02T00:00:00Z"}), "2026-02-02T01:00:00+01:00"),
    ]
    .into_iter()
    .enumerate()
    {
        let reference = number.to_string();
        let receipt = server.accept(&minimal(&reference)).await;
        server.accept(&advert(&reference, fields.clone())).await;
        assert_eq!(
            state(&server, &receipt).await,
            (true, json!(since), vec![change(false, true)]),
            "{fields}"
        );
        assert_eq!(server.accept(&advert(&reference, fields)).await["outcome"], "unchanged");
    }
    // An advert may be sent for the first time when it is already expired.
    let receipt = server.accept(&advert("gone", json!({"expired": true, "expiredAt": "2026-01-05"}))).await;
    assert_eq!((receipt["outcome"].clone(), state(&server, &receipt).await.0), (json!("created"), true));
}

#[tokio::test]
async fn advert_returns_when_crawled_again() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let back = vec![change(false, true), change(true, false)];
    expire(&server, &receipt).await;
    // A crawl from before the expiry changes nothing.
    server.accept(&advert("1", json!({"lastCrawledAt": "2026-03-01"}))).await;
    assert!(state(&server, &receipt).await.0);
    server.clock.advance(DAY);
    assert_eq!(server.accept(&minimal("1")).await["outcome"], "updated");
    assert_eq!(state(&server, &receipt).await, (false, Value::Null, back.clone()));
    assert_eq!(server.document(&receipt).await["expiredAt"], Value::Null);
    // `expired: false` revives it, whatever the crawl date.
    expire(&server, &receipt).await;
    server.accept(&advert("1", json!({"expired": false, "lastCrawledAt": "2026-03-01"}))).await;
    assert_eq!(state(&server, &receipt).await, (false, Value::Null, [back.clone(), back].concat()));
}

#[tokio::test]
async fn stale_adverts_expire() {
    let server = TestServer::start().await;
    let month = Duration::from_secs(30 * 86_400);
    let seen = server.accept(&minimal("seen")).await;
    let unseen = server.accept(&minimal("unseen")).await;
    server.clock.advance(DAY * 29);
    server.accept(&minimal("seen")).await;
    assert_eq!(expiry::run_once(&server.app, month).await.unwrap(), 0);
    server.clock.advance(DAY * 2);
    assert_eq!(expiry::run_once(&server.app, month).await.unwrap(), 1);
    assert_eq!(expiry::run_once(&server.app, month).await.unwrap(), 0);
    assert!(!state(&server, &seen).await.0);
    let since = json!("2026-04-02T11:00:00+02:00");
    assert_eq!(state(&server, &unseen).await, (true, since, vec![change(false, true)]));
    server.clock.advance(SignedDuration::from_secs(1));
    server.accept(&minimal("unseen")).await;
    assert!(!state(&server, &unseen).await.0);
}

#[tokio::test]
async fn many_stale_adverts_expire_in_one_run() {
    let server = TestServer::start().await;
    let lines: String = (0..1_100).map(|number| format!("{}\n", minimal(&number.to_string()))).collect();
    assert_eq!(server.post_lines(lines).await.len(), 1_100);
    server.clock.advance(DAY * 2);
    assert_eq!(expiry::run_once(&server.app, Duration::from_secs(86_400)).await.unwrap(), 1_100);
}

#[tokio::test]
async fn erased_advert_leaves_no_trace() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("1")).await;
    let id = receipt["@id"].as_str().unwrap();
    let by_url = "/documents/properties/by-url?url=https://www.portail.example/annonces/1";
    assert_eq!(server.get(by_url).await.ok()["property"], receipt["property"]);

    let erased = server.delete(id).await;
    assert_eq!((erased.status, erased.body.len()), (204, 0));
    server.get(id).await.problem(404);
    server.get(&format!("/documents{}", receipt["property"].as_str().unwrap())).await.problem(404);
    server.get(by_url).await.problem(404);
    server.delete(id).await.problem(404);
    server.post(&format!("{id}/expire"), &json!({})).await.problem(404);
    // The log keeps no content of it and has no gap.
    let log = server.app.store().log_after(store::Position::START, 100).await.unwrap();
    let positions: Vec<u64> = log.iter().map(|entry| entry.position.0).collect();
    assert_eq!(positions, (1..=log.len() as u64).collect::<Vec<_>>());
    let text = format!("{log:?}");
    assert!(!text.contains(receipt["uuid"].as_str().unwrap()), "{text}");

    // Sent again, it is a new advert.
    let again = server.accept(&full("1")).await;
    assert_eq!(again["outcome"], "created");
    assert_ne!(again["uuid"], receipt["uuid"]);
}

#[tokio::test]
async fn erasure_keeps_other_adverts_of_the_property() {
    let server = TestServer::start().await;
    let first = server.accept(&advert("1", json!({"price": 1}))).await;
    let second = server.accept(&advert("2", json!({"price": 2, "property": first["property"]}))).await;
    assert_eq!(server.delete(first["@id"].as_str().unwrap()).await.status, 204);
    let document = server.document(&second).await;
    assert_eq!(document["adverts"].as_array().unwrap().len(), 1);
    assert_eq!((&document["price"], &document["adverts"][0]["uuid"]), (&json!(2), &second["uuid"]));
}

/// On PostgreSQL, only those of the index are ours.
#[tokio::test]
async fn erased_text_is_absent_from_database_files() {
    let mut server = TestServer::start().await;
    let secret = "Zéphyrine Quintessence-Dubois";
    let receipt = server.accept(&advert("1", json!({"title": secret, "reference": "Xyloglossaire"}))).await;
    assert_eq!(server.delete(receipt["@id"].as_str().unwrap()).await.status, 204);
    server.shut_down().await;
    let folders = [server.folder().to_owned(), server.index_folder()];
    let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
    for path in files.map(|file| file.unwrap().path()).filter(|path| path.is_file()) {
        let bytes = std::fs::read(&path).unwrap();
        let holds = |text: &str| bytes.windows(text.len()).any(|window| window == text.as_bytes());
        // Records are compressed; references are not.
        assert!(!holds(secret) && !holds("Xyloglossaire"), "{}", path.display());
    }
}
