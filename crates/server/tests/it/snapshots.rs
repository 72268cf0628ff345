//! Snapshots of exact response bodies. The clock stands still and ids are sequential, so hardly anything has to be redacted.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, full, minimal};
use crate::harness::client::{Request, Response};
use crate::searches;

/// Returns the body as it was sent, with its keys in order.
fn body(response: &Response) -> String {
    pretty(response.text())
}

/// Formats JSON without reordering its keys.
fn pretty(text: &str) -> String {
    let (mut out, mut depth, mut in_text, mut escaped) = (String::new(), 0_usize, false, false);
    let line = |out: &mut String, depth: usize| {
        out.push('\n');
        out.push_str(&"  ".repeat(depth));
    };
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if in_text {
            out.push(character);
            in_text = escaped || character != '"';
            escaped = !escaped && character == '\\';
            continue;
        }
        match character {
            '{' | '[' if matches!(characters.peek(), Some('}' | ']')) => {
                out.push(character);
                out.extend(characters.next());
            }
            '{' | '[' => {
                out.push(character);
                depth += 1;
                line(&mut out, depth);
            }
            '}' | ']' => {
                depth -= 1;
                line(&mut out, depth);
                out.push(character);
            }
            ',' => {
                out.push(character);
                line(&mut out, depth);
            }
            ':' => out.push_str(": "),
            _ => {
                in_text = character == '"';
                out.push(character);
            }
        }
    }
    out
}

#[tokio::test]
async fn full_property() {
    let server = TestServer::start().await;
    let receipt = server.accept(&full("12")).await;
    let property = receipt["property"].as_str().unwrap();
    let second = advert("13", json!({"price": 315_000, "publisher": {"type": 0}, "property": property}));
    server.accept(&second).await;
    server.clock.advance(jiff::SignedDuration::from_hours(48));
    server.accept(&advert("12", json!({"price": 311_000, "elevator": false}))).await;
    server.accept(&advert("13", json!({"expired": true}))).await;
    insta::assert_snapshot!("property_full", body(&server.get(&format!("/documents{property}")).await));
    insta::assert_snapshot!("advert_full", body(&server.get(receipt["@id"].as_str().unwrap()).await));
}

#[tokio::test]
async fn empty_property() {
    let server = TestServer::start().await;
    let receipt = server
        .accept(
            &json!({"transactionType": 1, "propertyType": 6, "uuid": "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"}),
        )
        .await;
    let property = receipt["property"].as_str().unwrap();
    insta::assert_snapshot!("property_empty", body(&server.get(&format!("/documents{property}")).await));
    insta::assert_snapshot!("advert_empty", body(&server.get(receipt["@id"].as_str().unwrap()).await));
}

#[tokio::test]
async fn receipts() {
    let server = TestServer::start().await;
    let post = async |advert: &Value| body(&server.post("/adverts", advert).await);
    insta::assert_snapshot!("receipt_created", post(&advert("1", json!({"colour": "blue"}))).await);
    insta::assert_snapshot!("receipt_updated", post(&advert("1", json!({"price": 1}))).await);
    insta::assert_snapshot!("receipt_unchanged", post(&minimal("1")).await);
    insta::assert_snapshot!(
        "receipt_collection",
        post(&json!([minimal("2"), {"price": "x", "colour": 1}, minimal("1")])).await
    );
    insta::assert_snapshot!(
        "receipt_warnings",
        post(&advert("1", json!({"price": "environ 1 €", "surface": "60-65 m²", "createdAt": "1970-01-01"})))
            .await
    );
    let lines = format!("{}\n\nnot JSON\n{}\n", minimal("3"), json!({"propertyType": 9}));
    let request = Request::new("POST", "/adverts").key(&server.keys.all).body("application/x-ndjson", lines);
    insta::assert_snapshot!("receipt_lines", server.send(request).await.text());
}

