//! When a search matches: searches that are switched off, adverts that have expired, properties without coordinates.

use serde_json::{Value, json};
use store::InitialState;

use super::{create_search, minimal, path, put, with};
use crate::deliveries::queue;
use crate::harness::TestServer;
use crate::harness::adverts::{advert, merge};
use crate::harness::client::{Request, with_timeout};
use crate::search::found;

/// The property that holds both adverts of a test.
const HOME: &str = "/properties/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

/// Saves a search for every home of these tests that meets the given criteria as well.
async fn save(server: &TestServer, fields: Value) -> Value {
    let mut search = json!({"withCoherentPrice": false, "notificationEnabled": true});
    merge(&mut search, fields);
    create_search(server, &search).await
}

fn house(reference: &str, fields: Value) -> Value {
    let mut house = advert(reference, json!({"propertyType": 1, "title": reference}));
    merge(&mut house, fields);
    house
}

async fn switch(server: &TestServer, search: &Value, enabled: bool) {
    put(server, path(search), &with(&json!({"notificationEnabled": enabled}))).await.ok();
}

/// The titles of the properties that matched, the newest first.
async fn matched(server: &TestServer, search: &Value) -> Vec<String> {
    server.app.wait_until_matched().await;
    let page = server.get(&format!("{}/matches", path(search))).await.ok();
    let members = page["hydra:member"].as_array().unwrap();
    assert_eq!(page["hydra:totalItems"], members.len());
    members.iter().map(|member| member["propertyDocument"]["title"].as_str().unwrap().to_owned()).collect()
}

/// Returns what a preview of the criteria finds now, and whether the explanation says that the property meets them.
async fn seen(server: &TestServer, search: &Value, fields: &Value) -> (u64, bool) {
    let mut body = with(&json!({"withCoherentPrice": false}));
    merge(&mut body, fields.clone());
    let now = server.post("/searches/preview", &body).await.ok()["propertiesNow"].as_u64().unwrap();
    let explained = server.get(&format!("{}/explain?property={HOME}", path(search))).await.ok();
    (now, explained["held"] == true && explained["onOffer"] == true)
}

/// A house of 60 m² in a town.
fn in_town(reference: &str, price: u32, room: u32) -> Value {
    let place = json!({"zipcode": "37000", "cityName": "Tours"});
    let mut house = house(reference, place);
    merge(&mut house, json!({"surface": 60, "price": price, "room": room}));
    house
}

