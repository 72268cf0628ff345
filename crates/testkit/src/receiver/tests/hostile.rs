//! That each kind of trick does what it says.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::time::Duration;

use rustls::CertificateError::{Expired, NotValidForNameContext, NotValidYet, UnknownIssuer};
use rustls::{AlertDescription, Error, InvalidMessage, PeerIncompatible};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Client, post, read_answer};
use crate::receiver::*;

/// How what a client reads comes to its end.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Farewell,
    /// The connection is closed, and TLS did not say so.
    Cut,
    Reset,
    /// It is still there.
    Silence,
}

/// Plays a trick on a client that has sent a request: what it reads, and how that ends.
async fn check(trick: Trick, answer: &str, end: End) {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, trick).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    let seen = if end == End::Silence {
        let read = client.read(answer.len()).await;
        assert!(client.is_silent().await, "{trick:?}");
        read
    } else {
        let (read, error) = client.read_to_end().await;
        let expected = match end {
            End::Farewell | End::Silence => None,
            End::Cut => Some(ErrorKind::UnexpectedEof),
            End::Reset => Some(ErrorKind::ConnectionReset),
        };
        assert_eq!(error, expected, "{trick:?}");
        read
    };
    assert_eq!(seen, answer, "{trick:?}");
    let taken = u64::from(trick.stage() == Stage::Answer);
    assert_eq!(receiver.count(), taken, "{trick:?}");
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-le";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const SHORT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok";

#[tokio::test]
async fn an_answer_stops_where_the_trick_says_and_as_it_says() {
    check(Trick::NeverRead, "", End::Silence).await;
    check(Trick::CloseUnread, "", End::Farewell).await;
    check(Trick::ResetBeforeAnswer, "", End::Reset).await;
    check(Trick::CloseBeforeAnswer, "", End::Farewell).await;
    check(Trick::CutBeforeAnswer, "", End::Cut).await;
    check(Trick::HangBeforeAnswer, "", End::Silence).await;
    check(Trick::ResetWithinStatus, "HTTP/1.1 2", End::Reset).await;
    check(Trick::HangWithinStatus, "HTTP/1.1 2", End::Silence).await;
    check(Trick::ResetWithinHead, HEAD, End::Reset).await;
    check(Trick::CloseWithinHead, HEAD, End::Farewell).await;
    check(Trick::CutWithinHead, HEAD, End::Cut).await;
    check(Trick::HangWithinHead, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n", End::Silence).await;
    check(Trick::ResetWithinBody, SHORT, End::Reset).await;
    check(Trick::CloseWithinBody, SHORT, End::Farewell).await;
    check(Trick::HangWithinBody, SHORT, End::Silence).await;
    check(Trick::ResetAfterAnswer, OK, End::Reset).await;
    check(Trick::CloseAfterAnswer, OK, End::Farewell).await;
    check(Trick::CutAfterAnswer, OK, End::Cut).await;
    check(Trick::LengthTooShort, &OK.repeat(2), End::Silence).await;
    check(Trick::ContinueOnly, "HTTP/1.1 100 Continue\r\n\r\n", End::Silence).await;
    check(Trick::Http09, "ok, this is all there is\r\n", End::Farewell).await;
    check(Trick::GzipBombIfAsked, OK, End::Silence).await;
}

#[tokio::test]
async fn a_connection_may_be_reset_after_the_handshake() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, Trick::ResetUnread).await;
    // Depending on who is faster, the handshake has ended on this side or not.
    if let Ok(mut client) = Client::connect(&authority, &receiver).await {
        assert_eq!(client.read_to_end().await, (String::new(), Some(ErrorKind::ConnectionReset)));
    }
    assert_eq!((receiver.connections(), receiver.count()), (1, 0));
}

#[tokio::test]
async fn what_has_no_end_goes_on_as_long_as_somebody_reads() {
    const ENOUGH: usize = 4 * 1_024 * 1_024;
    for (trick, beginning) in [
        (Trick::EndlessBody, "HTTP/1.1 200 OK"),
        (Trick::EndlessErrorBody, "HTTP/1.1 500 Internal"),
        (Trick::EndlessChunks, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4000\r\naaa"),
        (Trick::EndlessStatusLine, "HTTP/1.1 200 aaaaaaaaa"),
        (Trick::InterimForever, "HTTP/1.1 103 Early Hints"),
        (Trick::LargeHeader, "HTTP/1.1 200 OK\r\nx-large: aaa"),
        (Trick::GzipBomb, "HTTP/1.1 200 OK\r\ncontent-encoding: gzip"),
        (Trick::GzipBombTransfer, "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked"),
    ] {
        let authority = Authority::new();
        let receiver = Receiver::always(&authority, trick).await;
        let mut client = Client::connect(&authority, &receiver).await.unwrap();
        client.send(&post("/", "m-1", "abc")).await;
        let read = client.read(ENOUGH).await;
        assert!(read.starts_with(beginning), "{trick:?}: {}", &read[..100]);
        assert!(receiver.bytes_written() >= ENOUGH as u64, "{trick:?}");
        drop(client);
        receiver.wait_until_left().await;
    }
}

#[tokio::test]
async fn a_drip_comes_byte_by_byte() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, Trick::DripHead).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    assert_eq!(client.read(26).await, "HTTP/1.1 200 OK\r\nx-drip: d");
    assert!(receiver.bytes_written() < 1_000, "{}", receiver.bytes_written());
}

