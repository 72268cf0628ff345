//! One damaged record, one failing worker, one panic: everything else goes on, and the operator learns of it.

use serde_json::{Value, json};
use store::WriteFault;

use crate::cli::run;
use crate::harness::TestServer;
use crate::harness::adverts::{advert, minimal};
use crate::harness::client::{Response, with_timeout};

/// Changes the database of a running server, which must concern one row.
fn damage(server: &TestServer, sql: &str) {
    assert_eq!(test_database::change(server.folder(), sql), 1, "{sql}");
}

fn id_of(receipt: &Value) -> &str {
    receipt["property"].as_str().unwrap().rsplit('/').next().unwrap()
}

async fn metric(server: &TestServer, line: &str) -> bool {
    server.get("/metrics").await.text().lines().any(|found| found == line)
}

/// Returns the properties of a page, and the number on all pages.
async fn listed(server: &TestServer) -> (Vec<String>, u64) {
    let page = server.get("/documents/properties").await.ok();
    let members = page["hydra:member"].as_array().unwrap();
    let members = members.iter().map(|it| id_of(it).to_owned()).collect();
    (members, page["hydra:totalItems"].as_u64().unwrap())
}

#[tokio::test]
async fn damaged_property_is_left_out_and_can_be_repaired() {
    for restart in [false, true] {
        let mut server = TestServer::start().await;
        let mut receipts = Vec::new();
        for reference in ["a", "b", "c"] {
            receipts.push(server.accept(&advert(reference, json!({"price": 100_000}))).await);
        }
        let id: uuid::Uuid = id_of(&receipts[0]).parse().unwrap();
        test_database::damage_property(server.folder(), id.as_bytes());
        if restart {
            server = server.restarted().await;
        }
        let (members, _) = listed(&server).await;
        assert_eq!(members.len(), 2, "the others are listed");
        assert!(!members.iter().any(|id| id == id_of(&receipts[0])));
        let export = server.get("/documents/properties.ndjson").await;
        assert_eq!((export.status, export.text().lines().count()), (200, 2));
        assert!(!export.text().contains("hydra:Error"), "{}", export.text());
        let message = server.get(&format!("/documents{}", receipts[0]["property"].as_str().unwrap())).await;
        assert!(message.problem(500).contains("damaged; other records are not affected"), "{message:?}");
        assert!(metric(&server, "vigie_damaged_records{kind=\"property\"} 1").await);
        assert_eq!(server.get("/readyz").await.status, 200);

        // Only the advert of that property is refused.
        let batch = ["a", "b", "d"].map(|reference| advert(reference, json!({"price": 90_000})));
        let answer = server.post("/adverts", &json!(batch)).await.ok();
        let outcomes: Vec<_> =
            answer["hydra:member"].as_array().unwrap().iter().map(|it| &it["outcome"]).collect();
        assert_eq!(outcomes, ["rejected", "updated", "created"], "{answer}");
        assert!(answer["hydra:member"][0].to_string().contains("is damaged"), "{answer}");

        // Beside the running server.
        let verified = run(server.folder(), &["verify"]);
        assert_eq!(verified.code, Some(1), "{verified:?}");
        assert!(verified.out.starts_with(&format!("property\t{}\t", id_of(&receipts[0]))), "{verified:?}");
        let verified = run(server.folder(), &["verify", "--json"]);
        let document: Value = serde_json::from_str(&verified.out).unwrap();
        assert_eq!(document["findings"][0]["id"], id_of(&receipts[0]));
        assert_eq!(document["checked"]["property"], 4);
        let refused = run(server.folder(), &["verify", "--repair"]);
        assert_eq!((refused.code, refused.out.as_str()), (Some(1), ""), "it asks first: {refused:?}");
        let repaired = run(server.folder(), &["verify", "--repair", "--yes"]);
        assert!(repaired.succeeded().contains("removed the property"), "{repaired:?}");
        assert!(repaired.out.ends_with("everything is intact.\n"), "{repaired:?}");
        let again = server.accept(&advert("a", json!({"price": 80_000}))).await;
        assert_eq!(again["outcome"], "created");
        server.indexed().await;
        let (members, total) = listed(&server).await;
        assert_eq!((members.len(), total), (4, 4));
    }
}

#[tokio::test]
async fn damaged_log_entry_stops_neither_the_index_nor_the_matcher() {
    let mut server = TestServer::start().await;
    let search = json!({"title": "Tout", "transactionType": 0, "propertyTypes": [0], "withCoherentPrice": false, "notificationEnabled": true});
    let search = server.post("/searches", &search).await;
    assert_eq!(search.status, 201, "{}", search.text());
    let path = search.json()["@id"].as_str().unwrap().to_owned();
    for (restart, round) in [(false, 1), (true, 2)] {
        damage(
            &server,
            "INSERT INTO log (position, kind, recorded_at, subject)
             SELECT coalesce(max(position), 0) + 1, 99, 1, x'01' FROM log",
        );
        if restart {
            server = server.restarted().await;
        }
        let receipt = server.accept(&advert(&format!("after {round}"), json!({"price": 100_000}))).await;
        with_timeout(server.app.wait_until_matched()).await;
        assert_eq!(listed(&server).await.1, round);
        assert_eq!(server.get("/readyz").await.status, 200);
        let matches = server.get(&format!("{path}/matches")).await.ok();
        assert_eq!(matches["hydra:totalItems"], round, "{matches}");
        assert!(matches.to_string().contains(id_of(&receipt)), "{matches}");
    }
    assert!(metric(&server, "vigie_damaged_records{kind=\"log_entry\"} 1").await);
    let verified = run(server.folder(), &["verify"]);
    assert_eq!(
        verified.out.lines().filter(|line| line.starts_with("log_entry\t")).count(),
        2,
        "{verified:?}"
    );
    run(server.folder(), &["verify", "--repair", "--yes"]).succeeded();
}

