//! A minimal receiver of webhooks, to leave the processor to the sender on the same machine.
//!
//! It runs on a thread of this process, so that arrivals and receipts of adverts use the same clock.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use super::authority::Authority;

/// More headers than a sender needs.
const HEADERS_MAX: usize = 32;
/// Large enough for a whole message.
const BUFFER_BYTES: usize = 32 * 1_024;
const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Bodies kept for the peer to send.
pub const SAMPLES_MAX: usize = 2_000;

/// The time without an arrival after which the measurement fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// The text before the id of the property in a message.
const NAMED_BY: &[u8] = b"/properties/";
const ID_CHARACTERS: usize = 36;

/// Whether all hosts answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Hosts {
    Healthy,
    /// The last host reads requests and never responds.
    LastHangs,
}

/// What a host does after reading a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behaviour {
    Responds,
    Hangs,
}

/// A message that was received in full.
#[derive(Debug, Clone)]
pub struct Arrival {
    pub at: Instant,
    /// The number of the host, from zero.
    pub host: usize,
    pub bytes: usize,
    /// The id of its property, as written.
    pub about: Option<[u8; ID_CHARACTERS]>,
}

pub struct Receiver {
    addresses: Vec<SocketAddr>,
    arrivals: mpsc::Receiver<Arrival>,
    samples: Arc<Mutex<Vec<Vec<u8>>>>,
    /// Stops the receiver when dropped.
    _stop: oneshot::Sender<()>,
}

/// The state that all connections share.
struct Shared {
    tls: TlsAcceptor,
    arrivals: mpsc::Sender<Arrival>,
    samples: Arc<Mutex<Vec<Vec<u8>>>>,
}

impl Receiver {
    /// Listens on `count` loopback addresses, all on the same port.
    pub fn start(authority: &Authority, count: u8, hosts: Hosts) -> anyhow::Result<Self> {
        let ips: Vec<IpAddr> = (1..=count).map(|host| IpAddr::V4(Ipv4Addr::new(127, 0, 0, host))).collect();
        let tls = authority.server(&ips)?;
        let (arrived, arrivals) = mpsc::channel();
        let (stop, stopped) = oneshot::channel::<()>();
        let samples = Arc::default();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let listeners = runtime.block_on(listen(&ips))?;
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<Result<_, _>>()?;
        let shared = shared(tls, arrived, Arc::clone(&samples));
        std::thread::Builder::new().name("receiver".to_owned()).spawn(move || {
            runtime.block_on(async move {
                let mut hosting = JoinSet::new();
                let last = listeners.len() - 1;
                for (host, listener) in listeners.into_iter().enumerate() {
                    let hangs = hosts == Hosts::LastHangs && host == last;
                    let behaviour = if hangs { Behaviour::Hangs } else { Behaviour::Responds };
                    hosting.spawn(accept(Arc::clone(&shared), listener, host, behaviour));
                }
                // An error means that the receiver was dropped.
                let _ = stopped.await;
            });
        })?;
        Ok(Self { addresses, arrivals, samples, _stop: stop })
    }

    pub fn url(&self, host: usize) -> String {
        format!("https://{}/hook", self.addresses[host % self.addresses.len()])
    }

    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Waits for `count` arrivals.
    pub fn take(&self, count: usize) -> anyhow::Result<Vec<Arrival>> {
        let mut taken = Vec::with_capacity(count);
        while taken.len() < count {
            match self.arrivals.recv_timeout(PATIENCE) {
                Ok(arrival) => taken.push(arrival),
                Err(RecvTimeoutError::Timeout) => {
                    bail!("only {} of {count} messages arrived", taken.len())
                }
                Err(RecvTimeoutError::Disconnected) => bail!("the receiver stopped"),
            }
        }
        Ok(taken)
    }

    /// Waits for arrivals until `enough` returns `true` for one, which is included.
    pub fn take_until(&self, mut enough: impl FnMut(&Arrival) -> bool) -> anyhow::Result<Vec<Arrival>> {
        let mut taken = Vec::new();
        loop {
            let arrival = self.arrivals.recv_timeout(PATIENCE).context("no more messages arrive")?;
            let last = enough(&arrival);
            taken.push(arrival);
            if last {
                return Ok(taken);
            }
        }
    }

