//! Examples of parsed endpoints.

use domain::Endpoint;
use testkit::ssrf;

use super::*;
use crate::webhook::own_address::{Interfaces, OwnAddresses};

/// A policy that allows all ports and IP literals.
fn open(addresses: AddressPolicy) -> TargetPolicy {
    let own = OwnAddresses::new(Interfaces::Fixed(Vec::new())).unwrap();
    let addresses = AddressCheck { policy: addresses, own };
    TargetPolicy { addresses, ports: AllowedPorts::Any, ip_literals: IpLiterals::Allowed }
}

fn checked_by(endpoint: &str, policy: &TargetPolicy) -> Result<String, TargetError> {
    let target = Target::check(&Endpoint::trusted(endpoint.to_owned()), policy)?;
    Ok(format!("{} {} {}", target.host, target.authority, target.path))
}

fn checked(endpoint: &str, addresses: AddressPolicy) -> Result<String, TargetError> {
    checked_by(endpoint, &open(addresses))
}

fn check(endpoint: &str, expected: Result<&str, TargetError>) {
    let checked = checked(endpoint, AddressPolicy::PublicOnly);
    assert_eq!(checked, expected.map(str::to_owned), "{endpoint}");
}

#[test]
fn hosts_are_canonical() {
    check("https://Hook.Example", Ok("hook.example:443 hook.example /"));
    check("https://hook.example.:443/", Ok("hook.example:443 hook.example /"));
    check("https://hook.example:8443/a?b#c", Ok("hook.example:8443 hook.example:8443 /a?b"));
    check("https://bücher.example/é?é", Ok("xn--bcher-kva.example:443 xn--bcher-kva.example /%C3%A9?%C3%A9"));
    check("https://151587081:1/", Ok("9.9.9.9:1 9.9.9.9:1 /"));
    check("https://[2620:00fe::fe]/", Ok("[2620:fe::fe]:443 [2620:fe::fe] /"));
    check(
        "https://hook.example/a|b^c`d\"e?f`g|h'i",
        Ok("hook.example:443 hook.example /a|b^c%60d%22e?f`g|h%27i"),
    );
}

#[test]
fn refusal_reasons() {
    check("no address", Err(TargetError::Malformed));
    check("http://hook.example/", Err(TargetError::NotHttps));
    check("https://a@hook.example/", Err(TargetError::UserInfo));
    check("https://:a@hook.example/", Err(TargetError::UserInfo));
    check("https://hook.example:0/", Err(TargetError::Port));
    check("https://a..example/", Err(TargetError::Name));
    check("https://hook.example../", Err(TargetError::Name));
    check("https://kubernetes/", Err(TargetError::LocalName));
    check("https://a.localhost./", Err(TargetError::LocalName));
    check("https://home.arpa/", Err(TargetError::LocalName));
    check("https://0x7f.1/", Err(TargetError::Address));
    check("https://[::ffff:9.9.9.9]/", Err(TargetError::Address));
}

#[test]
fn other_ports_ip_literals_and_own_addresses_are_refused_by_default() {
    let mut policy = TargetPolicy {
        ports: AllowedPorts::default(),
        ip_literals: IpLiterals::default(),
        ..open(AddressPolicy::PublicOnly)
    };
    assert!(checked_by("https://hook.example/", &policy).is_ok());
    assert!(checked_by("https://hook.example:8443/", &policy).is_ok());
    for port in [22, 25, 80, 444, 8080, 9200] {
        let refused = checked_by(&format!("https://hook.example:{port}/"), &policy).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!("This URL must not use port {port}; webhooks are sent to port 443 or 8443 only.")
        );
    }
    for literal in ["9.9.9.9", "151587081", "[2620:fe::fe]"] {
        let endpoint = format!("https://{literal}/");
        assert_eq!(checked_by(&endpoint, &policy), Err(TargetError::IpLiteral), "{literal}");
    }
    policy.ports = AllowedPorts::Only(vec![9_200]);
    policy.ip_literals = IpLiterals::Allowed;
    assert!(checked_by("https://9.9.9.9:9200/", &policy).is_ok());
    assert!(checked_by("https://9.9.9.9/", &policy).is_err());
    policy.addresses.own = OwnAddresses::new(Interfaces::Fixed(vec!["9.9.9.9".parse().unwrap()])).unwrap();
    assert_eq!(checked_by("https://9.9.9.9:9200/", &policy), Err(TargetError::Address));
    assert!(checked_by("https://9.9.9.10:9200/", &policy).is_ok());
}

#[test]
fn private_targets_are_allowed_in_danger_mode() {
    let check = |endpoint, expected: Result<&str, TargetError>| {
        let checked = checked(endpoint, AddressPolicy::DangerAllowPrivate);
        assert_eq!(checked, expected.map(str::to_owned), "{endpoint}");
    };
    check("https://localhost:1/", Ok("localhost:1 localhost:1 /"));
    check("https://kubernetes/", Ok("kubernetes:443 kubernetes /"));
    check("https://nas.lan/", Ok("nas.lan:443 nas.lan /"));
    check("https://127.1/", Ok("127.0.0.1:443 127.0.0.1 /"));
    check("https://[::1]:2/", Ok("[::1]:2 [::1]:2 /"));
    check("https://localhost:0/", Err(TargetError::Port));
    check("https://a..b/", Err(TargetError::Name));
    check("https://224.0.0.1/", Err(TargetError::Address));
    check("https://169.254.169.254/", Err(TargetError::Address));
    check("http://localhost/", Err(TargetError::NotHttps));
}

#[test]
fn name_length_limits() {
    let name = |labels: usize| format!("https://{}ab.example/", "abcdefg.".repeat(labels));
    assert!(checked(&name(30), AddressPolicy::PublicOnly).is_ok(), "250 bytes");
    check(&name(31), Err(TargetError::Name));
    check(&format!("https://{}.example/", "a".repeat(64)), Err(TargetError::Name));
    assert!(checked(&format!("https://{}.example/", "a".repeat(63)), AddressPolicy::PublicOnly).is_ok());
}

#[test]
fn ssrf_corpus_is_refused_and_public_endpoints_pass() {
    for endpoint in ssrf::refused(443) {
        // Both as users' endpoints arrive, and as if the check before had a hole.
        let accepted = Endpoint::parse(&endpoint)
            .is_ok_and(|endpoint| Target::check(&endpoint, &open(AddressPolicy::PublicOnly)).is_ok());
        assert!(!accepted, "{endpoint:?}");
    }
    for endpoint in ssrf::ALLOWED {
        let parsed = Endpoint::parse(endpoint).unwrap();
        let checked = Target::check(&parsed, &open(AddressPolicy::PublicOnly));
        assert!(checked.is_ok(), "{endpoint}: {checked:?}");
    }
}
