//! Requests to merge, split and explain properties: scopes, bodies, parameters.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::{Request, Response};

const UNKNOWN: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

async fn post(server: &TestServer, path: &str, key: &str, body: &Value) -> Response {
    server.send(Request::new("POST", path).key(key).json(body)).await
}

#[tokio::test]
async fn corrections_need_the_admin_scope() {
    let server = TestServer::start().await;
    let keys = &server.keys;
    let split = format!("/properties/{UNKNOWN}/split");
    for path in ["/properties/merge", &split] {
        server.send(Request::new("POST", path).json(&json!({}))).await.problem(401);
        for key in [&keys.read, &keys.searches, &keys.ingest] {
            let denied = "Access Denied. This key lacks the scope \"admin\".";
            assert_eq!(post(&server, path, key, &json!({})).await.problem(403), denied, "{path}");
        }
        post(&server, path, &keys.admin, &json!({})).await.problem(422);
        let wrong = server.get(path).await;
        wrong.problem(405);
        assert_eq!(wrong.header("allow"), Some("POST"), "{path}");
    }
    let grouping = format!("/documents/properties/{UNKNOWN}/grouping");
    server.send(Request::new("GET", &grouping)).await.problem(401);
    for key in [&keys.admin, &keys.searches, &keys.ingest] {
        server.send(Request::new("GET", &grouping).key(key)).await.problem(403);
    }
    server.send(Request::new("GET", &grouping).key(&keys.read)).await.problem(404);
}

#[tokio::test]
async fn malformed_corrections_are_reported() {
    let server = TestServer::start().await;
    let split = format!("/properties/{UNKNOWN}/split");
    let check = async |path: &str, body: Value, status: u16, expected: &str| {
        assert_eq!(post(&server, path, &server.keys.admin, &body).await.problem(status), expected, "{body}");
    };
    let merge = "/properties/merge";
    check(merge, json!([]), 400, "The body must be a JSON object, array given.").await;
    check(merge, json!({"properties": null}), 422, "properties: This value should not be blank.").await;
    check(
        merge,
        json!({"properties": [UNKNOWN, "/adverts/1"], "into": UNKNOWN}),
        400,
        "into: This attribute is not known.\nproperties[1]: \"/adverts/1\" is not a reference to a property.",
    )
    .await;
    check(&split, json!({}), 422, "adverts: This value should not be blank.").await;
    check(
        &split,
        json!({"adverts": [format!("/properties/{UNKNOWN}")]}),
        400,
        &format!("adverts[0]: \"/properties/{UNKNOWN}\" is not a reference to an advert."),
    )
    .await;
    let body = |content_type, text: &str| {
        Request::new("POST", merge).key(&server.keys.admin).body(content_type, text)
    };
    server.send(body("application/json", "{")).await.problem(400);
    server.send(body("text/plain", "{}")).await.problem(415);
    for id in ["x", "merge", "%20"] {
        let path = format!("/properties/{id}/split");
        post(&server, &path, &server.keys.admin, &json!({"adverts": [UNKNOWN]})).await.problem(404);
    }
    let strict = Request::new("POST", "/properties/merge?dryRun=1").key(&server.keys.admin);
    let strict = strict.header("Prefer", "handling=strict").json(&json!({"properties": []}));
    assert_eq!(server.send(strict).await.violations(400), ["dryRun"]);
}

#[tokio::test]
async fn comparison_takes_two_different_adverts() {
    let server = TestServer::start().await;
    let receipt = server.accept(&minimal("1")).await;
    let uuid = receipt["uuid"].as_str().unwrap();
    let grouping = format!("/documents{}/grouping", receipt["property"].as_str().unwrap());
    let check = async |query: &str, expected: &str| {
        let message = server.get(&format!("{grouping}?{query}")).await.problem(400);
        assert_eq!(message, format!("adverts: {expected}"), "{query}");
    };
    check(&format!("adverts[]={uuid}"), "Give two different adverts to compare them, 1 given.").await;
    let twice = format!("adverts={uuid}&adverts=/adverts/{uuid}");
    check(&twice, "Give two different adverts to compare them, 2 given.").await;
    let three = format!("adverts[0]={uuid}&adverts[1]={UNKNOWN}&adverts[2]={uuid}");
    check(&three, "Give two different adverts to compare them, 3 given.").await;
    check(&format!("adverts[]=x&adverts[]={uuid}"), "\"x\" is not a reference to an advert.").await;
    let unknown = server.get(&format!("{grouping}?adverts[]={uuid}&adverts[]=/adverts/{UNKNOWN}")).await;
    assert_eq!(unknown.problem(404), format!("Advert {UNKNOWN} does not exist."));
    let strict = Request::new("GET", &format!("{grouping}?advert={uuid}")).key(&server.keys.read);
    let strict = server.send(strict.header("Prefer", "handling=strict")).await;
    assert_eq!(strict.violations(400), ["advert"]);
}

#[tokio::test]
async fn unknown_properties_are_not_found() {
    let server = TestServer::start().await;
    for id in [UNKNOWN, "x"] {
        for path in ["", "/grouping", "/similar-properties", "/grouping?adverts[]=x"] {
            let response = server.get(&format!("/documents/properties/{id}{path}")).await;
            assert_eq!(response.problem(404), "Not Found", "{id}{path}");
            assert_eq!(response.header("location"), None);
        }
    }
}
