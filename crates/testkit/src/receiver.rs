//! A webhook receiver for tests: a TLS server on loopback that records requests and injects faults.
//!
//! [`InjectedFault`] lists the faults, each with the outcome a correct sender reports; [`Script`] decides which
//! connection or request gets which one. Also available as a command: `cargo run -p testkit --bin hostile-receiver
//! -- --help`.
//!
//! HTTP/1.1 is parsed and written by hand, so that any request can get any response; correct HTTP/2 uses hyper.
//! Everything stops when the [`Receiver`] is dropped.

mod authority;
mod canary;
mod frames;
mod http1;
mod http2;
mod injected_fault;
mod request_log;
mod run_steps;
mod script;
mod steps;
#[cfg(test)]
mod tests;

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rustls::ServerConfig;
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

pub use authority::{Authority, Credential};
pub use canary::{Canaries, Canary};
pub use injected_fault::{InjectedFault, Stage};
use request_log::{LogFile, RequestLog};
pub use request_log::{ReceivedRequest, Retention, Version};
use run_steps::run_steps;
pub use script::{Behaviour, IncomingConnection, Script};
pub use steps::Step;
use steps::{StepContext, steps};

/// How long a test waits for something that must happen. Generous, because machines may be very busy.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Maximum size of a request body. No message comes near it.
const BODY_BYTES_MAX: usize = 16 * 1_024 * 1_024;
/// Size of the send buffer. Small, so that the bytes written by a fault show how much the sender has read.
const SEND_BUFFER_BYTES: u32 = 32 * 1_024;
const BACKLOG: u32 = 1_024;
/// A connection attempt to a full queue that takes longer will not succeed.
const QUEUE_FULL_TIMEOUT: Duration = Duration::from_millis(250);

/// HTTP versions to offer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocols {
    /// The only one in which faults can be chosen per request.
    Http1,
    Http2,
    Both,
}

impl Protocols {
    fn names(self) -> &'static [&'static [u8]] {
        match self {
            Self::Http1 => &[b"http/1.1"],
            Self::Http2 => &[b"h2"],
            Self::Both => &[b"h2", b"http/1.1"],
        }
    }
}

/// Configuration of a receiver.
#[derive(Clone)]
pub struct ReceiverConfig {
    /// All with the same port. [`Receiver::url`] uses the first one.
    pub addresses: Vec<IpAddr>,
    /// Zero picks a free port.
    pub port: u16,
    pub protocols: Protocols,
    pub script: Script,
    pub retention: Retention,
    /// File that gets a line per request, `<webhook-id> <SHA-256 of the body> <behaviour>`, synced before the
    /// response.
    pub log_file: Option<PathBuf>,
    /// Target of redirects; the receiver itself if `None`.
    pub redirect_to: Option<String>,
}

impl ReceiverConfig {
    /// Listens on 127.0.0.1 with HTTP/1.1.
    pub fn new(script: Script) -> Self {
        Self {
            addresses: vec![IpAddr::V4(Ipv4Addr::LOCALHOST)],
            port: 0,
            protocols: Protocols::Http1,
            script,
            retention: Retention::Full,
            log_file: None,
            redirect_to: None,
        }
    }
}

/// A running receiver.
pub struct Receiver {
    shared: Arc<Shared>,
    addresses: Vec<SocketAddr>,
    /// Keeps a port closed, or its queue full.
    _held: HeldSockets,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct HeldSockets {
    _sockets: Vec<TcpSocket>,
    _listeners: Vec<TcpListener>,
    _queued: Vec<TcpStream>,
}

/// State shared by all connections.
struct Shared {
    authority: Authority,
    ips: Vec<IpAddr>,
    tls: Arc<ServerConfig>,
    script: Script,
    log: RequestLog,
    redirect_to: String,
    written: AtomicU64,
    connections: AtomicU64,
    open: watch::Sender<u64>,
}

impl Receiver {
    /// Responds with 200 to everything, in both versions of HTTP.
    pub async fn good(authority: &Authority) -> Self {
        let config = ReceiverConfig { protocols: Protocols::Both, ..ReceiverConfig::new(Script::good()) };
        Self::start(authority, config).await.expect("a free loopback port")
    }

