//! The reference geography over HTTP, and what it adds to documents.

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::adverts::minimal;
use crate::harness::client::{Request, Response};

async fn get(server: &TestServer, target: &str) -> Value {
    let response = server.get(target).await;
    assert_eq!(response.status, 200, "{target}");
    response.json()
}

fn names(collection: &Value) -> Vec<&str> {
    collection["hydra:member"]
        .as_array()
        .unwrap()
        .iter()
        .map(|member| member["name"].as_str().unwrap())
        .collect()
}

/// Sends an advert with a place. Returns its receipt and its document.
async fn placed(server: &TestServer, place: Value) -> (Value, Value) {
    let mut advert = json!({"transactionType": 0, "propertyType": 0, "site": "p.example", "reference": "1"});
    for (name, value) in place.as_object().unwrap() {
        advert[name] = value.clone();
    }
    let receipt = server.post("/adverts", &advert).await.json();
    let id = receipt["property"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
    let document = get(server, &format!("/documents/properties/{id}")).await;
    (receipt, document)
}

#[tokio::test]
async fn city_is_found_by_stable_id() {
    let server = TestServer::start().await;
    let city = get(&server, "/cities/75111").await;
    assert_eq!(city["@id"], "/cities/75111");
    assert_eq!(city["@type"], "City");
    assert_eq!((&city["name"], &city["zipcode"]), (&json!("Paris 11e"), &json!("75011")));
    assert_eq!(city["cityParentId"], 75_056);
    assert_eq!(city["department"], json!({"code": "75", "id": 75, "name": "Paris"}));
    assert_eq!(city["country"]["code"], "FR");
    assert_eq!(get(&server, "/cities/201004").await["insee"], "2A004");
    assert_eq!(
        get(&server, "/cities/01091").await["name"],
        "Valserhône",
        "a former code leads to its successor"
    );
    assert_eq!(get(&server, "/regions/11").await["name"], "Île-de-France");
    for unknown in ["/cities/99999", "/cities/x", "/cities/75111x", "/departments/999"] {
        server.get(unknown).await.problem(404);
    }
}

#[tokio::test]
async fn department_is_found_by_id_and_code() {
    let server = TestServer::start().await;
    for (target, code) in [("6", "06"), ("06", "06"), ("201", "2A"), ("2A", "2A"), ("974", "974")] {
        let department = get(&server, &format!("/departments/{target}")).await;
        assert_eq!(department["departmentCode"], code, "{target}");
        assert!(department["nameClean"].is_string());
    }
    assert_eq!(get(&server, "/departments/37").await["chefLieu"], "Tours");
}

/// Returns twice the area of a ring in square degrees, positive if it runs counter-clockwise.
fn doubled_area(ring: &Value) -> f64 {
    let at = |position: &Value, axis: usize| position[axis].as_f64().unwrap();
    let terms = ring
        .as_array()
        .unwrap()
        .windows(2)
        .map(|edge| at(&edge[0], 0) * at(&edge[1], 1) - at(&edge[1], 0) * at(&edge[0], 1));
    terms.sum()
}

#[tokio::test]
async fn outline_is_a_geojson_feature() {
    let server = TestServer::start().await;
    let response = server.get("/cities/75111/outline").await;
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/geo+json")));
    let outline = response.json();
    assert_eq!((&outline["type"], &outline["id"]), (&json!("Feature"), &json!(75_111)));
    assert_eq!(outline["properties"], json!({"id": 75_111, "name": "Paris 11e", "insee": "75111"}));
    let (geometry, ring) = (&outline["geometry"], &outline["geometry"]["coordinates"][0]);
    assert_eq!(geometry["type"], "Polygon");
    let positions = ring.as_array().unwrap();
    assert_eq!(positions.first(), positions.last());
    for position in positions {
        let [lon, lat] = [0, 1].map(|axis| position[axis].as_f64().unwrap());
        assert!((2.3..2.5).contains(&lon) && (48.8..48.9).contains(&lat), "{position}");
    }
    assert!(doubled_area(ring) > 0.0, "counter-clockwise");

    // The Riou islands belong to Marseille; a former code leads to its successor.
    let islands = get(&server, "/cities/13055/outline").await;
    assert_eq!(islands["geometry"]["type"], "MultiPolygon");
    for polygon in islands["geometry"]["coordinates"].as_array().unwrap() {
        assert!(doubled_area(&polygon[0]) > 0.0, "counter-clockwise");
    }
    let former = get(&server, "/cities/01091/outline").await;
    assert_eq!(former["properties"]["name"], "Valserhône");
    for target in ["/departments/2A/outline", "/departments/201/outline"] {
        let department = get(&server, target).await;
        assert_eq!(department["properties"], json!({"id": 201, "name": "Corse-du-Sud", "code": "2A"}));
    }
}

#[tokio::test]
async fn place_without_an_outline_says_so() {
    let server = TestServer::start().await;
    let message = server.get("/cities/98818/outline").await.problem(404);
    assert_eq!(message, "The reference data has no outline of Nouméa.");
    server.get("/departments/988/outline").await.problem(404);
    for unknown in ["/cities/99999/outline", "/cities/x/outline", "/departments/999/outline"] {
        assert_eq!(server.get(unknown).await.problem(404), "Not Found", "{unknown}");
    }
    // The link is in the place itself, and not in lists.
    assert_eq!(get(&server, "/cities/75111").await["outline"], "/cities/75111/outline");
    assert_eq!(get(&server, "/departments/06").await["outline"], "/departments/6/outline");
    for without in ["/cities/98818", "/departments/988"] {
        assert_eq!(get(&server, without).await.get("outline"), Some(&json!(null)), "{without}");
    }
    let list = get(&server, "/cities?insee=75111").await;
    assert_eq!(
        (list["hydra:member"].as_array().unwrap().len(), list["hydra:member"][0].get("outline")),
        (1, None)
    );
}

#[tokio::test]
async fn outline_needs_a_key_and_negotiates_its_media_type() {
    let server = TestServer::start().await;
    let path = "/cities/75111/outline";
    server.send(Request::new("GET", path)).await.problem(401);
    server.send(Request::new("GET", path).key(&server.keys.ingest)).await.problem(403);
    server.send(Request::new("POST", path).key(&server.keys.read).json(&json!({}))).await.problem(405);
    let accepting = async |accept: &str| {
        server.send(Request::new("GET", path).key(&server.keys.read).header("Accept", accept)).await
    };
    for (accept, content_type) in [
        ("application/geo+json", "application/geo+json"),
        ("application/json", "application/json"),
        ("application/ld+json", "application/geo+json"),
        ("*/*", "application/geo+json"),
    ] {
        let response = accepting(accept).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some(content_type)), "{accept}");
    }
    let message = accepting("text/html").await.problem(406);
    assert!(message.contains("application/geo+json"), "{message}");
    assert_eq!(server.get(&format!("{path}?x=1")).await.header("x-ignored-parameters"), Some("x"));
}

