//! Checks the server against the table of fields: each field absent, null, empty, valid in every syntax, of a wrong type, out of range
//! and with unknown references; on create and on update.

use std::collections::BTreeSet;

use domain::FILTERS;
use domain::search::is_criterion;
use serde_json::{Value, json};

use super::fields::{Need, Refusal, Row, Shown, rows};
use super::{create_search, minimal, path, put, with, with_sites};
use crate::harness::TestServer;
use crate::harness::adverts::merge;
use crate::harness::client::Response;

/// Fields that are not criteria.
const SETTINGS: &[&str] = &[
    "title",
    "hidePropertyContact",
    "notificationEnabled",
    "notificationRecipient",
    "endpointRecipient",
    "eventEndpoint",
    "subscribedEvents",
];

#[test]
fn table_covers_every_field() {
    let criteria = FILTERS.iter().filter(|filter| is_criterion(filter)).map(|filter| filter.name);
    let expected: BTreeSet<&str> = criteria.chain(SETTINGS.iter().copied()).collect();
    let rows = rows();
    let found: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), rows.len(), "a field has two rows");
    for Row { name, good, wrong_type, refused, .. } in &rows {
        assert!(!good.is_empty() && !wrong_type.is_empty(), "{name} proves little");
        let boolean = good.iter().any(|(sent, _)| sent.is_boolean());
        assert!(boolean || !refused.is_empty(), "{name} has no out-of-range value");
    }
}

/// Returns a body without a field.
fn without(name: &str) -> Value {
    let mut body = minimal();
    body.as_object_mut().unwrap().remove(name);
    body
}

/// Returns a body with a value. A radius comes with its centre, without which it is reported as ignored.
fn given(name: &str, value: &Value) -> Value {
    let mut body = with(&json!({name: value}));
    if name == "radius" {
        merge(&mut body, json!({"lat": 47.39, "lon": 0.69}));
    }
    body
}

/// Returns every way to unset a field.
fn unset(row: &Row) -> Vec<Value> {
    let list = row.unset == Some(json!([])) || row.good.iter().any(|(_, shown)| shown.is_array());
    let mut ways = vec![json!(""), json!("  ")];
    // `null` may be a value: it turns a default off.
    ways.extend(row.good.iter().all(|(sent, _)| !sent.is_null()).then_some(Value::Null));
    ways.extend(list.then(|| json!([])));
    ways
}

/// Returns the value of a field as a search shows it.
fn seen(row: &Row, search: &Value) -> Option<Value> {
    let value = search.get(row.name)?;
    let id = |object: &Value| object["@id"].clone();
    Some(match row.shown {
        Shown::AsItIs => value.clone(),
        Shown::ById => value.as_array().unwrap().iter().map(id).collect(),
    })
}

/// Asserts that a response contains the expected violation; it may contain others.
fn assert_refused(response: &Response, refusal: &Refusal, context: &str) {
    let Refusal { status, path, message, fields: _ } = refusal;
    response.problem(*status);
    let body = response.json();
    let found = body["violations"].as_array().unwrap().iter().any(|violation| {
        violation["propertyPath"] == *path && violation["message"].as_str().unwrap().contains(message)
    });
    assert!(found, "{context}: no violation of {path} with {message:?} in {}", response.text());
}

/// Asserts a 400 whose violations are all about the field.
fn assert_wrong_type(response: &Response, row: &Row, value: &Value) {
    let paths = response.violations(400);
    let about = |path: &String| path == row.name || path.starts_with(&format!("{}[", row.name));
    assert!(!paths.is_empty() && paths.iter().all(about), "{} {value}: {paths:?}", row.name);
    assert!(response.text().contains(row.name));
}

fn assert_missing(response: &Response, row: &Row) {
    assert_eq!(response.violations(422), [row.name]);
    assert_eq!(
        response.json()["violations"][0]["message"],
        "This value should not be blank.",
        "{}",
        row.name
    );
}

/// Asserts that a later read returns what was returned by the write.
async fn assert_read_back(server: &TestServer, answered: &Value) {
    assert_eq!(server.get(path(answered)).await.ok(), *answered);
}

