//! Every match is made once, through every kill.
//!
//! A thousand searches stand, and are saved, changed and deleted while a market moves. The server is killed again and again;
//! each start matches on from where the store says. Afterwards the log is read from its beginning and matched by hand, and what
//! the service recorded must be exactly that: no match missing, none twice, everything owed that is due, and nothing else.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use app::App;
use app::system::{RandomIds, SystemClock};
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use domain::{PropertyId, SearchId, SearchNumber};
use places::Gazetteer;
use store::sqlite::SqliteStore;
use store::{Change, LogEntry, Notification, Position, PropertyCause, Store};
use tempfile::TempDir;
use testkit::matches::{Consequences, MatchModel};

use crate::chance::Chance;
use crate::process::{self, Process};
use crate::searcher::{self, Searcher};
use crate::{connection, mover};

const SEARCHES: usize = 1_000;

const MOVERS: usize = 3;

/// The most receipts before a kill: the model asks every search about each of them.
const RECEIPTS_MAX: u64 = 60;

#[test]
fn every_match_is_made_once_through_every_kill() {
    let kills: u64 = std::env::var("VIGIE_CRASH_KILLS").map_or(50, |kills| kills.parse().unwrap());
    let mut chance = Chance::from_environment();
    let folder = TempDir::new().unwrap();
    let key = process::make_key(folder.path());
    let mut searcher = Searcher::default();
    let mut adverts = 0;
    for kill in 1..=kills {
        if chance.below(7) == 0 {
            Process::start(folder.path()).kill_while_starting(&mut chance);
            continue;
        }
        let server = Process::start(folder.path()).listening();
        if searcher.count() == 0 {
            searcher.save(server.address(), &key, &mut chance, SEARCHES);
        }
        let threshold = 1 + chance.below(RECEIPTS_MAX) as usize;
        let (reached, wait) = mpsc::channel();
        let receipts = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let (address, key) = (server.address(), &key);
            for number in 0..MOVERS {
                let (reached, receipts, mut chance) =
                    (reached.clone(), Arc::clone(&receipts), chance.split());
                scope.spawn(move || {
                    let count = |new: usize| {
                        let before = receipts.fetch_add(new, Ordering::SeqCst);
                        if before < threshold && before + new >= threshold {
                            let _ = reached.send(());
                        }
                    };
                    mover::run(number, address, key, &mut chance, &count);
                });
            }
            drop(reached);
            let (searcher, mut chance) = (&mut searcher, chance.split());
            scope.spawn(move || searcher.run(address, key, &mut chance));
            let met = wait.recv();
            server.kill();
            met.expect("movers that go on until the kill");
        });
        adverts += receipts.load(Ordering::SeqCst);
        println!("kill {kill}: after {threshold} receipts, {} searches stand", searcher.count());
    }
    let server = Process::start(folder.path()).listening();
    let mut connection = connection::Connection::open(server.address()).unwrap();
    searcher.settle(&mut connection, &key).unwrap();
    server.kill();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let matches = runtime.block_on(verify(folder.path(), &searcher));
    println!("{kills} kills, {adverts} receipts, {matches} matches, each once");
    assert!(matches > 1_000 || kills < 10, "hardly anything was put to the test");
}

/// Matches on to the end of the log, and holds all of it against the model; answers how many matches there are.
async fn verify(folder: &Path, searcher: &Searcher) -> usize {
    let store = Arc::new(SqliteStore::open(folder).unwrap());
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), Arc::new(SystemClock), Arc::new(RandomIds), places).with_matcher();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}
    let log = store.log_after(Position::START, usize::MAX).await.unwrap();

    let mut model = MatchModel::default();
    let mut expected: BTreeMap<u64, Consequences> = BTreeMap::new();
    let numbers = numbers(&log);
    let sites = app.sites().await.unwrap();
    for entry in &log {
        match &entry.change {
            Change::Search { search, version } => {
                let body = &searcher.versions[search][*version as usize - 1];
                let (raw_criteria, alerts) = searcher::meaning(body);
                let criteria = app.with_references(&sites, |to| raw_criteria.criteria(to)).unwrap();
                model.put(numbers[search], criteria, alerts);
            }
            Change::SearchRemoved { search } => model.remove(numbers[search]),
            Change::Property { property, version, cause, .. } => {
                let events = match cause {
                    PropertyCause::Advert { events } => events.as_slice(),
                    PropertyCause::Crawl => continue,
                    PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
                };
                let before = store.property_at(*property, version - 1).await.unwrap();
                let after = store.property_at(*property, *version).await.unwrap();
                let meant = model.change(before.as_ref(), &after.unwrap(), events);
                expected.insert(entry.position.0, meant);
            }
            Change::PropertyRemoved { .. } | Change::Erased => {}
        }
    }
    let groups = store.match_groups_after(Position::START, usize::MAX).await.unwrap();
    let mut found: BTreeMap<u64, Consequences> = BTreeMap::new();
    for group in groups {
        let mut made = Consequences { matched: group.matched, ..Consequences::default() };
        for owed in group.outbox {
            for search in owed.searches {
                match owed.notification {
                    Notification::Match(channel) => made.matches_owed.push((channel, search)),
                    Notification::Event(name, place) => {
                        made.events_owed.push((name, usize::from(place), search))
                    }
                }
            }
        }
        made.matches_owed.sort_unstable();
        made.events_owed.sort_unstable();
        assert!(found.insert(group.position.0, made).is_none(), "two groups at {:?}", group.position);
    }
    let left = |(position, meant): (u64, Consequences)| Some((position, meant.for_those_that_stand(&model)?));
    let expected: BTreeMap<u64, Consequences> = expected.into_iter().filter_map(left).collect();
    let found: BTreeMap<u64, Consequences> = found.into_iter().filter_map(left).collect();
    for (position, meant) in &expected {
        assert_eq!(found.get(position), Some(meant), "at {position}");
    }
    assert_eq!(found.len(), expected.len(), "something was matched that the log does not mean");

    let mut listed: BTreeSet<(SearchNumber, PropertyId)> = BTreeSet::new();
    for search in searcher.versions.keys() {
        let Some(stored) = store.search(*search).await.unwrap() else { continue };
        assert_eq!(stored.number, numbers[search]);
        for row in store.matches_of(stored.number, 0, u64::MAX).await.unwrap().matches {
            assert!(listed.insert((stored.number, row.property)), "twice: {row:?}");
        }
    }
    assert_eq!(&listed, model.matched());
    listed.len()
}

/// Searches are numbered in the order in which they were made.
fn numbers(log: &[LogEntry]) -> HashMap<SearchId, SearchNumber> {
    let made = log.iter().filter_map(|entry| match entry.change {
        Change::Search { search, version: 1 } => Some(search),
        _ => None,
    });
    made.zip((1..).map(SearchNumber)).collect()
}
