//! What the tests of deliveries share: something is told, deliveries are made of it, claimed and settled.

use std::time::Duration;

use domain::search::MatchChannel;
use domain::{DeliveryChannel, DeliveryId, EventName, Fault, RetryDecision, Outcome, SearchNumber, Timestamp};
use store::{
    Attempt, Claim, DeliveryList, DeliveryRow, DueDelivery, EnqueueBatch, Expected, Gather, Lane, MatchBatch,
    MatchGroup, NewDelivery, Notification, OutboxEntry, Peek, Position, Settlement, Start, Store, Waiting,
};
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, search_id};

use crate::backend::{Backend, Opened};
use crate::changes::{commit, create, create_search};

pub const BY_WEBHOOK: Notification = Notification::Match(MatchChannel::Endpoint);
pub const BY_EMAIL: Notification = Notification::Match(MatchChannel::Email);
/// That an advert was created is the first of the events of its first entry.
pub const CREATION: Notification = Notification::Event(EventName::AdCreate, 0);

/// A store with so many searches of the first user, and their numbers.
pub async fn store_with<B: Backend>(searches: u64) -> (Opened<B>, Vec<SearchNumber>) {
    let store = Opened::<B>::fresh().await;
    commit(&*store, (1..=searches).map(|number| create_search(&saved_search(number)))).await;
    let mut given = Vec::new();
    for number in 1..=searches {
        given.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    (store, given)
}

/// What the matcher makes of an entry; who is matched follows from the outbox.
pub fn group(
    position: Position,
    number: u64,
    version: u32,
    outbox: &[(Notification, &[SearchNumber])],
) -> MatchGroup {
    let told = |(notification, searches): &(Notification, &[SearchNumber])| OutboxEntry {
        notification: *notification,
        searches: searches.to_vec(),
    };
    let matches =
        |(notification, _): &&(Notification, &[SearchNumber])| matches!(notification, Notification::Match(_));
    let mut matched: Vec<_> = outbox.iter().filter(matches).flat_map(|(_, who)| who.to_vec()).collect();
    matched.sort();
    matched.dedup();
    MatchGroup {
        position,
        at: at(5_000),
        property: property_id(number),
        version,
        advert: advert_id(number),
        matched,
        linked: Vec::new(),
        outbox: outbox.iter().map(told).collect(),
    }
}

/// Records a group; the matcher has read everything up to it.
pub async fn record(store: &impl Store, group: MatchGroup) {
    let (after, until) = (store.matcher_checkpoint().await.unwrap(), group.position);
    assert!(store.record_matches(MatchBatch { after, until, groups: vec![group] }).await.unwrap());
}

/// A new property of one advert, of which these are told.
pub async fn tell(store: &impl Store, number: u64, outbox: &[(Notification, &[SearchNumber])]) -> Position {
    let position = commit(store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    record(store, group(position, number, 1, outbox)).await;
    position
}

/// The deliveries of an answer, all of them due at a moment.
pub fn due_at(deliveries: &[NewDelivery], second: i64) -> Vec<(NewDelivery, Start)> {
    deliveries.iter().map(|delivery| (*delivery, Start::DueAt(at(second)))).collect()
}

/// Makes deliveries of everything that is owed, at a moment and due at another.
pub async fn take_in(store: &impl Store, at_second: i64, due_second: i64) -> Vec<DeliveryId> {
    let before = everything(store).await.len();
    loop {
        let owed = store.read_outbox(100).await.unwrap();
        let deliveries = due_at(&owed.deliveries, due_second);
        let batch = EnqueueBatch { after: owed.after, until: owed.until, at: at(at_second), deliveries };
        assert!(store.enqueue(batch).await.unwrap());
        if !owed.more {
            break;
        }
    }
    everything(store).await[before..].iter().map(|row| row.id).collect()
}

/// One search, and so many deliveries to its endpoint, made and due at 6 000.
pub async fn webhooks<B: Backend>(count: u64) -> (Opened<B>, SearchNumber, Vec<DeliveryId>) {
    let (store, given) = store_with::<B>(1).await;
    for number in 1..=count {
        tell(&*store, number, &[(BY_WEBHOOK, &given)]).await;
    }
    let made = take_in(&*store, 6_000, 6_000).await;
    (store, given[0], made)
}

pub fn lane(search: SearchNumber, channel: DeliveryChannel) -> Lane {
    Lane { search, channel }
}

/// Everybody's.
pub fn list() -> DeliveryList {
    DeliveryList { take: u64::MAX, ..DeliveryList::default() }
}

/// All deliveries, the oldest first.
pub async fn everything(store: &impl Store) -> Vec<DeliveryRow> {
    let page = store.deliveries(list()).await.unwrap();
    assert_eq!(page.total, page.deliveries.len() as u64);
    page.deliveries.into_iter().rev().collect()
}

pub async fn row(store: &impl Store, id: DeliveryId) -> DeliveryRow {
    store.delivery(id).await.unwrap().unwrap().0
}

pub async fn attempts(store: &impl Store, id: DeliveryId) -> Vec<Attempt> {
    store.delivery(id).await.unwrap().unwrap().1
}

/// What is due in one lane.
pub async fn waiting(store: &impl Store, lane: Lane, take: usize, gather: Gather, second: i64) -> Waiting {
    let mut answers = store.waiting(vec![Peek { lane, take, gather }], at(second)).await.unwrap();
    assert_eq!(answers.len(), 1);
    answers.remove(0)
}

pub fn ids(due: &[DueDelivery]) -> Vec<DeliveryId> {
    due.iter().map(|due| due.id).collect()
}

/// Claims at a moment, for a minute.
pub async fn claim(
    store: &impl Store,
    claim: u64,
    second: i64,
    deliveries: &[DeliveryId],
) -> Vec<DeliveryId> {
    let (deliveries, documents) = (deliveries.to_vec(), Vec::new());
    let (at, lease_until) = (at(second), at(second + 60));
    store.claim(Claim { claim, at, lease_until, deliveries, hidden: Vec::new(), documents }).await.unwrap()
}

pub fn attempt(second: i64, outcome: Outcome) -> Attempt {
    Attempt {
        began_at: at(second),
        took: Duration::from_millis(120),
        outcome,
        status: Some(200),
        target: Some("https://hook.example/".to_owned()),
        excerpt: b"thanks".to_vec(),
    }
}

pub const TIMEOUT: Outcome = Outcome::Failed(Fault::Timeout);

pub fn settlement(id: DeliveryId, claim: u64, second: i64, outcome: Outcome, next: RetryDecision) -> Settlement {
    Settlement { id, claim, attempt: Some(attempt(second, outcome)), next, at: at(second + 1) }
}

pub fn delivered(id: DeliveryId, claim: u64, second: i64) -> Settlement {
    settlement(id, claim, second, Outcome::Delivered, RetryDecision::Delivered)
}

pub fn failed(id: DeliveryId, claim: u64, second: i64) -> Settlement {
    settlement(id, claim, second, TIMEOUT, RetryDecision::Failed)
}

pub fn retry(id: DeliveryId, claim: u64, second: i64, due: Timestamp) -> Settlement {
    settlement(id, claim, second, TIMEOUT, RetryDecision::RetryAt(due))
}