async fn check_creation(server: &TestServer, row: &Row) {
    let name = row.name;
    let create = async |body: &Value| server.post("/searches", body).await;
    let mut unset_bodies = vec![without(name)];
    unset_bodies.extend(unset(row).into_iter().map(|value| with(&json!({name: value}))));
    for body in unset_bodies {
        let response = create(&body).await;
        if row.need == Need::Required {
            assert_missing(&response, row);
        } else {
            assert_eq!(response.status, 201, "{body}: {}", response.text());
            assert_eq!(seen(row, &response.json()), row.unset, "{body}");
            assert_read_back(server, &response.json()).await;
        }
    }
    for (sent, shown) in &row.good {
        let response = create(&given(name, sent)).await;
        assert_eq!(response.status, 201, "{name} {sent}: {}", response.text());
        assert_eq!(response.header("x-ignored-parameters"), None, "{name} {sent}");
        assert_eq!(seen(row, &response.json()), Some(shown.clone()), "{name} {sent}");
        assert_read_back(server, &response.json()).await;
    }
    for value in &row.wrong_type {
        assert_wrong_type(&create(&with(&json!({name: value}))).await, row, value);
    }
    for refusal in &row.refused {
        assert_refused(&create(&with(&refusal.fields)).await, refusal, name);
    }
}

async fn check_change(server: &TestServer, row: &Row) {
    let name = row.name;
    let (first, first_shown) = row.good[0].clone();
    let created = create_search(server, &given(name, &first)).await;
    let change = async |body: &Value| put(server, path(&created), body).await;
    // Reset before every case, so that each starts with the first valid value.
    let reset = async || {
        assert_eq!(seen(row, &change(&given(name, &first)).await.ok()), Some(first_shown.clone()), "{name}");
    };

    let response = change(&without(name)).await;
    if row.need == Need::Required {
        assert_missing(&response, row);
    } else {
        assert_eq!(seen(row, &response.ok()), Some(first_shown.clone()), "{name}: absence keeps");
    }
    for value in unset(row) {
        reset().await;
        let response = change(&with(&json!({name: value}))).await;
        if row.need == Need::Required {
            assert_missing(&response, row);
            assert_read_back(server, &{ change(&given(name, &first)).await.ok() }).await;
        } else {
            assert_eq!(seen(row, &response.ok()), row.unset, "{name}: {value} clears");
            assert_read_back(server, &response.json()).await;
        }
    }
    for (sent, shown) in &row.good {
        let response = change(&given(name, sent)).await;
        assert_eq!(seen(row, &response.ok()), Some(shown.clone()), "{name} {sent}");
        assert_read_back(server, &response.json()).await;
    }
    reset().await;
    let before = server.get(path(&created)).await.ok();
    for value in &row.wrong_type {
        assert_wrong_type(&change(&with(&json!({name: value}))).await, row, value);
    }
    for refusal in &row.refused {
        assert_refused(&change(&with(&refusal.fields)).await, refusal, name);
    }
    assert_eq!(server.get(path(&created)).await.ok(), before, "{name}: a rejected update changes nothing");
}

#[tokio::test]
async fn every_field_is_validated_and_returned_on_create() {
    let server = with_sites().await;
    for row in rows() {
        check_creation(&server, &row).await;
    }
}

#[tokio::test]
async fn every_field_can_be_kept_cleared_and_changed_on_update() {
    let server = with_sites().await;
    for row in rows() {
        check_change(&server, &row).await;
    }
}

#[tokio::test]
async fn field_aliases_are_accepted() {
    let server = with_sites().await;
    let created = create_search(&server, &json!({"includedZipcodesInsee": ["37261"]})).await;
    assert_eq!(created["includedInseeCodes"], json!(["37261"]));
    assert_eq!(created.get("includedZipcodesInsee"), None);
    let response = server.post("/searches", &with(&json!({"includedZipcodesInsee": ["99999"]}))).await;
    assert_eq!(response.violations(400), ["includedZipcodesInsee[0]"]);
}

#[tokio::test]
async fn all_violations_of_a_search_are_reported_together() {
    let server = with_sites().await;
    let mut body = json!({});
    for row in rows() {
        body[row.name] = row.wrong_type[0].clone();
    }
    let paths = server.post("/searches", &body).await.violations(400);
    for row in rows() {
        assert!(paths.iter().any(|path| path.starts_with(row.name)), "{}", row.name);
    }
    // Violated rules give 422, unless another value is malformed.
    let rules = json!({"budgetMin": 3, "budgetMax": 2, "lat": 91, "subscribedEvents": ["x"], "endpointRecipient": "http://a.fr"});
    let response = server.post("/searches", &with(&rules)).await;
    assert_eq!(response.violations(422), ["endpointRecipient", "subscribedEvents[0]", "budgetMin", "lat"]);
    let response = server.post("/searches", &with(&json!({"lat": 91, "roomMin": "x"}))).await;
    assert_eq!(response.violations(400), ["roomMin", "lat"]);
}