#[tokio::test]
async fn errors() {
    let server = TestServer::start().await;
    let keyed = |method: &str, path: &str| Request::new(method, path).key(&server.keys.all);
    let post = |body: Value| keyed("POST", "/adverts").json(&body);
    let strict = |body: Value| keyed("POST", "/adverts").header("Prefer", "handling=strict").json(&body);
    let shown = async |request: Request| body(&server.send(request).await);
    insta::assert_snapshot!(
        "error_400_not_json",
        shown(keyed("POST", "/adverts").body("application/json", "{")).await
    );
    insta::assert_snapshot!(
        "error_400_wrong_type",
        shown(strict(advert("1", json!({"price": [], "room": 2.5})))).await
    );
    insta::assert_snapshot!("error_401", shown(Request::new("GET", "/adverts/x")).await);
    let reader = Request::new("POST", "/adverts").key(&server.keys.read).json(&minimal("1"));
    insta::assert_snapshot!("error_403", shown(reader).await);
    insta::assert_snapshot!("error_404", shown(keyed("GET", "/adverts/x")).await);
    insta::assert_snapshot!("error_405", shown(keyed("PUT", "/adverts")).await);
    insta::assert_snapshot!(
        "error_406",
        shown(keyed("GET", "/adverts/x").header("Accept", "text/html")).await
    );
    insta::assert_snapshot!("error_413", shown(post(json!(vec![0; 10_001]))).await);
    insta::assert_snapshot!("error_415", shown(keyed("POST", "/adverts").body("text/plain", "x")).await);
    insta::assert_snapshot!(
        "error_422",
        shown(strict(json!({"price": -1, "url": "x", "energy": {"category": "H"}}))).await
    );
    insta::assert_snapshot!("error_422_contradiction", {
        server.accept(&minimal("1")).await;
        shown(post(advert("1", json!({"uuid": "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"})))).await
    });
}

#[tokio::test]
async fn limit_errors() {
    let server = TestServer::with("[limits]\nheader_bytes_max = \"8KiB\"\n").await;
    let request = Request::new("GET", "/healthz").header("X-Filler", &"x".repeat(9_000));
    insta::assert_snapshot!("error_431", body(&server.send(request).await));
    let server = TestServer::with("[rate_limit]\nrequests_per_minute = 1\nburst = 1\n").await;
    server.get("/adverts/x").await;
    let refused = server.get("/adverts/x").await;
    // Depends on the wall clock.
    let seconds = refused.header("retry-after").unwrap();
    let text = body(&refused).replace(&format!("in {seconds} s"), "in N s");
    insta::assert_snapshot!("error_429", text);
}

#[tokio::test]
async fn full_search() {
    let server = searches::with_sites().await;
    let response = server.post("/searches", &searches::full()).await;
    // Random on every server.
    let (token, user) = (response.json()["token"].to_string(), response.json()["user"].to_string());
    let text = body(&response).replace(&token, "\"TOKEN\"").replace(&user, "\"/users/USER\"");
    insta::assert_snapshot!("search_full", text);
}

#[test]
fn pretty_printing_keeps_content() {
    let text = r#"{"a":[],"b":{"c":"x,{\"y\\"},"d":[1,2]}"#;
    let squeezed: Value = serde_json::from_str(&pretty(text)).unwrap();
    assert_eq!(squeezed.to_string(), serde_json::from_str::<Value>(text).unwrap().to_string());
    assert!(pretty(text).contains("\n  \"b\": {\n    \"c\": \"x,{\\\"y\\\\\"\n  }"));
}

#[tokio::test]
async fn property_page() {
    let server = TestServer::start().await;
    for number in ["1", "2"] {
        let fields =
            json!({"price": 320_000, "surface": 62.5, "title": "Appartement 3 pièces", "insee": "75110"});
        server.accept(&advert(number, fields)).await;
    }
    server.indexed().await;
    let page = server.get("/documents/properties?itemsPerPage=1&roomMin=&budgetMax=320000").await;
    insta::assert_snapshot!("properties_page", body(&page));
    let first = page.json()["hydra:member"][0]["@id"].as_str().unwrap().to_owned();
    let similar = server.get(&format!("{first}/similar-properties?itemsPerPage=0")).await;
    insta::assert_snapshot!("similar_properties_count", body(&similar));
}
