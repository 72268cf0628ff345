//! With asynchronous replication a failover loses what no replica had received, and nothing else. All servers forget it.
//!
//! Clients send adverts to all servers, each advert once. Again and again the replicas are cut off from the leader, more adverts are
//! acknowledged, and the leader is killed.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use domain::{Identity, SiteKey};
use local_postgres::Replication;
use serde_json::json;
use store::Position;
use store::prelude::*;

use crate::cluster::{Cluster, Node};
use crate::database::Database;
use crate::load::{self, NODES};
use crate::process;

const SITE: &str = "loss.example";

const ROUNDS: usize = 3;

/// How many receipts each client gets before and after the replicas are cut off.
const RECEIPTS: usize = 25;

/// The phases of a round. They are numbered through all rounds.
const PHASES: usize = 3;
/// The replicas follow the leader.
const FOLLOWED: usize = 0;
/// They may be cut off.
const CUT_OFF: usize = 1;
/// The leader was killed: whatever is sent now is stored by another one.
const REPLACED: usize = 2;

/// An acknowledged advert.
struct Receipt {
    reference: String,
    /// The phase when it was sent.
    sent: usize,
    /// The phase when it was acknowledged.
    acknowledged: usize,
}

impl Receipt {
    fn may_be_lost(&self) -> bool {
        self.acknowledged % PHASES != FOLLOWED && self.sent % PHASES != REPLACED
    }
}

/// A client of one server.
struct Client<'a> {
    number: usize,
    node: &'a Node,
    key: &'a str,
    phase: &'a AtomicUsize,
    received: AtomicUsize,
    is_over: AtomicBool,
}

impl Client<'_> {
    /// Sends adverts until the test is over, each until it is acknowledged.
    fn run(&self, cluster: &Cluster) -> Vec<Receipt> {
        let mut receipts = Vec::new();
        while !self.is_over.load(Ordering::SeqCst) {
            let reference = format!("{}-{}", self.number, receipts.len());
            let (sent, acknowledged) = process::poll("an advert is taken", || self.send(&reference));
            receipts.push(Receipt { reference, sent, acknowledged });
            self.received.fetch_add(1, Ordering::SeqCst);
            cluster.count_receipts(1);
        }
        receipts
    }

    /// Returns the phases before and after, or `None` if the outcome is not known.
    fn send(&self, reference: &str) -> Option<(usize, usize)> {
        let body = json!({
            "transactionType": 0, "propertyType": 1, "site": SITE, "reference": reference, "price": 100_000,
            "title": title(reference),
        });
        let sent = self.phase.load(Ordering::SeqCst);
        let mut connection = self.node.connect().ok()?;
        let (status, receipt) = connection.request("POST", self.key, "/adverts", Some(&body)).ok()?;
        assert!(matches!(status, 200 | 201), "{status} {receipt}");
        Some((sent, self.phase.load(Ordering::SeqCst)))
    }

    fn wait_for_receipts(&self) {
        let enough = self.received.load(Ordering::SeqCst) + RECEIPTS;
        process::poll("a client goes on", || (self.received.load(Ordering::SeqCst) >= enough).then_some(()));
    }
}

fn title(reference: &str) -> String {
    format!("Maison {reference}")
}

