//! The SMTP client: connects, starts TLS, logs in and sends an e-mail.
//!
//! A session is kept open after a successful e-mail and checked with `RSET` before it is reused. A session with any
//! error is dropped.

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

use super::connection::{Connection, Reply, ReplyResult, Scope, SmtpError};
use super::email::ComposedEmail;
use super::{Deadlines, Login, Security, SetupError, Smtp};

/// Maximum number of idle sessions. E-mails are few; more would only burden the server.
const IDLE_MAX: usize = 2;
/// Maximum idle time. Servers close idle connections after minutes.
const IDLE_AGE_MAX: Duration = Duration::from_secs(30);

/// A plain or encrypted stream.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A mail server and how to reach it.
pub struct Server {
    host: String,
    port: u16,
    security: Security,
    login: Option<Login>,
    tls: TlsConnector,
    name: ServerName<'static>,
    connect: Duration,
    idle: Mutex<Vec<IdleSession>>,
}

struct IdleSession {
    session: Session,
    since: Instant,
}

/// A session that is ready for an e-mail.
struct Session {
    connection: Connection<Box<dyn Stream>>,
    extensions: Extensions,
}

/// The extensions of a server that matter here.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Extensions {
    start_tls: bool,
    utf8_addresses: bool,
    login_plain: bool,
    login_login: bool,
}

