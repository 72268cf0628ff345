//! A TCP socket that limits how many bytes are read.
//!
//! Everything a receiver sends is counted here. An endless series of interim responses or of empty frames is
//! bounded just as a large body is.

use std::io::{self, ErrorKind, IoSlice, Read};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use socket2::SockRef;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

/// The response exceeds the byte limit.
#[derive(Debug, thiserror::Error)]
#[error("the response exceeds the byte limit")]
pub(super) struct ResponseTooLarge;

/// Controls the socket inside a connection: the bytes it may still read, and how it reads them.
#[derive(Debug)]
pub(super) struct ReadBudget {
    bytes_left: AtomicUsize,
    reads_immediately: AtomicBool,
}

impl ReadBudget {
    pub fn new(bytes: usize) -> Arc<Self> {
        Arc::new(Self { bytes_left: AtomicUsize::new(bytes), reads_immediately: AtomicBool::new(false) })
    }

    /// Sets how many more bytes may be read.
    pub fn allow(&self, bytes: usize) {
        self.bytes_left.store(bytes, Ordering::Relaxed);
    }

    /// Returns whether the limit is used up. Not every library passes on the error.
    pub fn is_exhausted(&self) -> bool {
        self.bytes_left.load(Ordering::Relaxed) == 0
    }

    /// Sets how the socket reads. In [`ReadMode::Immediate`] it asks the operating system first instead of waiting
    /// for a readiness event: an idle connection may have been closed without the runtime having noticed yet.
    pub fn set_mode(&self, mode: ReadMode) {
        self.reads_immediately.store(mode == ReadMode::Immediate, Ordering::Relaxed);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ReadMode {
    WhenReady,
    Immediate,
}

#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    budget: Arc<ReadBudget>,
}

impl Socket {
    pub fn new(stream: TcpStream, budget: Arc<ReadBudget>) -> Self {
        Self { stream, budget }
    }
}

impl AsyncRead for Socket {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let left = self.budget.bytes_left.load(Ordering::Relaxed);
        if left == 0 {
            return Poll::Ready(Err(io::Error::other(ResponseTooLarge)));
        }
        let before = buf.filled().len();
        let mut polled = Poll::Pending;
        if self.budget.reads_immediately.load(Ordering::Relaxed) {
            polled = read_now(&self.stream, buf);
        }
        if polled.is_pending() {
            polled = Pin::new(&mut self.stream).poll_read(cx, buf);
        }
        let read = buf.filled().len() - before;
        self.budget.bytes_left.store(left.saturating_sub(read), Ordering::Relaxed);
        polled
    }
}

/// Reads what has already arrived. The socket is non-blocking.
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
