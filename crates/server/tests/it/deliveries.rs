//! Deliveries as their owners meet them: on the road, in lists, sent again, tried out and ended.

mod addresses;
mod emails;
mod endings;
mod listing;
mod road;
mod secrets;
mod tester;

use std::sync::LazyLock;

use serde_json::{Value, json};
use store::{EnqueueBatch, NewDelivery, InitialState};
use tempfile::TempDir;
use testkit::receiver::{Authority, Receiver};

use crate::harness::adverts::{advert, lay_over};
use crate::harness::{TestServer, client};
use crate::searches::make;

/// Whom the servers of these tests trust, in a file they can read.
struct Trusted {
    authority: Authority,
    file: TempDir,
}

static TRUSTED: LazyLock<Trusted> = LazyLock::new(|| {
    let trusted = Trusted { authority: Authority::new(), file: TempDir::new().unwrap() };
    std::fs::write(trusted.file.path().join("ca.pem"), trusted.authority.pem()).unwrap();
    trusted
});

/// A server that may send to this machine.
async fn bringing() -> TestServer {
    let file = TRUSTED.file.path().join("ca.pem");
    let settings = format!(
        "[delivery]\ndanger_allow_private_addresses = true\nextra_ca_file = {:?}\n",
        file.to_str().unwrap()
    );
    TestServer::bringing(&settings).await
}

/// A receiver that answers 200.
async fn receiver() -> Receiver {
    Receiver::good(&TRUSTED.authority).await
}

/// A search that every advert of these tests meets, with alerts on.
pub async fn meet_everything(server: &TestServer, fields: Value) -> Value {
    let mut wanted =
        json!({"propertyTypes": [0, 1], "withCoherentPrice": false, "notificationEnabled": true});
    lay_over(&mut wanted, fields);
    make(server, &wanted).await
}

/// Makes deliveries of what is owed, on a server that brings nothing. Answers how many.
pub async fn queue(server: &TestServer, start: impl Fn(&NewDelivery) -> InitialState) -> usize {
    server.app.matched().await;
    let store = server.app.store();
    let owed = store.read_outbox(1_000).await.unwrap();
    let deliveries: Vec<_> =
        owed.deliveries.into_iter().map(|delivery| (delivery, start(&delivery))).collect();
    let (count, at) = (deliveries.len(), server.app.clock().now());
    let intake = EnqueueBatch { after: owed.after, until: owed.until, at, deliveries };
    assert!(store.enqueue(intake).await.unwrap());
    count
}

/// A server that brings nothing, a search with both endpoints, and so many adverts a second apart that made a match and an event each.
pub async fn with_deliveries(count: usize) -> (TestServer, Value) {
    let server = TestServer::start().await;
    let search = meet_everything(
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

/// The path of a delivery.
pub fn path(delivery: &Value) -> &str {
    delivery["@id"].as_str().unwrap()
}

/// Reads a delivery until it is in a state: what came of an attempt is recorded a moment after the answer.
async fn once(server: &TestServer, path: &str, state: &str) -> Value {
    client::patiently(async {
        loop {
            let delivery = server.get(path).await.ok();
            if delivery["state"] == state {
                return delivery;
            }
        }
    })
    .await
}
