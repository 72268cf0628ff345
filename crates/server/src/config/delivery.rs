//! Settings of outgoing messages: webhooks and e-mail.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use app::dispatch::{Confirmation, DispatchLimits};
use delivery::mail::{Login, Mailbox, Security};
use delivery::webhook::{AddressPolicy, AllowedPorts, Dns, IpLiterals, Success};
use domain::WebAddress;
use wire::webhook::MatchForm;

use super::source::Reader;
use super::value::{self, DAY, not};

/// Length of the search id and the token in an unsubscribe link, with the slash between them.
const LINK_BYTES: usize = 36 + 1 + app::unsubscribe::LINK_TOKEN_LENGTH;

/// Upper bound of concurrency limits: one local address has no more ports to connect from.
const ATTEMPTS_MAX: usize = 65_536;

/// Upper bound of limits per minute, hour or day.
const PER_TIME_MAX: u32 = 10_000_000;

/// Settings of section `[delivery]`.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub retry_interval: Duration,
    pub success: Success,
    pub match_form: MatchForm,
    pub source_address: Option<IpAddr>,
    /// Path of the extra CA file, for error messages.
    pub extra_ca_file: Option<PathBuf>,
    /// Content of the extra CA file.
    pub extra_ca_pem: Option<Vec<u8>>,
    pub addresses: AddressPolicy,
    pub ports: AllowedPorts,
    pub ip_literals: IpLiterals,
    /// Samples of the webhook tester per hour to one domain; zero means no limit.
    pub tester_per_host_hour: u32,
    pub dns: Dns,
    pub limits: DispatchLimits,
    pub retention: Duration,
}

/// Settings of section `[email]`.
#[derive(Debug, Clone)]
pub struct Email {
    pub transport: EmailTransport,
    pub from: Mailbox,
    pub batch_window: Duration,
    pub public_url: String,
    pub folder: PathBuf,
    pub smtp: SmtpServer,
    /// Limit of concurrent e-mail attempts.
    pub smtp_connections_max: usize,
    pub confirmation: Confirmation,
    /// E-mails per hour to one address; zero means no limit.
    pub per_address_hour: u32,
    /// E-mails per day of one user; zero means no limit.
    pub per_user_day: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EmailTransport {
    Off,
    Smtp,
    Folder,
}

#[derive(Debug, Clone)]
pub struct SmtpServer {
    pub host: String,
    pub port: u16,
    pub security: Security,
    pub login: Option<Login>,
}

impl Delivery {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let retry_interval = reader.take("delivery.retry_interval", value::duration(30 * DAY));
        let success = reader.take("delivery.success", success);
        let nested_match = reader.take("delivery.nested_match", value::parsed("true or false"));
        let source_address = reader.take("delivery.source_address", unless_empty(address));
        let extra_ca = reader.take("delivery.extra_ca_file", unless_empty(certificates));
        let addresses = reader.take("delivery.danger_allow_private_addresses", addresses);
        let ports = reader.take("delivery.allowed_ports", ports);
        let ip_literals = reader.take("delivery.allow_ip_literals", ip_literals);
        let dns = reader.take("delivery.dns_servers", dns);
        let per_host_minute = reader.take("delivery.per_host_minute_max", value::limit(PER_TIME_MAX));
        let tester_per_host_hour =
            reader.take("delivery.tester_per_host_hour_max", value::limit(PER_TIME_MAX));
        let per_host = reader.take("delivery.per_host_max", value::count(ATTEMPTS_MAX));
        let per_user = reader.take("delivery.per_user_max", value::count(ATTEMPTS_MAX));
        let total = reader.take("delivery.total_max", value::count(ATTEMPTS_MAX));
        let retention = reader.take("delivery.retention", value::duration(3_650 * DAY));
        let (extra_ca_file, extra_ca_pem) = extra_ca?.unzip();
        Some(Self {
            retry_interval: retry_interval?,
            success: success?,
            match_form: if nested_match? { MatchForm::Nested } else { MatchForm::Plain },
            source_address: source_address?,
            extra_ca_file,
            extra_ca_pem,
            addresses: addresses?,
            ports: ports?,
            ip_literals: ip_literals?,
            tester_per_host_hour: tester_per_host_hour?,
            dns: dns?,
            limits: DispatchLimits {
                per_host: per_host?,
                per_user: per_user?,
                total: total?,
                per_host_minute: per_host_minute?,
                ..DispatchLimits::default()
            },
            retention: retention?,
        })
    }
}

