//! A server to test: the real one, on a loopback port and a folder of its own, with a clock that tests move by hand.

pub mod adverts;
pub mod client;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

use app::App;
use domain::{IdSource, Scope, Scopes};
use places::Gazetteer;
use serde_json::Value;
use server::config::{Config, Sources};
use server::http::Shared;
use server::serve::Server;
use store::sqlite::SqliteStore;
use tempfile::TempDir;
use testkit::clock::ManualClock;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use client::{Answer, Request};

/// The reference geography, read once for all tests.
pub fn gazetteer() -> Arc<Gazetteer> {
    static GAZETTEER: LazyLock<Arc<Gazetteer>> = LazyLock::new(|| Arc::new(Gazetteer::embedded().unwrap()));
    Arc::clone(&GAZETTEER)
}

/// Identifiers in order: the first is 1, the second 2.
#[derive(Default)]
pub struct SeededIds(AtomicU64);

impl IdSource for SeededIds {
    fn fresh(&self) -> Uuid {
        let number = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        Uuid::from_u128(0x0000_0000_0000_7000_8000_0000_0000_0000 | u128::from(number))
    }
}

/// A key of each scope, and one of all.
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
    pub clock: Arc<ManualClock>,
    pub keys: Keys,
    pub stop: CancellationToken,
    running: JoinSet<()>,
    // Last: the folder goes when everything on it is gone.
    folder: TempDir,
}

impl TestServer {
    pub async fn start() -> Self {
        Self::with("").await
    }

    /// A server with settings laid over the defaults, written as in a configuration file. Nothing leaves the house.
    pub async fn with(settings: &str) -> Self {
        Self::made(settings, |app, _| app).await
    }

    /// The same, and what is owed is brought.
    pub async fn bringing(settings: &str) -> Self {
        Self::made(settings, |app, config| server::open::with_dispatcher(app, config).unwrap()).await
    }

    async fn made(settings: &str, completed: impl FnOnce(App, &Config) -> App) -> Self {
        let folder = TempDir::new().unwrap();
        let store = Arc::new(SqliteStore::open(folder.path()).unwrap());
        let clock = Arc::new(ManualClock::at("2026-03-02T09:00:00Z".parse().unwrap()));
        // Ids of users come from elsewhere, so that those of adverts begin with 1 in every test.
        let keys =
            Keys::make(&App::new(store.clone(), clock.clone(), Arc::new(RandomKeyIds), gazetteer())).await;
        // However busy the machine is: a test that is about being too slow says how slow.
        let sources = Sources::defaults().file("patience", "[limits]\nrequest_timeout = \"10m\"\n");
        let sources = sources.file("test", settings);
        let sources = sources.flag("--listen", "server.listen", Some("127.0.0.1:0".to_owned()));
        let data = folder.path().to_str().unwrap().to_owned();
        let config = Config::load(sources.flag("--data", "store.data", Some(data))).unwrap();
        let app = App::new(store, clock.clone(), Arc::new(SeededIds::default()), gazetteer());
        let app = completed(app.with_index().with_matcher(), &config);
        let stop = CancellationToken::new();
        let server = Server::bind(Shared::new(app.clone(), config, stop.clone()).unwrap()).await.unwrap();
        let address = server.address().unwrap();
        let mut running = JoinSet::new();
        running.spawn(server.run());
        app.searchable().await;
        let server = Self { address, app, clock, keys, stop, running, folder };
        server.indexed().await;
        server
    }

    /// Waits until the index has followed everything that was acknowledged.
    pub async fn indexed(&self) {
        let caught_up = async {
            let head = self.app.store().head().borrow().0;
            while self.app.view().map_or(true, |view| view.position() < head) {
                tokio::task::yield_now().await;
            }
        };
        client::patiently(caught_up).await;
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Tells the server to stop and waits until it has.
    pub async fn shut_down(&mut self) {
        self.stop.cancel();
        self.running.join_next().await.unwrap().unwrap();
    }

    pub async fn send(&self, request: Request) -> Answer {
        client::exchange(self.address, &request).await
    }

    /// `GET` with a key that may do everything.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::new("GET", path).key(&self.keys.all)).await
    }

    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Request::new("DELETE", path).key(&self.keys.all)).await
    }

    /// `POST` of JSON with a key that may do everything.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Request::new("POST", path).key(&self.keys.all).json(body)).await
    }

    /// Sends bytes that claim to be JSON.
    pub async fn post_bytes(&self, body: impl Into<Vec<u8>>) -> Answer {
        self.send(Request::new("POST", "/adverts").key(&self.keys.all).body("application/json", body)).await
    }

    /// Sends lines in one request and reads all receipts.
    pub async fn post_lines(&self, body: impl Into<Vec<u8>>) -> Vec<Value> {
        let request = Request::new("POST", "/adverts").key(&self.keys.all).body("application/x-ndjson", body);
        let answer = self.send(request).await;
        assert_eq!((answer.status, answer.header("content-type")), (200, Some("application/x-ndjson")));
        answer.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Sends one advert that must be accepted; answers with the receipt.
    pub async fn accept(&self, advert: &Value) -> Value {
        let answer = self.post("/adverts", advert).await;
        assert!(matches!(answer.status, 200 | 201), "{} {}", answer.status, answer.text());
        answer.json()
    }

    /// The advert a receipt speaks of, as it reads now.
    pub async fn advert(&self, receipt: &Value) -> Value {
        self.get(receipt["@id"].as_str().unwrap()).await.ok()
    }

    /// The document of the property a receipt speaks of, as it reads now.
    pub async fn document(&self, receipt: &Value) -> Value {
        self.get(&format!("/documents{}", receipt["property"].as_str().unwrap())).await.ok()
    }

    /// How many entries the change log has.
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
    async fn make(app: &App) -> Self {
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