#[tokio::test]
async fn cities_are_filtered_ordered_and_paged() {
    let server = TestServer::start().await;
    let all = get(&server, "/cities").await;
    assert_eq!(all["hydra:totalItems"], 34_969 + 45);
    assert_eq!(all["hydra:member"].as_array().unwrap().len(), 30);
    assert_eq!(all["hydra:view"]["hydra:last"], "/cities?page=1168");

    let few = get(&server, "/cities?zipcode[]=37000&zipcode[]=75011&order[name]=desc").await;
    assert_eq!(names(&few), ["Tours", "Paris 11e", "Paris"]);
    assert_eq!(names(&get(&server, "/cities?insee=37261").await), ["Tours"]);
    assert_eq!(names(&get(&server, "/cities?name=HAY%20LES%20ROSES").await), ["L'Haÿ-les-Roses"]);

    let second = get(&server, "/cities?name=saint&itemsPerPage=2&page=2").await;
    assert_eq!(second["hydra:view"]["hydra:next"], "/cities?name=saint&itemsPerPage=2&page=3");
    assert_eq!(second["hydra:member"].as_array().unwrap().len(), 2);
    assert_eq!(get(&server, "/departments?itemsPerPage=0").await["hydra:totalItems"], 109);
    assert_eq!(get(&server, "/regions").await["hydra:totalItems"], 26);
}

