//! One HTTP connection to a receiver, used by one attempt at a time.
//!
//! Nothing runs in the background: a connection makes progress only while the attempt that holds it awaits
//! something. An aborted attempt therefore drops its connection. As a consequence, HTTP/2 requests do not share a
//! connection concurrently; HTTP/2 is supported for receivers that speak nothing else.

use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use domain::Fault;
use futures_util::StreamExt;
use futures_util::stream::FuturesUnordered;
use http::header::HeaderMap;
use http::{Request, Response, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body, Incoming};
use hyper::client::conn::{http1, http2};
use hyper_util::rt::TokioIo;
use tokio::time::Instant;
use tokio_rustls::client::TlsStream;

use super::error::SendError;
use super::picture::PictureError;
use super::socket::{ReadBudget, ReadMode, Socket};
use crate::message::AttemptResult;

/// Maximum size of the response head. Servers send a few hundred bytes.
const HEAD_BYTES_MAX: usize = 32 * 1_024;

/// HTTP/2 compresses headers, and the library stops decoding at this size with an error that cannot be distinguished
/// from others. So the limit is higher than ours, and the decoded size is checked afterwards.
const HEAD_BYTES_DECODED_MAX: u32 = 2 * HEAD_BYTES_MAX as u32;

/// Maximum size of the response body. Only the first bytes are kept; the rest is read so that the connection can be
/// reused.
const BODY_BYTES_MAX: usize = 64 * 1_024;

/// Maximum bytes read per response: head, body and protocol overhead.
pub(super) const RESPONSE_BYTES_MAX: usize = HEAD_BYTES_MAX + BODY_BYTES_MAX + 32 * 1_024;

/// HTTP/2 flow-control window: the smallest the protocol allows for a connection.
const WINDOW_BYTES: u32 = 65_535;

type Stream = TokioIo<TlsStream<Socket>>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct Connection {
    sender: Sender,
    driver: Driver,
    budget: Arc<ReadBudget>,
    opened_at: Instant,
}

enum Sender {
    Http1(http1::SendRequest<Full<Bytes>>),
    Http2(http2::SendRequest<Full<Bytes>>),
}

/// Performs the I/O of the connection.
enum Driver {
    Http1(Pin<Box<http1::Connection<Stream, Full<Bytes>>>>),
    Http2(Tasks),
    Ended,
}

