//! Decides which lanes are next. No store, no clock, no sockets: lanes, when each is due, and how many attempts are in flight.
//!
//! Due lanes take turns: a lane goes behind those that were due before it, however many deliveries it has. A lane whose host or
//! user has reached its limit is parked until an attempt there ends, so that it does not hold up other lanes. One user has at
//! most half of the attempts of a host, because unrelated users may share a host. More deliveries are claimed than may be in
//! flight, so that the next attempt does not have to wait for its claim.
//!
//! If attempts to a target time out, only a few probes are made until one completes: a receiver that hangs must not occupy all
//! attempts.
//!
//! Within a lane, only one delivery about a property is in flight, so that a receiver sees the changes of a property in order.

use std::collections::{BTreeSet, HashMap, HashSet, VecDeque};
use std::sync::Arc;

use domain::{PropertyId, Timestamp, UserId};
use store::Lane;
use tokio::sync::{Semaphore, SemaphorePermit};

use crate::dispatch::DispatchLimits;

/// Where an attempt goes, as far as limits are concerned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Target {
    pub host: Arc<str>,
    pub user: UserId,
}

/// Deliveries with the same key are sent one after the other, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct OrderKey {
    pub lane: Lane,
    pub property: PropertyId,
}

/// What an attempt in flight occupies.
#[derive(Debug, Clone)]
pub struct Route {
    pub target: Target,
    /// `None` if the order does not matter.
    pub order: Option<OrderKey>,
}

/// How an attempt ended, as far as it matters for the next ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptEnd {
    NotAttempted,
    /// Another server attempts it, or an earlier one of the same property.
    Refused,
    /// The attempt, or the wait for its permit, timed out.
    TimedOut,
    /// With any other outcome.
    Completed,
}

/// How many attempts are made to a target whose last attempt timed out.
const PROBES: usize = 2;

/// The host name under which all e-mails are counted: they share one mail server.
pub const MAIL_HOST: &str = "mail";

/// Whether a delivery waits for the one in flight with the same [`OrderKey`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Successor {
    None,
    Waiting,
}

#[derive(Debug)]
pub struct Schedule {
    limits: DispatchLimits,
    /// A lane without an entry has no pending deliveries that the schedule knows of.
    lanes: HashMap<Lane, LaneState>,
    scheduled: BTreeSet<(Timestamp, Lane)>,
    ready: VecDeque<Lane>,
    usage: HashMap<LimitKey, LimitUsage>,
    /// Targets whose last attempt timed out.
    stalled: HashSet<Target>,
    orders_in_flight: HashMap<OrderKey, Successor>,
    in_flight: usize,
}

/// What a limit applies to.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum LimitKey {
    Host(Arc<str>),
    User(UserId),
    /// One user at one host.
    UserAtHost(Target),
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum LaneState {
    Scheduled(Timestamp),
    Ready,
    /// Until an attempt counted under the key ends.
    Parked(LimitKey),
}

#[derive(Debug)]
struct LimitUsage {
    in_flight: usize,
    parked: VecDeque<Lane>,
    permits: Arc<Semaphore>,
}

/// The semaphores of an attempt: first that of its user at the host, then that of the host. An attempt that waits for the first
/// holds no permit; one that waits for the second holds a permit that only its own user could use.
#[derive(Debug, Clone)]
pub struct Permits([Arc<Semaphore>; 2]);

impl Permits {
    /// Waits until the attempt may be made.
    pub async fn acquire(&self) -> Vec<SemaphorePermit<'_>> {
        let mut permits = Vec::with_capacity(self.0.len());
        for semaphore in &self.0 {
            // The semaphores are never closed.
            permits.extend(semaphore.acquire().await.ok());
        }
        permits
    }
}

impl Schedule {
    pub fn new(limits: DispatchLimits) -> Self {
        let (lanes, scheduled, ready) = (HashMap::new(), BTreeSet::new(), VecDeque::new());
        let (usage, stalled, orders_in_flight) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self { limits, lanes, scheduled, ready, usage, stalled, orders_in_flight, in_flight: 0 }
    }

    /// Returns how many attempts may be in flight under a key.
    fn limit(&self, key: &LimitKey) -> usize {
        let DispatchLimits { per_host, per_user, emails, .. } = self.limits;
        let of_host = |host: &str| if host == MAIL_HOST { emails } else { per_host };
        match key {
            LimitKey::Host(host) => of_host(host),
            LimitKey::User(_) => per_user,
            LimitKey::UserAtHost(target) => of_host(&target.host).div_ceil(2),
        }
    }

    /// Returns how many deliveries may be claimed under a key. While some are sent the next are claimed, which takes a sync to disk;
    /// but never so many of one user that a host has no room for others.
    fn claim_limit(&self, key: &LimitKey) -> usize {
        let limit = self.limit(key);
        match key {
            LimitKey::UserAtHost(target) if self.stalled.contains(target) => PROBES.min(limit),
            LimitKey::UserAtHost(_) => limit * 2,
            LimitKey::Host(_) => limit + limit.div_ceil(2),
            LimitKey::User(_) => limit,
        }
    }

    fn usage(&mut self, key: LimitKey) -> &mut LimitUsage {
        let limit = self.limit(&key);
        self.usage.entry(key).or_insert_with(|| LimitUsage {
            in_flight: 0,
            parked: VecDeque::new(),
            permits: Arc::new(Semaphore::new(limit)),
        })
    }

