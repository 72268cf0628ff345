//! Examples of parsed endpoints.

use domain::Endpoint;
use testkit::ssrf;

use super::*;

fn checked(endpoint: &str, addresses: AddressPolicy) -> Result<String, TargetError> {
    let target = Target::check(&Endpoint::trusted(endpoint.to_owned()), addresses)?;
    Ok(format!("{} {} {}", target.host, target.authority, target.path))
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
            .is_ok_and(|endpoint| Target::check(&endpoint, AddressPolicy::PublicOnly).is_ok());
        assert!(!accepted, "{endpoint:?}");
    }
    for endpoint in ssrf::ALLOWED {
        let parsed = Endpoint::parse(endpoint).unwrap();
        let checked = Target::check(&parsed, AddressPolicy::PublicOnly);
        assert!(checked.is_ok(), "{endpoint}: {checked:?}");
    }
}
