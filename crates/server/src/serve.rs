//! The process: sockets, workers, shutdown.
//!
//! The accept loop is our own because the framework's never closes a slow client: one that connects and says nothing, or
//! drips its headers, would hold its connection for ever. Here headers have a deadline, and connections a limit.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use app::workers;
use app::workers::dispatcher::{self, Dispatcher};
use app::workers::indexer::{self, Indexer};
use app::workers::matcher::{self, Matcher};
use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::Limits;
use crate::http::{self, Shared};

/// Where snapshots of the index are, inside the data folder.
pub const INDEX_FOLDER: &str = "index";

/// How often deliveries are looked for that need not be kept any longer.
const FORGET_EVERY: Duration = Duration::from_secs(600);

/// How often what waits to be delivered is counted.
const MEASURE_EVERY: Duration = Duration::from_secs(5);

/// How often adverts that nobody has seen for long are looked for.
const EXPIRY_EVERY: Duration = Duration::from_secs(300);

/// How often the rate limiter forgets keys that stopped calling.
const TIDY_EVERY: Duration = Duration::from_secs(60);

/// A pause after `accept` failed, most likely for want of file descriptors: trying again at once would only burn the core.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A port that is taken, before there is anything to serve on it.
pub struct Listener(TcpListener);

impl Listener {
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        TcpListener::bind(address).await.map(Self)
    }

    pub fn serving(self, shared: Shared) -> Server {
        Server { listener: self.0, shared }
    }
}

/// A server that listens but does not answer yet.
pub struct Server {
    listener: TcpListener,
    shared: Shared,
}

impl Server {
    pub async fn bind(shared: Shared) -> io::Result<Self> {
        Ok(Listener::bind(shared.config.listen).await?.serving(shared))
    }

    /// Where it listens; the port the system chose when none was asked for.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until told to stop, then finishes what is under way.
    pub async fn run(self) {
        let Self { listener, shared } = self;
        let stop = shared.stop.clone();
        start_workers(&shared);
        // Requests under way wait for the index, so that it ends after them.
        let (following, stop_following) = (TaskTracker::new(), CancellationToken::new());
        start_followers(&shared, &following, &stop_following);
        let connections = accept_until(&listener, &shared, &stop).await;
        drop(listener);
        tracing::info!("shutting down");
        shared.tasks.close();
        let finish = async {
            connections.shutdown().await;
            shared.tasks.wait().await;
            stop_following.cancel();
            following.wait().await;
        };
        if tokio::time::timeout(shared.config.limits.shutdown_timeout, finish).await.is_err() {
            tracing::warn!("some requests did not finish in time");
        }
        // In case they did not: whatever is left ends by itself.
        stop_following.cancel();
    }
}

async fn accept_until(listener: &TcpListener, shared: &Shared, stop: &CancellationToken) -> GracefulShutdown {
    let router = http::router(shared);
    let connections = GracefulShutdown::new();
    let limits = &shared.config.limits;
    let slots = Arc::new(Semaphore::new(limits.connections_max));
    let settings = connection_settings(limits);
    loop {
        let accept = async {
            // A connection beyond the limit waits in the system's queue until another one closes.
            let slot = Arc::clone(&slots).acquire_owned().await.ok()?;
            Some((slot, listener.accept().await))
        };
        let accepted = tokio::select! {
            () = stop.cancelled() => return connections,
            accepted = accept => accepted,
        };
        match accepted {
            Some((slot, Ok((socket, _peer)))) => {
                serve_connection(socket, slot, &settings, &router, shared, &connections);
            }
            Some((_slot, Err(error))) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a connection could not be accepted"
                );
                let _ = tokio::time::timeout(ACCEPT_PAUSE, stop.cancelled()).await;
            }
            None => return connections,
        }
    }
}

fn connection_settings(limits: &Limits) -> http1::Builder {
    let mut settings = http1::Builder::new();
    settings
        .timer(TokioTimer::new())
        .header_read_timeout(limits.header_timeout)
        // Twice the limit, so that a request somewhat over it is read and answered in words, and one far over it is cut off.
        .max_buf_size((limits.header_bytes_max * 2).max(MAX_BUF_SIZE_LEAST));
    settings
}

