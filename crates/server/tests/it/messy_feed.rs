//! The generated market, written by ten portals with their own dialects and faults, becomes the same documents as the clean
//! market.

use std::collections::HashMap;

use serde_json::{Map, Value};
use testkit::Random;
use world::messy_feed::{self, Dialect};
use world::{Settings, World};

use crate::harness::TestServer;
use crate::harness::client::Request;

/// Enough for every dialect to write each kind of value many times.
const PROPERTIES: u64 = 1_200;

/// An advert in a document, and the commune of its property.
struct Shown {
    advert: Map<String, Value>,
    insee: Value,
}

async fn post_lines(server: &TestServer, lines: &[Vec<u8>]) -> Vec<Value> {
    let request = Request::new("POST", "/adverts").key(&server.keys.ingest);
    let response = server.send(request.body("application/x-ndjson", lines.join(&b'\n'))).await;
    assert_eq!(response.status, 200, "{}", response.text());
    response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Returns the adverts of all documents by URL.
async fn adverts(server: &TestServer) -> HashMap<String, Shown> {
    server.indexed().await;
    let path = "/documents/properties.ndjson?withCoherentPrice=null";
    let response = server.get(path).await;
    let mut adverts = HashMap::new();
    for line in response.text().lines() {
        let document: Value = serde_json::from_str(line).unwrap();
        for advert in document["adverts"].as_array().unwrap() {
            let url = advert["url"].as_str().unwrap().to_owned();
            let advert = advert.as_object().unwrap().clone();
            adverts.insert(url, Shown { advert, insee: document["city"]["insee"].clone() });
        }
    }
    adverts
}

/// Returns what differs between a clean and a messy advert, in the fields that the dialect carries.
fn differences(dialect: &Dialect, clean: &Shown, messy: &Shown) -> Vec<String> {
    let mut found = Vec::new();
    for (name, value) in &clean.advert {
        // Ids are drawn by each server.
        if matches!(name.as_str(), "@id" | "uuid" | "property") || !dialect.carries(name) {
            continue;
        }
        let (expected, read) = (comparable(value), comparable(&messy.advert[name]));
        if expected != read {
            found.push(format!("{}: {name}: {read} instead of {expected}", dialect.name));
        }
    }
    if clean.insee != messy.insee {
        found.push(format!("{}: commune {} instead of {}", dialect.name, messy.insee, clean.insee));
    }
    found
}

/// HTML has line breaks where the clean text has spaces.
fn comparable(value: &Value) -> Value {
    match value {
        Value::String(text) => text.split_whitespace().collect::<Vec<_>>().join(" ").into(),
        Value::Array(items) => items.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

#[tokio::test]
async fn messy_feed_gives_the_documents_of_the_clean_one() {
    let seed = testkit::random::seed();
    let settings = Settings::new(PROPERTIES, "2026-03-01T00:00:00Z".parse().unwrap());
    let world = World::new(seed, world::sample::towns(), settings).unwrap();
    let mut random = Random::new(seed);
    let (mut clean_lines, mut messy_lines, mut written) = (Vec::new(), Vec::new(), Vec::new());
    for draft in world.drafts() {
        let clean = wire::advert_draft::write(&draft);
        let line = messy_feed::line(clean.as_object().unwrap(), &mut random);
        clean_lines.push(serde_json::to_vec(&clean).unwrap());
        written.push((clean["url"].as_str().unwrap().to_owned(), line.dialect, line.cut));
        messy_lines.push(line.bytes);
    }
    let (clean_server, messy_server) = (TestServer::start().await, TestServer::start().await);
    for receipt in post_lines(&clean_server, &clean_lines).await {
        assert_eq!(receipt["outcome"], "created", "{receipt}");
    }
    let receipts = post_lines(&messy_server, &messy_lines).await;
    assert_eq!(receipts.len(), messy_lines.len());
    let rejected: Vec<(&Value, &str)> = receipts
        .iter()
        .zip(&written)
        .filter(|(receipt, _)| receipt["outcome"] == "rejected")
        .map(|(receipt, (_, dialect, _))| (receipt, dialect.name))
        .collect();
    // 995 of 1,000; only lines that were cut are lost.
    assert!(
        rejected.len() * 1_000 <= messy_lines.len() * 5,
        "{} of {}: {rejected:?}",
        rejected.len(),
        receipts.len()
    );
    for (receipt, (url, dialect, cut)) in receipts.iter().zip(&written) {
        assert_eq!(receipt["outcome"] == "rejected", *cut, "{}: {url}: {receipt}", dialect.name);
    }

    let (clean, messy) = (adverts(&clean_server).await, adverts(&messy_server).await);
    assert_eq!(clean.len(), clean_lines.len());
    let mut found = Vec::new();
    for (url, dialect, _) in written.iter().filter(|(_, _, cut)| !cut) {
        found.extend(differences(dialect, &clean[url], &messy[url]));
    }
    let shown: Vec<&String> = found.iter().take(20).collect();
    assert!(found.is_empty(), "{} differences in {} adverts: {shown:#?}", found.len(), messy.len());
}
