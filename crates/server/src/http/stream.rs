//! A stream of adverts, one a line, answered by a stream of receipts.
//!
//! Lines are taken in as they come: a batch is committed when it is full or when nothing more has arrived yet, so a slow
//! sender gets its receipts at once and a fast one shares syncs to disk. Memory is bounded: one line, one batch, and the
//! receipts a client has not read yet, up to a limit at which we stop reading.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use futures_util::{FutureExt, StreamExt, stream};
use http::{HeaderValue, header};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::Shared;
use super::outer::Slot;
use crate::feed::{self, LINES_PER_BATCH, Line, LineSplitter};

/// Receipts kept for a client that sends everything before it reads anything, as simple clients do: room for some
/// 250,000. A client that sends more in one request must read while it sends.
const RECEIPT_BYTES_MAX: usize = 64 * 1024 * 1024;

/// How long a shutdown waits for a stream that pauses.
const SHUTDOWN_PATIENCE: Duration = Duration::from_secs(1);

pub fn ingest(shared: &Shared, slot: Option<Slot>, body: Body) -> Response {
    let (sender, receiver) = mpsc::unbounded_channel();
    let outbox = Outbox { sender, room: Arc::new(Semaphore::new(RECEIPT_BYTES_MAX)) };
    let task = Stream { shared: shared.clone(), outbox };
    let work = async move {
        task.run(body).await;
        drop(slot);
    };
    shared.tasks.spawn_on(work, &shared.background.handle());
    let receipts = stream::unfold(receiver, |mut receiver| async move {
        // The room a chunk took is free once the chunk is handed to the connection.
        let (bytes, _room): (Bytes, OwnedSemaphorePermit) = receiver.recv().await?;
        Some((Ok::<_, Infallible>(bytes), receiver))
    });
    let content_type = HeaderValue::from_static("application/x-ndjson");
    ([(header::CONTENT_TYPE, content_type)], Body::from_stream(receipts)).into_response()
}

struct Stream {
    shared: Shared,
    outbox: Outbox,
}

enum Next {
    Bytes(Bytes),
    End,
    /// The sender vanished or broke the framing.
    Broken,
    /// The sender paused for too long.
    Idle,
    /// We are to end, and nothing more has arrived.
    Shutdown,
}

impl Stream {
    async fn run(self, body: Body) {
        let limits = &self.shared.config.limits;
        let mut frames = body.into_data_stream();
        let mut splitter = LineSplitter::new(limits.line_bytes_max);
        let mut lines = Vec::new();
        loop {
            let ready = frames.next().now_or_never();
            if ready.is_none() && !lines.is_empty() {
                // Nothing more has arrived: answer for what has.
                if !self.take_in(std::mem::take(&mut lines)).await {
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
                        if !self.take_in(std::mem::replace(&mut lines, rest)).await {
                            return;
                        }
                    }
                    return;
                }
                Next::Idle => {
                    // Everything whole has been answered for already; what is pending is an unfinished line.
                    let seconds = limits.stream_idle_timeout.as_secs_f64();
                    let line = splitter.next_number();
                    let message = format!(
                        "The stream paused for {seconds} s; nothing from line {line} on was taken in."
                    );
                    self.last_word(408, message).await;
                    return;
                }
                Next::Shutdown => {
                    let line = splitter.next_number();
                    let message =
                        format!("The server is shutting down; nothing from line {line} on was taken in.");
                    self.last_word(503, message).await;
                    return;
                }
                Next::Broken => {
                    // Whole lines are taken in; the one that was cut short is nobody's advert.
                    self.take_in(lines).await;
                    tracing::info!("a stream of adverts broke off");
                    return;
                }
            }
            while feed::is_full(&lines, LINES_PER_BATCH) {
                let rest = lines.split_off(lines.len().min(LINES_PER_BATCH));
                if !self.take_in(std::mem::replace(&mut lines, rest)).await {
                    return;
                }
            }
        }
    }

    /// Ends when the process is to end and the sender has had a moment to send what is on its way.
    async fn shutdown(&self) {
        self.shared.stop.cancelled().await;
        let _ = tokio::time::timeout(SHUTDOWN_PATIENCE, std::future::pending::<()>()).await;
    }

    fn read(frame: Option<Result<Bytes, axum::Error>>) -> Next {
        match frame {
            Some(Ok(bytes)) => Next::Bytes(bytes),
            Some(Err(_)) => Next::Broken,
            None => Next::End,
        }
    }

    /// An error as the last line of an answer whose status was sent long ago.
    async fn last_word(&self, status: u16, message: String) {
        let mut line = serde_json::to_vec(&wire::error::error(status, message)).unwrap_or_default();
        line.push(b'\n');
        self.outbox.send(line, self.shared.config.limits.stream_idle_timeout).await;
    }

    /// The numbers of the lines and what became of them; nothing when reading them panicked.
    async fn read_and_store(
        &self,
        lines: Vec<Line>,
    ) -> Result<Option<(Vec<u64>, Vec<feed::Taken>)>, app::Error> {
        let decoder = self.shared.decoder().await?;
        let now = self.shared.app.clock().now();
        let work = move || {
            let read = |line: Line| (line.number, decoder.decode_line(&line.content, now));
            lines.into_iter().map(read).unzip::<_, _, Vec<u64>, Vec<_>>()
        };
        let Ok((numbers, decoded)) = tokio::task::spawn_blocking(work).await else { return Ok(None) };
        Ok(Some((numbers, feed::take_in(&self.shared.app.background(), decoded).await?)))
    }

    /// Takes lines in and sends their receipts; `false` when the stream has to end.
    async fn take_in(&self, lines: Vec<Line>) -> bool {
        let first = lines.first().map(|line| line.number).unwrap_or_default();
        let (numbers, taken) = match self.read_and_store(lines).await {
            Ok(Some(taken)) => taken,
            Ok(None) => return false,
            Err(error) => {
                // These lines were not taken in, and the client must know from where to send again.
                tracing::error!(
                    error = &error as &dyn std::error::Error,
                    "a stream of adverts could not be stored"
                );
                let message = format!("The store is unavailable; nothing from line {first} on was taken in.");
                self.last_word(503, message).await;
                return false;
            }
        };
        let mut text = Vec::with_capacity(taken.len() * 256);
        for (number, taken) in numbers.into_iter().zip(taken) {
            self.shared.metrics.count(std::slice::from_ref(&taken.receipt));
            let mut receipt = taken.body();
            receipt.line = Some(number);
            if serde_json::to_writer(&mut text, &receipt).is_err() {
                return false;
            }
            text.push(b'\n');
        }
        self.outbox.send(text, self.shared.config.limits.stream_idle_timeout).await
    }
}

struct Outbox {
    sender: mpsc::UnboundedSender<(Bytes, OwnedSemaphorePermit)>,
    room: Arc<Semaphore>,
}

impl Outbox {
    /// Waits for room, for as long as a stream may pause; `false` when the client does not read or is gone.
    async fn send(&self, text: Vec<u8>, patience: Duration) -> bool {
        let wanted = u32::try_from(text.len().min(RECEIPT_BYTES_MAX)).unwrap_or(u32::MAX);
        let room = tokio::time::timeout(patience, Arc::clone(&self.room).acquire_many_owned(wanted)).await;
        let Ok(Ok(room)) = room else { return false };
        self.sender.send((text.into(), room)).is_ok()
    }
}

#[cfg(test)]
mod tests;
