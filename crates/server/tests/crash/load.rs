//! Several servers on one PostgreSQL database lose nothing while clients work and things fail.
//!
//! Clients send adverts to all servers, change searches, merge and split. Meanwhile a test does what it wants to the servers and their
//! database. Afterwards everything that was acknowledged is stored, the matches are those of a simple model, each notification has been
//! delivered, and all servers show the same properties.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io;
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::chance::Chance;
use crate::cluster::{Cluster, Node};
use crate::connection::Connection;
use crate::database::Database;
use crate::ledger::{self, Ledger};
use crate::market::Market;
use crate::receiver::LedgerReceiver;
use crate::search_client::SearchClient;
use crate::sender::{Sender, Style};
use crate::{advert_churn, delivery_check, matches, process};

pub const NODES: usize = 3;

/// Searches that change all the time. The model evaluates each for every change.
const SEARCHES: usize = 40;

/// Maximum number of receipts between two faults.
const RECEIPTS_MAX: u64 = 120;

/// More than are created before the end of the test.
const DELIVERIES_MAX: u64 = u64::MAX;

const STYLES: [Style; NODES] = [Style::Single, Style::Array, Style::Lines];

/// Faults, which all happen, in random order, before any happens again.
struct Faults<F> {
    round: Vec<F>,
    /// Those left of this round.
    left: Vec<F>,
    counts: BTreeMap<String, usize>,
}

impl<F: Copy + Debug> Faults<F> {
    fn new(round: &[F]) -> Self {
        Self { round: round.to_vec(), left: Vec::new(), counts: BTreeMap::new() }
    }

    fn next(&mut self, chance: &mut Chance) -> F {
        if self.left.is_empty() {
            self.left.clone_from(&self.round);
        }
        let fault = self.left.swap_remove(chance.below(self.left.len() as u64) as usize);
        *self.counts.entry(format!("{fault:?}")).or_default() += 1;
        fault
    }

    fn count(&self) -> usize {
        self.counts.values().sum()
    }
}

