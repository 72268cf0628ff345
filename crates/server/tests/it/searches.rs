//! Saved searches: create, read, update, delete.

mod fields;
mod hostile;
mod listing;
mod matches;
mod matching;
mod table;

use domain::Scopes;
use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::advert;
use crate::harness::client::{Request, Response};

/// Returns the smallest valid search.
pub fn minimal() -> Value {
    json!({"title": "Maison à Tours", "transactionType": 0, "propertyTypes": [1]})
}

/// Returns the smallest valid search with the given fields added or replaced.
pub fn with(fields: &Value) -> Value {
    let mut body = minimal();
    body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    body
}

/// Starts a server with two sites: `/sites/1` in `/site_categories/1`, and `/sites/2`.
pub async fn with_sites() -> TestServer {
    let server = TestServer::start().await;
    server.accept(&advert("1", json!({"site": "portail.fr"}))).await;
    server.accept(&advert("2", json!({"site": "agence.fr"}))).await;
    assert_eq!(server.post("/site_categories", &json!({"name": "Portails"})).await.status, 201);
    put(&server, "/sites/1", &json!({"category": 1})).await.ok();
    server
}

pub async fn put(server: &TestServer, path: &str, body: &Value) -> Response {
    server.send(Request::new("PUT", path).key(&server.keys.all).json(body)).await
}

/// Creates a search that must be accepted.
pub async fn create_search(server: &TestServer, fields: &Value) -> Value {
    let response = server.post("/searches", &with(fields)).await;
    assert_eq!(response.status, 201, "{fields}: {}", response.text());
    response.json()
}

/// Returns the path of a search.
pub fn path(search: &Value) -> &str {
    search["@id"].as_str().unwrap()
}

/// Creates a key of another user.
pub async fn stranger(server: &TestServer) -> String {
    server.app.create_key("stranger", Scopes::all()).await.unwrap().1.reveal()
}

/// Returns a search with every field set.
pub fn full() -> Value {
    let mut body = minimal();
    for row in fields::rows() {
        body[row.name] = row.good[0].0.clone();
    }
    body
}

#[tokio::test]
async fn new_search_has_every_key_and_the_defaults() {
    let server = TestServer::start().await;
    let response = server.post("/searches", &minimal()).await;
    assert_eq!(response.status, 201, "{}", response.text());
    let created = response.json();
    assert_eq!(response.header("location"), Some(path(&created)));
    assert_eq!(response.header("content-location"), Some(path(&created)));
    assert_eq!(response.header("x-ignored-parameters"), None);
    assert_eq!(server.get(path(&created)).await.ok(), created);

    let token = created["token"].as_str().unwrap();
    assert!(token.len() == 50 && token.bytes().all(|byte| byte.is_ascii_hexdigit()), "{token}");
    let user = created["user"].as_str().unwrap().strip_prefix("/users/").unwrap();
    assert_eq!(user.len(), 36);
    let none = json!([]);
    let expected = json!({
        "@context": "/contexts/Search", "@id": path(&created), "@type": "Search", "user": created["user"], "token": token,
        "title": "Maison à Tours", "transactionType": 0, "propertyTypes": [1], "publisherTypes": none,
        "budgetMin": null, "budgetMax": null, "bedroomMin": null, "bedroomMax": null, "roomMin": null, "roomMax": null,
        "surfaceMin": null, "surfaceMax": null, "landSurfaceMin": null, "landSurfaceMax": null,
        "pricePerMeterMin": null, "pricePerMeterMax": null, "advertPriceMin": null, "advertPriceMax": null,
        "lat": null, "lon": null, "radius": null, "geoShapes": none, "geoAccuracy": null,
        "furnished": null, "withVirtualTour": null, "withCoherentPrice": true, "expressions": none,
        "includedCities": none, "excludedCities": none, "includedDepartments": none,
        "includedZipcodes": none, "excludedZipcodes": none, "includedInseeCodes": none,
        "includedSites": none, "excludedSites": none, "includedSiteCategories": none, "excludedSiteCategories": none,
        "hidePropertyContact": false, "notificationEnabled": false, "notificationRecipient": null,
        "endpointRecipient": null, "eventEndpoint": null, "subscribedEvents": none,
        "createdAt": "2026-03-02T10:00:00+01:00", "updatedAt": "2026-03-02T10:00:00+01:00", "lastAlertAt": null,
    });
    assert_eq!(created, expected);
}

