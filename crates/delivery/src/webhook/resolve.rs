//! Resolves host names and checks every address. If one address is refused, the name is refused.
//!
//! The owner of a name decides what it resolves to and can change the answer at any time (DNS rebinding). So the
//! connection is opened to the checked addresses; the name is not resolved a second time. A name with both public
//! and private addresses is treated as an attack.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use domain::Fault;
use hickory_resolver::config::{
    ConnectionConfig, NameServerConfig, ResolveHosts, ResolverConfig, ResolverOpts,
};
use hickory_resolver::net::NetError;
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::proto::rr::Name;
use hickory_resolver::{TokioResolver, system_conf};

use super::address::{AddressCheck, AddressPolicy};

/// Which DNS servers to use.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Dns {
    /// Those of the system configuration.
    #[default]
    System,
    Servers(Vec<SocketAddr>),
}

/// Maximum number of addresses tried. A name with more is served by the first ones.
const ADDRESSES_MAX: usize = 16;

/// Timeout of one query, of two attempts: packets get lost, and the whole resolution has three seconds.
const QUERY_TIMEOUT: Duration = Duration::from_millis(1_200);

/// Maximum time a record is cached, whatever its TTL: a receiver that moves is followed soon.
const POSITIVE_TTL_MAX: Duration = Duration::from_secs(60);

/// Maximum time a missing name is cached: it is often being set up.
const NEGATIVE_TTL_MAX: Duration = Duration::from_secs(5);

/// Maximum number of concurrent queries per connection. Receivers are resolved in bursts.
const ACTIVE_QUERIES_MAX: usize = 1_024;

pub(super) struct Resolver {
    resolver: TokioResolver,
}

impl Resolver {
    pub fn new(dns: &Dns, policy: AddressPolicy) -> Result<Self, NetError> {
        let (servers, mut options) = match dns {
            Dns::Servers(servers) => (servers.iter().map(server).collect(), ResolverOpts::default()),
            Dns::System => match system_conf::read_system_conf() {
                Ok((config, options)) => (config.name_servers().to_vec(), options),
                // As the C library does without a configuration.
                Err(_) => (vec![server(&(Ipv4Addr::LOCALHOST, 53).into())], ResolverOpts::default()),
            },
        };
        options.use_hosts_file = match policy {
            AddressPolicy::PublicOnly => ResolveHosts::Never,
            AddressPolicy::DangerAllowPrivate => ResolveHosts::Always,
        };
        options.timeout = QUERY_TIMEOUT;
        options.attempts = 2;
        options.positive_max_ttl = Some(POSITIVE_TTL_MAX);
        options.negative_max_ttl = Some(NEGATIVE_TTL_MAX);
        options.max_active_requests = ACTIVE_QUERIES_MAX;
        // No domain and no search list: `shop` must never become `shop.our-own-network`.
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options;
        Ok(Self { resolver: builder.build()? })
    }

    /// Resolves a name to its addresses. All of them are allowed.
    pub async fn resolve(&self, name: &str, check: &AddressCheck) -> Result<Vec<IpAddr>, Fault> {
        if check.policy == AddressPolicy::DangerAllowPrivate && name == "localhost" {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let mut complete = Name::from_ascii(name).map_err(|_| Fault::Dns)?;
        complete.set_fqdn(true);
        let found = self.resolver.lookup_ip(complete).await.map_err(|error| match error {
            NetError::Timeout => Fault::Timeout,
            _ => Fault::Dns,
        })?;
        let found: Vec<IpAddr> = found.iter().collect();
        if !found.iter().all(|address| check.allows(*address)) {
            return Err(Fault::Refused);
        }
        if found.is_empty() {
            return Err(Fault::Dns);
        }
        Ok(interleave_families(found))
    }
}

/// Alternates IPv6 and IPv4 addresses: if one IP version does not work at all, the other is tried soon.
fn interleave_families(addresses: Vec<IpAddr>) -> Vec<IpAddr> {
    let (v6, v4): (Vec<IpAddr>, Vec<IpAddr>) = addresses.into_iter().partition(IpAddr::is_ipv6);
    let longer = v6.len().max(v4.len());
    let turns = (0..longer).flat_map(|turn| [v6.get(turn), v4.get(turn)]);
    turns.flatten().take(ADDRESSES_MAX).copied().collect()
}

fn server(address: &SocketAddr) -> NameServerConfig {
    let over = |mut connection: ConnectionConfig| {
        connection.port = address.port();
        connection
    };
    NameServerConfig::new(
        address.ip(),
        true,
        vec![over(ConnectionConfig::udp()), over(ConnectionConfig::tcp())],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn address_families_are_interleaved() {
        let v4 = |last| IpAddr::V4(Ipv4Addr::new(9, 9, 9, last));
        let v6 = |last| IpAddr::V6(Ipv6Addr::new(0x2620, 0, 0, 0, 0, 0, 0, last));
        assert_eq!(interleave_families(vec![v4(1), v4(2), v4(3), v6(1)]), [v6(1), v4(1), v4(2), v4(3)]);
        let many = (0..40).flat_map(|last| [v6(last), v4(last as u8)]).collect();
        let interleaved = interleave_families(many);
        assert_eq!((interleaved.len(), interleaved[0], interleaved[15]), (16, v6(0), v4(7)));
    }
}
