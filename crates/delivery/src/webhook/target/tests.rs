//! Examples of what is read out of an endpoint.

use domain::Endpoint;
use testkit::addresses;

use super::*;

fn judged(endpoint: &str, addresses: Addresses) -> Result<String, Refused> {
    let target = Target::judge(&Endpoint::trusted(endpoint.to_owned()), addresses)?;
    Ok(format!("{} {} {}", target.host, target.authority, target.path))
}

fn check(endpoint: &str, expected: Result<&str, Refused>) {
    let judged = judged(endpoint, Addresses::PublicOnly);
    assert_eq!(judged, expected.map(str::to_owned), "{endpoint}");
}

#[test]
fn a_host_has_one_spelling() {
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
fn what_is_wrong_is_said() {
    check("no address", Err(Refused::Malformed));
    check("http://hook.example/", Err(Refused::NotHttps));
    check("https://a@hook.example/", Err(Refused::UserInfo));
    check("https://:a@hook.example/", Err(Refused::UserInfo));
    check("https://hook.example:0/", Err(Refused::Port));
    check("https://a..example/", Err(Refused::Name));
    check("https://hook.example../", Err(Refused::Name));
    check("https://kubernetes/", Err(Refused::LocalName));
    check("https://a.localhost./", Err(Refused::LocalName));
    check("https://home.arpa/", Err(Refused::LocalName));
    check("https://0x7f.1/", Err(Refused::Address));
    check("https://[::ffff:9.9.9.9]/", Err(Refused::Address));
}

#[test]
fn in_danger_only_what_is_nonsense_is_refused() {
    let check = |endpoint, expected: Result<&str, Refused>| {
        let judged = judged(endpoint, Addresses::DangerPrivateToo);
        assert_eq!(judged, expected.map(str::to_owned), "{endpoint}");
    };
    check("https://localhost:1/", Ok("localhost:1 localhost:1 /"));
    check("https://kubernetes/", Ok("kubernetes:443 kubernetes /"));
    check("https://nas.lan/", Ok("nas.lan:443 nas.lan /"));
    check("https://127.1/", Ok("127.0.0.1:443 127.0.0.1 /"));
    check("https://[::1]:2/", Ok("[::1]:2 [::1]:2 /"));
    check("https://localhost:0/", Err(Refused::Port));
    check("https://a..b/", Err(Refused::Name));
    check("https://224.0.0.1/", Err(Refused::Address));
    check("https://169.254.169.254/", Err(Refused::Address));
    check("http://localhost/", Err(Refused::NotHttps));
}

#[test]
fn a_name_is_as_long_as_names_can_be() {
    let name = |labels: usize| format!("https://{}ab.example/", "abcdefg.".repeat(labels));
    assert!(judged(&name(30), Addresses::PublicOnly).is_ok(), "250 bytes");
    check(&name(31), Err(Refused::Name));
    check(&format!("https://{}.example/", "a".repeat(64)), Err(Refused::Name));
    assert!(judged(&format!("https://{}.example/", "a".repeat(63)), Addresses::PublicOnly).is_ok());
}

#[test]
fn nothing_that_leads_inside_is_let_through_and_nothing_else_is_held() {
    for endpoint in addresses::refused(443) {
        // As users' addresses come, and as they would if the check before had a hole.
        let accepted = Endpoint::parse(&endpoint)
            .is_ok_and(|endpoint| Target::judge(&endpoint, Addresses::PublicOnly).is_ok());
        assert!(!accepted, "{endpoint:?}");
    }
    for endpoint in addresses::ALLOWED {
        let parsed = Endpoint::parse(endpoint).unwrap();
        let judged = Target::judge(&parsed, Addresses::PublicOnly);
        assert!(judged.is_ok(), "{endpoint}: {judged:?}");
    }
}
