//! Where nothing is ever sent: hundreds of spellings and answers of name servers, through every door an address can come in by.
//!
//! Canaries listen on the addresses of this machine, and whoever connects to one of them is seen. Everything leaves from loopback,
//! from where the system finds no way to a public address: what is let through ends with `connect`, and on this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::{Endpoint, Scopes};
use serde_json::{Value, json};
use testkit::dns_server::{DnsAnswer, DnsServer};
use testkit::receiver::Canaries;
use testkit::ssrf::{ALLOWED, answers, refused};

use super::{meet_everything, members};
use crate::harness::TestServer;
use crate::harness::adverts::full;
use crate::harness::client::{Answer, Connection, Request, patiently};
use crate::searches::{self, put, with};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// What a user may send a minute is no more than this; each of these tests' users sends as many.
const EXAMPLES_PER_USER: usize = 10;

/// A server that sends to public addresses only, the name server it asks, and those who must hear nothing.
struct Guarded {
    server: TestServer,
    names: DnsServer,
    canaries: Canaries,
}

impl Guarded {
    async fn start(says: impl IntoIterator<Item = (String, DnsAnswer)>) -> Self {
        Self::with(says, "").await
    }

    async fn with(says: impl IntoIterator<Item = (String, DnsAnswer)>, more: &str) -> Self {
        let names = DnsServer::start(says).await;
        // What is refused counts as one host. Not all at once: the name server's socket holds only so many questions.
        let settings = format!(
            "[delivery]\nsource_address = \"127.0.0.1\"\ndns_servers = \"{}\"\n\
             per_host_max = 64\nper_user_max = 64\n{more}",
            names.address
        );
        Self { server: TestServer::bringing(&settings).await, names, canaries: Canaries::start().unwrap() }
    }

    fn at(&self, name: &str) -> String {
        format!("https://{name}:{}/hook", self.canaries.port)
    }

