//! A receiver that sends fixed replies and records requests.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::ServerConfig;
use socket2::SockRef;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, Semaphore};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// The bytes sent after a request, and what happens next.
#[derive(Clone)]
pub struct Reply {
    pub bytes: Vec<u8>,
    pub then: Then,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Then {
    NextRequest,
    /// With a TLS close_notify.
    Close,
    Reset,
    /// Until the peer disconnects.
    Hang,
    /// Writes the reply repeatedly.
    Repeat,
}

impl Reply {
    pub fn new(bytes: impl Into<Vec<u8>>, then: Then) -> Self {
        Self { bytes: bytes.into(), then }
    }

    pub fn status(status: u16) -> Self {
        Self::new(format!("HTTP/1.1 {status} Whatever\r\ncontent-length: 2\r\n\r\nok"), Then::NextRequest)
    }
}

/// Whether a connection accepts more than one request. If not, it announces that as the protocol specifies.
#[derive(Clone, Copy)]
pub enum Persistence {
    KeepAlive,
    SingleRequest,
}

#[derive(Debug, Clone)]
pub struct Recorded {
    pub head: String,
    pub body: Vec<u8>,
    pub from: SocketAddr,
}

pub struct Receiver {
    pub address: SocketAddr,
    shared: Arc<Shared>,
    tasks: JoinSet<()>,
}

struct Shared {
    requests: Mutex<Vec<Recorded>>,
    connections: AtomicUsize,
    /// One permit per ended connection.
    ended: Semaphore,
}

impl Receiver {
    /// Speaks HTTP/1.1 by hand, so that it can send invalid responses.
    pub async fn raw(config: Arc<ServerConfig>, reply: Reply) -> Self {
        Self::start(move |stream, from, shared| {
            let (config, reply) = (Arc::clone(&config), reply.clone());
            async move {
                if let Ok(stream) = TlsAcceptor::from(config).accept(stream).await {
                    serve_raw(stream, from, &reply, &shared).await;
                }
            }
        })
        .await
    }

    /// Speaks HTTP/2 and sends the same response to every request.
    pub async fn http2(
        config: Arc<ServerConfig>,
        persistence: Persistence,
        answer: fn() -> Response<Full<Bytes>>,
    ) -> Self {
        Self::start(move |stream, from, shared| {
            let config = Arc::clone(&config);
            async move {
                let Ok(stream) = TlsAcceptor::from(config).accept(stream).await else { return };
                let answered = Arc::new(Notify::new());
                let notify = Arc::clone(&answered);
                let service = service_fn(move |request: Request<Incoming>| {
                    let (shared, notify) = (Arc::clone(&shared), Arc::clone(&notify));
                    async move {
                        let head = format!("{} {}\n{:?}", request.method(), request.uri(), request.headers());
                        let body = request.into_body().collect().await?.to_bytes().to_vec();
                        shared.requests.lock().unwrap().push(Recorded { head, body, from });
                        notify.notify_one();
                        Ok::<_, hyper::Error>(answer())
                    }
                });
                let serving = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(stream), service);
                let mut serving = pin!(serving);
                loop {
                    tokio::select! {
                        _ = serving.as_mut() => return,
                        () = answered.notified() => match persistence {
                            Persistence::KeepAlive => {}
                            Persistence::SingleRequest => serving.as_mut().graceful_shutdown(),
                        },
                    }
                }
            }
        })
        .await
    }

    /// Sends these bytes without TLS, then hangs.
    pub async fn plain(bytes: &'static [u8]) -> Self {
        Self::start(move |mut stream, _, _| async move {
            if stream.write_all(bytes).await.is_ok() {
                drop(stream.read_to_end(&mut Vec::new()).await);
            }
        })
        .await
    }

    async fn start<F>(serve: impl Fn(TcpStream, SocketAddr, Arc<Shared>) -> F + Send + 'static) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind((IpAddr::V4(Ipv4Addr::LOCALHOST), 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            requests: Mutex::default(),
            connections: AtomicUsize::new(0),
            ended: Semaphore::new(0),
        });
        let mut tasks = JoinSet::new();
        let state = Arc::clone(&shared);
        tasks.spawn(async move {
            let mut serving = JoinSet::new();
            loop {
                let (stream, from) = listener.accept().await.unwrap();
                // Pending bytes must be sent before the connection is reset.
                stream.set_nodelay(true).unwrap();
                state.connections.fetch_add(1, Ordering::SeqCst);
                let served = serve(stream, from, Arc::clone(&state));
                let state = Arc::clone(&state);
                serving.spawn(async move {
                    served.await;
                    state.ended.add_permits(1);
                });
            }
        });
        Self { address, shared, tasks }
    }

    pub fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    pub fn requests(&self) -> Vec<Recorded> {
        self.shared.requests.lock().unwrap().clone()
    }

    /// Waits until one more connection has ended on this side.
    pub async fn ended(&self) {
        self.shared.ended.acquire().await.unwrap().forget();
    }

    /// Stops accepting connections.
    pub async fn stop(&mut self) {
        self.tasks.shutdown().await;
    }
}

async fn serve_raw(mut stream: TlsStream<TcpStream>, from: SocketAddr, reply: &Reply, shared: &Shared) {
    while let Some(request) = read_request(&mut stream, from).await {
        shared.requests.lock().unwrap().push(request);
        loop {
            if stream.write_all(&reply.bytes).await.is_err() || stream.flush().await.is_err() {
                return;
            }
            if reply.then != Then::Repeat {
                break;
            }
        }
        match reply.then {
            Then::NextRequest | Then::Repeat => {}
            Then::Close => {
                drop(stream.shutdown().await);
                return;
            }
            Then::Reset => {
                SockRef::from(stream.get_ref().0).set_linger(Some(std::time::Duration::ZERO)).unwrap();
                return;
            }
            Then::Hang => {
                drop(stream.read_to_end(&mut Vec::new()).await);
                return;
            }
        }
    }
}

async fn read_request(stream: &mut TlsStream<TcpStream>, from: SocketAddr) -> Option<Recorded> {
    let mut read = Vec::new();
    let head_bytes = loop {
        if let Some(end) = read.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        if stream.read_buf(&mut read).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(read[..head_bytes].to_vec()).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
    let mut body = read.split_off(head_bytes);
    while body.len() < length.parse().unwrap() {
        if stream.read_buf(&mut body).await.ok()? == 0 {
            return None;
        }
    }
    Some(Recorded { head, body, from })
}
