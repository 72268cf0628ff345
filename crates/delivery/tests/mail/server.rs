//! Connects the sender to the mail server of the test kit.

use std::ops::Deref;

use delivery::mail::{Login, Security, Smtp};
use testkit::mail_server::{self, AuthMode, HOST, MailServer, MailServerConfig, PASSWORD, USER};

/// A server and its configuration.
pub struct Server {
    config: MailServerConfig,
    server: MailServer,
}

impl Server {
    pub fn start(config: MailServerConfig) -> Self {
        Self { config, server: MailServer::start(config) }
    }

    /// Returns the settings to reach and trust it.
    pub fn smtp(&self) -> Smtp {
        let login = Login { user: USER.to_owned(), password: PASSWORD.to_owned() };
        Smtp {
            host: HOST.to_owned(),
            port: self.port,
            security: convert_security(self.config.security),
            login: (self.config.login != AuthMode::None).then_some(login),
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
pub fn convert_security(security: mail_server::Security) -> Security {
    match security {
        mail_server::Security::Tls => Security::Tls,
        mail_server::Security::StartTls => Security::StartTls,
        mail_server::Security::None => Security::None,
    }
}
