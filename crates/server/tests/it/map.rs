//! The market on a map: clusters, histograms, and the tiles of the base map.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::harness::TestServer;
use crate::harness::client::Request;
use crate::search::{ingest, listing, with};

const FRANCE: &str = "bounds=-5.5,41,10,51.5";

/// Returns a home at coordinates, at the same price per square metre as all others.
fn home(number: u32, lat: f64, lon: f64) -> Value {
    let surface = 30 + number;
    let price = 3_000 * surface;
    listing(
        &format!("h{number}"),
        json!({"price": price, "surface": surface, "room": 3, "locations": {"lat": lat, "lon": lon}}),
    )
}

async fn clusters(server: &TestServer, query: &str) -> Value {
    server.get(&format!("/documents/properties/clusters?{query}")).await.ok()
}

fn list<'a>(body: &'a Value, name: &str) -> &'a Vec<Value> {
    body[name].as_array().unwrap()
}

#[tokio::test]
async fn few_properties_are_listed_with_their_points() {
    let server = with(&[home(1, 47.3941, 0.6848), home(2, 48.8566, 2.3522)]).await;
    let body = clusters(&server, &format!("{FRANCE}&zoom=5")).await;
    assert_eq!((&body["totalItems"], list(&body, "cells").len()), (&json!(2), 0));
    let homes = list(&body, "properties");
    let tours = homes.iter().find(|home| home["price"] == 93_000.0).unwrap();
    assert_eq!((&tours["longitude"], &tours["latitude"]), (&json!(0.6848), &json!(47.3941)));
    assert_eq!(
        (&tours["surface"], &tours["rooms"], &tours["isExact"]),
        (&json!(31.0), &json!(3), &json!(true))
    );
    assert!(tours["pricePerMeter"].is_number() && body["took"].is_number());
    let id = tours["id"].as_str().unwrap();
    server.get(&format!("/documents/properties/{id}")).await.ok();
    // The viewport and the filters apply together, and borders belong to the viewport.
    assert_eq!(clusters(&server, "bounds=0.6848,47.3941,1,48&zoom=5").await["totalItems"], 1);
    assert_eq!(clusters(&server, "bounds=0.68481,47.3941,1,48&zoom=5").await["totalItems"], 0);
    assert_eq!(clusters(&server, &format!("{FRANCE}&zoom=5&budgetMin=94000")).await["totalItems"], 1);
}

#[tokio::test]
async fn home_without_coordinates_is_shown_at_its_commune_and_says_so() {
    let known_to_its_commune =
        listing("t", json!({"insee": "37261", "zipcode": "37000", "cityName": "Tours", "locations": null}));
    let server = with(&[known_to_its_commune]).await;
    let body = clusters(&server, &format!("{FRANCE}&zoom=5")).await;
    assert_eq!(list(&body, "properties")[0]["isExact"], false);
}

#[tokio::test]
async fn many_properties_are_counted_by_cell_until_the_map_is_close() {
    let server = TestServer::with("[grouping]\nautomatic = false\n").await;
    let homes: Vec<Value> = (0..210)
        .map(|number| {
            home(number, 47.39 + f64::from(number % 15) * 0.0005, 0.68 + f64::from(number / 15) * 0.0005)
        })
        .chain([home(215, 43.2965, 5.3698)])
        .collect();
    ingest(&server, &homes).await;
    let body = clusters(&server, &format!("{FRANCE}&zoom=5.5")).await;
    assert_eq!(body["totalItems"], 211);
    let (cells, alone) = (list(&body, "cells"), list(&body, "properties"));
    assert_eq!(alone.len(), 1, "the only home of its cell");
    assert_eq!((&alone[0]["longitude"], &alone[0]["latitude"]), (&json!(5.3698), &json!(43.2965)));
    assert_eq!(cells.iter().map(|cell| cell["count"].as_u64().unwrap()).sum::<u64>(), 210);
    for cell in cells {
        let bounds: Vec<f64> = list(cell, "bounds").iter().map(|it| it.as_f64().unwrap()).collect();
        let [west, south, east, north] = bounds[..] else { panic!("{bounds:?}") };
        let (lon, lat) = (cell["longitude"].as_f64().unwrap(), cell["latitude"].as_f64().unwrap());
        assert!((west..=east).contains(&lon) && (south..=north).contains(&lat), "{cell}");
        // The cell alone has as many as it says.
        let inner = clusters(&server, &format!("bounds={west},{south},{east},{north}&zoom=5")).await;
        assert_eq!(inner["totalItems"], cell["count"]);
    }
    let close = clusters(&server, "bounds=0.6,47.3,0.8,47.5&zoom=15").await;
    assert_eq!((list(&close, "cells").len(), list(&close, "properties").len()), (0, 210));
    let listed: BTreeSet<&str> =
        list(&close, "properties").iter().map(|home| home["id"].as_str().unwrap()).collect();
    assert_eq!(listed.len(), 210);
}

