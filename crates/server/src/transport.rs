//! The configured transport: sends webhooks and e-mails.

use std::path::Path;

use app::dispatch::{EndpointRefused, Transport};
use async_trait::async_trait;
use delivery::mail::{self, Mail, MailTransport, Smtp};
use delivery::webhook::{self, Picture, PictureError, Webhooks};
use delivery::{AttemptResult, ConfirmationEmail, Email, Reach, WebhookMessage};
use domain::{Endpoint, Fault, Outcome, PhaseTimings};

use crate::config::{Config, EmailTransport};

/// The `User-Agent` that receivers see.
pub const USER_AGENT: &str = concat!("Vigie/", env!("CARGO_PKG_VERSION"));

pub struct ConfiguredTransport {
    webhooks: Webhooks,
    mail: Option<Mail>,
}

impl ConfiguredTransport {
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        Ok(Self { webhooks: webhook_sender(config)?, mail: mail_sender(config)? })
    }
}

/// Builds the webhook sender. An error names the setting that causes it.
pub fn webhook_sender(config: &Config) -> anyhow::Result<Webhooks> {
    let delivery = &config.delivery;
    let settings = webhook::Settings {
        source_address: delivery.source_address,
        extra_ca_pem: delivery.extra_ca_pem.clone(),
        addresses: delivery.addresses,
        ports: delivery.ports.clone(),
        ip_literals: delivery.ip_literals,
        interfaces: webhook::Interfaces::System,
        success: delivery.success,
        dns: delivery.dns.clone(),
        deadlines: webhook::Deadlines::default(),
        keep_alive: webhook::KeepAlive::default(),
        user_agent: USER_AGENT.to_owned(),
    };
    Webhooks::new(settings).map_err(|error| {
        use webhook::SetupError::{
            Certificate, Interfaces, NoCertificate, Pem, Resolver, SourceAddress, Tls, UserAgent,
        };
        let setting = match &error {
            Pem(_) | NoCertificate | Certificate(_) => Some(extra_ca_file(config)),
            SourceAddress { .. } => Some("delivery.source_address".to_owned()),
            Resolver(_) => Some("delivery.dns_servers".to_owned()),
            Tls(_) | UserAgent | Interfaces(_) => None,
        };
        at(setting, "cannot set up webhooks", error)
    })
}

/// Builds the mail sender, if e-mail is on. An error names the setting that causes it.
pub fn mail_sender(config: &Config) -> anyhow::Result<Option<Mail>> {
    let email = &config.email;
    let transport = match email.transport {
        EmailTransport::Off => return Ok(None),
        EmailTransport::Folder => MailTransport::Folder(email.folder.clone()),
        EmailTransport::Smtp => MailTransport::Smtp(Smtp {
            host: email.smtp.host.clone(),
            port: email.smtp.port,
            security: email.smtp.security,
            login: email.smtp.login.clone(),
            extra_ca_pem: config.delivery.extra_ca_pem.clone(),
        }),
    };
    let deadlines = mail::Deadlines::default();
    let mail = Mail::new(mail::Settings { transport, from: email.from.clone(), deadlines });
    mail.map(Some).map_err(|error| {
        use mail::SetupError::{ExtraCa, Folder, Host, PasswordInClear, Tls};
        let setting = match &error {
            Host => Some(format!("email.smtp_host = {:?}", email.smtp.host)),
            PasswordInClear => Some("email.smtp_security = \"none\" with email.smtp_user".to_owned()),
            ExtraCa => Some(extra_ca_file(config)),
            Folder { .. } => Some("email.folder".to_owned()),
            Tls(_) => None,
        };
        at(setting, "cannot set up e-mail", error)
    })
}

fn extra_ca_file(config: &Config) -> String {
    let file = config.delivery.extra_ca_file.as_deref().unwrap_or(Path::new(""));
    format!("delivery.extra_ca_file = {:?}", file.display().to_string())
}

