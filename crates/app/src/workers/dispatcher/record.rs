//! Attempts, and recording what came of them.
//!
//! Attempts end at any time and are recorded many at once, by a task of its own: whoever sends never waits for the disk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use delivery::AttemptResult;
use domain::{Fault, Next, Outcome, Timestamp};
use store::{Attempt, DueDelivery, Lane, Settlement};
use tokio::sync::{mpsc, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::message::{Content, Ready};
use super::round::Slot;
use super::schedule::Ending;
use crate::App;
use crate::dispatch::Dispatch;

/// How many are recorded in one transaction.
const RECORDED_AT_ONCE: usize = 512;

/// How long to wait before recording is tried again: the disk is full, most likely.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// So often it is tried before it is given up, and left to the lease, where time alone does not help. A disk that is full is
/// waited for as long as it takes: nothing more can be claimed meanwhile, and all of it would be sent a second time.
const TRIES_MAX: u32 = 60;

/// How long what is claimed ahead waits for those before it. What was decided when it was claimed, that its search wants it and
/// where it goes, is no older than that when it is sent.
const PASSAGE_WAIT_MAX: Duration = Duration::from_secs(1);

/// Hands what came of attempts to the task that records it.
pub struct Recorder {
    sender: Option<mpsc::UnboundedSender<Batch>>,
    open: Open,
}

/// Attempts that are not recorded yet: how many of each claim, and when its lease ends.
#[derive(Clone)]
struct Open(watch::Sender<BTreeMap<u64, (usize, Timestamp)>>);

impl Open {
    fn begin(&self, claim: u64, lease_until: Timestamp) {
        self.0.send_modify(|open| open.entry(claim).or_insert((0, lease_until)).0 += 1);
    }

    fn end(&self, claim: u64) {
        self.0.send_modify(|open| {
            if let Some((count, _)) = open.get_mut(&claim) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    open.remove(&claim);
                }
            }
        });
    }
}

/// What came of an attempt, and where that leaves the lane.
pub struct Record {
    lane: Lane,
    settlement: Settlement,
}

impl Record {
    /// No attempt was made. It keeps its place among those that wait.
    fn released(due: &DueDelivery, claim: u64, at: Timestamp) -> Self {
        let next = Next::RetryAt(due.due_at);
        Self { lane: due.lane, settlement: Settlement { id: due.id, claim, attempt: None, next, at } }
    }
}

impl Recorder {
    pub fn start(
        app: &App,
        dispatch: &Arc<Dispatch>,
        note: mpsc::UnboundedSender<(Lane, Timestamp)>,
        tasks: &TaskTracker,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let open = Open(watch::Sender::new(BTreeMap::new()));
        tasks.spawn(record_all(app.clone(), Arc::clone(dispatch), receiver, note));
        Self { sender: Some(sender), open }
    }

    /// The same attempt, recorded when it is over.
    pub fn recording(
        &self,
        attempt: impl Future<Output = Attempted> + Send + 'static,
        claim: u64,
        lease_until: Timestamp,
    ) -> impl Future<Output = ()> + Send + 'static {
        let sender = self.sender.clone();
        self.open.begin(claim, lease_until);
        // Also when the attempt panics: nobody shall wait for it then.
        let counted = Counted { open: self.open.clone(), claim };
        async move {
            let attempted = attempt.await;
            if let Some(sender) = sender {
                // It counts until it is recorded.
                let _ = sender.send(Batch { attempted, counted });
            }
        }
    }

    /// Gives back what was claimed and is not attempted after all.
    pub fn release<'a>(&self, due: impl Iterator<Item = &'a DueDelivery>, claim: u64, now: Timestamp) {
        let records: Vec<Record> = due.map(|due| Record::released(due, claim, now)).collect();
        if let Some(sender) = &self.sender
            && !records.is_empty()
        {
            self.open.begin(claim, now);
            let counted = Counted { open: self.open.clone(), claim };
            let _ = sender.send(Batch { attempted: Attempted { records, slot: None }, counted });
        }
    }

    /// Nothing more is handed over but by attempts under way.
    pub fn close(&mut self) {
        self.sender = None;
    }

    /// Waits until everything handed over is recorded.
    pub async fn drained(&self) {
        // The sender is ours, so waiting cannot fail.
        let _ = self.open.0.subscribe().wait_for(BTreeMap::is_empty).await;
    }

    /// When the first lease ends under which something is under way or not recorded yet.
    pub fn earliest_lease(&self) -> Option<Timestamp> {
        self.open.0.borrow().values().map(|(_, lease_until)| *lease_until).min()
    }
}

