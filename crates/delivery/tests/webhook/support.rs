//! Shared by these tests.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use bytes::Bytes;
use delivery::webhook::{AddressPolicy, Deadlines, Dns, KeepAlive, Settings, Webhooks};
use delivery::{SequenceHeaders, WebhookMessage};
use domain::{DeliveryEpoch, DeliveryId, Endpoint, SearchNumber, Timestamp, WebhookSecret};

/// No server listens there.
const NO_SERVER: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 1);

pub fn settings() -> Settings {
    Settings {
        addresses: AddressPolicy::DangerAllowPrivate,
        dns: Dns::Servers(vec![NO_SERVER]),
        // On a busy machine, much time may pass between two messages.
        keep_alive: KeepAlive { default_idle: Duration::from_secs(60), ..KeepAlive::default() },
        user_agent: "Vigie/test".to_owned(),
        ..Settings::default()
    }
}

pub fn trusting(pem: Vec<u8>) -> Webhooks {
    Webhooks::new(Settings { extra_ca_pem: Some(pem), ..settings() }).unwrap()
}

/// Short deadlines, for tests of timeouts.
pub fn impatient() -> Deadlines {
    let soon = Duration::from_millis(300);
    Deadlines { dns: soon, connect: soon, tls: soon, total: soon }
}

pub fn secret(byte: u8) -> WebhookSecret {
    WebhookSecret::new([byte; 32])
}

pub fn message(endpoint: &str) -> WebhookMessage {
    WebhookMessage {
        endpoint: Endpoint::trusted(endpoint.to_owned()),
        id: DeliveryId::of(SearchNumber(7), 42, DeliveryEpoch::default()),
        at: Timestamp::from_second(1_700_000_000).unwrap(),
        secrets: vec![secret(1)],
        order: Some(SequenceHeaders { sequence: 12, property_version: 3 }),
        body: Bytes::from_static(br#"{"hello":"world"}"#),
    }
}

pub fn to_port(address: SocketAddr) -> WebhookMessage {
    message(&format!("https://localhost:{}/hook", address.port()))
}
