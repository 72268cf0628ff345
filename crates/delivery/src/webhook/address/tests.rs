//! Checks the policy against lists and an oracle written independently.

use std::net::{IpAddr, Ipv6Addr};

use testkit::Random;
use testkit::random::seed;

use super::AddressPolicy::{DangerAllowPrivate, PublicOnly};

fn allowed(address: &str) -> (bool, bool) {
    let address: IpAddr = address.parse().unwrap();
    (PublicOnly.allows(address), DangerAllowPrivate.allows(address))
}

const PUBLIC: (bool, bool) = (true, true);
const PRIVATE: (bool, bool) = (false, true);
const RESERVED: (bool, bool) = (false, false);

#[test]
fn range_boundaries() {
    // The address before a range, its first, its last, and the one after it.
    for (expected, before, first, last, after) in [
        (RESERVED, None, "0.0.0.0", "0.255.255.255", Some("1.0.0.0")),
        (PRIVATE, Some("9.255.255.255"), "10.0.0.0", "10.255.255.255", Some("11.0.0.0")),
        (PRIVATE, Some("100.63.255.255"), "100.64.0.0", "100.127.255.255", Some("100.128.0.0")),
        (PRIVATE, Some("126.255.255.255"), "127.0.0.0", "127.255.255.255", Some("128.0.0.0")),
        (RESERVED, Some("168.63.129.15"), "168.63.129.16", "168.63.129.16", Some("168.63.129.17")),
        (RESERVED, Some("169.253.255.255"), "169.254.0.0", "169.254.255.255", Some("169.255.0.0")),
        (PRIVATE, Some("172.15.255.255"), "172.16.0.0", "172.31.255.255", Some("172.32.0.0")),
        (RESERVED, Some("191.255.255.255"), "192.0.0.0", "192.0.0.255", Some("192.0.1.0")),
        (RESERVED, Some("192.0.1.255"), "192.0.2.0", "192.0.2.255", Some("192.0.3.0")),
        (RESERVED, Some("192.31.195.255"), "192.31.196.0", "192.31.196.255", Some("192.31.197.0")),
        (RESERVED, Some("192.52.192.255"), "192.52.193.0", "192.52.193.255", Some("192.52.194.0")),
        (RESERVED, Some("192.88.98.255"), "192.88.99.0", "192.88.99.255", Some("192.88.100.0")),
        (PRIVATE, Some("192.167.255.255"), "192.168.0.0", "192.168.255.255", Some("192.169.0.0")),
        (RESERVED, Some("192.175.47.255"), "192.175.48.0", "192.175.48.255", Some("192.175.49.0")),
        (RESERVED, Some("198.17.255.255"), "198.18.0.0", "198.19.255.255", Some("198.20.0.0")),
        (RESERVED, Some("198.51.99.255"), "198.51.100.0", "198.51.100.255", Some("198.51.101.0")),
        (RESERVED, Some("203.0.112.255"), "203.0.113.0", "203.0.113.255", Some("203.0.114.0")),
        (RESERVED, Some("223.255.255.255"), "224.0.0.0", "239.255.255.255", None),
        (RESERVED, None, "240.0.0.0", "255.255.255.255", None),
        (
            RESERVED,
            Some("2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            "2001::",
            "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
            Some("2001:200::"),
        ),
        (
            RESERVED,
            Some("2001:db7:ffff:ffff:ffff:ffff:ffff:ffff"),
            "2001:db8::",
            "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff",
            Some("2001:db9::"),
        ),
        (
            RESERVED,
            Some("2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            "2002::",
            "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            Some("2003::"),
        ),
        (
            RESERVED,
            Some("3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
            "3fff::",
            "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff",
            Some("3fff:1000::"),
        ),
    ] {
        for inside in [first, last] {
            assert_eq!(allowed(inside), expected, "{inside}");
        }
        for outside in before.into_iter().chain(after) {
            assert_eq!(allowed(outside), PUBLIC, "{outside}");
        }
    }
}

#[test]
fn only_assigned_ipv6_is_public() {
    assert_eq!(allowed("1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), RESERVED);
    assert_eq!(allowed("2000::"), PUBLIC);
    assert_eq!(allowed("3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"), PUBLIC);
    assert_eq!(allowed("4000::"), RESERVED);
    for private in ["::1", "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"] {
        assert_eq!(allowed(private), PRIVATE, "{private}");
    }
    for reserved in [
        "::",
        "::2",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:9.9.9.9",
        "::ffff:0:9.9.9.9",
        "64:ff9b::9.9.9.9",
        "64:ff9b:1::9.9.9.9",
        "100::1",
        "5f00::1",
        "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fe00::",
        "fe80::1",
        "fec0::1",
        "ff02::1",
    ] {
        assert_eq!(allowed(reserved), RESERVED, "{reserved}");
    }
}

#[test]
fn metadata_services_are_always_refused() {
    for address in ["169.254.169.254", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"] {
        assert_eq!(allowed(address), RESERVED, "{address}");
    }
    assert_eq!(allowed("100.100.100.199"), PRIVATE);
    assert_eq!(allowed("fd00:ec2::253"), PRIVATE);
}

/// The IPv6 policy again, written with textual prefixes.
fn oracle(address: Ipv6Addr) -> bool {
    let digits: String = address.segments().iter().map(|segment| format!("{segment:04x}")).collect();
    let given_out = digits.starts_with('2') || digits.starts_with('3');
    let assignments = digits.starts_with("2001") && ("0000".."0200").contains(&&digits[4..8]);
    let excepted = ["20010db8", "2002", "3fff0"].iter().any(|start| digits.starts_with(start));
    given_out && !assignments && !excepted
}

#[test]
fn ipv6_policy_agrees_with_oracle() {
    let mut random = Random::new(seed());
    let mut public = 0;
    for _ in 0..500_000 {
        let mut bits = u128::from(random.next_u64()) << 64 | u128::from(random.next_u64());
        // Random addresses alone would hardly ever hit a special range.
        let starts = [0x2001_u128, 0x2001_0db8, 0x2002, 0x3fff, 0x2000, 0xfd00, 0];
        let start = *random.pick(&starts);
        match random.below(4) {
            0 => bits = bits >> 16 | start << 112,
            1 => bits = bits >> 32 | start << 96,
            2 => bits = bits >> 3 | 1 << 125,
            _ => {}
        }
        let address = Ipv6Addr::from_bits(bits);
        assert_eq!(PublicOnly.allows(address.into()), oracle(address), "{address}");
        public += usize::from(oracle(address));
    }
    assert!((50_000..450_000).contains(&public), "both kinds occurred: {public}");
}
