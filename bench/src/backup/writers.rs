//! Clients that send adverts at a steady rate and record latencies.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::net::SocketAddr;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::latencies::Latencies;
use crate::pace;
use crate::search::dataset::Dataset;
use crate::serve::client::Client;

/// What is sent.
#[derive(Debug, Clone, Copy)]
pub struct Load {
    pub adverts_per_second: u64,
    pub requests_per_second: u64,
}

/// Connections that send them.
const CONNECTIONS: usize = 8;

/// The bodies of requests, in a temporary file. Prepared in advance, to leave the processor to the server.
pub struct Requests {
    file: File,
    /// Where each one ends.
    ends: Vec<u64>,
    adverts_each: usize,
    per_second: u64,
}

impl Requests {
    /// Takes the next events of the market, for the given duration.
    pub fn prepare(dataset: &Dataset, load: Load, duration: Duration) -> anyhow::Result<Self> {
        let per_second = load.requests_per_second.max(1);
        let adverts_each = usize::try_from(load.adverts_per_second / per_second)?.max(1);
        let count = duration.as_secs() * per_second;
        let world = dataset.world();
        let mut events = world.timeline();
        let mut file = BufWriter::new(tempfile::tempfile()?);
        let (mut ends, mut end) = (Vec::new(), 0);
        for _ in 0..count {
            let drafts: Vec<_> = events.by_ref().take(adverts_each).map(|event| event.draft).collect();
            ensure!(drafts.len() == adverts_each, "the market has no more events: use more properties");
            let written: Vec<_> = drafts.iter().map(wire::advert_draft::write).collect();
            let body = serde_json::to_vec(&written)?;
            file.write_all(&body)?;
            end += body.len() as u64;
            ends.push(end);
        }
        Ok(Self { file: file.into_inner()?, ends, adverts_each, per_second })
    }

    fn read(&self, number: usize) -> anyhow::Result<Vec<u8>> {
        let end = self.ends.get(number).context("no more adverts are prepared: use --backup-seconds-max")?;
        let start = if number == 0 { 0 } else { self.ends[number - 1] };
        let mut body = vec![0; usize::try_from(end - start)?];
        self.file.read_exact_at(&mut body, start)?;
        Ok(body)
    }
}

/// Sends requests over several connections.
pub struct Writers<'a> {
    address: SocketAddr,
    key: &'a str,
    requests: Requests,
    next: AtomicUsize,
    is_over: AtomicBool,
    latencies: Mutex<Vec<Duration>>,
}

impl<'a> Writers<'a> {
    pub fn new(address: SocketAddr, key: &'a str, requests: Requests) -> Self {
        let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
        Self { address, key, requests, next, is_over, latencies: Mutex::default() }
    }

    /// Sends one request.
    pub fn send_first(&self) -> anyhow::Result<()> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        self.send_one(&mut self.connect()?, number)
    }

    /// Sends until it is stopped. Returns how many adverts were acknowledged.
    pub fn send(&self) -> anyhow::Result<usize> {
        let (begun, first) = (Instant::now(), self.next.load(Ordering::Relaxed));
        std::thread::scope(|scope| {
            let senders: Vec<_> =
                (0..CONNECTIONS).map(|_| scope.spawn(|| self.send_from(first, begun))).collect();
            senders
                .into_iter()
                .map(|sender| sender.join().unwrap_or_else(|_| anyhow::bail!("a sender panicked")))
                .sum()
        })
    }

    /// Sends over one connection. The request with the number `first` is due at `begun`.
    fn send_from(&self, first: usize, begun: Instant) -> anyhow::Result<usize> {
        let mut client = self.connect()?;
        let mut sent = 0;
        loop {
            let number = self.next.fetch_add(1, Ordering::Relaxed);
            let due = pace::due((number - first) as u64, self.requests.per_second);
            pace::wait_for(due, begun);
            if self.is_over.load(Ordering::Relaxed) {
                return Ok(sent);
            }
            self.send_one(&mut client, number)?;
            self.latencies().push(begun.elapsed().saturating_sub(due));
            sent += self.requests.adverts_each;
        }
    }

    fn send_one(&self, client: &mut Client, number: usize) -> anyhow::Result<()> {
        let body = self.requests.read(number)?;
        let answer = client.post("/adverts", &body).context("sending adverts")?;
        ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
        Ok(())
    }

    pub fn stop(&self) {
        self.is_over.store(true, Ordering::Relaxed);
    }

    /// Takes the latencies since the last call.
    pub fn take(&self) -> Latencies {
        Latencies::of(std::mem::take(&mut *self.latencies()))
    }

    fn connect(&self) -> anyhow::Result<Client> {
        Client::connect(self.address, self.key)
    }

    fn latencies(&self) -> std::sync::MutexGuard<'_, Vec<Duration>> {
        self.latencies.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
