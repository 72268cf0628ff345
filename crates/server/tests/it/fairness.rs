//! No user hurts another: shares of requests and streams, turns, and the budget of a query.

use std::sync::Arc;

use domain::{Scopes, UserId};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::cli;
use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::{Connection, Request, Response, exchange, with_timeout};
use crate::search::{ingest, listing};

/// Creates a key of another user than that of all other keys.
async fn other_user(server: &TestServer) -> String {
    server.app.create_key("another", Scopes::all()).await.unwrap().1.reveal()
}

/// Returns the user of the keys of the harness.
async fn tester(server: &TestServer) -> UserId {
    let keys = server.app.keys().await.unwrap();
    keys.into_iter().find(|key| key.user.name == "tester").unwrap().user.id
}

async fn get(server: &TestServer, path: &str, key: &str) -> Response {
    server.send(Request::new("GET", path).key(key)).await
}

/// Starts a stream of adverts that sends nothing. Returns the head of the answer.
async fn slow_stream(server: &TestServer) -> (Connection, Response) {
    let mut connection = Connection::open(server.address).await;
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let request = request.header("Content-Type", "application/x-ndjson");
    connection.send(request.header("Transfer-Encoding", "chunked").bytes()).await;
    let head = connection.head().await.unwrap();
    (connection, head)
}

async fn assert_health(server: &TestServer) {
    for path in ["/healthz", "/readyz", "/metrics"] {
        assert_eq!(server.send(Request::new("GET", path)).await.status, 200, "{path}");
    }
}