#[tokio::test]
async fn damaged_search_is_deleted_by_its_owner_and_the_others_are_listed() {
    for restart in [false, true] {
        let mut server = TestServer::start().await;
        let mut paths = Vec::new();
        for title in ["Une", "Deux", "Trois"] {
            let created = server
                .post("/searches", &json!({"title": title, "transactionType": 0, "propertyTypes": [0]}))
                .await
                .json();
            paths.push(created["@id"].as_str().unwrap().to_owned());
        }
        damage(&server, "UPDATE search SET record = x'01ff' WHERE number = 2");
        if restart {
            server = server.restarted().await;
        }
        let titles = async |server: &TestServer| {
            let page = server.get("/searches").await.ok();
            let members = page["hydra:member"].as_array().unwrap();
            members.iter().map(|it| it["title"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(titles(&server).await, ["Trois", "Une"]);
        server.get(&paths[1]).await.problem(500);
        let verified = run(server.folder(), &["verify"]);
        assert!(verified.out.starts_with("search\t"), "{verified:?}");
        assert_eq!(server.delete(&paths[1]).await.status, 204);
        server.get(&paths[1]).await.problem(404);
        assert_eq!(titles(&server).await, ["Trois", "Une"]);
        run(server.folder(), &["verify"]).succeeded();
    }
}

/// Waits until a probe answers with a status.
async fn wait_for_status(server: &TestServer, path: &str, status: u16) -> Response {
    let probe = async {
        loop {
            let response = server.get(path).await;
            if response.status == status {
                return response;
            }
            tokio::task::yield_now().await;
        }
    };
    with_timeout(probe).await
}

#[tokio::test]
async fn worker_that_stands_still_makes_the_server_unready_until_it_moves() {
    let server = TestServer::start().await;
    let search = json!({"title": "Tout", "transactionType": 0, "propertyTypes": [0], "withCoherentPrice": false, "notificationEnabled": true});
    assert_eq!(server.post("/searches", &search).await.status, 201);
    with_timeout(server.app.wait_until_matched()).await;
    let execute = |sql| test_database::execute(server.folder(), sql);
    execute("CREATE TABLE spare AS SELECT * FROM matcher; DELETE FROM matcher");
    server.accept(&advert("1", json!({"price": 100_000}))).await;
    // A poll that began before the change may still end well, after the clock moved on.
    let failing = async {
        while !server.app.worker_health().iter().any(|it| it.name == "matcher" && it.failures > 0) {
            tokio::task::yield_now().await;
        }
    };
    with_timeout(failing).await;
    assert_eq!(server.get("/readyz").await.status, 200, "it may be slow");
    server.clock.advance(jiff::SignedDuration::from_secs(61));
    let response = wait_for_status(&server, "/readyz", 503).await;
    assert!(response.problem(503).contains("matcher"), "{response:?}");
    assert_eq!(server.get("/healthz").await.status, 200, "a restart does not help");
    assert!(metric(&server, "vigie_worker_stalled{worker=\"matcher\"} 1").await);
    assert_eq!(listed(&server).await.1, 1, "the index goes on");
    execute("INSERT INTO matcher SELECT * FROM spare; DROP TABLE spare");
    wait_for_status(&server, "/readyz", 200).await;
    assert!(metric(&server, "vigie_worker_stalled{worker=\"matcher\"} 0").await);
}

#[tokio::test]
async fn failed_writer_makes_the_server_unhealthy_at_once_and_ends_it() {
    for (fault, words) in
        [(WriteFault::Sync, "a sync to disk failed"), (WriteFault::PanickingWriter, "ended unexpectedly")]
    {
        let mut server = TestServer::start().await;
        server.accept(&advert("1", json!({"price": 100_000}))).await;
        assert_eq!(server.get("/healthz").await.status, 200);
        server.database.inject(fault);
        assert_eq!(server.post("/adverts", &minimal("2")).await.status, 503);
        server.app.wait_for_store_failure().await;
        for path in ["/healthz", "/readyz"] {
            let response = server.get(path).await;
            assert!(response.problem(503).contains(words), "{path}: {response:?}");
        }
        assert!(metric(&server, "vigie_store_failed 1").await);
        assert_eq!(listed(&server).await.1, 1, "reads are answered until it ends");
        server.ended().await;
        assert!(server.app.store_failure().is_some(), "the exit code says so");
    }
}

#[tokio::test]
async fn full_disk_and_panicking_call_concern_one_request_only() {
    let server = TestServer::start().await;
    for (reference, fault, status) in
        [("1", WriteFault::Full, 503), ("2", WriteFault::Write, 503), ("3", WriteFault::PanickingCall, 500)]
    {
        server.database.inject(fault);
        let refused = server.post("/adverts", &minimal(reference)).await;
        assert_eq!(refused.status, status, "{fault:?}: {}", refused.text());
        assert_eq!(server.accept(&minimal(reference)).await["outcome"], "created", "{fault:?}");
        assert_eq!(server.get("/healthz").await.status, 200);
        assert_eq!(server.get("/readyz").await.status, 200);
    }
}
