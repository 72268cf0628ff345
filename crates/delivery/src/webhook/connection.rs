//! One connection to a receiver, used by one attempt at a time.
//!
//! Nothing runs in the background: a connection moves only while somebody waits for something on it, within the attempt that has it.
//! So an attempt that is given up takes its connection with it, and no receiver has more of us than that attempt. For HTTP/2 this
//! means that requests do not share a connection at the same moment; what it is spoken for are receivers that speak nothing else.

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

use super::fault::NoAnswer;
use super::socket::{Gauge, Looks, Socket};
use crate::message::Exchange;

/// The header section of an answer. Servers send a few hundred bytes.
const HEAD_BYTES_MAX: usize = 32 * 1_024;

/// Headers are packed in HTTP/2, and the library stops unpacking here. It does not say so in a way that could be told from other
/// nonsense, so it is let go further than we want it to; what came out is measured.
const HEAD_BYTES_UNPACKED_MAX: u32 = 2 * HEAD_BYTES_MAX as u32;

/// The body of an answer. Nobody reads it but for its first bytes; it is read on so that the connection can be used again.
const BODY_BYTES_MAX: usize = 64 * 1_024;

/// All that arrives during one exchange: head, body, and what protocols put around them.
pub(super) const EXCHANGE_BYTES_MAX: usize = HEAD_BYTES_MAX + BODY_BYTES_MAX + 32 * 1_024;

/// How far a receiver may send ahead over HTTP/2: the smallest the protocol allows for a whole connection.
const WINDOW_BYTES: u32 = 65_535;

type Stream = TokioIo<TlsStream<Socket>>;
type Boxed = Pin<Box<dyn Future<Output = ()> + Send>>;

pub(super) struct Connection {
    sender: Sender,
    driver: Driver,
    gauge: Arc<Gauge>,
    made_at: Instant,
}

enum Sender {
    One(http1::SendRequest<Full<Bytes>>),
    Two(http2::SendRequest<Full<Bytes>>),
}

/// What moves the bytes.
enum Driver {
    One(Pin<Box<http1::Connection<Stream, Full<Bytes>>>>),
    Two(Tasks),
    Ended,
}

impl Connection {
    /// Speaks what was agreed on in the handshake.
    pub async fn new(stream: TlsStream<Socket>, gauge: Arc<Gauge>) -> Result<Self, Fault> {
        let made_at = Instant::now();
        let is_two = stream.get_ref().1.alpn_protocol() == Some(b"h2");
        let stream = TokioIo::new(stream);
        gauge.allow(EXCHANGE_BYTES_MAX);
        if is_two {
            let inbox = Inbox::default();
            let handshake = http2::Builder::new(inbox.clone())
                .initial_stream_window_size(WINDOW_BYTES)
                .initial_connection_window_size(WINDOW_BYTES)
                .max_header_list_size(HEAD_BYTES_UNPACKED_MAX)
                .handshake(stream)
                .await;
            let (sender, connection) = handshake.map_err(|error| NoAnswer::of(&error).fault())?;
            let tasks = Tasks { inbox, running: FuturesUnordered::new() };
            // How it ended is told to whoever waits for an answer.
            tasks.running.push(Box::pin(async move { drop(connection.await) }));
            return Ok(Self { sender: Sender::Two(sender), driver: Driver::Two(tasks), gauge, made_at });
        }
        let handshake = http1::Builder::new()
            .max_buf_size(HEAD_BYTES_MAX)
            .max_header_size(HEAD_BYTES_MAX)
            .handshake(stream)
            .await;
        let (sender, connection) = handshake.map_err(|error| NoAnswer::of(&error).fault())?;
        Ok(Self { sender: Sender::One(sender), driver: Driver::One(Box::pin(connection)), gauge, made_at })
    }

    pub fn made_at(&self) -> Instant {
        self.made_at
    }

    pub fn version(&self) -> Version {
        match self.sender {
            Sender::One(_) => Version::HTTP_11,
            Sender::Two(_) => Version::HTTP_2,
        }
    }