impl Connection {
    /// Starts HTTP in the version negotiated in the handshake.
    pub async fn new(stream: TlsStream<Socket>, budget: Arc<ReadBudget>) -> Result<Self, Fault> {
        let opened_at = Instant::now();
        let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let stream = TokioIo::new(stream);
        budget.allow(RESPONSE_BYTES_MAX);
        if is_http2 {
            let inbox = Inbox::default();
            let handshake = http2::Builder::new(inbox.clone())
                .initial_stream_window_size(WINDOW_BYTES)
                .initial_connection_window_size(WINDOW_BYTES)
                .max_header_list_size(HEAD_BYTES_DECODED_MAX)
                .handshake(stream)
                .await;
            let (sender, connection) = handshake.map_err(|error| SendError::of(&error).fault())?;
            let tasks = Tasks { inbox, running: FuturesUnordered::new() };
            // The error reaches the pending request.
            tasks.running.push(Box::pin(async move { drop(connection.await) }));
            return Ok(Self {
                sender: Sender::Http2(sender),
                driver: Driver::Http2(tasks),
                budget,
                opened_at,
            });
        }
        let handshake = http1::Builder::new()
            .max_buf_size(HEAD_BYTES_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            .handshake(stream)
            .await;
        let (sender, connection) = handshake.map_err(|error| SendError::of(&error).fault())?;
        Ok(Self {
            sender: Sender::Http1(sender),
            driver: Driver::Http1(Box::pin(connection)),
            budget,
            opened_at,
        })
    }

    pub fn opened_at(&self) -> Instant {
        self.opened_at
    }

    pub fn version(&self) -> Version {
        match self.sender {
            Sender::Http1(_) => Version::HTTP_11,
            Sender::Http2(_) => Version::HTTP_2,
        }
    }

    /// Returns whether an idle connection is still usable, as far as this side can tell.
    pub async fn is_alive(&mut self) -> bool {
        self.budget.allow(RESPONSE_BYTES_MAX);
        self.budget.set_mode(ReadMode::Immediate);
        let is_ready = self.is_ready().await;
        self.budget.set_mode(ReadMode::WhenReady);
        is_ready
    }

    /// Returns whether another request can be sent at once, after all pending I/O is done.
    pub async fn is_ready(&mut self) -> bool {
        poll_fn(|cx| {
            self.driver.poll(cx);
            Poll::Ready(match &self.sender {
                Sender::Http1(sender) => sender.is_ready(),
                Sender::Http2(sender) => sender.is_ready(),
            })
        })
        .await
    }

    /// Sends a request and waits for the head of the response.
    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, SendError> {
        self.budget.allow(RESPONSE_BYTES_MAX);
        let sent = match &mut self.sender {
            Sender::Http1(sender) => self.driver.drive(sender.try_send_request(request)).await,
            Sender::Http2(sender) => self.driver.drive(sender.try_send_request(request)).await,
        };
        let response = sent.map_err(|mut error| {
            let was_returned = error.take_message().is_some();
            if self.budget.is_exhausted() {
                return SendError::Failed(Fault::TooLarge);
            }
            match SendError::of(error.error()) {
                SendError::Failed(fault) if was_returned => SendError::NotProcessed(fault),
                error => error,
            }
        })?;
        let lengths = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
        if lengths.sum::<usize>() > HEAD_BYTES_MAX {
            return Err(SendError::Failed(Fault::TooLarge));
        }
        Ok(response)
    }

    /// Reads a body to its end and keeps the first bytes. Returns whether the end was reached; otherwise the
    /// connection cannot be reused.
    pub async fn read(&mut self, mut body: Incoming, excerpt: &mut Vec<u8>) -> BodyEnd {
        let mut read = 0;
        while !body.is_end_stream() {
            match self.driver.drive(body.frame()).await {
                None => break,
                Some(Err(_)) => return BodyEnd::Incomplete,
                Some(Ok(frame)) => {
                    let Some(data) = frame.data_ref() else { continue };
                    let room = AttemptResult::EXCERPT_BYTES_MAX - excerpt.len();
                    excerpt.extend_from_slice(&data[..data.len().min(room)]);
                    read += data.len();
                }
            }
            if read > BODY_BYTES_MAX {
                return BodyEnd::Incomplete;
            }
        }
        BodyEnd::Complete
    }
}

impl Connection {
    /// Reads a whole body of at most `bytes_max`.
    pub async fn read_whole(
        &mut self,
        mut body: Incoming,
        bytes_max: usize,
    ) -> Result<Vec<u8>, PictureError> {
        // The framing of the protocol comes on top of the bytes of the body.
        self.budget.allow(bytes_max + bytes_max / 8 + RESPONSE_BYTES_MAX);
        let mut bytes = Vec::new();
        while !body.is_end_stream() {
            match self.driver.drive(body.frame()).await {
                None => break,
                Some(Err(_)) if self.budget.is_exhausted() => return Err(PictureError::TooLarge),
                Some(Err(_)) => return Err(PictureError::Incomplete),
                Some(Ok(frame)) => {
                    let Some(data) = frame.data_ref() else { continue };
                    if bytes.len() + data.len() > bytes_max {
                        return Err(PictureError::TooLarge);
                    }
                    bytes.extend_from_slice(data);
                }
            }
        }
        Ok(bytes)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyEnd {
    Complete,
    Incomplete,
}

/// Returns the idle timeout the receiver announces in `Keep-Alive`.
pub(super) fn announced_idle(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("keep-alive")?.to_str().ok()?;
    let timeout = text.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    timeout.trim().parse().ok().map(Duration::from_secs)
}

impl Driver {
    fn poll(&mut self, cx: &mut Context<'_>) {
        let polled = match self {
            // The error reaches the pending request.
            Self::Http1(connection) => connection.as_mut().poll(cx).map(drop),
            Self::Http2(tasks) => tasks.poll(cx),
            Self::Ended => Poll::Pending,
        };
        if polled.is_ready() {
            *self = Self::Ended;
        }
    }

    /// Awaits a future while driving the connection.
    async fn drive<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            self.poll(cx);
            future.as_mut().poll(cx)
        })
        .await
    }
}

/// Background tasks of the HTTP/2 library. They run only while the connection is driven, and end with it.
struct Tasks {
    inbox: Inbox,
    running: FuturesUnordered<Boxed>,
}

#[derive(Clone, Default)]
struct Inbox(Arc<Mutex<Vec<Boxed>>>);

impl Inbox {
    fn take(&self) -> Vec<Boxed> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

impl<F: Future<Output = ()> + Send + 'static> hyper::rt::Executor<F> for Inbox {
    fn execute(&self, future: F) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(Box::pin(future));
    }
}

impl Tasks {
    /// Ready once all tasks have finished.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            self.running.extend(self.inbox.take());
            let polled = self.running.poll_next_unpin(cx);
            // A task may have spawned another one that was not polled yet.
            if matches!(polled, Poll::Ready(Some(()))) || !self.inbox.is_empty() {
                continue;
            }
            return polled.map(drop);
        }
    }
}

#[cfg(test)]
mod tests;