/// Names the setting that causes the error, if there is one: the reader has the configuration file open, not this code.
fn at(setting: Option<String>, what: &str, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into().context(what.to_owned());
    match setting {
        Some(setting) => error.context(setting),
        None => error,
    }
}

#[async_trait]
impl Transport for ConfiguredTransport {
    async fn send_webhook(&self, message: &WebhookMessage) -> AttemptResult {
        self.webhooks.send(message).await
    }

    async fn send_email(&self, email: &Email) -> AttemptResult {
        match &self.mail {
            Some(mail) => mail.send(email).await,
            // Callers check `sends_email` first.
            None => not_connected(),
        }
    }

    async fn send_confirmation(&self, email: &ConfirmationEmail) -> AttemptResult {
        match &self.mail {
            Some(mail) => mail.send_confirmation(email).await,
            None => not_connected(),
        }
    }

    fn check_endpoint(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        match self.webhooks.check(endpoint) {
            Ok(host) => Ok(host.as_str().to_owned()),
            Err(refused) => Err(EndpointRefused(refused.to_string())),
        }
    }

    fn sends_email(&self) -> bool {
        self.mail.is_some()
    }

    async fn fetch_picture(&self, address: &Endpoint) -> Result<Picture, PictureError> {
        self.webhooks.fetch_picture(address).await
    }
}

fn not_connected() -> AttemptResult {
    AttemptResult {
        outcome: Outcome::Failed(Fault::Connect),
        status: None,
        took: std::time::Duration::ZERO,
        excerpt: Vec::new(),
        headers: Vec::new(),
        timings: PhaseTimings::default(),
        certificate: None,
        reach: Reach::NotConnected,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn deadlines_fit_into_the_shutdown_timeout_and_the_lease() {
        let config = Config::load(Sources::defaults()).unwrap();
        assert!(webhook::Deadlines::default().total < config.limits.shutdown_timeout);
        // A mail server may take longer than the shutdown timeout; the same e-mail is then sent again.
        assert!(mail::Deadlines::default().total < store::LEASE);
    }

    #[test]
    fn setup_errors_name_the_setting() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("no-certificate.pem");
        std::fs::write(&file, "not a certificate\n").unwrap();
        let blocked = file.join("mail");
        let error = |settings: &str| {
            let config = Config::load(Sources::defaults().file("vigie.toml", settings)).unwrap();
            format!("{:#}", ConfiguredTransport::new(&config).err().unwrap())
        };
        for (settings, setting) in [
            (
                format!("[delivery]\nextra_ca_file = {file:?}\n"),
                format!("delivery.extra_ca_file = {file:?}: "),
            ),
            ("[delivery]\nsource_address = \"192.0.2.77\"\n".to_owned(), "delivery.source_address: ".to_owned()),
            (
                "[email]\ntransport = \"smtp\"\nsmtp_host = \"not a name\"\n".to_owned(),
                "email.smtp_host = \"not a name\": ".to_owned(),
            ),
            (
                "[email]\ntransport = \"smtp\"\nsmtp_security = \"none\"\nsmtp_user = \"a\"\nsmtp_password = \"b\"\n"
                    .to_owned(),
                "email.smtp_security = \"none\" with email.smtp_user: ".to_owned(),
            ),
            (format!("[email]\ntransport = \"folder\"\nfolder = {blocked:?}\n"), "email.folder: ".to_owned()),
        ] {
            let error = error(&settings);
            assert!(error.starts_with(&setting), "{error}");
        }
    }

    #[test]
    fn a_foreign_source_address_is_a_setup_error() {
        // From a range that is reserved for documentation: no machine has it.
        let file = "[delivery]\nsource_address = \"192.0.2.77\"\n";
        let config = Config::load(Sources::defaults().file("vigie.toml", file)).unwrap();
        let error = format!("{:#}", ConfiguredTransport::new(&config).err().unwrap());
        assert!(error.contains("cannot bind to the source address 192.0.2.77"), "{error}");
    }
}
