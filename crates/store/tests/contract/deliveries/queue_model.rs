//! The queue against a model: competing workers act on it in random order and with delays, and both must agree after every step.
//!
//! Workers act on what they last read: they enqueue what another worker has enqueued, claim what is claimed, settle leases they have
//! lost. The model ([`reference`]) is a plain list of deliveries.

mod compare;
mod reference;

use domain::{CancelReason, DeliveryId, Outcome, RetryDecision, RetryPolicy, SearchNumber};
use proptest::prelude::*;
use store::prelude::*;
use store::{Attempt, Claim, EnqueueBatch, Gather, Lane, LanePeek, Leases, Notification, Replay, Settlement};
use testkit::build::{at, search_id};
use tokio::runtime::Handle;

use crate::backend::{Backend, Opened};
use crate::changes::{RECORDED_AT_SECOND, commit, remove_search};
use crate::delivery_fixtures::{
    BY_EMAIL, BY_WEBHOOK, CREATION, TIMEOUT, attempt, due_at, notify, store_with,
};
use compare::compare;
use reference::{Model, Row};

const CASES: u32 = 48;
const EVENTS_MAX: usize = 80;
const WORKERS: usize = 3;
/// Few, so that workers collide.
const SEARCHES: u64 = 2;
const LEASE_SECONDS: i64 = 60;
/// Short, so that retries come due within a story.
const RETRY_SECONDS: u64 = 100;

