//! The queue written down naively.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use domain::{CancelReason, DeliveryId, DeliveryState, RetryDecision, Outcome, RetryPolicy, SearchNumber};
use store::{
    Attempt, Gather, LEASE, Lane, Leases, Notification, OutboxBatch, Peek, Position, Settlement, Store,
};
use testkit::build::at;

use crate::deliveries::everything;

pub type Told = (Position, Notification, SearchNumber);

#[derive(Debug, Clone)]
pub struct Model {
    /// In seconds; the only clock.
    pub now: i64,
    /// Everything ever owed, in order.
    pub owed: Vec<Told>,
    /// How many of those are behind the queue's beginning: queued, or left out.
    pub taken: usize,
    /// How often that has moved.
    pub intakes: u64,
    pub rows: Vec<Row>,
    /// What was queued, and never again.
    queued: Vec<Told>,
    left_out: usize,
    ids_ever: HashSet<DeliveryId>,
    pub live: BTreeSet<SearchNumber>,
    pub last_alerts: BTreeMap<SearchNumber, i64>,
}

#[derive(Debug, Clone)]
pub struct Row {
    id: Option<DeliveryId>,
    pub lane: Lane,
    pub notification: Notification,
    pub state: DeliveryState,
    pub state_at: i64,
    pub created_at: i64,
    pub attempts: Vec<Attempt>,
    failures: u32,
    interruptions: u32,
    /// The last one, held or not.
    claim: u64,
}

impl Row {
    pub fn id(&self) -> DeliveryId {
        self.id.expect("ids are learned when rows are made")
    }

    fn is_pending(&self) -> bool {
        self.state == DeliveryState::Pending
    }

    fn is_new(&self) -> bool {
        self.failures == 0 && self.interruptions == 0
    }

    pub fn has_ended(&self) -> bool {
        !matches!(self.state, DeliveryState::Pending | DeliveryState::Leased)
    }

    pub fn can_be_replayed_with_others(&self) -> bool {
        use CancelReason::{ChannelOff, Disabled, NoRecipient};
        match self.state {
            DeliveryState::Failed => true,
            DeliveryState::Cancelled(reason) => matches!(reason, Disabled | NoRecipient | ChannelOff),
            DeliveryState::Pending | DeliveryState::Leased | DeliveryState::Delivered => false,
        }
    }

    fn follow(&mut self, attempt: Option<Attempt>, next: RetryDecision, now: i64) {
        match attempt.as_ref().map(|attempt| attempt.outcome) {
            Some(Outcome::Failed(_)) => self.failures += 1,
            Some(Outcome::Interrupted) => self.interruptions += 1,
            Some(Outcome::Delivered) | None => {}
        }
        self.attempts.extend(attempt);
        (self.state, self.state_at) = match next {
            RetryDecision::Delivered => (DeliveryState::Delivered, now),
            RetryDecision::RetryAt(due) => (DeliveryState::Pending, due.as_second()),
            RetryDecision::Failed => (DeliveryState::Failed, now),
        };
    }
}

impl Model {
    pub fn new(searches: &[SearchNumber]) -> Self {
        Self {
            now: 10_000,
            owed: Vec::new(),
            taken: 0,
            intakes: 0,
            rows: Vec::new(),
            queued: Vec::new(),
            left_out: 0,
            ids_ever: HashSet::new(),
            live: searches.iter().copied().collect(),
            last_alerts: BTreeMap::new(),
        }
    }

    fn is_live(&self, told: &Told) -> bool {
        self.live.contains(&told.2)
    }

    /// What is read is the beginning of what is owed to searches that are there, and all of it if there is no more.
    pub fn check_owed(&self, owed: &OutboxBatch) {
        let read: Vec<Told> =
            owed.deliveries.iter().map(|it| (it.position, it.notification, it.search)).collect();
        let all: Vec<Told> =
            self.owed[self.taken..].iter().filter(|told| self.is_live(told)).copied().collect();
        assert_eq!(read, all[..read.len()]);
        assert!(owed.more || read.len() == all.len(), "what is not read is more");
        assert!(!owed.more || owed.after != owed.until, "whoever goes on comes to the end");
    }

    /// What was read is queued, and what was passed over by then is not owed any more.
    pub fn enqueue(&mut self, owed: &OutboxBatch, due: i64) {
        if owed.after == owed.until {
            assert!(owed.deliveries.is_empty());
            return;
        }
        self.intakes += 1;
        for delivery in &owed.deliveries {
            let told = (delivery.position, delivery.notification, delivery.search);
            let place = self.owed[self.taken..].iter().position(|known| *known == told);
            let place = place.expect("what is queued was owed, and not queued before");
            self.left_out += place;
            self.taken += place + 1;
            self.queued.push(told);
            self.rows.push(Row {
                id: None,
                lane: delivery.lane(),
                notification: delivery.notification,
                state: DeliveryState::Pending,
                state_at: due,
                created_at: self.now,
                attempts: Vec::new(),
                failures: 0,
                interruptions: 0,
                claim: 0,
            });
        }
    }

    /// The store gives ids; none of them twice.
    pub async fn learn_ids(&mut self, store: &impl Store) {
        let rows = everything(store).await;
        assert_eq!(rows.len(), self.rows.len());
        for (known, row) in self.rows.iter_mut().zip(&rows) {
            if known.id.is_none() {
                assert!(self.ids_ever.insert(row.id), "{} is given twice", row.id);
                known.id = Some(row.id);
            }
        }
    }

    fn row_mut(&mut self, id: DeliveryId) -> Option<&mut Row> {
        self.rows.iter_mut().find(|row| row.id == Some(id))
    }

    pub fn counts(&self, id: DeliveryId) -> (u32, u32) {
        let row = self.rows.iter().find(|row| row.id == Some(id));
        row.map_or((0, 0), |row| (row.failures, row.interruptions))
    }

