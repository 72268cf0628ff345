//! A sender for these tests, and what it sends.

use std::time::Duration;

use delivery::webhook::{AddressPolicy, Deadlines, Settings, Webhooks};
use delivery::{AttemptResult, WebhookMessage};
use domain::{DeliveryId, Endpoint, SearchNumber, Timestamp, WebhookSecret};
use testkit::receiver::Authority;

/// Long enough never to be what ends an attempt here.
pub const LATE: Duration = Duration::from_secs(20);
/// An attempt that has not ended by then does not end.
const NEVER: Duration = Duration::from_secs(60);

/// Gives up after this time, at whatever stage.
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

/// Makes one attempt. Whatever it comes to, it comes to an end.
pub async fn attempt(sender: &Webhooks, url: &str) -> AttemptResult {
    let post = WebhookMessage {
        endpoint: Endpoint::trusted(url.to_owned()),
        id: DeliveryId::of(SearchNumber(7), 42, domain::DeliveryEpoch::default()),
        at: Timestamp::from_second(1_700_000_000).unwrap(),
        secrets: vec![WebhookSecret::new([1; 32])],
        order: None,
        body: vec![b'x'; 6_000].into(),
    };
    let result = tokio::time::timeout(NEVER, sender.send(&post)).await.expect("an attempt ends");
    assert!(result.excerpt.len() <= AttemptResult::EXCERPT_BYTES_MAX);
    result
}
