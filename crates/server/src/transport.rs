//! Who carries messages out of the house: the sender of webhooks and that of emails, as they are configured.

use std::path::Path;

use app::dispatch::{EndpointRefused, Transport};
use async_trait::async_trait;
use delivery::mail::{self, Mail, MailTransport, Smtp};
use delivery::webhook::{self, Webhooks};
use delivery::{AttemptResult, Email, WebhookMessage};
use domain::{Endpoint, Fault, Outcome};

use crate::config::{Config, EmailTransport};

/// What receivers see of us.
const USER_AGENT: &str = concat!("Vigie/", env!("CARGO_PKG_VERSION"));

pub struct Outgoing {
    webhooks: Webhooks,
    mail: Option<Mail>,
}

impl Outgoing {
    pub fn new(config: &Config) -> anyhow::Result<Self> {
        Ok(Self { webhooks: webhooks_of(config)?, mail: mail_of(config)? })
    }
}

/// The sender of webhooks, or the setting that does not let it be.
pub fn webhooks_of(config: &Config) -> anyhow::Result<Webhooks> {
    let delivery = &config.delivery;
    let settings = webhook::Settings {
        source_address: delivery.source_address,
        extra_ca_pem: delivery.extra_ca_pem.clone(),
        addresses: delivery.addresses,
        success: delivery.success,
        dns: delivery.dns.clone(),
        deadlines: webhook::Deadlines::default(),
        keep_alive: webhook::KeepAlive::default(),
        user_agent: USER_AGENT.to_owned(),
    };
    Webhooks::new(settings).map_err(|error| {
        use webhook::SetupError::{Certificate, NoCertificate, Pem, Resolver, SourceAddress, Tls, UserAgent};
        let setting = match &error {
            Pem(_) | NoCertificate | Certificate(_) => Some(extra_ca_file(config)),
            SourceAddress { .. } => Some("delivery.source_address".to_owned()),
            Resolver(_) => Some("delivery.dns_servers".to_owned()),
            Tls(_) | UserAgent => None,
        };
        at(setting, "webhooks cannot be sent", error)
    })
}

/// The sender of emails if there is to be one, or the setting that does not let it be.
pub fn mail_of(config: &Config) -> anyhow::Result<Option<Mail>> {
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
    let made = Mail::new(mail::Settings { transport, from: email.from.clone(), deadlines });
    made.map(Some).map_err(|error| {
        use mail::SetupError::{ExtraCa, Folder, Host, PasswordInClear, Tls};
        let setting = match &error {
            Host => Some(format!("email.smtp_host = {:?}", email.smtp.host)),
            PasswordInClear => Some("email.smtp_security = \"none\" with email.smtp_user".to_owned()),
            ExtraCa => Some(extra_ca_file(config)),
            Folder { .. } => Some("email.folder".to_owned()),
            Tls(_) => None,
        };
        at(setting, "emails cannot be sent", error)
    })
}

fn extra_ca_file(config: &Config) -> String {
    let file = config.delivery.extra_ca_file.as_deref().unwrap_or(Path::new(""));
    format!("delivery.extra_ca_file = {:?}", file.display().to_string())
}

/// Names the setting where one is to blame: whoever reads it has a file of settings open, not this code.
fn at(setting: Option<String>, what: &str, error: impl Into<anyhow::Error>) -> anyhow::Error {
    let error = error.into().context(what.to_owned());
    match setting {
        Some(setting) => error.context(setting),
        None => error,
    }
}

#[async_trait]
impl Transport for Outgoing {
    async fn post(&self, post: &WebhookMessage) -> AttemptResult {
        self.webhooks.send(post).await
    }

    async fn email(&self, email: &Email) -> AttemptResult {
        match &self.mail {
            Some(mail) => mail.send(email).await,
            // Nobody asks for it who looked before.
            None => AttemptResult {
                outcome: Outcome::Failed(Fault::Connect),
                status: None,
                took: std::time::Duration::ZERO,
                excerpt: Vec::new(),
            },
        }
    }

    fn judge(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        match self.webhooks.check(endpoint) {
            Ok(host) => Ok(host.as_str().to_owned()),
            Err(refused) => Err(EndpointRefused(refused.to_string())),
        }
    }

    fn sends_email(&self) -> bool {
        self.mail.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn a_shutdown_covers_every_webhook_that_is_under_way_and_a_lease_every_attempt() {
        let config = Config::load(Sources::defaults()).unwrap();
        assert!(webhook::Deadlines::default().whole < config.limits.shutdown_timeout);
        // A mail server may take longer than anybody waits for a process to end; the email is then sent again as it was.
        assert!(mail::Deadlines::default().whole < store::LEASE);
    }

    #[test]
    fn a_setting_with_which_nothing_can_be_sent_is_named() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = folder.path().join("no-certificate.pem");
        std::fs::write(&file, "nothing of the kind\n").unwrap();
        let in_the_way = file.join("mail");
        let told = |settings: &str| {
            let config = Config::load(Sources::defaults().file("vigie.toml", settings)).unwrap();
            format!("{:#}", Outgoing::new(&config).err().unwrap())
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
            (format!("[email]\ntransport = \"folder\"\nfolder = {in_the_way:?}\n"), "email.folder: ".to_owned()),
        ] {
            let told = told(&settings);
            assert!(told.starts_with(&setting), "{told}");
        }
    }

    #[test]
    fn an_address_that_this_machine_does_not_have_is_named_at_the_start() {
        // One of those that are kept for documentation: nobody has it.
        let file = "[delivery]\nsource_address = \"192.0.2.77\"\n";
        let config = Config::load(Sources::defaults().file("vigie.toml", file)).unwrap();
        let error = format!("{:#}", Outgoing::new(&config).err().unwrap());
        assert!(error.contains("cannot send from the address 192.0.2.77"), "{error}");
    }
}
