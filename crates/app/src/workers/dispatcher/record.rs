//! Records the results of attempts.
//!
//! Attempts end at any time. A task of its own records many at once, so that sending never waits for the disk.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use domain::{RetryDecision, Timestamp};
use store::{DueDelivery, Lane, Settlement};
use tokio::sync::{mpsc, watch};
use tokio_util::task::TaskTracker;

use super::attempt::{SettledAttempt, SettledDelivery};
use crate::App;
use crate::dispatch::Dispatch;

/// How many results one transaction records.
const RECORD_BATCH: usize = 512;

/// How long to wait before recording is retried. The disk is most likely full.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// After this many tries the recorder gives up and leaves the deliveries to their leases, because time alone does not help. A full
/// disk does not count: nothing more can be claimed meanwhile, and giving up would send all of them a second time.
const TRIES_MAX: u32 = 60;

/// Hands the results of attempts to the recording task.
pub(super) struct Recorder {
    sender: Option<mpsc::UnboundedSender<Unrecorded>>,
    open: OpenClaims,
}

/// Attempts that are in flight or not yet recorded: their number by claim, and the end of the lease.
#[derive(Clone)]
struct OpenClaims(watch::Sender<BTreeMap<u64, (usize, Timestamp)>>);

impl OpenClaims {
    fn add(&self, claim: u64, lease_until: Timestamp) -> OpenAttempt {
        self.0.send_modify(|open| open.entry(claim).or_insert((0, lease_until)).0 += 1);
        OpenAttempt { open: self.clone(), claim }
    }

    fn remove(&self, claim: u64) {
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

/// An attempt that counts as open until this is dropped, even if the attempt panics.
struct OpenAttempt {
    open: OpenClaims,
    claim: u64,
}

impl Drop for OpenAttempt {
    fn drop(&mut self) {
        self.open.remove(self.claim);
    }
}

/// A result to record.
struct Unrecorded {
    result: SettledAttempt,
    open: OpenAttempt,
}

impl Recorder {
    pub fn start(
        app: &App,
        dispatch: &Arc<Dispatch>,
        due_lanes: mpsc::UnboundedSender<(Lane, Timestamp)>,
        tasks: &TaskTracker,
    ) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        let open = OpenClaims(watch::Sender::new(BTreeMap::new()));
        tasks.spawn(record_all(app.clone(), Arc::clone(dispatch), receiver, due_lanes));
        Self { sender: Some(sender), open }
    }

    /// Wraps an attempt so that its result is recorded.
    pub fn recording(
        &self,
        attempt: impl Future<Output = SettledAttempt> + Send + 'static,
        claim: u64,
        lease_until: Timestamp,
    ) -> impl Future<Output = ()> + Send + 'static {
        let sender = self.sender.clone();
        let open = self.open.add(claim, lease_until);
        async move {
            let result = attempt.await;
            if let Some(sender) = sender {
                // The attempt stays open until it is recorded.
                let _ = sender.send(Unrecorded { result, open });
            }
        }
    }

    /// Releases deliveries that were claimed but are not attempted.
    pub fn release<'a>(&self, due: impl Iterator<Item = &'a DueDelivery>, claim: u64, now: Timestamp) {
        let settled: Vec<_> = due.map(|due| SettledDelivery::released(due, claim, now)).collect();
        if let Some(sender) = &self.sender
            && !settled.is_empty()
        {
            let open = self.open.add(claim, now);
            let _ = sender.send(Unrecorded { result: SettledAttempt { settled, in_flight: None }, open });
        }
    }

    /// Stops accepting results, except those of attempts in flight.
    pub fn close(&mut self) {
        self.sender = None;
    }

    /// Waits until all results are recorded.
    pub async fn wait_idle(&self) {
        // `open` owns the sender, so waiting cannot fail.
        let _ = self.open.0.subscribe().wait_for(BTreeMap::is_empty).await;
    }

    /// Returns the earliest end of a lease whose attempts are in flight or not yet recorded.
    pub fn earliest_lease(&self) -> Option<Timestamp> {
        self.open.0.borrow().values().map(|(_, lease_until)| *lease_until).min()
    }
}

async fn record_all(
    app: App,
    dispatch: Arc<Dispatch>,
    mut receiver: mpsc::UnboundedReceiver<Unrecorded>,
    due_lanes: mpsc::UnboundedSender<(Lane, Timestamp)>,
) {
    let mut batch = Vec::new();
    loop {
        let received = receiver.recv_many(&mut batch, RECORD_BATCH).await;
        if received == 0 {
            return;
        }
        let (mut settled, mut guards) = (Vec::new(), Vec::new());
        for Unrecorded { result, open } in batch.drain(..) {
            settled.extend(result.settled);
            guards.push((result.in_flight, open));
        }
        let settlements: Vec<_> = settled.iter().map(|delivery| delivery.settlement.clone()).collect();
        settle(&app, settlements).await;
        for SettledDelivery { lane, settlement } in settled {
            let outcome = settlement.attempt.as_ref().map(|attempt| attempt.outcome);
            if let Some(outcome) = outcome {
                dispatch.counters.record_attempt(lane.channel, outcome);
            }
            match settlement.next {
                // Fails only if the dispatcher is gone; the next one finds the delivery in the store.
                RetryDecision::RetryAt(due_at) => drop(due_lanes.send((lane, due_at))),
                RetryDecision::Failed => dispatch.counters.record_failed(),
                RetryDecision::Delivered => {}
            }
        }
        drop(guards);
    }
}

async fn settle(app: &App, settlements: Vec<Settlement>) {
    let mut tries = 0;
    while tries < TRIES_MAX {
        let Err(error) = app.store.settle(settlements.clone()).await else { return };
        tries += u32::from(!matches!(error, store::Error::CannotWrite(_)));
        tracing::error!(
            error = &error as &dyn std::error::Error,
            "cannot record the results of delivery attempts; retrying"
        );
        let _ = tokio::time::timeout(RETRY_AFTER, std::future::pending::<()>()).await;
    }
    tracing::error!(
        deliveries = settlements.len(),
        "gave up recording the results of delivery attempts; they are repeated when their leases expire"
    );
}
