//! Searches that want to hear of everything, and adverts that give them something to hear of.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::connection::Connection;
use crate::receiving::{Receiving, Waited};

/// Searches that hear of every change.
const OPEN_SEARCHES: u64 = 10;

/// Searches that hear of some.
const CHOOSY_SEARCHES: u64 = 5;

/// How many deliveries may be owed beyond what has arrived. Enough that a kill finds a queue, few enough that kills find adverts
/// coming in for most of the time.
const AHEAD_MAX: u64 = 2_000;

/// The most adverts sent together.
const TOGETHER_MAX: u64 = 10;

/// Prices rise from here, in steps that leave every price behind for good.
const PRICE_FIRST: u64 = 100_000;
const PRICE_STEP: u64 = 1_000;

pub struct Market {
    /// How many deliveries are to be owed at least.
    deliveries: u64,
    /// The last price that was sent for each advert, acknowledged or not.
    prices: Vec<u64>,
    acknowledged: u64,
    /// How many deliveries are owed for what was acknowledged, at least.
    owed: u64,
}

/// How feeding ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fed {
    Enough,
    Killed,
}

impl Market {
    pub fn new(deliveries: u64) -> Self {
        Self { deliveries, prices: Vec::new(), acknowledged: 0, owed: 0 }
    }

    /// How many adverts there are, and how many of their changes were acknowledged.
    pub fn totals(&self) -> (usize, u64) {
        (self.prices.len(), self.acknowledged)
    }

    /// Saves the searches on a server that nobody kills meanwhile.
    pub fn save_searches(address: SocketAddr, key: &str, receiving: &Receiving, chance: &mut Chance) {
        let mut connection = Connection::open(address).unwrap();
        for number in 0..OPEN_SEARCHES + CHOOSY_SEARCHES {
            let bound = (number >= OPEN_SEARCHES).then(|| PRICE_FIRST + PRICE_STEP * chance.below(20));
            let body = json!({
                "title": format!("search {number}"),
                "transactionType": 0, "propertyTypes": [1], "withCoherentPrice": false,
                "budgetMin": bound,
                "notificationEnabled": true,
                "endpointRecipient": receiving.url(number as usize, &format!("matches/{number}")),
                "eventEndpoint": receiving.url(number as usize + 1, &format!("events/{number}")),
                "subscribedEvents": ["ad.update.price", "property.ad.create"],
            });
            let (status, made) = connection.request("POST", key, "/searches", Some(&body)).unwrap();
            assert_eq!(status, 201, "{made}");
        }
    }

    /// Sends adverts, new ones and new prices, until enough is owed or the server is gone.
    pub fn feed(
        &mut self,
        address: SocketAddr,
        key: &str,
        receiving: &Receiving,
        killed: &CancellationToken,
        chance: &mut Chance,
    ) -> Fed {
        let fed: io::Result<Fed> = (|| {
            let mut connection = Connection::open(address)?;
            loop {
                if self.owed >= self.deliveries {
                    return Ok(Fed::Enough);
                }
                let waited = receiving.wait(|seen| self.owed <= seen.taken + AHEAD_MAX, killed.cancelled());
                if waited == Waited::Other {
                    return Ok(Fed::Killed);
                }
                let before = self.prices.len();
                let bodies: Vec<Value> =
                    (0..1 + chance.below(TOGETHER_MAX)).map(|_| self.next(chance)).collect();
                let (status, answer) = connection.request("POST", key, "/adverts", Some(&json!(bodies)))?;
                assert_eq!(status, 200, "{answer}");
                self.acknowledged += bodies.len() as u64;
                // A new advert is a match and an event, a new price is an event.
                let new = self.prices.len() - before;
                self.owed += OPEN_SEARCHES * (bodies.len() + new) as u64;
            }
        })();
        fed.unwrap_or(Fed::Killed)
    }

    fn next(&mut self, chance: &mut Chance) -> Value {
        let known = self.prices.len() as u64;
        let advert = if known == 0 || chance.below(2) == 0 { known } else { chance.below(known) } as usize;
        match self.prices.get_mut(advert) {
            Some(price) => *price += PRICE_STEP * (1 + chance.below(5)),
            None => self.prices.push(PRICE_FIRST),
        }
        let text = format!("Advert {advert} of a market that is killed. ");
        json!({
            "transactionType": 0, "propertyType": 1, "site": "delivering.example", "reference": advert.to_string(),
            "price": self.prices[advert], "title": format!("Maison {advert}"), "description": text.repeat(20).trim(),
        })
    }
}
