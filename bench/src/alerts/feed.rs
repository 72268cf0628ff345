//! Adverts that come in at a steady pace, and when each of them was acknowledged.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use app::system::SystemClock;
use domain::{AdvertId, Clock, Timestamp};
use serde_json::Value;
use world::{Happening, HappeningKind};

use crate::pace;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;

/// How often adverts are sent: a crawler passes on what it has found every few milliseconds.
const SENDINGS_PER_SECOND: u64 = 100;

/// How many send in turn: one alone would wait for its receipt when the next adverts are due.
const CONNECTIONS: usize = 4;

/// What happens next in the market, written beforehand.
pub struct Feed {
    bodies: Vec<Vec<u8>>,
    kinds: Vec<HappeningKind>,
}

/// Some adverts, sent together.
pub struct Sending {
    /// Since the first was sent.
    pub due: Duration,
    pub sent_at: Instant,
    pub acknowledged_at: Instant,
    /// The same by the clock that the server goes by.
    pub acknowledged_by_clock: Timestamp,
    /// In the order they were sent.
    pub receipts: Vec<Receipt>,
}

/// One moment, by both clocks.
#[derive(Clone, Copy)]
struct Begun {
    at: Instant,
    clock: Timestamp,
}

/// What the sender of an advert is told.
pub struct Receipt {
    /// Nothing when it was refused.
    pub advert: Option<AdvertId>,
    pub outcome: String,
}

impl Feed {
    pub fn new(dataset: &Dataset, per_second: u64, long: Duration) -> anyhow::Result<Self> {
        let adverts = usize::try_from(per_second * long.as_secs())?;
        let each = usize::try_from(per_second / SENDINGS_PER_SECOND)?.max(1);
        let happenings: Vec<Happening> = dataset.world().timeline().take(adverts).collect();
        let kinds = happenings.iter().map(|happening| happening.kind).collect();
        let bodies = happenings.chunks(each).map(|happenings| {
            let drafts = happenings.iter().map(|happening| wire::advert_draft::write(&happening.draft));
            serde_json::to_vec(&drafts.collect::<Vec<_>>())
        });
        Ok(Self { bodies: bodies.collect::<Result<_, _>>()?, kinds })
    }

    /// What comes in, in per cent.
    pub fn describe(&self) -> String {
        let share = |wanted: &[HappeningKind]| {
            let among = self.kinds.iter().filter(|kind| wanted.contains(kind)).count();
            100.0 * among as f64 / self.kinds.len().max(1) as f64
        };
        format!(
            "adverts to send: {}, of them {:.0} % new, {:.0} % with another price, {:.0} % with other pictures, text or surface, \
             {:.0} % expired or back, {:.0} % seen again without a change",
            self.kinds.len(),
            share(&[HappeningKind::Published]),
            share(&[HappeningKind::PriceDropped, HappeningKind::PriceRose]),
            share(&[
                HappeningKind::PicturesChanged,
                HappeningKind::DescriptionEdited,
                HappeningKind::SurfaceCorrected
            ]),
            share(&[HappeningKind::Expired, HappeningKind::Republished]),
            share(&[HappeningKind::Crawled]),
        )
    }

    /// Sends them all. Whoever is acknowledged late sends the next ones at once, until the pace is caught up with.
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

    /// One of them, which has every so many-th turn.
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
        // Receipts are read when nobody waits for it any more.
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