/// The least the HTTP library allows.
const MAX_BUF_SIZE_LEAST: usize = 8192;

fn serve_connection(
    socket: TcpStream,
    slot: OwnedSemaphorePermit,
    settings: &http1::Builder,
    router: &Router,
    shared: &Shared,
    connections: &GracefulShutdown,
) {
    // Answers are written whole; waiting to fill a packet only delays them.
    let _ = socket.set_nodelay(true);
    let service = TowerToHyperService::new(router.clone());
    let connection = connections.watch(settings.serve_connection(TokioIo::new(socket), service));
    let metrics = Shared::clone(shared);
    metrics.metrics.connections.inc();
    shared.tasks.spawn(async move {
        if let Err(error) = connection.await {
            // A client's doing: a reset, a deadline, a malformed request.
            tracing::debug!(error = &error as &dyn std::error::Error, "a connection ended early");
        }
        metrics.metrics.connections.dec();
        drop(slot);
    });
}

/// The index and the matcher follow the store, if this process has them.
fn start_followers(shared: &Shared, tasks: &TaskTracker, stop: &CancellationToken) {
    let (config, behind) = (&shared.config, shared.background.handle());
    let settings =
        indexer::Settings { folder: config.data.join(INDEX_FOLDER), snapshot_every: config.snapshot_every };
    if let Some(indexer) = Indexer::new(&shared.app, settings) {
        tasks.spawn_on(indexer::run(indexer, stop.clone()), &behind);
        tasks.spawn_on(indexer::maintain(shared.app.clone(), stop.clone()), &behind);
    }
    if let Some(matcher) = Matcher::new(&shared.app) {
        tasks.spawn_on(matcher::run(matcher, stop.clone()), &behind);
    }
    // It begins nothing new from the moment the process is to end, so that what is under way is done by the time the others are.
    let _on_that_runtime = behind.enter();
    match Dispatcher::new(&shared.app) {
        Ok(Some(dispatcher)) => {
            drop(tasks.spawn_on(dispatcher::run(dispatcher, shared.stop.clone()), &behind))
        }
        Ok(None) => {}
        Err(error) => {
            tracing::error!(error = &error as &dyn std::error::Error, "what is owed cannot be brought");
        }
    }
    tasks.close();
}

fn start_workers(shared: &Shared) {
    let (app, stop, stopping) = (shared.app.clone(), shared.stop.clone(), shared.stop.clone());
    shared.tasks.spawn(workers::repeat_later("retention", FORGET_EVERY, stop, move || {
        let (app, stop) = (app.clone(), stopping.clone());
        async move { app.prune_deliveries(&stop).await }
    }));
    let (app, stop) = (shared.app.clone(), shared.stop.clone());
    let measure = workers::repeat("queue depth", MEASURE_EVERY, stop, move || {
        let app = app.clone();
        async move { app.measure_queue().await }
    });
    shared.tasks.spawn_on(measure, &shared.background.handle());
    if let Some(age) = shared.config.expire_after {
        let (app, stop) = (shared.app.clone(), shared.stop.clone());
        shared.tasks.spawn(workers::repeat_later("expiry", EXPIRY_EVERY, stop, move || {
            let app = app.clone();
            async move {
                let expired = workers::expiry::run_once(&app, age).await?;
                if expired > 0 {
                    tracing::info!(adverts = expired, "adverts expired because they were not seen");
                }
                Ok(())
            }
        }));
    }
    if shared.rate_limits.is_some() {
        let (shared, stop) = (shared.clone(), shared.stop.clone());
        let tasks = shared.tasks.clone();
        tasks.spawn(workers::repeat("rate limits", TIDY_EVERY, stop, move || {
            if let Some(limits) = &shared.rate_limits {
                limits.tidy();
            }
            std::future::ready(Ok(()))
        }));
    }
}
