//! Bringing what is owed, as the rest of the process sees it: who writes it, who carries it, and how the queue fares.
//!
//! [`dispatcher`](crate::workers::dispatcher) does the work.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use delivery::{AttemptResult, Email, WebhookMessage};
use domain::{
    AdvertEvent, DeliveryChannel, Endpoint, EventName, Fault, MatchId, Outcome, Property, PropertyId,
    RetryPolicy, SearchId, SearchNumber, SiteDirectory, Timestamp,
};
use store::{Lane, QueueDepth};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{App, Error};

/// How many deliveries are forgotten in one transaction: few enough that other writers hardly wait for it.
const FORGOTTEN_AT_ONCE: usize = 1_000;

/// Writes what webhooks carry. What it is written in is not known here.
pub trait PayloadRenderer: Send + Sync + 'static {
    /// The document of a property; nothing of one without adverts, which is none.
    fn document(&self, app: &App, sites: &SiteDirectory, property: &Property) -> Option<Vec<u8>>;
    fn match_body(&self, told: &Told<'_>) -> Vec<u8>;
    fn event_body(&self, name: EventName, event: &AdvertEvent, told: &Told<'_>) -> Vec<u8>;
}

/// A match, and the document it is told with.
#[derive(Debug, Clone, Copy)]
pub struct Told<'a> {
    pub matching: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property came to meet the search.
    pub at: Timestamp,
    /// What [`PayloadRenderer::document`] wrote.
    pub document: &'a [u8],
}

/// Carries messages out of the house: one attempt at a time.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    async fn post(&self, post: &WebhookMessage) -> AttemptResult;
    async fn email(&self, email: &Email) -> AttemptResult;
    /// Whether something may be sent to an address, as far as its spelling tells, and which host that is.
    fn judge(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused>;
    /// Whether there is anything that could carry emails.
    fn sends_email(&self) -> bool;
}

/// Says that nothing is ever sent to an address, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EndpointRefused(pub String);

/// How what is owed is brought.
#[derive(Debug, Clone)]
pub struct DispatchSettings {
    pub retries: RetryPolicy,
    /// How long matches are gathered for one email.
    pub gather: Duration,
    /// How long deliveries are kept that came to an end.
    pub keep: Duration,
    /// Where links in emails lead.
    pub public_url: String,
    pub limits: DispatchLimits,
}

/// How many attempts may be under way at once. A receiver that hangs holds as many as one host may have, and nothing more; one user
/// has at most half of that.
#[derive(Debug, Clone, Copy)]
pub struct DispatchLimits {
    pub per_host: usize,
    pub per_user: usize,
    pub in_all: usize,
    /// Letters, and so connections to the mail server: most allow a few, and refuse what comes beyond.
    pub emails: usize,
}

impl Default for DispatchLimits {
    fn default() -> Self {
        Self { per_host: 32, per_user: 256, in_all: 2_048, emails: 3 }
    }
}

/// Who brings what is owed, by what rules, and what has come of it.
pub struct Dispatch {
    pub(crate) renderer: Arc<dyn PayloadRenderer>,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) settings: DispatchSettings,
    /// Lanes in which something was put from elsewhere.
    woken: Mutex<BTreeSet<Lane>>,
    pub(crate) wake: Notify,
    pub(crate) counters: Counters,
}

/// What has come of the attempts of this process.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    attempts: [[AtomicU64; Outcomes::COUNT]; 3],
    in_flight: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    depth: Mutex<QueueDepth>,
}

/// How the queue fares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchStatus {
    /// As it was a few seconds ago.
    pub depth: QueueDepth,
    /// Attempts under way.
    pub in_flight: u64,
    /// Attempts since this process began, by channel and outcome; those that never happened are left out.
    pub attempts: Vec<(DeliveryChannel, Outcome, u64)>,
    /// Deliveries given up after the last attempt.
    pub failed: u64,
    pub cancelled: u64,
}

/// Outcomes in a row.
struct Outcomes;

impl Outcomes {
    const COUNT: usize = Fault::ALL.len() + 2;

    fn all() -> impl Iterator<Item = Outcome> {
        let faults = Fault::ALL.into_iter().map(Outcome::Failed);
        [Outcome::Delivered, Outcome::Interrupted].into_iter().chain(faults)
    }
}

