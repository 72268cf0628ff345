//! The socket of a connection, with deadlines for clients that do not read, and for those that send no request.

use std::io::{self, IoSlice};
use std::net::Shutdown;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep};
use tokio_util::sync::WaitForCancellationFutureOwned;

use super::answer::find_bare;
use super::long_query::{RequestLine, Step};
use super::{CloseReason, ConnectionState, SHUTDOWN_GRACE};
use crate::allowance::Allowance;
use crate::http::Shared;

/// How many reads of what a client still sends are made when a connection is closed.
const UNREAD_READS_MAX: usize = 64;

/// Reads and writes for hyper.
pub struct Socket {
    stream: Arc<TcpStream>,
    state: Arc<ConnectionState>,
    shared: Shared,
    deadlines: Deadlines,
    line: RequestLine,
    /// Number of the request that precedes the line.
    line_after: u64,
    /// An answer of ours in place of one of hyper, as far as it was not written yet.
    replacement: Vec<u8>,
}

impl Socket {
    pub fn new(stream: Arc<TcpStream>, state: Arc<ConnectionState>, shared: &Shared) -> Self {
        let deadlines = Deadlines::new(shared);
        let (line, line_after, replacement) = (RequestLine::Start, 0, Vec::new());
        Self { stream, state, shared: shared.clone(), deadlines, line, line_after, replacement }
    }

