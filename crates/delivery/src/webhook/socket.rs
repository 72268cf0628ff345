//! A connected socket that counts what it reads.
//!
//! Whatever a receiver sends, and whatever it is meant to be, it is counted here: an endless row of interim answers or of frames
//! that mean nothing costs us as little as a large body does.

use std::io::{self, ErrorKind, IoSlice, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// Says that more was sent than any answer needs.
#[derive(Debug, thiserror::Error)]
#[error("more was sent than an answer may have")]
pub(super) struct TooMuch;

/// What whoever uses a connection can tell its socket, which is buried in it.
#[derive(Debug)]
pub(super) struct Gauge {
    bytes_left: AtomicUsize,
    looks_itself: AtomicBool,
}

impl Gauge {
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes_left: AtomicUsize::new(bytes), looks_itself: AtomicBool::new(false) })
    }

    /// From now on so much may be read.
    pub fn allow(&self, bytes: usize) {
        self.bytes_left.store(bytes, Ordering::Relaxed);
    }

    /// Whether as much was read as may be. Not every library hands on the error that says so.
    pub fn is_spent(&self) -> bool {
        self.bytes_left.load(Ordering::Relaxed) == 0
    }

    /// Whether the socket asks the system for what has arrived instead of waiting to be told by the runtime. A connection that
    /// lay idle may have been closed long ago by somebody who has not been heard yet.
    pub fn look(&self, looks: Looks) {
        self.looks_itself.store(looks == Looks::Itself, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looks {
    WhenTold,
    Itself,
}

#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    gauge: Arc<Gauge>,
}

impl Socket {
    pub fn new(stream: TcpStream, gauge: Arc<Gauge>) -> Self {
        Self { stream, gauge }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.gauge.bytes_left.load(Ordering::Relaxed);
        if left == 0 {
            return Poll::Ready(Err(io::Error::other(TooMuch)));
        }
        let before = buf.filled().len();
        let mut polled = Poll::Pending;
        if self.gauge.looks_itself.load(Ordering::Relaxed) {
            polled = read_now(&self.stream, buf);
        }
        if polled.is_pending() {
            polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        let read = buf.filled().len() - before;
        self.gauge.bytes_left.store(left.saturating_sub(read), Ordering::Relaxed);
        polled
    }
}

/// What the system has at this moment. The socket is one that never waits.
fn read_now(stream: &TcpStream, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
    let socket = SockRef::from(stream);
    match (&*socket).read(buf.initialize_unfilled()) {
        Ok(read) => {
            buf.advance(read);
            Poll::Ready(Ok(()))
        }
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Poll::Pending,
        Err(error) => Poll::Ready(Err(error)),
    }
}

impl AsyncWrite for Socket {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, buf)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, bufs)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
