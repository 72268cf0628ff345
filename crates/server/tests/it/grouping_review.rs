//! The review of doubtful pairs: which are listed, and what a decision does.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::{advert, merge};
use crate::harness::client::{Request, Response};

const PAIRS: &str = "/grouping/doubtful-pairs";
const DECISIONS: &str = "/grouping/decisions";
const UNKNOWN: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

/// Sends an apartment in Tours. With another description of it, price, surface and rooms agree, which is nearly enough for one property.
async fn accept(server: &TestServer, site: &str, fields: Value) -> Value {
    let mut apartment = advert(
        "1",
        json!({
            "site": site, "url": format!("https://{site}/1"), "zipcode": "37000", "cityName": "Tours",
            "price": 250_000, "surface": 62.31, "room": 3, "floor": 3, "energy": {"value": 142}, "greenHouseGas": {"value": 31},
            "title": "Appartement 3 pièces avec balcon rue Colbert",
            "description": "Au troisième étage d'une petite copropriété de la rue Colbert, séjour plein sud de 24 m² \
                            ouvrant sur un balcon filant, cuisine séparée, deux chambres sur cour et cave voûtée.",
            "pictures": [format!("https://{site}/1.jpg")],
        }),
    );
    merge(&mut apartment, fields);
    server.accept(&apartment).await
}

/// What another agency says about the apartment.
fn reworded() -> Value {
    json!({
        "surface": 62, "floor": null, "energy": null, "greenHouseGas": null, "pictures": [],
        "title": "Bel appartement", "description": "À découvrir rapidement, prestations de qualité.",
    })
}

async fn pairs(server: &TestServer) -> Vec<Value> {
    let page = server.get(PAIRS).await.ok();
    let members = page["hydra:member"].as_array().unwrap().clone();
    assert_eq!(page["hydra:totalItems"], members.len());
    members
}

async fn decide(server: &TestServer, adverts: [&Value; 2], verdict: &str) -> Response {
    let adverts = adverts.map(|receipt| &receipt["@id"]);
    server.post(DECISIONS, &json!({"adverts": adverts, "verdict": verdict})).await
}

fn property(receipt: &Value) -> &Value {
    &receipt["property"]
}

#[tokio::test]
async fn doubtful_pair_is_listed_with_both_adverts() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", reworded()).await;
    assert_ne!(property(&one), property(&other));
    let page = server.get(PAIRS).await.ok();
    let view = json!({
        "@id": PAIRS, "@type": "hydra:PartialCollectionView", "hydra:first": PAIRS,
        "scannedAdverts": 2, "oldestAdvert": one["@id"],
    });
    assert_eq!(page["hydra:view"], view);
    let [pair] = page["hydra:member"].as_array().unwrap().as_slice() else { panic!("{page}") };
    assert_eq!(
        (&pair["oneProperty"], &pair["verdict"], &pair["veto"]),
        (&json!(false), &json!(null), &json!(null))
    );
    assert_eq!(pair["neededScore"], pair["threshold"]);
    let score = pair["score"].as_f64().unwrap();
    assert!(score < pair["neededScore"].as_f64().unwrap(), "{pair}");
    assert!(pair["evidence"].as_array().unwrap().iter().any(|evidence| evidence["name"] == "price"));
    let [first, second] = pair["adverts"].as_array().unwrap().as_slice() else { panic!("{pair}") };
    for (shown, receipt, site) in [(first, &one, "un.example"), (second, &other, "deux.example")] {
        assert_eq!(shown["@id"], receipt["@id"]);
        assert_eq!(&shown["property"], property(receipt));
        assert_eq!(
            (&shown["site"], &shown["price"], &shown["room"]),
            (&json!(site), &json!(250_000), &json!(3))
        );
        assert_eq!((&shown["zipcode"], &shown["cityName"]), (&json!("37000"), &json!("Tours")));
    }
    assert_eq!((&first["surface"], &second["surface"]), (&json!(62.31), &json!(62)));
    assert_eq!((&first["pictureCount"], &second["pictureCount"]), (&json!(1), &json!(0)));
    assert_eq!((&first["energy"]["value"], &second["energy"]["value"]), (&json!(142), &json!(null)));
    // The pair leads to its comparison.
    let comparison = server.get(pair["@id"].as_str().unwrap()).await.ok();
    assert_eq!((&comparison["score"], &comparison["summary"]), (&pair["score"], &pair["summary"]));
}

#[tokio::test]
async fn different_properties_stay_apart() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", reworded()).await;
    let body = decide(&server, [&one, &other], "different").await.ok();
    let expected = json!({
        "@context": "/contexts/GroupingDecision", "@type": "GroupingDecision",
        "adverts": [one["@id"], other["@id"]], "verdict": "different", "action": "remembered",
        "properties": [property(&one), property(&other)], "moved": [],
    });
    assert_eq!(body, expected);
    assert_eq!(pairs(&server).await, [] as [Value; 0], "it is not asked again");
    // Automatic grouping keeps to it, even if the other site copies the advert now.
    let copied = accept(&server, "deux.example", json!({})).await;
    assert_eq!(property(&copied), property(&other));
}

