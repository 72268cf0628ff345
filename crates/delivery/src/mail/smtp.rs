//! One email to one mail server: connect, make it safe, log in, hand it over.
//!
//! A connection that did its work is kept for a while and asked whether it still lives before it is used again. One on
//! which anything went wrong is not.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use domain::Fault;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;

use super::dialogue::{Answer, Dialogue, Reply, Subject, Trouble};
use super::email::Composed;
use super::{Deadlines, Login, Security, SetUpError, Smtp};

/// Letters are few; more would only be held open at the server's cost.
const IDLE_MAX: usize = 2;
/// Servers end idle connections after minutes; well before that it is we who do.
const IDLE_AGE_MAX: Duration = Duration::from_secs(30);

/// A connection, safe or not.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A mail server and how to speak to it.
pub struct Server {
    host: String,
    port: u16,
    security: Security,
    login: Option<Login>,
    tls: TlsConnector,
    name: ServerName<'static>,
    connect: Duration,
    idle: Mutex<Vec<Idle>>,
}

struct Idle {
    session: Session,
    since: Instant,
}

/// A conversation that has come as far as the first email.
struct Session {
    dialogue: Dialogue<Box<dyn Stream>>,
    extensions: Extensions,
}

/// What a server says it can do, as far as it matters here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Extensions {
    start_tls: bool,
    utf8_addresses: bool,
    login_plain: bool,
    login_login: bool,
}

impl Server {
    pub fn new(smtp: Smtp, deadlines: Deadlines) -> Result<Self, SetUpError> {
        let Smtp { host, port, security, login, extra_ca_pem } = smtp;
        if security == Security::None && login.is_some() {
            return Err(SetUpError::PasswordInClear);
        }
        let name = ServerName::try_from(host.clone()).map_err(|_| SetUpError::Host)?;
        let tls = TlsConnector::from(Arc::new(config(extra_ca_pem.as_deref())?));
        Ok(Self {
            host,
            port,
            security,
            login,
            tls,
            name,
            connect: deadlines.connect,
            idle: Mutex::default(),
        })
    }

    /// Hands a email over. A deadline over all of it is the caller's.
    pub async fn send(&self, from: &str, email: &Composed) -> Answer {
        let mut session = match self.kept(from, email).await {
            Some(announced) => announced?,
            None => {
                let mut session = self.connected().await?;
                session.announce(from, email).await?;
                session
            }
        };
        let reply = session.dialogue.email(&email.bytes).await?;
        self.keep(session);
        Ok(reply)
    }

    /// A connection from before that is ready to take the email. One that has had enough says so only when the next email is
    /// announced; nothing of it was handed over by then, so trying costs nothing.
    async fn kept(&self, from: &str, email: &Composed) -> Option<Result<Session, Trouble>> {
        loop {
            let Idle { mut session, since } = self.idle().pop()?;
            if since.elapsed() >= IDLE_AGE_MAX
                || session.dialogue.command("RSET", 2, Subject::Session).await.is_err()
            {
                continue;
            }
            match session.announce(from, email).await {
                Ok(()) => return Some(Ok(session)),
                Err(trouble) if trouble.ends_the_session() => {}
                Err(trouble) => return Some(Err(trouble)),
            }
        }
    }

    fn keep(&self, session: Session) {
        let mut idle = self.idle();
        idle.retain(|idle| idle.since.elapsed() < IDLE_AGE_MAX);
        if idle.len() < IDLE_MAX {
            idle.push(Idle { session, since: Instant::now() });
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<Idle>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connected(&self) -> Result<Session, Trouble> {
        let stream = self.reach().await?;
        let hello = hello(&stream);
        let mut session = match self.security {
            Security::Tls => Session::begin(Box::new(self.safe(stream).await?), &hello).await?,
            Security::None => Session::begin(Box::new(stream), &hello).await?,
            Security::StartTls => {
                let mut dialogue = Dialogue::new(stream);
                dialogue.answer(2, Subject::Session).await?;
                let reply = dialogue.command(&hello, 2, Subject::Session).await?;
                if !Extensions::of(&reply).start_tls {
                    return Err(Trouble { fault: Fault::Tls, reply: Some(reply) });
                }
                dialogue.command("STARTTLS", 2, Subject::Session).await?;
                let stream = self.safe(dialogue.into_stream()?).await?;
                Session::greeted(Dialogue::new(Box::new(stream)), &hello).await?
            }
        };
        if let Some(login) = &self.login {
            session.log_in(login).await?;
        }
        Ok(session)
    }

    /// The first of the server's addresses that answers.
    async fn reach(&self) -> Result<TcpStream, Trouble> {
        let addresses =
            tokio::net::lookup_host((self.host.as_str(), self.port)).await.map_err(|_| Fault::Dns)?;
        let mut fault = Fault::Dns;
        for address in addresses {
            fault = match timeout(self.connect, TcpStream::connect(address)).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(_)) => Fault::Connect,
                Err(_) => Fault::Timeout,
            };
        }
        Err(fault.into())
    }