    /// Writes with `write` as soon as the client takes bytes. Fails when it has not done so for too long.
    fn poll_write_with(
        &mut self,
        context: &mut Context<'_>,
        write: impl Fn(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let ready = self.stream.poll_write_ready(context)?;
            let written = match ready {
                Poll::Ready(()) => write(&self.stream),
                Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
            };
            match written {
                Ok(bytes) => {
                    self.deadlines.moved(bytes);
                    return Poll::Ready(Ok(bytes));
                }
                Err(error) if error.kind() != io::ErrorKind::WouldBlock => return Poll::Ready(Err(error)),
                // The socket was ready and is not any more: register for the next time.
                Err(_) if ready.is_ready() => {}
                Err(_) => {
                    self.state.unsent.store(true, Ordering::Release);
                    let streams = self.state.streams.load(Ordering::Acquire);
                    ready!(self.deadlines.poll_unread(context, streams));
                    self.state.close(CloseReason::Unread);
                    // What it did not read is dropped with the connection, not kept for it by the kernel.
                    let _ = self.stream.set_zero_linger();
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
        }
    }

    /// Looks for an answer of hyper in what it writes. Returns how many bytes to take as written: those of an answer that was
    /// replaced, or those before it.
    fn replace(&mut self, written: &[u8]) -> Option<Replaced> {
        if self.state.has_request_in_progress() {
            return None;
        }
        let (start, template) = find_bare(written)?;
        if start > 0 {
            return Some(Replaced::Before(start));
        }
        self.replacement = template.bytes(&self.shared);
        self.state.answered.store(true, Ordering::Release);
        self.state.close(CloseReason::Malformed);
        Some(Replaced::Whole)
    }

    fn poll_replacement(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.replacement.is_empty() {
            let answer = std::mem::take(&mut self.replacement);
            let written = self.poll_write_with(context, |stream| stream.try_write(&answer));
            self.replacement = answer;
            let bytes = ready!(written)?;
            self.replacement.drain(..bytes);
        }
        Poll::Ready(Ok(()))
    }
}

enum Replaced {
    /// An answer of hyper starts here; what is before it is ours.
    Before(usize),
    /// All of it is an answer of hyper.
    Whole,
}

impl AsyncRead for Socket {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if let Some(request) = this.state.boundary()
            && request > this.line_after
        {
            (this.line, this.line_after) = (RequestLine::Start, request);
        }
        // As much as hyper buffers.
        let bytes_max = this.shared.config.limits.header_bytes_max * 2;
        loop {
            let released = this.line.release(buffer.remaining());
            if !released.is_empty() {
                buffer.put_slice(released);
                return Poll::Ready(Ok(()));
            }
            match this.stream.poll_read_ready(context) {
                Poll::Ready(ready) => ready?,
                Poll::Pending => {
                    ready!(this.deadlines.poll_no_request(context, &this.state));
                    // hyper must see what there is, to tell half a request from an idle connection.
                    if let Step::Release(_) = this.line.give_up() {
                        continue;
                    }
                    let has_begun = this.state.head_begun.load(Ordering::Acquire);
                    this.state.close(if has_begun { CloseReason::SlowHead } else { CloseReason::Idle });
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            let before = buffer.filled().len();
            let received = match this.stream.try_read_buf(buffer) {
                Ok(received) => received,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => continue,
                Err(error) => return Poll::Ready(Err(error)),
            };
            if received > 0 {
                // A client that still sends is not one that has stopped.
                this.deadlines.moved(received);
                if !this.state.has_request_in_progress() {
                    this.state.head_begun.store(true, Ordering::Release);
                }
            }
            let step = match received {
                0 => this.line.give_up(),
                _ => this.line.receive(&buffer.filled()[before..], bytes_max),
            };
            match step {
                Step::Pass => return Poll::Ready(Ok(())),
                Step::More => buffer.set_filled(before),
                Step::Release(query) => {
                    buffer.set_filled(before);
                    if let Some(query) = query {
                        this.state.put_long_query(query);
                    }
                }
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(context, &[IoSlice::new(bytes)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        // Heads are in the first slice, bodies in the others.
        let first: &[u8] = slices.first().map_or(&[], |slice| slice);
        match this.replace(first) {
            None => this.poll_write_with(context, |stream| stream.try_write_vectored(slices)),
            Some(Replaced::Before(end)) => {
                this.poll_write_with(context, |stream| stream.try_write(&first[..end]))
            }
            // Written by the flush that follows.
            Some(Replaced::Whole) => Poll::Ready(Ok(first.len())),
        }
    }

    fn is_write_vectored(&self) -> bool {
        // hyper would copy every body into one buffer otherwise, and hold it twice.
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(context))?;
        // hyper flushes when it has nothing left to write. It does not read again before it is woken, so the deadline starts here.
        this.state.unsent.store(false, Ordering::Release);
        let _ = this.deadlines.poll_no_request(context, &this.state);
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        ready!(this.poll_replacement(context))?;
        let ended = socket2::SockRef::from(&*this.stream).shutdown(Shutdown::Write);
        // Closing with unread bytes resets the connection, and the client may lose the response that was just sent.
        let mut unread = [0; 4096];
        for _ in 0..UNREAD_READS_MAX {
            if !matches!(this.stream.try_read(&mut unread), Ok(1..)) {
                break;
            }
        }
        Poll::Ready(ended)
    }
}

/// When a client that keeps the server waiting is given up. The server waits for it to read or for its next request, never for both.
struct Deadlines {
    allowance: Allowance,
    transfer_timeout: Duration,
    stream_idle_timeout: Duration,
    /// Since when bytes have been waiting, if they are.
    waiting_since: Option<Instant>,
    header_timeout: Duration,
    /// Since when the server has been waiting for a request, and the number of the one before it.
    no_request_since: Option<(u64, Instant)>,
    /// One timer for the connection.
    timer: Option<Pin<Box<Sleep>>>,
    /// Completes when the server shuts down.
    stop: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl Deadlines {
    fn new(shared: &Shared) -> Self {
        let limits = &shared.config.limits;
        Self {
            allowance: Allowance::new(limits.transfer_timeout, limits.transfer_bytes_per_second_min),
            transfer_timeout: limits.transfer_timeout,
            stream_idle_timeout: limits.stream_idle_timeout,
            waiting_since: None,
            header_timeout: limits.header_timeout,
            no_request_since: None,
            timer: None,
            stop: Some(Box::pin(shared.stop.clone().cancelled_owned())),
        }
    }

    /// Ends a wait, if there is one.
    fn moved(&mut self, bytes: usize) {
        if let Some(since) = self.waiting_since.take() {
            self.allowance.waited(since.elapsed());
            self.allowance.moved(bytes);
        }
    }

    /// Waits until the allowance is used up. The caller has found that no byte can be written.
    fn poll_unread(&mut self, context: &mut Context<'_>, streams: bool) -> Poll<()> {
        let stopped = self.stop.as_mut().map(|stop| stop.as_mut().poll(context));
        match stopped {
            Some(Poll::Ready(())) => {
                self.stop = None;
                self.allowance.cap(SHUTDOWN_GRACE);
                self.waiting_since = None;
            }
            // A client of a stream may pause for longer.
            Some(Poll::Pending) if streams => self.allowance.set_full(self.stream_idle_timeout),
            Some(Poll::Pending) => self.allowance.set_full(self.transfer_timeout),
            None => {}
        }
        let since = *self.waiting_since.get_or_insert_with(Instant::now);
        let deadline = since + self.allowance.left();
        self.poll_timer(context, deadline)
    }

    /// Waits until the head of a request has been due for too long. Bytes of it do not prolong that.
    fn poll_no_request(&mut self, context: &mut Context<'_>, state: &ConnectionState) -> Poll<()> {
        if !state.waits_for_request() {
            self.no_request_since = None;
            return Poll::Pending;
        }
        let last = state.started.load(Ordering::Acquire);
        let since = match self.no_request_since {
            Some((after, since)) if after == last => since,
            _ => Instant::now(),
        };
        self.no_request_since = Some((last, since));
        self.poll_timer(context, since + self.header_timeout)
    }

    fn poll_timer(&mut self, context: &mut Context<'_>, deadline: Instant) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(deadline)));
        if timer.deadline() != deadline {
            timer.as_mut().reset(deadline);
        }
        timer.as_mut().poll(context)
    }
}
