//! An endpoint, read and judged: where it leads, as far as that can be told without looking anything up.
//!
//! What is judged is always what the parser made of the text, because that is what a connection is opened to. In the text the same
//! address can be written in too many ways.

use std::fmt;
use std::net::IpAddr;

use bytes::Bytes;
use domain::Endpoint;
use http::uri::{Authority, PathAndQuery};
use rustls::pki_types::ServerName;
use url::Url;

use super::address::Addresses;

/// Where an endpoint leads: a name or an address, and a port. Endpoints with the same one share connections and limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(Box<str>);

impl Host {
    /// `name:port`, in one spelling.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why nothing is ever sent to an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("This value is not a valid URL.")]
    Malformed,
    #[error("This address must begin with https://.")]
    NotHttps,
    #[error("This address must not hold a user name or a password.")]
    UserInfo,
    #[error("This address must not have the port 0.")]
    Port,
    #[error("This address does not hold a valid host name.")]
    Name,
    #[error("This host name is only known within a network; webhooks are sent to public addresses.")]
    LocalName,
    #[error("This address is not a public one; webhooks are sent to public addresses.")]
    Address,
}

/// Names that mean something within one machine or network only, by their ends. Some are reserved for it (RFC 6761, 6762, 7686,
/// 8375, and `internal` by ICANN), the others are what networks call themselves.
const LOCAL_NAMES: &[&str] =
    &["localhost", "local", "internal", "home.arpa", "lan", "corp", "intranet", "onion"];

/// What names can have, RFC 1035.
const LABEL_BYTES_MAX: usize = 63;
const NAME_BYTES_MAX: usize = 253;

/// An endpoint to which something may be sent, as far as can be told without looking it up.
#[derive(Debug)]
pub(super) struct Target {
    pub host: Host,
    pub place: Place,
    pub port: u16,
    /// Whom the certificate must name.
    pub server_name: ServerName<'static>,
    /// As it stands in a request: without the port if it is the usual one.
    pub authority: Authority,
    pub path: PathAndQuery,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Judged already.
    Address(IpAddr),
    /// To be looked up; without the dot at its end.
    Name(String),
}

impl Target {
    pub fn judge(endpoint: &Endpoint, addresses: Addresses) -> Result<Self, Refused> {
        let url = Url::parse(endpoint.as_str()).map_err(|_| Refused::Malformed)?;
        if url.scheme() != "https" {
            return Err(Refused::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Refused::UserInfo);
        }
        let port = url.port_or_known_default().filter(|port| *port != 0).ok_or(Refused::Port)?;
        let (place, server_name, spelled) = match url.host().ok_or(Refused::Malformed)? {
            url::Host::Ipv4(address) => judge_address(address.into(), addresses)?,
            url::Host::Ipv6(address) => judge_address(address.into(), addresses)?,
            url::Host::Domain(name) => judge_name(name, addresses)?,
        };
        let host = Host(format!("{spelled}:{port}").into());
        let authority = match url.port() {
            Some(_) => host.0.to_string(),
            None => spelled,
        };
        let authority = Authority::from_maybe_shared(Bytes::from(authority)).map_err(|_| Refused::Name)?;
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let path = PathAndQuery::from_maybe_shared(Bytes::from(path)).map_err(|_| Refused::Malformed)?;
        Ok(Self { host, place, port, server_name, authority, path })
    }
}

type Judged = (Place, ServerName<'static>, String);

fn judge_address(address: IpAddr, addresses: Addresses) -> Result<Judged, Refused> {
    if !addresses.allow(address) {
        return Err(Refused::Address);
    }
    let spelled = match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    Ok((Place::Address(address), ServerName::IpAddress(address.into()), spelled))
}

fn judge_name(name: &str, addresses: Addresses) -> Result<Judged, Refused> {
    // The dot says that the name is complete, which ours always are.
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let last_is_number =
        || name.rsplit('.').next().is_none_or(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) || last_is_number() {
        return Err(Refused::Name);
    }
    let is_local = !name.contains('.')
        || LOCAL_NAMES.iter().any(|local| {
            name.strip_suffix(local).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
    if is_local && addresses == Addresses::PublicOnly {
        return Err(Refused::LocalName);
    }
    let server_name = ServerName::try_from(name.clone()).map_err(|_| Refused::Name)?;
    Ok((Place::Name(name.clone()), server_name, name))
}

/// The underscore is in no host's name by the book, and in some in the wild.
fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label.len() <= LABEL_BYTES_MAX
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests;
