//! Who carries messages out of the house: the sender of webhooks and that of letters, as they are configured.

use anyhow::Context;
use app::dispatch::{Carrier, EndpointRefused};
use async_trait::async_trait;
use delivery::mail::{self, Mail, Smtp, Transport};
use delivery::webhook::{self, Webhooks};
use delivery::{Exchange, Letter, Post};
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
        let delivery = &config.delivery;
        let webhooks = Webhooks::new(webhook::Settings {
            source_address: delivery.source_address,
            extra_ca_pem: delivery.extra_ca_pem.clone(),
            addresses: delivery.addresses,
            success: delivery.success,
            dns: delivery.dns.clone(),
            deadlines: webhook::Deadlines::default(),
            reuse: webhook::Reuse::default(),
            user_agent: USER_AGENT.to_owned(),
        })
        .context("webhooks cannot be sent")?;
        Ok(Self { webhooks, mail: mail_of(config).context("letters cannot be sent")? })
    }
}

fn mail_of(config: &Config) -> Result<Option<Mail>, mail::SetUpError> {
    let email = &config.email;
    let transport = match email.transport {
        EmailTransport::Off => return Ok(None),
        EmailTransport::Folder => Transport::Folder(email.folder.clone()),
        EmailTransport::Smtp => Transport::Smtp(Smtp {
            host: email.smtp.host.clone(),
            port: email.smtp.port,
            security: email.smtp.security,
            login: email.smtp.login.clone(),
            extra_ca_pem: config.delivery.extra_ca_pem.clone(),
        }),
    };
    let deadlines = mail::Deadlines::default();
    Mail::new(mail::Settings { transport, from: email.from.clone(), deadlines }).map(Some)
}

#[async_trait]
impl Carrier for Outgoing {
    async fn post(&self, post: &Post) -> Exchange {
        self.webhooks.send(post).await
    }

    async fn letter(&self, letter: &Letter) -> Exchange {
        match &self.mail {
            Some(mail) => mail.send(letter).await,
            // Nobody asks for it who looked before.
            None => Exchange {
                outcome: Outcome::Failed(Fault::Connect),
                status: None,
                took: std::time::Duration::ZERO,
                excerpt: Vec::new(),
            },
        }
    }

    fn judge(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused> {
        match self.webhooks.judge(endpoint) {
            Ok(host) => Ok(host.as_str().to_owned()),
            Err(refused) => Err(EndpointRefused(refused.to_string())),
        }
    }

    fn carries_letters(&self) -> bool {
        self.mail.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Sources;

    #[test]
    fn a_shutdown_covers_every_attempt_that_is_under_way() {
        let config = Config::load(Sources::defaults()).unwrap();
        let shutdown = config.limits.shutdown_timeout;
        assert!(webhook::Deadlines::default().whole < shutdown);
        assert!(mail::Deadlines::default().whole < shutdown);
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
