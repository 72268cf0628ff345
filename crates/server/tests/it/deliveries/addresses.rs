//! Private addresses are never contacted: hundreds of spellings and DNS responses, through every API that takes an address.
//!
//! Canaries listen on the addresses of this machine and record every connection. Outgoing connections start from loopback, from where
//! the system has no route to public addresses: allowed attempts fail with `connect`, on this machine.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use domain::{Endpoint, Scopes};
use serde_json::{Value, json};
use testkit::dns_server::{DnsAnswer, DnsServer};
use testkit::receiver::Canaries;
use testkit::ssrf::{ALLOWED, answers, refused};

use super::{match_everything, members};
use crate::harness::TestServer;
use crate::harness::adverts::full;
use crate::harness::client::{Connection, Request, Response, with_timeout};
use crate::searches::{self, put, with};

const PUBLIC: IpAddr = IpAddr::V4(Ipv4Addr::new(9, 9, 9, 9));
const PRIVATE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// The tester's limit per user and minute. Each user of these tests sends as many.
const EXAMPLES_PER_USER: usize = 10;

/// A server that sends to public addresses only, its name server, and canaries that must see no connection.
struct Fixture {
    server: TestServer,
    names: DnsServer,
    canaries: Canaries,
}

impl Fixture {
    /// All ports and IP literals are allowed: the address policy alone must hold.
    async fn start(says: impl IntoIterator<Item = (String, DnsAnswer)>) -> Self {
        Self::with(says, "allowed_ports = \"any\"\nallow_ip_literals = true\n").await
    }

    async fn with(says: impl IntoIterator<Item = (String, DnsAnswer)>, more: &str) -> Self {
        let names = DnsServer::start(says).await;
        // Rejected hosts count as one host. Limited, because the name server's socket buffers a limited number of queries.
        let settings = format!(
            "[delivery]\nsource_address = \"127.0.0.1\"\ndns_servers = \"{}\"\n\
             per_host_max = 64\nper_user_max = 64\ntester_per_host_hour_max = 0\n{more}",
            names.address
        );
        Self {
            server: TestServer::with_dispatcher(&settings).await,
            names,
            canaries: Canaries::start().unwrap(),
        }
    }

    fn at(&self, name: &str) -> String {
        format!("https://{name}:{}/hook", self.canaries.port)
    }

