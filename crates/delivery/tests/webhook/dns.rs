//! Name resolution: the queries sent, and the outcome for each kind of answer.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use delivery::Reach;
use delivery::webhook::{AddressPolicy, Dns, Interfaces, Settings, Webhooks};
use domain::{Fault, Outcome};
use testkit::dns_server::{DnsAnswer, DnsServer};

use crate::certificates::Authority;
use crate::receiver::{Receiver, Reply};
use crate::support::{impatient, message, settings};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// Sends to a name that the DNS server answers like this, several times. No route leads from the source address to
/// a public address, so an allowed attempt ends with [`Fault::Connect`].
async fn check(answer: DnsAnswer, expected: &[Fault]) {
    let inner = ("inner.example", DnsAnswer::Addresses(vec![PRIVATE]));
    let server = DnsServer::start([("hook.example", answer.clone()), inner]).await;
    let settings = Settings {
        addresses: AddressPolicy::PublicOnly,
        dns: Dns::Servers(vec![server.address]),
        source_address: Some(PRIVATE),
        deadlines: match answer {
            DnsAnswer::NoReply => impatient(),
            _ => Settings::default().deadlines,
        },
        ..settings()
    };
    let webhooks = Webhooks::new(settings).unwrap();
    for fault in expected {
        let result = webhooks.send(&message("https://hook.example/")).await;
        assert_eq!(result.outcome, Outcome::Failed(*fault), "{answer:?}");
    }
    assert!(!server.queries().is_empty());
}

#[tokio::test]
async fn one_private_address_refuses_the_name() {
    check(DnsAnswer::Addresses(vec![PUBLIC]), &[Fault::Connect]).await;
    check(DnsAnswer::Addresses(vec![PRIVATE]), &[Fault::Refused]).await;
    check(DnsAnswer::Addresses(vec![PUBLIC, PRIVATE]), &[Fault::Refused]).await;
    check(DnsAnswer::Addresses(vec![PUBLIC, Ipv6Addr::LOCALHOST.into()]), &[Fault::Refused]).await;
    check(DnsAnswer::Alias("inner.example", vec![PUBLIC]), &[Fault::Connect]).await;
    check(DnsAnswer::Alias("inner.example", vec![PRIVATE]), &[Fault::Refused]).await;
    check(DnsAnswer::AliasOnly("inner.example"), &[Fault::Refused]).await;
}

#[tokio::test]
async fn rebinding_is_refused() {
    let turns = vec![vec![PUBLIC], vec![PRIVATE], vec![PUBLIC], vec![PUBLIC, PRIVATE]];
    let faults = [Fault::Connect, Fault::Refused, Fault::Connect, Fault::Refused];
    check(DnsAnswer::Rotating(turns), &faults).await;
}

#[tokio::test]
async fn private_address_among_a_thousand_is_refused() {
    let mut many: Vec<IpAddr> =
        (0..1_000).map(|number| IpAddr::from([9, 9, (number / 250) as u8, (number % 250) as u8])).collect();
    check(DnsAnswer::Addresses(many.clone()), &[Fault::Connect]).await;
    many.push(PRIVATE);
    check(DnsAnswer::Addresses(many), &[Fault::Refused]).await;
}

#[tokio::test]
async fn unresolvable_names_are_dns_faults() {
    check(DnsAnswer::NxDomain, &[Fault::Dns]).await;
    check(DnsAnswer::ServFail, &[Fault::Dns]).await;
    check(DnsAnswer::Addresses(Vec::new()), &[Fault::Dns]).await;
    check(DnsAnswer::AliasOnly("nowhere.example"), &[Fault::Dns]).await;
    check(DnsAnswer::AliasOnly("hook.example"), &[Fault::Dns]).await;
    check(DnsAnswer::NoReply, &[Fault::Timeout]).await;
}

#[tokio::test]
async fn names_are_resolved_as_written() {
    let server = DnsServer::start([
        ("hook.example", DnsAnswer::Addresses(vec![PRIVATE])),
        ("single", DnsAnswer::Addresses(vec![PRIVATE])),
    ])
    .await;
    let authority = Authority::new();
    let config = authority.server(&["hook.example", "single"], &[]);
    let receiver = Receiver::raw(config, Reply::status(200)).await;
    let settings = Settings {
        dns: Dns::Servers(vec![server.address]),
        extra_ca_pem: Some(authority.pem()),
        ..settings()
    };
    let webhooks = Webhooks::new(settings).unwrap();
    for name in ["hook.example", "Hook.Example.", "single"] {
        let endpoint = format!("https://{name}:{}/", receiver.address.port());
        assert_eq!(webhooks.send(&message(&endpoint)).await.outcome, Outcome::Delivered, "{name}");
    }
    assert_eq!(receiver.connections(), 2, "a trailing dot does not change the host");
    let hosts: Vec<String> = receiver
        .requests()
        .iter()
        .map(|request| request.head.lines().find_map(|line| line.strip_prefix("host: ")).unwrap().to_owned())
        .collect();
    let port = receiver.address.port();
    assert_eq!(
        hosts,
        [format!("hook.example:{port}"), format!("hook.example:{port}"), format!("single:{port}")]
    );
    let mut asked = server.queries();
    asked.sort_unstable();
    assert_eq!(asked, ["hook.example", "hook.example", "single", "single"], "once per address family");
}

/// A machine may have a public address. From inside, it reaches services that a firewall hides from others.
#[tokio::test]
async fn addresses_of_this_machine_are_refused() {
    let server = DnsServer::start([("hook.example", DnsAnswer::Addresses(vec![PUBLIC]))]).await;
    for (own, fault) in [(PUBLIC, Fault::Refused), (IpAddr::from([9, 9, 9, 10]), Fault::Connect)] {
        let settings = Settings {
            addresses: AddressPolicy::PublicOnly,
            interfaces: Interfaces::Fixed(vec![own]),
            dns: Dns::Servers(vec![server.address]),
            source_address: Some(PRIVATE),
            ..settings()
        };
        let result = Webhooks::new(settings).unwrap().send(&message("https://hook.example/")).await;
        assert_eq!((result.outcome, result.reach), (Outcome::Failed(fault), Reach::NotConnected), "{own}");
    }
}

#[tokio::test]
async fn other_ports_and_ip_literals_are_not_sent_to() {
    let server = DnsServer::start([("hook.example", DnsAnswer::Addresses(vec![PUBLIC]))]).await;
    let settings = Settings {
        addresses: AddressPolicy::PublicOnly,
        dns: Dns::Servers(vec![server.address]),
        source_address: Some(PRIVATE),
        ..settings()
    };
    let webhooks = Webhooks::new(settings).unwrap();
    for endpoint in ["https://hook.example:22/", "https://9.9.9.9/", "https://[2620:fe::fe]/"] {
        let result = webhooks.send(&message(endpoint)).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Refused), "{endpoint}");
    }
    assert_eq!(server.queries(), Vec::<String>::new());
}
