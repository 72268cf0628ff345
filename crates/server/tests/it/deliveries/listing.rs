//! Listing and replaying deliveries, without a dispatcher.

use domain::{CancelReason, DeliveryId};
use jiff::SignedDuration;
use serde_json::{Value, json};
use store::{Claim, InitialState, Settlement};

use super::{match_everything, members, path, queue, with_deliveries};
use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::{Request, Response};
use crate::searches::{self, stranger};

async fn post(server: &TestServer, path: &str) -> Response {
    server.send(Request::new("POST", path).key(&server.keys.all)).await
}

fn id(delivery: &Value) -> DeliveryId {
    path(delivery).strip_prefix("/deliveries/").unwrap().parse().unwrap()
}

/// Claims and finishes deliveries.
async fn settle(server: &TestServer, deliveries: &[DeliveryId], next: domain::RetryDecision) {
    let (store, at) = (server.app.store(), server.app.clock().now());
    let lease_until = at + SignedDuration::from_secs(60);
    let claim = Claim {
        claim_id: 1,
        at,
        lease_until,
        deliveries: deliveries.to_vec(),
        contacts_hidden: Vec::new(),
        documents: Vec::new(),
    };
    assert_eq!(store.claim(claim).await.unwrap().len(), deliveries.len());
    let (outcome, status) = match next {
        domain::RetryDecision::Delivered => (domain::Outcome::Delivered, 200),
        domain::RetryDecision::Failed | domain::RetryDecision::RetryAt(_) => {
            (domain::Outcome::Failed(domain::Fault::Status), 500)
        }
    };
    let settlement = |id: &DeliveryId| Settlement {
        id: *id,
        claim_id: 1,
        attempt: Some(store::Attempt {
            started_at: at,
            duration: std::time::Duration::from_millis(12),
            outcome,
            status: Some(status),
            target: Some("https://hook.example/matches".to_owned()),
            response_excerpt: b"\x07 seen".to_vec(),
            response_headers: vec![domain::ResponseHeader {
                name: "x-id".to_owned(),
                value: "\u{9b}7".to_owned(),
            }],
            timings: domain::PhaseTimings {
                first_byte: Some(std::time::Duration::from_millis(9)),
                ..domain::PhaseTimings::default()
            },
            certificate: None,
        }),
        next,
        at,
    };
    store.settle(deliveries.iter().map(settlement).collect()).await.unwrap();
}

async fn all(server: &TestServer) -> Vec<Value> {
    members(&server.get("/deliveries").await.ok()).clone()
}

#[tokio::test]
async fn deliveries_are_listed_newest_first() {
    let (server, search) = with_deliveries(2).await;
    let page = server.get("/deliveries").await.ok();
    assert_eq!(
        (&page["@context"], &page["@id"], &page["@type"], &page["hydra:totalItems"]),
        (&json!("/contexts/Delivery"), &json!("/deliveries"), &json!("hydra:Collection"), &json!(4))
    );
    assert!(page.get("hydra:view").is_none(), "one page and no parameter");
    let dates: Vec<&str> =
        members(&page).iter().map(|member| member["createdAt"].as_str().unwrap()).collect();
    let (first, second) = ("2026-03-02T10:00:01+01:00", "2026-03-02T10:00:02+01:00");
    assert_eq!(dates, [second, second, first, first]);
    let matching = members(&page).iter().find(|member| member["event"] == "match").unwrap();
    let found = members(&server.get(&format!("{}/matches", searches::path(&search))).await.ok())[0].clone();
    let expected = json!({
        "@context": "/contexts/Delivery", "@id": path(matching), "@type": "Delivery", "search": search["@id"],
        "channel": "endpointRecipient", "sequence": 2, "event": "match", "match": found["@id"], "property": found["property"],
        "state": "pending", "reason": null, "createdAt": second, "nextAttemptAt": second, "settledAt": null,
        "attemptCount": 0,
    });
    assert_eq!(*matching, expected);
    let mut alone = expected;
    alone.as_object_mut().unwrap().insert("attempts".to_owned(), json!([]));
    assert_eq!(server.get(path(matching)).await.ok(), alone);
    let event = members(&page).iter().find(|member| member["channel"] == "eventEndpoint").unwrap();
    assert_eq!(event["event"], "property.ad.create");
}

