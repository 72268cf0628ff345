//! Looking up names: every answer is judged, and one that is refused refuses the name.
//!
//! Whoever owns a name decides what it leads to, and can decide anew with every question. So what is judged here is what a connection
//! is opened to; nothing looks the name up a second time. A name that leads to a public and to a private address is somebody's
//! attempt, not somebody's webhook.

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

use super::address::Addresses;

/// Who is asked for names.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Dns {
    /// Whom this machine asks.
    #[default]
    System,
    Servers(Vec<SocketAddr>),
}

/// As many addresses are tried at most; a name with more of them is served by those, too.
const ADDRESSES_MAX: usize = 16;

/// Waiting for one answer, of two attempts: packets get lost, and the whole look-up has three seconds.
const ONE_ANSWER: Duration = Duration::from_millis(1_200);

/// However long an answer claims to hold, it is asked for again after this: a receiver that moves is followed soon.
const HELD_MAX: Duration = Duration::from_secs(60);

/// A name that does not exist may soon: it is usually one that is being set up.
const MISSING_HELD_MAX: Duration = Duration::from_secs(5);

/// Questions to one server over one connection, before it is called busy. Receivers are looked up in bursts.
const QUESTIONS_MAX: usize = 1_024;

pub(super) struct Names {
    resolver: TokioResolver,
    addresses: Addresses,
}

impl Names {
    pub fn new(dns: &Dns, addresses: Addresses) -> Result<Self, NetError> {
        let (servers, mut options) = match dns {
            Dns::Servers(servers) => (servers.iter().map(server).collect(), ResolverOpts::default()),
            Dns::System => match system_conf::read_system_conf() {
                Ok((config, options)) => (config.name_servers().to_vec(), options),
                // As the C library does on a machine without a configuration.
                Err(_) => (vec![server(&(Ipv4Addr::LOCALHOST, 53).into())], ResolverOpts::default()),
            },
        };
        options.use_hosts_file = match addresses {
            Addresses::PublicOnly => ResolveHosts::Never,
            Addresses::DangerPrivateToo => ResolveHosts::Always,
        };
        options.timeout = ONE_ANSWER;
        options.attempts = 2;
        options.positive_max_ttl = Some(HELD_MAX);
        options.negative_max_ttl = Some(MISSING_HELD_MAX);
        options.max_active_requests = QUESTIONS_MAX;
        // Neither a domain nor a search list: `shop` must never become `shop.our-own-network`.
        let config = ResolverConfig::from_parts(None, Vec::new(), servers);
        let mut builder = TokioResolver::builder_with_config(config, TokioRuntimeProvider::default());
        *builder.options_mut() = options;
        Ok(Self { resolver: builder.build()?, addresses })
    }

    /// What a name leads to. All of it may be sent to.
    pub async fn look_up(&self, name: &str) -> Result<Vec<IpAddr>, Fault> {
        if self.addresses == Addresses::DangerPrivateToo && name == "localhost" {
            return Ok(vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]);
        }
        let mut complete = Name::from_ascii(name).map_err(|_| Fault::Dns)?;
        complete.set_fqdn(true);
        let found = self.resolver.lookup_ip(complete).await.map_err(|error| match error {
            NetError::Timeout => Fault::Timeout,
            _ => Fault::Dns,
        })?;
        let found: Vec<IpAddr> = found.iter().collect();
        if !found.iter().all(|address| self.addresses.allow(*address)) {
            return Err(Fault::Refused);
        }
        if found.is_empty() {
            return Err(Fault::Dns);
        }
        Ok(in_turn(found))
    }
}

/// Both kinds of address by turns: where one of them does not work at all, the other comes soon.
fn in_turn(found: Vec<IpAddr>) -> Vec<IpAddr> {
    let (v6, v4): (Vec<IpAddr>, Vec<IpAddr>) = found.into_iter().partition(IpAddr::is_ipv6);
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
    fn both_kinds_of_address_are_tried_by_turns() {
        let v4 = |last| IpAddr::V4(Ipv4Addr::new(9, 9, 9, last));
        let v6 = |last| IpAddr::V6(Ipv6Addr::new(0x2620, 0, 0, 0, 0, 0, 0, last));
        assert_eq!(in_turn(vec![v4(1), v4(2), v4(3), v6(1)]), [v6(1), v4(1), v4(2), v4(3)]);
        let many = (0..40).flat_map(|last| [v6(last), v4(last as u8)]).collect();
        let tried = in_turn(many);
        assert_eq!((tried.len(), tried[0], tried[15]), (16, v6(0), v4(7)));
    }
}