    /// Adds a lane that has a delivery due at `due_at`.
    pub fn add(&mut self, lane: Lane, due_at: Timestamp) {
        match self.lanes.get(&lane) {
            Some(LaneState::Ready) => {}
            Some(LaneState::Scheduled(earlier)) if *earlier <= due_at => {}
            Some(LaneState::Scheduled(later)) => {
                self.scheduled.remove(&(*later, lane));
                self.schedule(lane, due_at);
            }
            // An attempt that ends under the key unparks the lane, unless none is in flight and none will end.
            Some(LaneState::Parked(key)) => {
                if self.usage.get(key).is_none_or(|usage| usage.in_flight == 0) {
                    self.make_ready(lane);
                }
            }
            None => self.schedule(lane, due_at),
        }
    }

    fn schedule(&mut self, lane: Lane, due_at: Timestamp) {
        self.scheduled.insert((due_at, lane));
        self.lanes.insert(lane, LaneState::Scheduled(due_at));
    }

    fn make_ready(&mut self, lane: Lane) {
        self.lanes.insert(lane, LaneState::Ready);
        self.ready.push_back(lane);
    }

    /// Removes and returns at most `limit` lanes that are due. The caller adds them again if they have more.
    pub fn take_ready(&mut self, now: Timestamp, limit: usize) -> Vec<Lane> {
        while let Some((due_at, lane)) = self.scheduled.first().copied() {
            if due_at > now {
                break;
            }
            self.scheduled.remove(&(due_at, lane));
            self.make_ready(lane);
        }
        let mut taken = Vec::new();
        while taken.len() < limit && self.in_flight < self.limits.total {
            let Some(lane) = self.ready.pop_front() else { break };
            // A lane may be queued twice; the second time it is not ready any more.
            if self.lanes.get(&lane) == Some(&LaneState::Ready) {
                self.lanes.remove(&lane);
                taken.push(lane);
            }
        }
        taken
    }

    /// Returns when the next scheduled lane is due.
    pub fn next_due_at(&self) -> Option<Timestamp> {
        self.scheduled.first().map(|(due_at, _)| *due_at)
    }

    /// Returns `true` if [`Schedule::take_ready`] may return a lane.
    pub fn has_ready(&self, now: Timestamp) -> bool {
        let is_due = self.scheduled.first().is_some_and(|(due_at, _)| *due_at <= now);
        (is_due || !self.ready.is_empty()) && self.in_flight < self.limits.total
    }

    /// Returns how many more attempts to a target the limits allow. If none, parks the lane.
    pub fn capacity_or_park(&mut self, lane: Lane, target: &Target) -> usize {
        let mut capacity = self.limits.total.saturating_sub(self.in_flight);
        if capacity == 0 {
            // The total limit concerns all lanes alike; this one stays first.
            self.lanes.insert(lane, LaneState::Ready);
            self.ready.push_front(lane);
            return 0;
        }
        for key in target.limit_keys() {
            let in_flight = self.usage.get(&key).map_or(0, |usage| usage.in_flight);
            let left = self.claim_limit(&key).saturating_sub(in_flight);
            if left == 0 {
                self.usage(key.clone()).parked.push_back(lane);
                self.lanes.insert(lane, LaneState::Parked(key));
                return 0;
            }
            capacity = capacity.min(left);
        }
        capacity
    }

    /// Returns `true` if a delivery with the same key is in flight. The lane becomes ready again when that attempt ends.
    pub fn is_blocked(&mut self, order: OrderKey) -> bool {
        self.orders_in_flight.get_mut(&order).map(|successor| *successor = Successor::Waiting).is_some()
    }

    /// Records that an attempt is claimed. The attempt acquires the returned permits before it sends.
    pub fn start(&mut self, route: &Route) -> Permits {
        self.in_flight += 1;
        self.orders_in_flight.extend(route.order.map(|order| (order, Successor::None)));
        let [host, _, user_at_host] = route.target.limit_keys().map(|key| {
            let usage = self.usage(key);
            usage.in_flight += 1;
            Arc::clone(&usage.permits)
        });
        Permits([user_at_host, host])
    }

    /// Records that an attempt has ended. Lanes that were parked because of it become ready.
    pub fn end(&mut self, route: &Route, end: AttemptEnd) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match end {
            AttemptEnd::NotAttempted | AttemptEnd::Refused => {}
            AttemptEnd::TimedOut => drop(self.stalled.insert(route.target.clone())),
            AttemptEnd::Completed => drop(self.stalled.remove(&route.target)),
        }
        if let Some(order) = route.order
            && self.orders_in_flight.remove(&order) == Some(Successor::Waiting)
            && end != AttemptEnd::Refused
        {
            self.add(order.lane, Timestamp::MIN);
        }
        for key in route.target.limit_keys() {
            let limit = self.claim_limit(&key);
            let Some(usage) = self.usage.get_mut(&key) else { continue };
            usage.in_flight = usage.in_flight.saturating_sub(1);
            let capacity = limit.saturating_sub(usage.in_flight).min(usage.parked.len());
            let unparked: Vec<Lane> = usage.parked.drain(..capacity).collect();
            if usage.in_flight == 0 && usage.parked.is_empty() {
                self.usage.remove(&key);
            }
            for lane in unparked {
                if matches!(self.lanes.get(&lane), Some(LaneState::Parked(_))) {
                    self.make_ready(lane);
                }
            }
        }
    }

    pub const fn in_flight(&self) -> usize {
        self.in_flight
    }
}

impl Target {
    fn limit_keys(&self) -> [LimitKey; 3] {
        [
            LimitKey::Host(Arc::clone(&self.host)),
            LimitKey::User(self.user),
            LimitKey::UserAtHost(self.clone()),
        ]
    }
}

#[cfg(test)]
mod tests;