#[tokio::test]
async fn invalid_and_unknown_parameters_are_reported() {
    let server = TestServer::start().await;
    let message = server.get("/cities?page=0").await.problem(400);
    assert_eq!(message, "page: \"0\" is not an integer of at least 1.");
    server.get("/cities?insee[]=75O11").await.problem(400);
    let response = server.get("/cities?nmae=tours&order[age]=asc&name=tours").await;
    assert_eq!((response.status, response.header("x-ignored-parameters")), (200, Some("nmae, order[age]")));
    for target in
        ["/cities/37261?x=1", "/adverts/0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b?x=1", "/regions/11?x=1"]
    {
        assert_eq!(server.get(target).await.header("x-ignored-parameters"), Some("x"), "{target}");
    }
    let strict = Request::new("POST", "/adverts?x=1").key(&server.keys.ingest).json(&minimal("strict"));
    server.send(strict.header("Prefer", "handling=strict")).await.problem(400);
    assert_eq!(server.log_length().await, 0, "nothing was written");
    let strict =
        Request::new("GET", "/cities?nmae=tours").key(&server.keys.read).header("Prefer", "handling=strict");
    assert_eq!(server.send(strict).await.problem(400), "nmae: This parameter is not known.");
}

#[tokio::test]
async fn autocomplete_needs_no_key() {
    let server = TestServer::start().await;
    let ask = async |query: &str| -> Response {
        server.send(Request::new("GET", &format!("/public/location-autocomplete{query}"))).await
    };
    let found = ask("?query=marsei").await.json();
    assert_eq!(
        (&found["hydra:member"][0]["name"], &found["hydra:member"][0]["@id"]),
        (&json!("Marseille"), &json!("/cities/13055"))
    );
    assert_eq!(names(&ask("?q=bordaux").await.json())[0], "Bordeaux");
    assert_eq!(ask("?search=37000").await.json()["hydra:member"][0]["name"], "Tours");
    let departments = ask("?query=indre-et-loire").await.json();
    assert_eq!(departments["hydra:member"][0]["@type"], "Department");
    let without = ask("?query=marseille&excludedCitiesIds[]=13055").await.json();
    assert!(!names(&without).contains(&"Marseille"), "{without}");
    ask("").await.problem(400);
}

#[tokio::test]
async fn stations_are_suggested_on_request() {
    let server = TestServer::start().await;
    let ask = async |query: &str| {
        let path = format!("/public/location-autocomplete?{query}");
        server.send(Request::new("GET", &path)).await.json()["hydra:member"].as_array().unwrap().clone()
    };
    let types = |found: &[Value]| -> Vec<String> {
        found.iter().map(|place| place["type"].as_str().unwrap().to_owned()).collect()
    };
    let every = "type[]=city&type[]=department&type[]=station";
    let found = ask(&format!("query=gare+de+lyon&{every}")).await;
    let station = &found[0];
    assert_eq!(
        (&station["@id"], &station["@type"], &station["type"], &station["displayName"]),
        (&json!("/stations/72"), &json!("Station"), &json!("station"), &json!("Gare de Lyon (Paris 12e)"))
    );
    assert_eq!(station["location"], json!({"lat": 48.84441, "lon": 2.37369}));
    assert_eq!(station["locations"], station["location"]);
    // Places come first, and leave room for stations.
    let found = ask(&format!("query=lyon&itemsPerPage=8&{every}")).await;
    assert_eq!((&found[0]["@id"], found.len()), (&json!("/cities/69123"), 8));
    assert!(types(&found).iter().filter(|kind| *kind == "station").count() >= 2, "{found:?}");
    assert_eq!(types(&ask("query=lyon&type=station&itemsPerPage=3").await), ["station"; 3]);
    // Clients that do not ask for stations get none.
    for query in [
        "query=lyon",
        "query=lyon&type=city",
        "query=gare+de+lyon",
        "query=lyon&type[]=city&type[]=department",
    ] {
        assert!(!types(&ask(query).await).contains(&"station".to_owned()), "{query}");
    }
    let one = server.get("/stations/72").await.ok();
    assert_eq!((&one["name"], &one["locations"]), (&json!("Gare de Lyon"), &station["locations"]));
    for unknown in ["/stations/999999", "/stations/x", "/stations/-1"] {
        server.get(unknown).await.problem(404);
    }
}

