//! One message and one response: what is sent, and how the response is classified.

use std::time::Duration;

use bytes::Bytes;
use delivery::webhook::{Settings, SetupError, Success, Webhooks};
use delivery::{AttemptResult, signature};
use domain::{Fault, Outcome};
use http::Response;
use http_body_util::Full;

use crate::certificates::Authority;
use crate::receiver::{Persistence, Receiver, Reply, Then};
use crate::support::{impatient, message, secret, settings, to_port, trusting};

const FAILED: fn(Fault) -> Outcome = Outcome::Failed;

/// Sends one message to a receiver that sends this reply.
async fn send(reply: Reply) -> AttemptResult {
    let authority = Authority::new();
    let receiver = Receiver::raw(authority.server(&["localhost"], &[]), reply).await;
    trusting(authority.pem()).send(&to_port(receiver.address)).await
}

async fn check(reply: Reply, expected: Outcome, status: Option<u16>) {
    let result = send(reply).await;
    assert_eq!((result.outcome, result.status), (expected, status));
}

#[tokio::test]
async fn request_has_id_timestamp_and_signatures() {
    let authority = Authority::new();
    let receiver = Receiver::raw(authority.server(&["localhost"], &["http/1.1"]), Reply::status(200)).await;
    let mut message =
        message(&format!("https://LOCALHOST.:{}/a%20b/?token=x%2Fy#end", receiver.address.port()));
    message.secrets = vec![secret(1), secret(2)];
    let result = trusting(authority.pem()).send(&message).await;
    assert_eq!((result.outcome, result.status), (Outcome::Delivered, Some(200)));
    assert_eq!(result.excerpt, b"ok");

    let request = receiver.requests().remove(0);
    assert_eq!(request.body, message.body);
    let id = message.id.to_string();
    let signed = |byte| signature::sign(&secret(byte), &id, 1_700_000_000, &message.body);
    let expected = [
        "POST /a%20b/?token=x%2Fy HTTP/1.1".to_owned(),
        "content-type: application/json".to_owned(),
        "accept-encoding: identity".to_owned(),
        "user-agent: Vigie/test".to_owned(),
        "x-sequence: 12".to_owned(),
        "x-property-version: 3".to_owned(),
        format!("webhook-id: {id}"),
        "webhook-timestamp: 1700000000".to_owned(),
        format!("webhook-signature: {} {}", signed(1), signed(2)),
        format!("host: localhost:{}", receiver.address.port()),
        format!("content-length: {}", message.body.len()),
    ];
    let lines: Vec<&str> = request.head.trim_end().lines().collect();
    assert_eq!(lines, expected);
}

#[tokio::test]
async fn http2_is_negotiated() {
    let authority = Authority::new();
    let config = authority.server(&["localhost"], &["h2"]);
    let receiver =
        Receiver::http2(config, Persistence::KeepAlive, || Response::new(Full::from("taken"))).await;
    let message = to_port(receiver.address);
    let result = trusting(authority.pem()).send(&message).await;
    assert_eq!((result.outcome, result.status), (Outcome::Delivered, Some(200)));
    assert_eq!(result.excerpt, b"taken");
    let request = receiver.requests().remove(0);
    assert_eq!(request.body, message.body);
    let first = format!("POST https://localhost:{}/hook\n", receiver.address.port());
    assert!(request.head.starts_with(&first), "{}", request.head);
    assert!(request.head.contains("\"webhook-signature\": \"v1,"), "{}", request.head);
}

#[tokio::test]
async fn success_statuses() {
    for status in [201, 202, 204, 206, 300, 304, 400, 404, 410, 429, 500, 503, 599, 999] {
        // 204 and 304 have no body, whatever they declare.
        let text = format!("HTTP/1.1 {status} Whatever\r\ncontent-length: 0\r\n\r\n");
        check(Reply::new(text, Then::NextRequest), FAILED(Fault::Status), Some(status)).await;
    }
    let authority = Authority::new();
    let any = Settings { success: Success::Any2xx, extra_ca_pem: Some(authority.pem()), ..settings() };
    let any = Webhooks::new(any).unwrap();
    for (status, expected) in
        [(200, Outcome::Delivered), (299, Outcome::Delivered), (300, FAILED(Fault::Status))]
    {
        let receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(status)).await;
        assert_eq!(any.send(&to_port(receiver.address)).await.outcome, expected, "{status}");
    }
}