#[tokio::test]
async fn search_body_round_trips() {
    let server = with_sites().await;
    let created = create_search(&server, &full()).await;
    assert_eq!(server.get(path(&created)).await.ok(), created);
    // Sent to the same search, nothing changes.
    assert_eq!(put(&server, path(&created), &created).await.ok(), created);
    // Sent as a new search, only generated fields differ.
    let response = server.post("/searches", &created).await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (201, None));
    let mut copy = response.json();
    assert_ne!((&copy["@id"], &copy["token"]), (&created["@id"], &created["token"]));
    for given in ["@id", "token"] {
        copy[given] = created[given].clone();
    }
    assert_eq!(copy, created);
}

#[tokio::test]
async fn references_are_returned_as_objects() {
    let server = with_sites().await;
    let created = create_search(
        &server,
        &json!({
            "includedCities": [37261], "includedDepartments": ["/departments/2A"], "includedSiteCategories": ["portails"],
            "includedSites": ["annonces.portail.fr", "nouveau.fr"],
        }),
    )
    .await;
    let city = &created["includedCities"][0];
    assert_eq!(
        (&city["@context"], &city["@id"], &city["@type"]),
        (&json!("/contexts/City"), &json!("/cities/37261"), &json!("City"))
    );
    assert_eq!(
        (&city["name"], &city["insee"], &city["libelle"], &city["article"], &city["zipcode"]),
        (&json!("Tours"), &json!("37261"), &json!("Tours"), &Value::Null, &json!("37000"))
    );
    let department = &created["includedDepartments"][0];
    assert_eq!(
        (&department["@id"], &department["@context"]),
        (&json!("/departments/201"), &json!("/contexts/Department"))
    );
    assert_eq!(
        (&department["departmentCode"], &department["chefLieu"], &department["nameClean"]),
        (&json!("2A"), &json!("Ajaccio"), &json!("corse-du-sud"))
    );
    let category = &created["includedSiteCategories"][0];
    assert_eq!(
        (&category["@context"], &category["@id"], &category["@type"], &category["name"]),
        (
            &json!("/contexts/SiteCategory"),
            &json!("/site_categories/1"),
            &json!("SiteCategory"),
            &json!("Portails")
        )
    );
    assert_eq!(created["includedSites"], json!(["/sites/1", "nouveau.fr"]));

    // A reference that no longer exists is still shown, and the search can still be updated.
    assert_eq!(server.delete("/site_categories/1").await.status, 204);
    let read = server.get(path(&created)).await.ok();
    assert_eq!(
        read["includedSiteCategories"],
        json!([{"@context": "/contexts/SiteCategory", "@id": "/site_categories/1", "@type": "SiteCategory", "name": null}])
    );
    assert_eq!(put(&server, path(&created), &read).await.ok(), read);
    assert_eq!(server.post("/searches", &read).await.violations(400), ["includedSiteCategories[0]"]);
}

#[tokio::test]
async fn former_commune_is_stored_as_its_successor() {
    let server = TestServer::start().await;
    let (former, city) =
        server.app.places().old_codes().next().map(|(code, city)| (code.id(), city.id())).unwrap();
    let created = create_search(&server, &json!({"includedCities": [former]})).await;
    assert_eq!(created["includedCities"][0]["@id"], format!("/cities/{city}"));
}

#[tokio::test]
async fn update_changes_only_the_update_date() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({"budgetMax": 300000, "includedZipcodes": ["37000"]})).await;
    server.clock.advance_seconds(90);
    let changed =
        put(&server, path(&created), &with(&json!({"title": "Autre", "propertyTypes": 0}))).await.ok();
    let mut expected = created.clone();
    expected["title"] = json!("Autre");
    expected["propertyTypes"] = json!([0]);
    expected["updatedAt"] = json!("2026-03-02T10:01:30+01:00");
    assert_eq!(changed, expected);
    assert_eq!(server.get(path(&created)).await.ok(), expected);
}

#[tokio::test]
async fn concurrent_updates_of_different_fields_are_both_kept() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    for round in 1..=10 {
        let change = async |name: &str| {
            let response = put(&server, path(&created), &with(&json!({name: round}))).await;
            assert!(matches!(response.status, 200 | 409), "{}", response.text());
            response.status == 200
        };
        let done =
            tokio::join!(change("roomMin"), change("bedroomMin"), change("surfaceMin"), change("budgetMin"));
        let read = server.get(path(&created)).await.ok();
        for (name, done) in
            [("roomMin", done.0), ("bedroomMin", done.1), ("surfaceMin", done.2), ("budgetMin", done.3)]
        {
            assert_eq!(read[name] == round, done, "{name} {read}");
        }
    }
}

