//! Several servers on one PostgreSQL database, all of which can be killed.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::system::SystemClock;
use domain::ports::Clock;
use local_postgres::Server;
use rustix::process::Signal;
use store::prelude::*;
use store::{ChangeSet, SqlStore};
use tempfile::TempDir;

use crate::chance::Chance;
use crate::connection::Connection;
use crate::place::Place;
use crate::process::{self, Listening, Process};

/// A commit reaches the operating system before it is acknowledged, so that it survives the end of all processes.
const SETTINGS: &str = "fsync = off\nfull_page_writes = off\nmax_connections = 200";

/// If there is no receipt for this long, the test fails. A server that is paused during a write keeps all others from writing until
/// the database ends its session.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What servers may log while they or their database are killed.
const EXPECTED_WARNINGS: [&str; 4] = [
    "leases of delivery attempts expired",
    "the database cannot be reached",
    "the store cannot be read or written",
    "the store is unavailable",
];

pub struct Cluster {
    pub nodes: Vec<Node>,
    database: Mutex<Server>,
    name: String,
    url: String,
    settings: Vec<(&'static str, String)>,
    /// The test's own connection.
    store: SqlStore,
    receipts: Receipts,
    _folder: TempDir,
}

/// A server with a folder of its own, which survives it.
pub struct Node {
    place: Place,
    running: Mutex<Option<Listening>>,
    address: Mutex<Option<SocketAddr>>,
    changed: Condvar,
    is_over: AtomicBool,
}

/// The receipts that all clients got.
#[derive(Default)]
struct Receipts {
    count: AtomicUsize,
    lock: Mutex<()>,
    changed: Condvar,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cluster {
    pub fn new(nodes: usize, settings: Vec<(&'static str, String)>) -> Self {
        let folder = TempDir::new().unwrap();
        let programs = Server::programs().expect("PostgreSQL is not installed");
        let server = Server::start(programs, folder.path(), SETTINGS).unwrap();
        let name = server.create_database();
        let url = server.url(&name);
        let store = SqlStore::connect(&url.parse().unwrap()).unwrap();
        let node = |_| Node {
            place: Place::on(url.clone()),
            running: Mutex::default(),
            address: Mutex::default(),
            changed: Condvar::new(),
            is_over: AtomicBool::new(false),
        };
        Self {
            nodes: (0..nodes).map(node).collect(),
            database: Mutex::new(server),
            name,
            settings,
            store,
            receipts: Receipts::default(),
            _folder: folder,
            url,
        }
    }

    /// Returns a place to read the database from.
    pub fn place(&self) -> Place {
        Place::on(self.url.clone())
    }

    pub const fn store(&self) -> &SqlStore {
        &self.store
    }

    pub fn start(&self, node: &Node) {
        let server = Process::start_with(&node.place, &self.settings).listening();
        node.set(Some(server.address()));
        *lock(&node.running) = Some(server);
    }

    /// Kills a server and starts it again, possibly after another one that is killed before it listens.
    pub fn kill(&self, node: &Node, chance: &mut Chance) {
        node.end(Signal::KILL);
        if chance.below(4) == 0 {
            Process::start_with(&node.place, &self.settings).kill_while_starting(chance);
        }
        self.start(node);
    }

    /// Pauses a server until the others have gone on without it, and until another one matches if it did.
    pub fn pause(&self, node: &Node) {
        let running = lock(&node.running);
        let server = running.as_ref().expect("it runs");
        server.pause();
        // A renewal of the paused server may be on its way.
        for _ in 0..2 {
            let before = self.matcher_held_until();
            process::poll("a server matches", || (self.matcher_held_until() != before).then_some(()));
        }
        self.wait_for_receipts(20);
        server.resume();
    }

    fn matcher_held_until(&self) -> Option<String> {
        let database = lock(&self.database);
        database.query(&self.name, "SELECT held_until FROM worker_role WHERE name = 'matcher'").pop()
    }

    /// Kills the database and starts it again.
    pub fn kill_database(&self) {
        let mut database = lock(&self.database);
        database.kill().unwrap();
        database.restart().unwrap();
    }

    /// Ends about half of the connections to the database.
    pub fn drop_connections(&self) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
             AND pid <> pg_backend_pid() AND random() < 0.5";
        lock(&self.database).execute(&self.name, end);
    }

    /// Describes what the connections to the database do.
    fn sessions(&self) -> Vec<String> {
        let sessions = "SELECT concat_ws(' ', pid, state, wait_event_type, wait_event, now() - state_change, pg_blocking_pids(pid), query)
             FROM pg_stat_activity WHERE datname = current_database() ORDER BY state_change";
        lock(&self.database).query(&self.name, sessions)
    }

    /// Waits until no write is under way whose outcome a client does not know, such as one of a server that was killed.
    pub async fn settle_writes(&self) {
        let nothing = || ChangeSet { recorded_at: SystemClock.now(), steps: Vec::new(), grouped_at: None };
        // Fails while the database restarts.
        while self.store.commit(nothing()).await.is_err() {
            assert_eq!(*self.store.failure().borrow(), None);
        }
    }

    pub fn count_receipts(&self, new: usize) {
        self.receipts.count.fetch_add(new, Ordering::SeqCst);
        let _guard = lock(&self.receipts.lock);
        self.receipts.changed.notify_all();
    }

    pub fn receipts(&self) -> usize {
        self.receipts.count.load(Ordering::SeqCst)
    }

    /// Waits until clients got this many more receipts.
    pub fn wait_for_receipts(&self, more: usize) {
        let enough = self.receipts() + more;
        let mut guard = lock(&self.receipts.lock);
        while self.receipts() < enough {
            let before = self.receipts();
            let waited = self.receipts.changed.wait_timeout(guard, TIMEOUT).unwrap();
            guard = waited.0;
            assert!(
                self.receipts() > before || !waited.1.timed_out(),
                "no receipt for {TIMEOUT:?}: {:#?}",
                self.sessions()
            );
        }
    }

    /// Stops all servers gracefully.
    pub fn stop(&self) {
        for node in &self.nodes {
            node.end(Signal::TERM);
        }
    }

    /// Lets clients end when their server does.
    pub fn end_clients(&self) {
        for node in &self.nodes {
            node.is_over.store(true, Ordering::SeqCst);
        }
    }
}

impl Node {
    fn set(&self, address: Option<SocketAddr>) {
        *lock(&self.address) = address;
        self.changed.notify_all();
    }

    fn end(&self, signal: Signal) {
        self.set(None);
        let server = lock(&self.running).take().expect("it runs");
        let mut warnings = server.end(signal);
        warnings.retain(|line| !EXPECTED_WARNINGS.iter().any(|expected| line.contains(expected)));
        assert!(warnings.is_empty(), "{warnings:#?}");
    }

    /// Returns `true` as soon as the server listens, and `false` when the test is over.
    pub fn is_listening(&self) -> bool {
        let mut address = lock(&self.address);
        loop {
            if self.is_over.load(Ordering::SeqCst) {
                return false;
            }
            if address.is_some() {
                return true;
            }
            address = self.changed.wait(address).unwrap();
        }
    }

    pub fn address(&self) -> SocketAddr {
        lock(&self.address).expect("it listens")
    }

    pub fn connect(&self) -> io::Result<Connection> {
        let address = *lock(&self.address);
        let mut connection = Connection::open(address.ok_or(io::ErrorKind::ConnectionRefused)?)?;
        connection.tolerate_unavailable();
        Ok(connection)
    }
}
