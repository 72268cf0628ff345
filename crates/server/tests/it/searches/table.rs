//! The table of fields, held against the service: each field absent, null, empty, good in every spelling, of a wrong type, out
//! of range and leading nowhere; on creation and on change.

use std::collections::BTreeSet;

use domain::FILTERS;
use domain::search::is_criterion;
use serde_json::{Value, json};

use super::fields::{Need, Refusal, Row, Shown, rows};
use super::{least, make, path, put, with, with_sites};
use crate::harness::TestServer;
use crate::harness::client::Answer;

/// What is no criterion.
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
fn the_table_has_a_row_for_every_field() {
    let criteria = FILTERS.iter().filter(|filter| is_criterion(filter)).map(|filter| filter.name);
    let expected: BTreeSet<&str> = criteria.chain(SETTINGS.iter().copied()).collect();
    let rows = rows();
    let found: BTreeSet<&str> = rows.iter().map(|row| row.name).collect();
    assert_eq!(found, expected);
    assert_eq!(found.len(), rows.len(), "a field has two rows");
    for Row { name, good, wrong_type, refused, .. } in &rows {
        assert!(!good.is_empty() && !wrong_type.is_empty(), "{name} proves little");
        let boolean = good.iter().any(|(sent, _)| sent.is_boolean());
        assert!(boolean || !refused.is_empty(), "{name} is never out of range");
    }
}

/// A body without a field.
fn without(name: &str) -> Value {
    let mut body = least();
    body.as_object_mut().unwrap().remove(name);
    body
}

/// Every way to say that a field is unset.
fn unset(row: &Row) -> Vec<Value> {
    let list = row.unset == Some(json!([])) || row.good.iter().any(|(_, shown)| shown.is_array());
    let mut ways = vec![Value::Null, json!(""), json!("  ")];
    ways.extend(list.then(|| json!([])));
    ways
}

/// What a search shows of a field.
fn seen(row: &Row, search: &Value) -> Option<Value> {
    let value = search.get(row.name)?;
    let id = |object: &Value| object["@id"].clone();
    Some(match row.shown {
        Shown::AsItIs => value.clone(),
        Shown::ById => value.as_array().unwrap().iter().map(id).collect(),
    })
}

/// The violation that an answer must have; it may have others.
fn assert_refused(answer: &Answer, refusal: &Refusal, context: &str) {
    let Refusal { status, path, told, fields: _ } = refusal;
    answer.problem(*status);
    let body = answer.json();
    let found = body["violations"].as_array().unwrap().iter().any(|violation| {
        violation["propertyPath"] == *path && violation["message"].as_str().unwrap().contains(told)
    });
    assert!(found, "{context}: no violation of {path} with {told:?} in {}", answer.text());
}

/// Of a wrong type: 400, and every violation is about the field.
fn assert_wrong_type(answer: &Answer, row: &Row, value: &Value) {
    let paths = answer.violations(400);
    let about = |path: &String| path == row.name || path.starts_with(&format!("{}[", row.name));
    assert!(!paths.is_empty() && paths.iter().all(about), "{} {value}: {paths:?}", row.name);
    assert!(answer.text().contains(row.name));
}

fn assert_missing(answer: &Answer, row: &Row) {
    assert_eq!(answer.violations(422), [row.name]);
    assert_eq!(answer.json()["violations"][0]["message"], "This value should not be blank.", "{}", row.name);
}

/// What was answered is what is read.
async fn assert_read_back(server: &TestServer, answered: &Value) {
    assert_eq!(server.get(path(answered)).await.ok(), *answered);
}

