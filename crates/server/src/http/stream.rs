//! Ingest of an NDJSON stream of adverts, answered with an NDJSON stream of receipts.
//!
//! A batch is committed when it is full or when no more data is available yet: a slow client gets its receipts at once, and a fast
//! one shares syncs to disk. Memory is bounded: one line, one batch, and the receipts the client has not read yet, up to a limit at
//! which the server stops reading.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::{FutureExt, StreamExt, stream};
use http::{HeaderValue, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};
use wire::advert_draft::ParseMode;

use super::budget::{BodyBudget, Owner, Reservation};
use super::metering::Meter;
use super::middleware::RequestPermit;
use super::shares::Slot;
use super::{Shared, status};
use crate::ndjson::{self, LINES_PER_BATCH, Line, LineContent, LineSplitter};

/// Buffer for receipts of clients that send everything before they read, as simple clients do: room for about 250,000. A client
/// that sends more in one request must read while it sends.
const RECEIPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long a shutdown waits for more data of a stream.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// Who sends a stream.
pub struct Sender {
    /// What the stream counts as, until it ends.
    pub held: (Slot, Option<RequestPermit>),
    pub meter: Option<Meter>,
    pub owner: Owner,
}

pub fn ingest(shared: &Shared, sender: Sender, body: Body, mode: ParseMode) -> Response {
    let Sender { held, meter, owner } = sender;
    let (sender, receiver) = mpsc::unbounded_channel();
    let free_bytes = Arc::new(Semaphore::new(RECEIPT_BYTES_MAX));
    let receipts = ReceiptSender { sender, free_bytes, budget: shared.body_budget.clone(), owner };
    let task = AdvertStream { shared: shared.clone(), receipts, mode, meter };
    let work = async move {
        task.run(body).await;
        drop(held);
    };
    shared.tasks.spawn_on(work, &shared.background.handle());
    let receipts = stream::unfold(receiver, |mut receiver| async move {
        // The permit is released when the chunk is handed to the connection.
        let UnreadReceipts { bytes, .. } = receiver.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receiver))
    });
    let content_type = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, content_type)], Body::from_stream(receipts)).into_response()
}

struct AdvertStream {
    shared: Shared,
    receipts: ReceiptSender,
    mode: ParseMode,
    meter: Option<Meter>,
}

enum Next {
    Bytes(Bytes),
    End,
    /// The client disconnected or broke the framing.
    Broken,
    /// The client paused for too long.
    Idle,
    /// The server is shutting down and no more data is available.
    Shutdown,
}

impl AdvertStream {
    async fn run(self, body: Body) {
        let limits = &self.shared.config.limits;
        let mut frames = body.into_data_stream();
        let mut splitter = LineSplitter::new(limits.line_bytes_max);
        let mut lines = Vec::new();
        loop {
            let ready = frames.next().now_or_never();
            if ready.is_none() && !lines.is_empty() {
                // No more data yet: answer the lines received so far.
                if !self.ingest_lines(std::mem::take(&mut lines)).await {
                    return;
                }
            }
            let next = match ready {
                Some(frame) => Self::read(frame),
                None => tokio::select! {
                    biased;
                    frame = tokio::time::timeout(limits.stream_idle_timeout, frames.next()) => match frame {
                        Ok(frame) => Self::read(frame),
                        Err(_elapsed) => Next::Idle,
                    },
                    () = self.shutdown() => Next::Shutdown,
                },
            };
            match next {
                Next::Bytes(bytes) => splitter.push(&bytes, &mut lines),
                Next::End => {
                    splitter.finish(&mut lines);
                    while !lines.is_empty() {
                        let rest = lines.split_off(lines.len().min(LINES_PER_BATCH));
                        if !self.ingest_lines(std::mem::replace(&mut lines, rest)).await {
                            return;
                        }
                    }
                    return;
                }
                Next::Idle => {
                    // Complete lines were answered already; only an unfinished line is pending.
                    let seconds = limits.stream_idle_timeout.as_secs_f64();
                    let line = splitter.next_number();
                    let message = format!(
                        "No data received for {seconds} s. Line {line} and all following lines were not ingested."
                    );
                    self.send_error(408, message).await;
                    return;
                }
                Next::Shutdown => {
                    let line = splitter.next_number();
                    let message = format!(
                        "The server is shutting down. Line {line} and all following lines were not ingested."
                    );
                    self.send_error(503, message).await;
                    return;
                }
                Next::Broken => {
                    // Ingest complete lines and drop the truncated one.
                    self.ingest_lines(lines).await;
                    tracing::info!("advert stream aborted by the client; complete lines were ingested");
                    return;
                }
            }
            while ndjson::is_full(&lines, LINES_PER_BATCH) {
                let rest = lines.split_off(lines.len().min(LINES_PER_BATCH));
                if !self.ingest_lines(std::mem::replace(&mut lines, rest)).await {
                    return;
                }
            }
        }
    }

    /// Completes [`SHUTDOWN_GRACE`] after the shutdown began, so that data in transit can still arrive.
    async fn shutdown(&self) {
        self.shared.stop.cancelled().await;
        let _ = tokio::time::timeout(SHUTDOWN_GRACE, std::future::pending::<()>()).await;
    }