#[derive(Debug, Clone)]
enum Event {
    /// A new property: each notification goes to the searches whose bit is set.
    Notify {
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
    Peek {
        worker: usize,
        lane: usize,
        take: usize,
        with_new: bool,
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
    ReapLeases {
        all: bool,
    },
    ReplayOne {
        which: usize,
    },
    ReplayFailed {
        search: usize,
        ago: i64,
    },
    Prune {
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

const NOTIFICATIONS: [Notification; 3] = [BY_WEBHOOK, BY_EMAIL, CREATION];

fn event() -> impl Strategy<Value = Event> {
    let worker = || 0..WORKERS;
    let outbox = [0..1_u8 << SEARCHES, 0..1_u8 << SEARCHES, 0..1_u8 << SEARCHES];
    prop_oneof![
        4 => outbox.prop_map(|outbox| Event::Notify { outbox }),
        6 => (worker(), 1..6_usize).prop_map(|(worker, limit)| Event::Read { worker, limit }),
        5 => (worker(), 0..50_i64).prop_map(|(worker, due_in)| Event::Enqueue { worker, due_in }),
        12 => (worker(), any::<usize>(), 0..5_usize, any::<bool>())
            .prop_map(|(worker, lane, take, with_new)| Event::Peek { worker, lane, take, with_new }),
        10 => worker().prop_map(|worker| Event::Claim { worker }),
        8 => (worker(), 0..6_usize).prop_map(|(worker, result)| Event::Settle { worker, result }),
        1 => (worker(), 0..5_usize).prop_map(|(worker, reason)| Event::Cancel { worker, reason }),
        5 => any::<bool>().prop_map(|all| Event::ReapLeases { all }),
        2 => any::<usize>().prop_map(|which| Event::ReplayOne { which }),
        1 => (0..2_usize, 0..300_i64).prop_map(|(search, ago)| Event::ReplayFailed { search, ago }),
        1 => (0..400_i64).prop_map(|ago| Event::Prune { ago }),
        1 => (1..=SEARCHES).prop_map(|which| Event::DeleteSearch { which }),
        6 => (1..80_i64).prop_map(|seconds| Event::Wait { seconds }),
        1 => Just(Event::Reopen),
    ]
}

pub async fn queue_agrees_with_the_model<B: Backend>() {
    let handle = Handle::current();
    tokio::task::block_in_place(|| {
        let config = ProptestConfig::with_cases(CASES / B::CASES_DIVISOR);
        proptest!(config, |(events in prop::collection::vec(event(), 1..EVENTS_MAX))| {
            handle.block_on(play::<B>(events));
        });
    });
}

/// A worker and what it last read.
#[derive(Debug, Clone, Default)]
struct Worker {
    /// What it would enqueue, and how often the cursor had moved when it read that.
    outbox: Option<(store::OutboxBatch, u64)>,
    seen: Vec<DeliveryId>,
    claim: u64,
    leased: Vec<DeliveryId>,
}

struct Story<B: Backend> {
    store: Opened<B>,
    model: Model,
    workers: Vec<Worker>,
    searches: Vec<SearchNumber>,
    properties: u64,
    claims: u64,
}

async fn play<B: Backend>(events: Vec<Event>) {
    let (store, searches) = store_with::<B>(SEARCHES).await;
    let model = Model::new(&searches);
    let workers = vec![Worker::default(); WORKERS];
    let mut story = Story { store, model, workers, searches, properties: 0, claims: 0 };
    // Some deliveries to start with, so that short stories have a queue too.
    let to_all = Event::Notify { outbox: [3, 3, 0] };
    let queued = [Event::Read { worker: 0, limit: 100 }, Event::Enqueue { worker: 0, due_in: 0 }];
    for event in [to_all.clone(), to_all].into_iter().chain(queued).chain(events) {
        story = story.apply(event).await;
        compare(&*story.store, &story.model).await;
    }
    story.drain().await;
}

impl<B: Backend> Story<B> {
    async fn apply(mut self, event: Event) -> Self {
        let now = self.model.now;
        match event {
            Event::Wait { seconds } => self.model.now += seconds,
            Event::Notify { outbox } => self.notify(outbox).await,
            Event::Read { worker, limit } => {
                let outbox = self.store.read_outbox(limit).await.unwrap();
                self.model.check_outbox(&outbox);
                self.workers[worker].outbox = Some((outbox, self.model.cursor_moves));
            }
            Event::Enqueue { worker, due_in } => self.enqueue(worker, now + due_in).await,
            Event::Peek { worker, lane, take, with_new } => self.peek(worker, lane, take, with_new).await,
            Event::Claim { worker } => self.claim(worker).await,
            Event::Settle { worker, result } => self.settle(worker, result).await,
            Event::Cancel { worker, reason } => {
                let (seen, reason) = (self.workers[worker].seen.clone(), CancelReason::ALL[reason]);
                self.model.cancel(&seen, reason);
                self.store.cancel(seen, reason, at(now)).await.unwrap();
            }
            Event::ReapLeases { all } => {
                let leases = if all { Leases::All } else { Leases::Expired };
                let mut expected = self.model.reap_leases(leases);
                let mut reaped = self.store.reap_leases(leases, at(now), 1_000).await.unwrap();
                expected.sort();
                reaped.sort();
                assert_eq!(reaped, expected);
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
                let (search, since) = (self.searches[search], now - ago);
                let expected = self.model.replay(|row| {
                    row.lane.search == search && row.created_at >= since && row.can_be_replayed_with_others()
                });
                let replay = Replay::Failed { search, since: at(since), after: None };
                assert_eq!(self.store.replay(replay, at(now), 1_000).await.unwrap(), expected);
            }
            Event::Prune { ago } => {
                self.model.prune(now - ago);
                let mut after = 0;
                loop {
                    let pruned = self.store.prune_deliveries(at(now - ago), after, 3).await.unwrap();
                    if !pruned.more {
                        break;
                    }
                    after = pruned.until;
                }
            }
            Event::DeleteSearch { which } => {
                commit(&*self.store, [remove_search(search_id(which))]).await;
                let search = self.searches[usize::try_from(which).unwrap() - 1];
                self.model.delete_search(search, RECORDED_AT_SECOND);
            }
            Event::Reopen => self.store = self.store.reopened().await,
        }
        self
    }

    async fn notify(&mut self, outbox: [u8; 3]) {
        let recipients = |bits: u8| -> Vec<SearchNumber> {
            let selected = self.searches.iter().enumerate().filter(|(index, _)| bits >> index & 1 == 1);
            selected.map(|(_, search)| *search).collect()
        };
        let outbox: Vec<_> = NOTIFICATIONS.into_iter().zip(outbox.map(recipients)).collect();
        let entries: Vec<_> =
            outbox.iter().map(|(notification, recipients)| (*notification, recipients.as_slice())).collect();
        self.properties += 1;
        let position = notify(&*self.store, self.properties, &entries).await;
        for (notification, recipients) in &outbox {
            self.model.outbox.extend(recipients.iter().map(|search| (position, *notification, *search)));
        }
    }

    async fn enqueue(&mut self, worker: usize, due: i64) {
        let Some((outbox, read_at)) = self.workers[worker].outbox.clone() else { return };
        let now = at(self.model.now);
        let deliveries = due_at(&outbox.deliveries, due);
        let batch = EnqueueBatch { after: outbox.after, until: outbox.until, at: now, deliveries };
        let expected = read_at == self.model.cursor_moves;
        assert_eq!(self.store.enqueue(batch).await.unwrap(), expected);
        if expected {
            self.model.enqueue(&outbox, due);
            self.model.learn_ids(&*self.store).await;
        }
    }

    async fn peek(&mut self, worker: usize, lane: usize, take: usize, with_new: bool) {
        let lanes = self.model.lanes();
        // Sometimes a lane without pending deliveries.
        let other =
            Lane { search: self.searches[0], channel: NOTIFICATIONS[lane % NOTIFICATIONS.len()].channel() };
        let lane = lanes.get(lane % (lanes.len() + 1)).copied().unwrap_or(other);
        let gather = if with_new { Gather::WithNew } else { Gather::DueOnly };
        let peek = LanePeek { lane, take, gather };
        let seen = self.store.peek_lanes(vec![peek], at(self.model.now)).await.unwrap().remove(0);
        let (expected, next_due_at) = self.model.peek(&peek);
        let due: Vec<_> = seen.due.iter().map(|due| (due.id, due.failures, due.interruptions)).collect();
        assert_eq!(due, expected);
        assert_eq!(seen.next_due_at.map(|next| next.as_second()), next_due_at);
        assert!(seen.due.iter().all(|due| due.subject.is_some()));
        self.workers[worker].seen = due.into_iter().map(|(id, ..)| id).collect();
    }

    async fn claim(&mut self, worker: usize) {
        self.claims += 1;
        let deliveries = self.workers[worker].seen.clone();
        let expected = self.model.claim(self.claims, &deliveries, LEASE_SECONDS);
        let claim = Claim {
            claim_id: self.claims,
            at: at(self.model.now),
            lease_until: at(self.model.now + LEASE_SECONDS),
            deliveries,
            contacts_hidden: Vec::new(),
            documents: Vec::new(),
        };
        assert_eq!(self.store.claim(claim).await.unwrap(), expected);
        self.workers[worker].claim = self.claims;
        self.workers[worker].leased = expected;
    }

    /// Settles all that the worker believes to have leased, in one call.
    async fn settle(&mut self, worker: usize, result: usize) {
        let Worker { claim, leased, .. } = self.workers[worker].clone();
        let settlements: Vec<_> = leased.iter().map(|id| self.settlement(*id, claim, result)).collect();
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
            // The lease is returned without an attempt.
            5 => {
                Settlement { id, claim_id: claim, attempt: None, next: RetryDecision::RetryAt(now), at: now }
            }
            _ => Settlement { id, claim_id: claim, attempt: Some(made), next, at: now },
        }
    }

    /// Enqueues and delivers everything that is left, and checks that nothing was lost or duplicated.
    async fn drain(mut self) {
        self.model.now += 1_000;
        for worker in 0..WORKERS {
            self.workers[worker] = Worker::default();
        }
        self = self.apply(Event::ReapLeases { all: true }).await;
        loop {
            self = self.apply(Event::Read { worker: 0, limit: 2 }).await;
            self = self.apply(Event::Enqueue { worker: 0, due_in: 0 }).await;
            if self.workers[0].outbox.as_ref().is_none_or(|(outbox, _)| !outbox.more) {
                break;
            }
        }
        self.model.now += 1_000;
        while let Some(lane) = self.model.lanes().first().copied() {
            self = self.apply(Event::Peek { worker: 1, lane: 0, take: 4, with_new: true }).await;
            if !self.model.live.contains(&lane.search) {
                // As the dispatcher does with what was in flight when its search was deleted.
                let deleted = CancelReason::ALL.iter().position(|it| *it == CancelReason::SearchDeleted);
                self = self.apply(Event::Cancel { worker: 1, reason: deleted.unwrap() }).await;
                continue;
            }
            self = self.apply(Event::Claim { worker: 1 }).await;
            self = self.apply(Event::Settle { worker: 1, result: 0 }).await;
        }
        compare(&*self.store, &self.model).await;
        assert_eq!(self.store.lanes(None, 100).await.unwrap(), []);
        let depth = self.store.queue_depth().await.unwrap();
        assert_eq!((depth.pending, depth.leased), (0, 0));
        self.model.check_nothing_is_lost_or_duplicated();
    }
}
