//! Runs the steps of a fault on a connection.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::steps::Step;

/// Fast enough for a test to see many bytes, slow enough that a head never completes within a deadline.
const DRIP_EVERY: Duration = Duration::from_millis(10);

/// A plain or TLS connection, with access to the socket.
pub(super) trait RawStream: AsyncRead + AsyncWrite + Unpin + Send {
    fn socket(&mut self) -> &mut TcpStream;
}

impl RawStream for TcpStream {
    fn socket(&mut self) -> &mut TcpStream {
        self
    }
}

impl RawStream for TlsStream<TcpStream> {
    fn socket(&mut self) -> &mut TcpStream {
        self.get_mut().0
    }
}

/// State of a connection after the steps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConnectionState {
    Open,
    Closed,
}

/// Runs all steps, or as many as the peer allows. The caller drops a closed connection.
pub(super) async fn run_steps(
    line: &mut impl RawStream,
    steps: &[Step],
    written: &AtomicU64,
) -> io::Result<ConnectionState> {
    for step in steps {
        match step {
            Step::Write(bytes) => write(line, bytes, written).await?,
            Step::Repeat(bytes, times) => {
                for _ in 0..*times {
                    write(line, bytes, written).await?;
                }
            }
            Step::Forever(bytes) => loop {
                write(line, bytes, written).await?;
            },
            Step::Drip(bytes) => {
                let mut ticks = tokio::time::interval(DRIP_EVERY);
                for at in (0..bytes.len()).cycle() {
                    ticks.tick().await;
                    write(line, &bytes[at..=at], written).await?;
                }
            }
            Step::ReadSome => {
                let mut some = [0; 4_096];
                if line.read(&mut some).await? == 0 {
                    return Ok(ConnectionState::Closed);
                }
            }
            Step::UntilPeerLeaves => drain(line).await,
            Step::Ignore => std::future::pending().await,
            Step::Close => {
                line.shutdown().await?;
                drain(line).await;
                return Ok(ConnectionState::Closed);
            }
            Step::Cut => {
                line.socket().shutdown().await?;
                drain(line.socket()).await;
                return Ok(ConnectionState::Closed);
            }
            Step::Reset => {
                line.socket().set_zero_linger()?;
                return Ok(ConnectionState::Closed);
            }
        }
    }
    Ok(ConnectionState::Open)
}

async fn write(line: &mut impl RawStream, mut bytes: &[u8], written: &AtomicU64) -> io::Result<()> {
    while !bytes.is_empty() {
        let count = line.write(bytes).await?;
        written.fetch_add(count as u64, Ordering::Relaxed);
        bytes = &bytes[count..];
    }
    line.flush().await
}

/// Reads until the peer closes: closing with unread data would be a reset.
async fn drain(line: &mut (impl AsyncRead + Unpin)) {
    let mut ignored = [0; 4_096];
    while line.read(&mut ignored).await.is_ok_and(|count| count > 0) {}
}
