//! E-mail: makes one attempt to hand one e-mail to a mail server.
//!
//! In reading order: `email` composes the message, `format` sanitises texts and formats numbers in French,
//! `mailbox` parses the sender, `smtp` and `connection` speak SMTP, `folder` writes e-mails to files instead.
//!
//! An attempt always ends within its deadline and returns an [`AttemptResult`]. If the final reply is lost, it is
//! unknown whether the server accepted the e-mail. It is then sent again under the same `Message-ID`, and mail
//! programs show it once.

mod confirmation;
mod connection;
mod email;
mod folder;
mod format;
mod mailbox;
mod smtp;

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use domain::{Fault, Outcome, PhaseTimings};
use tokio::time::{Instant, timeout};

use self::connection::SmtpError;
use self::email::ComposedEmail;
use crate::{AttemptResult, ConfirmationEmail, Email, Reach};

pub use self::mailbox::{Mailbox, MailboxError};

/// Settings of the mail sender.
#[derive(Debug, Clone)]
pub struct Settings {
    pub transport: MailTransport,
    pub from: Mailbox,
    pub deadlines: Deadlines,
}

#[derive(Debug, Clone)]
pub enum MailTransport {
    Smtp(Smtp),
    /// Writes each e-mail to a file in this folder.
    Folder(PathBuf),
}

/// A mail server.
#[derive(Debug, Clone)]
pub struct Smtp {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub login: Option<Login>,
    /// CA certificates trusted in addition to those of the system.
    pub extra_ca_pem: Option<Vec<u8>>,
}

/// How a connection is encrypted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Security {
    /// TLS from the first byte; usually port 465.
    Tls,
    /// STARTTLS is required; usually port 587.
    StartTls,
    /// No encryption: for a server on the same machine.
    None,
}

#[derive(Clone)]
pub struct Login {
    pub user: String,
    pub password: String,
}

impl fmt::Debug for Login {
    /// Leaves out the password, so that it cannot end up in logs.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("user", &self.user).finish_non_exhaustive()
    }
}

/// Time limits of an attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deadlines {
    /// To connect to one address of the server.
    pub connect: Duration,
    /// For the whole attempt.
    pub total: Duration,
}

impl Default for Deadlines {
    /// Mail servers run checks and scan e-mails before they reply, so they get more time than webhook receivers:
    /// giving up early sends an accepted e-mail twice. Shorter than a lease.
    fn default() -> Self {
        Self { connect: Duration::from_secs(5), total: Duration::from_secs(50) }
    }
}

/// Invalid settings.
#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the mail server is not a valid host name or IP address")]
    Host,
    #[error("the password would be sent unencrypted: use TLS or STARTTLS, or remove the login")]
    PasswordInClear,
    #[error("the additional CA certificates are not valid PEM")]
    ExtraCa,
    #[error("failed to set up TLS")]
    Tls(#[source] rustls::Error),
    #[error("failed to create the e-mail folder {}", path.display())]
    Folder { path: PathBuf, source: io::Error },
}

/// Sends e-mails. Shared by all senders.
pub struct Mail {
    backend: Backend,
    from: Mailbox,
    deadlines: Deadlines,
}

enum Backend {
    Smtp(Box<smtp::Server>),
    Folder(PathBuf),
}

impl Mail {
    pub fn new(settings: Settings) -> Result<Self, SetupError> {
        let Settings { transport, from, deadlines } = settings;
        let backend = match transport {
            MailTransport::Smtp(smtp) => Backend::Smtp(Box::new(smtp::Server::new(smtp, deadlines)?)),
            MailTransport::Folder(path) => match folder::create(&path) {
                Ok(()) => Backend::Folder(path),
                Err(source) => return Err(SetupError::Folder { path, source }),
            },
        };
        Ok(Self { backend, from, deadlines })
    }

    /// Makes one attempt.
    pub async fn send(&self, email: &Email) -> AttemptResult {
        self.send_composed(&email::compose(email, &self.from)).await
    }

    /// Makes one attempt to ask a recipient.
    pub async fn send_confirmation(&self, email: &ConfirmationEmail) -> AttemptResult {
        self.send_composed(&confirmation::compose(email, &self.from)).await
    }

    async fn send_composed(&self, composed: &ComposedEmail) -> AttemptResult {
        let started = Instant::now();
        let attempt = timeout(self.deadlines.total, self.attempt(composed)).await;
        let (outcome, status, excerpt) = match attempt {
            Ok(AttemptEnd::Accepted(reply)) => (Outcome::Delivered, Some(reply.code), reply.lines.join("\n")),
            Ok(AttemptEnd::Written) => (Outcome::Delivered, None, String::new()),
            Ok(AttemptEnd::Failed(SmtpError { fault, reply })) => {
                let status = reply.as_ref().map(|reply| reply.code);
                let content = reply.map(|reply| reply.lines.join("\n"));
                (Outcome::Failed(fault), status, content.unwrap_or_default())
            }
            Ok(AttemptEnd::NotWritten(error)) => (Outcome::Failed(Fault::Connect), None, error.to_string()),
            Err(_) => (Outcome::Failed(Fault::Timeout), None, String::new()),
        };
        let mut excerpt = excerpt.into_bytes();
        excerpt.truncate(AttemptResult::EXCERPT_BYTES_MAX);
        // The mail server belongs to the operator, who finds the reason in the log.
        let (certificate, reach) = (None, Reach::Connected);
        let (headers, timings) = (Vec::new(), PhaseTimings::default());
        AttemptResult {
            outcome,
            status,
            took: started.elapsed(),
            excerpt,
            headers,
            timings,
            certificate,
            reach,
        }
    }

    async fn attempt(&self, composed: &ComposedEmail) -> AttemptEnd {
        match &self.backend {
            Backend::Smtp(server) => match server.send(&self.from.ascii_address(), composed).await {
                Ok(reply) => AttemptEnd::Accepted(reply),
                Err(error) => AttemptEnd::Failed(error),
            },
            Backend::Folder(folder) => match folder::write(folder, composed).await {
                Ok(()) => AttemptEnd::Written,
                Err(error) => AttemptEnd::NotWritten(error),
            },
        }
    }
}

/// How an attempt ended within its deadline.
enum AttemptEnd {
    Accepted(connection::Reply),
    Failed(SmtpError),
    Written,
    /// Writing to the folder failed; reported like an unreachable server.
    NotWritten(io::Error),
}
