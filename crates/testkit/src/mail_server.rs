//! A mail server process that others wrote (aiosmtpd), and a mail program's parser for what it has taken.
//!
//! It does as its recipients' names say: `peers/smtp_server.py` lists them.

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

/// Where it listens: 127.0.0.1, which its certificate is for.
pub const HOST: &str = "127.0.0.1";
pub const USER: &str = "vigie";
pub const PASSWORD: &str = "mot de passe é";

/// How long a test waits for a email that must come, before it fails. Generous: machines are sometimes very busy.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// How the server is to be.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub security: Security,
    pub login: LoginNeeded,
    pub addresses: Addresses,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    Tls,
    StartTls,
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LoginNeeded {
    No,
    /// Offers both ways.
    Yes,
    /// Offers only the older way, in which user and password are asked for.
    Asked,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    Ascii,
    Utf8,
}

impl Kind {
    pub const fn plain() -> Self {
        Self { security: Security::None, login: LoginNeeded::No, addresses: Addresses::Utf8 }
    }

    pub const fn safe(security: Security, login: LoginNeeded) -> Self {
        Self { security, login, addresses: Addresses::Utf8 }
    }
}

/// A running server; ends with the value.
pub struct MailServer {
    child: Child,
    emails: Receiver<Value>,
    pub port: u16,
    /// Who signed its certificate.
    pub authority_pem: String,
    _folder: TempDir,
}

/// A email as the server took it, and from whom.
#[derive(Debug)]
pub struct ReceivedEmail {
    pub from: String,
    pub to: Vec<String>,
    pub bytes: Vec<u8>,
    /// Whether it came over TLS.
    pub safe: bool,
    /// Who had logged in.
    pub user: Option<String>,
    /// The port of the other side.
    pub peer: u64,
}

impl MailServer {
    pub fn start(kind: Kind) -> Self {
        let folder = TempDir::new().expect("there is room for a folder");
        let (certificate, key) = (folder.path().join("certificate.pem"), folder.path().join("key.pem"));
        let (authority_pem, certificate_pem, key_pem) = certificates();
        std::fs::write(&certificate, certificate_pem).expect("the folder is ours");
        std::fs::write(&key, key_pem).expect("the folder is ours");
        let settings = json!({
            "security": match kind.security {
                Security::Tls => "tls",
                Security::StartTls => "starttls",
                Security::None => "none",
            },
            "login": (kind.login != LoginNeeded::No).then(|| json!({"user": USER, "password": PASSWORD})),
            "without": if kind.login == LoginNeeded::Asked { vec!["PLAIN"] } else { Vec::new() },
            "utf8": kind.addresses == Addresses::Utf8,
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
            .expect("Python can be started");
        let mut lines = BufReader::new(child.stdout.take().expect("it was asked for")).lines();
        let port = lines.next().and_then(Result::ok).and_then(|line| line.parse().ok());
        let port = port.expect("the server prints its port first");
        // Read all the time: a server that cannot say what it took does not answer.
        let (sender, emails) = mpsc::channel();
        std::thread::spawn(move || {
            let mut emails = lines.map_while(|line| serde_json::from_str(&line.ok()?).ok());
            emails.try_for_each(|email| sender.send(email))
        });
        Self { child, emails, port, authority_pem, _folder: folder }
    }

    /// The next email it took. It says so before it answers whoever sent it.
    pub fn next_email(&self) -> ReceivedEmail {
        parse_received(&self.emails.recv_timeout(WAIT_MAX).expect("a email comes before patience ends"))
    }

    /// The next email it took, if it has.
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
            safe: email["safe"].as_bool()?,
            user: text(&email["user"]),
            peer: email["peer"].as_u64()?,
        })
    };
    read().unwrap_or_else(|| panic!("the server says everything of a email: {email}"))
}

/// A email as a mail program reads it: headers, both parts, what is wrong with it. `peers/read_emails.py` lists the keys.
pub fn parse_email(email: &[u8]) -> Value {
    let file = tempfile::NamedTempFile::new().expect("there is room for a file");
    std::fs::write(file.path(), email).expect("the file is ours");
    parse_files([file.path()]).pop().expect("there is an answer for each file")
}

/// The same for files, in their order.
pub fn parse_files<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Vec<Value> {
    let paths: String = paths.into_iter().map(|path| format!("{}\n", path.display())).collect();
    let read = python::run(&python::plain(), &peer("read_emails.py"), &paths);
    read.lines().map(|line| serde_json::from_str(line).expect("the script prints JSON")).collect()
}

fn peer(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("peers").join(name)
}

/// An authority, and a certificate of its for loopback, with its key.
fn certificates() -> (String, String, String) {
    let mut authority = CertificateParams::default();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let key = || KeyPair::generate().expect("there is randomness");
    let authority = CertifiedIssuer::self_signed(authority, key()).expect("it can sign for itself");
    let own = key();
    let names = CertificateParams::new(vec![HOST.to_owned()]).expect("it is a name");
    let certificate = names.signed_by(&own, &authority).expect("it can sign");
    (authority.pem(), certificate.pem(), own.serialize_pem())
}