#[tokio::test]
async fn wrong_viewports_are_refused_in_words() {
    let server = TestServer::start().await;
    let refused =
        async |query: &str| server.get(&format!("/documents/properties/clusters?{query}")).await.problem(400);
    let missing = refused("").await;
    assert!(missing.contains("bounds: This parameter is required"), "{missing}");
    assert!(missing.contains("zoom: This parameter is required"), "{missing}");
    for bounds in ["1,2,3", "x,0,1,1", "10,41,-5,51", "0,52,1,51", "-200,0,1,1", "NaN,0,1,1"] {
        let message = refused(&format!("bounds={bounds}&zoom=5")).await;
        assert!(message.contains(bounds) && message.contains("west,south,east,north"), "{message}");
    }
    for zoom in ["-1", "22.5", "near"] {
        let message = refused(&format!("{FRANCE}&zoom={zoom}")).await;
        assert_eq!(message, format!("zoom: \"{zoom}\" is not a number from 0 to 22."));
    }
    let response = server.get(&format!("/documents/properties/clusters?{FRANCE}&zoom=5&page=2")).await;
    response.ok();
    assert_eq!(response.header("x-ignored-parameters"), Some("page"));
}

#[tokio::test]
async fn histogram_leaves_out_the_filters_on_its_own_field() {
    let server = with(&[
        listing("a", json!({"price": 100_000, "surface": 40})),
        listing("b", json!({"price": 119_999, "surface": 60})),
        listing("c", json!({"price": 120_000, "surface": 61})),
        listing("d", json!({"price": 240_000, "surface": null})),
    ])
    .await;
    let facets = async |query: &str| server.get(&format!("/documents/properties/facets?{query}")).await.ok();
    let counts = |histogram: &Value| -> Vec<(f64, f64, u64)> {
        let number = |bucket: &Value, name: &str| bucket[name].as_f64().unwrap();
        list(histogram, "buckets")
            .iter()
            .filter(|bucket| bucket["count"] != 0)
            .map(|bucket| (number(bucket, "from"), number(bucket, "to"), bucket["count"].as_u64().unwrap()))
            .collect()
    };
    let body = facets("budgetMax=119999&surfaceMin=50").await;
    assert_eq!(body["totalItems"], 1);
    let fields: Vec<&String> = body["facets"].as_object().unwrap().keys().collect();
    assert_eq!(fields, ["price", "surface"]);
    let (price, surface) = (&body["facets"]["price"], &body["facets"]["surface"]);
    assert_eq!(counts(price), [(100_000.0, 120_000.0, 1), (120_000.0, 150_000.0, 1)]);
    assert_eq!(counts(surface), [(40.0, 50.0, 1), (60.0, 80.0, 1)]);
    let all = facets("fields=surface,rooms").await;
    assert_eq!(all["facets"]["surface"]["unknown"], 1);
    assert_eq!(all["facets"].as_object().unwrap().len(), 2);
    let message = server.get("/documents/properties/facets?fields=colour").await.problem(400);
    assert_eq!(
        message,
        "fields: \"colour\" is not one of price, pricePerMeter, surface, landSurface, rooms."
    );
}

#[tokio::test]
async fn tiles_are_public_cacheable_and_validated() {
    let server = TestServer::start().await;
    let get = async |path: &str, tag: Option<&str>| {
        let request = Request::new("GET", path);
        server
            .send(match tag {
                Some(tag) => request.header("If-None-Match", tag),
                None => request,
            })
            .await
    };
    let tile = get("/map/5/16/11", None).await;
    assert_eq!((tile.status, tile.header("content-type")), (200, Some("application/vnd.mapbox-vector-tile")));
    assert_eq!(tile.header("cache-control"), Some("public, max-age=86400"));
    assert!(tile.body.len() > 1_000);
    let tag = tile.header("etag").unwrap();
    let known = get("/map/5/16/11", Some(tag)).await;
    assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, Some(tag)));
    assert_eq!(get("/map/5/16/11", Some("W/\"other\"")).await.body, tile.body);
    let empty = get("/map/5/0/0", None).await;
    assert_eq!((empty.status, empty.body.len()), (200, 0));
    let asked = Request::new("GET", "/map/5/16/11").header("Accept", "application/vnd.mapbox-vector-tile");
    assert_eq!(server.send(asked).await.status, 200);

    assert_eq!(
        get("/map/15/0/0", None).await.problem(404),
        "There are tiles from zoom 0 to 14, not of zoom 15."
    );
    assert_eq!(
        get("/map/3/8/0", None).await.problem(404),
        "At zoom 3, x and y are from 0 to 7, not 8 and 0."
    );
    for path in ["/map/a/0/0", "/map/3/-1/0", "/map/3/0/1.5"] {
        let message = get(path, None).await.problem(400);
        assert!(message.contains("three whole numbers"), "{message}");
    }
}
