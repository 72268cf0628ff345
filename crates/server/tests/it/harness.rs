//! Starts real servers for tests, each on its own loopback port and data folder, with a clock that tests advance by hand.

pub mod adverts;
pub mod client;
mod described;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use app::App;
use domain::{IdSource, Scope, Scopes};
use places::Gazetteer;
use serde_json::Value;
use server::config::{Config, Sources};
use server::http::Shared;
use server::serve::{INDEX_FOLDER, Server};
use store::{Priority, SqlStore};
use tempfile::TempDir;
use testkit::clock::ManualClock;
use tokio::task::JoinSet;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use client::{Request, Response};

/// Returns the reference geography, loaded once for all tests.
pub fn gazetteer() -> Arc<Gazetteer> {
    static GAZETTEER: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
    Arc::clone(&GAZETTEER)
}

/// Sequential ids, starting at 1.
#[derive(Default)]
pub struct SeededIds(AtomicU64);

/// The ids of a restarted server start after this one, so that they are new.
const RESTARTED: u64 = 1 << 32;

impl IdSource for SeededIds {
    fn fresh(&self) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
    }
}

/// One key per scope, and one with all scopes.
pub struct Keys {
    pub all: String,
    pub read: String,
    pub searches: String,
    pub ingest: String,
    pub admin: String,
}