#[tokio::test]
async fn deliveries_are_filtered() {
    let (server, search) = with_deliveries(3).await;
    let other = match_everything(&server, json!({"endpointRecipient": "https://hook.example/other"})).await;
    server.clock.advance(SignedDuration::from_hours(24));
    server.accept(&advert("more", json!({"price": 5}))).await;
    let cancelled = |_: &_| InitialState::Cancelled(CancelReason::NoRecipient);
    assert_eq!(queue(&server, cancelled).await, 3);
    let ids: Vec<DeliveryId> = all(&server).await.iter().rev().map(id).collect();
    settle(&server, &ids[..1], domain::RetryDecision::Failed).await;
    settle(&server, &ids[1..3], domain::RetryDecision::Delivered).await;

    let check = async |query: &str, expected: usize| {
        let page = server.get(&format!("/deliveries?{query}")).await.ok();
        assert_eq!(page["hydra:totalItems"], expected, "{query}");
        assert_eq!(members(&page).len(), expected, "{query}");
        assert!(page["hydra:view"].is_object());
    };
    let (id, other_id) = (
        searches::path(&search).rsplit('/').next().unwrap(),
        searches::path(&other).rsplit('/').next().unwrap(),
    );
    check(&format!("search={id}"), 8).await;
    check(&format!("search=/searches/{id}"), 8).await;
    check(&format!("search=/searches/{other_id}"), 1).await;
    check("search=00000000-0000-7000-8000-00000000ffff", 0).await;
    check("state=failed", 1).await;
    check("state=delivered", 2).await;
    check("state=pending", 3).await;
    check("state=cancelled", 3).await;
    check("state=leased", 0).await;
    check("channel=eventEndpoint", 4).await;
    check("channel=notificationRecipient", 0).await;
    check(&format!("search={id}&channel=endpointRecipient&state=cancelled"), 1).await;
    check("toDate=2026-03-02", 6).await;
    check("fromDate=2026-03-03", 3).await;
    check("fromDate=2026-03-02T10:00:02%2B01:00&toDate=2026-03-02T10:00:02%2B01:00", 2).await;
    check("fromDate=2026-03-04", 0).await;
    check("state=&channel=null", 9).await;
    let cancelled = &members(&server.get("/deliveries?state=cancelled").await.ok())[0].clone();
    assert_eq!((&cancelled["reason"], &cancelled["nextAttemptAt"]), (&json!("no_recipient"), &Value::Null));
    for wrong in
        ["search=x", "state=sent", "channel=email", "fromDate=yesterday", "toDate=2026-02-30", "page=0"]
    {
        let name = wrong.split('=').next().unwrap();
        assert_eq!(server.get(&format!("/deliveries?{wrong}")).await.violations(400), [name]);
    }
    for (repeated, name, values) in [
        ("state=failed&state=delivered", "state", ["failed", "delivered"]),
        ("state[]=failed&state[]=pending", "state", ["failed", "pending"]),
        (
            "channel=eventEndpoint&channel=endpointRecipient",
            "channel",
            ["eventEndpoint", "endpointRecipient"],
        ),
        (&format!("search={id}&search={other_id}"), "search", [id, other_id]),
        ("fromDate=2026-03-02&fromDate=2026-03-01", "fromDate", ["2026-03-02", "2026-03-01"]),
    ] {
        let response = server.get(&format!("/deliveries?{repeated}")).await;
        assert_eq!(response.violations(400), [name]);
        assert!(values.iter().all(|value| response.text().contains(value)), "{}", response.text());
    }
    let backwards = server.get("/deliveries?fromDate=2026-03-03&toDate=2026-03-02").await;
    assert_eq!(backwards.violations(400), ["fromDate"]);
    let response = server.get("/deliveries?sate=failed").await;
    assert_eq!(response.header("x-ignored-parameters"), Some("sate"));
}