#[tokio::test]
async fn prices_follow_the_market() {
    let server = TestServer::start().await;
    let send = async |name: &str, count: u32, price: u32| {
        let home = |number| in_town(&format!("{name}-{number}"), price + 100 * number, 3 + number % 2);
        server.clock.advance_seconds(1);
        server.post("/adverts", &(0..count).map(home).collect()).await.ok();
    };
    let search = save(&server, json!({"withCoherentPrice": true, "roomMin": 7})).await;
    send("usual", 20, 60_000).await;
    let receipt = server.accept(&in_town("dear", 600_000, 7)).await;
    assert_eq!(receipt["warnings"][0]["propertyPath"], "price", "{receipt}");
    let before = server.advert(&receipt).await;
    assert_eq!(before["priceProblem"], "tenfold");
    assert!(matched(&server, &search).await.is_empty());

    // Now it is the others that are too cheap.
    send("new", 60, 600_000).await;
    with_timeout(async {
        while matched(&server, &search).await.is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(matched(&server, &search).await, ["dear"]);
    let mut expected = before;
    merge(&mut expected, json!({"coherentPrice": true, "priceProblem": null}));
    assert_eq!(server.advert(&receipt).await, expected, "no event, and no other date");
    assert_eq!(server.get("/documents/properties?budgetMax=100000").await.ok()["hydra:totalItems"], 0);
    // Nothing is announced twice.
    server.clock.advance_seconds(1);
    server.accept(&in_town("dear", 600_000, 8)).await;
    assert_eq!(matched(&server, &search).await, ["dear"]);
}

#[tokio::test]
async fn search_that_is_off_uses_up_no_match() {
    let server = TestServer::start().await;
    let fields = json!({"budgetMax": 100_000, "notificationEnabled": false, "endpointRecipient": "https://hook.example/m"});
    let search = save(&server, fields).await;
    let price = async |reference: &str, price: u32| {
        server.clock.advance_seconds(1);
        server.accept(&house(reference, json!({"price": price}))).await;
    };
    let due = async || queue(&server, |_| InitialState::DueAt(server.app.clock().now())).await;
    price("a", 90_000).await;
    price("b", 80_000).await;
    assert_eq!(matched(&server, &search).await, [""; 0], "nothing is recorded while it is off");

    switch(&server, &search, true).await;
    price("a", 85_000).await;
    assert_eq!(matched(&server, &search).await, [""; 0], "the stock is not announced");
    assert_eq!(due().await, 0);
    price("a", 200_000).await;
    price("a", 90_000).await;
    assert_eq!(matched(&server, &search).await, ["a"], "it came to meet the search");
    assert_eq!(due().await, 1);

    // What was announced is announced once; what was not can still be.
    switch(&server, &search, false).await;
    price("a", 200_000).await;
    price("b", 200_000).await;
    switch(&server, &search, true).await;
    price("a", 90_000).await;
    price("b", 90_000).await;
    assert_eq!(matched(&server, &search).await, ["b", "a"]);
    assert_eq!(due().await, 1);
}

#[tokio::test]
async fn merge_inherits_nothing_that_was_not_announced() {
    let server = TestServer::start().await;
    let search = save(&server, json!({"budgetMax": 100_000, "notificationEnabled": false})).await;
    let cheap = server.accept(&house("a", json!({"price": 90_000}))).await;
    let dear = server.accept(&house("b", json!({"price": 500_000}))).await;
    let merged =
        server.post("/properties/merge", &json!({"properties": [dear["property"], cheap["property"]]})).await;
    assert!(merged.status < 300, "{}", merged.text());
    switch(&server, &search, true).await;
    for price in [500_000, 90_000] {
        server.clock.advance_seconds(1);
        let both = ["a", "b"].map(|reference| house(reference, json!({"price": price, "title": "one home"})));
        server.post("/adverts", &json!(both)).await.ok();
    }
    assert_eq!(matched(&server, &search).await, ["one home"]);
}

/// One advert meets the criteria and expires, the other one stays and does not.
#[tokio::test]
async fn expired_advert_satisfies_no_criterion_of_a_saved_search() {
    let drop = json!([{"createdAt": "2026-02-20T08:00:00Z", "fieldName": "price",
                       "fieldOldValue": "100000", "fieldNewValue": "80000", "percentVariation": -20}]);
    let word = |includes: bool| json!([[{"word": "piscine", "options": {"includes": includes}}]]);
    for (criteria, query, meeting, other) in [
        (
            json!({"energyCategories": ["A"]}),
            "energyCategories[]=A",
            json!({"energy": {"category": "A"}}),
            json!({}),
        ),
        (
            json!({"includedSites": ["agence.example"]}),
            "includedSites[]=agence.example",
            json!({"site": "agence.example"}),
            json!({}),
        ),
        (
            json!({"eventPriceVariationMax": -10}),
            "eventPriceVariationMax=-10",
            json!({"price": 80_000, "events": drop}),
            json!({"price": 80_000}),
        ),
        (
            json!({"expressions": word(true)}),
            "expressions[]=piscine",
            json!({"description": "Avec piscine"}),
            json!({}),
        ),
        (
            json!({"expressions": word(false)}),
            "expressions[0][0][word]=piscine&expressions[0][0][options][includes]=false",
            json!({}),
            json!({"description": "Avec piscine"}),
        ),
        (json!({"features": ["piscine"]}), "features[]=piscine", json!({"features": ["Piscine"]}), json!({})),
    ] {
        let server = TestServer::start().await;
        let search = save(&server, criteria.clone()).await;
        let query =
            format!("{query}&withCoherentPrice=false&expired=false&transactionType=0&propertyTypes[]=1");
        let both = async |expired: [bool; 2]| {
            server.clock.advance_seconds(1);
            for (reference, fields, expired) in
                [("meeting", &meeting, expired[0]), ("other", &other, expired[1])]
            {
                let mut advert =
                    house(reference, json!({"property": HOME, "title": "home", "expired": expired}));
                merge(&mut advert, fields.clone());
                server.accept(&advert).await;
            }
            server.indexed().await;
        };
        // The advert that meets the criteria has expired before the other one comes.
        both([true, false]).await;
        assert_eq!(matched(&server, &search).await, [""; 0], "{criteria}");
        assert_eq!(seen(&server, &search, &criteria).await, (0, false), "{criteria}");
        assert_eq!(found(&server, &query).await, "", "{criteria}");
        // It is on offer again.
        both([false, true]).await;
        assert_eq!(matched(&server, &search).await, ["home"], "{criteria}");
        assert_eq!(seen(&server, &search, &criteria).await, (1, true), "{criteria}");
        assert_eq!(found(&server, &query).await, "home", "{criteria}");
    }
}

#[tokio::test]
async fn expiry_is_told_to_those_whose_criteria_were_met_before() {
    let server = TestServer::start().await;
    let fields = json!({
        "energyCategories": ["A"], "eventEndpoint": "https://hook.example/e",
        "subscribedEvents": ["ad.update.expired", "ad.update.price"],
    });
    let search = save(&server, fields).await;
    let send = async |fields: Value| {
        server.clock.advance_seconds(1);
        let mut advert = house("a", json!({"energy": {"category": "A"}}));
        merge(&mut advert, fields);
        server.accept(&advert).await;
        queue(&server, |_| InitialState::DueAt(server.app.clock().now())).await
    };
    assert_eq!(send(json!({"price": 100_000})).await, 0);
    assert_eq!(send(json!({"price": 110_000})).await, 1);
    assert_eq!(send(json!({"expired": true})).await, 1, "it met the search before");
    assert_eq!(send(json!({"expired": true, "price": 120_000})).await, 0, "it is not on offer");
    let page = server.get("/deliveries?order[createdAt]=asc").await.ok();
    let events: Vec<&Value> =
        page["hydra:member"].as_array().unwrap().iter().map(|delivery| &delivery["event"]).collect();
    assert_eq!(events.len(), 2, "{events:?}");
    assert_eq!(matched(&server, &search).await.len(), 1);
}

#[tokio::test]
async fn centre_of_a_commune_meets_no_area_of_a_saved_search() {
    let circle = json!({"lat": 47.39, "lon": 0.69, "radius": 10});
    let square = json!({"geoShapes": [[[0.5, 47.3], [0.9, 47.3], [0.9, 47.5], [0.5, 47.5]]]});
    let server = TestServer::start().await;
    let mut searches = Vec::new();
    for criteria in [circle, square, json!({"withLocation": true})] {
        searches.push((save(&server, criteria.clone()).await, criteria));
    }
    let in_tours = async |fields: Value| {
        let mut advert = house("a", json!({"insee": "37261", "property": HOME}));
        merge(&mut advert, fields);
        server.clock.advance_seconds(1);
        server.accept(&advert).await;
        server.indexed().await;
    };
    in_tours(json!({})).await;
    for (search, criteria) in &searches {
        assert_eq!(matched(&server, search).await, [""; 0], "{criteria}");
        assert_eq!(seen(&server, search, criteria).await, (0, false), "{criteria}");
    }
    // The accuracy does not matter, the coordinates do.
    in_tours(json!({"locations": {"lat": 47.395, "lon": 0.69}, "geoAccuracy": 2})).await;
    for (search, criteria) in &searches {
        assert_eq!(matched(&server, search).await, ["a"], "{criteria}");
        assert_eq!(seen(&server, search, criteria).await, (1, true), "{criteria}");
    }
}

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