/// An attempt that counts as open until this is dropped.
struct Counted {
    open: Open,
    claim: u64,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.open.end(self.claim);
    }
}

/// What came of one attempt.
pub struct Attempted {
    records: Vec<Record>,
    /// That of an attempt that was not made: what it tells has its place before others until it is given back.
    slot: Option<Slot>,
}

/// What is to be recorded.
struct Batch {
    attempted: Attempted,
    counted: Counted,
}

async fn record_all(
    app: App,
    dispatch: Arc<Dispatch>,
    mut receiver: mpsc::UnboundedReceiver<Batch>,
    note: mpsc::UnboundedSender<(Lane, Timestamp)>,
) {
    let mut batches = Vec::new();
    loop {
        let taken = receiver.recv_many(&mut batches, RECORDED_AT_ONCE).await;
        if taken == 0 {
            return;
        }
        let (mut records, mut held) = (Vec::new(), Vec::new());
        for Batch { attempted, counted } in batches.drain(..) {
            records.extend(attempted.records);
            held.push((attempted.slot, counted));
        }
        let settlements: Vec<_> = records.iter().map(|record| record.settlement.clone()).collect();
        settle(&app, settlements).await;
        for Record { lane, settlement } in records {
            let outcome = settlement.attempt.as_ref().map(|attempt| attempt.outcome);
            if let Some(outcome) = outcome {
                dispatch.counters.note_attempt(lane.channel, outcome);
            }
            match settlement.next {
                // Nobody listens any more when the worker is gone; the next one finds it in the store.
                Next::RetryAt(due_at) => drop(note.send((lane, due_at))),
                Next::Failed => dispatch.counters.note_failed(),
                Next::Delivered => {}
            }
        }
        drop(held);
    }
}

async fn settle(app: &App, settlements: Vec<Settlement>) {
    let mut tries = 0;
    while tries < TRIES_MAX {
        let Err(error) = app.store.settle(settlements.clone()).await else { return };
        tries += u32::from(!matches!(error, store::Error::CannotWrite(_)));
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "what came of attempts could not be recorded, and will be tried again"
        );
        let _ = tokio::time::timeout(AGAIN_AFTER, std::future::pending::<()>()).await;
    }
    tracing::error!("what came of attempts was not recorded; they are made again when their leases run out");
}

/// One attempt, to its end. One that has to wait too long for its turn, or when nothing more is to be begun, is given back: the
/// search may say something else by then.
pub async fn attempt(
    app: App,
    dispatch: Arc<Dispatch>,
    ready: Ready,
    claim: u64,
    stopping: CancellationToken,
) -> Attempted {
    let Ready { due, content, mut slot } = ready;
    let permits = slot.permits.clone();
    let passed = tokio::select! {
        biased;
        () = stopping.cancelled() => None,
        passed = tokio::time::timeout(PASSAGE_WAIT_MAX, permits.pass()) => passed.ok(),
    };
    let began_at = app.clock.now();
    let Some(permits) = passed else {
        slot.ending = if stopping.is_cancelled() { Ending::Unmade } else { Ending::Late };
        let records = due.iter().map(|due| Record::released(due, claim, began_at)).collect();
        return Attempted { records, slot: Some(slot) };
    };
    let (exchange, target) = match content {
        Content::WebhookMessage(mut post) => {
            post.at = began_at;
            (dispatch.transport.post(&post).await, post.endpoint.to_string())
        }
        Content::Email(email) => (dispatch.transport.email(&email).await, email.to.to_string()),
    };
    let is_late = exchange.outcome == Outcome::Failed(Fault::Timeout);
    slot.ending = if is_late { Ending::Late } else { Ending::InTime };
    // Whoever waits for the way to be free need not wait for the disk.
    drop(permits);
    drop(slot);
    let at = app.clock.now();
    let AttemptResult { outcome, status, took, excerpt } = exchange;
    let record = |due: &DueDelivery| {
        let next = dispatch.settings.retries.after(outcome, began_at, due.failures, due.interruptions);
        let (target, excerpt) = (Some(target.clone()), excerpt.clone());
        let attempt = Attempt { began_at, took, outcome, status, target, excerpt };
        let settlement = Settlement { id: due.id, claim, attempt: Some(attempt), next, at };
        Record { lane: due.lane, settlement }
    };
    if let Outcome::Failed(fault) = outcome {
        let delivery = due.first().map(|due| due.id);
        tracing::debug!(?delivery, ?fault, status, "an attempt failed");
    }
    Attempted { records: due.iter().map(record).collect(), slot: None }
}
