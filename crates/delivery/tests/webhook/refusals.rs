//! Where nothing is ever sent, however it is written and whatever a name leads to.

use delivery::webhook::{Addresses, Dns, Settings, Webhooks};
use domain::{Endpoint, Fault, Outcome};
use testkit::addresses;
use testkit::name_server::{NameServer, Says};
use testkit::receiver::Canaries;

use crate::support::{impatient, post, settings};

fn public_only(server: &NameServer) -> Webhooks {
    let settings = Settings {
        addresses: Addresses::PublicOnly,
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
    let server = NameServer::start::<String>([]).await;
    let webhooks = public_only(&server);
    let endpoints = addresses::refused(canaries.port);
    assert!(endpoints.len() >= 300);
    for endpoint in endpoints {
        // What passes for an endpoint is refused before anything is sent.
        if let Ok(parsed) = Endpoint::parse(&endpoint) {
            assert!(webhooks.judge(&parsed).is_err(), "{endpoint:?}");
        }
        // What does not is sent nowhere if it came here all the same. Some of it leads to a name that does not exist.
        let exchange = webhooks.send(&post(&endpoint)).await;
        let refused = [Outcome::Failed(Fault::Refused), Outcome::Failed(Fault::Dns)];
        assert!(refused.contains(&exchange.outcome), "{endpoint:?}: {:?}", exchange.outcome);
        assert_eq!(canaries.connections(), 0, "{endpoint:?}");
    }
    for name in server.asked() {
        assert_eq!(name, "hook.example", "no other of them is a name that anybody is asked for");
    }
}

#[tokio::test]
async fn no_name_leads_to_this_machine() {
    let canaries = Canaries::start().unwrap();
    let answers = addresses::answers();
    let book = answers.iter().map(|answer| (answer.name.clone(), Says::Addresses(answer.addresses.clone())));
    let server = NameServer::start(book).await;
    let webhooks = public_only(&server);
    for answer in &answers {
        let endpoint = format!("https://{}:{}/", answer.name, canaries.port);
        assert!(webhooks.judge(&Endpoint::parse(&endpoint).unwrap()).is_ok(), "nothing was asked yet");
        let exchange = webhooks.send(&post(&endpoint)).await;
        assert_eq!(exchange.outcome, Outcome::Failed(Fault::Refused), "{answer:?}");
        assert_eq!(canaries.connections(), 0, "{answer:?}");
    }
}

#[tokio::test]
async fn a_listener_hears_what_comes() {
    let canaries = Canaries::start().unwrap();
    let webhooks = Webhooks::new(Settings { deadlines: impatient(), ..settings() }).unwrap();
    for host in ["127.0.0.1", "127.0.0.2", "2147483646", "[::1]", "localhost", "0x7f.1"] {
        let exchange = webhooks.send(&post(&format!("https://{host}:{}/", canaries.port))).await;
        assert_eq!(exchange.outcome, Outcome::Failed(Fault::Timeout), "{host}");
        assert_eq!(canaries.connections(), 1, "{host}");
    }
}