    /// Applies one behaviour to everything.
    pub async fn always(authority: &Authority, behaviour: impl Into<Behaviour>) -> Self {
        let config = ReceiverConfig::new(Script::always(behaviour));
        Self::start(authority, config).await.expect("a free loopback port")
    }

    pub async fn start(authority: &Authority, config: ReceiverConfig) -> io::Result<Self> {
        let ReceiverConfig { addresses: ips, mut port, protocols, script, retention, log_file, redirect_to } =
            config;
        let mut sockets = Vec::new();
        let mut addresses = Vec::new();
        for ip in &ips {
            let socket = if ip.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
            socket.set_reuseaddr(true)?;
            socket.set_send_buffer_size(SEND_BUFFER_BYTES)?;
            socket.bind(SocketAddr::new(*ip, port))?;
            port = socket.local_addr()?.port();
            addresses.push(SocketAddr::new(*ip, port));
            sockets.push(socket);
        }
        let first = addresses.first().ok_or(io::ErrorKind::InvalidInput)?;
        let redirect_to = redirect_to.unwrap_or_else(|| format!("https://{first}/redirected"));
        let shared = Arc::new(Shared {
            authority: authority.clone(),
            tls: Arc::new(authority.server_config(Credential::Good, protocols, &ips)),
            ips,
            log: RequestLog::new(retention, log_file.as_deref().map(LogFile::open).transpose()?),
            redirect_to,
            written: AtomicU64::new(0),
            connections: AtomicU64::new(0),
            open: watch::Sender::new(0),
            script,
        });
        let mut held = HeldSockets::default();
        let mut tasks = JoinSet::new();
        match shared.script.listening {
            None => {
                for socket in sockets {
                    tasks.spawn(listen(Arc::clone(&shared), socket.listen(BACKLOG)?));
                }
            }
            Some(InjectedFault::NeverAccept) => {
                for (socket, address) in sockets.into_iter().zip(&addresses) {
                    held._listeners.push(socket.listen(0)?);
                    held._queued.extend(fill_queue(*address).await?);
                }
            }
            Some(_) => held._sockets = sockets,
        }
        Ok(Self { shared, addresses, _held: held, _tasks: tasks })
    }

    /// Returns the first address.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns the URL of a path.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address())
    }

    /// Returns all requests so far, in order.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.log.received()
    }

    /// Waits for this many requests and returns all of them.
    pub async fn wait_for(&self, requests: u64) -> Vec<ReceivedRequest> {
        let mut count = self.shared.log.count();
        let waited = tokio::time::timeout(WAIT_MAX, count.wait_for(|count| *count >= requests)).await;
        let received = waited.map(|it| it.is_ok()).unwrap_or_default();
        assert!(received, "expected {requests} requests, received {}", *self.shared.log.count().borrow());
        self.received()
    }

    /// Returns the number of requests.
    pub fn count(&self) -> u64 {
        *self.shared.log.count().borrow()
    }

    /// Returns the number of connections ever accepted.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until no connection is open. A fault that does not read never notices that its connection was closed.
    pub async fn wait_until_closed(&self) {
        let mut open = self.shared.open.subscribe();
        let waited = tokio::time::timeout(WAIT_MAX, open.wait_for(|open| *open == 0)).await;
        let closed = waited.map(|it| it.is_ok()).unwrap_or_default();
        assert!(closed, "{} connections are still open", *self.shared.open.borrow());
    }

    /// Returns the number of bytes written by faults. Some may still be in the socket buffer.
    pub fn bytes_written(&self) -> u64 {
        self.shared.written.load(Ordering::SeqCst)
    }
}

/// Connects until the queue is full.
async fn fill_queue(address: SocketAddr) -> io::Result<Vec<TcpStream>> {
    let mut queued = Vec::new();
    while let Ok(connected) = tokio::time::timeout(QUEUE_FULL_TIMEOUT, TcpStream::connect(address)).await {
        queued.push(connected?);
    }
    Ok(queued)
}

async fn listen(shared: Arc<Shared>, listener: TcpListener) {
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(handle_connection(Arc::clone(&shared), stream));
                }
                // Probably out of file descriptors; they are freed as connections end.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(ended) = connections.join_next() => {
                if let Err(panic) = ended.map_err(tokio::task::JoinError::try_into_panic)
                    && let Ok(panic) = panic
                {
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
}