#[tokio::test]
async fn same_property_merges_and_can_be_undone() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", reworded()).await;
    let merged = decide(&server, [&one, &other], "same").await.ok();
    assert_eq!(merged["action"], "merged");
    assert_eq!(merged["properties"], json!([property(&one), property(&one)]));
    assert_eq!(merged["moved"], json!([other["@id"]]));
    assert_eq!(server.advert(&other).await["property"], *property(&one));
    assert_eq!(pairs(&server).await, [] as [Value; 0]);

    let split = decide(&server, [&one, &other], "different").await.ok();
    assert_eq!((&split["action"], &split["moved"]), (&json!("split"), &json!([other["@id"]])));
    assert_eq!(&split["properties"][0], property(&one));
    assert_eq!(server.advert(&other).await["property"], split["properties"][1]);
    assert_ne!(&split["properties"][1], property(&one));
    assert_eq!(pairs(&server).await, [] as [Value; 0]);
    let again = decide(&server, [&one, &other], "same").await.ok();
    assert_eq!(again["action"], "merged");
}

#[tokio::test]
async fn advert_that_hardly_stays_is_listed_until_it_is_confirmed() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    assert_eq!(property(&one), property(&other));
    assert_eq!(pairs(&server).await, [] as [Value; 0], "they are copies");
    accept(&server, "deux.example", reworded()).await;
    let listed = pairs(&server).await;
    let [pair] = listed.as_slice() else { panic!("{listed:?}") };
    assert_eq!(pair["oneProperty"], true);
    assert_eq!(pair["adverts"][1]["@id"], other["@id"], "the one that changed is held there");
    let confirmed = decide(&server, [&one, &other], "same").await.ok();
    assert_eq!(confirmed["action"], "remembered");
    assert_eq!(pairs(&server).await, [] as [Value; 0]);
}

#[tokio::test]
async fn list_continues_with_older_adverts() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", reworded()).await;
    let before = |receipt: &Value| format!("{PAIRS}?before={}", receipt["@id"].as_str().unwrap());
    let older = server.get(&before(&other)).await.ok();
    assert_eq!(older["hydra:view"]["scannedAdverts"], 1);
    assert_eq!(older["hydra:view"]["hydra:first"], PAIRS);
    assert_eq!(older["hydra:totalItems"], 1, "the older advert of the pair finds it as well");
    let none = server.get(&before(&one)).await.ok();
    assert_eq!((&none["hydra:view"]["scannedAdverts"], &none["hydra:totalItems"]), (&json!(0), &json!(0)));
    assert_eq!(none["hydra:view"].get("oldestAdvert"), None);
    let unknown = server.get(&format!("{PAIRS}?before=/properties/1")).await;
    assert_eq!(unknown.problem(400), "before: \"/properties/1\" is not a reference to an advert.");
    let strict = Request::new("GET", &format!("{PAIRS}?page=2")).key(&server.keys.admin);
    assert_eq!(server.send(strict.header("Prefer", "handling=strict")).await.violations(400), ["page"]);
}

#[tokio::test]
async fn review_needs_the_admin_scope() {
    let server = TestServer::start().await;
    let keys = &server.keys;
    let list = || Request::new("GET", PAIRS);
    let decision = || Request::new("POST", DECISIONS).json(&json!({}));
    server.send(list()).await.problem(401);
    server.send(decision()).await.problem(401);
    for key in [&keys.read, &keys.searches, &keys.ingest] {
        server.send(list().key(key)).await.problem(403);
        server.send(decision().key(key)).await.problem(403);
    }
    server.send(list().key(&keys.admin)).await.ok();
    server.send(decision().key(&keys.admin)).await.problem(422);
    server.get(DECISIONS).await.problem(405);
    server.post(PAIRS, &json!({})).await.problem(405);
}

#[tokio::test]
async fn impossible_decisions_are_refused() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let rented = accept(&server, "deux.example", json!({"transactionType": 1, "price": 900})).await;
    let check = async |body: Value, status: u16, expected: &str| {
        let response = server.post(DECISIONS, &body).await;
        assert_eq!(response.problem(status), expected, "{body}");
    };
    let (id, other) = (&one["@id"], &rented["@id"]);
    check(json!([]), 400, "The body must be a JSON object, array given.").await;
    check(
        json!({}),
        422,
        "adverts: This value should not be blank.\nverdict: This value should not be blank.",
    )
    .await;
    check(
        json!({"adverts": [id, "x"], "verdict": "maybe", "why": 1}),
        400,
        "why: This attribute is not known.\nadverts[1]: \"x\" is not a reference to an advert.\n\
         verdict: \"maybe\" is not \"same\" or \"different\".",
    )
    .await;
    for (adverts, given) in [(json!([id]), 1), (json!([id, id]), 1), (json!([id, other, UNKNOWN]), 3)] {
        let message = format!("adverts: A decision is about two different adverts, {given} given.");
        check(json!({"adverts": adverts, "verdict": "same"}), 422, &message).await;
    }
    let unknown = format!("Advert {UNKNOWN} does not exist.");
    check(json!({"adverts": [id, UNKNOWN], "verdict": "same"}), 404, &unknown).await;
    check(
        json!({"adverts": [id, other], "verdict": "same"}),
        422,
        "adverts: A property for sale and one to let cannot be merged.",
    )
    .await;
    assert_eq!(server.advert(&one).await["property"], *property(&one), "nothing was merged");
}
