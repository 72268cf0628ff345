//! Acknowledged data survives `kill -9`.
//!
//! Several senders ingest adverts at once. The server is killed after a random number of receipts, or while it starts, again and again
//! on the same folder. A ledger records what was sent and what was acknowledged. After every kill the folder must contain all
//! acknowledged data: each advert complete, each event once, the log without a gap. An advert that was sent but not acknowledged may be
//! there or not, but never in part.
//!
//! [`matches`] does the same for matches: after all kills they are what a simple model computes from the log. Its adverts are grouped,
//! merged and split all the time ([`grouping`]). [`deliveries`] does it for
//! deliveries: after all kills every delivery has arrived. [`nodes`] does all of it with several servers on PostgreSQL,
//! and [`failover`] replaces the database. [`patroni`] lets Patroni replace it.
//!
//! `VIGIE_CRASH_KILLS` sets the number of kills (30; `cargo xtask crash` makes a thousand), `VIGIE_CRASH_DELIVERIES` the number of
//! deliveries (10000), `VIGIE_CRASH_SEED` repeats the random choices of an earlier run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod advert_churn;
mod chance;
mod cluster;
mod connection;
mod database;
mod deliveries;
mod delivery_check;
mod failover;
mod grouping;
mod ledger;
mod load;
mod market;
mod matches;
mod nodes;
mod patroni;
mod place;
mod process;
mod receiver;
mod search_client;
mod sender;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

use chance::Chance;
use connection::Connection;
use ledger::Ledger;
use place::Place;
use process::Process;
use sender::{Sender, Style};

/// Several senders of each style, running concurrently, so that a kill hits transactions with commits of several.
const STYLES: [Style; 5] = [Style::Single, Style::Single, Style::Array, Style::Lines, Style::Lines];

/// How often a server is killed if nothing else is said.
const KILLS: u64 = 30;

/// Maximum number of receipts before a kill.
const RECEIPTS_MAX: u64 = 150;

#[test]
fn acknowledged_adverts_survive_kills() {
    let kills: u64 = std::env::var("VIGIE_CRASH_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut chance = Chance::from_environment();
    let place = Place::new();
    let key = process::create_key(&place);
    let mut ledger = Ledger::default();
    let mut senders: Vec<Sender> =
        STYLES.iter().enumerate().map(|(number, style)| Sender::new(number, *style)).collect();
    let mut while_starting = 0;
    let mut verified = true;

    for kill in 1..=kills {
        // About every seventh server is killed before it listens.
        if chance.below(7) == 0 {
            Process::start(&place).kill_while_starting(&mut chance);
            while_starting += 1;
            println!("kill {kill}: while starting");
            continue;
        }
        let server = Process::start(&place).listening();
        if !verified {
            ledger.verify(&place, &mut senders);
        }
        sender::check_over_http(server.address(), &key, &senders, &mut chance);

        let threshold = 1 + chance.below(RECEIPTS_MAX) as usize;
        let (reached, wait) = mpsc::channel();
        let receipts = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for sender in &mut senders {
                let (reached, receipts, key) = (reached.clone(), Arc::clone(&receipts), &key);
                let (address, mut chance) = (server.address(), chance.split());
                scope.spawn(move || {
                    let count = |new: usize| {
                        let before = receipts.fetch_add(new, std::sync::atomic::Ordering::SeqCst);
                        if before < threshold && before + new >= threshold {
                            let _ = reached.send(());
                        }
                    };
                    sender.run(&|| Connection::open(address), key, &mut chance, &count);
                });
            }
            drop(reached);
            let reached_threshold = wait.recv();
            server.kill();
            reached_threshold.expect("senders run until the kill");
        });
        let seen = receipts.load(std::sync::atomic::Ordering::SeqCst);
        let unsettled: usize = senders.iter().map(Sender::unsettled).sum();
        // Either the test or the next server is the first to open the folder after a kill.
        verified = chance.below(2) == 0;
        let recovered = verified.then(|| ledger.verify(&place, &mut senders));
        println!(
            "kill {kill}: after {threshold} receipts ({seen} seen), {unsettled} sent and not acknowledged, {}",
            recovered.map_or("to be verified later".to_owned(), |count| format!("{count} of them stored")),
        );
    }

    ledger.verify(&place, &mut senders);
    let server = Process::start(&place).listening();
    sender::check_over_http(server.address(), &key, &senders, &mut chance);
    server.kill();
    let (adverts, changes) = ledger.totals();
    println!(
        "{kills} kills, {while_starting} of them while starting: {adverts} adverts, {changes} changes, nothing lost"
    );
    assert!(changes > kills, "too few changes for a meaningful test");
}

#[test]
fn kill_during_first_start_leaves_a_valid_folder() {
    let mut chance = Chance::from_environment();
    for _ in 0..10 {
        let place = Place::new();
        for _ in 0..3 {
            Process::start(&place).kill_while_starting(&mut chance);
        }
        let server = Process::start(&place).listening();
        let key = process::create_key(&place);
        let mut sender = Sender::new(0, Style::Single);
        sender.send_one(server.address(), &key, &mut chance);
        server.kill();
        Ledger::default().verify(&place, std::slice::from_mut(&mut sender));
    }
}
