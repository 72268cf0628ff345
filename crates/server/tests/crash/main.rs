//! What was acknowledged survives a `kill -9`.
//!
//! A server takes adverts in from several senders at once and is killed after a random number of receipts, or while it
//! starts, again and again on the same folder. Beside it a ledger keeps what was sent and what was acknowledged. After every
//! kill the folder must hold all of it: each acknowledged advert whole, each event once, the log without a gap. What was sent
//! and not acknowledged may have been taken in or not, but never by half.
//!
//! [`matching`] does the same to matches: after all kills they are what a simple model makes of the log. [`delivering`] does it to
//! deliveries: after all kills everything owed has arrived.
//!
//! `VIGIE_CRASH_KILLS` sets how often (50), `VIGIE_CRASH_DELIVERIES` how much is delivered meanwhile (10000), `VIGIE_CRASH_SEED`
//! repeats the choices of an earlier run.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

mod chance;
mod connection;
mod delivering;
mod ledger;
mod market;
mod matching;
mod mover;
mod owed;
mod process;
mod receiving;
mod searcher;
mod sender;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;

use chance::Chance;
use ledger::Ledger;
use process::Process;
use sender::{Sender, Style};
use tempfile::TempDir;

/// Several senders of each style. They write side by side, so that a kill finds commits of many in one transaction.
const STYLES: [Style; 5] = [Style::Single, Style::Single, Style::Array, Style::Lines, Style::Lines];

/// The most receipts before a kill.
const RECEIPTS_MAX: u64 = 150;

#[test]
fn what_was_acknowledged_survives_every_kill() {
    let kills: u64 = std::env::var("VIGIE_CRASH_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut chance = Chance::from_environment();
    let folder = TempDir::new().unwrap();
    let key = process::make_key(folder.path());
    let mut ledger = Ledger::default();
    let mut senders: Vec<Sender> =
        STYLES.iter().enumerate().map(|(number, style)| Sender::new(number, *style)).collect();
    let mut while_starting = 0;
    let mut verified = true;

    for kill in 1..=kills {
        // Every seventh or so does not live long enough to listen.
        if chance.below(7) == 0 {
            Process::start(folder.path()).kill_while_starting(&mut chance);
            while_starting += 1;
            println!("kill {kill}: while starting");
            continue;
        }
        let server = Process::start(folder.path()).listening();
        if !verified {
            ledger.verify(folder.path(), &mut senders);
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
                    sender.run(address, key, &mut chance, &count);
                });
            }
            drop(reached);
            let met = wait.recv();
            server.kill();
            met.expect("senders that go on until the kill");
        });
        let seen = receipts.load(std::sync::atomic::Ordering::SeqCst);
        let unsettled: usize = senders.iter().map(Sender::unsettled).sum();
        // Either the test or the next server is the first to open what the kill left.
        verified = chance.below(2) == 0;
        let recovered = verified.then(|| ledger.verify(folder.path(), &mut senders));
        println!(
            "kill {kill}: after {threshold} receipts ({seen} seen), {unsettled} sent and not acknowledged, {}",
            recovered.map_or("to be looked at later".to_owned(), |count| format!("{count} of them there")),
        );
    }

    ledger.verify(folder.path(), &mut senders);
    let server = Process::start(folder.path()).listening();
    sender::check_over_http(server.address(), &key, &senders, &mut chance);
    server.kill();
    let (adverts, changes) = ledger.totals();
    println!(
        "{kills} kills, {while_starting} of them while starting: {adverts} adverts, {changes} changes, nothing lost"
    );
    assert!(changes > kills, "hardly anything was put to the test");
}

#[test]
fn a_kill_during_the_very_first_start_leaves_a_folder_that_opens() {
    let mut chance = Chance::from_environment();
    for _ in 0..10 {
        let folder = TempDir::new().unwrap();
        for _ in 0..3 {
            Process::start(folder.path()).kill_while_starting(&mut chance);
        }
        let server = Process::start(folder.path()).listening();
        let key = process::make_key(folder.path());
        let mut sender = Sender::new(0, Style::Single);
        sender.send_one(server.address(), &key, &mut chance);
        server.kill();
        Ledger::default().verify(folder.path(), std::slice::from_mut(&mut sender));
    }
}
