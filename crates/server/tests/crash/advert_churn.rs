//! A client that changes adverts at random: they appear, change, expire, return and move to other properties. Adverts of one home are
//! grouped by the server, and merged and split by the client. It keeps no record; the log does.

use std::io;

use serde_json::{Value, json};

use crate::chance::Chance;
use crate::connection::Connection;
use crate::search_client;

/// Per client. Few, so that each changes often.
const ADVERTS: u64 = 40;

/// Properties shared by the adverts of all clients.
const PROPERTIES: u64 = 60;

/// Homes shared by the adverts of all clients. Those of one home are alike enough to be grouped.
const HOMES: u64 = 25;

/// How many receipts a client remembers, to merge and split their properties.
const RECEIPTS_MAX: usize = 20;

/// Sends until the server is gone.
pub fn run(
    number: usize,
    open: &dyn Fn() -> io::Result<Connection>,
    key: &str,
    chance: &mut Chance,
    count: &dyn Fn(usize),
) {
    let ended: io::Result<()> = (|| {
        let mut connection = open()?;
        let mut receipts: Vec<Value> = Vec::new();
        loop {
            let bodies: Vec<Value> = (0..1 + chance.below(6)).map(|_| body(number, chance)).collect();
            let response = connection.send_adverts(key, &bodies)?;
            receipts.extend(response["hydra:member"].as_array().unwrap().iter().cloned());
            receipts.drain(..receipts.len().saturating_sub(RECEIPTS_MAX));
            correct(&mut connection, key, &receipts, chance)?;
            count(bodies.len());
        }
    })();
    // The loop ends only when the server is killed.
    assert!(ended.is_err());
}

/// Merges or splits a property now and then. What the receipts name may be somewhere else by now.
fn correct(
    connection: &mut Connection,
    key: &str,
    receipts: &[Value],
    chance: &mut Chance,
) -> io::Result<()> {
    let mut any = || &receipts[chance.below(receipts.len() as u64) as usize];
    let (one, other) = (any(), any());
    let (path, body) = match chance.below(12) {
        0 => {
            let body = json!({"properties": [one["property"], other["property"]]});
            ("/properties/merge".to_owned(), body)
        }
        1 | 2 => {
            let property = one["property"].as_str().unwrap();
            (format!("{property}/split"), json!({"adverts": [one["uuid"]]}))
        }
        _ => return Ok(()),
    };
    let (status, response) = connection.request("POST", key, &path, Some(&body))?;
    assert!(matches!(status, 200 | 201 | 308 | 404 | 422), "{status} {response}");
    Ok(())
}

fn body(number: usize, chance: &mut Chance) -> Value {
    let advert = chance.below(ADVERTS);
    let home = advert % HOMES;
    let mut body = json!({
        "transactionType": 0, "propertyType": 1,
        "site": format!("moving{number}.example"), "reference": advert.to_string(),
        "zipcode": "37000", "cityName": "Tours", "room": 3 + home % 4, "landSurface": 311 + 7 * home,
        "energy": {"value": 101 + 5 * home}, "greenHouseGas": {"value": 11 + home},
    });
    let mut put = |name: &str, value: Value| body[name] = value;
    // Some homes have coordinates of their own, up to some kilometres from the centre of the town.
    if home.is_multiple_of(2) {
        let lat = search_client::CENTRE.0 + 0.002 * home as f64;
        put("locations", json!({"lat": lat, "lon": search_client::CENTRE.1}));
    }
    match chance.below(10) {
        0 => put("expired", json!(true)),
        1 => put("expired", json!(false)),
        2 => put("title", json!(if chance.below(2) == 0 { "Maison avec terrasse" } else { "Maison" })),
        3 => {
            let property = 1 + chance.below(PROPERTIES);
            put("property", json!(format!("/properties/0190a1b2-c3d4-7e5f-8a9b-{property:012x}")));
        }
        // A crawl without changes.
        4 => {}
        5 => put("surface", json!(60.25 + 3.5 * home as f64)),
        _ => put("price", json!(100_000 + 30_100 * home + 1_000 * chance.below(4))),
    }
    body
}