/// Lets servers on a database work for some seconds, and at least until each fault has happened. `inject` makes a fault happen, to the
/// server it gets if it is one of a server.
pub fn run<F: Copy + Debug>(
    database: Database,
    seconds: u64,
    round: &[F],
    inject: impl Fn(&Cluster, &Node, F, &mut Chance),
) {
    let mut chance = Chance::from_environment();
    let receiver = LedgerReceiver::start();
    let cluster = Cluster::new(NODES, database, receiver.settings().into());
    let place = cluster.place();
    let key = process::create_key(&place);
    for node in &cluster.nodes {
        cluster.start(node);
    }
    let mut client = SearchClient::silent();
    client.save(cluster.nodes[0].address(), &key, &mut chance, SEARCHES);
    for (path, body) in Market::save_searches(cluster.nodes[0].address(), &key, &receiver, &mut chance) {
        client.add_constant(&path, body);
    }
    let mut market = Market::new(DELIVERIES_MAX);
    let mut senders: Vec<Sender> =
        STYLES.iter().enumerate().map(|(number, style)| Sender::new(number, *style)).collect();
    let mut faults = Faults::new(round);

    std::thread::scope(|scope| {
        let (cluster, key, receiver) = (&cluster, key.as_str(), &receiver);
        let count = |new: usize| cluster.count_receipts(new);
        let over = CancellationToken::new();
        let _end = cluster.end_on_panic();
        let _over = over.clone().drop_guard();
        for (number, (sender, node)) in senders.iter_mut().zip(&cluster.nodes).enumerate() {
            let mut random = chance.split();
            scope.spawn(move || {
                run_client(cluster, node, |runtime| {
                    while runtime.block_on(ledger::settle(cluster.store(), sender)).is_err() {
                        runtime.block_on(cluster.settle_writes());
                    }
                    sender.run(&|| node.connect(), key, &mut random, &count);
                });
            });
            let mut random = chance.split();
            scope.spawn(move || {
                run_client(cluster, node, |_| {
                    advert_churn::run(number, &|| node.connect(), key, &mut random, &count);
                });
            });
        }
        let (searches, node, mut random) = (&mut client, &cluster.nodes[1], chance.split());
        scope.spawn(move || {
            run_client(cluster, node, |_| searches.run(&|| node.connect(), key, &mut random));
        });
        let (market, node, mut random) = (&mut market, &cluster.nodes[2], chance.split());
        let fed_until = over.clone();
        scope.spawn(move || {
            run_client(cluster, node, |_| {
                market.feed(&|| node.connect(), key, receiver, &fed_until, &mut random);
            });
        });

        let end = Instant::now() + Duration::from_secs(seconds);
        while Instant::now() < end || faults.count() < round.len() {
            cluster.wait_for_receipts(1 + chance.below(RECEIPTS_MAX) as usize);
            let fault = faults.next(&mut chance);
            let number = chance.below(NODES as u64) as usize;
            println!("{} receipts: {fault:?} {number}", cluster.receipts());
            inject(cluster, &cluster.nodes[number], fault, &mut chance);
        }
        over.cancel();
        cluster.end_clients();
        cluster.stop();
    });
    cluster.wait_for_database();

    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let notifications = runtime.block_on(delivery_check::match_all(&place));
    for node in &cluster.nodes {
        cluster.start(node);
    }
    process::poll("a server answers", || client.settle(&mut cluster.nodes[0].connect().ok()?, &key).ok());
    process::poll("all servers show the same properties", || {
        let shown = cluster.nodes.iter().map(|node| properties(&mut node.connect()?, &key));
        let shown = shown.collect::<io::Result<Vec<_>>>().ok()?;
        (!shown[0].is_empty() && shown.iter().all(|properties| *properties == shown[0])).then_some(())
    });
    receiver.wait(|seen| seen.taken >= notifications, std::future::pending());
    // One that arrived just before its server was killed is sent again when the lease of that attempt ends.
    process::poll("every delivery is recorded", || {
        runtime.block_on(delivery_check::is_all_recorded(cluster.store())).then_some(())
    });
    cluster.stop();
    cluster.check_members();

    let mut ledger = Ledger::default();
    ledger.verify(&place, &mut senders);
    let account = runtime.block_on(delivery_check::verify(&place, &receiver.ledger()));
    let matches = runtime.block_on(matches::verify(&place, &client));
    let (adverts, changes) = ledger.totals();
    println!(
        "{} faults {:?}, {} receipts: {adverts} adverts with {changes} changes, nothing lost; {matches} matches, each once; {account}",
        faults.count(),
        faults.counts,
        cluster.receipts()
    );
    assert!(changes > 0 && matches > 0 && account.deliveries > 0, "too little happened");
}

/// Runs a client again and again, as long as its server is started again. Before each run, the outcome of the requests of the run before
/// can be found out.
fn run_client(cluster: &Cluster, node: &Node, mut run: impl FnMut(&tokio::runtime::Runtime)) {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    while node.is_listening() {
        runtime.block_on(cluster.settle_writes());
        run(&runtime);
    }
}

/// Returns all properties as a server shows them. Fails while its index is not ready.
pub fn properties(connection: &mut Connection, key: &str) -> io::Result<Vec<Value>> {
    let mut all = Vec::new();
    for page in 1.. {
        let path = format!("/documents/properties?withCoherentPrice=false&itemsPerPage=30&page={page}");
        let (status, found) = connection.request("GET", key, &path, None)?;
        assert_eq!(status, 200, "{found}");
        let found = found["hydra:member"].as_array().unwrap();
        if found.is_empty() {
            break;
        }
        all.extend(found.iter().cloned());
    }
    all.sort_by_key(|property| property["@id"].to_string());
    Ok(all)
}
