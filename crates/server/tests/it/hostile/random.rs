//! Random input: the server never fails, a stream has a receipt for every line, and accepted adverts round-trip.

use std::cell::RefCell;

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::contract;
use crate::harness::TestServer;
use crate::harness::adverts::full;

/// Any JSON value, a few levels deep.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,20}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 20, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((field_name(), inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// The name of a field, or any text.
fn field_name() -> impl Strategy<Value = String> {
    let known: Vec<String> = full("1").as_object().unwrap().keys().cloned().collect();
    prop_oneof![4 => prop::sample::select(known), 1 => ".{0,10}"]
}

/// Values that are almost valid for some field.
fn tempting() -> impl Strategy<Value = Value> {
    let odd = [
        json!(null),
        json!(""),
        json!(" "),
        json!([]),
        json!({}),
        json!([null]),
        json!(-1),
        json!(0),
        json!(1),
        json!("1"),
        json!(" 1 "),
        json!(1e15),
        json!(0.000_000_1),
        json!("true"),
        json!("A"),
        json!("g"),
        json!("2026-02-29"),
        json!("2024-02-29 12:00:00"),
        json!("2025-03-30T02:30:00"),
        json!("https://www.www.a.example:443/%zz?q=é#f"),
        json!("www.www.b.example"),
        json!("HTTP://[::1]/"),
        json!("2A004"),
        json!("295 000 €"),
        json!("60-65 m²"),
        json!("12/03/2024"),
        json!("NC"),
        json!("oui"),
        json!("<p>R&eacute;f &amp;amp; co</p>"),
        json!("\u{92}Ã©"),
        json!({"lat": null, "lon": null}),
        json!({"lat": "2,35", "lon": "48,85"}),
        json!("/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b"),
        json!({"lat": "48.5", "lon": -0.0}),
        json!({"category": "c", "value": "12.5"}),
        json!({"name": "x", "type": "1"}),
        json!([{"createdAt": "2026-01-01", "fieldName": "price", "percentVariation": 1e20}]),
        json!([{"createdAt": "2026-01-01", "fieldName": "created"}]),
        json!([{"createdAt": "2026-01-01", "fieldName": "foreign:x", "fieldOldValue": "\u{0}"}]),
        json!(["https://a.example/1", " ", "https://a.example/1"]),
    ];
    prop_oneof![3 => prop::sample::select(odd.to_vec()), 1 => any_json()]
}

/// An advert with a few fields missing or replaced.
fn almost_an_advert() -> impl Strategy<Value = Value> {
    let change = (field_name(), prop::option::weighted(0.8, tempting()));
    (0..6_u8, prop::collection::vec(change, 0..6)).prop_map(|(reference, changes)| {
        let mut advert: Map<String, Value> = full(&reference.to_string()).as_object().unwrap().clone();
        for (name, value) in changes {
            match value {
                Some(value) => advert.insert(name, value),
                None => advert.remove(&name),
            };
        }
        Value::Object(advert)
    })
}

fn input() -> impl Strategy<Value = Value> {
    prop_oneof![1 => any_json(), 3 => almost_an_advert()]
}

/// Returns the receipt of each advert sent with `POST /adverts`.
async fn receipts(server: &TestServer, sent: &[Value]) -> Vec<Value> {
    let mut receipts = Vec::new();
    for advert in sent {
        let response = server.post("/adverts", advert).await;
        match response.status {
            200 | 201 => {
                let body = response.json();
                // An array in a body is a batch.
                receipts.extend(
                    body.get("hydra:member").map_or(vec![body.clone()], |m| m.as_array().unwrap().clone()),
                );
            }
            status @ (400 | 422) => drop(response.problem(status)),
            status => panic!("{status} for {advert}: {}", response.text()),
        }
    }
    let response = server.post("/adverts", &json!(sent)).await.ok();
    let collection = response["hydra:member"].as_array().unwrap();
    assert_eq!(collection.len(), sent.len());
    receipts.extend(collection.iter().cloned());
    let lines: String = sent.iter().map(|advert| format!("{advert}\n")).collect();
    let answered = server.post_lines(lines).await;
    assert_eq!(answered.len(), sent.len());
    receipts.extend(answered);
    receipts
}

async fn check(server: &TestServer, sent: &[Value]) {
    for receipt in receipts(server, sent).await {
        if receipt["outcome"] == "rejected" {
            assert!(!receipt["violations"].as_array().unwrap().is_empty(), "{receipt}");
            continue;
        }
        contract::assert_advert(&server.advert(&receipt).await);
        contract::assert_document(&server.document(&receipt).await);
    }
    // Sending an accepted advert again changes nothing: what is stored is what was read.
    let (first, second) =
        (server.post("/adverts", &json!(sent)).await.ok(), server.post("/adverts", &json!(sent)).await.ok());
    let count = |body: &Value| body["hydra:member"].as_array().unwrap().len();
    assert_eq!(count(&first), count(&second));
    for advert in sent {
        let once = server.post("/adverts", advert).await;
        let twice = server.post("/adverts", advert).await.json();
        if once.status < 300 && advert.is_object() {
            assert_eq!(twice["outcome"], "unchanged", "{advert}");
        }
    }
}

/// A line of an NDJSON body: any bytes, or an advert in which a few bytes were replaced. Never a line break.
fn any_line() -> impl Strategy<Value = Vec<u8>> {
    let noise = prop::collection::vec(any::<u8>(), 1..80);
    let spoilt =
        (almost_an_advert(), prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6));
    let spoilt = spoilt.prop_map(|(advert, changes)| {
        let mut line = advert.to_string().into_bytes();
        for (at, byte) in changes {
            let at = at.index(line.len());
            line[at] = byte;
        }
        line
    });
    prop_oneof![1 => noise, 3 => spoilt].prop_map(|line| {
        let mut line: Vec<u8> =
            line.into_iter().map(|byte| if byte == b'\n' { b' ' } else { byte }).collect();
        // A blank line has no receipt.
        if line.iter().all(u8::is_ascii_whitespace) {
            line = b"x".to_vec();
        }
        line
    })
}

async fn check_bytes(server: &TestServer, lines: &[Vec<u8>]) {
    let body = lines.join(&b'\n');
    let receipts = server.post_lines(body.clone()).await;
    assert_eq!(receipts.len(), lines.len(), "{}", String::from_utf8_lossy(&body));
    for (number, receipt) in receipts.iter().enumerate() {
        assert_eq!(receipt["line"], number + 1);
        assert!(receipt["outcome"].is_string(), "{receipt}");
    }
    for body in [lines[0].clone(), body] {
        let response = server.post_bytes(body.clone()).await;
        assert!(response.status < 500, "{}: {}", response.status, String::from_utf8_lossy(&body));
    }
}

#[test]
fn random_bytes_are_answered() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = RefCell::new(runtime.block_on(TestServer::start()));
    // On failure, the runner prints the minimised input and its seed.
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let result = runner.run(&prop::collection::vec(any_line(), 1..6), |lines| {
        runtime.block_on(check_bytes(&server.borrow(), &lines));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    runtime.block_on(super::assert_unharmed(&server.borrow()));
}

#[test]
fn random_input_is_answered_and_round_trips() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = RefCell::new(runtime.block_on(TestServer::start()));
    // On failure, the runner prints the minimised input and its seed.
    let mut runner = TestRunner::new(Config { cases: 60, failure_persistence: None, ..Config::default() });
    let result = runner.run(&prop::collection::vec(input(), 1..6), |sent| {
        runtime.block_on(check(&server.borrow(), &sent));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
    runtime.block_on(super::assert_unharmed(&server.borrow()));
}
