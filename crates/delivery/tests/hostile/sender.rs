//! The sender of these tests.

use std::time::Duration;

use delivery::webhook::{AddressPolicy, Deadlines, Settings, Webhooks};
use delivery::{AttemptResult, WebhookMessage};
use domain::{DeliveryId, Endpoint, SearchNumber, Timestamp, WebhookSecret};
use testkit::receiver::Authority;

/// Long enough never to end an attempt here.
pub const LATE: Duration = Duration::from_secs(20);
/// An attempt that takes longer hangs.
const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// Builds a sender with the same deadline for every phase.
pub fn sender(authority: &Authority, deadline: Duration) -> Webhooks {
    Webhooks::new(Settings {
        addresses: AddressPolicy::DangerAllowPrivate,
        extra_ca_pem: Some(authority.pem().into_bytes()),
        deadlines: Deadlines { dns: deadline, connect: deadline, tls: deadline, total: deadline },
        user_agent: "Vigie/test".to_owned(),
        ..Settings::default()
    })
    .unwrap()
}

/// Makes one attempt and asserts that it ends.
pub async fn attempt(sender: &Webhooks, url: &str) -> AttemptResult {
    let message = WebhookMessage {
        endpoint: Endpoint::trusted(url.to_owned()),
        id: DeliveryId::of(SearchNumber(7), 42, domain::DeliveryEpoch::default()),
        at: Timestamp::from_second(1_700_000_000).unwrap(),
        secrets: vec![WebhookSecret::new([1; 32])],
        order: None,
        body: vec![b'x'; 6_000].into(),
    };
    let result = tokio::time::timeout(HANG_TIMEOUT, sender.send(&message)).await.expect("an attempt ends");
    assert!(result.excerpt.len() <= AttemptResult::EXCERPT_BYTES_MAX);
    let header_bytes: usize =
        result.headers.iter().map(|header| header.name.len() + header.value.len()).sum();
    assert!(header_bytes <= AttemptResult::HEADERS_BYTES_MAX);
    assert!(result.headers.len() <= AttemptResult::HEADERS_MAX);
    assert!(result.status.is_none() || result.timings.first_byte.is_some());
    assert!(result.status.is_some() || result.headers.is_empty());
    result
}
