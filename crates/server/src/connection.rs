//! One HTTP connection: its socket, its deadlines, and why it was closed.
//!
//! hyper parses and writes HTTP. Around it are a [socket] that closes clients that do not read, replaces the
//! [answers](answer) that hyper makes by itself, and takes [long queries](long_query) out of the request line; and a service that
//! notes which requests are in progress, so that a shutdown need not wait for connections without one.

mod addresses;
mod answer;
mod handler;
mod long_query;
mod socket;

use std::net::IpAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::EncodeLabelValue;
use tokio::net::TcpStream;

pub use addresses::{Addresses, counted_as};
use answer::AnswerTemplate;
use handler::Handler;
use socket::Socket;

use crate::config::Limits;
use crate::http::Shared;

/// The address of the client, as an extension of its requests. Behind a proxy it is that of the proxy.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub IpAddr);

/// A query that is too long for the URI of a request, as an extension of the request.
#[derive(Debug, Clone)]
pub struct LongQuery(pub String);

/// How long a shutdown waits for a client that has sent a part of a request, or does not read its response.
pub const SHUTDOWN_GRACE: Duration = Duration::from_secs(2);

/// Bytes that the kernel holds for a connection beyond those in flight. Its default of some megabytes would hide for minutes that a
/// client reads slowly, and hold that memory for each one that does not read at all.
const UNSENT_BYTES_MAX: u32 = 64 * 1024;

/// The minimum hyper accepts.
const MAX_BUF_SIZE_MIN: usize = 8192;

/// Why a connection was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EncodeLabelValue)]
pub enum CloseReason {
    /// By the client, or by the server after a response that announced it.
    Finished,
    /// No request within `limits.header_timeout`.
    Idle,
    /// A request head that was not complete within `limits.header_timeout`.
    SlowHead,
    /// The client did not read, or slower than `limits.transfer_bytes_per_second_min`.
    Unread,
    /// The client sent something that is not HTTP.
    Malformed,
    /// The client reset the connection, or ended it in the middle of a request.
    Aborted,
    /// Its address has `limits.connections_per_address_max` others.
    AddressLimit,
    /// The server shut down before the client had sent a whole request.
    Shutdown,
}

/// What the parts of a connection know about each other.
#[derive(Debug, Default)]
pub struct ConnectionState {
    /// Number of the last request that was passed to the router; the first is 1.
    started: AtomicU64,
    /// Number of the last request whose body was read to its end.
    body_ended: AtomicU64,
    /// Number of the last request whose response was passed on to its end.
    responded: AtomicU64,
    /// Whether bytes wait until the client reads.
    unsent: AtomicBool,
    /// Whether the current response is a stream, whose client may pause.
    streams: AtomicBool,
    /// Whether a part of a request head was received.
    head_begun: AtomicBool,
    /// Whether an answer of ours replaced one of hyper.
    answered: AtomicBool,
    /// The query that was taken out of the next request line.
    long_query: Mutex<Option<String>>,
    /// Set by the part that closes the connection.
    closed: OnceLock<CloseReason>,
}

impl ConnectionState {
    fn has_request_in_progress(&self) -> bool {
        self.started.load(Ordering::Acquire) != self.responded.load(Ordering::Acquire)
    }

    /// Returns `true` if the next thing to happen is that the client sends a request.
    fn waits_for_request(&self) -> bool {
        !self.has_request_in_progress() && !self.unsent.load(Ordering::Acquire)
    }

    /// Returns the number of the last request, if everything read after its body belongs to the next one.
    fn boundary(&self) -> Option<u64> {
        let started = self.started.load(Ordering::Acquire);
        (self.body_ended.load(Ordering::Acquire) == started).then_some(started)
    }

    fn put_long_query(&self, query: String) {
        *self.long_query.lock().unwrap_or_else(PoisonError::into_inner) = Some(query);
    }

