//! Every match is recorded once despite kills.
//!
//! A thousand saved searches are created, changed and deleted while the market changes. The server is killed again and again; each
//! start resumes matching at the stored checkpoint. Afterwards the log is replayed from its start through a simple model, and the
//! recorded matches must be exactly the model's: none missing, none twice, every due notification in the outbox, and nothing else.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use app::App;
use app::system::{RandomIds, SystemClock};
use app::workers::follower::Progress;
use app::workers::matcher::Matcher;
use domain::{PropertyId, SearchId, SearchNumber};
use places::Gazetteer;
use store::prelude::*;
use store::{Change, LogEntry, Notification, Position, PropertyCause};
use testkit::match_model::{ChangeEffects, MatchModel};

use crate::chance::Chance;
use crate::place::Place;
use crate::process::{self, Process};
use crate::search_client::{self, SearchClient};
use crate::{KILLS, advert_churn, connection, grouping};

const SEARCHES: usize = 1_000;

const ADVERT_CLIENTS: usize = 3;

/// Maximum number of receipts before a kill: the model evaluates every search for each of them.
const RECEIPTS_MAX: u64 = 60;

#[test]
fn every_match_is_recorded_once_despite_kills() {
    let kills: u64 = std::env::var("VIGIE_CRASH_KILLS").map_or(KILLS, |kills| kills.parse().unwrap());
    let mut chance = Chance::from_environment();
    let place = Place::new();
    let key = process::create_key(&place);
    let mut client = SearchClient::default();
    let mut adverts = 0;
    for kill in 1..=kills {
        if chance.below(7) == 0 {
            Process::start(&place).kill_while_starting(&mut chance);
            continue;
        }
        if chance.below(5) == 0 {
            grouping::regroup_and_kill(&place, &mut chance);
        }
        let server = Process::start(&place).listening();
        if client.count() == 0 {
            client.save(server.address(), &key, &mut chance, SEARCHES);
        }
        let threshold = 1 + chance.below(RECEIPTS_MAX) as usize;
        let (reached, wait) = mpsc::channel();
        let receipts = Arc::new(AtomicUsize::new(0));
        std::thread::scope(|scope| {
            let (address, key) = (server.address(), &key);
            for number in 0..ADVERT_CLIENTS {
                let (reached, receipts, mut chance) =
                    (reached.clone(), Arc::clone(&receipts), chance.split());
                scope.spawn(move || {
                    let count = |new: usize| {
                        let before = receipts.fetch_add(new, Ordering::SeqCst);
                        if before < threshold && before + new >= threshold {
                            let _ = reached.send(());
                        }
                    };
                    advert_churn::run(
                        number,
                        &|| connection::Connection::open(address),
                        key,
                        &mut chance,
                        &count,
                    );
                });
            }
            drop(reached);
            let (client, mut chance) = (&mut client, chance.split());
            scope.spawn(move || client.run(&|| connection::Connection::open(address), key, &mut chance));
            let reached_threshold = wait.recv();
            server.kill();
            reached_threshold.expect("clients run until the kill");
        });
        adverts += receipts.load(Ordering::SeqCst);
        println!("kill {kill}: after {threshold} receipts, {} searches", client.count());
    }
    let server = Process::start(&place).listening();
    let mut connection = connection::Connection::open(server.address()).unwrap();
    client.settle(&mut connection, &key).unwrap();
    server.kill();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let matches = runtime.block_on(verify(&place, &client));
    println!("{kills} kills, {adverts} receipts, {matches} matches, each once");
    assert!(matches > 1_000 || kills < 10, "too few matches for a meaningful test");
}

