//! What merges, splits and regrouping do, over HTTP and on the command line, and how the server explains it.

use serde_json::{Value, json};

use crate::cli::run;
use crate::harness::TestServer;
use crate::harness::adverts::advert;

const UNKNOWN: &str = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

/// A server that leaves adverts apart unless a sender or a person says otherwise.
async fn without_automatic_grouping() -> TestServer {
    TestServer::with("[grouping]\nautomatic = false\n").await
}

/// Sends an apartment in Tours. Two of them on different sites are alike in everything.
async fn accept(server: &TestServer, site: &str, fields: Value) -> Value {
    let mut apartment = advert(
        "1",
        json!({
            "site": site, "url": format!("https://{site}/1"), "zipcode": "37000", "cityName": "Tours",
            "price": 250_000, "surface": 62.31, "room": 3, "bedroom": 2, "floor": 3, "floorQuantity": 5,
            "constructionYear": 1974, "energy": {"value": 142}, "greenHouseGas": {"value": 31},
            "condominiumFees": 1_834,
            "title": "Appartement 3 pièces avec balcon rue Colbert",
            "description": "Au troisième étage d'une petite copropriété de la rue Colbert, séjour plein sud de 24 m² \
                            ouvrant sur un balcon filant, cuisine séparée, deux chambres sur cour et cave voûtée.",
        }),
    );
    crate::harness::adverts::merge(&mut apartment, fields);
    server.accept(&apartment).await
}

fn property(receipt: &Value) -> &str {
    receipt["property"].as_str().unwrap()
}

fn uuid(path: &str) -> &str {
    path.rsplit('/').next().unwrap()
}

async fn merge(server: &TestServer, properties: &[&str]) -> Value {
    server.post("/properties/merge", &json!({"properties": properties})).await.ok()
}

async fn grouping(server: &TestServer, property: &str) -> Value {
    server.get(&format!("/documents{property}/grouping")).await.ok()
}

async fn advert_uuids(server: &TestServer, property: &str) -> Vec<String> {
    let document = server.get(&format!("/documents{property}")).await.ok();
    let adverts = document["adverts"].as_array().unwrap().iter();
    let mut uuids: Vec<String> = adverts.map(|advert| advert["uuid"].as_str().unwrap().to_owned()).collect();
    uuids.sort();
    uuids
}

#[tokio::test]
async fn merged_properties_lead_to_the_first_one() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    let (survivor, merged) = (property(&one), property(&other));
    let body = merge(&server, &[survivor, uuid(merged)]).await;
    let expected = json!({
        "@context": "/contexts/PropertyMerge", "@id": survivor, "@type": "PropertyMerge", "property": survivor,
        "merged": [merged],
    });
    assert_eq!(body, expected);
    assert_eq!(
        advert_uuids(&server, survivor).await,
        [one["uuid"].as_str().unwrap(), other["uuid"].as_str().unwrap()]
    );
    let (from, to) = (format!("/documents{merged}"), format!("/documents{survivor}"));
    for path in ["", "/grouping", "/similar-properties?page=2&itemsPerPage=3", "/grouping?adverts[]=x"] {
        let response = server.get(&format!("{from}{path}")).await;
        let message = response.problem(301);
        assert_eq!(message, format!("Property {} was merged into {survivor}.", uuid(merged)), "{path}");
        assert_eq!(response.header("location"), Some(format!("{to}{path}").as_str()));
    }
    // The id of a property leads to its document, without a detour.
    for (id, document) in [(survivor, &to), (merged, &to)] {
        let response = server.get(id).await;
        response.problem(301);
        assert_eq!(response.header("location"), Some(document.as_str()), "{id}");
    }
    server.get("/properties/00000000-0000-7000-8000-00000000ffff").await.problem(404);
    server.get("/properties/x").await.problem(404);
    let split = server.post(&format!("{merged}/split"), &json!({"adverts": [other["uuid"]]})).await;
    split.problem(308);
    assert_eq!(split.header("location"), Some(format!("{survivor}/split").as_str()));
    let again = server.post("/properties/merge", &json!({"properties": [survivor, merged]})).await;
    assert_eq!(again.problem(404), format!("Property {} was merged into {survivor}.", uuid(merged)));

    let search = json!({"title": "Tours", "transactionType": 0, "propertyTypes": [0]});
    let search = server.post("/searches", &search).await.json()["@id"].as_str().unwrap().to_owned();
    let explained = server.get(&format!("{search}/explain?property={merged}")).await.ok();
    assert_eq!((&explained["property"], &explained["held"]), (&json!(survivor), &json!(true)));
}