    async fn safe(&self, stream: TcpStream) -> Result<tokio_rustls::client::TlsStream<TcpStream>, Trouble> {
        self.tls.connect(self.name.clone(), stream).await.map_err(|_| Fault::Tls.into())
    }
}

impl Session {
    async fn begin(stream: Box<dyn Stream>, hello: &str) -> Result<Self, Trouble> {
        let mut dialogue = Dialogue::new(stream);
        dialogue.answer(2, Subject::Session).await?;
        Self::greeted(dialogue, hello).await
    }

    async fn greeted(mut dialogue: Dialogue<Box<dyn Stream>>, hello: &str) -> Result<Self, Trouble> {
        let reply = dialogue.command(hello, 2, Subject::Session).await?;
        Ok(Self { dialogue, extensions: Extensions::of(&reply) })
    }

    async fn log_in(&mut self, login: &Login) -> Result<(), Trouble> {
        let Login { user, password } = login;
        if self.extensions.login_plain {
            let secret = STANDARD.encode(format!("\0{user}\0{password}"));
            self.dialogue.command(&format!("AUTH PLAIN {secret}"), 2, Subject::Session).await?;
        } else if self.extensions.login_login {
            self.dialogue.command("AUTH LOGIN", 3, Subject::Session).await?;
            self.dialogue.command(&STANDARD.encode(user), 3, Subject::Session).await?;
            self.dialogue.command(&STANDARD.encode(password), 2, Subject::Session).await?;
        } else {
            return Err(Fault::Protocol.into());
        }
        Ok(())
    }

    /// Says whom a email is from and to, up to where it follows.
    async fn announce(&mut self, from: &str, email: &Composed) -> Result<(), Trouble> {
        let utf8 = match from.is_ascii() && email.to.is_ascii() {
            true => "",
            false if self.extensions.utf8_addresses => " SMTPUTF8",
            // This server has no way to say such an address.
            false => return Err(Fault::Rejected.into()),
        };
        let dialogue = &mut self.dialogue;
        dialogue.command(&format!("MAIL FROM:<{from}>{utf8}"), 2, Subject::Email).await?;
        dialogue.command(&format!("RCPT TO:<{}>", email.to), 2, Subject::Email).await?;
        dialogue.command("DATA", 3, Subject::Email).await?;
        Ok(())
    }
}

impl Extensions {
    /// The first line greets; each of the others names an extension.
    fn of(reply: &Reply) -> Self {
        let mut extensions = Self::default();
        for line in reply.lines.iter().skip(1) {
            let line = line.to_ascii_uppercase();
            // Some servers of old wrote `AUTH=LOGIN`.
            let mut words = line.split([' ', '=']);
            match words.next() {
                Some("STARTTLS") => extensions.start_tls = true,
                Some("SMTPUTF8") => extensions.utf8_addresses = true,
                Some("AUTH") => words.for_each(|mechanism| {
                    extensions.login_plain |= mechanism == "PLAIN";
                    extensions.login_login |= mechanism == "LOGIN";
                }),
                _ => {}
            }
        }
        extensions
    }
}

/// Our name is not known to anybody, so we give our address, as RFC 5321 has it for such.
fn hello(stream: &TcpStream) -> String {
    match stream.local_addr().map(|address| address.ip()) {
        Ok(std::net::IpAddr::V6(ip)) => format!("EHLO [IPv6:{ip}]"),
        Ok(std::net::IpAddr::V4(ip)) => format!("EHLO [{ip}]"),
        Err(_) => "EHLO [127.0.0.1]".to_owned(),
    }
}

/// Trusts whom the machine trusts, and whom the operator adds.
fn config(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetUpError> {
    let mut roots = RootCertStore::empty();
    // A machine without any is no reason to stop: the operator's may be all that is needed.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in extra_ca_pem.into_iter().flat_map(CertificateDer::pem_slice_iter) {
        let certificate = certificate.map_err(|_| SetUpError::ExtraCa)?;
        roots.add(certificate).map_err(|_| SetUpError::ExtraCa)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(config.map_err(SetUpError::Tls)?.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_are_read_in_any_case_and_by_whole_words() {
        let of = |lines: &[&str]| {
            Extensions::of(&Reply { code: 250, lines: lines.iter().map(|line| line.to_string()).collect() })
        };
        let all =
            of(&["mail.example STARTTLS", "starttls", "8BITMIME", "SMTPUTF8", "AUTH LOGIN plain XOAUTH2"]);
        let expected =
            Extensions { start_tls: true, utf8_addresses: true, login_plain: true, login_login: true };
        assert_eq!(all, expected);
        assert_eq!(of(&["STARTTLS", "STARTTLSX", "XAUTH PLAIN", "AUTH PLAINER"]), Extensions::default());
        assert!(of(&["", "AUTH=LOGIN"]).login_login);
    }
}
