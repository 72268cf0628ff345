//! The webhook tester: what it sends, what it reports, and what it rejects.

use serde_json::{Value, json};
use testkit::receiver::{Behaviour, Canary, InjectedFault, Receiver};

use super::{TRUSTED, receiver, with_delivery_settings, with_dispatcher};
use crate::contract::assert_document;
use crate::harness::TestServer;
use crate::harness::client::{Connection, Request, Response};
use crate::searches::{self, put, with};

fn tested(endpoint: &str, kind: &str) -> String {
    let endpoint = endpoint.replace('%', "%25").replace('&', "%26");
    format!("/webhook-tester?endpoint={endpoint}&eventType={kind}")
}

async fn test(server: &TestServer, endpoint: &str, kind: &str) -> Response {
    server.get(&tested(endpoint, kind)).await
}

const EVENTS: [(&str, &str); 6] = [
    ("ad.update.price", "price"),
    ("ad.update.surface", "surface"),
    ("ad.update.pictures", "pictures"),
    ("ad.update.expired", "expired"),
    ("property.ad.create", "created"),
    ("property.ad.update", "description"),
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

fn assert_match(payload: &Value) {
    let mut expected =
        ["@context", "@id", "@type", "property", "search", "createdAt", "updatedAt", "propertyDocument"];
    expected.sort_unstable();
    assert_eq!(keys(payload), expected);
    let document = &payload["propertyDocument"];
    assert!(document["title"].as_str().unwrap().starts_with("EXEMPLE"), "{document}");
    assert!(document["city"]["location"].is_object() && document["city"].get("locations").is_none());
    // Apart from that key, it is a normal document.
    let mut document = document.clone();
    let city = document["city"].as_object_mut().unwrap();
    let point = city.remove("location").unwrap();
    city.insert("locations".to_owned(), point);
    assert_document(&document);
}

#[tokio::test]
async fn tester_sends_each_kind_signed() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let endpoint = receiver.url("/hook?a=b%26c");
    let secret = server.get("/webhook-secret").await.ok()["secret"].as_str().unwrap().to_owned();
    let secret = delivery::signature::parse(&secret).unwrap();
    let mut ids = Vec::new();
    let kinds = EVENTS.iter().map(|(name, field)| (*name, Some(*field))).chain([("match", None)]);
    for (count, (kind, field)) in kinds.enumerate() {
        let response = test(&server, &endpoint, kind).await;
        assert_eq!(response.status, 200, "{kind}: {}", response.text());
        assert_eq!(response.header("cache-control"), Some("no-store"));
        let received = receiver.received();
        assert_eq!(received.len(), count + 1, "one attempt each");
        let request = received.last().unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("POST", "/hook?a=b%26c"));
        assert_eq!(request.body, response.body, "the response shows what was sent");
        let header = |name: &str| request.header(name).unwrap();
        let (id, now) = (header("webhook-id"), server.app.clock().now().as_second());
        let verified = delivery::signature::verify(
            [&secret],
            id,
            header("webhook-timestamp"),
            header("webhook-signature"),
            &request.body,
            now,
            delivery::signature::TOLERANCE,
        );
        assert_eq!(verified, Ok(()));
        ids.push(id.to_owned());
        let body = response.json();
        match field {
            None => assert_match(&body),
            Some(field) => {
                assert_eq!(keys(&body), ["adEvent", "event", "match"]);
                assert_eq!((&body["event"], &body["adEvent"]["fieldName"]), (&json!(kind), &json!(field)));
                assert_match(&body["match"]);
                server.get(body["match"]["@id"].as_str().unwrap()).await.problem(404);
            }
        }
    }
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), EVENTS.len() + 1, "each has its own id");
    assert_eq!(server.get("/deliveries").await.ok()["hydra:totalItems"], 0);
}

#[tokio::test]
async fn type_is_an_alias_of_event_type() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let endpoint = receiver.url("/");
    let response = server.get(&format!("/webhook-tester?endpoint={endpoint}&type=ad.update.price")).await;
    assert_eq!(response.ok()["event"], "ad.update.price");
    assert_eq!(response.header("x-ignored-parameters"), None);
}