#[tokio::test]
async fn survivor_of_several_merges_is_found() {
    let server = without_automatic_grouping().await;
    let mut receipts = Vec::new();
    for site in ["un.example", "deux.example", "trois.example"] {
        receipts.push(accept(&server, site, json!({})).await);
    }
    let [one, two, three] = receipts.as_slice() else { panic!("three receipts") };
    merge(&server, &[property(two), property(one)]).await;
    merge(&server, &[property(three), property(two)]).await;
    for merged in [one, two] {
        let response = server.get(&format!("/documents{}", property(merged))).await;
        response.problem(301);
        assert_eq!(response.header("location"), Some(format!("/documents{}", property(three)).as_str()));
    }
    assert_eq!(advert_uuids(&server, property(three)).await.len(), 3);
}

#[tokio::test]
async fn impossible_merges_are_refused() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let rented = accept(&server, "deux.example", json!({"transactionType": 1, "price": 900})).await;
    let check = async |properties: Value, status: u16, expected: &str| {
        let response = server.post("/properties/merge", &json!({"properties": properties})).await;
        assert_eq!(response.problem(status), expected, "{properties}");
    };
    let at_least_two = "properties: A merge needs at least two different properties.";
    check(json!([]), 422, at_least_two).await;
    check(json!([one["property"], one["property"]]), 422, at_least_two).await;
    check(json!([one["property"], UNKNOWN]), 404, &format!("Property {UNKNOWN} does not exist.")).await;
    check(
        json!([one["property"], rented["property"]]),
        422,
        "properties: A property for sale and one to let cannot be merged.",
    )
    .await;
    assert_eq!(advert_uuids(&server, property(&one)).await.len(), 1, "nothing was merged");
}

#[tokio::test]
async fn split_creates_a_property() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({"property": one["property"]})).await;
    let response = server.post(&format!("{}/split", property(&one)), &json!({"adverts": other["@id"]})).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let body = response.json();
    let created = body["created"].as_str().unwrap();
    assert_ne!(created, property(&one));
    let expected = json!({
        "@context": "/contexts/PropertySplit", "@id": created, "@type": "PropertySplit",
        "property": one["property"], "created": created,
    });
    assert_eq!(body, expected);
    assert_eq!(response.header("location"), Some(format!("/documents{created}").as_str()));
    assert_eq!(advert_uuids(&server, created).await, [other["uuid"].as_str().unwrap()]);
    assert_eq!(advert_uuids(&server, property(&one)).await, [one["uuid"].as_str().unwrap()]);
}

#[tokio::test]
async fn impossible_splits_are_refused() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    let split = format!("{}/split", property(&one));
    let check = async |path: &str, adverts: Value, status: u16, expected: &str| {
        let response = server.post(path, &json!({"adverts": adverts})).await;
        assert_eq!(response.problem(status), expected, "{adverts}");
    };
    check(&split, json!([]), 422, "adverts: A split needs at least one advert.").await;
    let stranger = format!(
        "adverts: Property {} has no advert {}.",
        uuid(property(&one)),
        other["uuid"].as_str().unwrap()
    );
    check(&split, json!([other["uuid"]]), 422, &stranger).await;
    let all = "adverts: A split must leave at least one advert; these are all adverts of the property.";
    check(&split, json!([one["uuid"]]), 422, all).await;
    check(&format!("/properties/{UNKNOWN}/split"), json!([one["uuid"]]), 404, "Not Found").await;
}

