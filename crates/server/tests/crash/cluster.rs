//! Several servers on one PostgreSQL database, all of which can be killed.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use app::system::SystemClock;
use domain::ports::Clock;
use local_postgres::Patroni;
use rustix::process::Signal;
use store::prelude::*;
use store::{ChangeSet, SqlStore};

use crate::chance::Chance;
use crate::connection::Connection;
use crate::database::Database;
use crate::place::Place;
use crate::process::{self, Listening, Process};

/// If there is no receipt for this long, the test fails. A server that is paused during a write keeps all others from writing until
/// the database ends its session.
const TIMEOUT: Duration = Duration::from_secs(120);

/// What a server says that finds no database when it starts.
const UNREACHABLE: &str = "the store is unavailable";

/// What servers may log while they or their database are killed or paused. A write that waits for the index while its server is paused
/// has waited too long when the server goes on.
const EXPECTED_WARNINGS: [&str; 5] = [
    "leases of delivery attempts expired",
    "the index lags behind",
    "the database cannot be reached",
    "the store cannot be read or written",
    "the store is unavailable",
];

/// What a server logs that has read changes which the database has lost.
const RESTARTED: &str = "starting again with an empty index";
const LOSS_WARNINGS: [&str; 3] = [RESTARTED, "lost changes", "is listening"];

pub struct Cluster {
    pub nodes: Vec<Node>,
    database: Mutex<Database>,
    url: String,
    settings: Vec<(&'static str, String)>,
    /// The test's own connection.
    store: SqlStore,
    receipts: Receipts,
    has_failed: AtomicBool,
}

/// A server with a folder of its own, which survives it.
pub struct Node {
    place: Place,
    /// The same after every start: a server that starts itself again uses it, too.
    port: u16,
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
    pub fn new(nodes: usize, database: Database, settings: Vec<(&'static str, String)>) -> Self {
        let url = database.url();
        let store = SqlStore::connect(&url.parse().unwrap()).unwrap();
        let node = |_| Node {
            place: Place::on(url.clone()),
            port: local_postgres::free_port().unwrap(),
            running: Mutex::default(),
            address: Mutex::default(),
            changed: Condvar::new(),
            is_over: AtomicBool::new(false),
        };
        Self {
            nodes: (0..nodes).map(node).collect(),
            database: Mutex::new(database),
            settings,
            store,
            receipts: Receipts::default(),
            has_failed: AtomicBool::new(false),
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
        // As a supervisor would: a server ends if no database accepts writes when it starts.
        let server = process::poll("a server starts", || {
            let started = self.launch(node).listening_or_log();
            started.inspect_err(|log| assert!(log.contains(UNREACHABLE), "{log}")).ok()
        });
        node.set(Some(server.address()));
        *lock(&node.running) = Some(server);
    }

    /// Kills a server and starts it again, possibly after another one that is killed before it listens.
    pub fn kill(&self, node: &Node, chance: &mut Chance) {
        node.end(Signal::KILL);
        if chance.below(4) == 0 {
            self.launch(node).kill_while_starting(chance);
        }
        self.start(node);
    }

    fn launch(&self, node: &Node) -> Process {
        Process::start_on(node.port, &node.place, &self.settings)
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
        lock(&self.database).query("SELECT held_until FROM worker_role WHERE name = 'matcher'").ok()?.pop()
    }

    /// Kills the only database server and starts it again.
    pub fn kill_database(&self) {
        lock(&self.database).kill_and_restart();
    }

    /// Does something to the Patroni cluster. Fails if there is another database.
    pub fn with_patroni<T>(&self, work: impl FnOnce(&mut Patroni) -> anyhow::Result<T>) -> T {
        work(lock(&self.database).patroni()).unwrap_or_else(|error| panic!("{error:#}"))
    }

    /// Waits until all database servers work.
    pub fn wait_for_database(&self) {
        lock(&self.database).wait_until_complete();
    }

    /// Ends about half of the connections to the database.
    pub fn drop_connections(&self) {
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
             AND pid <> pg_backend_pid() AND random() < 0.5";
        // One of them may be this one's, if the database is replaced just now.
        let _ = lock(&self.database).query(end);
    }

    /// Describes what the connections to the database do.
    fn sessions(&self) -> Vec<String> {
        let sessions = "SELECT concat_ws(' ', pid, state, wait_event_type, wait_event, now() - state_change, pg_blocking_pids(pid), query)
             FROM pg_stat_activity WHERE datname = current_database() ORDER BY state_change";
        let database = lock(&self.database);
        let mut described = database.query(sessions).unwrap_or_else(|error| vec![format!("{error:#}")]);
        described.extend(database.logs());
        described
    }

    /// Waits until no write is under way whose outcome a client does not know, such as one of a server that was killed.
    pub async fn settle_writes(&self) {
        let nothing = || ChangeSet { recorded_at: SystemClock.now(), steps: Vec::new(), grouped_at: None };
        // Fails while the database restarts.
        while self.store.commit(nothing()).await.is_err() {
            assert!(!self.has_failed.load(Ordering::SeqCst), "another thread has failed");
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

    /// Does the same after failovers that lost changes.
    pub fn stop_after_loss(&self) {
        for node in &self.nodes {
            node.end_tolerating(Signal::TERM, &LOSS_WARNINGS);
        }
    }

    /// Checks that all database servers have the same log.
    pub fn check_members(&self) {
        lock(&self.database).check_members();
    }

    /// Lets clients end, also those that wait for the database, if this thread panics before what is returned is dropped.
    pub fn end_on_panic(&self) -> EndOnPanic<'_> {
        EndOnPanic(self)
    }

    /// Lets clients end when their server does.
    pub fn end_clients(&self) {
        for node in &self.nodes {
            node.is_over.store(true, Ordering::SeqCst);
        }
    }
}

pub struct EndOnPanic<'a>(&'a Cluster);

impl Drop for EndOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.has_failed.store(true, Ordering::SeqCst);
            self.0.end_clients();
            for node in &self.0.nodes {
                node.set(None);
                drop(lock(&node.running).take());
            }
        }
    }
}

impl Node {
    fn set(&self, address: Option<SocketAddr>) {
        *lock(&self.address) = address;
        self.changed.notify_all();
    }

    fn end(&self, signal: Signal) {
        self.end_tolerating(signal, &[]);
    }

    fn end_tolerating(&self, signal: Signal, tolerated: &[&str]) {
        self.set(None);
        let server = lock(&self.running).take().expect("it runs");
        let mut warnings = server.end(signal);
        let expected: Vec<&&str> = EXPECTED_WARNINGS.iter().chain(tolerated).collect();
        warnings.retain(|line| !expected.iter().any(|expected| line.contains(**expected)));
        assert!(warnings.is_empty(), "{warnings:#?}");
    }

    /// Waits until the server has started itself again this often because the database lost changes.
    pub fn wait_for_restart(&self, times: usize) {
        let running = lock(&self.running);
        let server = running.as_ref().expect("it runs");
        process::poll("a server starts itself again", || {
            let log = server.log();
            (log.iter().filter(|line| line.contains(RESTARTED)).count() >= times).then_some(())
        });
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
