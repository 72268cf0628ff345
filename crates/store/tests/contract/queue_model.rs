//! The queue against a model: whatever rival workers do to it, in whatever order and however late, both say the same.
//!
//! Workers act on what they last read: they queue what somebody else has queued, claim what is claimed, settle what was taken
//! from them. The model ([`reference`]) is a list of deliveries that is walked from end to end.

mod compare;
mod reference;

use domain::{CancelReason, DeliveryId, RetryDecision, Outcome, RetryPolicy, SearchNumber};
use proptest::prelude::*;
use store::{
    Attempt, Claim, EnqueueBatch, Gather, Lane, Leases, Notification, Peek, Replay, Settlement, Store,
};
use testkit::build::{at, search_id};
use tokio::runtime::Handle;

use crate::backend::{Backend, Opened};
use crate::changes::{RECORDED_AT_SECOND, commit, remove_search};
use crate::deliveries::{BY_EMAIL, BY_WEBHOOK, CREATION, TIMEOUT, attempt, due_at, store_with, tell};
use compare::compare;
use reference::{Model, Row};

const CASES: u32 = 48;
const EVENTS_MAX: usize = 80;
const WORKERS: usize = 3;
/// Few, so that workers meet.
const SEARCHES: u64 = 2;
const LEASE_SECONDS: i64 = 60;
/// Short, so that retries come due within a story.
const RETRY_SECONDS: u64 = 100;

#[derive(Debug, Clone)]
enum Event {
    /// A property is told, each notification to the searches whose bit is set.
    Tell {
        outbox: [u8; 3],
    },
    Read {
        worker: usize,
        limit: usize,
    },
    Enqueue {
        worker: usize,
        due_in: i64,
    },
    Look {
        worker: usize,
        lane: usize,
        take: usize,
        gathers: bool,
    },
    Claim {
        worker: usize,
    },
    Settle {
        worker: usize,
        result: usize,
    },
    Cancel {
        worker: usize,
        reason: usize,
    },
    TakeBack {
        all: bool,
    },
    ReplayOne {
        which: usize,
    },
    ReplayFailed {
        search: usize,
        ago: i64,
    },
    Forget {
        ago: i64,
    },
    DeleteSearch {
        which: u64,
    },
    Wait {
        seconds: i64,
    },
    Reopen,
}

const NOTICES: [Notification; 3] = [BY_WEBHOOK, BY_EMAIL, CREATION];

fn event() -> impl Strategy<Value = Event> {
    let worker = || 0..WORKERS;
    let outbox = [0..1_u8 << SEARCHES, 0..1_u8 << SEARCHES, 0..1_u8 << SEARCHES];
    prop_oneof![
        4 => outbox.prop_map(|outbox| Event::Tell { outbox }),
        6 => (worker(), 1..6_usize).prop_map(|(worker, limit)| Event::Read { worker, limit }),
        5 => (worker(), 0..50_i64).prop_map(|(worker, due_in)| Event::Enqueue { worker, due_in }),
        12 => (worker(), any::<usize>(), 0..5_usize, any::<bool>())
            .prop_map(|(worker, lane, take, gathers)| Event::Look { worker, lane, take, gathers }),
        10 => worker().prop_map(|worker| Event::Claim { worker }),
        8 => (worker(), 0..6_usize).prop_map(|(worker, result)| Event::Settle { worker, result }),
        1 => (worker(), 0..5_usize).prop_map(|(worker, reason)| Event::Cancel { worker, reason }),
        5 => any::<bool>().prop_map(|all| Event::TakeBack { all }),
        2 => any::<usize>().prop_map(|which| Event::ReplayOne { which }),
        1 => (0..2_usize, 0..300_i64).prop_map(|(search, ago)| Event::ReplayFailed { search, ago }),
        1 => (0..400_i64).prop_map(|ago| Event::Forget { ago }),
        1 => (1..=SEARCHES).prop_map(|which| Event::DeleteSearch { which }),
        6 => (1..80_i64).prop_map(|seconds| Event::Wait { seconds }),
        1 => Just(Event::Reopen),
    ]
}

pub async fn the_queue_agrees_with_the_model<B: Backend>() {
    let handle = Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig::with_cases(CASES);
        proptest!(config, |(events in prop::collection::vec(event(), 1..EVENTS_MAX))| {
            handle.block_on(play::<B>(events));
        });
    });
}

/// Somebody who sends, and what they last read.
#[derive(Debug, Clone, Default)]
struct Worker {
    /// What they would queue, and how often the queue had been added to when they read that.
    owed: Option<(store::OutboxBatch, u64)>,
    seen: Vec<DeliveryId>,
    claim: u64,
    held: Vec<DeliveryId>,
}