#[tokio::test]
async fn the_bomb_unpacks_to_a_thousand_times_its_size() {
    let scene = Scene { redirect_to: "", gzip_accepted: true };
    let steps = steps(Trick::GzipBombIfAsked, scene);
    let Some(Step::Repeat(piece, times)) = steps.last() else { panic!("{steps:?}") };
    let mut unpacked = flate2::read::MultiGzDecoder::new(&piece[..]);
    let unpacked = std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap();
    assert!(unpacked > 900 * piece.len() as u64, "{} to {unpacked}", piece.len());
    assert!(unpacked * u64::from(*times) > 10_000_000_000);
}

#[tokio::test]
async fn a_late_answer_comes_when_nobody_waits_for_it() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, Trick::LateAnswer).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    assert!(client.is_silent().await);
    // A farewell from this side, which goes on listening all the same.
    client.stream.shutdown().await.unwrap();
    assert_eq!(read_answer(&mut client).await, "HTTP/1.1 200 OK");
}

/// Shakes hands, and gives what went wrong.
async fn handshake(trick: Trick) -> std::io::Error {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, trick).await;
    match Client::connect(&authority, &receiver).await {
        Err(error) => error,
        Ok(mut client) => {
            client.send(&post("/", "m-1", "abc")).await;
            client.stream.read_u8().await.unwrap_err()
        }
    }
}

#[tokio::test]
async fn a_certificate_is_bad_for_the_reason_it_is_named_after() {
    let reason = async |trick| {
        let error = handshake(trick).await;
        error.downcast::<Error>().unwrap_or_else(|error| panic!("{trick:?}: {error}"))
    };
    let expired = reason(Trick::CertificateExpired).await;
    assert!(
        matches!(
            expired,
            Error::InvalidCertificate(Expired | rustls::CertificateError::ExpiredContext { .. })
        ),
        "{expired:?}"
    );
    let early = reason(Trick::CertificateNotYetValid).await;
    assert!(
        matches!(
            early,
            Error::InvalidCertificate(NotValidYet | rustls::CertificateError::NotValidYetContext { .. })
        ),
        "{early:?}"
    );
    let name = reason(Trick::CertificateWrongName).await;
    assert!(matches!(name, Error::InvalidCertificate(NotValidForNameContext { .. })), "{name:?}");
    for trick in [Trick::CertificateSelfSigned, Trick::CertificateUnknownAuthority] {
        let unknown = reason(trick).await;
        let known = |error: &rustls::CertificateError| {
            *error == UnknownIssuer || *error == rustls::CertificateError::BadSignature
        };
        assert!(matches!(&unknown, Error::InvalidCertificate(error) if known(error)), "{unknown:?}");
    }
    let huge = reason(Trick::CertificateHugeChain).await;
    assert!(matches!(huge, Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge)), "{huge:?}");
    let asks = reason(Trick::AsksForCertificate).await;
    assert_eq!(asks, Error::AlertReceived(AlertDescription::CertificateRequired));
    let asks = reason(Trick::AsksForCertificateEarly).await;
    assert_eq!(asks, Error::AlertReceived(AlertDescription::CertificateRequired));
    let plain = reason(Trick::PlainHttp).await;
    assert!(matches!(plain, Error::InvalidMessage(_)), "{plain:?}");
    let old = reason(Trick::OldTls).await;
    assert_eq!(old, Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13));
    let alert = reason(Trick::OldTlsAlert).await;
    assert_eq!(alert, Error::AlertReceived(AlertDescription::ProtocolVersion));
    let alert = reason(Trick::NoCommonCipher).await;
    assert_eq!(alert, Error::AlertReceived(AlertDescription::HandshakeFailure));
    let http2 = reason(Trick::Http2Only).await;
    assert_eq!(http2, Error::AlertReceived(AlertDescription::NoApplicationProtocol));
}

#[tokio::test]
async fn a_handshake_may_end_before_it_has_begun() {
    assert_eq!(handshake(Trick::AcceptReset).await.kind(), ErrorKind::ConnectionReset);
    assert_eq!(handshake(Trick::AcceptClose).await.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(handshake(Trick::HandshakeReset).await.kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn a_closed_port_refuses_and_a_full_queue_says_nothing() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, Trick::Refuse).await;
    let refused = TcpStream::connect(receiver.address()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let receiver = Receiver::always(&authority, Trick::NeverAccept).await;
    let connecting = TcpStream::connect(receiver.address());
    assert!(tokio::time::timeout(Duration::from_millis(100), connecting).await.is_err());
}

#[test]
fn every_behaviour_is_found_by_its_name() {
    let mut names = HashSet::new();
    for behaviour in Behaviour::all() {
        let name = behaviour.name();
        assert_eq!(Behaviour::by_name(&name), Some(behaviour));
        assert!(names.insert(name.clone()), "{name}");
    }
    for name in ["status-20", "status-1000", "status-", "Refuse", ""] {
        assert_eq!(Behaviour::by_name(name), None, "{name}");
    }
}