#[tokio::test]
async fn tester_reports_the_outcome_but_not_the_response_body() {
    let server = with_dispatcher().await;
    for (behaviour, outcome, status) in [
        (Behaviour::Answer(500), "status", Some(500)),
        (Behaviour::Answer(204), "status", Some(204)),
        (Behaviour::Answer(302), "status", Some(302)),
        (Behaviour::Fault(InjectedFault::Refuse), "connect", None),
        (Behaviour::Fault(InjectedFault::CertificateSelfSigned), "tls", None),
    ] {
        let receiver = Receiver::always(&TRUSTED.authority, behaviour.clone()).await;
        let response = server.get(&format!("{}&evnet=x", tested(&receiver.url("/"), "match"))).await;
        assert_eq!(response.header("x-ignored-parameters"), Some("evnet"));
        assert_eq!(response.status, 502, "{behaviour:?}: {}", response.text());
        let body = response.json();
        let receiver = &body["receiver"];
        assert_eq!(keys(receiver), ["detail", "durationMs", "outcome", "status"], "{body}");
        assert_eq!((&receiver["outcome"], &receiver["status"]), (&json!(outcome), &json!(status)));
        assert!(receiver["durationMs"].is_u64());
        assert_eq!((&body["status"], &body["type"]), (&json!(502), &json!("/errors/502")));
        assert!(body["detail"].as_str().unwrap().contains(outcome), "{body}");
        assert_eq!(receiver["detail"].is_string(), outcome == "tls", "{body}");
    }
}

#[tokio::test]
async fn tester_says_what_is_wrong_with_a_certificate() {
    let server = with_dispatcher().await;
    for (fault, words) in [
        (InjectedFault::CertificateExpired, "has expired"),
        (InjectedFault::CertificateWrongName, "another host name"),
        (InjectedFault::CertificateSelfSigned, "is self-signed"),
        (InjectedFault::CertificateSelfSignedAuthority, "CA:TRUE"),
    ] {
        let receiver = Receiver::always(&TRUSTED.authority, fault).await;
        let body = test(&server, &receiver.url("/"), "match").await.json();
        assert_eq!(body["receiver"]["outcome"], "tls");
        assert!(body["receiver"]["detail"].as_str().unwrap().contains(words), "{body}");
        assert!(body["detail"].as_str().unwrap().contains(words), "{body}");
    }
}

#[tokio::test]
async fn tester_is_limited_per_receiver() {
    let (server, receiver) = (with_delivery_settings("tester_per_host_hour_max = 3").await, receiver().await);
    let endpoint = receiver.url("/");
    for _ in 0..3 {
        test(&server, &endpoint, "match").await.ok();
    }
    // Other users share the limit, and another port of the same receiver has no limit of its own.
    let stranger = searches::stranger(&server).await;
    let second = Receiver::good(&TRUSTED.authority).await;
    for endpoint in [&endpoint, &second.url("/")] {
        let refused = server.send(Request::new("GET", &tested(endpoint, "match")).key(&stranger)).await;
        assert!(refused.problem(429).contains("Limit of 3 samples per hour to 127.0.0.1 reached."));
        let seconds: u64 = refused.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=1_200).contains(&seconds), "{seconds}");
    }
    assert_eq!((receiver.count(), second.count()), (3, 0));
}

#[tokio::test]
async fn tester_rejects_invalid_requests_before_sending() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let endpoint = receiver.url("/");
    let refused = async |query: &str| server.get(&format!("/webhook-tester{query}")).await.violations(400);
    assert_eq!(refused("").await, ["endpoint", "eventType"]);
    assert_eq!(refused(&format!("?endpoint={endpoint}")).await, ["eventType"]);
    assert_eq!(refused("?eventType=match").await, ["endpoint"]);
    assert_eq!(refused(&format!("?endpoint={endpoint}&eventType=ad.sold")).await, ["eventType"]);
    for wrong in ["http://hook.example/", "hook.example", "https://user@hook.example/", "https://"] {
        assert_eq!(refused(&format!("?endpoint={wrong}&eventType=match")).await, ["endpoint"], "{wrong}");
        let message =
            server.get(&format!("/webhook-tester?endpoint={wrong}&eventType=match")).await.problem(400);
        assert_eq!(message.contains(&format!("Given: \"{wrong}\".")), !wrong.contains('@'), "{message}");
    }
    for (query, name, values) in [
        (
            format!("?endpoint={endpoint}&endpoint=https://b.example/&eventType=match"),
            "endpoint",
            "\"https://b.example/\"",
        ),
        (
            format!("?endpoint={endpoint}&eventType=match&eventType=ad.update.price"),
            "eventType",
            "\"match\", \"ad.update.price\"",
        ),
        (format!("?endpoint={endpoint}&type[]=match&type[]=match"), "type", "\"match\", \"match\""),
    ] {
        let response = server.get(&format!("/webhook-tester{query}")).await;
        assert_eq!(response.violations(400), [name], "{query}");
        assert!(response.text().contains(&values.replace('"', "\\\"")), "{}", response.text());
    }
    assert_eq!(receiver.connections(), 0);
}