#[tokio::test]
async fn explanation_shows_evidence_and_history() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let named = accept(&server, "deux.example", json!({"property": one["property"]})).await;
    let other = accept(&server, "trois.example", json!({"price": 249_000})).await;
    let grouped_by = async || -> Vec<Value> {
        let body = grouping(&server, property(&one)).await;
        let adverts = body["adverts"].as_array().unwrap().iter();
        adverts.map(|advert| json!([advert["uuid"], advert["groupedBy"]])).collect()
    };
    let by = |receipt: &Value, by: &str| json!([receipt["uuid"], by]);
    assert_eq!(grouped_by().await, [by(&one, "first"), by(&named, "sender")]);
    merge(&server, &[property(&one), property(&other)]).await;
    // The person's decision is about all of them; that of a sender is kept.
    assert_eq!(grouped_by().await, [by(&one, "person"), by(&named, "sender"), by(&other, "person")]);

    let body = grouping(&server, property(&one)).await;
    assert_eq!((&body["@type"], &body["property"]), (&json!("PropertyGrouping"), &one["property"]));
    assert_eq!(body["@id"], format!("/documents{}/grouping", property(&one)));
    let adverts = body["adverts"].as_array().unwrap();
    for advert in adverts {
        assert_eq!(advert["reference"], "1");
        assert_eq!(advert["url"], format!("https://{}/1", advert["site"].as_str().unwrap()));
        let closest = &advert["closest"];
        assert_ne!(closest["advert"], advert["@id"]);
        assert!(closest["score"].is_number() && closest["threshold"].is_number(), "{closest}");
        assert!(!closest["evidence"].as_array().unwrap().is_empty(), "{closest}");
    }
    assert_eq!(adverts[2]["closest"]["verdict"], "same");
    let [entry] = body["history"].as_array().unwrap().as_slice() else { panic!("{body}") };
    let expected = json!({
        "createdAt": "2026-03-02T10:00:00+01:00", "from": other["property"], "to": one["property"],
        "adverts": [other["@id"]], "by": "person", "decidedBy": "tester",
    });
    assert_eq!(entry, &expected);
}

#[tokio::test]
async fn comparison_says_why_adverts_are_apart() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({"property": one["property"]})).await;
    let far = accept(&server, "trois.example", json!({"zipcode": "75011", "cityName": "Paris"})).await;
    let compare = async |one: &Value, other: &Value| {
        let (one_id, other_id) = (one["@id"].as_str().unwrap(), other["uuid"].as_str().unwrap());
        // The property in the path need not be that of the adverts.
        let path = format!("/documents{}/grouping?adverts[]={one_id}&adverts[]={other_id}", property(&far));
        server.get(&path).await.ok()
    };
    let body = compare(&one, &other).await;
    assert_eq!((&body["@type"], &body["oneProperty"]), (&json!("AdvertComparison"), &json!(true)));
    assert_eq!((&body["veto"], &body["verdict"]), (&Value::Null, &Value::Null));
    assert!(body["score"].as_f64().unwrap() >= body["threshold"].as_f64().unwrap(), "{body}");
    let body = compare(&one, &far).await;
    assert_eq!((&body["oneProperty"], &body["veto"]), (&json!(false), &json!("notComparable")));
    assert_eq!(body["adverts"][1]["property"], far["property"]);

    let split = server.post(&format!("{}/split", property(&one)), &json!({"adverts": [other["uuid"]]})).await;
    assert_eq!(split.status, 201, "{}", split.text());
    let body = compare(&other, &one).await;
    assert_eq!((&body["oneProperty"], &body["verdict"]), (&json!(false), &json!("different")));
    let summary = body["summary"].as_str().unwrap();
    assert!(summary.contains("A person decided that they are of different properties."), "{summary}");
}

#[tokio::test]
async fn setting_turns_automatic_grouping_off() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    assert_eq!(one["property"], other["property"]);
    assert_eq!(grouping(&server, property(&one)).await["adverts"][1]["groupedBy"], "evidence");

    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    assert_ne!(one["property"], other["property"]);
}