impl Server {
    pub fn new(smtp: Smtp, deadlines: Deadlines) -> Result<Self, SetupError> {
        let Smtp { host, port, security, login, extra_ca_pem } = smtp;
        if security == Security::None && login.is_some() {
            return Err(SetupError::PasswordInClear);
        }
        let name = ServerName::try_from(host.clone()).map_err(|_| SetupError::Host)?;
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

    /// Sends an e-mail. The deadline is the caller's.
    pub async fn send(&self, from: &str, email: &ComposedEmail) -> ReplyResult {
        let mut session = match self.reuse_session(from, email).await {
            Some(session) => session?,
            None => {
                let mut session = self.open_session().await?;
                session.send_envelope(from, email).await?;
                session
            }
        };
        let reply = session.connection.send_data(&email.bytes).await?;
        self.keep_idle(session);
        Ok(reply)
    }

    /// Reuses an idle session and sends the envelope. A server that no longer accepts e-mails on a session says so
    /// only at this point; nothing was sent yet, so another session can be tried.
    async fn reuse_session(&self, from: &str, email: &ComposedEmail) -> Option<Result<Session, SmtpError>> {
        loop {
            let IdleSession { mut session, since } = self.idle().pop()?;
            if since.elapsed() >= IDLE_AGE_MAX
                || session.connection.command("RSET", 2, Scope::Session).await.is_err()
            {
                continue;
            }
            match session.send_envelope(from, email).await {
                Ok(()) => return Some(Ok(session)),
                Err(error) if error.ends_session() => {}
                Err(error) => return Some(Err(error)),
            }
        }
    }

    fn keep_idle(&self, session: Session) {
        let mut idle = self.idle();
        idle.retain(|idle| idle.since.elapsed() < IDLE_AGE_MAX);
        if idle.len() < IDLE_MAX {
            idle.push(IdleSession { session, since: Instant::now() });
        }
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<IdleSession>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open_session(&self) -> Result<Session, SmtpError> {
        let stream = self.connect_tcp().await?;
        let hello = hello(&stream);
        let mut session = match self.security {
            Security::Tls => Session::greet(Box::new(self.start_tls(stream).await?), &hello).await?,
            Security::None => Session::greet(Box::new(stream), &hello).await?,
            Security::StartTls => {
                let mut connection = Connection::new(stream);
                connection.expect_reply(2, Scope::Session).await?;
                let reply = connection.command(&hello, 2, Scope::Session).await?;
                if !Extensions::of(&reply).start_tls {
                    return Err(SmtpError { fault: Fault::Tls, reply: Some(reply) });
                }
                connection.command("STARTTLS", 2, Scope::Session).await?;
                let stream = self.start_tls(connection.into_stream()?).await?;
                Session::ehlo(Connection::new(Box::new(stream)), &hello).await?
            }
        };
        if let Some(login) = &self.login {
            session.log_in(login).await?;
        }
        Ok(session)
    }

    /// Connects to the first address of the server that responds.
    async fn connect_tcp(&self) -> Result<TcpStream, SmtpError> {
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

    async fn start_tls(
        &self,
        stream: TcpStream,
    ) -> Result<tokio_rustls::client::TlsStream<TcpStream>, SmtpError> {
        self.tls.connect(self.name.clone(), stream).await.map_err(|_| Fault::Tls.into())
    }
}

impl Session {
    async fn greet(stream: Box<dyn Stream>, hello: &str) -> Result<Self, SmtpError> {
        let mut connection = Connection::new(stream);
        connection.expect_reply(2, Scope::Session).await?;
        Self::ehlo(connection, hello).await
    }

    async fn ehlo(mut connection: Connection<Box<dyn Stream>>, hello: &str) -> Result<Self, SmtpError> {
        let reply = connection.command(hello, 2, Scope::Session).await?;
        Ok(Self { connection, extensions: Extensions::of(&reply) })
    }

    async fn log_in(&mut self, login: &Login) -> Result<(), SmtpError> {
        let Login { user, password } = login;
        if self.extensions.login_plain {
            let secret = STANDARD.encode(format!("\0{user}\0{password}"));
            self.connection.command(&format!("AUTH PLAIN {secret}"), 2, Scope::Session).await?;
        } else if self.extensions.login_login {
            self.connection.command("AUTH LOGIN", 3, Scope::Session).await?;
            self.connection.command(&STANDARD.encode(user), 3, Scope::Session).await?;
            self.connection.command(&STANDARD.encode(password), 2, Scope::Session).await?;
        } else {
            return Err(Fault::Protocol.into());
        }
        Ok(())
    }

    /// Sends sender and recipient, up to the start of the content.
    async fn send_envelope(&mut self, from: &str, email: &ComposedEmail) -> Result<(), SmtpError> {
        let utf8 = match from.is_ascii() && email.to.is_ascii() {
            true => "",
            false if self.extensions.utf8_addresses => " SMTPUTF8",
            // The server does not support non-ASCII addresses.
            false => return Err(Fault::Rejected.into()),
        };
        let connection = &mut self.connection;
        connection.command(&format!("MAIL FROM:<{from}>{utf8}"), 2, Scope::Email).await?;
        connection.command(&format!("RCPT TO:<{}>", email.to), 2, Scope::Email).await?;
        connection.command("DATA", 3, Scope::Email).await?;
        Ok(())
    }
}

impl Extensions {
    /// The first line is a greeting; each of the others names an extension.
    fn of(reply: &Reply) -> Self {
        let mut extensions = Self::default();
        for line in reply.lines.iter().skip(1) {
            let line = line.to_ascii_uppercase();
            // Some old servers write `AUTH=LOGIN`.
            let mut parts = line.split([' ', '=']);
            match parts.next() {
                Some("STARTTLS") => extensions.start_tls = true,
                Some("SMTPUTF8") => extensions.utf8_addresses = true,
                Some("AUTH") => parts.for_each(|mechanism| {
                    extensions.login_plain |= mechanism == "PLAIN";
                    extensions.login_login |= mechanism == "LOGIN";
                }),
                _ => {}
            }
        }
        extensions
    }
}

/// Greets with the IP address, as RFC 5321 specifies for clients without a host name.
fn hello(stream: &TcpStream) -> String {
    match stream.local_addr().map(|address| address.ip()) {
        Ok(std::net::IpAddr::V6(ip)) => format!("EHLO [IPv6:{ip}]"),
        Ok(std::net::IpAddr::V4(ip)) => format!("EHLO [{ip}]"),
        Err(_) => "EHLO [127.0.0.1]".to_owned(),
    }
}

/// Trusts the CA certificates of the system and the additional ones.
fn config(extra_ca_pem: Option<&[u8]>) -> Result<ClientConfig, SetupError> {
    let mut roots = RootCertStore::empty();
    // A system without any is not an error: the additional ones may be sufficient.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    for certificate in extra_ca_pem.into_iter().flat_map(CertificateDer::pem_slice_iter) {
        let certificate = certificate.map_err(|_| SetupError::ExtraCa)?;
        roots.add(certificate).map_err(|_| SetupError::ExtraCa)?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    Ok(config.map_err(SetupError::Tls)?.with_root_certificates(roots).with_no_client_auth())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_parse_case_insensitively() {
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
