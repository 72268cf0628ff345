//! A failover of PostgreSQL: what the new server has received is still there, and what it has not is forgotten by all.

use serde_json::{Value, json};
use store::prelude::*;
use store::{Position, SqlStore};
use tempfile::TempDir;

use crate::connection::Connection;
use crate::place::Place;
use crate::process::{self, Listening, Process};

/// Replication is asynchronous. Nothing is synced: no machine crashes.
const SETTINGS: &str = "fsync = off\nfull_page_writes = off";

/// Two database servers, of which one follows the other, and a Vigie server that knows both.
struct Failover {
    primary: Option<local_postgres::Server>,
    replica: local_postgres::Server,
    place: Place,
    key: String,
    vigie: Listening,
    _folders: [TempDir; 2],
}

impl Failover {
    fn new() -> Self {
        let folders = [TempDir::new().unwrap(), TempDir::new().unwrap()];
        let programs = local_postgres::Server::programs().expect("PostgreSQL is not installed");
        let primary = local_postgres::Server::start(programs, folders[0].path(), SETTINGS).unwrap();
        let replica = primary.start_replica(folders[1].path(), SETTINGS).unwrap();
        let database = primary.create_database();
        let place = Place::on(local_postgres::url_of(&[&primary, &replica], &database));
        let key = process::create_key(&place);
        // The new process listens on the port of the one before.
        let vigie = Process::start_on(local_postgres::free_port().unwrap(), &place, &[]).listening();
        Self { primary: Some(primary), replica, place, key, vigie, _folders: folders }
    }

    /// Sends an advert, again if the answer is 503. Returns its receipt.
    fn send(&self, reference: u64) -> Value {
        let body = json!({
            "transactionType": 0, "propertyType": 1, "site": "failover.example", "reference": reference.to_string(),
            "price": 100_000 + reference, "title": format!("Maison {reference}"),
        });
        process::poll("an advert is taken", || {
            let sent = Connection::open(self.vigie.address())
                .and_then(|mut connection| connection.request("POST", &self.key, "/adverts", Some(&body)));
            match sent {
                Ok((200 | 201, receipt)) => Some(receipt),
                // The database or the server is away for a moment, or does not answer in time.
                Ok((408 | 503, _)) | Err(_) => None,
                Ok((status, answer)) => panic!("{status} {answer}"),
            }
        })
    }

    /// Returns the titles of all properties that searches find, as soon as there are this many.
    fn wait_for_titles(&self, count: usize) -> Vec<String> {
        process::poll("searches find what is left", || {
            let found = Connection::open(self.vigie.address()).and_then(|mut connection| {
                connection.request("GET", &self.key, "/documents/properties?withCoherentPrice=false", None)
            });
            let Ok((200, found)) = found else { return None };
            let found = found["hydra:member"].as_array().unwrap();
            let mut titles: Vec<String> =
                found.iter().map(|property| property["title"].as_str().unwrap().to_owned()).collect();
            titles.sort();
            (titles.len() == count).then_some(titles)
        })
    }

    /// Waits until the replica has everything that the primary has.
    fn wait_for_replica(&self) {
        let primary = self.primary.as_ref().unwrap();
        let written = primary.query("postgres", "SELECT pg_current_wal_lsn()").pop().unwrap();
        let replayed = format!("SELECT pg_last_wal_replay_lsn() >= '{written}'");
        process::poll("the replica has everything", || {
            (self.replica.query("postgres", &replayed) == ["t"]).then_some(())
        });
    }

    /// Lets the replica receive nothing more.
    fn cut_replica_off(&self) {
        self.replica.execute("postgres", "ALTER SYSTEM SET primary_conninfo = ''");
        self.replica.execute("postgres", "SELECT pg_reload_conf()");
        process::poll("the replica receives nothing", || {
            self.replica.query("postgres", "SELECT 1 FROM pg_stat_wal_receiver").is_empty().then_some(())
        });
    }

    /// Kills the primary and promotes the replica.
    fn fail_over(&mut self) {
        let mut primary = self.primary.take().unwrap();
        primary.kill().unwrap();
        self.replica.promote();
    }

    fn log_positions(&self) -> Vec<u64> {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let store = SqlStore::connect(&self.place.database().unwrap().parse().unwrap()).unwrap();
        let log = runtime.block_on(store.log_after(Position::START, 1_000)).unwrap();
        log.iter().map(|entry| entry.position.0).collect()
    }

    /// Ends the server. Returns what it logged.
    fn end(self) -> String {
        self.vigie.end(rustix::process::Signal::TERM).join("\n")
    }
}

const RESTARTED: &str = "starting again with an empty index";

#[test]
fn a_complete_replica_takes_over_without_a_restart() {
    let mut failover = Failover::new();
    for reference in 1..=5 {
        failover.send(reference);
    }
    failover.wait_for_replica();
    failover.fail_over();
    failover.send(6);
    let titles = failover.wait_for_titles(6);
    assert_eq!(titles, (1..=6).map(|reference| format!("Maison {reference}")).collect::<Vec<_>>());
    assert_eq!(failover.log_positions(), (1..=6).collect::<Vec<_>>());
    assert!(!failover.end().contains(RESTARTED));
}

#[test]
fn a_primary_that_hangs_is_left() {
    let failover = Failover::new();
    failover.send(1);
    failover.wait_for_replica();
    failover.primary.as_ref().unwrap().pause().unwrap();
    failover.replica.promote();
    failover.send(2);
    assert_eq!(failover.wait_for_titles(2), ["Maison 1", "Maison 2"]);
}

#[test]
fn what_a_replica_has_not_received_is_forgotten_and_nothing_else() {
    let mut failover = Failover::new();
    for reference in 1..=3 {
        failover.send(reference);
    }
    failover.wait_for_replica();
    failover.cut_replica_off();
    for reference in 4..=9 {
        failover.send(reference);
    }
    assert_eq!(failover.wait_for_titles(9).len(), 9);
    failover.fail_over();
    assert_eq!(failover.wait_for_titles(3), ["Maison 1", "Maison 2", "Maison 3"]);
    assert_eq!(failover.send(4)["outcome"], "created");
    failover.send(10);
    assert_eq!(failover.wait_for_titles(5).len(), 5);
    assert_eq!(failover.log_positions(), (1..=5).collect::<Vec<_>>());
    let log = failover.end();
    assert!(log.contains("lost changes"), "{log}");
    assert!(log.contains(RESTARTED), "{log}");
}

#[test]
fn a_lost_write_outside_the_log_is_noticed_as_well() {
    let mut failover = Failover::new();
    failover.send(1);
    failover.wait_for_replica();
    failover.cut_replica_off();
    // The key is in the memory of the server from here on, and not in the new database.
    let lost = process::create_key(&failover.place);
    let status_with = |failover: &Failover, key: &str| {
        let asked = Connection::open(failover.vigie.address())
            .and_then(|mut connection| connection.request("GET", key, "/documents/properties", None));
        asked.ok().map(|(status, _)| status)
    };
    process::poll("the key works", || (status_with(&failover, &lost) == Some(200)).then_some(()));
    failover.fail_over();
    process::poll("the key is unknown", || (status_with(&failover, &lost) == Some(401)).then_some(()));
    assert_eq!(failover.wait_for_titles(1), ["Maison 1"]);
    assert!(failover.end().contains(RESTARTED));
}