/// Handles one connection. Its errors are ignored: tests look at the client side.
async fn handle_connection(shared: Arc<Shared>, stream: TcpStream) {
    let connection = shared.connections.fetch_add(1, Ordering::SeqCst) + 1;
    let _open = Open::new(&shared.open);
    let Ok(address) = stream.local_addr() else { return };
    let incoming = IncomingConnection { connection, address: address.ip() };
    let fault = shared.script.for_connection(&incoming);
    let _ = run_connection(&shared, incoming, fault, stream).await;
}

async fn run_connection(
    shared: &Arc<Shared>,
    incoming: IncomingConnection,
    fault: Option<InjectedFault>,
    mut stream: TcpStream,
) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let Some(fault) = fault else {
        let stream = secure(TlsAcceptor::from(Arc::clone(&shared.tls)), stream).await?;
        return serve(shared, incoming, stream).await;
    };
    let config = |credential, protocols| {
        TlsAcceptor::from(Arc::new(shared.authority.server_config(credential, protocols, &shared.ips)))
    };
    let steps = steps(fault, StepContext { redirect_to: &shared.redirect_to, gzip_accepted: false });
    match fault.stage() {
        Stage::Connected => {
            run_steps(&mut stream, &steps, &shared.written).await?;
        }
        Stage::Handshake => {
            let (credential, protocols) = presented(fault);
            let stream = secure(config(credential, protocols), stream).await?;
            serve(shared, incoming, stream).await?;
        }
        Stage::Secured => {
            let mut stream = secure(config(Credential::Good, Protocols::Both), stream).await?;
            run_steps(&mut stream, &steps, &shared.written).await?;
        }
        Stage::Http2Answer => {
            let mut stream = secure(config(Credential::Good, Protocols::Http2), stream).await?;
            frames::read_request(&mut stream).await?;
            run_steps(&mut stream, &steps, &shared.written).await?;
        }
        stage @ (Stage::Listening | Stage::Answer) => {
            panic!("{fault:?} belongs to {stage:?} and cannot be injected without a request")
        }
    }
    Ok(())
}

/// Performs the TLS handshake. After a failure the connection is closed only once the client has read the alert:
/// closing it with unread data would be a reset and hide the reason.
async fn secure(acceptor: TlsAcceptor, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    match acceptor.accept(stream).into_fallible().await {
        Ok(stream) => Ok(stream),
        Err((error, mut stream)) => {
            run_steps(&mut stream, &[Step::Close], &AtomicU64::new(0)).await?;
            Err(error)
        }
    }
}

/// Returns the certificate and protocols a fault presents in the handshake.
fn presented(fault: InjectedFault) -> (Credential, Protocols) {
    let credential = match fault {
        InjectedFault::CertificateExpired => Credential::Expired,
        InjectedFault::CertificateNotYetValid => Credential::NotYetValid,
        InjectedFault::CertificateWrongName => Credential::WrongName,
        InjectedFault::CertificateSelfSigned => Credential::SelfSigned,
        InjectedFault::CertificateSelfSignedAuthority => Credential::SelfSignedAuthority,
        InjectedFault::CertificateUnknownAuthority => Credential::UnknownAuthority,
        InjectedFault::CertificateHugeChain => Credential::HugeChain,
        InjectedFault::AsksForCertificate => Credential::ClientCertificateRequired,
        InjectedFault::AsksForCertificateEarly => Credential::ClientCertificateRequiredEarly,
        _ => Credential::Good,
    };
    (credential, if fault == InjectedFault::Http2Only { Protocols::Http2 } else { Protocols::Http1 })
}

async fn serve(
    shared: &Arc<Shared>,
    incoming: IncomingConnection,
    stream: TlsStream<TcpStream>,
) -> io::Result<()> {
    match stream.get_ref().1.alpn_protocol() {
        Some(b"h2") => http2::serve(shared, incoming, stream).await,
        _ => http1::serve(shared, incoming, stream).await,
    }
}

/// Counts an open connection until dropped.
struct Open(watch::Sender<u64>);

impl Open {
    fn new(open: &watch::Sender<u64>) -> Self {
        open.send_modify(|open| *open += 1);
        Self(open.clone())
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.send_modify(|open| *open -= 1);
    }
}
