//! A client that changes adverts at random: they appear, change, expire, return and move to other properties. It keeps no record; the
//! log does.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::chance::Chance;
use crate::connection::Connection;

/// Per client. Few, so that each changes often.
const ADVERTS: u64 = 40;

/// Properties shared by the adverts of all clients.
const PROPERTIES: u64 = 60;

/// Sends until the server is gone.
pub fn run(number: usize, address: SocketAddr, key: &str, chance: &mut Chance, count: &dyn Fn(usize)) {
    let ended: io::Result<()> = (|| {
        let mut connection = Connection::open(address)?;
        loop {
            let bodies: Vec<Value> = (0..1 + chance.below(6)).map(|_| body(number, chance)).collect();
            let (status, response) = connection.request("POST", key, "/adverts", Some(&json!(bodies)))?;
            assert_eq!(status, 200, "{response}");
            count(bodies.len());
        }
    })();
    // The loop ends only when the server is killed.
    assert!(ended.is_err());
}

fn body(number: usize, chance: &mut Chance) -> Value {
    let advert = chance.below(ADVERTS);
    let mut body = json!({
        "transactionType": 0, "propertyType": 1, "site": "moving.example", "reference": format!("{number}-{advert}"),
    });
    let mut put = |name: &str, value: Value| body[name] = value;
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
        _ => put("price", json!(100_000 + 1_000 * chance.below(900))),
    }
    body
}
