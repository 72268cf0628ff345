//! A receiver of webhooks for tests: a TLS server on loopback that keeps a ledger, and that can be as hostile as one likes.
//!
//! [`InjectedFault`] is the list of what it can do to a sender, with what a correct sender makes of each; [`Script`] says whom it does
//! it to. It is a command, too: `cargo run -p testkit --bin hostile-receiver -- --help`.
//!
//! HTTP/1.1 is read and written by hand, so that any request can be answered with anything; HTTP/2 is hyper's where it is
//! spoken well. Everything stops when the [`Receiver`] is dropped.

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

/// How long a test waits for something that must happen, before it fails. Generous: machines are sometimes very busy.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// The largest body that is taken. No message comes near it.
const BODY_BYTES_MAX: usize = 16 * 1_024 * 1_024;
/// What the system may hold of what was written but not read. Small, so that the bytes a trick has written tell how much of
/// them the sender has read.
const SEND_BUFFER_BYTES: u32 = 32 * 1_024;
const BACKLOG: u32 = 1_024;
/// When nothing has come of a connection to a port with a full queue after this time, nothing will.
const QUEUE_FULL_TIMEOUT: Duration = Duration::from_millis(250);

/// Which versions of HTTP are offered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocols {
    /// The only one that tricks can be played in at the sight of a request.
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

/// Where a receiver listens and how it behaves.
#[derive(Clone)]
pub struct ReceiverConfig {
    /// All of them with the same port. The first one is that of [`Receiver::url`].
    pub addresses: Vec<IpAddr>,
    /// Zero takes any that is free.
    pub port: u16,
    pub protocols: Protocols,
    pub script: Script,
    pub retention: Retention,
    /// Gets a line for every request, `<webhook-id> <SHA-256 of the body> <behaviour>`, on disk before the answer.
    pub log_file: Option<PathBuf>,
    /// Where redirects lead; to itself if nothing is said.
    pub redirect_to: Option<String>,
}

impl ReceiverConfig {
    /// On 127.0.0.1, in HTTP/1.1.
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
    /// What keeps a port closed, or its queue full.
    _held: HeldSockets,
    _tasks: JoinSet<()>,
}

#[derive(Default)]
struct HeldSockets {
    _sockets: Vec<TcpSocket>,
    _listeners: Vec<TcpListener>,
    _queued: Vec<TcpStream>,
}

/// What all connections know.
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
    /// Answers 200 to everything, in both versions of HTTP.
    pub async fn good(authority: &Authority) -> Self {
        let plan = ReceiverConfig { protocols: Protocols::Both, ..ReceiverConfig::new(Script::good()) };
        Self::start(authority, plan).await.expect("loopback has a free port")
    }

    /// Does this to everybody.
    pub async fn always(authority: &Authority, behaviour: impl Into<Behaviour>) -> Self {
        let plan = ReceiverConfig::new(Script::always(behaviour));
        Self::start(authority, plan).await.expect("loopback has a free port")
    }

    pub async fn start(authority: &Authority, plan: ReceiverConfig) -> io::Result<Self> {
        let ReceiverConfig { addresses: ips, mut port, protocols, script, retention, log_file, redirect_to } =
            plan;
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

    /// The first address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Where to send to.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}{path}", self.address())
    }

    /// What has come so far, in the order it came.
    pub fn received(&self) -> Vec<ReceivedRequest> {
        self.shared.log.received()
    }

    /// Waits until so many requests have come, and gives all that have.
    pub async fn wait_for(&self, requests: u64) -> Vec<ReceivedRequest> {
        let mut count = self.shared.log.count();
        let waited = tokio::time::timeout(WAIT_MAX, count.wait_for(|count| *count >= requests)).await;
        let came = waited.map(|it| it.is_ok()).unwrap_or_default();
        assert!(came, "{requests} requests were to come, and {} did", *self.shared.log.count().borrow());
        self.received()
    }

    /// How many requests have come.
    pub fn count(&self) -> u64 {
        *self.shared.log.count().borrow()
    }

    /// How many connections were ever taken.
    pub fn connections(&self) -> u64 {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Waits until no connection is open. That one has been closed is not seen by a trick that does not read.
    pub async fn wait_until_closed(&self) {
        let mut open = self.shared.open.subscribe();
        let waited = tokio::time::timeout(WAIT_MAX, open.wait_for(|open| *open == 0)).await;
        let left = waited.map(|it| it.is_ok()).unwrap_or_default();
        assert!(left, "{} connections are still open", *self.shared.open.borrow());
    }

    /// How many bytes tricks have written. The system may hold some of them back.
    pub fn bytes_written(&self) -> u64 {
        self.shared.written.load(Ordering::SeqCst)
    }
}

/// Connects until a connection is not taken any more: then the queue is full.
async fn fill_queue(address: SocketAddr) -> io::Result<Vec<TcpStream>> {
    let mut queued = Vec::new();
    while let Ok(connected) = tokio::time::timeout(QUEUE_FULL_TIMEOUT, TcpStream::connect(address)).await {
        queued.push(connected?);
    }
    Ok(queued)
}

async fn listen(shared: Arc<Shared>, listener: TcpListener) {
    let mut conversations = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    conversations.spawn(handle_connection(Arc::clone(&shared), stream));
                }
                // Out of descriptors, most likely: they come back when conversations end.
                Err(_) => tokio::task::yield_now().await,
            },
            Some(ended) = conversations.join_next() => {
                if let Err(panic) = ended.map_err(tokio::task::JoinError::try_into_panic)
                    && let Ok(panic) = panic
                {
                    std::panic::resume_unwind(panic);
                }
            }
        }
    }
}

/// Has one conversation. How it ends is the other side's affair: that is what tests look at.
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
            panic!("{fault:?} is played at {stage:?}, not on a connection without a request")
        }
    }
    Ok(())
}

/// Shakes hands. If that fails, the connection is closed only when the other side has read why: closing it with something
/// unread would be a reset, and hide the reason.
async fn secure(acceptor: TlsAcceptor, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
    match acceptor.accept(stream).into_fallible().await {
        Ok(stream) => Ok(stream),
        Err((error, mut stream)) => {
            run_steps(&mut stream, &[Step::Close], &AtomicU64::new(0)).await?;
            Err(error)
        }
    }
}

/// What a trick shows in the handshake.
fn presented(fault: InjectedFault) -> (Credential, Protocols) {
    let credential = match fault {
        InjectedFault::CertificateExpired => Credential::Expired,
        InjectedFault::CertificateNotYetValid => Credential::NotYetValid,
        InjectedFault::CertificateWrongName => Credential::WrongName,
        InjectedFault::CertificateSelfSigned => Credential::SelfSigned,
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

/// Counts a connection as long as it is there.
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
