//! A third-party mail server process (aiosmtpd), and a parser for the e-mails it received.
//!
//! The recipient's name selects its behaviour; `peers/smtp_server.py` lists the names.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::python;

/// It listens on 127.0.0.1, which its certificate is for.
pub const HOST: &str = "127.0.0.1";
pub const USER: &str = "vigie";
pub const PASSWORD: &str = "mot de passe é";

/// How long a test waits for an e-mail. Generous, because machines may be very busy.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// Configuration of the server.
#[derive(Debug, Clone, Copy)]
pub struct MailServerConfig {
    pub security: Security,
    pub login: AuthMode,
    pub addresses: Addresses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    Tls,
    StartTls,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMode {
    None,
    /// Offers PLAIN and LOGIN.
    Any,
    /// Offers only LOGIN, the older mechanism.
    LoginOnly,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    Ascii,
    Utf8,
}

impl MailServerConfig {
    pub const fn plain() -> Self {
        Self { security: Security::None, login: AuthMode::None, addresses: Addresses::Utf8 }
    }

    pub const fn new(security: Security, login: AuthMode) -> Self {
        Self { security, login, addresses: Addresses::Utf8 }
    }
}

/// A running server, killed on drop.
pub struct MailServer {
    child: Child,
    emails: Receiver<Value>,
    pub port: u16,
    /// The CA of its certificate.
    pub authority_pem: String,
    _folder: TempDir,
}

/// A received e-mail and its envelope.
#[derive(Debug)]
pub struct ReceivedEmail {
    pub from: String,
    pub to: Vec<String>,
    pub bytes: Vec<u8>,
    /// Whether it arrived over TLS.
    pub encrypted: bool,
    /// The authenticated user.
    pub user: Option<String>,
    /// The client's port.
    pub peer: u64,
}

impl MailServer {
    pub fn start(config: MailServerConfig) -> Self {
        let folder = TempDir::new().expect("a temporary folder");
        let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
        let (authority_pem, certificate_pem, key_pem) = certificates();
        std::fs::write(&certificate, certificate_pem).expect("the folder is writable");
        std::fs::write(&key, key_pem).expect("the folder is writable");
        let settings = json!({
            "security": match config.security {
                Security::Tls => "tls",
                Security::StartTls => "starttls",
                Security::None => "none",
            },
            "login": (config.login != AuthMode::None).then(|| json!({"user": USER, "password": PASSWORD})),
            "without": if config.login == AuthMode::LoginOnly { vec!["PLAIN"] } else { Vec::new() },
            "utf8": config.addresses == Addresses::Utf8,
            "certificate": certificate,
            "key": key,
        });
        let mut child = Command::new(python::with(&["aiosmtpd==1.4.6"]))
            .arg(peer("smtp_server.py"))
            .arg(settings.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("Python starts");
        let mut lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let port = lines.next().and_then(Result::ok).and_then(|line| line.parse().ok());
        let port = port.expect("the server prints its port first");
        // Read continuously: the server blocks if its output is not read.
        let (sender, emails) = mpsc::channel();
        std::thread::spawn(move || {
            let mut emails = lines.map_while(|line| serde_json::from_str(&line.ok()?).ok());
            emails.try_for_each(|email| sender.send(email))
        });
        Self { child, emails, port, authority_pem, _folder: folder }
    }

    /// Waits for the next received e-mail. The server reports it before it replies to the sender.
    pub fn next_email(&self) -> ReceivedEmail {
        parse_received(&self.emails.recv_timeout(WAIT_MAX).expect("an e-mail arrives in time"))
    }

    /// Returns the next received e-mail, if there is one.
    pub fn try_next_email(&self) -> Option<ReceivedEmail> {
        self.emails.try_recv().ok().map(|email| parse_received(&email))
    }
}

impl Drop for MailServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn parse_received(email: &Value) -> ReceivedEmail {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let read = || {
        Some(ReceivedEmail {
            from: text(&email["from"])?,
            to: email["to"].as_array()?.iter().filter_map(text).collect(),
            bytes: STANDARD.decode(email["bytes"].as_str()?).ok()?,
            encrypted: email["encrypted"].as_bool()?,
            user: text(&email["user"]),
            peer: email["peer"].as_u64()?,
        })
    };
    read().unwrap_or_else(|| panic!("incomplete report of an e-mail: {email}"))
}

/// Parses an e-mail as a mail program does: headers, both parts, defects. `peers/read_emails.py` lists the keys.
pub fn parse_email(email: &[u8]) -> Value {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), email).expect("the file is writable");
    parse_files([file.path()]).pop().expect("one result per file")
}

/// Parses several files, in order.
pub fn parse_files<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<Value> {
    let paths: String = paths.into_iter().map(|path| format!("{}\n", path.display())).collect();
    let read = python::run(&python::plain(), &peer("read_emails.py"), &paths);
    read.lines().map(|line| serde_json::from_str(line).expect("the script prints JSON")).collect()
}

fn peer(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// Creates a CA and a certificate for loopback with its key.
fn certificates() -> (String, String, String) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = || KeyPair::generate().expect("random bytes are available");
    let authority = CertifiedIssuer::self_signed(authority, key()).expect("a self-signed CA");
    let own = key();
    let names = CertificateParams::new(vec![HOST.to_owned()]).expect("a valid name");
    let certificate = names.signed_by(&own, &authority).expect("a signed certificate");
    (authority.pem(), certificate.pem(), own.serialize_pem())
}
