//! Each kind of fault does what it says.

use std::collections::HashSet;
use std::io::ErrorKind;
use std::time::Duration;

use rustls::CertificateError::{Expired, NotValidForNameContext, NotValidYet, UnknownIssuer};
use rustls::{AlertDescription, Error, InvalidMessage, PeerIncompatible};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::client::{Client, post, read_answer};
use crate::receiver::*;

/// How a response ends.
#[derive(Debug, PartialEq, Eq)]
enum End {
    CloseNotify,
    /// Closed without close_notify.
    Cut,
    Reset,
    /// Still open.
    Silence,
}

/// Injects a fault after a request; checks what the client reads and how it ends.
async fn check(fault: InjectedFault, answer: &str, end: End) {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, fault).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    let seen = if end == End::Silence {
        let read = client.read(answer.len()).await;
        assert!(client.is_silent().await, "{fault:?}");
        read
    } else {
        let (read, error) = client.read_to_end().await;
        let expected = match end {
            End::CloseNotify | End::Silence => None,
            End::Cut => Some(ErrorKind::UnexpectedEof),
            End::Reset => Some(ErrorKind::ConnectionReset),
        };
        assert_eq!(error, expected, "{fault:?}");
        read
    };
    assert_eq!(seen, answer, "{fault:?}");
    let taken = u64::from(fault.stage() == Stage::Answer);
    assert_eq!(receiver.count(), taken, "{fault:?}");
}

const HEAD: &str = "HTTP/1.1 200 OK\r\ncontent-le";
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const SHORT: &str = "HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nok";

#[tokio::test]
async fn responses_end_as_described() {
    check(InjectedFault::NeverRead, "", End::Silence).await;
    check(InjectedFault::CloseUnread, "", End::CloseNotify).await;
    check(InjectedFault::ResetBeforeAnswer, "", End::Reset).await;
    check(InjectedFault::CloseBeforeAnswer, "", End::CloseNotify).await;
    check(InjectedFault::CutBeforeAnswer, "", End::Cut).await;
    check(InjectedFault::HangBeforeAnswer, "", End::Silence).await;
    check(InjectedFault::ResetWithinStatus, "HTTP/1.1 2", End::Reset).await;
    check(InjectedFault::HangWithinStatus, "HTTP/1.1 2", End::Silence).await;
    check(InjectedFault::ResetWithinHead, HEAD, End::Reset).await;
    check(InjectedFault::CloseWithinHead, HEAD, End::CloseNotify).await;
    check(InjectedFault::CutWithinHead, HEAD, End::Cut).await;
    check(InjectedFault::HangWithinHead, "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n", End::Silence).await;
    check(InjectedFault::ResetWithinBody, SHORT, End::Reset).await;
    check(InjectedFault::CloseWithinBody, SHORT, End::CloseNotify).await;
    check(InjectedFault::HangWithinBody, SHORT, End::Silence).await;
    check(InjectedFault::ResetAfterAnswer, OK, End::Reset).await;
    check(InjectedFault::CloseAfterAnswer, OK, End::CloseNotify).await;
    check(InjectedFault::CutAfterAnswer, OK, End::Cut).await;
    check(InjectedFault::LengthTooShort, &OK.repeat(2), End::Silence).await;
    check(InjectedFault::ContinueOnly, "HTTP/1.1 100 Continue\r\n\r\n", End::Silence).await;
    check(InjectedFault::Http09, "ok, this is all there is\r\n", End::CloseNotify).await;
    check(InjectedFault::GzipBombIfAsked, OK, End::Silence).await;
}

#[tokio::test]
async fn reset_after_handshake() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::ResetUnread).await;
    // Depending on timing, the handshake has completed on this side or not.
    if let Ok(mut client) = Client::connect(&authority, &receiver).await {
        assert_eq!(client.read_to_end().await, (String::new(), Some(ErrorKind::ConnectionReset)));
    }
    assert_eq!((receiver.connections(), receiver.count()), (1, 0));
}

#[tokio::test]
async fn endless_responses_continue_while_read() {
    const ENOUGH: usize = 4 * 1_024 * 1_024;
    for (fault, beginning) in [
        (InjectedFault::EndlessBody, "HTTP/1.1 200 OK"),
        (InjectedFault::EndlessErrorBody, "HTTP/1.1 500 Internal"),
        (InjectedFault::EndlessChunks, "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4000\r\naaa"),
        (InjectedFault::EndlessStatusLine, "HTTP/1.1 200 aaaaaaaaa"),
        (InjectedFault::InterimForever, "HTTP/1.1 103 Early Hints"),
        (InjectedFault::LargeHeader, "HTTP/1.1 200 OK\r\nx-large: aaa"),
        (InjectedFault::GzipBomb, "HTTP/1.1 200 OK\r\ncontent-encoding: gzip"),
        (InjectedFault::GzipBombTransfer, "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked"),
    ] {
        let authority = Authority::new();
        let receiver = Receiver::always(&authority, fault).await;
        let mut client = Client::connect(&authority, &receiver).await.unwrap();
        client.send(&post("/", "m-1", "abc")).await;
        let read = client.read(ENOUGH).await;
        assert!(read.starts_with(beginning), "{fault:?}: {}", &read[..100]);
        assert!(receiver.bytes_written() >= ENOUGH as u64, "{fault:?}");
        drop(client);
        receiver.wait_until_closed().await;
    }
}