impl Email {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let transport = reader.take("email.transport", transport);
        let from = reader.take("email.from", mailbox);
        let batch_window = reader.take("email.batch_window", value::duration(30 * DAY));
        let public_url = reader.take("email.public_url", public_url);
        let folder = reader.take("email.folder", value::path);
        let host = reader.take("email.smtp_host", |text| Ok(text.to_owned()));
        let port = reader.take("email.smtp_port", value::port);
        let security = reader.take("email.smtp_security", security);
        let user = reader.take("email.smtp_user", |text| Ok(text.to_owned()));
        let password = reader.take("email.smtp_password", |text| Ok(text.to_owned()));
        let smtp_connections_max = reader.take("email.smtp_connections_max", value::count(ATTEMPTS_MAX));
        let confirmation = reader.take("email.confirm_recipients", confirmation);
        let per_address_hour = reader.take("email.per_address_hour_max", value::limit(PER_TIME_MAX));
        let per_user_day = reader.take("email.per_user_day_max", value::limit(PER_TIME_MAX));
        let login = user.zip(password).map(|(user, password)| login(reader, user, password));
        Some(Self {
            transport: transport?,
            from: from?,
            batch_window: batch_window?,
            public_url: public_url?,
            folder: folder?,
            smtp: SmtpServer { host: host?, port: port?, security: security?, login: login? },
            smtp_connections_max: smtp_connections_max?,
            confirmation: confirmation?,
            per_address_hour: per_address_hour?,
            per_user_day: per_user_day?,
        })
    }
}

/// A setting that is valid but probably not what the operator intended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigWarning {
    pub setting: &'static str,
    pub message: &'static str,
}

impl Email {
    /// Returns the public address if the operator set one.
    pub fn chosen_public_url(&self) -> Option<&str> {
        (self.public_url.trim_end_matches('/') != PUBLIC_URL_DEFAULT).then_some(self.public_url.as_str())
    }

