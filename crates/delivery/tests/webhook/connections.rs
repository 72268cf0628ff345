//! Connections: how many there are, from where, and what becomes of those that lie idle.

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
use crate::receiver::{Lasts, Receiver, Reply, Then};
use crate::support::{message, settings, to_port, trusting};

async fn delivers(webhooks: &Webhooks, receiver: &Receiver) {
    let result = webhooks.send(&to_port(receiver.address)).await;
    assert_eq!(result.outcome, Outcome::Delivered);
}

#[tokio::test]
async fn one_connection_serves_one_message_after_another() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let one = Receiver::raw(authority.server(&["localhost"], &["http/1.1"]), Reply::status(200)).await;
    let config = authority.server(&["localhost"], &["h2", "http/1.1"]);
    let two = Receiver::two(config, Lasts::ForMany, || Response::new(Full::from("taken"))).await;
    for receiver in [one, two] {
        for _ in 0..20 {
            delivers(&webhooks, &receiver).await;
        }
        assert_eq!((receiver.connections(), receiver.got().len()), (1, 20));
    }
}

#[tokio::test]
async fn many_at_once_have_a_connection_each_and_leave_them_for_the_next() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
    for _ in 0..3 {
        join_all((0..30).map(|_| delivers(&webhooks, &receiver))).await;
    }
    assert_eq!((receiver.connections(), receiver.got().len()), (30, 90));
}

#[tokio::test]
async fn a_failed_status_is_no_reason_to_leave() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(500)).await;
    for _ in 0..3 {
        let result = webhooks.send(&to_port(receiver.address)).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Status));
    }
    assert_eq!(receiver.connections(), 1);
}

/// The sender's runtime sleeps while the receiver leaves, so nobody has told it when it sends again.
#[test]
fn a_connection_that_the_receiver_has_left_costs_no_attempt() {
    let receiving = runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let sending = runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for then in [Then::Close, Then::Reset] {
        let authority = Authority::new();
        let webhooks = trusting(authority.pem());
        let reply = Reply::new("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n", then);
        let receiver = receiving.block_on(Receiver::raw(authority.server(&["localhost"], &[]), reply));
        for sent in 1..=20 {
            sending.block_on(delivers(&webhooks, &receiver));
            receiving.block_on(receiver.ended());
            assert_eq!((receiver.connections(), receiver.got().len()), (sent, sent));
        }
    }
}

#[tokio::test]
async fn a_connection_that_has_grown_old_is_closed_though_nobody_asks() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let text = "HTTP/1.1 200 OK\r\nkeep-alive: timeout=2\r\ncontent-length: 0\r\n\r\n";
    let config = authority.server(&["localhost"], &[]);
    let receiver = Receiver::raw(config, Reply::new(text, Then::NextRequest)).await;
    delivers(&webhooks, &receiver).await;
    receiver.ended().await;
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn a_connection_that_takes_no_more_requests_costs_no_attempt() {
    let authority = Authority::new();
    let webhooks = trusting(authority.pem());
    let config = authority.server(&["localhost"], &["h2"]);
    let receiver = Receiver::two(config, Lasts::ForOne, || Response::new(Full::from("taken"))).await;
    for sent in 1..=20 {
        delivers(&webhooks, &receiver).await;
        assert_eq!((receiver.connections(), receiver.got().len()), (sent, sent));
    }
}

#[tokio::test]
async fn a_receiver_that_says_how_long_it_waits_is_believed() {
    for (says, connections) in [("timeout=1", 3), ("timeout=0, max=5", 3), ("timeout=50", 1), ("max=3", 1)] {
        let authority = Authority::new();
        let webhooks = trusting(authority.pem());
        let text = format!("HTTP/1.1 200 OK\r\nkeep-alive: {says}\r\ncontent-length: 0\r\n\r\n");
        let config = authority.server(&["localhost"], &[]);
        let receiver = Receiver::raw(config, Reply::new(text, Then::NextRequest)).await;
        for _ in 0..3 {
            delivers(&webhooks, &receiver).await;
        }
        assert_eq!(receiver.connections(), connections, "{says}");
    }
}

#[tokio::test]
async fn how_long_connections_are_used_is_a_setting() {
    let usual = settings().keep_alive;
    for (keep_alive, connections) in [
        (usual, 1),
        (KeepAlive { default_idle: Duration::ZERO, ..usual }, 3),
        (KeepAlive { idle_max: Duration::ZERO, ..usual }, 3),
        (KeepAlive { age_max: Duration::ZERO, ..usual }, 3),
    ] {
        let authority = Authority::new();
        let extra_ca_pem = Some(authority.pem());
        let webhooks = Webhooks::new(Settings { extra_ca_pem, keep_alive, ..settings() }).unwrap();
        let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
        for _ in 0..3 {
            delivers(&webhooks, &receiver).await;
        }
        assert_eq!((receiver.connections(), receiver.got().len()), (connections, 3), "{keep_alive:?}");
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
    delivers(&from(own), &receiver).await;
    assert_eq!(receiver.got()[0].from.ip(), own);
    let message = message(&format!("https://[::1]:{}/", receiver.address.port()));
    let other_kind = from(own).send(&message).await;
    assert_eq!(other_kind.outcome, Outcome::Failed(Fault::Connect));
}

#[test]
fn an_address_of_another_machine_is_named_at_once() {
    // One of those that are kept for documentation: nobody has it.
    let elsewhere = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 77));
    let refused = Webhooks::new(Settings { source_address: Some(elsewhere), ..settings() }).err().unwrap();
    assert!(refused.to_string().contains("192.0.2.77"), "{refused}");
    let SetupError::SourceAddress { address, source } = refused else { panic!("{refused:?}") };
    assert_eq!((address, source.kind()), (elsewhere, ErrorKind::AddrNotAvailable));
}
