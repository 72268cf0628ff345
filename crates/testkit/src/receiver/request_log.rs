//! What a receiver has received: in memory for the test that asks, and in a file for the test that kills.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::Path;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use bytes::Bytes;
use sha2::{Digest, Sha256};
use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::script::Behaviour;

/// A request that was read to its end.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Which connection it came on, from one.
    pub connection: u64,
    /// Which of the receiver's addresses it came to.
    pub address: IpAddr,
    pub version: Version,
    pub method: String,
    /// With the query.
    pub path: String,
    /// In the order they came, with names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Bytes,
    pub at: Instant,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    Http1,
    Http2,
}

impl ReceivedRequest {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn webhook_id(&self) -> Option<&str> {
        self.header("webhook-id")
    }
}

/// How much a receiver remembers of each request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retention {
    #[default]
    Full,
    /// That there was one. For more requests than fit into memory.
    CountOnly,
}

pub(super) struct RequestLog {
    retention: Retention,
    received: Mutex<Vec<ReceivedRequest>>,
    count: watch::Sender<u64>,
    file: Option<LogFile>,
}

impl RequestLog {
    pub fn new(retention: Retention, file: Option<LogFile>) -> Self {
        Self { retention, received: Mutex::default(), count: watch::Sender::new(0), file }
    }

    /// Enters a request. When this returns, it is on disk, if there is a file.
    pub async fn record(&self, request: ReceivedRequest, behaviour: &Behaviour) -> io::Result<()> {
        if let Some(file) = &self.file {
            file.append(line(&request, behaviour)).await?;
        }
        if self.retention == Retention::Full {
            self.received.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        }
        self.count.send_modify(|count| *count += 1);
        Ok(())
    }

    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.received.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn count(&self) -> watch::Receiver<u64> {
        self.count.subscribe()
    }
}

/// `<webhook-id> <SHA-256 of the body> <behaviour>`, or `-` for a missing id.
fn line(request: &ReceivedRequest, behaviour: &Behaviour) -> String {
    let id = request.webhook_id().filter(|id| !id.contains(char::is_whitespace)).unwrap_or("-");
    let digest = Sha256::digest(&request.body);
    // By hand: this is done for every request of the benchmark.
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digest: String = nibbles.filter_map(|nibble| char::from_digit(u32::from(nibble), 16)).collect();
    format!("{id} {digest} {}\n", behaviour.name())
}

/// A file that lines are appended to, each of them on disk before it is confirmed. Lines that come while the disk is busy go
/// there together.
pub(super) struct LogFile {
    /// There until it is dropped.
    lines: Option<mpsc::Sender<Entry>>,
    writer: Option<JoinHandle<()>>,
}

struct Entry {
    line: String,
    done: oneshot::Sender<()>,
}

impl LogFile {
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        let (lines, entries) = mpsc::channel();
        let writer = std::thread::Builder::new()
            .name("ledger".to_owned())
            .spawn(move || write_entries(file, &entries))?;
        Ok(Self { lines: Some(lines), writer: Some(writer) })
    }

    async fn append(&self, line: String) -> io::Result<()> {
        let (done, confirmed) = oneshot::channel();
        let lines = self.lines.as_ref().ok_or(io::ErrorKind::BrokenPipe)?;
        lines.send(Entry { line, done }).map_err(|_| io::ErrorKind::BrokenPipe)?;
        confirmed.await.map_err(|_| io::ErrorKind::BrokenPipe.into())
    }
}

impl Drop for LogFile {
    fn drop(&mut self) {
        self.lines = None;
        if let Some(writer) = self.writer.take() {
            // If it panicked, it has said so already, and nobody was confirmed anything since.
            let _ = writer.join();
        }
    }
}

fn write_entries(mut file: File, entries: &mpsc::Receiver<Entry>) {
    while let Ok(first) = entries.recv() {
        let batch: Vec<Entry> = std::iter::once(first).chain(entries.try_iter()).collect();
        let text: String = batch.iter().map(|entry| entry.line.as_str()).collect();
        file.write_all(text.as_bytes())
            .and_then(|()| file.sync_data())
            .expect("the ledger can be written to: without it nothing may be answered");
        for entry in batch {
            // Whoever sent it may have gone meanwhile.
            let _ = entry.done.send(());
        }
    }
}
