//! The settings of what leaves the house: webhooks and emails.

use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use app::dispatch::DispatchLimits;
use delivery::mail::{Login, Mailbox, Security};
use delivery::webhook::{Addresses, Dns, Success};
use domain::{SearchToken, WebAddress};

use super::source::Reader;
use super::value::{self, DAY, not};

/// The id and the token of a search, with a slash between them.
const LINK_BYTES: usize = 36 + 1 + 2 * SearchToken::BYTES;

/// More attempts at once than one address of this machine has ports to make them from.
const ATTEMPTS_MAX: usize = 65_536;

/// How webhooks are sent.
#[derive(Debug, Clone)]
pub struct Delivery {
    pub retry_interval: Duration,
    pub success: Success,
    pub source_address: Option<IpAddr>,
    /// The file of additional certificates, to be named.
    pub extra_ca_file: Option<PathBuf>,
    /// What it holds.
    pub extra_ca_pem: Option<Vec<u8>>,
    pub addresses: Addresses,
    pub dns: Dns,
    pub limits: DispatchLimits,
    pub keep: Duration,
}

/// How emails are sent.
#[derive(Debug, Clone)]
pub struct Email {
    pub transport: EmailTransport,
    pub from: Mailbox,
    pub gather: Duration,
    pub public_url: String,
    pub folder: PathBuf,
    pub smtp: SmtpServer,
    /// How many emails may be under way at once.
    pub letters_max: usize,
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
        let source_address = reader.take("delivery.source_address", unless_empty(address));
        let extra_ca = reader.take("delivery.extra_ca_file", unless_empty(certificates));
        let addresses = reader.take("delivery.danger_allow_private_addresses", addresses);
        let dns = reader.take("delivery.dns_servers", dns);
        let per_host = reader.take("delivery.per_host_max", value::count(ATTEMPTS_MAX));
        let per_user = reader.take("delivery.per_user_max", value::count(ATTEMPTS_MAX));
        let in_all = reader.take("delivery.in_all_max", value::count(ATTEMPTS_MAX));
        let keep = reader.take("delivery.keep", value::duration(3_650 * DAY));
        let (extra_ca_file, extra_ca_pem) = extra_ca?.unzip();
        Some(Self {
            retry_interval: retry_interval?,
            success: success?,
            source_address: source_address?,
            extra_ca_file,
            extra_ca_pem,
            addresses: addresses?,
            dns: dns?,
            limits: DispatchLimits {
                per_host: per_host?,
                per_user: per_user?,
                total: in_all?,
                ..DispatchLimits::default()
            },
            keep: keep?,
        })
    }
}

impl Email {
    pub(super) fn read(reader: &mut Reader) -> Option<Self> {
        let transport = reader.take("email.transport", transport);
        let from = reader.take("email.from", mailbox);
        let gather = reader.take("email.gather", value::duration(30 * DAY));
        let public_url = reader.take("email.public_url", public_url);
        let folder = reader.take("email.folder", value::path);
        let host = reader.take("email.smtp_host", |text| Ok(text.to_owned()));
        let port = reader.take("email.smtp_port", value::port);
        let security = reader.take("email.smtp_security", security);
        let user = reader.take("email.smtp_user", |text| Ok(text.to_owned()));
        let password = reader.take("email.smtp_password", |text| Ok(text.to_owned()));
        let emails = reader.take("email.smtp_connections_max", value::count(ATTEMPTS_MAX));
        let login = user.zip(password).map(|(user, password)| login(reader, user, password));
        Some(Self {
            transport: transport?,
            from: from?,
            gather: gather?,
            public_url: public_url?,
            folder: folder?,
            smtp: SmtpServer { host: host?, port: port?, security: security?, login: login? },
            letters_max: emails?,
        })
    }
}

/// Something a server can do, but hardly as it was meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConfigWarning {
    pub setting: &'static str,
    pub message: &'static str,
}

impl Email {
    /// What emails would suffer from that really leave the house. In a folder nobody follows their links.
    pub fn warnings(&self) -> Vec<ConfigWarning> {
        if self.transport != EmailTransport::Smtp {
            return Vec::new();
        }
        let of_the_link = if self.public_url.trim_end_matches('/') == PUBLIC_URL_DEFAULT {
            Some(
                "is still its default: the links in emails, those that end them among them, lead nowhere for their readers",
            )
        } else if !self.public_url.starts_with("https://") {
            Some(
                "is not https: mail programs do not offer the end of emails then, and links may lead nowhere",
            )
        } else {
            None
        };
        let of_the_sender =
            self.from.address().as_str().ends_with(FROM_DEFAULT_HOST).then_some(
                "is still its default: mail servers refuse emails from a host that does not exist",
            );
        let warning = |setting, message: Option<&'static str>| {
            message.map(|message| ConfigWarning { setting, message })
        };
        [warning("email.public_url", of_the_link), warning("email.from", of_the_sender)]
            .into_iter()
            .flatten()
            .collect()
    }
}

/// Nobody but this machine is reached there.
const PUBLIC_URL_DEFAULT: &str = "http://127.0.0.1:8080";

const FROM_DEFAULT_HOST: &str = "@localhost.localdomain";

/// A login is a user and a password. With one of them alone no server would take a email, or anybody could send them.
fn login(reader: &mut Reader, user: String, password: String) -> Option<Login> {
    match (user.is_empty(), password.is_empty()) {
        (true, true) => None,
        (false, false) => Some(Login { user, password }),
        (true, false) => {
            reader.refuse("email.smtp_password", "is given without email.smtp_user: give both or neither");
            None
        }
        (false, true) => {
            reader.refuse("email.smtp_user", "is given without email.smtp_password: give both or neither");
            None
        }
    }
}

/// The value, or nothing for an empty text.
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
        .map_err(|error| not(format_args!("a file that can be read ({error})")))
}

fn addresses(text: &str) -> Result<Addresses, String> {
    match text {
        "false" => Ok(Addresses::PublicOnly),
        "true" => Ok(Addresses::DangerPrivateToo),
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
    // The whole link must be one, or no email could ever be written.
    let room = "/unsubscribe/".len() + LINK_BYTES;
    let fits = text.len() + room <= WebAddress::BYTES_MAX && WebAddress::parse(text).is_ok();
    // What follows is a path, which has no place behind a question or a fragment.
    let plain = !text.contains(|c: char| c.is_whitespace() || c.is_control() || "<>\"?#".contains(c));
    if fits && plain { Ok(text.to_owned()) } else { Err(not("an address such as https://vigie.example")) }
}