#[cfg_attr(feature = "patroni-tests", test)]
#[cfg_attr(not(feature = "patroni-tests"), expect(dead_code, reason = "needs Patroni"))]
fn all_servers_forget_what_asynchronous_replication_loses() {
    let cluster = Cluster::new(NODES, Database::replicated(Replication::Asynchronous), Vec::new());
    let key = process::create_key(&cluster.place());
    for node in &cluster.nodes {
        cluster.start(node);
    }
    let phase = AtomicUsize::new(0);
    let client = |(number, node)| Client {
        number,
        node,
        key: &key,
        phase: &phase,
        received: AtomicUsize::new(0),
        is_over: AtomicBool::new(false),
    };
    let clients: Vec<Client<'_>> = cluster.nodes.iter().enumerate().map(client).collect();
    let receipts: Vec<Receipt> = std::thread::scope(|scope| {
        let _end = cluster.end_on_panic();
        let running: Vec<_> = clients.iter().map(|client| scope.spawn(|| client.run(&cluster))).collect();
        for round in 1..=ROUNDS {
            lose(&cluster, &clients, &phase, round);
        }
        for client in &clients {
            client.is_over.store(true, Ordering::SeqCst);
        }
        running.into_iter().flat_map(|client| client.join().unwrap()).collect()
    });
    let kept = check(&cluster, &key, &receipts);
    cluster.check_members();
    cluster.stop_after_loss();
    let lost = receipts.len() - kept;
    println!(
        "{ROUNDS} failovers, {} receipts: {lost} lost, all of them acknowledged while no replica followed",
        receipts.len()
    );
}

/// Loses what is acknowledged between two moments.
fn lose(cluster: &Cluster, clients: &[Client<'_>], phase: &AtomicUsize, round: usize) {
    let enter = |next: usize| {
        let before = phase.fetch_add(1, Ordering::SeqCst);
        assert_eq!((before + 1) % PHASES, next);
        println!("{} receipts: round {round}, phase {next}", cluster.receipts());
    };
    let wait_for_receipts = || clients.iter().for_each(Client::wait_for_receipts);
    wait_for_receipts();
    enter(CUT_OFF);
    let leader = cluster.with_patroni(|patroni| {
        patroni.wait_for_replicas()?;
        patroni.cut_replicas_off()
    });
    wait_for_receipts();
    cluster.with_patroni(|patroni| {
        patroni.kill_member(leader)?;
        enter(REPLACED);
        patroni.wait_for_leader(Some(leader))?;
        patroni.start_member(leader)
    });
    for node in &cluster.nodes {
        node.wait_for_restart(round);
    }
    wait_for_receipts();
    cluster.wait_for_database();
    enter(FOLLOWED);
}

/// Checks that the database and all servers have what they must have. Returns how many of the acknowledged adverts are there.
fn check(cluster: &Cluster, key: &str, receipts: &[Receipt]) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let store = cluster.place().open();
    let site = SiteKey::parse(SITE).unwrap();
    let identity =
        |receipt: &Receipt| Identity::SiteReference(site.clone(), receipt.reference.as_str().into());
    let located = runtime.block_on(store.locate(receipts.iter().map(identity).collect())).unwrap();
    let mut kept = BTreeSet::new();
    let mut lost_rounds = BTreeSet::new();
    for (receipt, located) in receipts.iter().zip(located) {
        if located.is_some() {
            kept.insert(title(&receipt.reference));
        } else {
            let Receipt { reference, sent, acknowledged } = receipt;
            assert!(
                receipt.may_be_lost(),
                "{reference} is lost, sent in phase {sent}, acknowledged in {acknowledged}"
            );
            lost_rounds.insert(acknowledged / PHASES);
        }
    }
    assert_eq!(lost_rounds.len(), ROUNDS, "each failover loses something");
    let log = runtime.block_on(store.log_after(Position::START, usize::MAX)).unwrap();
    let positions: Vec<u64> = log.iter().map(|entry| entry.position.0).collect();
    assert_eq!(
        positions,
        (1..=kept.len() as u64).collect::<Vec<_>>(),
        "one entry for each advert, without a gap"
    );
    for node in &cluster.nodes {
        process::poll("a server shows what the database has", || {
            let shown = load::properties(&mut node.connect().ok()?, key).ok()?;
            let titles = shown.iter().map(|property| property["title"].as_str().unwrap().to_owned());
            (titles.collect::<BTreeSet<_>>() == kept && shown.len() == kept.len()).then_some(())
        });
    }
    kept.len()
}