#[tokio::test]
async fn deleted_search_is_not_found() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let response = server.delete(path(&created)).await;
    assert_eq!((response.status, response.body.len()), (204, 0));
    server.get(path(&created)).await.problem(404);
    server.delete(path(&created)).await.problem(404);
    put(&server, path(&created), &minimal()).await.problem(404);
    assert_eq!(server.get("/searches").await.ok()["hydra:totalItems"], 0);
}

#[tokio::test]
async fn search_of_another_user_is_not_found() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let stranger = stranger(&server).await;
    let unknown = "/searches/00000000-0000-7000-8000-00000000ffff";
    for (method, ending) in [("GET", ""), ("PUT", ""), ("DELETE", ""), ("GET", "/matches")] {
        let ask = async |path: &str| {
            let request = Request::new(method, &format!("{path}{ending}")).key(&stranger);
            server.send(if method == "PUT" { request.json(&minimal()) } else { request }).await
        };
        let (theirs, nobodys) = (ask(path(&created)).await, ask(unknown).await);
        theirs.problem(404);
        assert_eq!(theirs.body, nobodys.body, "{method}{ending}");
        let names =
            |response: &Response| response.headers.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&theirs), names(&nobodys), "{method}{ending}");
    }
    for path in ["/searches/1", "/searches/x", "/searches/00000000000070008000000000000001"] {
        server.get(path).await.problem(404);
    }
    let page = server.send(Request::new("GET", "/searches").key(&stranger)).await.ok();
    assert_eq!(page["hydra:totalItems"], 0);
    assert_eq!(server.get(path(&created)).await.ok(), created);
}

#[tokio::test]
async fn searches_need_the_searches_scope() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let matches = format!("{}/matches", path(&created));
    let calls = [
        ("GET", "/searches"),
        ("POST", "/searches"),
        ("GET", path(&created)),
        ("PUT", path(&created)),
        ("GET", &matches),
        ("GET", "/matches/00000000-0000-8000-8000-000000000001"),
        ("DELETE", path(&created)),
    ];
    let keys = &server.keys;
    for (method, path) in calls {
        server.send(Request::new(method, path).json(&minimal())).await.problem(401);
        for key in [&keys.read, &keys.ingest, &keys.admin] {
            let response = server.send(Request::new(method, path).key(key).json(&minimal())).await;
            let denied = "Access Denied. This key lacks the scope \"searches\".";
            assert_eq!(response.problem(403), denied, "{method} {path}");
        }
        let response = server.send(Request::new(method, path).key(&keys.searches).json(&minimal())).await;
        assert!(
            response.status < 300 || path.starts_with("/matches/"),
            "{method} {path}: {}",
            response.text()
        );
    }
    for (path, allowed) in [
        ("/searches", ["GET", "HEAD", "POST"].as_slice()),
        (path(&created), &["DELETE", "GET", "HEAD", "POST", "PUT"]),
    ] {
        let response = server.send(Request::new("PATCH", path).key(&keys.all)).await;
        response.problem(405);
        let mut allow: Vec<&str> = response.header("allow").unwrap().split(',').map(str::trim).collect();
        allow.sort_unstable();
        assert_eq!(allow, allowed);
    }
}