    fn take_long_query(&self) -> Option<String> {
        self.long_query.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn close(&self, reason: CloseReason) {
        // The first reason counts.
        let _ = self.closed.set(reason);
    }
}

/// Serves connections.
pub struct Connections {
    settings: http1::Builder,
    router: Router,
    shared: Shared,
}

impl Connections {
    pub fn new(shared: &Shared) -> Self {
        let limits = &shared.config.limits;
        let mut settings = http1::Builder::new();
        settings
            // The socket has that deadline: hyper's runs while a client still reads the last response.
            .header_read_timeout(None)
            // Twice the limit: a request slightly over it gets an error response, one far over it is cut off.
            .max_buf_size((limits.header_bytes_max * 2).max(MAX_BUF_SIZE_MIN));
        Self { settings, router: crate::http::router(shared), shared: shared.clone() }
    }

    /// Starts to serve a connection, in a task. `permits` are held until it is closed.
    pub fn serve(&self, stream: TcpStream, peer: IpAddr, permits: impl Send + 'static) {
        set_options(&stream, &self.shared.config.limits);
        let (stream, state) = (Arc::new(stream), Arc::<ConnectionState>::default());
        let socket = Socket::new(Arc::clone(&stream), Arc::clone(&state), &self.shared);
        let handler = Handler::new(self.router.clone(), Arc::clone(&state), peer);
        let connection = self.settings.serve_connection(TokioIo::new(socket), handler);
        let shared = self.shared.clone();
        shared.metrics.connections.inc();
        self.shared.tasks.spawn(async move {
            let mut connection = std::pin::pin!(connection);
            let ended = tokio::select! {
                ended = connection.as_mut() => ended,
                () = shared.stop.cancelled() => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection.as_mut() => ended,
                        () = abandoned(&state) => {
                            state.close(CloseReason::Shutdown);
                            Ok(())
                        }
                    }
                }
            };
            if let Err(error) = ended {
                last_words(&error, &stream, &state, &shared);
            }
            let reason = state.closed.get().copied().unwrap_or(CloseReason::Finished);
            shared.metrics.count_closed(reason);
            shared.metrics.connections.dec();
            drop(permits);
        });
    }
}

/// Completes after [`SHUTDOWN_GRACE`] if the connection waits for a request then. Never completes otherwise: hyper closes the
/// connection after its response, and the socket if the client does not read it.
async fn abandoned(state: &ConnectionState) {
    let _ = tokio::time::timeout(SHUTDOWN_GRACE, std::future::pending::<()>()).await;
    if !state.waits_for_request() {
        std::future::pending::<()>().await;
    }
}

fn set_options(stream: &TcpStream, limits: &Limits) {
    // Responses are written whole; Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    #[cfg(target_os = "linux")]
    {
        let socket = socket2::SockRef::from(stream);
        let _ = socket.set_tcp_notsent_lowat(UNSENT_BYTES_MAX);
        // For what is still in the kernel when a connection is closed: it goes away when the client does not take it.
        let longest = limits.transfer_timeout.max(limits.stream_idle_timeout);
        let _ = socket.set_tcp_user_timeout(Some(longest));
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (limits, UNSENT_BYTES_MAX);
}

/// Notes why hyper gave up, and tells a client that still waits for an answer.
fn last_words(error: &hyper::Error, stream: &TcpStream, state: &ConnectionState, shared: &Shared) {
    // Caused by the client: a reset, a timeout, a malformed request.
    tracing::debug!(error = error as &dyn std::error::Error, "connection closed early");
    if error.is_parse() {
        state.close(CloseReason::Malformed);
    }
    state.close(CloseReason::Aborted);
    let template = match state.closed.get() {
        Some(CloseReason::SlowHead) => Some(AnswerTemplate::HEAD_TIMEOUT),
        Some(CloseReason::Malformed) => Some(AnswerTemplate::MALFORMED),
        _ => None,
    };
    if let Some(template) = template
        && !state.answered.load(Ordering::Acquire)
        && !state.has_request_in_progress()
    {
        // One attempt: the answer fits into the buffer of a socket that has sent nothing else.
        let _ = socket2::SockRef::from(stream).send(&template.bytes(shared));
    }
}
