//! The server process: sockets, workers, shutdown.
//!
//! The accept loop is our own because axum's never closes a slow client: one that connects and sends nothing, or trickles
//! its headers, would hold its connection for ever. Here connections have limits, in total and for each address, and every wait for
//! a client has a deadline ([`connection`](crate::connection)).

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use app::search::shared::SharedSnapshots;
use app::workers;
use app::workers::dispatcher::{self, Dispatcher};
use app::workers::indexer::{self, Indexer};
use app::workers::matcher::{self, Matcher};
use app::workers::publisher;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::config::SharedIndex;
use crate::connection::{Addresses, CloseReason, Connections};
use crate::http::{Shared, status};
use crate::scheduled_backup::{self, ScheduledBackup};
use crate::shared_index::SharedIndexStorage;
use crate::status::history::SAMPLE_INTERVAL;

/// Folder of index snapshots, inside the data folder.
pub const INDEX_FOLDER: &str = "index";

/// How often what is older than `delivery.retention` and the settings of `retention` is deleted.
const RETENTION_INTERVAL: Duration = Duration::from_secs(600);

/// How often the depth of the delivery queue is measured.
const MEASURE_INTERVAL: Duration = Duration::from_secs(5);

/// How often adverts older than `adverts.expire_after` are looked for.
const EXPIRY_INTERVAL: Duration = Duration::from_secs(300);

/// How often the rate limiter drops idle keys.
const RATE_LIMIT_CLEANUP_INTERVAL: Duration = Duration::from_secs(60);

/// How often usage is added to the store. A crash loses what was counted since.
const USAGE_INTERVAL: Duration = Duration::from_secs(5);

/// How long the last write of usage may take at shutdown.
const USAGE_TIMEOUT: Duration = Duration::from_secs(5);

/// How often keys that another process has changed are looked for: a key that `vigie keys revoke` revokes stops working this soon.
const KEYS_INTERVAL: Duration = Duration::from_millis(500);
/// How long a server whose database accepts no more writes still answers: long enough for requests in progress, and for a probe to
/// see that it is not healthy.
const FAILURE_GRACE: Duration = Duration::from_secs(2);

/// Pause after a failed `accept`, usually for lack of file descriptors: an immediate retry would spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// A bound port without a service yet.
pub struct Listener(TcpListener);

impl Listener {
    pub async fn bind(address: SocketAddr) -> io::Result<Self> {
        TcpListener::bind(address).await.map(Self)
    }

    pub fn serving(self, shared: Shared) -> Server {
        Server { listener: self.0, shared }
    }
}

/// A server that listens but does not accept connections yet.
pub struct Server {
    listener: TcpListener,
    shared: Shared,
}

impl Server {
    pub async fn bind(shared: Shared) -> io::Result<Self> {
        Ok(Listener::bind(shared.config.listen).await?.serving(shared))
    }

    /// Returns the address it listens on, with the port the system chose if the configured port is 0.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until `shared.stop` is cancelled, then finishes the requests in progress. Cancels it itself a moment after the database
    /// has failed: only a restart helps then.
    pub async fn run(self) {
        let Self { listener, shared } = self;
        let stop = shared.stop.clone();
        start_workers(&shared);
        shared.tasks.spawn(stop_after_failure(shared.app.clone(), stop.clone()));
        // Requests in progress wait for the index, so followers stop after them.
        let (following, stop_following) = (TaskTracker::new(), CancellationToken::new());
        start_followers(&shared, &following, &stop_following);
        accept_until(&listener, &shared, &stop).await;
        drop(listener);
        tracing::info!("shutting down: finishing requests in progress");
        shared.tasks.close();
        let finish = async {
            // Connections are among the tasks.
            shared.tasks.wait().await;
            stop_following.cancel();
            following.wait().await;
        };
        if tokio::time::timeout(shared.config.limits.shutdown_timeout, finish).await.is_err() {
            tracing::warn!(
                timeout = ?shared.config.limits.shutdown_timeout,
                "shutdown timed out (limits.shutdown_timeout): some requests or background tasks were cut off"
            );
        }
        // After a timeout: the remaining tasks end with the process.
        stop_following.cancel();
        match tokio::time::timeout(USAGE_TIMEOUT, shared.app.flush_usage()).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!(
                error = &error as &dyn std::error::Error,
                "the usage of the last seconds is lost: the database cannot be written"
            ),
            Err(_elapsed) => tracing::warn!("the usage of the last seconds is lost: the database is busy"),
        }
    }
}

