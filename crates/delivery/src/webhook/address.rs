//! Which addresses a webhook may go to: those that anybody on the Internet could reach as well.
//!
//! Users choose where webhooks go, and we send from inside the operator's network. What is not reachable for everybody is refused,
//! so that we are nobody's way in. For IPv4 that is a list of what is refused; for IPv6, where most of the space has no owner and
//! old ways to write IPv4 hide in it, a list of what is allowed.
//!
//! The lists are the registries of special addresses that IANA keeps (RFC 6890 and its successors), and what clouds put elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Which addresses webhooks may go to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Addresses {
    /// Those of the public Internet.
    #[default]
    PublicOnly,
    /// This machine's and its network's, too. For tests and demonstrations: with it, users can reach whatever we can.
    DangerPrivateToo,
}

impl Addresses {
    /// Whether something may be sent to an address.
    pub fn allow(self, address: IpAddr) -> bool {
        match (whose(address), self) {
            (Whose::Public, _) | (Whose::Private, Self::DangerPrivateToo) => true,
            (Whose::Private, Self::PublicOnly) | (Whose::Reserved, _) => false,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    /// Anybody can reach it.
    Public,
    /// A machine's own, or its network's.
    Private,
    /// Nobody's to receive anything, or never to be reached by what others send.
    Reserved,
}

use Whose::{Private, Reserved};

/// Of two rows that hold an address, the first decides.
#[rustfmt::skip]
const V4: &[([u8; 4], u32, Whose)] = &[
    // Answers with a machine's credentials in Alibaba's cloud; within 100.64/10.
    ([100, 100, 100, 200], 32, Reserved),
    // The host's agent in Azure. A public address that is reachable from within only.
    ([168, 63, 129, 16], 32, Reserved),

    ([0, 0, 0, 0], 8, Reserved),          // «this network», RFC 791; systems take 0.0.0.0 for themselves
    ([10, 0, 0, 0], 8, Private),          // RFC 1918
    ([100, 64, 0, 0], 10, Private),       // shared within a provider, RFC 6598
    ([127, 0, 0, 0], 8, Private),         // this machine, RFC 1122
    ([169, 254, 0, 0], 16, Reserved),     // the link, RFC 3927; clouds answer with credentials at 169.254.169.254
    ([172, 16, 0, 0], 12, Private),       // RFC 1918
    ([192, 0, 0, 0], 24, Reserved),       // protocol assignments, RFC 6890
    ([192, 0, 2, 0], 24, Reserved),       // documentation, RFC 5737
    ([192, 31, 196, 0], 24, Reserved),    // AS112, RFC 7535
    ([192, 52, 193, 0], 24, Reserved),    // AMT, RFC 7450
    ([192, 88, 99, 0], 24, Reserved),     // relays of 6to4, RFC 7526
    ([192, 168, 0, 0], 16, Private),      // RFC 1918
    ([192, 175, 48, 0], 24, Reserved),    // AS112, RFC 7534
    ([198, 18, 0, 0], 15, Reserved),      // measuring of devices, RFC 2544
    ([198, 51, 100, 0], 24, Reserved),    // documentation, RFC 5737
    ([203, 0, 113, 0], 24, Reserved),     // documentation, RFC 5737
    ([224, 0, 0, 0], 4, Reserved),        // groups, RFC 5771
    ([240, 0, 0, 0], 4, Reserved),        // the future, RFC 1112; and the broadcast at its end
];

/// Of two rows that hold an address, the first decides. What is in none is refused: loopback and all that holds an IPv4 address
/// (mapped, compatible, translated, NAT64 64:ff9b::/96) below 100::, discard 100::/64, segment routing 5f00::/16, the link
/// fe80::/10, sites fec0::/10, groups ff00::/8, and everything that was never given to anybody.
#[rustfmt::skip]
const V6: &[([u16; 8], u32, Whose)] = &[
    // Answers with a machine's credentials in Amazon's cloud; within fc00::/7.
    ([0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254], 128, Reserved),

    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Private),            // this machine, RFC 4291
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Private),         // local networks, RFC 4193
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Reserved),       // protocol assignments, RFC 2928: Teredo, ORCHID, measuring
    ([0x2001, 0x0db8, 0, 0, 0, 0, 0, 0], 32, Reserved),  // documentation, RFC 3849
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Reserved),       // 6to4, RFC 3056: an IPv4 address in disguise
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Reserved),       // documentation, RFC 9637
    ([0x2000, 0, 0, 0, 0, 0, 0, 0], 3, Whose::Public),   // all that is given out, RFC 4291
];

fn whose(address: IpAddr) -> Whose {
    match address {
        IpAddr::V4(address) => {
            let row = V4.iter().find(|(first, bits, _)| {
                let first = Ipv4Addr::from_octets(*first).to_bits();
                (first ^ address.to_bits()).leading_zeros() >= *bits
            });
            row.map_or(Whose::Public, |(_, _, whose)| *whose)
        }
        IpAddr::V6(address) => {
            let row = V6.iter().find(|(first, bits, _)| {
                let first = Ipv6Addr::from_segments(*first).to_bits();
                (first ^ address.to_bits()).leading_zeros() >= *bits
            });
            row.map_or(Reserved, |(_, _, whose)| *whose)
        }
    }
}

#[cfg(test)]
mod tests;