/// A correction by command is known to the running server, too.
#[tokio::test(flavor = "multi_thread")]
async fn corrections_beat_automatic_grouping() {
    let server = TestServer::start().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    assert_eq!(one["property"], other["property"]);
    let (property_id, advert_id) = (uuid(property(&one)), other["uuid"].as_str().unwrap());
    let split = run(server.folder(), &["properties", "split", property_id, advert_id]);
    let created = format!("/properties/{}", split.succeeded().trim());
    // Both are still alike in everything; an update is decided about again.
    for price in [245_000, 240_000] {
        let fields = || json!({"price": price});
        assert_eq!(accept(&server, "un.example", fields()).await["property"], one["property"], "{price}");
        assert_eq!(accept(&server, "deux.example", fields()).await["property"], created, "{price}");
    }

    merge(&server, &[&created, property(&one)]).await;
    // Nothing of it fits any more.
    let changed = json!({"price": 90_000, "surface": 20, "room": 1, "title": "Studio", "description": "Studio meublé."});
    assert_eq!(accept(&server, "un.example", changed).await["property"], created);
    assert_eq!(advert_uuids(&server, &created).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn properties_command_corrects_and_explains() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    let (survivor, merged) = (uuid(property(&one)), uuid(property(&other)));
    let advert = other["uuid"].as_str().unwrap();

    let compared = run(server.folder(), &["properties", "compare", one["uuid"].as_str().unwrap(), advert]);
    assert!(compared.succeeded().contains("The adverts are in two properties."), "{compared:?}");
    let done = run(server.folder(), &["properties", "merge", survivor, property(&other)]);
    assert_eq!(
        (done.succeeded(), done.err.as_str()),
        ("", format!("Merged {merged} into property {survivor}.\n").as_str())
    );
    assert_eq!(advert_uuids(&server, property(&one)).await.len(), 2);

    let shown = run(server.folder(), &["properties", "show", merged]);
    assert_eq!(shown.err, format!("Property {merged} was merged into {survivor}.\n"));
    for part in [
        "2 advert(s)",
        "\tdeux.example\t1\thttps://deux.example/1",
        "by command line",
        "A person put it here.",
    ] {
        assert!(shown.succeeded().contains(part), "{part}: {shown:?}");
    }

    let split = run(server.folder(), &["properties", "split", survivor, advert]);
    let created = format!("/properties/{}", split.succeeded().trim());
    assert_eq!(advert_uuids(&server, &created).await, [advert]);
    for (wrong, message) in [
        (
            &["properties", "merge", survivor, survivor][..],
            "A merge needs at least two different properties.",
        ),
        (&["properties", "split", survivor, advert], "has no advert"),
        (&["properties", "merge", survivor, UNKNOWN], "does not exist"),
        (
            &["properties", "merge", survivor, merged],
            &format!("property {merged} was merged into {survivor}"),
        ),
        (&["properties", "show", UNKNOWN], "does not exist"),
    ] {
        let failed = run(server.folder(), wrong);
        assert!(failed.failed().contains(message), "{failed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn regroup_command_joins_what_was_left_apart() {
    let server = without_automatic_grouping().await;
    let one = accept(&server, "un.example", json!({})).await;
    let other = accept(&server, "deux.example", json!({})).await;
    let dry = run(server.folder(), &["regroup", "--dry-run"]);
    let line = "Dry run, nothing stored: judged 2 adverts. 2 properties would become 1; 1 adverts would move to another property.";
    assert_eq!(dry.succeeded().lines().next(), Some(line), "{dry:?}");
    assert!(dry.out.contains("\nmerge\t"), "{dry:?}");
    assert_eq!(advert_uuids(&server, property(&other)).await.len(), 1, "nothing was stored");

    let done = run(server.folder(), &["regroup", "--yes", "--examples", "0"]);
    let line = "Judged 2 adverts. 2 properties became 1; 1 adverts moved to another property.\n";
    assert_eq!(done.succeeded(), line);
    // The older property remains.
    assert_eq!(advert_uuids(&server, property(&one)).await.len(), 2);
    server.get(&format!("/documents{}", property(&other))).await.problem(301);
}