impl Counters {
    pub fn note_attempt(&self, channel: DeliveryChannel, outcome: Outcome) {
        let place = Outcomes::all().position(|known| known == outcome);
        let row = DeliveryChannel::ALL.into_iter().position(|known| known == channel);
        let counter = row.zip(place).and_then(|(row, place)| self.attempts.get(row)?.get(place));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn note_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub fn note_cancelled(&self, count: usize) {
        self.cancelled.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn note_in_flight(&self, count: usize) {
        self.in_flight.store(count as u64, Ordering::Relaxed);
    }

    pub fn note_depth(&self, depth: QueueDepth) {
        *self.depth.lock().unwrap_or_else(PoisonError::into_inner) = depth;
    }

    fn status(&self) -> DispatchStatus {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let rows = DeliveryChannel::ALL.into_iter().zip(&self.attempts);
        let attempts = rows.flat_map(|(channel, row)| {
            Outcomes::all().zip(row).map(move |(outcome, counter)| (channel, outcome, read(counter)))
        });
        DispatchStatus {
            depth: *self.depth.lock().unwrap_or_else(PoisonError::into_inner),
            in_flight: read(&self.in_flight),
            attempts: attempts.filter(|(_, _, count)| *count > 0).collect(),
            failed: read(&self.failed),
            cancelled: read(&self.cancelled),
        }
    }
}

impl Dispatch {
    /// Tells the worker that something of a search may be due.
    pub(crate) fn wake(&self, search: SearchNumber) {
        let lanes = DeliveryChannel::ALL.into_iter().map(|channel| Lane { search, channel });
        self.woken.lock().unwrap_or_else(PoisonError::into_inner).extend(lanes);
        self.wake.notify_one();
    }

    pub(crate) fn take_woken(&self) -> BTreeSet<Lane> {
        std::mem::take(&mut *self.woken.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl App {
    /// The same service with somebody who brings what is owed. A worker has to do the work.
    #[must_use]
    pub fn with_dispatch(
        self,
        renderer: Arc<dyn PayloadRenderer>,
        transport: Arc<dyn Transport>,
        settings: DispatchSettings,
    ) -> Self {
        let (woken, wake, counters) = (Mutex::default(), Notify::new(), Counters::default());
        let dispatch = Dispatch { renderer, transport, settings, woken, wake, counters };
        Self { dispatch: Some(Arc::new(dispatch)), ..self }
    }

    /// Who carries messages; nobody in a process that brings nothing.
    pub fn transport(&self) -> Option<&Arc<dyn Transport>> {
        self.dispatch.as_ref().map(|dispatch| &dispatch.transport)
    }

    pub fn renderer(&self) -> Option<&Arc<dyn PayloadRenderer>> {
        self.dispatch.as_ref().map(|dispatch| &dispatch.renderer)
    }

    /// How the queue fares; nothing in a process that brings nothing.
    pub fn dispatch_status(&self) -> Option<DispatchStatus> {
        self.dispatch.as_ref().map(|dispatch| dispatch.counters.status())
    }

    /// Forgets deliveries that came to an end longer ago than they are kept, until told to stop.
    pub async fn forget_old_deliveries(&self, stop: &CancellationToken) -> Result<(), Error> {
        let Some(dispatch) = &self.dispatch else { return Ok(()) };
        let before = self.clock.now().saturating_sub(dispatch.settings.keep).unwrap_or(Timestamp::MIN);
        let mut after = 0;
        while !stop.is_cancelled() {
            let forgotten = self.store.prune_deliveries(before, after, FORGOTTEN_AT_ONCE).await?;
            if !forgotten.more {
                break;
            }
            after = forgotten.until;
        }
        Ok(())
    }

    /// Counts what waits, for [`App::dispatch_status`]. Where much does, that takes a while.
    pub async fn measure_queue(&self) -> Result<(), Error> {
        if let Some(dispatch) = &self.dispatch {
            dispatch.counters.note_depth(self.store.queue_depth().await?);
        }
        Ok(())
    }

    /// Tells whoever brings what is owed, if that is this process, that something of a search may be due.
    pub(crate) fn wake(&self, search: SearchNumber) {
        if let Some(dispatch) = &self.dispatch {
            dispatch.wake(search);
        }
    }
}