struct Story<B: Backend> {
    store: Opened<B>,
    model: Model,
    workers: Vec<Worker>,
    given: Vec<SearchNumber>,
    properties: u64,
    claims: u64,
}

async fn play<B: Backend>(events: Vec<Event>) {
    let (store, given) = store_with::<B>(SEARCHES).await;
    let model = Model::new(&given);
    let workers = vec![Worker::default(); WORKERS];
    let mut story = Story { store, model, workers, given, properties: 0, claims: 0 };
    // Something to begin with, so that stories are not over before anything waits.
    let everybody = Event::Tell { outbox: [3, 3, 0] };
    let queued = [Event::Read { worker: 0, limit: 100 }, Event::Enqueue { worker: 0, due_in: 0 }];
    for event in [everybody.clone(), everybody].into_iter().chain(queued).chain(events) {
        story = story.carry_out(event).await;
        compare(&*story.store, &story.model).await;
    }
    story.drain().await;
}

impl<B: Backend> Story<B> {
    async fn carry_out(mut self, event: Event) -> Self {
        let now = self.model.now;
        match event {
            Event::Wait { seconds } => self.model.now += seconds,
            Event::Tell { outbox } => self.tell(outbox).await,
            Event::Read { worker, limit } => {
                let owed = self.store.read_outbox(limit).await.unwrap();
                self.model.check_owed(&owed);
                self.workers[worker].owed = Some((owed, self.model.intakes));
            }
            Event::Enqueue { worker, due_in } => self.enqueue(worker, now + due_in).await,
            Event::Look { worker, lane, take, gathers } => self.look(worker, lane, take, gathers).await,
            Event::Claim { worker } => self.claim(worker).await,
            Event::Settle { worker, result } => self.settle(worker, result).await,
            Event::Cancel { worker, reason } => {
                let (seen, reason) = (self.workers[worker].seen.clone(), CancelReason::ALL[reason]);
                self.model.cancel(&seen, reason);
                self.store.cancel(seen, reason, at(now)).await.unwrap();
            }
            Event::TakeBack { all } => {
                let leases = if all { Leases::All } else { Leases::Expired };
                let mut expected = self.model.reap_leases(leases);
                let mut taken = self.store.reap_leases(leases, at(now), 1_000).await.unwrap();
                expected.sort();
                taken.sort();
                assert_eq!(taken, expected);
            }
            Event::ReplayOne { which } => {
                let count = self.model.rows.len().max(1);
                if let Some(id) = self.model.rows.get(which % count).map(Row::id) {
                    let expected = self.model.replay(|row| row.id() == id && row.has_ended());
                    let replayed = self.store.replay(Replay::One(id), at(now), 1_000).await.unwrap();
                    assert_eq!(replayed, expected);
                }
            }
            Event::ReplayFailed { search, ago } => {
                let (search, since) = (self.given[search], now - ago);
                let expected = self.model.replay(|row| {
                    row.lane.search == search && row.created_at >= since && row.can_be_replayed_with_others()
                });
                let replay = Replay::Failed { search, since: at(since), after: None };
                assert_eq!(self.store.replay(replay, at(now), 1_000).await.unwrap(), expected);
            }
            Event::Forget { ago } => {
                self.model.forget(now - ago);
                let mut after = 0;
                loop {
                    let forgotten = self.store.prune_deliveries(at(now - ago), after, 3).await.unwrap();
                    if !forgotten.more {
                        break;
                    }
                    after = forgotten.until;
                }
            }
            Event::DeleteSearch { which } => {
                commit(&*self.store, [remove_search(search_id(which))]).await;
                let search = self.given[usize::try_from(which).unwrap() - 1];
                self.model.delete_search(search, RECORDED_AT_SECOND);
            }
            Event::Reopen => self.store = self.store.reopened().await,
        }
        self
    }

    async fn tell(&mut self, outbox: [u8; 3]) {
        let who = |bits: u8| -> Vec<SearchNumber> {
            let chosen = self.given.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
            chosen.map(|(_, search)| *search).collect()
        };
        let outbox: Vec<_> = NOTICES.into_iter().zip(outbox.map(who)).collect();
        let told: Vec<_> = outbox.iter().map(|(notification, who)| (*notification, who.as_slice())).collect();
        self.properties += 1;
        let position = tell(&*self.store, self.properties, &told).await;
        for (notification, who) in &outbox {
            self.model.owed.extend(who.iter().map(|search| (position, *notification, *search)));
        }
    }