/// Stops the server when its database accepts no more writes.
async fn stop_after_failure(app: App, stop: CancellationToken) {
    let failure = tokio::select! {
        () = stop.cancelled() => return,
        failure = app.wait_for_store_failure() => failure,
    };
    tracing::error!(reason = failure.description(), "the server stops, because only a restart helps");
    let _ = tokio::time::timeout(FAILURE_GRACE, stop.cancelled()).await;
    stop.cancel();
}

async fn accept_until(listener: &TcpListener, shared: &Shared, stop: &CancellationToken) {
    let connections = Connections::new(shared);
    let limits = &shared.config.limits;
    let slots = Arc::new(Semaphore::new(limits.connections_max));
    let addresses = Addresses::new(limits.connections_per_address_max);
    loop {
        let accept = async {
            // Connections beyond the limit wait in the kernel's queue until another one closes.
            let slot = Arc::clone(&slots).acquire_owned().await.ok()?;
            Some((slot, listener.accept().await))
        };
        let accepted = tokio::select! {
            () = stop.cancelled() => return,
            accepted = accept => accepted,
        };
        match accepted {
            Some((slot, Ok((stream, peer)))) => match addresses.acquire(peer.ip()) {
                Some(permit) => connections.serve(stream, peer.ip(), (slot, permit)),
                None => {
                    shared.metrics.count_closed(CloseReason::AddressLimit);
                    // Reset, so that nothing of it is left behind.
                    let _ = stream.set_zero_linger();
                }
            },
            Some((_slot, Err(error))) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "failed to accept a connection; retrying. If this repeats, raise the limit of open files (ulimit -n)"
                );
                let _ = tokio::time::timeout(ACCEPT_PAUSE, stop.cancelled()).await;
            }
            None => return,
        }
    }
}

/// Loads what grouping knows about the stock. A failure is not the end: the first write tries again, and reports it.
async fn prepare_grouping(app: App, stop: CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        loaded = app.prepare_grouping() => {
            if let Err(error) = loaded {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "cannot load the signatures of adverts; the first write tries again"
                );
            }
        }
    }
}

/// Returns the folder for the index: what was indexed from one database must not be used with another.
pub fn index_folder(shared: &Shared) -> PathBuf {
    shared.config.data.join(index_name(shared))
}

fn index_name(shared: &Shared) -> String {
    match shared.app.shared_identity() {
        None => INDEX_FOLDER.to_owned(),
        Some(identity) => format!("{INDEX_FOLDER}-{identity}"),
    }
}

/// Returns the storage in which servers on this database share snapshots of the index, if that is configured.
fn shared_snapshots(shared: &Shared) -> Option<Arc<dyn SharedSnapshots>> {
    let SharedIndex { shared: address, s3 } = &shared.config.index;
    // Several databases may use the same place.
    let address = address.as_ref()?.join(&index_name(shared));
    // The second half of an id is random.
    let (_, writer) = shared.app.fresh_id().as_u64_pair();
    match SharedIndexStorage::open(&address, s3, writer, shared.stop.clone()) {
        Ok(storage) => Some(Arc::new(storage)),
        Err(error) => {
            // The settings were checked at the start.
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "snapshots of the index are not shared (index.shared)"
            );
            None
        }
    }
}

/// Starts the followers of the change log that this process has: indexer, matcher, dispatcher.
fn start_followers(shared: &Shared, tasks: &TaskTracker, stop: &CancellationToken) {
    let (config, background) = (&shared.config, shared.background.handle());
    let settings = indexer::Settings {
        folder: index_folder(shared),
        snapshot_interval: config.snapshot_interval,
        shared: shared_snapshots(shared),
    };
    if let Some(indexer) = Indexer::new(&shared.app, settings) {
        let app = || shared.app.clone();
        if let Some(publisher) = indexer.publisher() {
            // It stops with the process: the shutdown does not wait for an upload.
            let run = publisher::run(publisher, shared.stop.clone());
            tasks.spawn_on(app().supervise(publisher::NAME, shared.stop.clone(), run), &background);
        }
        let run = indexer::run(indexer, stop.clone());
        tasks.spawn_on(app().supervise("indexer", stop.clone(), run), &background);
        let merge = indexer::maintain(app(), stop.clone());
        tasks.spawn_on(app().supervise("segment merges", stop.clone(), merge), &background);
    }
    tasks.spawn_on(prepare_grouping(shared.app.background(), stop.clone()), &background);
    if let Some(matcher) = Matcher::new(&shared.app) {
        let run = matcher::run(matcher, stop.clone());
        tasks.spawn_on(shared.app.clone().supervise("matcher", stop.clone(), run), &background);
    }
    // The dispatcher stops with the process, not with the followers: it starts no new attempt after that, so that attempts
    // in progress end while the followers still run.
    let _in_background = background.enter();
    match Dispatcher::new(&shared.app) {
        Ok(Some(dispatcher)) => {
            let run = dispatcher::run(dispatcher, shared.stop.clone());
            let run = shared.app.clone().supervise("dispatcher", shared.stop.clone(), run);
            drop(tasks.spawn_on(run, &background))
        }
        Ok(None) => {}
        Err(error) => {
            shared.app.worker_ended("dispatcher");
            tracing::error!(
                error = &error as &dyn std::error::Error,
                "the dispatcher failed to start: no webhooks or e-mails are sent until the server is restarted"
            );
        }
    }
    tasks.close();
}

