//! Shared by the tests of deliveries: notify searches, enqueue, claim, settle.

use std::time::Duration;

use domain::search::MatchChannel;
use domain::{
    DeliveryChannel, DeliveryId, EventName, Fault, Outcome, PhaseTimings, ResponseHeader, RetryDecision,
    SearchNumber, Timestamp,
};
use store::prelude::*;
use store::{
    Attempt, Claim, DeliveryList, DeliveryRow, DueDelivery, EnqueueBatch, Expected, Gather, InitialState,
    Lane, LaneHead, LanePeek, MatchBatch, MatchGroup, NewDelivery, Notification, OutboxEntry, Position,
    Settlement,
};
use testkit::build::{advert, advert_id, at, property, property_id, saved_search, search_id};

use crate::backend::{Backend, Opened};
use crate::changes::{commit, create, create_search};

pub const BY_WEBHOOK: Notification = Notification::Match(MatchChannel::Endpoint);
pub const BY_EMAIL: Notification = Notification::Match(MatchChannel::Email);
/// The creation of an advert is the first event of its first log entry.
pub const CREATION: Notification = Notification::Event(EventName::AdCreate, 0);

/// Opens a store with this many searches of the first user, and returns their numbers.
pub async fn store_with<B: Backend>(searches: u64) -> (Opened<B>, Vec<SearchNumber>) {
    let store = Opened::<B>::fresh().await;
    commit(&*store, (1..=searches).map(|number| create_search(&saved_search(number)))).await;
    let mut numbers = Vec::new();
    for number in 1..=searches {
        numbers.push(store.search(search_id(number)).await.unwrap().unwrap().number);
    }
    (store, numbers)
}

/// The match group of a log entry. The recipients of match notifications are its matches.
pub fn group(
    position: Position,
    number: u64,
    version: u32,
    outbox: &[(Notification, &[SearchNumber])],
) -> MatchGroup {
    let entry = |(notification, searches): &(Notification, &[SearchNumber])| OutboxEntry {
        notification: *notification,
        searches: searches.to_vec(),
    };
    let matches =
        |(notification, _): &&(Notification, &[SearchNumber])| matches!(notification, Notification::Match(_));
    let mut matched: Vec<_> =
        outbox.iter().filter(matches).flat_map(|(_, searches)| searches.to_vec()).collect();
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
        inherited: Vec::new(),
        outbox: outbox.iter().map(entry).collect(),
    }
}

/// Records a group, and advances the matcher's checkpoint to it.
pub async fn record(store: &impl Store, group: MatchGroup) {
    let (after, until) = (store.matcher_checkpoint().await.unwrap(), group.position);
    assert!(store.record_matches(MatchBatch { after, until, groups: vec![group] }).await.unwrap());
}

/// Creates a property of one advert, and writes these notifications to the outbox.
pub async fn notify(store: &impl Store, number: u64, outbox: &[(Notification, &[SearchNumber])]) -> Position {
    let position = commit(store, [create(&property(number, [advert(number).build()]), Expected::New)]).await;
    record(store, group(position, number, 1, outbox)).await;
    position
}

/// Makes all deliveries of a batch due at a date.
pub fn due_at(deliveries: &[NewDelivery], second: i64) -> Vec<(NewDelivery, InitialState)> {
    deliveries.iter().map(|delivery| (*delivery, InitialState::DueAt(at(second)))).collect()
}

/// Enqueues deliveries for all pending outbox entries, created at one time and due at another.
pub async fn enqueue_all(store: &impl Store, at_second: i64, due_second: i64) -> Vec<DeliveryId> {
    let before = all_deliveries(store).await.len();
    loop {
        let outbox = store.read_outbox(100).await.unwrap();
        let deliveries = due_at(&outbox.deliveries, due_second);
        let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at: at(at_second), deliveries };
        assert!(store.enqueue(batch).await.unwrap());
        if !outbox.more {
            break;
        }
    }
    all_deliveries(store).await[before..].iter().map(|row| row.id).collect()
}

/// Creates one search with this many deliveries to its endpoint, enqueued and due at 6 000.
pub async fn webhooks<B: Backend>(count: u64) -> (Opened<B>, SearchNumber, Vec<DeliveryId>) {
    let (store, numbers) = store_with::<B>(1).await;
    for number in 1..=count {
        notify(&*store, number, &[(BY_WEBHOOK, &numbers)]).await;
    }
    let made = enqueue_all(&*store, 6_000, 6_000).await;
    (store, numbers[0], made)
}

pub fn lane(search: SearchNumber, channel: DeliveryChannel) -> Lane {
    Lane { search, channel }
}

/// Selects the deliveries of all owners.
pub fn list() -> DeliveryList {
    DeliveryList { take: u64::MAX, ..DeliveryList::default() }
}

/// Returns all deliveries, the oldest first.
pub async fn all_deliveries(store: &impl Store) -> Vec<DeliveryRow> {
    let page = store.list_deliveries(list()).await.unwrap();
    assert_eq!(page.total, page.deliveries.len() as u64);
    page.deliveries.into_iter().rev().collect()
}

pub async fn row(store: &impl Store, id: DeliveryId) -> DeliveryRow {
    store.delivery(id).await.unwrap().unwrap().0
}

pub async fn attempts(store: &impl Store, id: DeliveryId) -> Vec<Attempt> {
    store.delivery(id).await.unwrap().unwrap().1
}

/// Peeks into one lane.
pub async fn peek(store: &impl Store, lane: Lane, take: usize, gather: Gather, second: i64) -> LaneHead {
    let mut results = store.peek_lanes(vec![LanePeek { lane, take, gather }], at(second)).await.unwrap();
    assert_eq!(results.len(), 1);
    results.remove(0)
}

pub fn ids(due: &[DueDelivery]) -> Vec<DeliveryId> {
    due.iter().map(|due| due.id).collect()
}

/// Claims deliveries for a minute.
pub async fn claim(
    store: &impl Store,
    claim: u64,
    second: i64,
    deliveries: &[DeliveryId],
) -> Vec<DeliveryId> {
    let (deliveries, documents) = (deliveries.to_vec(), Vec::new());
    let (at, lease_until) = (at(second), at(second + 60));
    store
        .claim(Claim { claim_id: claim, at, lease_until, deliveries, contacts_hidden: Vec::new(), documents })
        .await
        .unwrap()
}

pub fn attempt(second: i64, outcome: Outcome) -> Attempt {
    Attempt {
        started_at: at(second),
        duration: Duration::from_millis(120),
        outcome,
        status: Some(200),
        target: Some("https://hook.example/".to_owned()),
        response_excerpt: b"thanks".to_vec(),
        response_headers: vec![ResponseHeader { name: "server".to_owned(), value: "nginx".to_owned() }],
        timings: PhaseTimings { first_byte: Some(Duration::from_millis(110)), ..PhaseTimings::default() },
        certificate: None,
    }
}

pub const TIMEOUT: Outcome = Outcome::Failed(Fault::Timeout);

pub fn settlement(
    id: DeliveryId,
    claim: u64,
    second: i64,
    outcome: Outcome,
    next: RetryDecision,
) -> Settlement {
    Settlement { id, claim_id: claim, attempt: Some(attempt(second, outcome)), next, at: at(second + 1) }
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
