//! Connections: reuse, source address and idle timeouts.

use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use delivery::webhook::{KeepAlive, Settings, SetupError, Webhooks};
use domain::{Fault, Outcome};
use futures_util::future::join_all;
use http::Response;
use http_body_util::Full;
use tokio::runtime;

use crate::certificates::Authority;
use crate::receiver::{Persistence, Receiver, Reply, Then};
use crate::support::{message, settings, to_port, trusting};

async fn deliver(webhooks: &Webhooks, receiver: &Receiver) {
    let result = webhooks.send(&to_port(receiver.address)).await;
    assert_eq!(result.outcome, Outcome::Delivered);
}

#[tokio::test]
async fn connection_is_reused() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let one = Receiver::raw(authority.server(&["localhost"], &["http/1.1"]), Reply::status(200)).await;
    let config = authority.server(&["localhost"], &["h2", "http/1.1"]);
    let two = Receiver::http2(config, Persistence::KeepAlive, || Response::new(Full::from("taken"))).await;
    for receiver in [one, two] {
        for _ in 0..20 {
            deliver(&webhooks, &receiver).await;
        }
        assert_eq!((receiver.connections(), receiver.requests().len()), (1, 20));
    }
}

#[tokio::test]
async fn concurrent_connections_are_reused() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
    for _ in 0..3 {
        join_all((0..30).map(|_| deliver(&webhooks, &receiver))).await;
    }
    assert_eq!((receiver.connections(), receiver.requests().len()), (30, 90));
}

#[tokio::test]
async fn failed_status_keeps_the_connection() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(500)).await;
    for _ in 0..3 {
        let result = webhooks.send(&to_port(receiver.address)).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Status));
    }
    assert_eq!(receiver.connections(), 1);
}

/// The sender's runtime is idle while the receiver closes, so it has not noticed when it sends again.
#[test]
fn closed_idle_connection_is_not_a_failed_attempt() {
    let receiving = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let sending = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for then in [Then::Close, Then::Reset] {
        let authority = Authority::new();
        let webhooks = trusting(authority.pem());
        let reply = Reply::new("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", then);
        let receiver = receiving.block_on(Receiver::raw(authority.server(&["localhost"], &[]), reply));
        for sent in 1..=20 {
            sending.block_on(deliver(&webhooks, &receiver));
            receiving.block_on(receiver.ended());
            assert_eq!((receiver.connections(), receiver.requests().len()), (sent, sent));
        }
    }
}

#[tokio::test]
async fn expired_connection_is_closed_in_background() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let text = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 0\r\n\r\n";
    let config = authority.server(&["localhost"], &[]);
    let receiver = Receiver::raw(config, Reply::new(text, Then::NextRequest)).await;
    deliver(&webhooks, &receiver).await;
    receiver.ended().await;
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn goaway_connection_is_not_a_failed_attempt() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let config = authority.server(&["localhost"], &["h2"]);
    let receiver =
        Receiver::http2(config, Persistence::SingleRequest, || Response::new(Full::from("taken"))).await;
    for sent in 1..=20 {
        deliver(&webhooks, &receiver).await;
        assert_eq!((receiver.connections(), receiver.requests().len()), (sent, sent));
    }
}

#[tokio::test]
async fn announced_idle_timeout_is_respected() {
    for (header, connections) in [("timeout=1", 3), ("timeout=0, max=5", 3), ("timeout=50", 1), ("max=3", 1)]
    {
        let authority = Authority::new();
        let webhooks = trusting(authority.pem());
        let text = format!("HTTP/1.1 200 OK\r\nkeep-alive: {header}\r\ncontent-length: 0\r\n\r\n");
        let config = authority.server(&["localhost"], &[]);
        let receiver = Receiver::raw(config, Reply::new(text, Then::NextRequest)).await;
        for _ in 0..3 {
            deliver(&webhooks, &receiver).await;
        }
        assert_eq!(receiver.connections(), connections, "{header}");
    }
}

#[tokio::test]
async fn keep_alive_settings_apply() {
    let default = settings().keep_alive;
    for (keep_alive, connections) in [
        (default, 1),
        (KeepAlive { default_idle: Duration::ZERO, ..default }, 3),
        (KeepAlive { idle_max: Duration::ZERO, ..default }, 3),
        (KeepAlive { age_max: Duration::ZERO, ..default }, 3),
    ] {
        let authority = Authority::new();
        let extra_ca_pem = Some(authority.pem());
        let webhooks = Webhooks::new(Settings { extra_ca_pem, keep_alive, ..settings() }).unwrap();
        let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
        for _ in 0..3 {
            deliver(&webhooks, &receiver).await;
        }
        assert_eq!((receiver.connections(), receiver.requests().len()), (connections, 3), "{keep_alive:?}");
    }
}

#[tokio::test]
async fn connections_come_from_the_configured_address() {
    let authority = Authority::new();
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
    let from = |source: IpAddr| {
        let extra_ca_pem = Some(authority.pem());
        Webhooks::new(Settings { source_address: Some(source), extra_ca_pem, ..settings() }).unwrap()
    };
    let own = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 7));
    deliver(&from(own), &receiver).await;
    assert_eq!(receiver.requests()[0].from.ip(), own);
    let message = message(&format!("https://[::1]:{}/", receiver.address.port()));
    let other_family = from(own).send(&message).await;
    assert_eq!(other_family.outcome, Outcome::Failed(Fault::Connect));
}

#[test]
fn foreign_source_address_is_rejected_at_startup() {
    // A documentation address: no machine has it.
    let elsewhere = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 77));
    let refused = Webhooks::new(Settings { source_address: Some(elsewhere), ..settings() }).err().unwrap();
    assert!(refused.to_string().contains("192.0.2.77"), "{refused}");
    let SetupError::SourceAddress { address, source } = refused else { panic!("{refused:?}") };
    assert_eq!((address, source.kind()), (elsewhere, ErrorKind::AddrNotAvailable));
}
