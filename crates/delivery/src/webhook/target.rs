//! Parses and checks an endpoint, without resolving its name.
//!
//! The check applies to the parsed URL, because that is what the connection uses: as text, the same address can be
//! written in too many ways.

use std::fmt;
use std::net::IpAddr;

use bytes::Bytes;
use domain::Endpoint;
use http::uri::{Authority, PathAndQuery};
use rustls::pki_types::ServerName;
use url::Url;

use super::address::{AddressCheck, AddressPolicy};

/// Host and port of an endpoint. Endpoints with the same host share connections and limits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Host(Box<str>);

impl Host {
    /// Returns `name:port` in canonical form.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Ports that webhooks may be sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AllowedPorts {
    Any,
    Only(Vec<u16>),
}

impl Default for AllowedPorts {
    /// The ports of HTTPS. Other services of a receiver's machine must not get requests from here.
    fn default() -> Self {
        Self::Only(vec![443, 8443])
    }
}

impl AllowedPorts {
    fn contains(&self, port: u16) -> bool {
        match self {
            Self::Any => true,
            Self::Only(ports) => ports.contains(&port),
        }
    }

    fn words(&self) -> String {
        match self {
            Self::Any => "any".to_owned(),
            Self::Only(ports) => ports.iter().map(u16::to_string).collect::<Vec<_>>().join(" or "),
        }
    }
}

/// Whether an endpoint may have an IP address in place of a host name. Public certificates for addresses are rare, and
/// an address says nothing about who owns the receiver.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum IpLiterals {
    #[default]
    Refused,
    Allowed,
}

/// Which endpoints are allowed.
pub(super) struct TargetPolicy {
    pub addresses: AddressCheck,
    pub ports: AllowedPorts,
    pub ip_literals: IpLiterals,
}

/// Why an endpoint is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    #[error("This value is not a valid URL.")]
    Malformed,
    #[error("This URL must start with https://.")]
    NotHttps,
    #[error("This URL must not contain a user name or a password.")]
    UserInfo,
    #[error("This URL must not use port 0.")]
    Port,
    #[error("This URL must not use port {port}; webhooks are sent to port {allowed} only.")]
    PortNotAllowed { port: u16, allowed: String },
    #[error("This URL must have a host name; webhooks are not sent to IP addresses.")]
    IpLiteral,
    #[error("This URL does not have a valid host name.")]
    Name,
    #[error("This host name is local to a network; webhooks are sent only to public addresses.")]
    LocalName,
    #[error("This address is not public; webhooks are sent only to public addresses.")]
    Address,
}

/// Suffixes of local names. Some are reserved (RFC 6761, 6762, 7686, 8375, and `internal` by ICANN); the others are
/// common in private networks.
const LOCAL_NAMES: &[&str] =
    &["localhost", "local", "internal", "home.arpa", "lan", "corp", "intranet", "onion"];

/// Limits of RFC 1035.
const LABEL_BYTES_MAX: usize = 63;
const NAME_BYTES_MAX: usize = 253;

/// An endpoint that is allowed, as far as it can be checked without resolving its name.
#[derive(Debug)]
pub(super) struct Target {
    pub host: Host,
    pub address: HostAddress,
    pub port: u16,
    /// The name the certificate must have.
    pub server_name: ServerName<'static>,
    /// The authority of requests: without the port if it is the default.
    pub authority: Authority,
    pub path: PathAndQuery,
}

#[derive(Debug, PartialEq, Eq)]
pub(super) enum HostAddress {
    /// Already checked.
    Ip(IpAddr),
    /// To be resolved; without a trailing dot.
    Name(String),
}

impl Target {
    pub fn check(endpoint: &Endpoint, policy: &TargetPolicy) -> Result<Self, TargetError> {
        let url = Url::parse(endpoint.as_str()).map_err(|_| TargetError::Malformed)?;
        if url.scheme() != "https" {
            return Err(TargetError::NotHttps);
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(TargetError::UserInfo);
        }
        let port = url.port_or_known_default().filter(|port| *port != 0).ok_or(TargetError::Port)?;
        let (address, server_name, canonical) = match url.host().ok_or(TargetError::Malformed)? {
            url::Host::Ipv4(address) => check_address(address.into(), policy)?,
            url::Host::Ipv6(address) => check_address(address.into(), policy)?,
            url::Host::Domain(name) => check_name(name, policy.addresses.policy)?,
        };
        if !policy.ports.contains(port) {
            return Err(TargetError::PortNotAllowed { port, allowed: policy.ports.words() });
        }
        let host = Host(format!("{canonical}:{port}").into());
        let authority = match url.port() {
            Some(_) => host.0.to_string(),
            None => canonical,
        };
        let authority =
            Authority::from_maybe_shared(Bytes::from(authority)).map_err(|_| TargetError::Name)?;
        let path = match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        };
        let path = PathAndQuery::from_maybe_shared(Bytes::from(path)).map_err(|_| TargetError::Malformed)?;
        Ok(Self { host, address, port, server_name, authority, path })
    }
}

type CheckedHost = (HostAddress, ServerName<'static>, String);

fn check_address(address: IpAddr, policy: &TargetPolicy) -> Result<CheckedHost, TargetError> {
    if !policy.addresses.allows(address) {
        return Err(TargetError::Address);
    }
    if policy.ip_literals == IpLiterals::Refused {
        return Err(TargetError::IpLiteral);
    }
    let canonical = match address {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    Ok((HostAddress::Ip(address), ServerName::IpAddress(address.into()), canonical))
}

fn check_name(name: &str, policy: AddressPolicy) -> Result<CheckedHost, TargetError> {
    // A trailing dot marks a name as fully qualified, as ours always are.
    let name = name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let last_is_number =
        || name.rsplit('.').next().is_none_or(|last| last.bytes().all(|byte| byte.is_ascii_digit()));
    if name.len() > NAME_BYTES_MAX || !name.split('.').all(is_label) || last_is_number() {
        return Err(TargetError::Name);
    }
    let is_local = !name.contains('.')
        || LOCAL_NAMES.iter().any(|local| {
            name.strip_suffix(local).is_some_and(|before| before.is_empty() || before.ends_with('.'))
        });
    if is_local && policy == AddressPolicy::PublicOnly {
        return Err(TargetError::LocalName);
    }
    let server_name = ServerName::try_from(name.clone()).map_err(|_| TargetError::Name)?;
    Ok((HostAddress::Name(name.clone()), server_name, name))
}

/// Underscores are not valid in host names, but some existing hosts use them.
fn is_label(label: &str) -> bool {
    !label.is_empty()
        && label.len() <= LABEL_BYTES_MAX
        && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

#[cfg(test)]
mod tests;