    fn read(frame: Option<Result<Bytes, axum::Error>>) -> Next {
        match frame {
            Some(Ok(bytes)) => Next::Bytes(bytes),
            Some(Err(_)) => Next::Broken,
            None => Next::End,
        }
    }

    /// Sends an error as the last line of the response, whose status was sent long before.
    async fn send_error(&self, status: u16, message: String) {
        let mut line = serde_json::to_vec(&wire::error::error(status, message)).unwrap_or_default();
        line.push(b'\n');
        self.receipts.send(line, self.shared.config.limits.stream_idle_timeout).await;
    }

    /// Decodes and ingests lines. Returns their numbers and receipts; `None` if decoding panicked.
    async fn decode_and_ingest(
        &self,
        lines: Vec<Line>,
    ) -> Result<Option<(Vec<u64>, Vec<ndjson::Ingested>)>, app::Error> {
        let decoder = self.shared.decoder(self.mode).await?;
        let now = self.shared.app.clock().now();
        let work = move || {
            let read = |line: Line| (line.number, decoder.decode_line(&line.content, now));
            lines.into_iter().map(read).unzip::<_, _, Vec<u64>, Vec<_>>()
        };
        let Ok((numbers, decoded)) = tokio::task::spawn_blocking(work).await else { return Ok(None) };
        Ok(Some((numbers, ndjson::ingest(&self.shared.app.background(), decoded).await?)))
    }

    /// Reserves the memory that it takes to decode lines. Waits for it: the client need not send them again. `None` if none becomes
    /// free.
    async fn reserve(&self, lines: &[Line]) -> Option<Reservation> {
        let texts = lines.iter().filter_map(|line| match &line.content {
            LineContent::Text(text) => Some(text.as_slice()),
            LineContent::TooLong => None,
        });
        let text_bytes: usize = texts.clone().map(<[u8]>::len).sum();
        let bytes = text_bytes + ndjson::decoding_bytes(texts);
        let mut reservation = self.receipts.budget.reservation(self.receipts.owner);
        let timeout = self.shared.config.limits.stream_idle_timeout;
        reservation.grow_when_free(bytes, timeout).await.ok().map(|()| reservation)
    }

    /// Ingests lines and sends their receipts. Returns `false` if the stream must end.
    async fn ingest_lines(&self, lines: Vec<Line>) -> bool {
        let first = lines.first().map(|line| line.number).unwrap_or_default();
        let Some(_reservation) = self.reserve(&lines).await else {
            let message = format!(
                "The requests in progress take all memory for bodies. Line {first} and all following lines were not ingested."
            );
            self.send_error(503, message).await;
            return false;
        };
        let (numbers, ingested) = match self.decode_and_ingest(lines).await {
            Ok(Some(ingested)) => ingested,
            Ok(None) => return false,
            Err(error) => {
                // Tell the client where to resume. If the connection to the database was lost, it may have committed them all the same.
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "advert stream aborted: the database cannot be written"
                );
                let message =
                    format!("The database is unavailable. Send line {first} and all following lines again.");
                self.send_error(503, message).await;
                return false;
            }
        };
        if let Some(meter) = &self.meter {
            meter.count_items(ingested.len());
        }
        let mut text = Vec::with_capacity(ingested.len() * 256);
        for (number, ingested) in numbers.into_iter().zip(ingested) {
            status::count_advert(&self.shared, &ingested);
            let mut receipt = ingested.body();
            receipt.line = Some(number);
            if serde_json::to_writer(&mut text, &receipt).is_err() {
                return false;
            }
            text.push(b'\n');
        }
        self.receipts.send(text, self.shared.config.limits.stream_idle_timeout).await
    }
}

/// Sends receipts, with a limit on the bytes the client has not read yet.
struct ReceiptSender {
    sender: mpsc::UnboundedSender<UnreadReceipts>,
    free_bytes: Arc<Semaphore>,
    budget: BodyBudget,
    owner: Owner,
}

/// Receipts that wait for the client, and what they take of the limits.
struct UnreadReceipts {
    bytes: Bytes,
    _permit: OwnedSemaphorePermit,
    _reservation: Reservation,
}

impl ReceiptSender {
    /// Waits for free space, at most `timeout`. Returns `false` if the client does not read or is gone.
    async fn send(&self, text: Vec<u8>, timeout: Duration) -> bool {
        let bytes = u32::try_from(text.len().min(RECEIPT_BYTES_MAX)).unwrap_or(u32::MAX);
        let permit =
            tokio::time::timeout(timeout, Arc::clone(&self.free_bytes).acquire_many_owned(bytes)).await;
        let Ok(Ok(permit)) = permit else { return false };
        let mut reservation = self.budget.reservation(self.owner);
        if reservation.grow_when_free(text.len(), timeout).await.is_err() {
            return false;
        }
        let unread = UnreadReceipts { bytes: text.into(), _permit: permit, _reservation: reservation };
        self.sender.send(unread).is_ok()
    }
}

#[cfg(test)]
mod tests;
