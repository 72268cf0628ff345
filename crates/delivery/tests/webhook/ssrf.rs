//! SSRF: no spelling of an endpoint and no DNS answer reaches a private address.

use delivery::webhook::{AddressPolicy, AllowedPorts, Dns, IpLiterals, Settings, Webhooks};
use domain::{Endpoint, Fault, Outcome};
use testkit::dns_server::{DnsAnswer, DnsServer};
use testkit::receiver::Canaries;
use testkit::ssrf;

use crate::support::{impatient, message, settings};

fn public_only(server: &DnsServer) -> Webhooks {
    let settings = Settings {
        addresses: AddressPolicy::PublicOnly,
        // The address policy alone must hold.
        ports: AllowedPorts::Any,
        ip_literals: IpLiterals::Allowed,
        dns: Dns::Servers(vec![server.address]),
        // No route leads from here to a public address: nothing leaves the machine, even if the policy has a hole.
        source_address: Some("127.0.0.1".parse().unwrap()),
        ..settings()
    };
    Webhooks::new(settings).unwrap()
}

#[tokio::test]
async fn no_spelling_reaches_loopback() {
    let canaries = Canaries::start().unwrap();
    let server = DnsServer::start::<String>([]).await;
    let webhooks = public_only(&server);
    let endpoints = ssrf::refused(canaries.port);
    assert!(endpoints.len() >= 300);
    for endpoint in endpoints {
        // Valid endpoints are refused by the policy.
        if let Ok(parsed) = Endpoint::parse(&endpoint) {
            assert!(webhooks.check(&parsed).is_err(), "{endpoint:?}");
        }
        // Invalid ones are not sent even if they get this far. Some of them contain a name that does not exist.
        let result = webhooks.send(&message(&endpoint)).await;
        let refused = [Outcome::Failed(Fault::Refused), Outcome::Failed(Fault::Dns)];
        assert!(refused.contains(&result.outcome), "{endpoint:?}: {:?}", result.outcome);
        assert_eq!(canaries.connections(), 0, "{endpoint:?}");
    }
    for name in server.queries() {
        assert_eq!(name, "hook.example", "no other name is resolved");
    }
}

#[tokio::test]
async fn no_dns_answer_reaches_loopback() {
    let canaries = Canaries::start().unwrap();
    let answers = ssrf::answers();
    let zone =
        answers.iter().map(|answer| (answer.name.clone(), DnsAnswer::Addresses(answer.addresses.clone())));
    let server = DnsServer::start(zone).await;
    let webhooks = public_only(&server);
    for answer in &answers {
        let endpoint = format!("https://{}:{}/", answer.name, canaries.port);
        assert!(webhooks.check(&Endpoint::parse(&endpoint).unwrap()).is_ok(), "allowed before resolution");
        let result = webhooks.send(&message(&endpoint)).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Refused), "{answer:?}");
        assert_eq!(canaries.connections(), 0, "{answer:?}");
    }
}

#[tokio::test]
async fn canaries_detect_connections() {
    let canaries = Canaries::start().unwrap();
    let webhooks = Webhooks::new(Settings { deadlines: impatient(), ..settings() }).unwrap();
    for host in ["127.0.0.1", "127.0.0.2", "2147483646", "[::1]", "localhost", "0x7f.1"] {
        let result = webhooks.send(&message(&format!("https://{host}:{}/", canaries.port))).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Timeout), "{host}");
        assert_eq!(canaries.connections(), 1, "{host}");
    }
}
