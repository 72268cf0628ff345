//! Every status, in both versions of HTTP.

use domain::{Fault, Outcome};
use testkit::receiver::{Authority, Protocols, Receiver, ReceiverConfig, Script, Version};

use crate::sender::{LATE, attempt, sender};

async fn check(protocols: Protocols, version: Version) {
    let authority = Authority::new();
    let config = ReceiverConfig { protocols, ..ReceiverConfig::new(Script::by_path()) };
    let receiver = Receiver::start(&authority, config).await.unwrap();
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
    assert_eq!(receiver.connections(), 1, "a failed status keeps the connection open");
}

#[tokio::test]
async fn statuses_other_than_200_fail() {
    check(Protocols::Http1, Version::Http1).await;
}

#[tokio::test]
async fn http2_statuses_other_than_200_fail() {
    check(Protocols::Http2, Version::Http2).await;
}