    async fn enqueue(&mut self, worker: usize, due: i64) {
        let Some((owed, read_at)) = self.workers[worker].owed.clone() else { return };
        let now = at(self.model.now);
        let deliveries = due_at(&owed.deliveries, due);
        let batch = EnqueueBatch { after: owed.after, until: owed.until, at: now, deliveries };
        let expected = read_at == self.model.intakes;
        assert_eq!(self.store.enqueue(batch).await.unwrap(), expected);
        if expected {
            self.model.enqueue(&owed, due);
            self.model.learn_ids(&*self.store).await;
        }
    }

    async fn look(&mut self, worker: usize, lane: usize, take: usize, gathers: bool) {
        let lanes = self.model.lanes();
        // Now and then one in which nothing is pending.
        let nowhere = Lane { search: self.given[0], channel: NOTICES[lane % NOTICES.len()].channel() };
        let lane = lanes.get(lane % (lanes.len() + 1)).copied().unwrap_or(nowhere);
        let gather = if gathers { Gather::WithNew } else { Gather::DueOnly };
        let peek = Peek { lane, take, gather };
        let seen = self.store.waiting(vec![peek], at(self.model.now)).await.unwrap().remove(0);
        let (expected, next_due_at) = self.model.waiting(&peek);
        let due: Vec<_> = seen.due.iter().map(|due| (due.id, due.failures, due.interruptions)).collect();
        assert_eq!(due, expected);
        assert_eq!(seen.next_due_at.map(|next| next.as_second()), next_due_at);
        assert!(seen.due.iter().all(|due| due.about.is_some()));
        self.workers[worker].seen = due.into_iter().map(|(id, ..)| id).collect();
    }

    async fn claim(&mut self, worker: usize) {
        self.claims += 1;
        let deliveries = self.workers[worker].seen.clone();
        let expected = self.model.claim(self.claims, &deliveries, LEASE_SECONDS);
        let claim = Claim {
            claim: self.claims,
            at: at(self.model.now),
            lease_until: at(self.model.now + LEASE_SECONDS),
            deliveries,
            hidden: Vec::new(),
            documents: Vec::new(),
        };
        assert_eq!(self.store.claim(claim).await.unwrap(), expected);
        self.workers[worker].claim = self.claims;
        self.workers[worker].held = expected;
    }

    /// All that the worker believes to hold, in one go.
    async fn settle(&mut self, worker: usize, result: usize) {
        let Worker { claim, held, .. } = self.workers[worker].clone();
        let settlements: Vec<_> = held.iter().map(|id| self.settlement(*id, claim, result)).collect();
        let expected = settlements.iter().filter(|settlement| self.model.settle(settlement)).count();
        assert_eq!(self.store.settle(settlements).await.unwrap(), expected as u64);
    }

    fn settlement(&self, id: DeliveryId, claim: u64, result: usize) -> Settlement {
        let now = at(self.model.now);
        let (failures, interruptions) = self.model.counts(id);
        let retries = RetryPolicy { interval: std::time::Duration::from_secs(RETRY_SECONDS) };
        let outcome = if result < 2 { Outcome::Delivered } else { TIMEOUT };
        let next = retries.after(outcome, now, failures, interruptions);
        let made = Attempt { status: None, ..attempt(self.model.now, outcome) };
        match result {
            // The lease is given back.
            5 => Settlement { id, claim, attempt: None, next: RetryDecision::RetryAt(now), at: now },
            _ => Settlement { id, claim, attempt: Some(made), next, at: now },
        }
    }

    /// In the end everything that is owed to anybody is brought, and then nothing is left.
    async fn drain(mut self) {
        self.model.now += 1_000;
        for worker in 0..WORKERS {
            self.workers[worker] = Worker::default();
        }
        self = self.carry_out(Event::TakeBack { all: true }).await;
        loop {
            self = self.carry_out(Event::Read { worker: 0, limit: 2 }).await;
            self = self.carry_out(Event::Enqueue { worker: 0, due_in: 0 }).await;
            if self.workers[0].owed.as_ref().is_none_or(|(owed, _)| !owed.more) {
                break;
            }
        }
        self.model.now += 1_000;
        while !self.model.lanes().is_empty() {
            self = self.carry_out(Event::Look { worker: 1, lane: 0, take: 4, gathers: true }).await;
            self = self.carry_out(Event::Claim { worker: 1 }).await;
            self = self.carry_out(Event::Settle { worker: 1, result: 0 }).await;
        }
        compare(&*self.store, &self.model).await;
        assert_eq!(self.store.lanes(None, 100).await.unwrap(), []);
        let depth = self.store.queue_depth().await.unwrap();
        assert_eq!((depth.pending, depth.leased), (0, 0));
        self.model.check_nothing_is_lost_or_doubled();
    }
}