/// Matches the rest of the log and compares everything with the model. Returns the number of matches.
pub async fn verify(place: &Place, client: &SearchClient) -> usize {
    let store = Arc::new(place.open());
    let places = Arc::new(Gazetteer::embedded().unwrap());
    let app = App::new(store.clone(), Arc::new(SystemClock), Arc::new(RandomIds), places).with_matcher();
    let mut matcher = Matcher::new(&app).unwrap();
    while matcher.run_once().await.unwrap() == Progress::More {}
    let log = store.log_after(Position::START, usize::MAX).await.unwrap();
    assert!(grouping::verify(&store, &log).await > 0, "no two adverts were grouped");

    let mut model = MatchModel::default();
    let mut expected: BTreeMap<u64, ChangeEffects> = BTreeMap::new();
    let numbers = numbers(&log);
    let sites = app.sites().await.unwrap();
    for entry in &log {
        match &entry.change {
            Change::Search { search, version } => {
                let body = &client.versions[search][*version as usize - 1];
                let (raw_criteria, alerts) = search_client::parse(body);
                let criteria = app.with_references(&sites, |to| raw_criteria.criteria(to)).unwrap();
                model.put(numbers[search], criteria, alerts);
            }
            Change::SearchRemoved { search } => model.remove(numbers[search]),
            Change::Property { property, version, cause, .. } => {
                let mut sources = Vec::new();
                let events = match cause {
                    PropertyCause::Advert { events } => events.as_slice(),
                    PropertyCause::Regrouped { events, from, .. } => {
                        for (source, version) in from {
                            sources.push((*source, store.property_at(*source, *version).await.unwrap()));
                        }
                        events.as_slice()
                    }
                    PropertyCause::Crawl => continue,
                    PropertyCause::AdvertLeft | PropertyCause::AdvertErased(_) => &[],
                };
                let before = store.property_at(*property, version - 1).await.unwrap();
                let after = store.property_at(*property, *version).await.unwrap();
                let consequences = model.regroup(before.as_ref(), &sources, &after.unwrap(), events);
                expected.insert(entry.position.0, consequences);
            }
            Change::PropertyRemoved { .. } | Change::Erased => {}
            Change::Damaged { .. } => panic!("{entry:?}"),
        }
    }
    let groups = store.match_groups_after(Position::START, usize::MAX).await.unwrap();
    let mut recorded: BTreeMap<u64, ChangeEffects> = BTreeMap::new();
    for group in groups {
        let mut consequences =
            ChangeEffects { matched: group.matched, inherited: group.inherited, ..ChangeEffects::default() };
        for entry in group.outbox {
            for search in entry.searches {
                match entry.notification {
                    Notification::Match(channel) => consequences.match_deliveries.push((channel, search)),
                    Notification::Event(name, index) => {
                        consequences.event_deliveries.push((name, usize::from(index), search))
                    }
                }
            }
        }
        consequences.match_deliveries.sort_unstable();
        consequences.event_deliveries.sort_unstable();
        assert!(
            recorded.insert(group.position.0, consequences).is_none(),
            "two groups at {:?}",
            group.position
        );
    }
    let live = |(position, consequences): (u64, ChangeEffects)| {
        Some((position, consequences.retain_active(&model)?))
    };
    let expected: BTreeMap<u64, ChangeEffects> = expected.into_iter().filter_map(live).collect();
    let recorded: BTreeMap<u64, ChangeEffects> = recorded.into_iter().filter_map(live).collect();
    for (position, consequences) in &expected {
        assert_eq!(recorded.get(position), Some(consequences), "at {position}");
    }
    assert_eq!(recorded.len(), expected.len(), "recorded matches that the log does not imply");

    let mut listed: BTreeSet<(SearchNumber, PropertyId)> = BTreeSet::new();
    for search in client.versions.keys() {
        let Some(stored) = store.search(*search).await.unwrap() else { continue };
        assert_eq!(stored.number, numbers[search]);
        for row in store.list_matches(stored.number, 0, u64::MAX).await.unwrap().matches {
            assert!(listed.insert((stored.number, row.property)), "recorded twice: {row:?}");
        }
    }
    assert_eq!(&listed, model.matched());
    listed.len()
}

/// Returns the numbers of searches, which are assigned in order of creation.
fn numbers(log: &[LogEntry]) -> HashMap<SearchId, SearchNumber> {
    let created = log.iter().filter_map(|entry| match entry.change {
        Change::Search { search, version: 1 } => Some(search),
        _ => None,
    });
    created.zip((1..).map(SearchNumber)).collect()
}
