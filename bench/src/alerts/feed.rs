//! Sends adverts at a steady rate and records when each was acknowledged.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use app::system::SystemClock;
use domain::{AdvertId, Clock, Timestamp};
use serde_json::Value;
use world::{MarketEvent, MarketEventKind};

use crate::pace;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;

/// Requests per second, like a crawler that reports its results every few milliseconds.
const SENDINGS_PER_SECOND: u64 = 100;

/// Connections that send in turn. A single one would still wait for its receipt when the next request is due.
const CONNECTIONS: usize = 4;

/// The next events of the market, serialised in advance.
pub struct Feed {
    bodies: Vec<Vec<u8>>,
    kinds: Vec<MarketEventKind>,
}

/// Adverts sent in one request.
pub struct Sending {
    /// Time since the first request.
    pub due: Duration,
    pub sent_at: Instant,
    pub acknowledged_at: Instant,
    /// The same by the wall clock, which the server uses.
    pub acknowledged_by_clock: Timestamp,
    /// In the order they were sent.
    pub receipts: Vec<Receipt>,
}

/// One moment by the monotonic and by the wall clock.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    clock: Timestamp,
}

/// The receipt of one advert.
pub struct Receipt {
    /// `None` if the advert was refused.
    pub advert: Option<AdvertId>,
    pub outcome: String,
}

impl Feed {
    pub fn new(dataset: &Dataset, per_second: u64, long: Duration) -> anyhow::Result<Self> {
        let adverts = usize::try_from(per_second * long.as_secs())?;
        let each = usize::try_from(per_second / SENDINGS_PER_SECOND)?.max(1);
        let events: Vec<MarketEvent> = dataset.world().timeline().take(adverts).collect();
        let kinds = events.iter().map(|event| event.kind).collect();
        let bodies = events.chunks(each).map(|events| {
            let drafts = events.iter().map(|event| wire::advert_draft::write(&event.draft));
            serde_json::to_vec(&drafts.collect::<Vec<_>>())
        });
        Ok(Self { bodies: bodies.collect::<Result<_, _>>()?, kinds })
    }

    /// Describes the mix of events, in per cent.
    pub fn describe(&self) -> String {
        let share = |wanted: &[MarketEventKind]| {
            let among = self.kinds.iter().filter(|kind| wanted.contains(kind)).count();
            100.0 * among as f64 / self.kinds.len().max(1) as f64
        };
        format!(
            "adverts to send: {}, of them {:.0} % new, {:.0} % with a new price, {:.0} % with new pictures, text or surface, \
             {:.0} % expired or republished, {:.0} % unchanged",
            self.kinds.len(),
            share(&[MarketEventKind::Published]),
            share(&[MarketEventKind::PriceDropped, MarketEventKind::PriceRose]),
            share(&[
                MarketEventKind::PicturesChanged,
                MarketEventKind::DescriptionEdited,
                MarketEventKind::SurfaceCorrected
            ]),
            share(&[MarketEventKind::Expired, MarketEventKind::Republished]),
            share(&[MarketEventKind::Crawled]),
        )
    }

    /// Sends everything. A connection that is behind schedule sends its next requests immediately until it has caught up.
    pub fn send(&self, address: SocketAddr, key: &str) -> anyhow::Result<Vec<Sending>> {
        let begun = Begun { at: Instant::now(), clock: SystemClock.now() };
        let mut sent = std::thread::scope(|scope| {
            let senders: Vec<_> = (0..CONNECTIONS)
                .map(|sender| scope.spawn(move || self.send_every(begun, sender, address, key)))
                .collect();
            let mut sent = Vec::with_capacity(self.bodies.len());
            for sender in senders {
                sent.extend(sender.join().unwrap_or_else(|_| anyhow::bail!("a sender panicked"))?);
            }
            anyhow::Ok(sent)
        })?;
        sent.sort_by_key(|sending| sending.due);
        Ok(sent)
    }

    /// Sends the requests of one connection.
    fn send_every(
        &self,
        begun: Begun,
        sender: usize,
        address: SocketAddr,
        key: &str,
    ) -> anyhow::Result<Vec<Sending>> {
        let mut client = Client::connect(address, key)?;
        let mut answers = Vec::with_capacity(self.bodies.len() / CONNECTIONS + 1);
        for (number, body) in self.bodies.iter().enumerate().skip(sender).step_by(CONNECTIONS) {
            let due = pace::due(number as u64, SENDINGS_PER_SECOND);
            pace::wait_for(due, begun.at);
            let sent_at = Instant::now();
            let answer = client.post("/adverts", body).context("sending adverts")?;
            let acknowledged_at = Instant::now();
            ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
            answers.push((due, sent_at, acknowledged_at, answer.body.to_vec()));
        }
        // Parse the receipts after the measurement.
        let sendings = answers.into_iter().map(|(due, sent_at, acknowledged_at, body)| {
            let acknowledged_by_clock = begun.clock.checked_add(acknowledged_at - begun.at)?;
            let receipts = receipts(&body)?;
            anyhow::Ok(Sending { due, sent_at, acknowledged_at, acknowledged_by_clock, receipts })
        });
        sendings.collect()
    }
}

fn receipts(body: &[u8]) -> anyhow::Result<Vec<Receipt>> {
    let page: Value = serde_json::from_slice(body)?;
    let receipts = page["hydra:member"].as_array().context("no receipts")?.iter().map(|receipt| {
        let outcome = receipt["outcome"].as_str().context("no outcome")?.to_owned();
        let advert = receipt["uuid"].as_str().and_then(|uuid| uuid.parse::<AdvertId>().ok());
        Ok(Receipt { advert, outcome })
    });
    receipts.collect()
}
