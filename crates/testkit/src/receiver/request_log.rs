//! Records received requests: in memory for tests that ask, and in a file for tests that kill the process.

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

/// A request that was read completely.
#[derive(Debug, Clone)]
pub struct ReceivedRequest {
    /// Number of its connection, starting at 1.
    pub connection: u64,
    /// The receiver's address it arrived on.
    pub address: IpAddr,
    pub version: Version,
    pub method: String,
    /// Including the query.
    pub path: String,
    /// In order, with lower-case names.
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
    /// Returns the first header with this name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    pub fn webhook_id(&self) -> Option<&str> {
        self.header("webhook-id")
    }
}

/// How much of each request is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Retention {
    #[default]
    Full,
    /// Only the number of requests, for more than fit in memory.
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

    /// Records a request. It is on disk when this returns, if there is a file.
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

/// Formats `<webhook-id> <SHA-256 of the body> <behaviour>`, with `-` for a missing id.
fn line(request: &ReceivedRequest, behaviour: &Behaviour) -> String {
    let id = request.webhook_id().filter(|id| !id.contains(char::is_whitespace)).unwrap_or("-");
    let digest = Sha256::digest(&request.body);
    // By hand, for speed: the benchmark does this for every request.
    let nibbles = digest.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    let digest: String = nibbles.filter_map(|nibble| char::from_digit(u32::from(nibble), 16)).collect();
    format!("{id} {digest} {}\n", behaviour.name())
}

/// A file of lines, each synced to disk before it is confirmed. Lines that arrive during a sync are written
/// together.
pub(super) struct LogFile {
    /// `None` only while dropping.
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
            .name("request-log".to_owned())
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
            // If it panicked, the panic was printed, and nothing has been confirmed since.
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
            .expect("the request log is writable: no response may be sent without it");
        for entry in batch {
            // The sender may be gone.
            let _ = entry.done.send(());
        }
    }
}
