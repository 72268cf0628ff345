//! Connects the sender to the mail server of the test kit.

use std::ops::Deref;

use delivery::mail::{Login, Security, Smtp};
use testkit::mail_server::{self, HOST, Kind, LoginNeeded, MailServer, PASSWORD, USER};

/// A server and its configuration.
pub struct Server {
    kind: Kind,
    server: MailServer,
}

impl Server {
    pub fn start(kind: Kind) -> Self {
        Self { kind, server: MailServer::start(kind) }
    }

    /// Returns the settings to reach and trust it.
    pub fn smtp(&self) -> Smtp {
        let login = Login { user: USER.to_owned(), password: PASSWORD.to_owned() };
        Smtp {
            host: HOST.to_owned(),
            port: self.port,
            security: ours(self.kind.security),
            login: (self.kind.login != LoginNeeded::No).then_some(login),
            extra_ca_pem: Some(self.authority_pem.clone().into_bytes()),
        }
    }
}

impl Deref for Server {
    type Target = MailServer;

    fn deref(&self) -> &MailServer {
        &self.server
    }
}

/// Converts the security setting.
pub fn ours(security: mail_server::Security) -> Security {
    match security {
        mail_server::Security::Tls => Security::Tls,
        mail_server::Security::StartTls => Security::StartTls,
        mail_server::Security::None => Security::None,
    }
}
