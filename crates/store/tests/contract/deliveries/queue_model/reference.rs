//! A naive model of the queue.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::time::Duration;

use domain::{
    CancelReason, DeliveryId, DeliveryState, Outcome, PhaseTimings, RetryDecision, RetryPolicy, SearchNumber,
};
use store::prelude::*;
use store::{
    Attempt, Gather, LEASE, Lane, LanePeek, Leases, Notification, OutboxBatch, Position, Settlement,
};
use testkit::build::at;

use crate::delivery_fixtures::all_deliveries;

pub type OutboxItem = (Position, Notification, SearchNumber);

#[derive(Debug, Clone)]
pub struct Model {
    /// The clock, in seconds.
    pub now: i64,
    /// Everything that was ever in the outbox, in order.
    pub outbox: Vec<OutboxItem>,
    /// How many items are before the cursor, enqueued or skipped.
    pub enqueued_until: usize,
    /// How often the cursor has moved.
    pub cursor_moves: u64,
    pub rows: Vec<Row>,
    /// Every enqueued item; none may be enqueued twice.
    queued: Vec<OutboxItem>,
    skipped: usize,
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
    /// The last claim, in force or not.
    claim: u64,
}

impl Row {
    pub fn id(&self) -> DeliveryId {
        self.id.expect("rows get their id when they are inserted")
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
        use CancelReason::{ChannelOff, Damaged, Disabled, NoRecipient};
        match self.state {
            DeliveryState::Failed => true,
            DeliveryState::Cancelled(reason) => {
                matches!(reason, Disabled | NoRecipient | ChannelOff | Damaged)
            }
            DeliveryState::Pending | DeliveryState::Leased | DeliveryState::Delivered => false,
        }
    }

