//! Searches that match every advert, and adverts that create notifications for them.

use std::io;
use std::net::SocketAddr;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::connection::Connection;
use crate::receiver::{LedgerReceiver, Waited};

/// The site of all adverts.
const SITE: &str = "delivering.example";

/// Searches that match every change.
const OPEN_SEARCHES: u64 = 10;

/// Searches with a minimum price.
const BOUNDED_SEARCHES: u64 = 5;

/// Maximum number of notifications ahead of arrivals: enough that a kill finds a queue, few enough that most kills happen while
/// adverts are ingested.
const AHEAD_MAX: u64 = 2_000;

/// Maximum number of adverts per request.
const BATCH_MAX: u64 = 10;

/// Prices rise from here, so that no price repeats.
const PRICE_FIRST: u64 = 100_000;
const PRICE_STEP: u64 = 1_000;

pub struct Market {
    /// Minimum number of notifications to create.
    deliveries: u64,
    /// The last price sent for each advert, acknowledged or not.
    prices: Vec<u64>,
    acknowledged: u64,
    /// Minimum number of notifications for acknowledged adverts.
    notifications: u64,
}

/// How [`Market::feed`] ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fed {
    Enough,
    Killed,
}

impl Market {
    pub fn new(deliveries: u64) -> Self {
        Self { deliveries, prices: Vec::new(), acknowledged: 0, notifications: 0 }
    }

    /// Returns the number of adverts and of acknowledged changes.
    pub fn totals(&self) -> (usize, u64) {
        (self.prices.len(), self.acknowledged)
    }

    /// Saves the searches, and returns them with their ids. The server must not be killed meanwhile.
    pub fn save_searches(
        address: SocketAddr,
        key: &str,
        receiver: &LedgerReceiver,
        chance: &mut Chance,
    ) -> Vec<(String, Value)> {
        let mut saved = Vec::new();
        let mut connection = Connection::open(address).unwrap();
        for number in 0..OPEN_SEARCHES + BOUNDED_SEARCHES {
            let bound = (number >= OPEN_SEARCHES).then(|| PRICE_FIRST + PRICE_STEP * chance.below(20));
            let body = json!({
                "title": format!("search {number}"),
                "transactionType": 0, "propertyTypes": [1], "withCoherentPrice": false,
                "budgetMin": bound, "includedSites": [SITE],
                "notificationEnabled": true,
                "endpointRecipient": receiver.url(number as usize, &format!("matches/{number}")),
                "eventEndpoint": receiver.url(number as usize + 1, &format!("events/{number}")),
                "subscribedEvents": ["ad.update.price", "property.ad.create"],
            });
            let (status, created) = connection.request("POST", key, "/searches", Some(&body)).unwrap();
            assert_eq!(status, 201, "{created}");
            saved.push((created["@id"].as_str().unwrap().to_owned(), body));
        }
        saved
    }

    /// Sends new adverts and new prices until there are enough notifications or the server is gone.
    pub fn feed(
        &mut self,
        open: &dyn Fn() -> io::Result<Connection>,
        key: &str,
        receiver: &LedgerReceiver,
        killed: &CancellationToken,
        chance: &mut Chance,
    ) -> Fed {
        let fed: io::Result<Fed> = (|| {
            let mut connection = open()?;
            loop {
                if self.notifications >= self.deliveries {
                    return Ok(Fed::Enough);
                }
                let waited =
                    receiver.wait(|seen| self.notifications <= seen.taken + AHEAD_MAX, killed.cancelled());
                if waited == Waited::Other {
                    return Ok(Fed::Killed);
                }
                let before = self.prices.len();
                let bodies: Vec<Value> =
                    (0..1 + chance.below(BATCH_MAX)).map(|_| self.next(chance)).collect();
                connection.send_adverts(key, &bodies)?;
                self.acknowledged += bodies.len() as u64;
                // A new advert is a match and an event, a new price is an event.
                let new = self.prices.len() - before;
                self.notifications += OPEN_SEARCHES * (bodies.len() + new) as u64;
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
            "transactionType": 0, "propertyType": 1, "site": SITE, "reference": advert.to_string(),
            "price": self.prices[advert], "title": format!("Maison {advert}"), "description": text.repeat(20).trim(),
        })
    }
}