    /// Waits until so many attempts were recorded.
    async fn attempted(&self, count: u64) {
        let recorded = || {
            let status = self.server.app.dispatch_status().unwrap();
            status.attempts.iter().map(|(_, _, count)| count).sum::<u64>()
        };
        patiently(async {
            while recorded() < count {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(recorded(), count);
    }

    /// What came of every attempt of a search, for each of its deliveries.
    async fn outcomes(&self, search: &str) -> Vec<Vec<String>> {
        let page = self.server.get(&format!("/deliveries?search={search}")).await.ok();
        let mut outcomes = Vec::new();
        for delivery in members(&page) {
            let delivery = self.server.get(super::path(delivery)).await.ok();
            let attempts = delivery["attempts"].as_array().unwrap();
            outcomes.push(attempts.iter().map(|it| it["outcome"].as_str().unwrap().to_owned()).collect());
        }
        outcomes
    }

    async fn test(&self, endpoint: &str, key: &str) -> Answer {
        let endpoint: String = endpoint.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/webhook-tester?endpoint={endpoint}&eventType=match");
        self.server.send(Request::new("GET", &path).key(key)).await
    }

    /// Keys of so many users that each of `count` calls of the tester is within somebody's allowance.
    async fn testers(&self, count: usize) -> Vec<String> {
        let mut keys = Vec::new();
        for number in 0..count.div_ceil(EXAMPLES_PER_USER) {
            let key = self.server.app.create_key(&format!("tester {number}"), Scopes::all()).await.unwrap();
            keys.push(key.1.reveal());
        }
        keys
    }
}

/// Names that lead where nothing may be sent, each in its own way.
fn misleading() -> Vec<(String, DnsAnswer)> {
    let plain = answers().into_iter().map(|answer| (answer.name, DnsAnswer::Addresses(answer.addresses)));
    let inner = "inner.example";
    let others = [
        ("alias.example", DnsAnswer::Alias(inner, vec![PRIVATE])),
        ("alias-of-both.example", DnsAnswer::Alias(inner, vec![PUBLIC, PRIVATE])),
        ("alias-only.example", DnsAnswer::AliasOnly(inner)),
        ("alias-of-v6.example", DnsAnswer::Alias(inner, vec![Ipv6Addr::LOCALHOST.into()])),
        ("rebound.example", DnsAnswer::Rotating(vec![vec![PRIVATE], vec![PUBLIC, PRIVATE]])),
    ];
    plain.chain(others.map(|(name, says)| (name.to_owned(), says))).collect()
}

/// What a name server knows beside them.
fn book(names: &[(String, DnsAnswer)]) -> Vec<(String, DnsAnswer)> {
    let inner = ("inner.example".to_owned(), DnsAnswer::Addresses(vec![PRIVATE]));
    names.iter().cloned().chain([inner]).collect()
}

#[tokio::test]
async fn no_spelling_is_taken_from_anybody() {
    let guarded = Guarded::start([]).await;
    let (server, canaries) = (&guarded.server, &guarded.canaries);
    let made = searches::make(server, &json!({"notificationEnabled": true})).await;
    let spellings = refused(canaries.port);
    assert!(spellings.len() >= 300, "{}", spellings.len());
    for endpoint in &spellings {
        if endpoint.is_empty() {
            // That is no spelling but none: such a search has no endpoint.
            let fields = json!({"endpointRecipient": endpoint, "eventEndpoint": endpoint});
            let none = searches::make(server, &fields).await;
            assert_eq!((&none["endpointRecipient"], &none["eventEndpoint"]), (&Value::Null, &Value::Null));
            assert_eq!(server.delete(searches::path(&none)).await.status, 204);
            assert_eq!(guarded.test(endpoint, &server.keys.all).await.violations(400), ["endpoint"]);
            continue;
        }
        let paths = ["endpointRecipient", "eventEndpoint"];
        let fields = with(&json!({"endpointRecipient": endpoint, "eventEndpoint": endpoint}));
        assert_eq!(server.post("/searches", &fields).await.violations(422), paths, "{endpoint:?}");
        let answer = put(server, searches::path(&made), &fields).await;
        assert_eq!(answer.violations(422), paths, "{endpoint:?}");
        // Nobody's allowance is used up by what is not sent.
        let answer = guarded.test(endpoint, &server.keys.all).await;
        // A query is refused otherwise for what is no address than for one that nothing is sent to.
        let status = if Endpoint::parse(endpoint).is_ok() { 422 } else { 400 };
        assert_eq!(answer.violations(status), ["endpoint"], "{endpoint:?}");
        assert_eq!(canaries.connections(), 0, "{endpoint:?}");
    }
    assert_eq!(server.get("/searches").await.ok()["hydra:totalItems"], 1);
    assert_eq!(server.get(searches::path(&made)).await.ok(), made);
    assert_eq!(guarded.names.queries(), Vec::<String>::new(), "nobody has to be asked for that");
}

#[tokio::test]
async fn what_is_only_similar_is_taken() {
    let guarded = Guarded::start([]).await;
    for endpoint in ALLOWED {
        let search = searches::make(&guarded.server, &json!({"endpointRecipient": endpoint})).await;
        let changed = with(&json!({"eventEndpoint": endpoint}));
        let search = put(&guarded.server, searches::path(&search), &changed).await.ok();
        assert_eq!(
            (&search["endpointRecipient"], &search["eventEndpoint"]),
            (&json!(endpoint), &json!(endpoint))
        );
    }
    assert_eq!(guarded.names.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn no_spelling_that_is_there_already_is_sent_to() {
    let guarded = Guarded::start([]).await;
    let (server, canaries) = (&guarded.server, &guarded.canaries);
    // As if they had been accepted by laxer rules, or written into the store by somebody else.
    let taken = meet_everything(server, json!({"endpointRecipient": "https://hook.example/"})).await;
    let id = searches::path(&taken).strip_prefix("/searches/").unwrap().parse().unwrap();
    let stored = server.app.store().search(id).await.unwrap().unwrap();
    assert_eq!(server.delete(searches::path(&taken)).await.status, 204);
    let spellings = refused(canaries.port);
    let mut made = Vec::new();
    for spelling in &spellings {
        let mut draft = stored.search.draft.clone();
        draft.alerts.endpoint = Some(Endpoint::trusted(spelling.clone()));
        let search = server.app.create_search(stored.search.owner, draft, u32::MAX).await.unwrap().unwrap();
        made.push(search.search.id.to_string());
    }
    server.accept(&full("1")).await;
    let count = spellings.len() as u64;
    guarded.attempted(count).await;
    assert_eq!(canaries.connections(), 0);
    server.clock.advance(jiff::SignedDuration::from_hours(1));
    guarded.attempted(2 * count).await;
    assert_eq!(canaries.connections(), 0);
    let mut refusals = 0;
    for (spelling, search) in spellings.iter().zip(&made) {
        // A few of them lead to a name, which is nobody's.
        let outcomes = guarded.outcomes(search).await;
        let refused = outcomes == [["policy_refused"; 2]];
        assert!(refused || outcomes == [["dns"; 2]], "{spelling:?}: {outcomes:?}");
        refusals += u64::from(refused);
    }
    assert!(refusals >= 300, "{refusals}");
    for name in guarded.names.queries() {
        assert_eq!(name, "hook.example", "no other of them is a name that anybody is asked for");
    }
}

#[tokio::test]
async fn no_name_is_followed_to_this_machine() {
    let names = misleading();
    let guarded = Guarded::start(book(&names)).await;
    let (server, canaries) = (&guarded.server, &guarded.canaries);
    let mut made = Vec::new();
    for (name, _) in &names {
        // Taken: where a name leads is judged when something is sent.
        let fields =
            json!({"endpointRecipient": guarded.at(name), "subscribedEvents": ["property.ad.create"]});
        let search = meet_everything(server, fields).await;
        let changed = with(&json!({"propertyTypes": [0, 1], "eventEndpoint": guarded.at(name)}));
        made.push(put(server, searches::path(&search), &changed).await.ok());
    }
    assert_eq!(guarded.names.queries(), Vec::<String>::new(), "nothing was sent yet");
    server.accept(&full("1")).await;
    // A match and an event each.
    let count = 2 * names.len() as u64;
    for round in 1..=2 {
        guarded.attempted(round * count).await;
        assert_eq!(canaries.connections(), 0);
        server.clock.advance(jiff::SignedDuration::from_hours(1));
    }
    for ((name, _), search) in names.iter().zip(&made) {
        let id = searches::path(search).rsplit('/').next().unwrap();
        let outcomes = guarded.outcomes(id).await;
        assert_eq!(outcomes.len(), 2, "{name}");
        for outcomes in outcomes {
            assert!(outcomes.len() >= 2, "{name}: {outcomes:?}");
            assert!(outcomes.iter().all(|outcome| outcome == "policy_refused"), "{name}: {outcomes:?}");
        }
    }
    assert_eq!(canaries.connections(), 0);
}

#[tokio::test]
async fn the_tester_follows_no_name_to_this_machine_either() {
    let names = misleading();
    let guarded = Guarded::start(book(&names)).await;
    let testers = guarded.testers(names.len()).await;
    for (number, (name, _)) in names.iter().enumerate() {
        let answer = guarded.test(&guarded.at(name), &testers[number / EXAMPLES_PER_USER]).await;
        assert_eq!(answer.violations(422), ["endpoint"], "{name}");
        assert_eq!(guarded.canaries.connections(), 0, "{name}");
        assert!(guarded.names.queries().contains(name), "{name}");
    }
}

#[tokio::test]
async fn a_name_that_is_rebound_is_judged_each_time() {
    let turns = vec![vec![PUBLIC], vec![PRIVATE], vec![PUBLIC], vec![PUBLIC, PRIVATE]];
    let says =
        ["sent.example", "tested.example"].map(|name| (name.to_owned(), DnsAnswer::Rotating(turns.clone())));
    let guarded = Guarded::start(says).await;
    let server = &guarded.server;
    for turn in ["connect", "policy_refused", "connect", "policy_refused"] {
        let answer = guarded.test(&guarded.at("tested.example"), &server.keys.all).await;
        match turn {
            "connect" => {
                assert_eq!((answer.status, &answer.json()["receiver"]["outcome"]), (502, &json!(turn)))
            }
            _ => assert_eq!(answer.violations(422), ["endpoint"]),
        }
        assert_eq!(guarded.canaries.connections(), 0);
    }
    let search = meet_everything(server, json!({"endpointRecipient": guarded.at("sent.example")})).await;
    server.accept(&full("1")).await;
    for attempt in 1..=4 {
        guarded.attempted(attempt).await;
        server.clock.advance(jiff::SignedDuration::from_hours(1));
    }
    guarded.attempted(5).await;
    let id = searches::path(&search).rsplit('/').next().unwrap();
    let expected = ["connect", "policy_refused", "connect", "policy_refused", "policy_refused"];
    assert_eq!(guarded.outcomes(id).await, [expected]);
    assert_eq!(guarded.canaries.connections(), 0);
}

/// Where private addresses are allowed, the same doors lead to the canaries: they would hear it.
#[tokio::test]
async fn a_canary_hears_what_comes() {
    let says = [("inner.example".to_owned(), DnsAnswer::Addresses(vec![PRIVATE]))];
    let guarded = Guarded::with(says, "danger_allow_private_addresses = true\n").await;
    let (server, canaries) = (&guarded.server, &guarded.canaries);
    let heard = async |count: usize| {
        let mut connections = 0;
        patiently(async {
            while connections < count {
                connections += canaries.connections();
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(connections, count);
    };
    let mut waiting = Vec::new();
    for host in ["127.0.0.1", "2130706433", "0x7f.1", "127.0.0.2", "inner.example"] {
        // Nobody answers there, and a user sends one at a time.
        let key = server.app.create_key(host, Scopes::all()).await.unwrap().1.reveal();
        let mut asking = Connection::open(server.address).await;
        let path = format!("/webhook-tester?endpoint={}&eventType=match", guarded.at(host));
        asking.send(Request::new("GET", &path).key(&key).bytes()).await;
        waiting.push(asking);
        heard(1).await;
    }
    let fields = json!({
        "endpointRecipient": guarded.at("inner.example"), "eventEndpoint": guarded.at("127.0.0.1"),
        "subscribedEvents": ["property.ad.create"],
    });
    meet_everything(server, fields).await;
    server.accept(&full("1")).await;
    heard(2).await;
}
