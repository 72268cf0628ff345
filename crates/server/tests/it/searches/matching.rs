//! When a search matches, and which of its criteria have an effect.

use serde_json::json;

use super::{minimal, path, put, with};
use crate::harness::TestServer;
use crate::harness::client::Request;

#[tokio::test]
async fn radius_of_a_search_without_its_centre_is_reported() {
    let server = TestServer::start().await;
    let response = server.post("/searches", &with(&json!({"radius": 5, "lat": 47.39}))).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (201, Some("radius")));
    let created = response.json();
    assert_eq!((&created["ignored"], &created["radius"]), (&json!(["radius"]), &json!(5)));
    let strict = Request::new("POST", "/searches").key(&server.keys.all).header("Prefer", "handling=strict");
    let refused = server.send(strict.json(&with(&json!({"radius": 5})))).await;
    assert!(refused.problem(400).contains("without its centre"), "{}", refused.text());
    // Completed, it has an effect; an update that does not name it says nothing.
    let complete = put(&server, path(&created), &with(&json!({"radius": 5, "lon": 0.69}))).await.ok();
    assert_eq!(complete.get("ignored"), None);
    put(&server, path(&created), &with(&json!({"lon": null}))).await.ok();
    assert_eq!(put(&server, path(&created), &minimal()).await.ok().get("ignored"), None);
}
