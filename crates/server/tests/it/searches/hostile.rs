//! Hostile bodies of searches.

use serde_json::{Value, json};

use super::fields::rows;
use super::{create_search, minimal, path, with};
use crate::harness::TestServer;
use crate::harness::client::{Request, Response};

async fn send(server: &TestServer, method: &str, path: &str, body: impl Into<Vec<u8>>) -> Response {
    let request = Request::new(method, path).key(&server.keys.all).body("application/json", body);
    server.send(request).await
}

/// Asserts a success or a client error of the standard shape.
fn assert_answered(response: &Response, context: &str) {
    match response.status {
        200 | 201 => {}
        status @ 400..500 => {
            response.problem(status);
        }
        status => panic!("{context}: {status} {}", response.text()),
    }
}

#[tokio::test]
async fn body_that_is_not_a_search_is_rejected() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let nested = |brackets: usize| format!("{}{}", "[".repeat(brackets), "]".repeat(brackets));
    let bodies = [
        String::new(),
        "{".to_owned(),
        "{\"title\":1e999}".to_owned(),
        "{\"title\":\"\\ud800\"}".to_owned(),
        format!("{}{}", minimal(), minimal()),
        nested(100_000),
        format!("{{\"geoShapes\":{}}}", nested(5_000)),
        format!("{{\"expressions\":{}", "{\"0\":".repeat(50_000)),
        "[]".to_owned(),
        "null".to_owned(),
        "5".to_owned(),
        "\"title\"".to_owned(),
        format!("[{}]", minimal()),
    ];
    for body in bodies {
        for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
            let response = send(&server, method, path, body.as_bytes()).await;
            response.problem(400);
        }
    }
    for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
        let plain =
            Request::new(method, path).key(&server.keys.all).body("text/plain", minimal().to_string());
        server.send(plain).await.problem(415);
        server.send(Request::new(method, path).key(&server.keys.all)).await.problem(415);
    }
    assert_eq!(server.get(path(&created)).await.ok(), created);
}

#[tokio::test]
async fn oversized_search_body_is_rejected() {
    let server = TestServer::with("[limits]\nbody_bytes_max = \"64KiB\"\n").await;
    let created = create_search(&server, &json!({})).await;
    let huge = with(&json!({"title": "x".repeat(70_000)})).to_string();
    for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
        send(&server, method, path, huge.as_bytes()).await.problem(413);
    }
    // Another user is rejected before the body is read.
    let unknown = "/searches/00000000-0000-7000-8000-00000000ffff";
    send(&server, "PUT", unknown, huge.as_bytes()).await.problem(404);
}

#[tokio::test]
async fn last_duplicate_attribute_wins() {
    let server = TestServer::start().await;
    let body = br#"{"title": "a", "transactionType": 0, "propertyTypes": 1, "title": "b", "budgetMin": 1, "budgetMin": "2"}"#;
    let created = send(&server, "POST", "/searches", body.as_slice()).await;
    assert_eq!(
        (created.status, &created.json()["title"], &created.json()["budgetMin"]),
        (201, &json!("b"), &json!(2))
    );
}

#[tokio::test]
async fn list_lengths_are_limited() {
    let server = TestServer::start().await;
    let zipcodes: Vec<String> = (0..5_001).map(|number| format!("{number:05}")).collect();
    let response = server.post("/searches", &with(&json!({"includedZipcodes": zipcodes}))).await;
    assert_eq!(response.violations(422), ["includedZipcodes"]);
    let created = create_search(&server, &json!({"includedZipcodes": zipcodes[..5_000]})).await;
    assert_eq!(server.get(path(&created)).await.ok()["includedZipcodes"], json!(zipcodes[..5_000]));
    let codes: Vec<&str> =
        server.app.places().cities().iter().take(5_000).map(|city| city.insee.as_str()).collect();
    let too_much = with(&json!({"includedCities": codes, "excludedCities": codes[..1]}));
    assert_eq!(server.post("/searches", &too_much).await.violations(422), [""], "too many in total");
    let (half, rest) = codes.split_at(2_500);
    let created = create_search(&server, &json!({"includedCities": half, "excludedCities": rest})).await;
    let again = server.post("/searches", &created).await;
    assert_eq!(again.status, 201, "a search can be sent back as it was read, whatever its size");
}

#[tokio::test]
async fn any_value_in_any_field_gets_a_response() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let deep = (0..100).fold(json!(1), |inner, _| json!([inner]));
    let deep_object = (0..100).fold(json!(1), |inner, _| json!({"0": inner}));
    let values = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1),
        json!(1e308),
        json!(-1e-308),
        json!(u64::MAX),
        json!(i64::MIN),
        json!(0.1),
        json!(""),
        json!("\u{0}"),
        json!("null"),
        json!("NaN"),
        json!("1e999"),
        json!("é".repeat(3_000)),
        json!("2A"),
        json!("/"),
        json!("/sites/"),
        json!("/sites/99999999999999999999"),
        json!("expressions[0][0][word]"),
        json!("[[[["),
        json!("{}"),
        json!("\u{202e}\u{feff}"),
        json!([]),
        json!({}),
        json!([[]]),
        json!([{}]),
        json!({"0": {"0": {}}}),
        json!({"@id": null}),
        json!({"@id": {"@id": 1}}),
        json!({"18446744073709551615": 1, "0": 2}),
        json!(vec![0; 6_000]),
        json!([[[1e308, 1], [2, 2], [3, 3]]]),
        deep,
        deep_object,
    ];
    let names: Vec<&str> =
        rows().iter().map(|row| row.name).chain(["@id", "token", "user", "inconnu"]).collect();
    for value in values {
        let shown: String = value.to_string().chars().take(60).collect();
        let everywhere: Value = names.iter().map(|name| ((*name).to_owned(), value.clone())).collect();
        for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
            assert_answered(&send(&server, method, path, everywhere.to_string()).await, &shown);
        }
        // Alone, so that no other field prevents it from being saved.
        for name in &names {
            let response =
                send(&server, "PUT", path(&created), with(&json!({*name: value})).to_string()).await;
            assert_answered(&response, &format!("{name} {shown}"));
            if response.status == 200 {
                // Only this answer says what was ignored.
                let mut changed = response.json();
                changed.as_object_mut().unwrap().remove("ignored");
                assert_eq!(server.get(path(&created)).await.ok(), changed, "{name} {shown}");
            }
        }
    }
}
