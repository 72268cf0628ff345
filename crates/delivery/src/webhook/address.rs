//! The address policy: webhooks may go to public addresses only.
//!
//! Users choose where webhooks go, and the server sends from inside the operator's network. Addresses that are not
//! publicly reachable are refused, so that the server cannot be used to reach internal systems (SSRF). For IPv4 the
//! policy lists what is refused; for IPv6, where most of the space is unassigned and several ranges embed IPv4
//! addresses, it lists what is allowed.
//!
//! The lists follow the IANA special-purpose address registries (RFC 6890 and its successors), plus the metadata
//! addresses of cloud providers.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::own_address::OwnAddresses;

/// Which addresses webhooks may be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressPolicy {
    /// Public addresses only.
    #[default]
    PublicOnly,
    /// Private and loopback addresses as well. For tests and demonstrations: users can then reach internal systems.
    DangerAllowPrivate,
}

impl AddressPolicy {
    /// Returns whether the kind of an address is allowed. [`AddressCheck`] also knows the addresses of this machine.
    pub fn allows(self, address: IpAddr) -> bool {
        match (scope(address), self) {
            (AddressScope::Public, _) | (AddressScope::Private, Self::DangerAllowPrivate) => true,
            (AddressScope::Private, Self::PublicOnly) | (AddressScope::Reserved, _) => false,
        }
    }
}

/// Decides about each address before something is sent to it.
pub(super) struct AddressCheck {
    pub policy: AddressPolicy,
    /// Never a destination, even if public: services of this machine may trust connections from it. Empty in danger
    /// mode.
    pub own: OwnAddresses,
}

impl AddressCheck {
    /// Returns whether webhooks may be sent to an address.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.policy.allows(address) && !self.own.contains(address)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AddressScope {
    /// Publicly reachable.
    Public,
    /// Loopback or private network.
    Private,
    /// Never a valid destination.
    Reserved,
}

use AddressScope::{Private, Reserved};

/// The first matching row decides.
#[rustfmt::skip]
const V4: &[([u8; 4], u32, AddressScope)] = &[
    // Metadata service of Alibaba Cloud, which serves credentials; within 100.64/10.
    ([100, 100, 100, 200], 32, Reserved),
    // Host agent of Azure: a public address that is reachable only from inside.
    ([168, 63, 129, 16], 32, Reserved),

    ([0, 0, 0, 0], 8, Reserved),          // "this network", RFC 791; 0.0.0.0 means the local machine on many systems
    ([10, 0, 0, 0], 8, Private),          // RFC 1918
    ([100, 64, 0, 0], 10, Private),       // carrier-grade NAT, RFC 6598
    ([127, 0, 0, 0], 8, Private),         // loopback, RFC 1122
    ([169, 254, 0, 0], 16, Reserved),     // link-local, RFC 3927; cloud metadata services at 169.254.169.254
    ([172, 16, 0, 0], 12, Private),       // RFC 1918
    ([192, 0, 0, 0], 24, Reserved),       // protocol assignments, RFC 6890
    ([192, 0, 2, 0], 24, Reserved),       // documentation, RFC 5737
    ([192, 31, 196, 0], 24, Reserved),    // AS112, RFC 7535
    ([192, 52, 193, 0], 24, Reserved),    // AMT, RFC 7450
    ([192, 88, 99, 0], 24, Reserved),     // 6to4 relays, RFC 7526
    ([192, 168, 0, 0], 16, Private),      // RFC 1918
    ([192, 175, 48, 0], 24, Reserved),    // AS112, RFC 7534
    ([198, 18, 0, 0], 15, Reserved),      // benchmarking, RFC 2544
    ([198, 51, 100, 0], 24, Reserved),    // documentation, RFC 5737
    ([203, 0, 113, 0], 24, Reserved),     // documentation, RFC 5737
    ([224, 0, 0, 0], 4, Reserved),        // multicast, RFC 5771
    ([240, 0, 0, 0], 4, Reserved),        // reserved for future use, RFC 1112; ends with broadcast
];

/// The first matching row decides. Addresses that match no row are refused: loopback and all ranges below 100:: that
/// embed an IPv4 address (mapped, compatible, translated, NAT64 64:ff9b::/96), discard 100::/64, segment routing
/// 5f00::/16, link-local fe80::/10, site-local fec0::/10, multicast ff00::/8, and everything unassigned.
#[rustfmt::skip]
const V6: &[([u16; 8], u32, AddressScope)] = &[
    // Metadata service of AWS, which serves credentials; within fc00::/7.
    ([0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254], 128, Reserved),

    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Private),            // loopback, RFC 4291
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Private),         // unique local, RFC 4193
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Reserved),       // protocol assignments, RFC 2928: Teredo, ORCHID, benchmarking
    ([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32, Reserved),  // documentation, RFC 3849
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Reserved),       // 6to4, RFC 3056: embeds an IPv4 address
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Reserved),       // documentation, RFC 9637
    ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, AddressScope::Public),   // global unicast, RFC 4291
];

fn scope(address: IpAddr) -> AddressScope {
    match address {
        IpAddr::V4(address) => {
            let row = V4.iter().find(|(first, bits, _)| {
                let first = Ipv4Addr::from_octets(*first).to_bits();
                (first ^ address.to_bits()).leading_zeros() >= *bits
            });
            row.map_or(AddressScope::Public, |(_, _, scope)| *scope)
        }
        IpAddr::V6(address) => {
            let row = V6.iter().find(|(first, bits, _)| {
                let first = Ipv6Addr::from_segments(*first).to_bits();
                (first ^ address.to_bits()).leading_zeros() >= *bits
            });
            row.map_or(Reserved, |(_, _, scope)| *scope)
        }
    }
}

#[cfg(test)]
mod tests;
