//! Load generators: closed loop and open loop.

use std::fmt;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::ensure;

use super::client::Client;
use super::path::path;
use crate::pace;
use crate::search::dataset::Dataset;
use crate::search::query::{self, Kind, Query};

/// Distinct queries per kind.
const QUERIES: usize = 2_000;

/// Connections of the open loop.
const STEADY_CONNECTIONS: usize = 2;

pub struct Load {
    address: SocketAddr,
    key: String,
    /// Queries of all kinds of the mix in turn.
    paths: Vec<String>,
}

/// The result of a measurement.
pub struct Times {
    /// Microseconds, ascending.
    times: Vec<f64>,
    seconds: f64,
    bytes: usize,
    documents: usize,
}

impl Load {
    pub fn new(dataset: &Dataset, address: SocketAddr, key: &str) -> Self {
        let kinds: Vec<Vec<Query>> = Kind::ALL
            .into_iter()
            .filter(|kind| kind.is_in_mix())
            .map(|kind| query::draw(dataset, kind, QUERIES))
            .collect();
        let paths = (0..QUERIES).flat_map(|number| kinds.iter().map(move |queries| path(&queries[number])));
        Self::of_paths(address, key, paths.collect())
    }

    /// Requests the paths in turn.
    pub fn of_paths(address: SocketAddr, key: &str, paths: Vec<String>) -> Self {
        Self { address, key: key.to_owned(), paths }
    }

    /// Closed loop: every connection sends its next query after the response.
    pub fn closed_loop(&self, connections: usize, seconds: Duration) -> anyhow::Result<Times> {
        self.run(connections, seconds, |_| Duration::ZERO)
    }

    /// Open loop: queries are sent at fixed times, and latency counts from the scheduled time, so it includes queueing.
    pub fn open_loop(&self, per_second: u64, seconds: Duration) -> anyhow::Result<Times> {
        let every = Duration::from_secs(1) / u32::try_from(per_second)?;
        self.run(STEADY_CONNECTIONS, seconds, |number| every * u32::try_from(number).unwrap_or(u32::MAX))
    }

    fn run(
        &self,
        connections: usize,
        seconds: Duration,
        due: impl Fn(usize) -> Duration + Sync,
    ) -> anyhow::Result<Times> {
        let next = AtomicUsize::new(0);
        let begun = Instant::now();
        let one = || -> anyhow::Result<(Vec<f64>, usize, usize)> {
            let mut client = Client::connect(self.address, &self.key)?;
            let (mut times, mut bytes, mut documents) = (Vec::new(), 0, 0);
            while begun.elapsed() < seconds {
                let number = next.fetch_add(1, Ordering::Relaxed);
                let due = due(number);
                pace::wait_for(due, begun);
                let started = if due.is_zero() { begun.elapsed() } else { due };
                let response = client.get(&self.paths[number % self.paths.len()])?;
                ensure!(response.status == 200, "{}", String::from_utf8_lossy(response.body));
                times.push((begun.elapsed() - started).as_secs_f64() * 1e6);
                bytes += response.body.len();
                if number.is_multiple_of(64) {
                    documents += documents_in(response.body);
                }
            }
            Ok((times, bytes, documents))
        };
        let mut all = Times { times: Vec::new(), seconds: 0.0, bytes: 0, documents: 0 };
        std::thread::scope(|scope| {
            let clients: Vec<_> = (0..connections).map(|_| scope.spawn(one)).collect();
            for client in clients {
                let (times, bytes, documents) =
                    client.join().unwrap_or_else(|_| anyhow::bail!("a client panicked"))?;
                all.times.extend(times);
                all.bytes += bytes;
                all.documents += documents;
            }
            anyhow::Ok(())
        })?;
        all.seconds = begun.elapsed().as_secs_f64();
        all.times.sort_by(f64::total_cmp);
        Ok(all)
    }
}

fn documents_in(body: &[u8]) -> usize {
    let mark = br#""@type":"PropertyDocument""#;
    body.windows(mark.len()).filter(|window| window == mark).count()
}

impl Times {
    pub fn per_second(&self) -> f64 {
        self.times.len() as f64 / self.seconds
    }

    pub const fn len(&self) -> usize {
        self.times.len()
    }

    pub fn percentile(&self, percent: f64) -> f64 {
        let place = (self.times.len() as f64 * percent / 100.0) as usize;
        self.times.get(place.min(self.times.len().saturating_sub(1))).copied().unwrap_or(f64::NAN)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.times.len();
        let sampled = count.div_ceil(64).max(1);
        write!(
            f,
            "{:.0} responses per second, median {:.0} µs, p99 {:.0} µs, {:.0} kB and {:.1} documents each",
            self.per_second(),
            self.percentile(50.0),
            self.percentile(99.0),
            self.bytes as f64 / count.max(1) as f64 / 1e3,
            self.documents as f64 / sampled as f64,
        )
    }
}
