//! How the server fares, for operators.

use serde_json::json;

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::Request;

#[tokio::test]
async fn status_shows_what_came_in() {
    let server = TestServer::with(
        "[limits]\nrequests_max = 77\n[email]\nsmtp_password = \"hush\"\nsmtp_user = \"zoé\"\n",
    )
    .await;
    for number in 0..3 {
        server.accept(&minimal(&number.to_string())).await;
    }
    server.indexed().await;
    let status = server.send(Request::new("GET", "/status").key(&server.keys.admin)).await.ok();
    let now = &status["now"];
    assert_eq!((&now["properties"], &now["indexLag"], &now["isReady"]), (&json!(3), &json!(0), &json!(true)));
    assert_eq!(now["logPosition"], json!(server.app.log_position().0));
    assert!(now["diskFreeBytes"].as_u64().unwrap() <= now["diskBytes"].as_u64().unwrap());
    assert_eq!(status["startedAt"], "2026-03-02T10:00:00+01:00");
    let sites = status["sites"].as_array().unwrap();
    assert_eq!(sites.iter().map(|site| site["accepted"].as_u64().unwrap()).sum::<u64>(), 3, "{sites:?}");
    assert_eq!(sites[0]["hours"][0]["hour"], "2026-03-02T10:00:00+01:00");

    // Settings that differ from their default, without secrets.
    let setting = |name: &str| {
        let settings = status["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["name"] == name).cloned()
    };
    assert_eq!(
        setting("limits.requests_max"),
        Some(json!({"name": "limits.requests_max", "value": "77", "default": "1000"}))
    );
    assert_eq!(setting("email.smtp_password").unwrap()["value"], "(hidden)");
    assert_eq!(setting("limits.streams_per_user"), None);
    assert!(!status.to_string().contains("hush"));

    let denied = server.send(Request::new("GET", "/status").key(&server.keys.read)).await;
    assert_eq!(denied.problem(403), "Access Denied. This key lacks the scope \"admin\".");
}

#[tokio::test]
async fn refused_adverts_are_grouped_by_reason() {
    let server = TestServer::start().await;
    let line = |number: u32, price: &str| {
        let mut advert = minimal(&number.to_string());
        advert["propertyType"] = json!(price);
        advert["reference"] = json!(format!("A-{number}"));
        advert.to_string()
    };
    let lines = [line(1, "castle of Marie"), line(2, "castle of Paul"), "not json".to_owned()].join("\n");
    let receipts = server.post_lines(lines).await;
    assert_eq!(receipts.len(), 3);
    let refused = server.send(Request::new("GET", "/status/refused").key(&server.keys.admin)).await;
    assert!(!refused.text().contains("Marie"), "{}", refused.text());
    let refused = refused.ok();
    assert_eq!(refused["total"], 3, "{refused}");
    let reasons = refused["reasons"].as_array().unwrap();
    let of_type = reasons.iter().find(|reason| reason["propertyPath"] == "propertyType").unwrap();
    assert_eq!((&of_type["count"], &of_type["examples"][0]["reference"]), (&json!(2), &json!("A-2")));
    assert!(reasons.iter().any(|reason| reason["propertyPath"] == "" && reason["count"] == 1), "{reasons:?}");
}

#[tokio::test]
async fn level_of_a_foreign_log_stays() {
    let server = TestServer::start().await;
    let set = async |body| {
        server.send(Request::new("PUT", "/status/log-level").key(&server.keys.admin).json(&body)).await
    };
    // The log of this process is that of the test runner.
    set(json!({"level": "debug"})).await.problem(409);
    assert_eq!(set(json!({"level": "loud,=x"})).await.violations(422), ["level"]);
    assert_eq!(set(json!({})).await.violations(422), ["level"]);
    assert_eq!(set(json!({"level": 7})).await.violations(400), ["level"]);
}