    fn settle(&mut self, attempt: Option<Attempt>, next: RetryDecision, now: i64) {
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
            outbox: Vec::new(),
            enqueued_until: 0,
            cursor_moves: 0,
            rows: Vec::new(),
            queued: Vec::new(),
            skipped: 0,
            ids_ever: HashSet::new(),
            live: searches.iter().copied().collect(),
            last_alerts: BTreeMap::new(),
        }
    }

    fn is_live(&self, item: &OutboxItem) -> bool {
        self.live.contains(&item.2)
    }

    /// A batch holds the first items for existing searches, and all of them if there is no more.
    pub fn check_outbox(&self, outbox: &OutboxBatch) {
        let read: Vec<OutboxItem> =
            outbox.deliveries.iter().map(|it| (it.position, it.notification, it.search)).collect();
        let all: Vec<OutboxItem> =
            self.outbox[self.enqueued_until..].iter().filter(|item| self.is_live(item)).copied().collect();
        assert_eq!(read, all[..read.len()]);
        assert!(outbox.more || read.len() == all.len(), "a batch without `more` is complete");
        assert!(!outbox.more || outbox.after != outbox.until, "a batch with `more` advances the cursor");
    }

    /// Enqueues a batch. Items before it that are not in it are skipped for good.
    pub fn enqueue(&mut self, outbox: &OutboxBatch, due: i64) {
        if outbox.after == outbox.until {
            assert!(outbox.deliveries.is_empty());
            return;
        }
        self.cursor_moves += 1;
        for delivery in &outbox.deliveries {
            let item = (delivery.position, delivery.notification, delivery.search);
            let index = self.outbox[self.enqueued_until..].iter().position(|other| *other == item);
            let index = index.expect("an enqueued item is in the outbox and was not enqueued before");
            self.skipped += index;
            self.enqueued_until += index + 1;
            self.queued.push(item);
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

    /// Reads the ids that the store has assigned, none of them twice.
    pub async fn learn_ids(&mut self, store: &impl Store) {
        let rows = all_deliveries(store).await;
        assert_eq!(rows.len(), self.rows.len());
        for (known, row) in self.rows.iter_mut().zip(&rows) {
            if known.id.is_none() {
                assert!(self.ids_ever.insert(row.id), "{} is assigned twice", row.id);
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

    pub fn peek(&self, peek: &LanePeek) -> (Vec<(DeliveryId, u32, u32)>, Option<i64>) {
        let mut pending: Vec<&Row> =
            self.rows.iter().filter(|row| row.lane == peek.lane && row.is_pending()).collect();
        // A stable sort: deliveries with the same due date stay in the order of the outbox.
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
        let (now, live) = (self.now, self.live.clone());
        let mut claimed = Vec::new();
        for id in deliveries {
            let Some(row) = self.row_mut(*id) else { continue };
            if live.contains(&row.lane.search)
                && row.is_pending()
                && (row.state_at <= now || row.failures == 0)
            {
                (row.state, row.state_at, row.claim) = (DeliveryState::Leased, now + seconds, claim);
                claimed.push(*id);
            }
        }
        claimed
    }

    /// Returns `true` if the settlement is recorded.
    pub fn settle(&mut self, settlement: &Settlement) -> bool {
        let now = self.now;
        let Settlement { id, claim_id: claim, attempt, next, .. } = settlement.clone();
        let Some(row) = self.row_mut(id) else { return false };
        if row.state != DeliveryState::Leased || row.claim != claim {
            return false;
        }
        row.settle(attempt, next, now);
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
        let is_selected = |row: &&mut Row| leases == Leases::All || row.state_at <= now;
        let mut first_due: HashMap<Lane, i64> = HashMap::new();
        for row in self.rows.iter().filter(|row| row.is_pending()) {
            let due_at = first_due.entry(row.lane).or_insert(row.state_at);
            *due_at = row.state_at.min(*due_at);
        }
        let leased = self.rows.iter_mut().filter(|row| row.state == DeliveryState::Leased);
        let mut lanes = Vec::new();
        for row in leased.filter(is_selected) {
            let outcome = Outcome::Interrupted;
            let attempt = Attempt {
                // The date of the claim.
                started_at: at((row.state_at - LEASE.as_secs().cast_signed()).min(now)),
                duration: Duration::ZERO,
                outcome,
                status: None,
                target: None,
                response_excerpt: Vec::new(),
                response_headers: Vec::new(),
                timings: PhaseTimings::default(),
                certificate: None,
            };
            let retries = RetryPolicy { interval: Duration::ZERO };
            let next = retries.after(outcome, at(now), row.failures, row.interruptions);
            row.settle(Some(attempt), next, now);
            // It keeps its place in the lane, the first three times.
            if let Some(first_due) = first_due
                .get(&row.lane)
                .filter(|_| row.is_pending() && row.failures == 0 && row.interruptions <= 3)
            {
                row.state_at = row.state_at.min(*first_due);
            }
            lanes.push(row.lane);
        }
        lanes
    }

    pub fn replay(&mut self, is_selected: impl Fn(&Row) -> bool) -> Vec<DeliveryId> {
        let (now, live) = (self.now, &self.live);
        let mut replayed = Vec::new();
        // Deliveries of a deleted search are never sent again.
        for row in self.rows.iter_mut().filter(|row| live.contains(&row.lane.search) && is_selected(row)) {
            (row.state, row.state_at) = (DeliveryState::Pending, now);
            (row.failures, row.interruptions) = (0, 0);
            replayed.push(row.id());
        }
        replayed
    }

    pub fn prune(&mut self, before: i64) {
        self.rows.retain(|row| !(row.has_ended() && row.state_at < before && row.created_at < before));
    }

    pub fn delete_search(&mut self, search: SearchNumber, at: i64) {
        if !self.live.contains(&search) {
            return;
        }
        let cancelled = DeliveryState::Cancelled(CancelReason::SearchDeleted);
        for row in self.rows.iter_mut().filter(|row| row.lane.search == search && row.is_pending()) {
            (row.state, row.state_at) = (cancelled, at);
        }
        self.live.remove(&search);
        self.last_alerts.remove(&search);
    }

    /// Returns the lanes with pending deliveries.
    pub fn lanes(&self) -> Vec<Lane> {
        let pending = self.rows.iter().filter(|row| row.is_pending());
        BTreeSet::from_iter(pending.map(|row| row.lane)).into_iter().collect()
    }

    /// Once the queue is empty: every item was enqueued once, unless its search was deleted before.
    pub fn check_nothing_is_lost_or_duplicated(&self) {
        let outbox: Vec<OutboxItem> = self.outbox[self.enqueued_until..].to_vec();
        assert!(outbox.iter().all(|item| !self.is_live(item)), "the outbox is empty");
        let mut queued = self.queued.clone();
        queued.sort();
        queued.dedup();
        assert_eq!(queued.len(), self.queued.len(), "no item is enqueued twice");
        assert_eq!(self.queued.len() + self.skipped + outbox.len(), self.outbox.len());
        let live = self.outbox.iter().filter(|item| self.is_live(item)).count();
        assert_eq!(self.queued.iter().filter(|item| self.is_live(item)).count(), live);
        assert!(self.rows.iter().all(Row::has_ended));
    }
}
