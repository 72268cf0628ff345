//! The phases of an attempt, and the headers of the response.

use std::net::{Ipv4Addr, TcpListener};
use std::time::Duration;

use delivery::AttemptResult;
use delivery::webhook::{AddressPolicy, Settings, Webhooks};
use domain::{Fault, Outcome, PhaseTimings, ResponseHeader};

use crate::certificates::Authority;
use crate::receiver::{Receiver, Reply, Then};
use crate::support::{impatient, message, settings, to_port, trusting};

/// Which phases have a timing: name, connect, TLS, first byte.
fn phases(result: &AttemptResult) -> [bool; 4] {
    let PhaseTimings { name, connect, tls, first_byte } = result.timings;
    let sum: Duration = [name, connect, tls, first_byte].into_iter().flatten().sum();
    assert!(result.took >= sum, "{result:?}");
    [name.is_some(), connect.is_some(), tls.is_some(), first_byte.is_some()]
}

#[tokio::test]
async fn reused_connection_has_only_the_last_phase() {
    let authority = Authority::new();
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
    let webhooks = trusting(authority.pem());
    let send = async || phases(&webhooks.send(&to_port(receiver.address)).await);
    assert_eq!(send().await, [true, true, true, true]);
    assert_eq!(send().await, [false, false, false, true]);
}

#[tokio::test]
async fn ip_address_has_no_name_to_resolve() {
    let authority = Authority::new();
    let receiver = Receiver::raw(authority.server(&["127.0.0.1"], &[]), Reply::status(200)).await;
    let message = message(&format!("https://{}/", receiver.address));
    let result = trusting(authority.pem()).send(&message).await;
    assert_eq!((result.outcome, phases(&result)), (Outcome::Delivered, [false, true, true, true]));
}

#[tokio::test]
async fn failed_phase_is_the_last() {
    let authority = Authority::new();
    let hurried = Settings { extra_ca_pem: Some(authority.pem()), deadlines: impatient(), ..settings() };
    let webhooks = Webhooks::new(hurried).unwrap();
    let check = async |endpoint: &str, fault: Fault, expected: [bool; 4]| {
        let result = webhooks.send(&message(endpoint)).await;
        assert_eq!((result.outcome, phases(&result)), (Outcome::Failed(fault), expected), "{endpoint}");
        assert_eq!(result.headers, [], "{endpoint}");
    };
    // The port is free again when the listener is dropped.
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    check(&format!("https://{closed}/"), Fault::Connect, [false, true, false, false]).await;
    let silent = Receiver::plain(b"").await;
    check(&format!("https://{}/", silent.address), Fault::Timeout, [false, true, true, false]).await;
    let config = authority.server(&["127.0.0.1"], &[]);
    let mute = Receiver::raw(config, Reply::new("", Then::Hang)).await;
    check(&format!("https://{}/", mute.address), Fault::Timeout, [false, true, true, true]).await;
}

#[tokio::test]
async fn blocked_address_has_neither_phases_nor_headers() {
    let receiver = Receiver::plain(b"HTTP/1.1 200 OK\r\nsecret: 1\r\n\r\n").await;
    let settings = Settings { addresses: AddressPolicy::PublicOnly, ..settings() };
    let webhooks = Webhooks::new(settings).unwrap();
    let result = webhooks.send(&message(&format!("https://{}/", receiver.address))).await;
    assert_eq!((result.outcome, phases(&result)), (Outcome::Failed(Fault::Refused), [false; 4]));
    assert_eq!(result.headers, []);
}

#[tokio::test]
async fn headers_are_kept_whatever_the_status() {
    for status in [200, 302, 503] {
        let text = format!(
            "HTTP/1.1 {status} Whatever\r\nServer: nginx\r\nset-cookie: a=1\r\nSet-Cookie: b=2\r\ncontent-length: 0\r\n\r\n"
        );
        let authority = Authority::new();
        let config = authority.server(&["localhost"], &[]);
        let receiver = Receiver::raw(config, Reply::new(text, Then::NextRequest)).await;
        let result = trusting(authority.pem()).send(&to_port(receiver.address)).await;
        assert_eq!(result.status, Some(status));
        let header =
            |name: &str, value: &str| ResponseHeader { name: name.to_owned(), value: value.to_owned() };
        let expected = [
            header("server", "nginx"),
            header("set-cookie", "a=1"),
            header("set-cookie", "b=2"),
            header("content-length", "0"),
        ];
        assert_eq!(result.headers, expected);
    }
}