/// Starts the periodic tasks.
fn start_workers(shared: &Shared) {
    let (app, stop, settings) = (shared.app.background(), shared.stop.clone(), shared.config.retention);
    let stopping = stop.clone();
    let retention = workers::repeat_later("retention", RETENTION_INTERVAL, stop.clone(), move || {
        let (app, stop) = (app.clone(), stopping.clone());
        async move { workers::retention::run_once(&app, settings, &stop).await.map(drop) }
    });
    let retention = shared.app.clone().supervise("retention", stop, retention);
    shared.tasks.spawn_on(retention, &shared.background.handle());
    let prices = workers::prices::run(
        shared.app.background(),
        workers::prices::Settings::default(),
        shared.stop.clone(),
    );
    let prices = shared.app.clone().supervise("prices", shared.stop.clone(), prices);
    shared.tasks.spawn_on(prices, &shared.background.handle());
    let (app, stop) = (shared.app.background(), shared.stop.clone());
    let measure = workers::repeat("queue depth", MEASURE_INTERVAL, stop, move || {
        let app = app.clone();
        async move { app.measure_queue().await }
    });
    shared.tasks.spawn_on(measure, &shared.background.handle());
    if let Some(age) = shared.config.expire_after {
        let (app, stop) = (shared.app.background(), shared.stop.clone());
        let expire = workers::repeat_later("expiry", EXPIRY_INTERVAL, stop, move || {
            let app = app.clone();
            async move {
                let expired = workers::expiry::run_once(&app, age).await?;
                if expired > 0 {
                    tracing::info!(
                        adverts = expired,
                        "adverts expired: not seen within adverts.expire_after"
                    );
                }
                Ok(())
            }
        });
        shared.tasks.spawn_on(expire, &shared.background.handle());
    }
    let (app, stop) = (shared.app.clone(), shared.stop.clone());
    shared.tasks.spawn(workers::repeat_later("usage", USAGE_INTERVAL, stop, move || {
        let app = app.clone();
        async move { app.flush_usage().await }
    }));
    let (app, stop, retention) = (shared.app.clone(), shared.stop.clone(), shared.config.usage_retention);
    shared.tasks.spawn(workers::repeat_later("usage retention", RETENTION_INTERVAL, stop, move || {
        let app = app.clone();
        async move { app.prune_usage(retention).await }
    }));
    let (app, stop) = (shared.app.clone(), shared.stop.clone());
    shared.tasks.spawn(workers::repeat("keys", KEYS_INTERVAL, stop, move || {
        let app = app.clone();
        async move { app.refresh_keys().await }
    }));
    if let Some(target) = shared.config.backup.target.clone() {
        let scheduled = Arc::new(ScheduledBackup::new(target));
        let (tasks, background) = (shared.tasks.clone(), shared.background.handle());
        let (shared, stop) = (shared.clone(), shared.stop.clone());
        let run = workers::repeat_later("backup", scheduled_backup::CHECK_INTERVAL, stop, move || {
            let (shared, scheduled) = (shared.clone(), Arc::clone(&scheduled));
            async move {
                scheduled.run_once(&shared).await;
                Ok(())
            }
        });
        tasks.spawn_on(run, &background);
    }
    let (sampled, stop) = (shared.clone(), shared.stop.clone());
    let sample = workers::repeat("status", SAMPLE_INTERVAL, stop, move || {
        let sampled = sampled.clone();
        async move {
            let measured = sampled.app.measure_store().await;
            status::sample(&sampled);
            measured
        }
    });
    shared.tasks.spawn_on(sample, &shared.background.handle());
    let (limits, stop) = (shared.clone(), shared.stop.clone());
    shared.tasks.spawn(workers::repeat("rate limits", RATE_LIMIT_CLEANUP_INTERVAL, stop, move || {
        limits.rate_limits.drop_idle_keys();
        limits.sign_in_limit.drop_idle();
        std::future::ready(Ok(()))
    }));
}