#[tokio::test]
async fn drip_sends_single_bytes() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::DripHead).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    assert_eq!(client.read(26).await, "HTTP/1.1 200 OK\r\nx-drip: d");
    assert!(receiver.bytes_written() < 1_000, "{}", receiver.bytes_written());
}

#[tokio::test]
async fn gzip_bomb_ratio() {
    let context = StepContext { redirect_to: "", gzip_accepted: true };
    let steps = steps(InjectedFault::GzipBombIfAsked, context);
    let Some(Step::Repeat(piece, times)) = steps.last() else { panic!("{steps:?}") };
    let mut unpacked = flate2::read::MultiGzDecoder::new(&piece[..]);
    let unpacked = std::io::copy(&mut unpacked, &mut std::io::sink()).unwrap();
    assert!(unpacked > 900 * piece.len() as u64, "{} to {unpacked}", piece.len());
    assert!(unpacked * u64::from(*times) > 10_000_000_000);
}

#[tokio::test]
async fn late_response_follows_close() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::LateAnswer).await;
    let mut client = Client::connect(&authority, &receiver).await.unwrap();
    client.send(&post("/", "m-1", "abc")).await;
    assert!(client.is_silent().await);
    // Sends close_notify but keeps reading.
    client.stream.shutdown().await.unwrap();
    assert_eq!(read_answer(&mut client).await, "HTTP/1.1 200 OK");
}

/// Performs a handshake and returns the error.
async fn handshake(fault: InjectedFault) -> std::io::Error {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, fault).await;
    match Client::connect(&authority, &receiver).await {
        Err(error) => error,
        Ok(mut client) => {
            client.send(&post("/", "m-1", "abc")).await;
            client.stream.read_u8().await.unwrap_err()
        }
    }
}

#[tokio::test]
async fn certificates_fail_for_the_named_reason() {
    let reason = async |fault| {
        let error = handshake(fault).await;
        error.downcast::<Error>().unwrap_or_else(|error| panic!("{fault:?}: {error}"))
    };
    let expired = reason(InjectedFault::CertificateExpired).await;
    assert!(
        matches!(
            expired,
            Error::InvalidCertificate(Expired | rustls::CertificateError::ExpiredContext { .. })
        ),
        "{expired:?}"
    );
    let early = reason(InjectedFault::CertificateNotYetValid).await;
    assert!(
        matches!(
            early,
            Error::InvalidCertificate(NotValidYet | rustls::CertificateError::NotValidYetContext { .. })
        ),
        "{early:?}"
    );
    let name = reason(InjectedFault::CertificateWrongName).await;
    assert!(matches!(name, Error::InvalidCertificate(NotValidForNameContext { .. })), "{name:?}");
    for fault in [InjectedFault::CertificateSelfSigned, InjectedFault::CertificateUnknownAuthority] {
        let unknown = reason(fault).await;
        let known = |error: &rustls::CertificateError| {
            *error == UnknownIssuer || *error == rustls::CertificateError::BadSignature
        };
        assert!(matches!(&unknown, Error::InvalidCertificate(error) if known(error)), "{unknown:?}");
    }
    let huge = reason(InjectedFault::CertificateHugeChain).await;
    assert!(matches!(huge, Error::InvalidMessage(InvalidMessage::HandshakePayloadTooLarge)), "{huge:?}");
    let asks = reason(InjectedFault::AsksForCertificate).await;
    assert_eq!(asks, Error::AlertReceived(AlertDescription::CertificateRequired));
    let asks = reason(InjectedFault::AsksForCertificateEarly).await;
    assert_eq!(asks, Error::AlertReceived(AlertDescription::CertificateRequired));
    let plain = reason(InjectedFault::PlainHttp).await;
    assert!(matches!(plain, Error::InvalidMessage(_)), "{plain:?}");
    let old = reason(InjectedFault::OldTls).await;
    assert_eq!(old, Error::PeerIncompatible(PeerIncompatible::ServerDoesNotSupportTls12Or13));
    let alert = reason(InjectedFault::OldTlsAlert).await;
    assert_eq!(alert, Error::AlertReceived(AlertDescription::ProtocolVersion));
    let alert = reason(InjectedFault::NoCommonCipher).await;
    assert_eq!(alert, Error::AlertReceived(AlertDescription::HandshakeFailure));
    let http2 = reason(InjectedFault::Http2Only).await;
    assert_eq!(http2, Error::AlertReceived(AlertDescription::NoApplicationProtocol));
}

#[tokio::test]
async fn handshake_can_be_cut_short() {
    assert_eq!(handshake(InjectedFault::AcceptReset).await.kind(), ErrorKind::ConnectionReset);
    assert_eq!(handshake(InjectedFault::AcceptClose).await.kind(), ErrorKind::UnexpectedEof);
    assert_eq!(handshake(InjectedFault::HandshakeReset).await.kind(), ErrorKind::ConnectionReset);
}

#[tokio::test]
async fn closed_port_and_full_queue() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::Refuse).await;
    let refused = TcpStream::connect(receiver.address()).await.unwrap_err();
    assert_eq!(refused.kind(), ErrorKind::ConnectionRefused);
    let receiver = Receiver::always(&authority, InjectedFault::NeverAccept).await;
    let connecting = TcpStream::connect(receiver.address());
    assert!(tokio::time::timeout(Duration::from_millis(100), connecting).await.is_err());
}

#[test]
fn behaviour_names_round_trip() {
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
