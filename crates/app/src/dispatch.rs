//! Dispatching as the rest of the process sees it: the transport, the settings, and the state of the delivery queue.
//!
//! The [dispatcher](crate::workers::dispatcher) does the work.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use delivery::webhook::{Picture, PictureError};
use delivery::{AttemptResult, ConfirmationEmail, Email, WebhookMessage};
use domain::{
    DeliveryChannel, EmailAddress, Endpoint, Fault, Outcome, RetryPolicy, SavedSearch, SearchNumber,
    WebAddress,
};
use store::{DELIVERIES_HELD, Lane, QueueDepth};
use tokio::sync::Notify;
use wire::webhook::MatchForm;

use crate::unsubscribe::LinkKey;
use crate::{App, Error};

/// Sends messages: one call is one attempt.
#[async_trait]
pub trait Transport: Send + Sync + 'static {
    async fn send_webhook(&self, message: &WebhookMessage) -> AttemptResult;
    async fn send_email(&self, email: &Email) -> AttemptResult;
    async fn send_confirmation(&self, email: &ConfirmationEmail) -> AttemptResult;
    /// Returns the host of an endpoint, or why the address policy refuses the endpoint. Looks at the URL only: the name is not
    /// resolved.
    fn check_endpoint(&self, endpoint: &Endpoint) -> Result<String, EndpointRefused>;
    /// Returns `true` if e-mail is configured.
    fn sends_email(&self) -> bool;
    /// Fetches a picture of an advert, with the checks of a webhook. A transport that cannot says that its server is unreachable.
    async fn fetch_picture(&self, _address: &Endpoint) -> Result<Picture, PictureError> {
        Err(PictureError::Unreachable)
    }
}

/// Why the address policy refuses an endpoint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EndpointRefused(pub String);

/// How the dispatcher sends deliveries.
#[derive(Debug, Clone)]
pub struct DispatchSettings {
    pub retries: RetryPolicy,
    /// How long the first match of an e-mail waits for others, which are sent in the same e-mail.
    pub batch_window: Duration,
    /// How long completed deliveries are stored.
    pub retention: Duration,
    /// The base URL of links in e-mails.
    pub public_url: String,
    pub match_form: MatchForm,
    pub confirmation: Confirmation,
    pub limits: DispatchLimits,
}

/// Whether recipients of e-mails must agree first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Confirmation {
    #[default]
    NotNeeded,
    /// Nothing but the question is sent before the recipient confirms.
    Required,
}

impl DispatchSettings {
    /// Returns the link that ends the e-mails of a search to one recipient.
    pub(crate) fn unsubscribe_link(
        &self,
        key: &LinkKey,
        search: &SavedSearch,
        recipient: &EmailAddress,
    ) -> Option<WebAddress> {
        let base = self.public_url.trim_end_matches('/');
        WebAddress::parse(&format!("{base}/unsubscribe/{}/{}", search.id, key.link_token(search, recipient)))
            .ok()
    }
}

/// How many attempts may be in flight at once. A receiver that hangs occupies the attempts of its own host and no others; one
/// user has at most half of those.
#[derive(Debug, Clone, Copy)]
pub struct DispatchLimits {
    pub per_host: usize,
    pub per_user: usize,
    /// Across all hosts and users.
    pub total: usize,
    /// E-mails, and so connections to the mail server: most mail servers allow a few and refuse more.
    pub emails: usize,
    /// Attempts per minute to one registered domain, over all users. Zero means no limit, here and below.
    pub per_host_minute: u32,
    /// E-mails per hour to one address.
    pub emails_per_address_hour: u32,
    /// E-mails per day of one user.
    pub emails_per_user_day: u32,
}

impl Default for DispatchLimits {
    /// Without limits over time.
    fn default() -> Self {
        Self {
            per_host: 32,
            per_user: 256,
            total: 2_048,
            emails: 3,
            per_host_minute: 0,
            emails_per_address_hour: 0,
            emails_per_user_day: 0,
        }
    }
}

/// What the dispatcher shares with the rest of the process.
pub struct Dispatch {
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) settings: DispatchSettings,
    /// Lanes to which the dispatcher itself did not add deliveries: replays.
    woken: Mutex<BTreeSet<Lane>>,
    pub(crate) wake: Notify,
    pub(crate) counters: Counters,
}

/// Counts the attempts of this process.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    attempts: [[AtomicU64; Outcomes::COUNT]; 3],
    in_flight: AtomicU64,
    held: AtomicBool,
    failed: AtomicU64,
    cancelled: AtomicU64,
    depth: Mutex<QueueDepth>,
}

/// The state of the delivery queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DispatchStatus {
    /// Measured every few seconds.
    pub depth: QueueDepth,
    /// Attempts in flight.
    pub in_flight: u64,
    /// `true` if an operator holds all deliveries.
    pub is_held: bool,
    /// Attempts since this process started, by channel and outcome, without zeros.
    pub attempts: Vec<(DeliveryChannel, Outcome, u64)>,
    /// Deliveries that failed after their last attempt.
    pub failed: u64,
    pub cancelled: u64,
}