#[tokio::test]
async fn delivery_pages_do_not_overlap_and_have_links() {
    let (server, _) = with_deliveries(4).await;
    let mut seen = Vec::new();
    let mut next = Some("/deliveries?itemsPerPage=3".to_owned());
    while let Some(path) = next {
        let page = server.get(&path).await.ok();
        assert_eq!(page["hydra:totalItems"], 8);
        seen.extend(members(&page).iter().map(id));
        next = page["hydra:view"]["hydra:next"].as_str().map(str::to_owned);
    }
    let everything: Vec<DeliveryId> = all(&server).await.iter().map(id).collect();
    assert_eq!(seen, everything);
    assert!(members(&server.get("/deliveries?page=99").await.ok()).is_empty());
    let count = server.get("/deliveries?itemsPerPage=0").await.ok();
    assert_eq!((members(&count).len(), &count["hydra:totalItems"]), (0, &json!(8)));
    let variables: Vec<String> = count["hydra:search"]["hydra:mapping"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mapping| mapping["variable"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(variables, ["search", "state", "channel", "fromDate", "toDate", "page", "itemsPerPage"]);
}

#[tokio::test]
async fn delivery_of_another_user_is_not_found() {
    let (server, search) = with_deliveries(1).await;
    let delivery = all(&server).await[0].clone();
    let stranger = stranger(&server).await;
    let replay = format!("{}/replay", path(&delivery));
    let replay_search = format!("{}/replay?since=2026-01-01", searches::path(&search));
    let unknown = "/deliveries/0000002a-0000-8001-8000-000000000007";
    for (method, target) in [
        ("GET", path(&delivery)),
        ("POST", &replay),
        ("POST", &replay_search),
        ("GET", &replay_search),
        ("GET", unknown),
    ] {
        server.send(Request::new(method, target).key(&stranger)).await.problem(404);
    }
    assert_eq!(
        server.send(Request::new("GET", path(&delivery)).key(&stranger)).await.body,
        server.send(Request::new("GET", unknown).key(&stranger)).await.body
    );
    let page = server.send(Request::new("GET", "/deliveries").key(&stranger)).await.ok();
    assert_eq!(page["hydra:totalItems"], 0);
    let narrowed = format!("/deliveries?search={}", searches::path(&search));
    let page = server.send(Request::new("GET", &narrowed).key(&stranger)).await.ok();
    assert_eq!(page["hydra:totalItems"], 0);
    server.get("/deliveries/x").await.problem(404);
}

#[tokio::test]
async fn deliveries_need_the_searches_scope() {
    let (server, search) = with_deliveries(1).await;
    let delivery = all(&server).await[0].clone();
    let (replay, replay_search) =
        (format!("{}/replay", path(&delivery)), format!("{}/replay", searches::path(&search)));
    let calls = [
        ("GET", "/deliveries"),
        ("GET", path(&delivery)),
        ("POST", &replay),
        ("GET", &replay_search),
        ("POST", &replay_search),
        ("GET", "/webhook-secret"),
        ("POST", "/webhook-secret/rotate"),
        ("GET", "/webhook-tester"),
    ];
    for (method, path) in calls {
        server.send(Request::new(method, path)).await.problem(401);
        for key in [&server.keys.read, &server.keys.ingest, &server.keys.admin] {
            server.send(Request::new(method, path).key(key)).await.problem(403);
        }
        let response = server.send(Request::new(method, path).key(&server.keys.searches)).await;
        assert!(!matches!(response.status, 401 | 403 | 404), "{method} {path}: {}", response.text());
        server.send(Request::new("PATCH", path).key(&server.keys.all)).await.problem(405);
    }
}

#[tokio::test]
async fn attempts_are_shown_and_finished_deliveries_are_replayed() {
    let (server, search) = with_deliveries(1).await;
    let delivery = all(&server).await[0].clone();
    let replay = format!("{}/replay", path(&delivery));
    assert!(post(&server, &replay).await.problem(409).contains("pending or in progress"));
    settle(&server, &[id(&delivery)], domain::RetryDecision::Failed).await;
    let failed = server.get(path(&delivery)).await.ok();
    assert_eq!((&failed["state"], &failed["attemptCount"]), (&json!("failed"), &json!(1)));
    assert_eq!(
        failed["attempts"],
        json!([{
            "number": 1, "beganAt": "2026-03-02T10:00:01+01:00", "durationMs": 12, "outcome": "status", "status": 500,
            "target": "https://hook.example/matches", "answer": "\u{7} seen", "detail": null,
            "answerHeaders": [{"name": "x-id", "value": "\u{9b}7"}],
            "timings": {"nameMs": null, "connectMs": null, "tlsMs": null, "firstByteMs": 9},
        }])
    );
    let response = post(&server, &replay).await;
    assert_eq!(response.status, 202, "{}", response.text());
    let again = response.json();
    assert_eq!((&again["state"], &again["attempts"]), (&json!("pending"), &failed["attempts"]));
    post(&server, &replay).await.problem(409);
    settle(&server, &[id(&delivery)], domain::RetryDecision::Delivered).await;
    assert_eq!(server.delete(searches::path(&search)).await.status, 204);
    assert!(post(&server, &replay).await.problem(409).contains("deleted"));
    let left = server.get(path(&delivery)).await.ok();
    assert_eq!((&left["search"], &left["state"]), (&Value::Null, &json!("delivered")));
}

#[tokio::test]
async fn failed_deliveries_of_a_search_are_replayed() {
    let (server, search) = with_deliveries(3).await;
    let path = format!("{}/replay", searches::path(&search));
    let ids: Vec<DeliveryId> = all(&server).await.iter().map(id).collect();
    settle(&server, &ids, domain::RetryDecision::Failed).await;
    let replayed = async |response: Response| {
        assert_eq!(response.status, 202, "{}", response.text());
        response.json()
    };
    let replay = |count: u64| json!({"@context": "/contexts/Replay", "@type": "Replay", "replayed": count});
    let since = json!({"since": "2026-03-02T10:00:03+01:00"});
    let count =
        async |since: &str| server.get(&format!("{path}?since={since}")).await.ok()["deliveries"].clone();
    assert_eq!((count("2026-03-02T10:00:03%2B01:00").await, count("2026-03-02").await), (json!(2), json!(6)));
    assert_eq!(replayed(server.post(&path, &since).await).await, replay(2));
    assert_eq!(replayed(server.post(&path, &since).await).await, replay(0));
    let by_query = format!("{path}?since=2026-03-02");
    let four = json!({"@context": "/contexts/ReplayCount", "@type": "ReplayCount", "deliveries": 4});
    assert_eq!(server.get(&by_query).await.ok(), four);
    assert_eq!(replayed(post(&server, &by_query).await).await, replay(4));
    assert_eq!(server.get("/deliveries?state=pending").await.ok()["hydra:totalItems"], 6);
    // A date is required, so that nothing is sent again by mistake.
    let with_type = Request::new("POST", &path).key(&server.keys.all).body("application/json", "");
    assert_eq!(server.send(with_type).await.violations(422), ["since"]);
    assert_eq!(post(&server, &path).await.violations(422), ["since"]);
    assert_eq!(server.post(&path, &json!({"since": "soon"})).await.violations(400), ["since"]);
    assert_eq!(post(&server, &format!("{path}?since=soon")).await.violations(400), ["since"]);
    assert_eq!(server.get(&path).await.violations(400), ["since"]);
    assert_eq!(server.get(&format!("{path}?since=soon")).await.violations(400), ["since"]);
    // What would be refused is not counted.
    let off = searches::with(&json!({"notificationEnabled": false}));
    searches::put(&server, searches::path(&search), &off).await.ok();
    assert!(server.get(&by_query).await.problem(409).contains("notificationEnabled"));
}

#[tokio::test]
async fn unknown_attributes_of_a_replay_are_reported() {
    let (server, search) = with_deliveries(1).await;
    let path = format!("{}/replay", searches::path(&search));
    let body = json!({"since": "2026-03-02", "state": "failed"});
    let response = server.post(&path, &body).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (202, Some("state")));
    let strict = || Request::new("POST", &path).key(&server.keys.all).header("Prefer", "handling=strict");
    assert!(server.send(strict().json(&body)).await.problem(400).contains("state"));
    assert_eq!(server.send(strict().json(&json!({"since": "2026-03-02"}))).await.status, 202);
    // The body is checked even if the date is in the query.
    let by_query = format!("{path}?since=2026-03-02");
    let response = server.post(&by_query, &json!({"state": "failed"})).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (202, Some("state")));
    assert_eq!(server.post(&by_query, &json!({"since": "2026-03-01"})).await.violations(400), ["since"]);
    assert_eq!(
        server.post(&format!("{by_query}&since=2026-03-01"), &json!({})).await.violations(400),
        ["since"]
    );
    assert_eq!(server.post(&path, &json!([])).await.violations(400), [""]);
    let request = Request::new("POST", &by_query).key(&server.keys.all);
    server.send(request.body("text/plain", "failed")).await.problem(415);
}

#[tokio::test]
async fn replay_accepts_an_empty_body() {
    let (server, _) = with_deliveries(1).await;
    let delivery = all(&server).await[0].clone();
    settle(&server, &[id(&delivery)], domain::RetryDecision::Failed).await;
    let replay = format!("{}/replay", path(&delivery));
    let request = || Request::new("POST", &replay).key(&server.keys.all);
    server.send(request().body("text/plain", "again")).await.problem(415);
    server.send(request().body("application/json", "{")).await.problem(400);
    let strict = request().header("Prefer", "handling=strict").json(&json!({"now": true}));
    assert!(server.send(strict).await.problem(400).contains("now"));
    assert_eq!(server.get(path(&delivery)).await.ok()["state"], "failed", "nothing was replayed");
    let response = server.send(request().json(&json!({}))).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (202, None));
}
