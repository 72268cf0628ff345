//! Every status there is, in both versions of HTTP.

use domain::{Fault, Outcome};
use testkit::receiver::{Authority, Protocols, Receiver, ReceiverConfig, Script, Version};

use crate::sender::{LATE, attempt, sender};

async fn check(protocols: Protocols, version: Version) {
    let authority = Authority::new();
    let plan = ReceiverConfig { protocols, ..ReceiverConfig::new(Script::by_path()) };
    let receiver = Receiver::start(&authority, plan).await.unwrap();
    let sender = sender(&authority, LATE);
    let mut wrong = Vec::new();
    for status in (200..=600).chain([999]) {
        let result = attempt(&sender, &receiver.url(&format!("/fault/status-{status}"))).await;
        let expected = if status == 200 { Outcome::Delivered } else { Outcome::Failed(Fault::Status) };
        if (result.outcome, result.status) != (expected, Some(status)) {
            wrong.push((status, result));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let received = receiver.wait_for(402).await;
    assert_eq!(received.len(), 402);
    assert!(received.iter().all(|request| request.version == version));
    assert_eq!(receiver.connections(), 1, "a refusal is no reason to close a connection");
}

#[tokio::test]
async fn every_status_but_200_is_a_failure() {
    check(Protocols::Http1, Version::Http1).await;
}

#[tokio::test]
async fn every_status_but_200_is_a_failure_in_http_2() {
    check(Protocols::Http2, Version::Http2).await;
}