pub struct TestServer {
    pub address: SocketAddr,
    pub app: App,
    /// To inject faults.
    pub database: Arc<SqlStore>,
    pub clock: Arc<ManualClock>,
    pub keys: Keys,
    pub stop: CancellationToken,
    /// Workers run on a runtime of the server's own, and would outlive the test.
    _stopped: DropGuard,
    running: JoinSet<()>,
    // Last, because fields are dropped in order: the folder must outlive the server.
    folder: TempDir,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::with("").await
    }

    /// Starts a server with settings on top of the defaults, written as in a configuration file. It has no dispatcher.
    pub async fn with(settings: &str) -> Self {
        Self::build(settings, |app, _| app).await
    }

    /// Like [`Self::with`], with a dispatcher.
    pub async fn with_dispatcher(settings: &str) -> Self {
        Self::build(settings, |app, config| server::open::with_dispatcher(app, config).unwrap()).await
    }

    async fn build(settings: &str, finish: impl FnOnce(App, &Config) -> App) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(test_database::open(folder.path()));
        let clock = Arc::new(ManualClock::at("2026-03-02T09:00:00Z".parse().unwrap()));
        // User ids come from another source, so that advert ids start at 1 in every test.
        let keys =
            Keys::create(&App::new(store.clone(), clock.clone(), Arc::new(RandomKeyIds), gazetteer())).await;
        Self::build_in(folder, store, clock, keys, SeededIds::default(), settings, finish).await
    }

    /// Stops the server, and starts another one with the default settings on the same folder.
    pub async fn restarted(mut self) -> Self {
        self.shut_down().await;
        let Self { app, database, clock, keys, folder, .. } = self;
        drop((app, database));
        let store = Arc::new(test_database::open(folder.path()));
        let ids = SeededIds(AtomicU64::new(RESTARTED));
        Self::build_in(folder, store, clock, keys, ids, "", |app, _| app).await
    }

    async fn build_in(
        folder: TempDir,
        store: Arc<SqlStore>,
        clock: Arc<ManualClock>,
        keys: Keys,
        ids: SeededIds,
        settings: &str,
        finish: impl FnOnce(App, &Config) -> App,
    ) -> Self {
        let database = Arc::clone(&store);
        // For slow machines. Tests about timeouts set their own.
        let patience = "[limits]\nrequest_timeout = \"10m\"\ntransfer_timeout = \"10m\"\n";
        let sources = Sources::defaults().file("patience", patience);
        let sources = sources.file("test", settings);
        let sources = sources.flag("--listen", "server.listen", Some("127.0.0.1:0".to_owned()));
        let data = folder.path().to_str().unwrap().to_owned();
        let config = Config::load(sources.flag("--data", "store.data", Some(data))).unwrap();
        let background = Arc::new(store.with_priority(Priority::Background));
        let app =
            App::new(store, clock.clone(), Arc::new(ids), gazetteer()).with_background_store(background);
        let app = server::open::configured(app, &config);
        let app = finish(app.with_index().with_matcher(), &config);
        let stop = CancellationToken::new();
        let server = Server::bind(Shared::new(app.clone(), config, stop.clone()).unwrap()).await.unwrap();
        let address = server.address().unwrap();
        let mut running = JoinSet::new();
        running.spawn(server.run());
        app.wait_until_searchable().await;
        let _stopped = stop.clone().drop_guard();
        let server = Self { address, app, database, clock, keys, stop, _stopped, running, folder };
        server.indexed().await;
        server
    }

    /// Waits until the index contains everything that was acknowledged.
    pub async fn indexed(&self) {
        let caught_up = async {
            let head = self.app.store().head().borrow().0;
            while self.app.index_searcher().map_or(true, |view| view.position() < head) {
                tokio::task::yield_now().await;
            }
        };
        client::with_timeout(caught_up).await;
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the folder of index snapshots, whose name has the identity of the database if that is on PostgreSQL.
    pub fn index_folder(&self) -> PathBuf {
        let entries = std::fs::read_dir(self.folder()).unwrap().map(|entry| entry.unwrap());
        let mut indexes = entries.filter(|it| it.file_name().to_string_lossy().starts_with(INDEX_FOLDER));
        indexes.next().unwrap().path()
    }

    /// Stops the server and waits until it has ended.
    pub async fn shut_down(&mut self) {
        self.stop.cancel();
        self.running.join_next().await.unwrap().unwrap();
    }

    /// Waits until the server has ended by itself.
    pub async fn ended(&mut self) {
        client::with_timeout(self.running.join_next()).await.unwrap().unwrap();
    }

    pub async fn send(&self, request: Request) -> Response {
        client::exchange(self.address, &request).await
    }

    /// Sends `GET` with the key of all scopes.
    pub async fn get(&self, path: &str) -> Response {
        self.send(Request::new("GET", path).key(&self.keys.all)).await
    }

    pub async fn delete(&self, path: &str) -> Response {
        self.send(Request::new("DELETE", path).key(&self.keys.all)).await
    }

    /// Sends a JSON `POST` with the key of all scopes.
    pub async fn post(&self, path: &str, body: &Value) -> Response {
        self.send(Request::new("POST", path).key(&self.keys.all).json(body)).await
    }

    /// Sends an advert, or an array of them, that must be read strictly.
    pub async fn post_strict(&self, body: &Value) -> Response {
        self.post_bytes_strict(serde_json::to_vec(body).unwrap()).await
    }

    pub async fn post_bytes_strict(&self, body: impl Into<Vec<u8>>) -> Response {
        let request =
            Request::new("POST", "/adverts").key(&self.keys.all).header("Prefer", "handling=strict");
        self.send(request.body("application/json", body)).await
    }

    /// Sends bytes with the content type of JSON.
    pub async fn post_bytes(&self, body: impl Into<Vec<u8>>) -> Response {
        self.send(Request::new("POST", "/adverts").key(&self.keys.all).body("application/json", body)).await
    }

    /// Sends NDJSON in one request and returns all receipts.
    pub async fn post_lines(&self, body: impl Into<Vec<u8>>) -> Vec<Value> {
        let request = Request::new("POST", "/adverts").key(&self.keys.all).body("application/x-ndjson", body);
        let response = self.send(request).await;
        assert_eq!((response.status, response.header("content-type")), (200, Some("application/x-ndjson")));
        response.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Sends an advert that must be accepted. Returns its receipt.
    pub async fn accept(&self, advert: &Value) -> Value {
        let response = self.post("/adverts", advert).await;
        assert!(matches!(response.status, 200 | 201), "{} {}", response.status, response.text());
        response.json()
    }

    /// Returns the current state of the advert of a receipt.
    pub async fn advert(&self, receipt: &Value) -> Value {
        self.get(receipt["@id"].as_str().unwrap()).await.ok()
    }

    /// Returns the current document of the property of a receipt, which may have been merged into another one since.
    pub async fn document(&self, receipt: &Value) -> Value {
        let response = self.get(&format!("/documents{}", receipt["property"].as_str().unwrap())).await;
        match response.header("location") {
            Some(survivor) if response.status == 301 => self.get(survivor).await.ok(),
            _ => response.ok(),
        }
    }

    /// Returns the number of entries in the change log.
    pub async fn log_length(&self) -> usize {
        self.app.store().log_after(store::Position::START, usize::MAX).await.unwrap().len()
    }
}

struct RandomKeyIds;

impl IdSource for RandomKeyIds {
    fn fresh(&self) -> Uuid {
        app::system::RandomIds.fresh()
    }
}

impl Keys {
    async fn create(app: &App) -> Self {
        let key = async |scopes: Scopes| app.create_key("tester", scopes).await.unwrap().1.reveal();
        let one = |scope: Scope| [scope].into_iter().collect();
        Self {
            all: key(Scopes::all()).await,
            read: key(one(Scope::Read)).await,
            searches: key(one(Scope::Searches)).await,
            ingest: key(one(Scope::Ingest)).await,
            admin: key(one(Scope::Admin)).await,
        }
    }
}
