//! Letters: one attempt to bring one of them to a mail server.
//!
//! `email` writes what is sent, `smtp` and `dialogue` hand it over, `folder` keeps it instead where there is no server.
//! An attempt always ends within its deadline and always in an [`Exchange`]. When the answer to a email is lost, nobody knows
//! whether it was taken; it is sent again under the same `Message-ID`, by which mail programs show it once.

mod dialogue;
mod email;
mod folder;
mod mailbox;
mod smtp;
mod words;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use domain::{Fault, Outcome};
use tokio::time::{Instant, timeout};

use self::dialogue::Trouble;
use self::email::Composed;
use crate::{Email, Exchange};

pub use self::mailbox::{Mailbox, NotAMailbox};

/// How emails are sent.
#[derive(Debug, Clone)]
pub struct Settings {
    pub transport: MailTransport,
    pub from: Mailbox,
    pub deadlines: Deadlines,
}

#[derive(Debug, Clone)]
pub enum MailTransport {
    Smtp(Smtp),
    /// Written into this folder instead, each as a file.
    Folder(PathBuf),
}

/// A mail server.
#[derive(Debug, Clone)]
pub struct Smtp {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub login: Option<Login>,
    /// Whom to trust beside those the machine trusts.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// How a connection is made safe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// From the first byte; usually port 465.
    Tls,
    /// After a first exchange in the clear, or not at all; usually port 587.
    StartTls,
    /// Never: for a server on the same machine.
    None,
}

#[derive(Clone)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Login {
    /// Not the password: it would end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// How long an attempt may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// For a connection to one address of the server.
    pub connect: Duration,
    /// For everything together.
    pub whole: Duration,
}

impl Default for Deadlines {
    /// Mail servers look up senders and scan emails before they answer, so they are given more time than others: whoever gives up
    /// too early sends a email again that was taken. Not longer than a lease, though.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), whole: Duration::from_secs(50) }
    }
}

/// Why emails cannot be sent with these settings.
#[derive(Debug, thiserror::Error)]
pub enum SetUpError {
    #[error("the mail server's name is neither a name nor an address")]
    Host,
    #[error("a password would be sent in the clear: use TLS or STARTTLS, or no login")]
    PasswordInClear,
    #[error("the extra certificates are not certificates in PEM")]
    ExtraCa,
    #[error("TLS cannot be set up")]
    Tls(#[source] rustls::Error),
    #[error("the folder for emails, {}, cannot be made", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

/// Sends emails. Shared by everybody who does.
pub struct Mail {
    carrier: Carrier,
    from: Mailbox,
    deadlines: Deadlines,
}

enum Carrier {
    Server(Box<smtp::Server>),
    Folder(PathBuf),
}

impl Mail {
    pub fn new(settings: Settings) -> Result<Self, SetUpError> {
        let Settings { transport, from, deadlines } = settings;
        let carrier = match transport {
            MailTransport::Smtp(smtp) => Carrier::Server(Box::new(smtp::Server::new(smtp, deadlines)?)),
            MailTransport::Folder(path) => match folder::make(&path) {
                Ok(()) => Carrier::Folder(path),
                Err(source) => return Err(SetUpError::Folder { path, source }),
            },
        };
        Ok(Self { carrier, from, deadlines })
    }

    /// Makes one attempt.
    pub async fn send(&self, email: &Email) -> Exchange {
        let began = Instant::now();
        let composed = email::compose(email, &self.from);
        let attempt = timeout(self.deadlines.whole, self.attempt(email, &composed)).await;
        let (outcome, status, excerpt) = match attempt {
            Ok(Ended::Answered(reply)) => (Outcome::Delivered, Some(reply.code), reply.lines.join("\n")),
            Ok(Ended::Kept) => (Outcome::Delivered, None, String::new()),
            Ok(Ended::Failed(Trouble { fault, reply })) => {
                let status = reply.as_ref().map(|reply| reply.code);
                let said = reply.map(|reply| reply.lines.join("\n"));
                (Outcome::Failed(fault), status, said.unwrap_or_default())
            }
            Ok(Ended::NotKept(cause)) => (Outcome::Failed(Fault::Connect), None, cause.to_string()),
            Err(_) => (Outcome::Failed(Fault::Timeout), None, String::new()),
        };
        let mut excerpt = excerpt.into_bytes();
        excerpt.truncate(Exchange::EXCERPT_BYTES_MAX);
        Exchange { outcome, status, took: began.elapsed(), excerpt }
    }

    async fn attempt(&self, email: &Email, composed: &Composed) -> Ended {
        match &self.carrier {
            Carrier::Server(server) => match server.send(&self.from.ascii_address(), composed).await {
                Ok(reply) => Ended::Answered(reply),
                Err(trouble) => Ended::Failed(trouble),
            },
            Carrier::Folder(folder) => match folder::write(folder, email, &composed.bytes).await {
                Ok(()) => Ended::Kept,
                Err(cause) => Ended::NotKept(cause),
            },
        }
    }
}

/// How an attempt ended, if it did in time.
enum Ended {
    Answered(dialogue::Reply),
    Failed(Trouble),
    Kept,
    /// The folder could not be written to; the nearest to a server that cannot be reached.
    NotKept(io::Error),
}