    /// Returns settings that would spoil e-mails sent by SMTP. The folder transport is exempt: its links are not followed.
    pub fn warnings(&self) -> Vec<ConfigWarning> {
        if self.transport != EmailTransport::Smtp {
            return Vec::new();
        }
        let public_url_warning = if self.chosen_public_url().is_none() {
            Some(
                "is still the default: links in e-mails, including the unsubscribe link, will not work for recipients; \
                 set it to the public address of this server",
            )
        } else if !self.public_url.starts_with("https://") {
            Some(
                "does not start with https://: mail programs will not offer one-click unsubscribe, and may block links",
            )
        } else {
            None
        };
        let from_warning = self.from.address().as_str().ends_with(FROM_DEFAULT_HOST).then_some(
            "is still the default: mail servers reject senders of a domain that does not exist; \
                 set it to an address of your own domain",
        );
        let warning = |setting, message: Option<&'static str>| {
            message.map(|message| ConfigWarning { setting, message })
        };
        [warning("email.public_url", public_url_warning), warning("email.from", from_warning)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Reachable from this machine only.
const PUBLIC_URL_DEFAULT: &str = "http://127.0.0.1:8080";

const FROM_DEFAULT_HOST: &str = "@localhost.localdomain";

/// Requires a user and a password, or neither. With only one of them, the mail server would reject the login.
fn login(reader: &mut Reader, user: String, password: String) -> Option<Login> {
    match (user.is_empty(), password.is_empty()) {
        (true, true) => None,
        (false, false) => Some(Login { user, password }),
        (true, false) => {
            reader.reject("email.smtp_password", "is given without email.smtp_user: give both or neither");
            None
        }
        (false, true) => {
            reader.reject("email.smtp_user", "is given without email.smtp_password: give both or neither");
            None
        }
    }
}

/// Reads an empty text as `None`.
fn unless_empty<T>(read: impl Fn(&str) -> Result<T, String>) -> impl Fn(&str) -> Result<Option<T>, String> {
    move |text| if text.is_empty() { Ok(None) } else { read(text).map(Some) }
}

fn success(text: &str) -> Result<Success, String> {
    match text {
        "200" => Ok(Success::Only200),
        "2xx" => Ok(Success::Any2xx),
        _ => Err(not("\"200\" or \"2xx\"")),
    }
}

fn address(text: &str) -> Result<IpAddr, String> {
    text.parse().map_err(|_| not("an address such as 192.0.2.1"))
}

fn certificates(text: &str) -> Result<(PathBuf, Vec<u8>), String> {
    fs::read(text)
        .map(|pem| (text.into(), pem))
        .map_err(|error| not(format_args!("a readable file ({error})")))
}

fn addresses(text: &str) -> Result<AddressPolicy, String> {
    match text {
        "false" => Ok(AddressPolicy::PublicOnly),
        "true" => Ok(AddressPolicy::DangerAllowPrivate),
        _ => Err(not("true or false")),
    }
}

fn ports(text: &str) -> Result<AllowedPorts, String> {
    if text == "any" {
        return Ok(AllowedPorts::Any);
    }
    let ports: Result<Vec<u16>, _> = text.split(',').map(|port| value::port(port.trim())).collect();
    ports.map(AllowedPorts::Only).map_err(|_| not("\"any\" or ports such as 443, 8443"))
}

fn ip_literals(text: &str) -> Result<IpLiterals, String> {
    match text {
        "false" => Ok(IpLiterals::Refused),
        "true" => Ok(IpLiterals::Allowed),
        _ => Err(not("true or false")),
    }
}

fn dns(text: &str) -> Result<Dns, String> {
    if text == "system" {
        return Ok(Dns::System);
    }
    let servers: Result<Vec<SocketAddr>, _> = text.split(',').map(|server| server.trim().parse()).collect();
    servers.map(Dns::Servers).map_err(|_| not("\"system\" or addresses such as 192.0.2.53:53"))
}

fn transport(text: &str) -> Result<EmailTransport, String> {
    match text {
        "off" => Ok(EmailTransport::Off),
        "smtp" => Ok(EmailTransport::Smtp),
        "folder" => Ok(EmailTransport::Folder),
        _ => Err(not("off, smtp or folder")),
    }
}

fn confirmation(text: &str) -> Result<Confirmation, String> {
    match text {
        "false" => Ok(Confirmation::NotNeeded),
        "true" => Ok(Confirmation::Required),
        _ => Err(not("true or false")),
    }
}

fn mailbox(text: &str) -> Result<Mailbox, String> {
    Mailbox::parse(text).map_err(|_| not("a mailbox such as Vigie <vigie@agence.example>"))
}

fn security(text: &str) -> Result<Security, String> {
    match text {
        "tls" => Ok(Security::Tls),
        "starttls" => Ok(Security::StartTls),
        "none" => Ok(Security::None),
        _ => Err(not("tls, starttls or none")),
    }
}

fn public_url(text: &str) -> Result<String, String> {
    // The complete unsubscribe link must be a valid address, or every e-mail would fail.
    let room = "/unsubscribe/".len() + LINK_BYTES;
    let fits = text.len() + room <= WebAddress::BYTES_MAX && WebAddress::parse(text).is_ok();
    // A path is appended, so the address must not contain a query or a fragment.
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"?#".contains(c));
    if fits && plain { Ok(text.to_owned()) } else { Err(not("an address such as https://vigie.example")) }
}