#[tokio::test]
async fn tester_rejects_private_addresses() {
    let (server, canary) = (TestServer::with_dispatcher("").await, Canary::start().unwrap());
    let port = canary.address().port();
    let addresses = [
        canary.url("/"),
        format!("https://localhost:{port}/"),
        format!("https://[::1]:{port}/"),
        format!("https://[::ffff:127.0.0.1]:{port}/"),
        format!("https://0x7f000001:{port}/"),
        format!("https://2130706433:{port}/"),
        format!("https://127.1:{port}/"),
        format!("https://10.0.0.1:{port}/"),
    ];
    for address in &addresses {
        assert_eq!(test(&server, address, "match").await.violations(422), ["endpoint"], "{address}");
    }
    // Searches with such an endpoint are rejected as well.
    let created = searches::create_search(&server, &json!({})).await;
    for address in &addresses {
        let fields = with(&json!({"endpointRecipient": address, "eventEndpoint": address, "budgetMin": "x"}));
        let paths = ["budgetMin", "endpointRecipient", "eventEndpoint"];
        assert_eq!(
            server.post("/searches", &fields).await.violations(400),
            paths,
            "all are reported together"
        );
        let fields = with(&json!({"endpointRecipient": address, "eventEndpoint": address}));
        let paths = ["endpointRecipient", "eventEndpoint"];
        assert_eq!(server.post("/searches", &fields).await.violations(422), paths, "{address}");
        let response = put(&server, searches::path(&created), &fields).await;
        assert_eq!(response.violations(422), paths, "{address}");
    }
    assert_eq!(server.get("/searches").await.ok()["hydra:totalItems"], 1);
    assert_eq!(canary.connections(), 0);
}

#[tokio::test]
async fn tester_is_rate_limited() {
    let (server, receiver) = (with_dispatcher().await, receiver().await);
    let endpoint = receiver.url("/");
    // The limit is refilled over time, but slower than this loop.
    for sent in 0..1_000 {
        let response = test(&server, &endpoint, "match").await;
        if response.status == 200 {
            continue;
        }
        assert!(sent >= 10, "{sent} {}", response.text());
        response.problem(429);
        let seconds: u64 = response.header("retry-after").unwrap().parse().unwrap();
        assert!((1..=6).contains(&seconds), "{seconds}");
        // Another user has another limit.
        let stranger = searches::stranger(&server).await;
        server.send(Request::new("GET", &tested(&endpoint, "match")).key(&stranger)).await.ok();
        return;
    }
    panic!("the tester is not rate limited");
}

#[tokio::test]
async fn tester_sends_one_example_per_user_at_a_time() {
    let server = with_dispatcher().await;
    let hanging = Receiver::always(&TRUSTED.authority, InjectedFault::HangBeforeAnswer).await;
    let mut first = Connection::open(server.address).await;
    first.send(Request::new("GET", &tested(&hanging.url("/"), "match")).key(&server.keys.all).bytes()).await;
    hanging.wait_for(1).await;
    let receiver = receiver().await;
    let second = test(&server, &receiver.url("/"), "match").await;
    second.problem(429);
    assert!(second.header("retry-after").is_some());
    assert_eq!(receiver.count(), 0);
    let stranger = searches::stranger(&server).await;
    let request = Request::new("GET", &tested(&receiver.url("/"), "match")).key(&stranger);
    server.send(request).await.ok();
}

#[tokio::test]
async fn tester_is_unavailable_without_a_dispatcher() {
    let server = TestServer::start().await;
    let response = test(&server, "https://hook.example/", "match").await;
    response.problem(503);
    assert!(response.header("retry-after").is_some());
}
