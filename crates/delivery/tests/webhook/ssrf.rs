//! Where nothing is ever sent, however it is written and whatever a name leads to.

use delivery::webhook::{AddressPolicy, Dns, Settings, Webhooks};
use domain::{Endpoint, Fault, Outcome};
use testkit::dns_server::{DnsAnswer, DnsServer};
use testkit::receiver::Canaries;
use testkit::ssrf;

use crate::support::{impatient, message, settings};

fn public_only(server: &DnsServer) -> Webhooks {
    let settings = Settings {
        addresses: AddressPolicy::PublicOnly,
        dns: Dns::Servers(vec![server.address]),
        // From here, the system finds no way to any public address: nothing leaves the machine, whatever may be wrong.
        source_address: Some("127.0.0.1".parse().unwrap()),
        ..settings()
    };
    Webhooks::new(settings).unwrap()
}

#[tokio::test]
async fn no_spelling_leads_to_this_machine() {
    let canaries = Canaries::start().unwrap();
    let server = DnsServer::start::<String>([]).await;
    let webhooks = public_only(&server);
    let endpoints = ssrf::refused(canaries.port);
    assert!(endpoints.len() >= 300);
    for endpoint in endpoints {
        // What passes for an endpoint is refused before anything is sent.
        if let Ok(parsed) = Endpoint::parse(&endpoint) {
            assert!(webhooks.check(&parsed).is_err(), "{endpoint:?}");
        }
        // What does not is sent nowhere if it came here all the same. Some of it leads to a name that does not exist.
        let result = webhooks.send(&message(&endpoint)).await;
        let refused = [Outcome::Failed(Fault::Refused), Outcome::Failed(Fault::Dns)];
        assert!(refused.contains(&result.outcome), "{endpoint:?}: {:?}", result.outcome);
        assert_eq!(canaries.connections(), 0, "{endpoint:?}");
    }
    for name in server.queries() {
        assert_eq!(name, "hook.example", "no other of them is a name that anybody is asked for");
    }
}

#[tokio::test]
async fn no_name_leads_to_this_machine() {
    let canaries = Canaries::start().unwrap();
    let answers = ssrf::answers();
    let book =
        answers.iter().map(|answer| (answer.name.clone(), DnsAnswer::Addresses(answer.addresses.clone())));
    let server = DnsServer::start(book).await;
    let webhooks = public_only(&server);
    for answer in &answers {
        let endpoint = format!("https://{}:{}/", answer.name, canaries.port);
        assert!(webhooks.check(&Endpoint::parse(&endpoint).unwrap()).is_ok(), "nothing was asked yet");
        let result = webhooks.send(&message(&endpoint)).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Refused), "{answer:?}");
        assert_eq!(canaries.connections(), 0, "{answer:?}");
    }
}

#[tokio::test]
async fn a_listener_hears_what_comes() {
    let canaries = Canaries::start().unwrap();
    let webhooks = Webhooks::new(Settings { deadlines: impatient(), ..settings() }).unwrap();
    for host in ["127.0.0.1", "127.0.0.2", "2147483646", "[::1]", "localhost", "0x7f.1"] {
        let result = webhooks.send(&message(&format!("https://{host}:{}/", canaries.port))).await;
        assert_eq!(result.outcome, Outcome::Failed(Fault::Timeout), "{host}");
        assert_eq!(canaries.connections(), 1, "{host}");
    }
}