    /// Whether a connection that lay idle can still be used, as far as anybody can know on this side.
    pub async fn is_alive(&mut self) -> bool {
        self.gauge.allow(EXCHANGE_BYTES_MAX);
        self.gauge.look(Looks::Itself);
        let is_ready = self.is_ready().await;
        self.gauge.look(Looks::WhenTold);
        is_ready
    }

    /// Whether another request can be sent at once. What can be done for it at this moment is done.
    pub async fn is_ready(&mut self) -> bool {
        poll_fn(|cx| {
            self.driver.poll(cx);
            Poll::Ready(match &self.sender {
                Sender::One(sender) => sender.is_ready(),
                Sender::Two(sender) => sender.is_ready(),
            })
        })
        .await
    }

    /// Sends a request and waits for the head of its answer.
    pub async fn send(&mut self, request: Request<Full<Bytes>>) -> Result<Response<Incoming>, NoAnswer> {
        self.gauge.allow(EXCHANGE_BYTES_MAX);
        let sent = match &mut self.sender {
            Sender::One(sender) => self.driver.during(sender.try_send_request(request)).await,
            Sender::Two(sender) => self.driver.during(sender.try_send_request(request)).await,
        };
        let response = sent.map_err(|mut error| {
            let came_back = error.take_message().is_some();
            if self.gauge.is_spent() {
                return NoAnswer::Failed(Fault::TooLarge);
            }
            match NoAnswer::of(error.error()) {
                NoAnswer::Failed(fault) if came_back => NoAnswer::NotSent(fault),
                why => why,
            }
        })?;
        let lengths = response.headers().iter().map(|(name, value)| name.as_str().len() + value.len());
        if lengths.sum::<usize>() > HEAD_BYTES_MAX {
            return Err(NoAnswer::Failed(Fault::TooLarge));
        }
        Ok(response)
    }

    /// Reads a body to its end, and keeps the beginning. Says whether the end was reached: a body that breaks off or is too large
    /// leaves a connection that is of no further use.
    pub async fn read(&mut self, mut body: Incoming, excerpt: &mut Vec<u8>) -> BodyEnd {
        let mut read = 0;
        while !body.is_end_stream() {
            match self.driver.during(body.frame()).await {
                None => break,
                Some(Err(_)) => return BodyEnd::BrokenOff,
                Some(Ok(frame)) => {
                    let Some(data) = frame.data_ref() else { continue };
                    let room = Exchange::EXCERPT_BYTES_MAX - excerpt.len();
                    excerpt.extend_from_slice(&data[..data.len().min(room)]);
                    read += data.len();
                }
            }
            if read > BODY_BYTES_MAX {
                return BodyEnd::BrokenOff;
            }
        }
        BodyEnd::Reached
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BodyEnd {
    Reached,
    BrokenOff,
}

/// How long a receiver says that it keeps an idle connection, if it says so.
pub(super) fn kept_for(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("keep-alive")?.to_str().ok()?;
    let timeout = text.split(',').find_map(|part| part.trim().strip_prefix("timeout="))?;
    timeout.trim().parse().ok().map(Duration::from_secs)
}

impl Driver {
    fn poll(&mut self, cx: &mut Context<'_>) {
        let polled = match self {
            // How it ended is told to whoever waits for an answer.
            Self::One(connection) => connection.as_mut().poll(cx).map(drop),
            Self::Two(tasks) => tasks.poll(cx),
            Self::Ended => Poll::Pending,
        };
        if polled.is_ready() {
            *self = Self::Ended;
        }
    }

    /// Waits for something that happens on the connection.
    async fn during<F: Future>(&mut self, future: F) -> F::Output {
        let mut future = pin!(future);
        poll_fn(|cx| {
            self.poll(cx);
            future.as_mut().poll(cx)
        })
        .await
    }
}

/// What the library wants to have run beside a connection. It is run with the connection, and ends with it.
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
    /// Ready when there is nothing left to run.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            self.running.extend(self.inbox.take());
            let polled = self.running.poll_next_unpin(cx);
            // One of them may have brought another, which nobody has looked at yet.
            if matches!(polled, Poll::Ready(Some(()))) || !self.inbox.is_empty() {
                continue;
            }
            return polled.map(drop);
        }
    }
}

#[cfg(test)]
mod tests;