#[tokio::test]
async fn thousand_slow_streams_of_one_user_leave_all_others_alone() {
    let server = TestServer::start().await;
    let other = other_user(&server).await;
    let mut open = Vec::new();
    let mut refused = 0;
    for _ in 0..1_000 {
        let (connection, head) = slow_stream(&server).await;
        match head.status {
            200 => open.push(connection),
            429 => {
                assert_eq!(head.header("retry-after"), Some("1"));
                refused += 1;
            }
            status => panic!("{status}"),
        }
    }
    assert_eq!((open.len(), refused), (32, 968));
    let again = Request::new("POST", "/adverts").key(&server.keys.ingest).body("application/x-ndjson", "");
    assert_eq!(
        server.send(again).await.problem(429),
        "32 streams of this user are in progress. A user may have 32 (limits.streams_per_user), and no more than the server has \
         left; try again when some have ended."
    );

    assert_health(&server).await;
    get(&server, "/documents/properties", &other).await.ok();
    let stream = Request::new("POST", "/adverts").key(&other);
    let response = server.send(stream.body("application/x-ndjson", minimal("1").to_string())).await;
    assert_eq!((response.status, response.text().lines().count()), (200, 1));
    // The same user's other requests continue, too, and a stream that ends makes room.
    server.get("/documents/properties").await.ok();
    drop(open.pop());
    let begin_again = async {
        while slow_stream(&server).await.1.status != 200 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(begin_again).await;
}

#[tokio::test]
async fn slow_requests_of_one_user_leave_all_others_alone() {
    let server = TestServer::with("[limits]\nrequests_max = 8\n").await;
    let other = other_user(&server).await;
    let begin = async || {
        let mut connection = Connection::open(server.address).await;
        let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
        let request = request.header("Content-Type", "application/json").header("Expect", "100-continue");
        connection.send(request.header("Content-Length", "10").bytes()).await;
        let head = connection.head().await.unwrap();
        (connection, head.status)
    };
    let (first, second, third) = (begin().await, begin().await, begin().await);
    assert_eq!([first.1, second.1, third.1], [100, 100, 429]);
    let response = server.get("/adverts/x").await;
    assert_eq!(
        response.problem(429),
        "2 requests of this user are in progress. A user may have 2 (a quarter of limits.requests_max), and no more than the \
         server has left; try again when some have ended."
    );
    assert_eq!(response.header("retry-after"), Some("1"));
    get(&server, "/adverts/x", &other).await.problem(404);
    assert_health(&server).await;
    assert_eq!(server.send(Request::new("GET", "/docs")).await.status, 200);
    get(&server, "/adverts/x", "not a key").await.problem(401);
}

#[tokio::test]
async fn users_take_turns() {
    let server = TestServer::with("[limits]\nwaiting_per_user = 1\n").await;
    let server = Arc::new(server);
    let other = other_user(&server).await;
    for path in ["/searches", "/deliveries", "/usage"] {
        // While the user's turn lasts, one more request waits, and a third one is refused.
        let turn = server.app.list_turn(tester(&server).await).await.unwrap();
        let mut waiting = JoinSet::new();
        for _ in 0..2 {
            let (address, request) = (server.address, Request::new("GET", path).key(&server.keys.all));
            waiting.spawn(async move { exchange(address, &request).await });
        }
        let refused = with_timeout(waiting.join_next()).await.unwrap().unwrap();
        assert_eq!(
            refused.problem(503),
            "1 requests of this user wait already (limits.waiting_per_user); try again later."
        );
        assert_eq!(refused.header("retry-after"), Some("1"));
        get(&server, path, &other).await.ok();
        // Requests of other kinds do not wait for it.
        server.get("/documents/properties").await.ok();
        drop(turn);
        with_timeout(waiting.join_next()).await.unwrap().unwrap().ok();
    }
}

#[tokio::test]
async fn request_that_hung_up_leaves_the_queue() {
    let server = TestServer::start().await;
    let waiting_is = async |expected: usize| {
        while server.app.waiting_work() != expected {
            tokio::task::yield_now().await;
        }
    };
    let _turn = server.app.list_turn(tester(&server).await).await.unwrap();
    let mut gone = Connection::open(server.address).await;
    gone.send(Request::new("GET", "/searches").key(&server.keys.all).bytes()).await;
    with_timeout(waiting_is(1)).await;
    let metrics = server.send(Request::new("GET", "/metrics")).await;
    assert!(metrics.text().contains("\nvigie_waiting_work 1\n"), "{}", metrics.text());
    drop(gone);
    with_timeout(waiting_is(0)).await;
}

#[tokio::test]
async fn too_expensive_query_is_refused_with_the_reason() {
    let server = TestServer::with("[limits]\nquery_work_max = 2000\n").await;
    let text = "Maison avec jardin et avec garage, ".repeat(20);
    // Far apart, so that they are different homes. Without a place they would be on no map.
    let home = |number: u32| {
        let place = json!({"lat": 44.0 + f64::from(number) * 0.05, "lon": 2.0});
        listing(&format!("h{number}"), json!({"description": text, "locations": place}))
    };
    let adverts: Vec<Value> = (0..60).map(home).collect();
    ingest(&server, &adverts).await;
    server.get("/documents/properties?expressions[]=jardin").await.ok();

    let phrase = "expressions[]=maison+avec+jardin";
    let reason = "This query is too expensive. Most of its work is to verify phrases: use fewer or rarer phrases, or add a \
                  place, a price or a type. It needs more than 2000 units (limits.query_work_max).";
    for path in [
        "/documents/properties?",
        "/documents/properties.ndjson?",
        "/indicators/price_per_meter?",
        "/documents/properties/clusters?bounds=-180,-90,180,90&zoom=5&",
        "/documents/properties/facets?",
    ] {
        let response = server.get(&format!("{path}{phrase}")).await;
        assert_eq!(response.problem(503), reason, "{path}");
        assert_eq!(response.header("retry-after"), None, "the same query will not become cheaper");
    }
    let expressions = json!([[{"word": "maison avec jardin"}]]);
    let search = json!({"transactionType": 0, "propertyTypes": [0], "expressions": expressions});
    assert_eq!(server.post("/searches/preview", &search).await.problem(503), reason);
    // Other queries go on.
    server.get("/documents/properties?expressions[]=jardin").await.ok();
}

#[tokio::test]
async fn key_revoked_by_the_command_stops_working() {
    let server = TestServer::start().await;
    let created = cli::run(server.folder(), &["keys", "create", "--user", "b", "--scopes", "read"]);
    let key = created.succeeded().trim().to_owned();
    get(&server, "/documents/properties", &key).await.ok();
    cli::run(server.folder(), &["keys", "revoke", &key]).succeeded();
    let refused = async {
        while get(&server, "/documents/properties", &key).await.status != 401 {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(refused).await;
    // And stays refused.
    get(&server, "/documents/properties", &key).await.problem(401);
}