    /// Returns some of the received bodies.
    pub fn samples(&self) -> Vec<Vec<u8>> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn shared(
    tls: Arc<ServerConfig>,
    arrivals: mpsc::Sender<Arrival>,
    samples: Arc<Mutex<Vec<Vec<u8>>>>,
) -> Arc<Shared> {
    Arc::new(Shared { tls: TlsAcceptor::from(tls), arrivals, samples })
}

async fn listen(ips: &[IpAddr]) -> io::Result<Vec<TcpListener>> {
    let mut listeners: Vec<TcpListener> = Vec::new();
    for ip in ips {
        let port =
            listeners.first().map_or(Ok(0), |first| first.local_addr().map(|address| address.port()))?;
        listeners.push(TcpListener::bind((*ip, port)).await?);
    }
    Ok(listeners)
}

async fn accept(shared: Arc<Shared>, listener: TcpListener, host: usize, behaviour: Behaviour) {
    let mut connections = JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        let shared = Arc::clone(&shared);
        // Errors of a connection are those of the sender.
        connections.spawn(async move {
            let _ = serve(&shared, stream, host, behaviour).await;
        });
    }
}

async fn serve(shared: &Shared, stream: TcpStream, host: usize, behaviour: Behaviour) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut stream = shared.tls.accept(stream).await?;
    let mut buffer = Vec::with_capacity(BUFFER_BYTES);
    loop {
        let (head, length) = loop {
            if let Some(found) = head(&buffer)? {
                break found;
            }
            if stream.read_buf(&mut buffer).await? == 0 {
                return Ok(());
            }
        };
        while buffer.len() < head + length {
            if stream.read_buf(&mut buffer).await? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
        }
        shared.record(&buffer[head..head + length], host);
        buffer.drain(..head + length);
        if behaviour == Behaviour::Hangs {
            std::future::pending::<()>().await;
        }
        stream.write_all(OK).await?;
        stream.flush().await?;
    }
}

impl Shared {
    fn record(&self, body: &[u8], host: usize) {
        let at = Instant::now();
        let arrival = Arrival { at, host, bytes: body.len(), about: about(body) };
        // The measurement may be over.
        let _ = self.arrivals.send(arrival);
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() < SAMPLES_MAX {
            samples.push(body.to_vec());
        }
    }
}

/// Returns the lengths of head and body; `None` if the head is incomplete.
fn head(buffer: &[u8]) -> io::Result<Option<(usize, usize)>> {
    let mut room = [httparse::EMPTY_HEADER; HEADERS_MAX];
    let mut request = httparse::Request::new(&mut room);
    let parsed = request.parse(buffer).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    let httparse::Status::Complete(head) = parsed else { return Ok(None) };
    let length = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let length = length.and_then(|header| std::str::from_utf8(header.value).ok()?.parse().ok());
    Ok(Some((head, length.unwrap_or(0))))
}

/// Returns the id of the first property in a body.
fn about(body: &[u8]) -> Option<[u8; ID_CHARACTERS]> {
    let named = body.windows(NAMED_BY.len()).position(|window| window == NAMED_BY)? + NAMED_BY.len();
    body.get(named..named + ID_CHARACTERS)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn head_and_property_are_parsed() {
        let request = b"POST /hook HTTP/1.1\r\nhost: x\r\nContent-Length: 5\r\n\r\nhello";
        assert_eq!(head(request).unwrap(), Some((request.len() - 5, 5)));
        assert_eq!(head(&request[..20]).unwrap(), None);
        let id = "0190a1b2-c3d4-7e5f-8a9b-000000000001";
        let body = format!(r#"{{"property":"/properties/{id}","x":"/properties/other"}}"#);
        assert_eq!(about(body.as_bytes()).as_ref().map(|id| &id[..]), Some(id.as_bytes()));
        assert_eq!(about(b"/properties/short"), None);
    }
}
