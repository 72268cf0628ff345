//! Whose turn it is. No store, no clock, no sockets: lanes, when each is due, and how much is under key where.
//!
//! A lane that is due takes its turn behind those that were due before it, however much waits in it. One whose host or owner has
//! as much under key as it may is set aside until something of that ends, so that it is in nobody's key. One owner has at most half
//! of what a host may have: a host may be shared by owners who know nothing of each other. More are claimed than may be under key, so
//! that the next need not wait for a claim.
//!
//! Where nothing comes to an end in time, only a few are tried until something does: what hangs must not take up all there may be.
//!
//! Of what a lane tells of one property only one is under key, so that nobody hears of a change before they drain of the one before it.

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

/// What several messages may tell of, one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Topic {
    pub lane: Lane,
    pub property: PropertyId,
}

/// An attempt under key.
#[derive(Debug, Clone)]
pub struct Route {
    pub target: Target,
    /// Nothing when there is nothing it could be before or behind of.
    pub topic: Option<Topic>,
}

/// How an attempt was over, as far as it matters for those that follow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// It was not made.
    Unmade,
    /// Not within its time, or what was before it was not.
    Late,
    /// In any other key.
    InTime,
}

/// How many are tried where the last one was not over in time.
const PROBES: usize = 2;

/// Letters share one key out.
pub const MAIL_HOST: &str = "mail";

/// Whether more of a topic waits for what is under key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Behind {
    Nothing,
    More,
}

#[derive(Debug)]
pub struct Schedule {
    limits: DispatchLimits,
    lanes: HashMap<Lane, Place>,
    later: BTreeSet<(Timestamp, Lane)>,
    ready: VecDeque<Lane>,
    busy: HashMap<LimitKey, Busy>,
    /// Where the last attempt was not over in time.
    stalled: HashSet<Target>,
    /// What is told of just now.
    topics: HashMap<Topic, Behind>,
    in_flight: usize,
}

/// What has a limit.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum LimitKey {
    Host(Arc<str>),
    User(UserId),
    /// What one user has of one host.
    Share(Target),
}

/// Where a lane stands. One that is nowhere has nothing pending that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    Later(Timestamp),
    Ready,
    /// Until something ends there.
    Aside(LimitKey),
}

#[derive(Debug)]
struct Busy {
    /// Claimed, and not over.
    in_flight: usize,
    aside: VecDeque<Lane>,
    passage: Arc<Semaphore>,
}

/// What an attempt has to pass before it is made: its owner's share of the host, then the host. Whoever waits for the first holds
/// nothing, and whoever waits for the second nothing that anybody else could use.
#[derive(Debug, Clone)]
pub struct Permits([Arc<Semaphore>; 2]);

impl Permits {
    /// Waits until the attempt may be made.
    pub async fn pass(&self) -> Vec<SemaphorePermit<'_>> {
        let mut permits = Vec::with_capacity(self.0.len());
        for passage in &self.0 {
            // They are never closed.
            permits.extend(passage.acquire().await.ok());
        }
        permits
    }
}

impl Schedule {
    pub fn new(limits: DispatchLimits) -> Self {
        let (lanes, later, ready) = (HashMap::new(), BTreeSet::new(), VecDeque::new());
        let (busy, stalled, topics) = (HashMap::new(), HashSet::new(), HashMap::new());
        Self { limits, lanes, later, ready, busy, stalled, topics, in_flight: 0 }
    }

    /// How many may be under key.
    fn limit(&self, key: &LimitKey) -> usize {
        let DispatchLimits { per_host, per_user, in_all: _, emails } = self.limits;
        let of_host = |host: &str| if host == MAIL_HOST { emails } else { per_host };
        match key {
            LimitKey::Host(host) => of_host(host),
            LimitKey::User(_) => per_user,
            LimitKey::Share(target) => of_host(&target.host).div_ceil(2),
        }
    }

    /// How many may be claimed. While some are sent the next are claimed, which takes a sync to disk; but never so many of one owner
    /// that a host has none left for others.
    fn claimed_limit(&self, key: &LimitKey) -> usize {
        let limit = self.limit(key);
        match key {
            LimitKey::Share(target) if self.stalled.contains(target) => PROBES.min(limit),
            LimitKey::Share(_) => limit * 2,
            LimitKey::Host(_) => limit + limit.div_ceil(2),
            LimitKey::User(_) => limit,
        }
    }

    fn busy(&mut self, key: LimitKey) -> &mut Busy {
        let limit = self.limit(&key);
        self.busy.entry(key).or_insert_with(|| Busy {
            in_flight: 0,
            aside: VecDeque::new(),
            passage: Arc::new(Semaphore::new(limit)),
        })
    }