    /// Waits until `count` attempts are recorded.
    async fn attempted(&self, count: u64) {
        let recorded = || {
            let status = self.server.app.dispatch_status().unwrap();
            status.attempts.iter().map(|(_, _, count)| count).sum::<u64>()
        };
        with_timeout(async {
            while recorded() < count {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert_eq!(recorded(), count, "{:?}", self.server.app.dispatch_status().unwrap().attempts);
    }

    /// Returns the outcomes of all attempts, by delivery of a search.
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

    async fn test(&self, endpoint: &str, key: &str) -> Response {
        let endpoint: String = endpoint.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let path = format!("/webhook-tester?endpoint={endpoint}&eventType=match");
        self.server.send(Request::new("GET", &path).key(key)).await
    }

    /// Creates keys of enough users for `count` calls of the tester.
    async fn testers(&self, count: usize) -> Vec<String> {
        let mut keys = Vec::new();
        for number in 0..count.div_ceil(EXAMPLES_PER_USER) {
            let key = self.server.app.create_key(&format!("tester {number}"), Scopes::all()).await.unwrap();
            keys.push(key.1.reveal());
        }
        keys
    }
}

/// Names that resolve to private addresses, each in another way.
fn misleading() -> Vec<(String, DnsAnswer)> {
    let plain =
        answers().into_iter().map(|response| (response.name, DnsAnswer::Addresses(response.addresses)));
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

/// Adds the name that the aliases point to.
fn with_alias_target(names: &[(String, DnsAnswer)]) -> Vec<(String, DnsAnswer)> {
    let inner = ("inner.example".to_owned(), DnsAnswer::Addresses(vec![PRIVATE]));
    names.iter().cloned().chain([inner]).collect()
}

#[tokio::test]
async fn private_address_spellings_are_rejected() {
    let fixture = Fixture::start([]).await;
    let (server, canaries) = (&fixture.server, &fixture.canaries);
    let created = searches::create_search(server, &json!({"notificationEnabled": true})).await;
    let spellings = refused(canaries.port);
    assert!(spellings.len() >= 300, "{}", spellings.len());
    for endpoint in &spellings {
        if endpoint.is_empty() {
            // An empty text is not an address: such a search has no endpoint.
            let fields = json!({"endpointRecipient": endpoint, "eventEndpoint": endpoint});
            let none = searches::create_search(server, &fields).await;
            assert_eq!((&none["endpointRecipient"], &none["eventEndpoint"]), (&Value::Null, &Value::Null));
            assert_eq!(server.delete(searches::path(&none)).await.status, 204);
            assert_eq!(fixture.test(endpoint, &server.keys.all).await.violations(400), ["endpoint"]);
            continue;
        }
        let paths = ["endpointRecipient", "eventEndpoint"];
        let fields = with(&json!({"endpointRecipient": endpoint, "eventEndpoint": endpoint}));
        assert_eq!(server.post("/searches", &fields).await.violations(422), paths, "{endpoint:?}");
        let response = put(server, searches::path(&created), &fields).await;
        assert_eq!(response.violations(422), paths, "{endpoint:?}");
        // A rejected request does not count against the tester's limit.
        let response = fixture.test(endpoint, &server.keys.all).await;
        // A query distinguishes invalid addresses from forbidden ones.
        let status = if Endpoint::parse(endpoint).is_ok() { 422 } else { 400 };
        assert_eq!(response.violations(status), ["endpoint"], "{endpoint:?}");
        assert_eq!(canaries.connections(), 0, "{endpoint:?}");
    }
    assert_eq!(server.get("/searches").await.ok()["hydra:totalItems"], 1);
    assert_eq!(server.get(searches::path(&created)).await.ok(), created);
    assert_eq!(fixture.names.queries(), Vec::<String>::new(), "no DNS query is needed");
}

#[tokio::test]
async fn similar_public_addresses_are_accepted() {
    let fixture = Fixture::start([]).await;
    for endpoint in ALLOWED {
        let search = searches::create_search(&fixture.server, &json!({"endpointRecipient": endpoint})).await;
        let changed = with(&json!({"eventEndpoint": endpoint}));
        let search = put(&fixture.server, searches::path(&search), &changed).await.ok();
        assert_eq!(
            (&search["endpointRecipient"], &search["eventEndpoint"]),
            (&json!(endpoint), &json!(endpoint))
        );
    }
    assert_eq!(fixture.names.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn stored_private_addresses_are_not_contacted() {
    let fixture = Fixture::start([]).await;
    let (server, canaries) = (&fixture.server, &fixture.canaries);
    // As if they had been accepted by earlier rules, or written to the database by hand.
    let taken = match_everything(server, json!({"endpointRecipient": "https://hook.example/"})).await;
    let id = searches::path(&taken).strip_prefix("/searches/").unwrap().parse().unwrap();
    let stored = server.app.store().search(id).await.unwrap().unwrap();
    assert_eq!(server.delete(searches::path(&taken)).await.status, 204);
    let spellings = refused(canaries.port);
    let mut created = Vec::new();
    for spelling in &spellings {
        let mut draft = stored.search.draft.clone();
        draft.alerts.endpoint = Some(Endpoint::trusted(spelling.clone()));
        let search = server.app.create_search(stored.search.owner, draft, u32::MAX).await.unwrap().unwrap();
        created.push(search.search.id.to_string());
    }
    server.accept(&full("1")).await;
    let count = spellings.len() as u64;
    fixture.attempted(count).await;
    assert_eq!(canaries.connections(), 0);
    server.clock.advance(jiff::SignedDuration::from_hours(1));
    fixture.attempted(2 * count).await;
    assert_eq!(canaries.connections(), 0);
    let mut refusals = 0;
    for (spelling, search) in spellings.iter().zip(&created) {
        // A few of them are names that do not exist.
        let outcomes = fixture.outcomes(search).await;
        let refused = outcomes == [["policy_refused"; 2]];
        assert!(refused || outcomes == [["dns"; 2]], "{spelling:?}: {outcomes:?}");
        refusals += u64::from(refused);
    }
    assert!(refusals >= 300, "{refusals}");
    for name in fixture.names.queries() {
        assert_eq!(name, "hook.example", "no other spelling is a name to resolve");
    }
}

#[tokio::test]
async fn names_resolving_to_private_addresses_are_not_contacted() {
    let names = misleading();
    let fixture = Fixture::start(with_alias_target(&names)).await;
    let (server, canaries) = (&fixture.server, &fixture.canaries);
    let mut created = Vec::new();
    for (name, _) in &names {
        // Accepted: the addresses of a name are checked when something is sent.
        let fields =
            json!({"endpointRecipient": fixture.at(name), "subscribedEvents": ["property.ad.create"]});
        let search = match_everything(server, fields).await;
        let changed = with(&json!({"propertyTypes": [0, 1], "eventEndpoint": fixture.at(name)}));
        created.push(put(server, searches::path(&search), &changed).await.ok());
    }
    assert_eq!(fixture.names.queries(), Vec::<String>::new(), "nothing was sent yet");
    server.accept(&full("1")).await;
    // One match and one event each.
    let count = 2 * names.len() as u64;
    for round in 1..=2 {
        fixture.attempted(round * count).await;
        assert_eq!(canaries.connections(), 0);
        server.clock.advance(jiff::SignedDuration::from_hours(1));
    }
    for ((name, _), search) in names.iter().zip(&created) {
        let id = searches::path(search).rsplit('/').next().unwrap();
        let outcomes = fixture.outcomes(id).await;
        assert_eq!(outcomes.len(), 2, "{name}");
        for outcomes in outcomes {
            assert!(outcomes.len() >= 2, "{name}: {outcomes:?}");
            // On a busy machine a name may not resolve in time, which is no contact either.
            let is_safe = |outcome: &String| outcome == "policy_refused" || outcome == "timeout";
            assert!(outcomes.iter().all(is_safe), "{name}: {outcomes:?}");
            assert!(outcomes.iter().any(|outcome| outcome == "policy_refused"), "{name}: {outcomes:?}");
        }
    }
    assert_eq!(canaries.connections(), 0);
}

#[tokio::test]
async fn tester_does_not_contact_private_addresses() {
    let names = misleading();
    let fixture = Fixture::start(with_alias_target(&names)).await;
    let testers = fixture.testers(names.len()).await;
    // Each user tests one name after the other. The tester takes its time to answer, so users test at the same time.
    let users = names.chunks(EXAMPLES_PER_USER).zip(&testers).map(async |(names, key)| {
        for (name, _) in names {
            let response = fixture.test(&fixture.at(name), key).await;
            assert_eq!(
                (response.status, &response.json()["receiver"]["outcome"]),
                (502, &json!("connect")),
                "{name}"
            );
        }
    });
    futures_util::future::join_all(users).await;
    assert_eq!(fixture.canaries.connections(), 0);
    let queries = fixture.names.queries();
    for (name, _) in &names {
        assert!(queries.contains(name), "{name}");
    }
}

/// A caller who learns which names resolve to private addresses, exist or have an open port can map the operator's network.
#[tokio::test]
async fn tester_does_not_tell_why_a_receiver_was_not_reached() {
    let fixture = Fixture::start([
        ("private.example".to_owned(), DnsAnswer::Addresses(vec![PRIVATE])),
        ("public.example".to_owned(), DnsAnswer::Addresses(vec![PUBLIC])),
        ("missing.example".to_owned(), DnsAnswer::NxDomain),
        ("broken.example".to_owned(), DnsAnswer::ServFail),
    ])
    .await;
    let mut bodies = Vec::new();
    for name in ["private.example", "public.example", "missing.example", "broken.example"] {
        let response = fixture.test(&fixture.at(name), &fixture.server.keys.all).await;
        assert_eq!(response.status, 502, "{name}");
        let mut body = response.json();
        // A busy machine may take a step longer.
        let step = body["receiver"]["durationMs"].as_u64().unwrap();
        assert!(step > 0 && step.is_multiple_of(500), "{name}: {body}");
        let text = body.to_string().replace(&format!("{step} ms"), "N ms");
        body = serde_json::from_str(&text).unwrap();
        body["receiver"]["durationMs"] = json!("N");
        bodies.push(body);
    }
    assert_eq!(bodies[0]["receiver"]["outcome"], "connect");
    assert!(bodies.iter().all(|body| *body == bodies[0]), "{bodies:?}");
    assert_eq!(fixture.canaries.connections(), 0);
}

#[tokio::test]
async fn other_ports_and_ip_literals_are_refused_by_default() {
    let fixture = Fixture::with([], "").await;
    let server = &fixture.server;
    let taken = match_everything(server, json!({"endpointRecipient": "https://hook.example:8443/"})).await;
    for (endpoint, words) in [
        ("https://hook.example:22/", "must not use port 22; webhooks are sent to port 443 or 8443 only"),
        ("https://9.9.9.9/", "must have a host name"),
        ("https://[2620:fe::fe]:8443/", "must have a host name"),
    ] {
        let fields = json!({"endpointRecipient": endpoint, "eventEndpoint": endpoint});
        let paths = ["endpointRecipient", "eventEndpoint"];
        let refused = server.post("/searches", &with(&fields)).await;
        assert_eq!(refused.violations(422), paths, "{endpoint}");
        assert!(refused.text().contains(words), "{}", refused.text());
        assert_eq!(put(server, searches::path(&taken), &with(&fields)).await.violations(422), paths);
        assert_eq!(fixture.test(endpoint, &server.keys.all).await.violations(422), ["endpoint"]);

        // One that an earlier release accepted stays readable and changeable, and is not sent to.
        let id = searches::path(&taken).strip_prefix("/searches/").unwrap().parse().unwrap();
        let stored = server.app.store().search(id).await.unwrap().unwrap();
        let mut draft = stored.search.draft.clone();
        draft.alerts.endpoint = Some(Endpoint::trusted(endpoint.to_owned()));
        let old = server.app.create_search(stored.search.owner, draft, u32::MAX).await.unwrap().unwrap();
        let path = format!("/searches/{}", old.search.id);
        assert_eq!(server.get(&path).await.ok()["endpointRecipient"], endpoint);
        let renamed =
            put(server, &path, &with(&json!({"title": "Renommée", "propertyTypes": [0, 1]}))).await.ok();
        assert_eq!(
            (&renamed["title"], &renamed["endpointRecipient"]),
            (&json!("Renommée"), &json!(endpoint))
        );
    }
    assert_eq!(server.delete(searches::path(&taken)).await.status, 204);
    server.accept(&full("1")).await;
    fixture.attempted(3).await;
    let page = server.get("/deliveries").await.ok();
    for delivery in members(&page) {
        let delivery = server.get(super::path(delivery)).await.ok();
        assert_eq!(delivery["attempts"][0]["outcome"], "policy_refused", "{delivery}");
    }
    assert_eq!(fixture.names.queries(), Vec::<String>::new());
}

#[tokio::test]
async fn rebound_name_is_checked_on_every_attempt() {
    let turns = vec![vec![PUBLIC], vec![PRIVATE], vec![PUBLIC], vec![PUBLIC, PRIVATE]];
    let says =
        ["sent.example", "tested.example"].map(|name| (name.to_owned(), DnsAnswer::Rotating(turns.clone())));
    let fixture = Fixture::start(says).await;
    let server = &fixture.server;
    for turn in ["connect", "policy_refused", "connect", "policy_refused"] {
        let response = fixture.test(&fixture.at("tested.example"), &server.keys.all).await;
        // The tester does not tell one from the other.
        assert_eq!(
            (response.status, &response.json()["receiver"]["outcome"]),
            (502, &json!("connect")),
            "{turn}"
        );
        assert_eq!(fixture.canaries.connections(), 0);
    }
    let search = match_everything(server, json!({"endpointRecipient": fixture.at("sent.example")})).await;
    server.accept(&full("1")).await;
    for attempt in 1..=4 {
        fixture.attempted(attempt).await;
        server.clock.advance(jiff::SignedDuration::from_hours(1));
    }
    fixture.attempted(5).await;
    let id = searches::path(&search).rsplit('/').next().unwrap();
    let expected = ["connect", "policy_refused", "connect", "policy_refused", "policy_refused"];
    assert_eq!(fixture.outcomes(id).await, [expected]);
    assert_eq!(fixture.canaries.connections(), 0);
}

/// With private addresses allowed, the same requests do reach the canaries: they would detect a connection.
#[tokio::test]
async fn canaries_detect_connections() {
    let says = [("inner.example".to_owned(), DnsAnswer::Addresses(vec![PRIVATE]))];
    let fixture = Fixture::with(says, "danger_allow_private_addresses = true\n").await;
    let (server, canaries) = (&fixture.server, &fixture.canaries);
    let heard = async |count: usize| {
        let mut connections = 0;
        with_timeout(async {
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
        // The canary never responds, and a user sends one example at a time.
        let key = server.app.create_key(host, Scopes::all()).await.unwrap().1.reveal();
        let mut asking = Connection::open(server.address).await;
        let path = format!("/webhook-tester?endpoint={}&eventType=match", fixture.at(host));
        asking.send(Request::new("GET", &path).key(&key).bytes()).await;
        waiting.push(asking);
        heard(1).await;
    }
    let fields = json!({
        "endpointRecipient": fixture.at("inner.example"), "eventEndpoint": fixture.at("127.0.0.1"),
        "subscribedEvents": ["property.ad.create"],
    });
    match_everything(server, fields).await;
    server.accept(&full("1")).await;
    heard(2).await;
}