#[tokio::test]
async fn owner_names_a_search_by_its_token() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({"propertyTypes": [0, 1], "withCoherentPrice": false})).await;
    let token = created["token"].as_str().unwrap();
    let by_token = format!("/searches/{token}");
    assert_eq!(server.get(&by_token).await.ok(), server.get(path(&created)).await.ok());

    let changed = put(&server, &by_token, &with(&json!({"title": "Autre"}))).await.ok();
    assert_eq!((&changed["@id"], &changed["title"]), (&created["@id"], &json!("Autre")));
    // POST does what PUT does.
    for path in [by_token.as_str(), path(&created)] {
        let posted = server.post(path, &with(&json!({"title": "Encore"}))).await.ok();
        assert_eq!((&posted["@id"], &posted["title"]), (&created["@id"], &json!("Encore")));
    }
    server.post(&by_token, &json!({"title": ""})).await.problem(422);

    let receipt = server.accept(&advert("1", json!({"price": 100_000}))).await;
    let property = receipt["property"].as_str().unwrap();
    let explained = server.get(&format!("{by_token}/explain?property={property}")).await.ok();
    assert_eq!(explained["search"], created["@id"]);
    let matches = server.get(&format!("{by_token}/matches")).await.ok();
    assert_eq!(matches["@id"], format!("{}/matches", path(&created)));
    let replayed = server.post(&format!("{by_token}/replay"), &json!({"since": "2026-01-01"})).await;
    assert_eq!(replayed.status, 409, "notifications are off: {}", replayed.text());
    let deliveries = server.get(&format!("/deliveries?search={by_token}")).await.ok();
    assert_eq!(deliveries["hydra:totalItems"], 0);

    // The token of a search is no key to it for others.
    let other = stranger(&server).await;
    for (method, path) in [("GET", &by_token), ("DELETE", &by_token), ("GET", &format!("{by_token}/matches"))]
    {
        server.send(Request::new(method, path).key(&other)).await.problem(404);
    }
    server.get(&format!("/searches/{}", "0".repeat(50))).await.problem(404);
    assert_eq!(server.delete(&by_token).await.status, 204);
    server.get(path(&created)).await.problem(404);
    server.get(&by_token).await.problem(404);
}

#[tokio::test]
async fn searches_per_user_are_limited() {
    let server = TestServer::with("[limits]\nsearches_per_user = 2\n").await;
    let created = create_search(&server, &json!({})).await;
    create_search(&server, &json!({})).await;
    let response = server.post("/searches", &minimal()).await;
    assert_eq!(response.violations(422), [""]);
    assert!(response.problem(422).contains("Limit of 2 saved searches"), "{}", response.text());
    // Existing searches can be changed, other users are not affected, and a deletion makes room.
    put(&server, path(&created), &minimal()).await.ok();
    let stranger = stranger(&server).await;
    let request = Request::new("POST", "/searches").key(&stranger).json(&minimal());
    assert_eq!(server.send(request).await.status, 201);
    assert_eq!(server.delete(path(&created)).await.status, 204);
    create_search(&server, &json!({})).await;
}

#[tokio::test]
async fn unknown_attributes_are_reported_or_rejected() {
    let server = TestServer::start().await;
    let created = create_search(&server, &json!({})).await;
    let odd = with(&json!({"folder": 3, "expired": false, "fromDate": "2026-01-01", "budgetMax": 7}));
    for (method, path, status) in [("POST", "/searches?x=1", 201), ("PUT", path(&created), 200)] {
        let response = server.send(Request::new(method, path).key(&server.keys.all).json(&odd)).await;
        assert_eq!((response.status, &response.json()["budgetMax"]), (status, &json!(7)));
        let expected = if method == "POST" {
            vec!["expired", "folder", "fromDate", "x"]
        } else {
            vec!["expired", "folder", "fromDate"]
        };
        assert_eq!(response.header("x-ignored-parameters"), Some(expected.join(", ").as_str()));
        assert_eq!(response.json()["ignored"], json!(expected));
        // A property of the response, not of the search; and it can be sent back.
        let read = server.get(self::path(&response.json())).await.ok();
        assert_eq!(read.get("ignored"), None);
        let back = put(&server, self::path(&read), &response.json()).await;
        assert_eq!((back.status, back.header("x-ignored-parameters")), (200, None));
    }
    let before = server.get("/searches").await.ok();
    for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
        let request = Request::new(method, path).key(&server.keys.all).header("Prefer", "handling=strict");
        let message =
            server.send(request.json(&with(&json!({"folder": 3, "budgetMax": 8})))).await.problem(400);
        assert!(message.contains("folder"), "{message}");
    }
    // A field that is close to a known one is misspelt.
    for (method, path) in [("POST", "/searches"), ("PUT", path(&created))] {
        let body = with(&json!({"maxBudget": 3, "cities": ["/cities/37261"], "budgetmax": 4}));
        let response = server.send(Request::new(method, path).key(&server.keys.all).json(&body)).await;
        assert_eq!(response.violations(422), ["budgetmax", "cities", "maxBudget"]);
        assert!(response.problem(422).contains("Did you mean \"includedCities\" or \"excludedCities\"?"));
    }
    assert_eq!(server.get("/searches").await.ok(), before, "a rejected body changes nothing");
}
