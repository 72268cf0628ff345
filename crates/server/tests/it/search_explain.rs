//! Explanations of why a property matches a saved search or not.

use domain::Scopes;
use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::merge;
use crate::harness::client::Request;
use crate::search::listing;

/// Saves a search for apartments in Tours, with the given fields added or replaced.
async fn saved(server: &TestServer, fields: Value) -> String {
    let mut body = json!({
        "title": "Flats in Tours", "transactionType": 0, "propertyTypes": [0], "includedCities": ["/cities/37261"],
        "budgetMax": 250_000
    });
    merge(&mut body, fields);
    let response = server.post("/searches", &body).await;
    assert_eq!(response.status, 201, "{}", response.text());
    response.json()["@id"].as_str().unwrap().to_owned()
}

/// Ingests an advert. Returns the uuid of its property.
async fn ingested(server: &TestServer, advert: Value) -> String {
    let receipt = server.accept(&advert).await;
    receipt["property"].as_str().unwrap().trim_start_matches("/properties/").to_owned()
}

async fn explained(server: &TestServer, search: &str, property: &str) -> Value {
    server.get(&format!("{search}/explain?property={property}")).await.ok()
}

fn in_tours(name: &str, fields: Value) -> Value {
    let mut advert =
        listing(name, json!({"insee": "37261", "title": "T3 avec balcon", "publisher": {"type": 1}}));
    merge(&mut advert, fields);
    advert
}

#[tokio::test]
async fn matching_property_is_explained_by_criterion() {
    let server = TestServer::start().await;
    let property = ingested(&server, in_tours("a", json!({}))).await;
    let fields =
        json!({"publisherTypes": [1], "expressions": [[{"word": "terrasse"}], [{"word": "balcons"}]]});
    let search = saved(&server, fields).await;

    let explained = explained(&server, &search, &property).await;
    let tours = json!({"@id": "/cities/37261", "name": "Tours"});
    assert_eq!(explained["@id"], format!("{search}/explain?property={property}"));
    assert_eq!(explained["@type"], "Explanation");
    assert_eq!(
        (&explained["search"], &explained["property"]),
        (&json!(search), &json!(format!("/properties/{property}")))
    );
    assert_eq!(
        (&explained["held"], &explained["onOffer"], &explained["matched"]),
        (&json!(true), &json!(true), &json!(false))
    );
    let lines = explained["criteria"].as_array().unwrap();
    let held: Vec<(&Value, &Value)> = lines.iter().map(|line| (&line["filters"][0], &line["held"])).collect();
    let names = ["transactionType", "propertyTypes", "budgetMax", "withCoherentPrice", "includedCities"];
    assert_eq!(
        held,
        names.map(|name| (json!(name), json!(true))).iter().map(|(a, b)| (a, b)).collect::<Vec<_>>()
    );
    assert_eq!(lines[2]["wanted"], json!({"max": 250_000}));
    assert_eq!(lines[2]["found"], 200_000);
    assert_eq!(lines[4]["wanted"], json!({"anyOf": [tours]}));
    assert_eq!(lines[4]["found"]["among"], json!([tours]));
    assert_eq!(explained["adverts"][0]["criteria"][0]["found"], 1);
    assert_eq!(explained["expressions"][0]["held"], false);
    assert_eq!(explained["expressions"][1]["entries"][0]["foundIn"]["fieldName"], "title");
    let summary = explained["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("The property is on offer and meets all criteria of the search."),
        "{summary}"
    );
}

#[tokio::test]
async fn failed_criteria_are_named() {
    let server = TestServer::start().await;
    let property = ingested(&server, in_tours("a", json!({"price": 260_000}))).await;
    let search = saved(&server, json!({"roomMin": 3})).await;
    let explained = explained(&server, &search, &property).await;
    assert_eq!((&explained["held"], &explained["onOffer"]), (&json!(false), &json!(true)));
    assert_eq!(
        explained["summary"],
        "The property does not meet the search: budgetMax: expected at most 250000, found 260000; roomMin: expected at least 3, \
         but the value is unknown."
    );
}

#[tokio::test]
async fn expired_property_is_not_on_offer() {
    let server = TestServer::start().await;
    let receipt = server.accept(&in_tours("a", json!({}))).await;
    let property = receipt["property"].as_str().unwrap();
    let search = saved(&server, json!({})).await;
    server.post(&format!("{}/expire", receipt["@id"].as_str().unwrap()), &json!(null)).await.ok();
    let explained = explained(&server, &search, property).await;
    assert_eq!((&explained["held"], &explained["onOffer"]), (&json!(true), &json!(false)));
    assert!(explained["summary"].as_str().unwrap().contains("not on offer"));
}

#[tokio::test]
async fn property_reference_syntaxes_are_accepted() {
    let server = TestServer::start().await;
    let property = ingested(&server, in_tours("a", json!({}))).await;
    let search = saved(&server, json!({})).await;
    let path = |reference: &str| format!("{search}/explain?property={reference}");
    for spelling in [
        property.clone(),
        format!("/properties/{property}"),
        format!("%2Fproperties%2F{property}"),
        format!("/documents/properties/{property}"),
    ] {
        let explained = server.get(&path(&spelling)).await.ok();
        assert_eq!(explained["property"], format!("/properties/{property}"), "{spelling}");
    }
    for wrong in ["12", "/searches/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b", "a"] {
        let problem = server.get(&path(wrong)).await.problem(400);
        assert!(problem.contains("property") && problem.contains(wrong), "{problem}");
    }
    for missing in ["", "?property=", "?property=null"] {
        let problem = server.get(&format!("{search}/explain{missing}")).await.problem(400);
        assert!(problem.contains("\"property\""), "{problem}");
    }
    let response = server.get(&format!("{}&colour=red", path(&property))).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (200, Some("colour")));
    let unknown = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
    server.get(&path(unknown)).await.problem(404);
}

#[tokio::test]
async fn only_the_owner_can_explain_a_search() {
    let server = TestServer::start().await;
    let property = ingested(&server, in_tours("a", json!({}))).await;
    let search = saved(&server, json!({})).await;
    let path = format!("{search}/explain?property={property}");
    let other = server.app.create_key("another user", Scopes::all()).await.unwrap().1.reveal();
    let asked_by = async |key: &str| server.send(Request::new("GET", &path).key(key)).await;
    assert_eq!(asked_by(&server.keys.searches).await.status, 200);
    asked_by(&other).await.problem(404);
    asked_by(&server.keys.read).await.problem(403);
    server.send(Request::new("GET", &path)).await.problem(401);
    server.post(&path, &json!({})).await.problem(405);
    let unknown = "/searches/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b/explain";
    server.get(&format!("{unknown}?property={property}")).await.problem(404);
}