    pub fn waiting(&self, peek: &Peek) -> (Vec<(DeliveryId, u32, u32)>, Option<i64>) {
        let mut pending: Vec<&Row> =
            self.rows.iter().filter(|row| row.lane == peek.lane && row.is_pending()).collect();
        // Stable: those due at the same moment stay in the order in which they came to be owed.
        pending.sort_by_key(|row| row.state_at);
        let first = pending.first().copied().filter(|first| first.state_at <= self.now);
        let (mut taken, mut rest): (Vec<&Row>, Vec<&Row>) = pending.iter().partition(|row| {
            let is_due = row.state_at <= self.now;
            match (peek.gather, first) {
                (_, None) => false,
                (Gather::DueOnly, _) => is_due,
                (Gather::WithNew, Some(first)) if first.is_new() => row.is_new(),
                (Gather::WithNew, Some(first)) => {
                    !row.is_new() && row.claim == first.claim && row.state_at == first.state_at
                }
            }
        });
        if taken.len() > peek.take {
            rest.extend(taken.split_off(peek.take));
        }
        let taken = taken.iter().map(|row| (row.id(), row.failures, row.interruptions)).collect();
        (taken, rest.iter().map(|row| row.state_at).min())
    }

    pub fn claim(&mut self, claim: u64, deliveries: &[DeliveryId], seconds: i64) -> Vec<DeliveryId> {
        let now = self.now;
        let mut claimed = Vec::new();
        for id in deliveries {
            let Some(row) = self.row_mut(*id) else { continue };
            if row.is_pending() && (row.state_at <= now || row.failures == 0) {
                (row.state, row.state_at, row.claim) = (DeliveryState::Leased, now + seconds, claim);
                claimed.push(*id);
            }
        }
        claimed
    }

    /// Whether it counts.
    pub fn settle(&mut self, settlement: &Settlement) -> bool {
        let now = self.now;
        let Settlement { id, claim, attempt, next, .. } = settlement.clone();
        let Some(row) = self.row_mut(id) else { return false };
        if row.state != DeliveryState::Leased || row.claim != claim {
            return false;
        }
        row.follow(attempt, next, now);
        let search = row.lane.search;
        if next == RetryDecision::Delivered && self.live.contains(&search) {
            self.last_alerts.insert(search, now);
        }
        true
    }

    pub fn cancel(&mut self, deliveries: &[DeliveryId], reason: CancelReason) {
        let now = self.now;
        for id in deliveries {
            if let Some(row) = self.row_mut(*id).filter(|row| row.is_pending()) {
                (row.state, row.state_at) = (DeliveryState::Cancelled(reason), now);
            }
        }
    }

    pub fn reap_leases(&mut self, leases: Leases) -> Vec<Lane> {
        let now = self.now;
        let is_meant = |row: &&mut Row| leases == Leases::All || row.state_at <= now;
        let leased = self.rows.iter_mut().filter(|row| row.state == DeliveryState::Leased);
        let mut lanes = Vec::new();
        for row in leased.filter(is_meant) {
            let outcome = Outcome::Interrupted;
            let attempt = Attempt {
                // When it was claimed.
                began_at: at((row.state_at - LEASE.as_secs().cast_signed()).min(now)),
                took: Duration::ZERO,
                outcome,
                status: None,
                target: None,
                excerpt: Vec::new(),
            };
            let retries = RetryPolicy { interval: Duration::ZERO };
            let next = retries.after(outcome, at(now), row.failures, row.interruptions);
            row.follow(Some(attempt), next, now);
            lanes.push(row.lane);
        }
        lanes
    }

    pub fn replay(&mut self, is_meant: impl Fn(&Row) -> bool) -> Vec<DeliveryId> {
        let now = self.now;
        let mut replayed = Vec::new();
        for row in self.rows.iter_mut().filter(|row| is_meant(row)) {
            (row.state, row.state_at) = (DeliveryState::Pending, now);
            (row.failures, row.interruptions) = (0, 0);
            replayed.push(row.id());
        }
        replayed
    }

    pub fn forget(&mut self, before: i64) {
        self.rows.retain(|row| !(row.has_ended() && row.state_at < before && row.created_at < before));
    }

    pub fn delete_search(&mut self, search: SearchNumber, at: i64) {
        if !self.live.contains(&search) {
            return;
        }
        let given_up = DeliveryState::Cancelled(CancelReason::SearchDeleted);
        for row in self.rows.iter_mut().filter(|row| row.lane.search == search && row.is_pending()) {
            (row.state, row.state_at) = (given_up, at);
        }
        self.live.remove(&search);
        self.last_alerts.remove(&search);
    }

    /// Those in which something is pending.
    pub fn lanes(&self) -> Vec<Lane> {
        let pending = self.rows.iter().filter(|row| row.is_pending());
        BTreeSet::from_iter(pending.map(|row| row.lane)).into_iter().collect()
    }

    /// Once everything is brought: each was queued once, unless its search was deleted before.
    pub fn check_nothing_is_lost_or_doubled(&self) {
        let owed: Vec<Told> = self.owed[self.taken..].to_vec();
        assert!(owed.iter().all(|told| !self.is_live(told)), "nothing is owed any more");
        let mut queued = self.queued.clone();
        queued.sort();
        queued.dedup();
        assert_eq!(queued.len(), self.queued.len(), "nothing is queued twice");
        assert_eq!(self.queued.len() + self.left_out + owed.len(), self.owed.len());
        let live = self.owed.iter().filter(|told| self.is_live(told)).count();
        assert_eq!(self.queued.iter().filter(|told| self.is_live(told)).count(), live);
        assert!(self.rows.iter().all(Row::has_ended));
    }
}
