//! Deliveries: webhooks and e-mails, listing, replay, the tester and unsubscribing.

mod addresses;
mod emails;
mod listing;
mod pictures;
mod requests;
mod secrets;
mod tester;
mod unsubscribe;
mod webhooks;

use std::sync::LazyLock;

use serde_json::{Value, json};
use store::{EnqueueBatch, InitialState, NewDelivery};
use tempfile::TempDir;
use testkit::receiver::{Authority, Receiver};

use crate::harness::adverts::{advert, merge};
use crate::harness::{TestServer, client};
use crate::searches::create_search;

/// The certificate authority that test servers trust, with its file.
pub struct Trusted {
    authority: Authority,
    pub file: TempDir,
}

pub static TRUSTED: LazyLock<Trusted> = LazyLock::new(|| {
    let trusted = Trusted { authority: Authority::new(), file: TempDir::new().unwrap() };
    std::fs::write(trusted.file.path().join("ca.pem"), trusted.authority.pem()).unwrap();
    trusted
});

/// Starts a server that may send to this machine.
pub async fn with_dispatcher() -> TestServer {
    with_delivery_settings("").await
}

/// The same with more settings of the section `[delivery]`.
async fn with_delivery_settings(settings: &str) -> TestServer {
    let file = TRUSTED.file.path().join("ca.pem");
    let settings = format!(
        "[delivery]\ndanger_allow_private_addresses = true\nextra_ca_file = {:?}\n{settings}",
        file.to_str().unwrap()
    );
    TestServer::with_dispatcher(&settings).await
}

/// Starts a receiver that responds with 200.
pub async fn receiver() -> Receiver {
    Receiver::good(&TRUSTED.authority).await
}

/// Saves a search that matches every advert of these tests, with notifications on.
pub async fn match_everything(server: &TestServer, fields: Value) -> Value {
    let mut search =
        json!({"propertyTypes": [0, 1], "withCoherentPrice": false, "notificationEnabled": true});
    merge(&mut search, fields);
    create_search(server, &search).await
}

/// Enqueues all outbox entries on a server without a dispatcher. Returns how many deliveries that created.
pub async fn queue(server: &TestServer, start: impl Fn(&NewDelivery) -> InitialState) -> usize {
    server.app.wait_until_matched().await;
    let store = server.app.store();
    let outbox = store.read_outbox(1_000).await.unwrap();
    let deliveries: Vec<_> =
        outbox.deliveries.into_iter().map(|delivery| (delivery, start(&delivery))).collect();
    let (count, at) = (deliveries.len(), server.app.clock().now());
    let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at, deliveries };
    assert!(store.enqueue(batch).await.unwrap());
    count
}

/// Starts a server without a dispatcher, with a search that has both endpoints, and `count` adverts, one second apart. Each has a match
/// and an event.
pub async fn with_deliveries(count: usize) -> (TestServer, Value) {
    let server = TestServer::start().await;
    let search = match_everything(
        &server,
        json!({
            "endpointRecipient": "https://hook.example/matches", "eventEndpoint": "https://hook.example/events",
            "subscribedEvents": ["property.ad.create"],
        }),
    )
    .await;
    for number in 0..count {
        server.clock.advance_seconds(1);
        server.accept(&advert(&number.to_string(), json!({"price": 100_000 + number}))).await;
        let now = server.app.clock().now();
        assert_eq!(queue(&server, |_| InitialState::DueAt(now)).await, 2);
    }
    (server, search)
}

pub fn members(page: &Value) -> &Vec<Value> {
    page["hydra:member"].as_array().unwrap()
}

/// Returns the path of a delivery.
pub fn path(delivery: &Value) -> &str {
    delivery["@id"].as_str().unwrap()
}

/// Reads a delivery until it is in the given state: the outcome is recorded a moment after the receiver's response.
async fn once(server: &TestServer, path: &str, state: &str) -> Value {
    client::with_timeout(async {
        loop {
            let delivery = server.get(path).await.ok();
            if delivery["state"] == state {
                return delivery;
            }
        }
    })
    .await
}
