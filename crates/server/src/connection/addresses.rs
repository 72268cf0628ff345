//! How many connections each address has.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

/// Limits the connections per address.
#[derive(Debug, Clone)]
pub struct Addresses {
    /// `None` is no limit.
    max: Option<NonZeroUsize>,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

/// One connection of an address. Given back when dropped.
#[derive(Debug)]
pub struct AddressPermit {
    address: IpAddr,
    open: Arc<Mutex<HashMap<IpAddr, usize>>>,
}

impl Addresses {
    /// `max` of 0 is no limit.
    pub fn new(max: usize) -> Self {
        Self { max: NonZeroUsize::new(max), open: Arc::default() }
    }

    /// Counts a connection. `None` if its address has too many.
    pub fn acquire(&self, peer: IpAddr) -> Option<AddressPermit> {
        let address = counted_as(peer);
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let count = open.entry(address).or_default();
        if self.max.is_some_and(|max| *count >= max.get()) {
            return None;
        }
        *count += 1;
        drop(open);
        Some(AddressPermit { address, open: Arc::clone(&self.open) })
    }
}

/// Returns what a peer is counted under. One customer has a whole /64 of IPv6, so its addresses count as one.
pub fn counted_as(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
    }
}

impl Drop for AddressPermit {
    fn drop(&mut self) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = open.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                open.remove(&self.address);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn each_address_has_its_own_limit() {
        let addresses = Addresses::new(2);
        let first = addresses.acquire(address("192.0.2.1")).unwrap();
        // The same address, as a socket of IPv6 shows it.
        let _second = addresses.acquire(address("::ffff:192.0.2.1")).unwrap();
        assert!(addresses.acquire(address("192.0.2.1")).is_none());
        assert!(addresses.acquire(address("192.0.2.2")).is_some());
        drop(first);
        assert!(addresses.acquire(address("192.0.2.1")).is_some());
    }

    #[test]
    fn a_network_of_ipv6_counts_as_one_address() {
        let addresses = Addresses::new(1);
        let one = addresses.acquire(address("2001:db8::1")).unwrap();
        assert!(addresses.acquire(address("2001:db8::2:3:4:5")).is_none());
        assert!(addresses.acquire(address("2001:db8:0:1::1")).is_some());
        drop(one);
        assert!(addresses.open.lock().unwrap().is_empty(), "closed addresses are forgotten");
    }

    #[test]
    fn zero_is_no_limit() {
        let addresses = Addresses::new(0);
        let all: Vec<_> = (0..1_000).map(|_| addresses.acquire(address("192.0.2.1"))).collect();
        assert!(all.iter().all(Option::is_some));
    }
}
