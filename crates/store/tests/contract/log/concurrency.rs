//! Concurrent writers. A printed seed determines what they do; the machine determines how they interleave.

use std::collections::HashMap;
use std::sync::Arc;

use domain::{AdvertId, Identity, PropertyId};
use store::prelude::*;
use store::{Change, CommitOutcome, Expected, LogEntry, Position};
use testkit::Random;
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, site_reference};
use tokio::sync::watch;
use tokio::task::JoinSet;

use crate::backend::{Backend, Opened};
use crate::changes::{change, crawl, create, create_claiming, create_search, current, set, whole_log};

const WRITERS: u64 = 8;
const SETS_PER_WRITER: u64 = 30;
const PROPERTIES: u64 = 5;

/// What a commit returned: the last position of the set, and its number of entries.
type Acknowledged = Vec<(Position, u64)>;

pub async fn concurrent_writers_leave_no_gaps_in_the_log<B: Backend>() {
    let opened = Opened::<B>::fresh().await;
    let mut random = Random::new(testkit::random::seed());
    let (finished, all_written) = watch::channel(None);
    let mut follower = JoinSet::new();
    follower.spawn(follow(opened.shared(), all_written));
    let mut writers = JoinSet::new();
    for number in 0..WRITERS {
        writers.spawn(write(opened.shared(), number, Random::new(random.next_u64())));
    }
    let acknowledged: Vec<_> = writers.join_all().await.into_iter().flatten().collect();
    let entries: u64 = acknowledged.iter().map(|(_, entries)| entries).sum();
    finished.send(Some(Position(entries))).unwrap();
    let followed = follower.join_next().await.unwrap().unwrap();

    let log = whole_log(&*opened).await;
    assert_eq!(log.len() as u64, entries, "the log holds exactly the acknowledged sets");
    assert_eq!(followed, log, "a follower reads every entry once and in order");
    // Sets do not overlap: together they cover every position once.
    let mut covered: Vec<u64> =
        acknowledged.iter().flat_map(|(last, entries)| last.0 + 1 - entries..=last.0).collect();
    covered.sort_unstable();
    assert_eq!(covered, (1..=entries).collect::<Vec<_>>());
    assert_versions_grow_by_one(&log);

    let store = opened.reopened().await;
    assert_eq!(whole_log(&*store).await, log);
}

/// Runs one writer. After a conflict it reads again and tries again, as ingest does.
async fn write(store: Arc<impl Store>, writer: u64, mut random: Random) -> Acknowledged {
    let mut acknowledged = Vec::new();
    for number in 0..SETS_PER_WRITER {
        let target = property_id(random.below(PROPERTIES));
        let action = random.below(6);
        let fresh = advert((writer << 32) + number).build();
        loop {
            let known = current(&*store, target).await;
            let expected = known.as_ref().map_or(Expected::New, |known| Expected::Revision(known.revision));
            let mut document = known.map_or_else(|| property(0, []), |known| known.property);
            document.id = target;
            let mut steps = match (action, document.adverts.first().map(|advert| advert.id)) {
                (0, _) => vec![create_search(&saved_search((writer << 32) + number))],
                (1 | 2, Some(first)) => vec![change(&document, expected, first)],
                (3, Some(first)) => vec![crawl(&document, expected, first)],
                _ => {
                    document.adverts.push(fresh.clone());
                    vec![create(&document, expected)]
                }
            };
            if action == 5 {
                steps.push(create_search(&saved_search((writer << 32) + number)));
            }
            let entries = steps.len() as u64;
            if let CommitOutcome::Committed(position) = store.commit(set(steps)).await.unwrap() {
                acknowledged.push((position, entries));
                break;
            }
        }
    }
    acknowledged
}

/// Follows the log in small batches, woken by the head, until it has read the final position.
async fn follow(store: Arc<impl Store>, mut all_written: watch::Receiver<Option<Position>>) -> Vec<LogEntry> {
    let (mut head, mut seen) = (store.head(), Vec::<LogEntry>::new());
    let mut position = Position::START;
    loop {
        loop {
            let piece = store.log_after(position, 7).await.unwrap();
            let Some(last) = piece.last() else { break };
            position = last.position;
            seen.extend(piece);
        }
        if *all_written.borrow() == Some(position) {
            return seen;
        }
        tokio::select! {
            changed = head.changed() => changed.unwrap(),
            changed = all_written.changed() => changed.unwrap(),
        }
    }
}

fn assert_versions_grow_by_one(log: &[LogEntry]) {
    let mut versions: HashMap<PropertyId, u32> = HashMap::new();
    for LogEntry { position, change, .. } in log {
        let Change::Property { property, version, cause, .. } = change else { continue };
        let known = versions.entry(*property).or_default();
        if !matches!(cause, store::PropertyCause::Crawl) {
            *known += 1;
        }
        assert_eq!(version, known, "at {position:?}");
    }
    assert!(!versions.is_empty());
}

pub async fn concurrent_claims_of_an_identity_succeed_once<B: Backend>() {
    let opened = Opened::<B>::fresh().await;
    for round in 0..5_u64 {
        let reference = format!("A-{round}");
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            let (store, number) = (opened.shared(), round * 100 + number);
            let known = advert(number).site("portail.fr").reference(&reference).build();
            let claim = match number % 2 {
                0 => site_reference("portail.fr", &reference),
                // The claimed id is free, but the reference is not: the store must detect that itself.
                _ => Identity::Uuid(advert_id(number)),
            };
            let step = create_claiming(&property(number, [known]), Expected::New, claim);
            writers.spawn(async move { (number, store.commit(set([step])).await.unwrap()) });
        }
        let winners: Vec<u64> = writers
            .join_all()
            .await
            .into_iter()
            .filter(|(_, outcome)| *outcome != CommitOutcome::Conflict)
            .map(|(number, _)| number)
            .collect();
        let [winner] = winners[..] else { panic!("round {round}: {winners:?} all succeeded") };
        let located = opened.locate(vec![site_reference("portail.fr", &reference)]).await.unwrap();
        assert_eq!(located[0].map(|located| located.advert), Some(advert_id(winner)));
    }
    assert_eq!(opened.counts().await.unwrap(), (5, 5));
    assert_eq!(whole_log(&*opened).await.len(), 5);
}

pub async fn concurrent_changes_of_a_revision_succeed_once<B: Backend>() {
    let opened = Opened::<B>::fresh().await;
    opened.commit(set([create(&property(1, [advert(1).build()]), Expected::New)])).await.unwrap();
    for version in 1..6 {
        let mut writers = JoinSet::new();
        for number in 0..WRITERS {
            let store = opened.shared();
            let document = property(1, [advert(1).price(number as f64).build()]);
            let step = change(&document, Expected::Revision(version), advert_id(1));
            let erase_unknown = number == 3;
            writers.spawn(async move {
                if erase_unknown {
                    assert_eq!(store.erase(AdvertId::from_bytes([0; 16]), at(1)).await.unwrap(), None);
                }
                (document, store.commit(set([step])).await.unwrap())
            });
        }
        let outcomes = writers.join_all().await;
        let mut written = outcomes.into_iter().filter(|(_, outcome)| *outcome != CommitOutcome::Conflict);
        let (document, _) = written.next().unwrap();
        assert_eq!(written.next(), None, "two writers changed version {version}");
        let stored = current(&*opened, property_id(1)).await.unwrap();
        assert_eq!((stored.version, stored.property), (version + 1, document));
    }
}