/// All outcomes, in the order of the counters.
struct Outcomes;

impl Outcomes {
    const COUNT: usize = Fault::ALL.len() + 2;

    fn all() -> impl Iterator<Item = Outcome> {
        let faults = Fault::ALL.into_iter().map(Outcome::Failed);
        [Outcome::Delivered, Outcome::Interrupted].into_iter().chain(faults)
    }
}

impl Counters {
    pub fn record_attempt(&self, channel: DeliveryChannel, outcome: Outcome) {
        let column = Outcomes::all().position(|known| known == outcome);
        let row = DeliveryChannel::ALL.into_iter().position(|known| known == channel);
        let counter = row.zip(column).and_then(|(row, column)| self.attempts.get(row)?.get(column));
        if let Some(counter) = counter {
            counter.fetch_add(1, Ordering::Relaxed);
        }
    }

    pub fn record_failed(&self) {
        self.failed.fetch_add(1, Ordering::Relaxed);
    }

    pub fn record_cancelled(&self, count: usize) {
        self.cancelled.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub fn set_in_flight(&self, count: usize) {
        self.in_flight.store(count as u64, Ordering::Relaxed);
    }

    pub fn set_held(&self, is_held: bool) {
        self.held.store(is_held, Ordering::Relaxed);
    }

    pub fn set_depth(&self, depth: QueueDepth) {
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
            is_held: self.held.load(Ordering::Relaxed),
            attempts: attempts.filter(|(_, _, count)| *count > 0).collect(),
            failed: read(&self.failed),
            cancelled: read(&self.cancelled),
        }
    }
}

impl Dispatch {
    /// Wakes the dispatcher: deliveries of a search may be due.
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
    /// Adds a dispatcher, which sends deliveries through `transport`. A [worker](crate::workers::dispatcher) has to run it.
    #[must_use]
    pub fn with_dispatch(self, transport: Arc<dyn Transport>, settings: DispatchSettings) -> Self {
        let (woken, wake, counters) = (Mutex::default(), Notify::new(), Counters::default());
        let dispatch = Dispatch { transport, settings, woken, wake, counters };
        Self { dispatch: Some(Arc::new(dispatch)), ..self }
    }

    /// Returns how the payload of a match is written.
    pub(crate) fn match_form(&self) -> MatchForm {
        self.dispatch.as_ref().map(|dispatch| dispatch.settings.match_form).unwrap_or_default()
    }

    /// Returns the transport, or `None` if this process sends nothing.
    pub fn transport(&self) -> Option<&Arc<dyn Transport>> {
        self.dispatch.as_ref().map(|dispatch| &dispatch.transport)
    }

    /// Returns the state of the delivery queue, or `None` if this process sends nothing.
    pub fn dispatch_status(&self) -> Option<DispatchStatus> {
        self.dispatch.as_ref().map(|dispatch| dispatch.counters.status())
    }

    /// Returns how long finished deliveries are kept, or `None` if this process sends nothing.
    pub(crate) fn delivery_retention(&self) -> Option<Duration> {
        self.dispatch.as_ref().map(|dispatch| dispatch.settings.retention)
    }

    /// Returns since when an operator holds all deliveries; `None` if they are sent.
    pub async fn deliveries_held(&self) -> Result<Option<String>, Error> {
        Ok(self.store.metadata(DELIVERIES_HELD.to_owned()).await?)
    }

    /// Holds all deliveries: they are enqueued and wait. The dispatcher, of this process or of another, learns of it within a second;
    /// attempts in flight end. Returns since when they are held.
    pub async fn hold_deliveries(&self) -> Result<String, Error> {
        if let Some(since) = self.deliveries_held().await? {
            return Ok(since);
        }
        let since = domain::ports::whole_second(self.clock.now()).to_string();
        self.store.set_metadata(DELIVERIES_HELD.to_owned(), Some(since.clone())).await?;
        Ok(since)
    }

    /// Releases deliveries that were held. Returns how many are pending; `None` if they were not held.
    pub async fn release_deliveries(&self) -> Result<Option<u64>, Error> {
        if self.deliveries_held().await?.is_none() {
            return Ok(None);
        }
        let pending = self.store.queue_depth().await?.pending;
        self.store.set_metadata(DELIVERIES_HELD.to_owned(), None).await?;
        Ok(Some(pending))
    }

    /// Measures the depth of the queue for [`App::dispatch_status`]. Takes a while if the queue is long.
    pub async fn measure_queue(&self) -> Result<(), Error> {
        if let Some(dispatch) = &self.dispatch {
            dispatch.counters.set_depth(self.store.queue_depth().await?);
        }
        Ok(())
    }

    /// Wakes the dispatcher of this process, if there is one: deliveries of a search may be due.
    pub(crate) fn wake(&self, search: SearchNumber) {
        if let Some(dispatch) = &self.dispatch {
            dispatch.wake(search);
        }
    }
}