    /// Something in a lane is due at a moment.
    pub fn note(&mut self, lane: Lane, due_at: Timestamp) {
        match self.lanes.get(&lane) {
            Some(Place::Ready) => {}
            Some(Place::Later(known)) if *known <= due_at => {}
            Some(Place::Later(known)) => {
                self.later.remove(&(*known, lane));
                self.put_later(lane, due_at);
            }
            // It comes back when something ends there; unless nothing is under key, and nothing will.
            Some(Place::Aside(key)) => {
                if self.busy.get(key).is_none_or(|busy| busy.in_flight == 0) {
                    self.make_ready(lane);
                }
            }
            None => self.put_later(lane, due_at),
        }
    }

    fn put_later(&mut self, lane: Lane, due_at: Timestamp) {
        self.later.insert((due_at, lane));
        self.lanes.insert(lane, Place::Later(due_at));
    }

    fn make_ready(&mut self, lane: Lane) {
        self.lanes.insert(lane, Place::Ready);
        self.ready.push_back(lane);
    }

    /// Lanes whose turn it is, at most so many. They are nowhere from then on.
    pub fn take(&mut self, now: Timestamp, most: usize) -> Vec<Lane> {
        while let Some((due_at, lane)) = self.later.first().copied() {
            if due_at > now {
                break;
            }
            self.later.remove(&(due_at, lane));
            self.make_ready(lane);
        }
        let mut taken = Vec::new();
        while taken.len() < most && self.in_flight < self.limits.in_all {
            let Some(lane) = self.ready.pop_front() else { break };
            // One that was made ready twice has had its turn.
            if self.lanes.get(&lane) == Some(&Place::Ready) {
                self.lanes.remove(&lane);
                taken.push(lane);
            }
        }
        taken
    }

    /// When the next lane is due; nothing while there are some that could have their turn now.
    pub fn next_due_at(&self) -> Option<Timestamp> {
        self.later.first().map(|(due_at, _)| *due_at)
    }

    /// Whether a lane could have its turn now.
    pub fn has_turn(&self, now: Timestamp) -> bool {
        let is_due = self.later.first().is_some_and(|(due_at, _)| *due_at <= now);
        (is_due || !self.ready.is_empty()) && self.in_flight < self.limits.in_all
    }

    /// How many more attempts may be under key there. Where none may, the lane is set aside.
    pub fn room(&mut self, lane: Lane, target: &Target) -> usize {
        let mut room = self.limits.in_all.saturating_sub(self.in_flight);
        if room == 0 {
            // Nothing more may be under key anywhere; it keeps its turn.
            self.lanes.insert(lane, Place::Ready);
            self.ready.push_front(lane);
            return 0;
        }
        for key in target.keys() {
            let in_flight = self.busy.get(&key).map_or(0, |busy| busy.in_flight);
            let left = self.claimed_limit(&key).saturating_sub(in_flight);
            if left == 0 {
                self.busy(key.clone()).aside.push_back(lane);
                self.lanes.insert(lane, Place::Aside(key));
                return 0;
            }
            room = room.min(left);
        }
        room
    }

    /// Whether something before it is under key. Its lane gets its turn when that is over.
    pub fn is_behind(&mut self, topic: Topic) -> bool {
        self.topics.get_mut(&topic).map(|behind| *behind = Behind::More).is_some()
    }

    /// An attempt is claimed. It is made when it has passed what it is given.
    pub fn begin(&mut self, route: &Route) -> Permits {
        self.in_flight += 1;
        self.topics.extend(route.topic.map(|topic| (topic, Behind::Nothing)));
        let [host, _, share] = route.target.keys().map(|key| {
            let busy = self.busy(key);
            busy.in_flight += 1;
            Arc::clone(&busy.passage)
        });
        Permits([share, host])
    }

    /// An attempt is over. Those set aside because of it get their turn.
    pub fn end(&mut self, route: &Route, ending: Ending) {
        self.in_flight = self.in_flight.saturating_sub(1);
        match ending {
            Ending::Unmade => {}
            Ending::Late => drop(self.stalled.insert(route.target.clone())),
            Ending::InTime => drop(self.stalled.remove(&route.target)),
        }
        if let Some(topic) = route.topic
            && self.topics.remove(&topic) == Some(Behind::More)
        {
            self.note(topic.lane, Timestamp::MIN);
        }
        for key in route.target.keys() {
            let limit = self.claimed_limit(&key);
            let Some(busy) = self.busy.get_mut(&key) else { continue };
            busy.in_flight = busy.in_flight.saturating_sub(1);
            let room = limit.saturating_sub(busy.in_flight).min(busy.aside.len());
            let released: Vec<Lane> = busy.aside.drain(..room).collect();
            if busy.in_flight == 0 && busy.aside.is_empty() {
                self.busy.remove(&key);
            }
            for lane in released {
                if matches!(self.lanes.get(&lane), Some(Place::Aside(_))) {
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
    fn keys(&self) -> [LimitKey; 3] {
        [LimitKey::Host(Arc::clone(&self.host)), LimitKey::User(self.user), LimitKey::Share(self.clone())]
    }
}

#[cfg(test)]
mod tests;
