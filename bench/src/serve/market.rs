//! Fills a data folder with a generated market, and sends its later events.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
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

/// Requests per second.
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
}

impl Feed {
    /// Takes the next events of the market, for the given duration.
    pub fn new(dataset: &Dataset, per_second: u64, seconds: Duration) -> anyhow::Result<Self> {
        let adverts = usize::try_from(per_second * seconds.as_secs())?;
        let each = usize::try_from(per_second / SENDINGS_PER_SECOND)?.max(1);
        let events = dataset.world().timeline().take(adverts);
        let drafts: Vec<_> = events.map(|event| event.draft).collect();
        let bodies = drafts.chunks(each).map(|drafts| {
            let written: Vec<_> = drafts.iter().map(wire::advert_draft::write).collect();
            serde_json::to_vec(&written)
        });
        Ok(Self { bodies: bodies.collect::<Result<_, _>>()?, adverts })
    }

    /// Sends all adverts. Returns the rate of acknowledged adverts per second.
    pub fn send(&self, address: SocketAddr, key: &str) -> anyhow::Result<f64> {
        let mut client = Client::connect(address, key)?;
        let begun = Instant::now();
        for (number, body) in self.bodies.iter().enumerate() {
            let due = pace::due(number as u64, SENDINGS_PER_SECOND);
            pace::wait_for(due, begun);
            let answer = client.post("/adverts", body).context("sending adverts")?;
            ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
        }
        Ok(self.adverts as f64 / begun.elapsed().as_secs_f64())
    }
}