#[tokio::test]
async fn advert_is_located_by_zipcode_and_city_name() {
    let server = TestServer::start().await;
    let (receipt, document) =
        placed(&server, json!({"zipcode": "94240", "cityName": "l hay les roses"})).await;
    assert_eq!((receipt.get("warnings"), &receipt["placeCertainty"]), (None, &json!("exact")));
    assert_eq!(document["city"]["insee"], "94038");
    assert_eq!(document["geoAccuracy"], 2);
    assert_eq!(document["locations"], document["city"]["locations"]);
    assert_eq!(document["stations"], json!([]));
}

#[tokio::test]
async fn coordinates_determine_city_and_stations() {
    let server = TestServer::start().await;
    let place = json!({"locations": {"lat": 48.8675, "lon": 2.3638}, "geoAccuracy": 1});
    let (receipt, document) = placed(&server, place).await;
    assert_eq!((&receipt["placeCertainty"], &document["geoAccuracy"]), (&json!("inside"), &json!(1)));
    assert_eq!(document["city"]["department"]["code"], "75");
    let stations = document["stations"].as_array().unwrap();
    assert_eq!(stations[0]["name"], "République");
    let numbers: Vec<&str> = stations[0]["lines"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line["number"].as_str().unwrap())
        .collect();
    assert_eq!(numbers, ["3", "5", "8", "9", "11"]);
    assert!(stations[0]["lines"][0]["color"].as_str().unwrap().starts_with('#'));
}

#[tokio::test]
async fn conflicting_place_is_reported_and_unknown_place_is_kept() {
    let server = TestServer::start().await;
    let (receipt, _) = placed(&server, json!({"insee": "75111", "zipcode": "69001"})).await;
    assert_eq!(receipt["outcome"], "created");
    assert_eq!(receipt["warnings"][0]["code"], "contradiction");

    let (receipt, document) =
        placed(&server, json!({"insee": null, "zipcode": "00999", "cityName": "Trifouillis"})).await;
    assert_eq!((&receipt["outcome"], &receipt["placeCertainty"]), (&json!("updated"), &json!("unknown")));
    assert!(!receipt["warnings"].as_array().unwrap().is_empty());
    assert_eq!((&document["city"]["name"], &document["city"]["id"]), (&json!("Trifouillis"), &json!(null)));
}

#[tokio::test]
async fn advert_of_another_country_has_no_commune() {
    let server = TestServer::start().await;
    let (receipt, document) =
        placed(&server, json!({"cityName": "Dudelange", "country": "Luxembourg"})).await;
    assert_eq!((&receipt["outcome"], &receipt["placeCertainty"]), (&json!("created"), &json!("unknown")));
    assert_eq!(receipt["warnings"][0]["propertyPath"], "country");
    assert_eq!((&document["city"]["name"], &document["city"]["id"]), (&json!("Dudelange"), &json!(null)));
    // The country can be corrected alone, and the place is looked up again.
    let (receipt, document) = placed(&server, json!({"countryCode": "FR"})).await;
    assert_eq!(receipt["placeCertainty"], "likely");
    assert_eq!(document["city"]["name"], "Audelange");
}

#[tokio::test]
async fn location_accuracy_can_be_sent_alone() {
    let server = TestServer::start().await;
    placed(
        &server,
        json!({"zipcode": "37000", "cityName": "Tours", "locations": {"lat": 47.39, "lon": 0.69}}),
    )
    .await;
    let (_, document) = placed(&server, json!({"geoAccuracy": 1})).await;
    assert_eq!((&document["geoAccuracy"], &document["city"]["name"]), (&json!(1), &json!("Tours")));
}