async fn check_creation(server: &TestServer, row: &Row) {
    let name = row.name;
    let create = async |body: &Value| server.post("/searches", body).await;
    let mut unset_bodies = vec![without(name)];
    unset_bodies.extend(unset(row).into_iter().map(|value| with(&json!({name: value}))));
    for body in unset_bodies {
        let answer = create(&body).await;
        if row.need == Need::Required {
            assert_missing(&answer, row);
        } else {
            assert_eq!(answer.status, 201, "{body}: {}", answer.text());
            assert_eq!(seen(row, &answer.json()), row.unset, "{body}");
            assert_read_back(server, &answer.json()).await;
        }
    }
    for (sent, shown) in &row.good {
        let answer = create(&with(&json!({name: sent}))).await;
        assert_eq!(answer.status, 201, "{name} {sent}: {}", answer.text());
        assert_eq!(answer.header("x-ignored-parameters"), None, "{name} {sent}");
        assert_eq!(seen(row, &answer.json()), Some(shown.clone()), "{name} {sent}");
        assert_read_back(server, &answer.json()).await;
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
    let made = make(server, &json!({name: first})).await;
    let change = async |body: &Value| put(server, path(&made), body).await;
    // Set anew before every turn, so that each begins with the first good value.
    let reset = async || {
        assert_eq!(
            seen(row, &change(&with(&json!({name: first}))).await.ok()),
            Some(first_shown.clone()),
            "{name}"
        );
    };

    let answer = change(&without(name)).await;
    if row.need == Need::Required {
        assert_missing(&answer, row);
    } else {
        assert_eq!(seen(row, &answer.ok()), Some(first_shown.clone()), "{name}: absence keeps");
    }
    for value in unset(row) {
        reset().await;
        let answer = change(&with(&json!({name: value}))).await;
        if row.need == Need::Required {
            assert_missing(&answer, row);
            assert_read_back(server, &{ change(&with(&json!({name: first}))).await.ok() }).await;
        } else {
            assert_eq!(seen(row, &answer.ok()), row.unset, "{name}: {value} clears");
            assert_read_back(server, &answer.json()).await;
        }
    }
    for (sent, shown) in &row.good {
        let answer = change(&with(&json!({name: sent}))).await;
        assert_eq!(seen(row, &answer.ok()), Some(shown.clone()), "{name} {sent}");
        assert_read_back(server, &answer.json()).await;
    }
    reset().await;
    let before = server.get(path(&made)).await.ok();
    for value in &row.wrong_type {
        assert_wrong_type(&change(&with(&json!({name: value}))).await, row, value);
    }
    for refusal in &row.refused {
        assert_refused(&change(&with(&refusal.fields)).await, refusal, name);
    }
    assert_eq!(server.get(path(&made)).await.ok(), before, "{name}: what is refused changes nothing");
}

#[tokio::test]
async fn every_field_of_a_new_search_is_read_checked_and_shown() {
    let server = with_sites().await;
    for row in rows() {
        check_creation(&server, &row).await;
    }
}

#[tokio::test]
async fn every_field_of_a_search_can_be_kept_cleared_and_changed() {
    let server = with_sites().await;
    for row in rows() {
        check_change(&server, &row).await;
    }
}

#[tokio::test]
async fn the_other_name_of_a_field_is_understood() {
    let server = with_sites().await;
    let made = make(&server, &json!({"includedZipcodesInsee": ["37261"]})).await;
    assert_eq!(made["includedInseeCodes"], json!(["37261"]));
    assert_eq!(made.get("includedZipcodesInsee"), None);
    let answer = server.post("/searches", &with(&json!({"includedZipcodesInsee": ["99999"]}))).await;
    assert_eq!(answer.violations(400), ["includedZipcodesInsee[0]"]);
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_search_is_said_at_once() {
    let server = with_sites().await;
    let mut body = json!({});
    for row in rows() {
        body[row.name] = row.wrong_type[0].clone();
    }
    let paths = server.post("/searches", &body).await.violations(400);
    for row in rows() {
        assert!(paths.iter().any(|path| path.starts_with(row.name)), "{}", row.name);
    }
    // Understood and wrong is 422, until something is not understood.
    let rules = json!({"budgetMin": 3, "budgetMax": 2, "lat": 91, "subscribedEvents": ["x"], "endpointRecipient": "http://a.fr"});
    let answer = server.post("/searches", &with(&rules)).await;
    assert_eq!(answer.violations(422), ["endpointRecipient", "subscribedEvents[0]", "budgetMin", "lat"]);
    let answer = server.post("/searches", &with(&json!({"lat": 91, "roomMin": "x"}))).await;
    assert_eq!(answer.violations(400), ["roomMin", "lat"]);
}
