//! Fills a data folder with a generated market, and sends its later events.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use app::App;
use app::system::{RandomIds, SystemClock};
use domain::{AdvertDraft, Scopes};
use places::Gazetteer;
use store::SqlStore;

use super::client::Client;
use crate::pace;
use crate::search::dataset::Dataset;

/// Adverts per commit.
const PER_COMMIT: usize = 2_000;

/// Requests per second, if nothing else is asked for.
const SENDINGS_PER_SECOND: u64 = 100;

/// Fills a data folder unless it already has the market, and creates a key for it.
pub fn fill(dataset: &Dataset, folder: &Path) -> anyhow::Result<String> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let store = SqlStore::open(folder)?;
        let places = Arc::new(Gazetteer::embedded()?);
        let app = App::new(Arc::new(store), Arc::new(SystemClock), Arc::new(RandomIds), places);
        let (properties, _) = app.store().counts().await?;
        if properties < dataset.len() {
            ensure!(properties == 0, "the folder contains a different market");
            let started = Instant::now();
            let adverts = ingest_all(dataset, &app).await?;
            let rate = adverts as f64 / started.elapsed().as_secs_f64();
            println!("{} properties, {adverts} adverts, ingested at {rate:.0} per second", dataset.len());
        }
        let (_, key) = app.create_key("bench", Scopes::all()).await?;
        Ok(key.reveal())
    })
}

async fn ingest_all(dataset: &Dataset, app: &App) -> anyhow::Result<usize> {
    let mut drafts = dataset.world().drafts().peekable();
    let mut adverts = 0;
    // Two batches in flight: one is planned while the other is written.
    let mut in_flight: Option<tokio::task::JoinHandle<_>> = None;
    while drafts.peek().is_some() {
        let batch: Vec<AdvertDraft> = drafts.by_ref().take(PER_COMMIT).collect();
        adverts += batch.len();
        let app = app.clone();
        #[expect(clippy::disallowed_methods, reason = "awaited below")]
        let next = tokio::spawn(async move { app.ingest(batch).await });
        if let Some(previous) = in_flight.replace(next) {
            previous.await??;
        }
    }
    if let Some(last) = in_flight {
        last.await??;
    }
    Ok(adverts)
}

/// Adverts to send at a steady rate, serialised in advance.
pub struct Feed {
    bodies: Vec<Vec<u8>>,
    adverts: usize,
    sendings_per_second: u64,
}

impl Feed {
    /// Takes the next events of the market, for the given duration.
    pub fn new(dataset: &Dataset, per_second: u64, seconds: Duration) -> anyhow::Result<Self> {
        let each = usize::try_from(per_second / SENDINGS_PER_SECOND)?.max(1);
        Self::in_requests_of(each, SENDINGS_PER_SECOND, dataset, per_second * seconds.as_secs())
    }

    /// Takes the next events of the market, and sends `each` of them in a request.
    pub fn in_requests_of(
        each: usize,
        sendings_per_second: u64,
        dataset: &Dataset,
        adverts: u64,
    ) -> anyhow::Result<Self> {
        let adverts = usize::try_from(adverts)?;
        let events = dataset.world().timeline().take(adverts);
        let drafts: Vec<_> = events.map(|event| event.draft).collect();
        let bodies = drafts.chunks(each).map(|drafts| {
            let written: Vec<_> = drafts.iter().map(wire::advert_draft::write).collect();
            serde_json::to_vec(&written)
        });
        Ok(Self { bodies: bodies.collect::<Result<_, _>>()?, adverts, sendings_per_second })
    }

    /// Sends all adverts over one connection. Returns the rate of acknowledged adverts per second.
    pub fn send(&self, address: SocketAddr, key: &str) -> anyhow::Result<f64> {
        self.send_over(1, address, key)
    }

    /// Sends all adverts over several connections.
    pub fn send_over(&self, connections: usize, address: SocketAddr, key: &str) -> anyhow::Result<f64> {
        let next = AtomicUsize::new(0);
        let begun = Instant::now();
        let send = || {
            let mut client = Client::connect(address, key)?;
            loop {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let Some(body) = self.bodies.get(number) else { return Ok(()) };
                pace::wait_for(pace::due(number as u64, self.sendings_per_second), begun);
                let answer = client.post("/adverts", body).context("sending adverts")?;
                ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
            }
        };
        std::thread::scope(|scope| {
            let sending: Vec<_> = (0..connections).map(|_| scope.spawn(send)).collect();
            let mut ends = sending.into_iter().map(|sending| sending.join());
            ends.try_for_each(|end| end.unwrap_or_else(|_| anyhow::bail!("a sender panicked")))
        })?;
        Ok(self.adverts as f64 / begun.elapsed().as_secs_f64())
    }
}