#[tokio::test]
async fn redirects_are_not_followed() {
    let authority = Authority::new();
    let config = authority.server(&["localhost"], &[]);
    let elsewhere = Receiver::raw(config.clone(), Reply::status(200)).await;
    for status in [301, 302, 303, 307, 308] {
        let location = format!("https://localhost:{}/hook", elsewhere.address.port());
        let text = format!("HTTP/1.1 {status} Moved\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
        let receiver = Receiver::raw(config.clone(), Reply::new(text, Then::NextRequest)).await;
        let result = trusting(authority.pem()).send(&to_port(receiver.address)).await;
        assert_eq!((result.outcome, result.status), (FAILED(Fault::Status), Some(status)));
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn body_does_not_affect_the_outcome() {
    let head = "HTTP/1.1 200 OK\r\n";
    for (rest, then) in [
        ("content-length: 100\r\n\r\nonly this", Then::Close),
        ("content-length: 100\r\n\r\nonly this", Then::Reset),
        ("content-length: 1\r\n\r\nmore than this", Then::Close),
        ("transfer-encoding: chunked\r\n\r\nzz\r\nno chunk", Then::Close),
        ("transfer-encoding: chunked\r\n\r\n5\r\nthere\r\n", Then::Reset),
        ("\r\nuntil the connection ends", Then::Reset),
        ("content-encoding: gzip\r\ncontent-length: 7\r\n\r\nno gzip", Then::NextRequest),
    ] {
        let result = send(Reply::new(format!("{head}{rest}"), then)).await;
        assert_eq!((result.outcome, result.status), (Outcome::Delivered, Some(200)), "{rest}");
    }
}

#[tokio::test]
async fn endless_body_is_abandoned() {
    let result = send(Reply::new("HTTP/1.1 200 OK\r\n\r\nslow", Then::Hang)).await;
    assert_eq!((result.outcome, result.excerpt.as_slice()), (Outcome::Delivered, &b"slow"[..]));
    assert!(result.took < Duration::from_secs(10), "the sender does not wait for the body");

    let body = vec![b'x'; 60 * 1_024];
    let mut text = b"HTTP/1.1 200 OK\r\n\r\n".to_vec();
    text.extend_from_slice(&body);
    let result = send(Reply::new(text, Then::Repeat)).await;
    assert_eq!(result.outcome, Outcome::Delivered);
    assert_eq!(result.excerpt, &body[..1_024]);
}

#[tokio::test]
async fn malformed_responses_are_protocol_faults() {
    let protocol = || FAILED(Fault::Protocol);
    check(Reply::new("SSH-2.0-nothing\r\n\r\n", Then::Close), protocol(), None).await;
    check(Reply::new("just this", Then::Close), protocol(), None).await;
    check(Reply::new("HTTP/1.1 099 No\r\n\r\n", Then::Close), protocol(), None).await;
    check(Reply::new("HTTP/1.1 2000 No\r\n\r\n", Then::Close), protocol(), None).await;
    check(Reply::new("HTTP/1.1 200 OK\r\nno colon\r\n\r\n", Then::Close), protocol(), None).await;
    let closed = || FAILED(Fault::Closed);
    check(Reply::new("", Then::Close), closed(), None).await;
    check(Reply::new("", Then::Reset), closed(), None).await;
    check(Reply::new("HTTP/1.1 200 OK\r\ncontent-le", Then::Close), closed(), None).await;
    check(Reply::new("HTTP/1.1 200 OK\r\ncontent-le", Then::Reset), closed(), None).await;
}

#[tokio::test]
async fn head_size_is_limited() {
    let too_large = || FAILED(Fault::TooLarge);
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(33_000));
    check(Reply::new(long, Then::NextRequest), too_large(), None).await;
    let fits = format!("HTTP/1.1 200 OK\r\nx: {}\r\ncontent-length: 0\r\n\r\n", "x".repeat(31_000));
    check(Reply::new(fits, Then::NextRequest), Outcome::Delivered, Some(200)).await;
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    check(Reply::new(many, Then::NextRequest), too_large(), None).await;
    check(Reply::new("HTTP/1.1 103 Early Hints\r\n\r\n", Then::Repeat), too_large(), None).await;
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\nHTTP/1.1 200 OK\r\n\
                   content-length: 0\r\n\r\n";
    check(Reply::new(interim, Then::NextRequest), Outcome::Delivered, Some(200)).await;
}

#[tokio::test]
async fn http2_head_size_is_limited() {
    let authority = Authority::new();
    let config = authority.server(&["localhost"], &["h2"]);
    let receiver = Receiver::http2(config, Persistence::KeepAlive, || {
        Response::builder().header("x", "x".repeat(60_000)).body(Full::<Bytes>::default()).unwrap()
    })
    .await;
    let result = trusting(authority.pem()).send(&to_port(receiver.address)).await;
    assert_eq!(result.outcome, FAILED(Fault::TooLarge));
}

#[tokio::test]
async fn silent_receivers_time_out() {
    let authority = Authority::new();
    let webhooks = Settings { deadlines: impatient(), extra_ca_pem: Some(authority.pem()), ..settings() };
    let webhooks = Webhooks::new(webhooks).unwrap();
    for text in ["", "HTTP/1.1 200 OK\r\ncontent-", "HTTP/1.1 103 Early Hints\r\n\r\n"] {
        let config = authority.server(&["localhost"], &[]);
        let receiver = Receiver::raw(config, Reply::new(text, Then::Hang)).await;
        let result = webhooks.send(&to_port(receiver.address)).await;
        assert_eq!(result.outcome, FAILED(Fault::Timeout), "{text}");
        assert!(result.took >= Duration::from_millis(300));
        receiver.ended().await;
    }
    let silent = Receiver::plain(b"").await;
    assert_eq!(webhooks.send(&to_port(silent.address)).await.outcome, FAILED(Fault::Timeout));
}

#[tokio::test]
async fn untrusted_certificates_are_refused() {
    let (authority, other) = (Authority::new(), Authority::new());
    let webhooks = trusting(authority.pem());
    for config in [other.server(&["localhost"], &[]), authority.server(&["other.example"], &[])] {
        let receiver = Receiver::raw(config, Reply::status(200)).await;
        assert_eq!(webhooks.send(&to_port(receiver.address)).await.outcome, FAILED(Fault::Tls));
        assert!(receiver.requests().is_empty());
    }
    let plain = Receiver::plain(b"HTTP/1.1 400 Bad Request\r\n\r\n").await;
    assert_eq!(webhooks.send(&to_port(plain.address)).await.outcome, FAILED(Fault::Tls));
    let by_address = Receiver::raw(authority.server(&["127.0.0.1"], &[]), Reply::status(200)).await;
    let message = message(&format!("https://127.0.0.1:{}/", by_address.address.port()));
    assert_eq!(webhooks.send(&message).await.outcome, Outcome::Delivered);
}

#[tokio::test]
async fn closed_port_is_a_connect_fault() {
    let authority = Authority::new();
    let mut receiver = Receiver::raw(authority.server(&["localhost"], &[]), Reply::status(200)).await;
    receiver.stop().await;
    let result = trusting(authority.pem()).send(&to_port(receiver.address)).await;
    assert_eq!(result.outcome, FAILED(Fault::Connect));
}

#[test]
fn invalid_ca_file_is_rejected_at_startup() {
    let with = |pem: &[u8]| {
        let settings = Settings { extra_ca_pem: Some(pem.to_vec()), ..settings() };
        Webhooks::new(settings).err().unwrap()
    };
    assert!(matches!(with(b""), SetupError::NoCertificate));
    assert!(matches!(with(b"no PEM at all"), SetupError::NoCertificate));
    let broken = b"-----BEGIN CERTIFICATE-----\n%%%%\n-----END CERTIFICATE-----\n";
    assert!(matches!(with(broken), SetupError::Pem(_)));
    let other = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    assert!(matches!(with(other), SetupError::Certificate(_)));
}
