//! The example receiver of the documentation accepts genuine messages once and rejects everything else.

#![allow(clippy::unwrap_used, reason = "tests may panic")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use delivery::signature;
use domain::WebhookSecret;
use rcgen::{CertificateParams, KeyPair};
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned};
use testkit::python;

const BODY: &str = r#"{"@type":"Match","title":"Été à Lyon"}"#;

/// The script as a process, killed on drop.
struct Receiver {
    child: Child,
    lines: BufReader<ChildStdout>,
    port: u16,
    certificate: CertificateDer<'static>,
}

impl Receiver {
    fn start(folder: &Path, secrets: &[&WebhookSecret]) -> Self {
        let key = KeyPair::generate().unwrap();
        let names = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = names.self_signed(&key).unwrap();
        std::fs::write(folder.join("certificate.pem"), certificate.pem()).unwrap();
        std::fs::write(folder.join("key.pem"), key.serialize_pem()).unwrap();
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/receiver/receiver.py");
        let secrets: Vec<String> = secrets.iter().map(|secret| signature::text_of(secret)).collect();
        let mut child = Command::new(python::plain())
            .arg(script)
            .args(["--port", "0", "--certificate", "certificate.pem", "--key", "key.pem"])
            .current_dir(folder)
            .env("VIGIE_WEBHOOK_SECRET", secrets.join(" "))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        let certificate = certificate.der().clone();
        let mut receiver = Self { child, lines, port: 0, certificate };
        receiver.port = receiver.line().strip_prefix("listening on ").unwrap().parse().unwrap();
        receiver
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.lines.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    }

    /// Posts a message on a new connection and returns the status.
    fn post(&self, headers: &[(&str, &str)], body: &str) -> u16 {
        let mut roots = RootCertStore::empty();
        roots.add(self.certificate.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let config = config.unwrap().with_root_certificates(roots).with_no_client_auth();
        let name = ServerName::try_from("127.0.0.1").unwrap();
        let connection = ClientConnection::new(Arc::new(config), name).unwrap();
        let mut stream = StreamOwned::new(connection, TcpStream::connect(("127.0.0.1", self.port)).unwrap());
        let mut request =
            format!("POST /hook HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| request.push_str(&format!("{name}: {value}\r\n")));
        request.push_str(&format!("\r\n{body}"));
        stream.write_all(request.as_bytes()).unwrap();
        let mut status = [0; "HTTP/1.1 200".len()];
        stream.read_exact(&mut status).unwrap();
        std::str::from_utf8(&status).unwrap().strip_prefix("HTTP/1.1 ").unwrap().parse().unwrap()
    }

    /// Posts a message signed with these secrets at this time.
    fn deliver(&self, secrets: &[&WebhookSecret], id: &str, timestamp: i64) -> u16 {
        self.deliver_body(secrets, id, timestamp, BODY)
    }

    fn deliver_body(&self, secrets: &[&WebhookSecret], id: &str, timestamp: i64, body: &str) -> u16 {
        let signatures = signature::header(secrets.iter().copied(), id, timestamp, body.as_bytes());
        let timestamp = timestamp.to_string();
        let headers =
            [("Webhook-Id", id), ("Webhook-Timestamp", &timestamp), ("Webhook-Signature", &signatures)];
        self.post(&headers, body)
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[expect(clippy::disallowed_methods, reason = "the script compares with this clock and takes no other")]
fn now() -> i64 {
    domain::Timestamp::now().as_second()
}

fn secret(byte: u8) -> WebhookSecret {
    WebhookSecret::new([byte; WebhookSecret::BYTES])
}

#[test]
fn messages_are_deduplicated_across_restarts() {
    let folder = tempfile::tempdir().unwrap();
    let mut receiver = Receiver::start(folder.path(), &[&secret(1)]);
    assert_eq!(receiver.deliver(&[&secret(1)], "first", now()), 200);
    assert_eq!(receiver.line(), "new first");
    assert_eq!(receiver.deliver(&[&secret(1)], "first", now() - 60), 200);
    assert_eq!(receiver.line(), "repeat first");
    drop(receiver);
    let mut receiver = Receiver::start(folder.path(), &[&secret(1)]);
    assert_eq!(receiver.deliver(&[&secret(1)], "first", now()), 200);
    assert_eq!(receiver.line(), "repeat first");
    assert_eq!(receiver.deliver(&[&secret(1)], "second", now()), 200);
    assert_eq!(receiver.line(), "new second");
}

#[test]
fn forged_messages_are_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let mut receiver = Receiver::start(folder.path(), &[&secret(1)]);
    assert_eq!(receiver.deliver(&[&secret(2)], "a", now()), 401);
    assert_eq!(receiver.deliver(&[&secret(1)], "a", now() - 3_600), 401);
    assert_eq!(receiver.deliver(&[&secret(1)], "a", now() + 3_600), 401);
    assert_eq!(receiver.post(&[], BODY), 401);
    let (at, good) = (now().to_string(), signature::sign(&secret(1), "a", now(), BODY.as_bytes()));
    let headers =
        |id, at, signature| [("webhook-id", id), ("webhook-timestamp", at), ("webhook-signature", signature)];
    assert_eq!(receiver.post(&headers("a", &at, &good), "{}"), 401);
    assert_eq!(receiver.post(&headers("b", &at, &good), BODY), 401);
    assert_eq!(receiver.post(&headers("a", "soon", &good), BODY), 401);
    assert_eq!(receiver.post(&headers("a", "²", &good), BODY), 401);
    assert_eq!(receiver.post(&headers("a", &at, "é"), BODY), 401);
    assert_eq!(receiver.post(&headers("", &at, &good), BODY), 401);
    // The first line it prints is about the first genuine message.
    assert_eq!(receiver.deliver(&[&secret(1)], "a", now()), 200);
    assert_eq!(receiver.line(), "new a");
}

/// A listing with ninety adverts of long texts resulted in a message of 5.9 MB.
#[test]
fn large_messages_are_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let mut receiver = Receiver::start(folder.path(), &[&secret(1)]);
    let body = format!("{{\"text\":\"{}\"}}", "x".repeat(8 << 20));
    assert_eq!(receiver.deliver_body(&[&secret(1)], "large", now(), &body), 200);
    assert_eq!(receiver.line(), "new large");
}

#[test]
fn both_secrets_are_valid_during_rotation() {
    let folder = tempfile::tempdir().unwrap();
    let mut receiver = Receiver::start(folder.path(), &[&secret(1)]);
    assert_eq!(receiver.deliver(&[&secret(2), &secret(1)], "a", now()), 200, "knows the old one");
    assert_eq!(receiver.line(), "new a");
    drop(receiver);
    let mut receiver = Receiver::start(folder.path(), &[&secret(2), &secret(1)]);
    for (signed, id) in [(secret(1), "b"), (secret(2), "c")] {
        assert_eq!(receiver.deliver(&[&signed], id, now()), 200, "knows both");
        assert_eq!(receiver.line(), format!("new {id}"));
    }
}
