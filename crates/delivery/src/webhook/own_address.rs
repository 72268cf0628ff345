//! The addresses of this machine's network interfaces.
//!
//! A machine with a public address can be reached under it from inside, past a firewall that stops everybody else. So
//! its own addresses are refused like private ones. Interfaces come and go (DHCP, containers, IPv6 privacy), so the
//! list is read again every few seconds.

use std::collections::HashSet;
use std::io;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// How old the list may be. Reading it takes some tens of microseconds.
const AGE_MAX: Duration = Duration::from_secs(5);

/// Where the addresses of this machine come from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Interfaces {
    /// The network interfaces of the system.
    #[default]
    System,
    /// These addresses, for tests.
    Fixed(Vec<IpAddr>),
}

pub(super) enum OwnAddresses {
    Fixed(HashSet<IpAddr>),
    System(Mutex<Listed>),
}

pub(super) struct Listed {
    addresses: HashSet<IpAddr>,
    at: Instant,
}

impl OwnAddresses {
    /// Fails if the interfaces cannot be listed: a server that does not know its own addresses must not start.
    pub fn new(interfaces: Interfaces) -> io::Result<Self> {
        Ok(match interfaces {
            Interfaces::Fixed(addresses) => Self::Fixed(addresses.into_iter().collect()),
            Interfaces::System => Self::System(Mutex::new(Listed { addresses: list()?, at: Instant::now() })),
        })
    }

    pub fn contains(&self, address: IpAddr) -> bool {
        match self {
            Self::Fixed(addresses) => addresses.contains(&address),
            Self::System(listed) => {
                let mut listed = listed.lock().unwrap_or_else(PoisonError::into_inner);
                if listed.at.elapsed() >= AGE_MAX {
                    // Without a new list, the last one is the best there is.
                    if let Ok(addresses) = list() {
                        listed.addresses = addresses;
                    }
                    listed.at = Instant::now();
                }
                listed.addresses.contains(&address)
            }
        }
    }
}

fn list() -> io::Result<HashSet<IpAddr>> {
    Ok(if_addrs::get_if_addrs()?.iter().map(|interface| interface.ip()).collect())
}

#[cfg(test)]
mod tests {
    use std::net::{Ipv4Addr, UdpSocket};

    use super::*;

    #[test]
    fn addresses_of_this_machine_are_listed() {
        let own = OwnAddresses::new(Interfaces::System).unwrap();
        assert!(own.contains(Ipv4Addr::LOCALHOST.into()));
        assert!(!own.contains(Ipv4Addr::new(9, 9, 9, 9).into()));
        // The address that this machine would send from, if it has a route. Nothing is sent.
        let socket = UdpSocket::bind("0.0.0.0:0").unwrap();
        if socket.connect("9.9.9.9:443").is_ok() {
            assert!(own.contains(socket.local_addr().unwrap().ip()));
        }
    }
}
