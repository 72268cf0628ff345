//! Deliveries: the outbox, the queue, the history, webhook secrets.
//!
//! The matcher writes the outbox in groups ([`OutboxEntry`](crate::OutboxEntry)). A delivery is one notification for one search: it
//! is queued in a **lane**, claimed under a lease, attempted without the store, and settled.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use domain::{
    AdvertEvent, AdvertId, CancelReason, CertificateFault, DeliveryChannel, DeliveryEpoch, DeliveryId,
    DeliveryState, EmailAddress, MatchId, Outcome, PhaseTimings, PropertyId, ResponseHeader, RetryDecision,
    SearchId, SearchNumber, Timestamp, UserId, WebhookSecret, WebhookSecrets,
};

use super::matches::Notification;
use super::position::Position;
use crate::error::Error;

/// How long a claim lasts: longer than an attempt can take, its settlement included.
pub const LEASE: Duration = Duration::from_secs(60);

/// How long after an erasure documents of the property are not stored, because the claimer may have read the property before the
/// erasure. Reading, rendering and claiming together take less, and so does an erasure that waits to be written.
pub const ERASURE_GRACE: Duration = Duration::from_secs(120);

/// Turns the outbox into deliveries, and queues, claims, settles and lists them.
#[async_trait]
pub trait DeliveryStore: Send + Sync + 'static {
    /// Reads the next deliveries, about `limit` of them and the oldest first, from the outbox after its cursor. Leaves out searches
    /// that were deleted since.
    async fn read_outbox(&self, limit: usize) -> Result<OutboxBatch, Error>;

    /// Inserts deliveries and advances the outbox cursor in one transaction. Returns `false` and writes nothing if the cursor is not
    /// `batch.after`, that is, if another process has enqueued meanwhile.
    async fn enqueue(&self, batch: EnqueueBatch) -> Result<bool, Error>;

    /// Returns at most `limit` lanes after a lane that have pending deliveries, in an order chosen by the store, each with its earliest
    /// due date.
    async fn lanes(&self, after: Option<Lane>, limit: usize) -> Result<Vec<LaneDue>, Error>;

    /// Returns the due deliveries of some lanes, the longest due first. Claims nothing.
    async fn peek_lanes(&self, lanes: Vec<LanePeek>, now: Timestamp) -> Result<Vec<LaneHead>, Error>;

    /// Takes a lease on those of the deliveries that are pending and either due or never attempted, and returns their ids. Stores the
    /// documents of the claim unless something was erased from the property less than [`ERASURE_GRACE`] ago: such a document may
    /// contain erased data. A document that is stored already is not replaced.
    async fn claim(&self, claim: Claim) -> Result<Vec<DeliveryId>, Error>;

    /// Records the results of attempts. Skips deliveries that are not leased under the settlement's claim any more. Returns how many
    /// were recorded.
    async fn settle(&self, settlements: Vec<Settlement>) -> Result<u64, Error>;

    /// Cancels pending deliveries. Skips deliveries in any other state.
    async fn cancel(
        &self,
        deliveries: Vec<DeliveryId>,
        reason: CancelReason,
        at: Timestamp,
    ) -> Result<(), Error>;

    /// Ends at most `limit` leases and records their attempts as interrupted. Each delivery becomes pending again, or fails if it was
    /// interrupted too often. One that has not failed before keeps its place in its lane, except after several interruptions. Returns the
    /// lane of each.
    async fn reap_leases(&self, leases: Leases, now: Timestamp, limit: usize) -> Result<Vec<Lane>, Error>;

    /// Returns documents as they were first sent, in the order of the request; `None` if a document is not stored.
    async fn sent_documents(&self, keys: Vec<DocumentKey>) -> Result<Vec<Option<Vec<u8>>>, Error>;

    /// Lists deliveries, the newest first.
    async fn list_deliveries(&self, list: DeliveryList) -> Result<DeliveryPage, Error>;

    /// Returns a delivery with all its attempts, in order.
    async fn delivery(&self, id: DeliveryId) -> Result<Option<(DeliveryRow, Vec<Attempt>)>, Error>;

    /// Returns what a delivery is rendered from, whatever its state.
    async fn delivery_source(&self, id: DeliveryId) -> Result<Option<DueDelivery>, Error>;

    /// Returns the attempts of an owner's deliveries that were enqueued since a date, those of the newest deliveries first. Looks at no
    /// more than `limit` deliveries and returns no more than `limit` attempts.
    async fn attempts_since(
        &self,
        owner: UserId,
        since: Timestamp,
        limit: usize,
    ) -> Result<AttemptSummaries, Error>;

    /// Makes at most `limit` deliveries pending again and returns their ids. Their earlier attempts are kept. Skips deliveries that are
    /// pending or leased.
    async fn replay(&self, replay: Replay, now: Timestamp, limit: usize) -> Result<Vec<DeliveryId>, Error>;

    /// Counts the deliveries of a search that [`Replay::Failed`] would make pending again.
    async fn count_replayable(&self, search: SearchNumber, since: Timestamp) -> Result<u64, Error>;

    /// Starts a new epoch: deliveries enqueued from now on carry it in their id. With a random epoch at every start of the dispatcher,
    /// no copy of the database (a restored backup) ever issues an id that this one issues.
    async fn start_delivery_epoch(&self, epoch: DeliveryEpoch) -> Result<(), Error>;

    /// Deletes at most `limit` deliveries that ended before a date, with their attempts, and at most `limit` documents stored before
    /// it. Call it with `after: 0` first, then with [`Pruned::until`].
    async fn prune_deliveries(&self, before: Timestamp, after: u64, limit: usize) -> Result<Pruned, Error>;

    /// Counts the deliveries in the queue.
    async fn queue_depth(&self) -> Result<QueueDepth, Error>;

    /// Returns the secrets that sign a user's webhooks; `None` if the user has none yet.
    async fn webhook_secrets(&self, user: UserId) -> Result<Option<WebhookSecrets>, Error>;

    /// Gives a user a new secret and returns the secrets in force. With [`NewSecret::First`], a user who has one keeps it.
    async fn put_webhook_secret(
        &self,
        user: UserId,
        secret: WebhookSecret,
        rule: NewSecret,
        at: Timestamp,
    ) -> Result<WebhookSecrets, Error>;
}

/// Remembers which recipients want the e-mails of which users.
#[async_trait]
pub trait RecipientStore: Send + Sync + 'static {
    /// Returns whether a recipient was asked and has confirmed; `None` if it was never asked.
    async fn recipient_confirmation(
        &self,
        user: UserId,
        address: EmailAddress,
    ) -> Result<Option<RecipientConfirmation>, Error>;

    /// Returns the confirmation with this hash of a token.
    async fn confirmation_by_token(&self, hash: [u8; 32]) -> Result<Option<RecipientConfirmation>, Error>;

    /// Records that a recipient was asked. The token of an earlier question becomes invalid. A recipient that has confirmed stays
    /// confirmed.
    async fn put_question(
        &self,
        user: UserId,
        address: EmailAddress,
        hash: [u8; 32],
        at: Timestamp,
    ) -> Result<(), Error>;

    /// Records that the recipient with this hash of a token has confirmed. Does nothing if it had before.
    async fn confirm_recipient(&self, hash: [u8; 32], at: Timestamp) -> Result<(), Error>;
}

/// A recipient that was asked whether it wants the e-mails of a user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RecipientConfirmation {
    pub user: UserId,
    pub asked_at: Timestamp,
    pub confirmed_at: Option<Timestamp>,
}

/// The deliveries of one search by one channel. They are sent in order; lanes do not wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    pub search: SearchNumber,
    pub channel: DeliveryChannel,
}

/// How far the outbox has been enqueued: up to one search of one entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutboxCursor {
    pub(crate) position: u64,
    /// The entry among those of the position; -1 is before the first.
    pub(crate) ordinal: i64,
    pub(crate) search_number: u32,
}

/// The next part of the outbox, one element per delivery.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxBatch {
    pub after: OutboxCursor,
    pub until: OutboxCursor,
    pub deliveries: Vec<NewDelivery>,
    /// `true` if the outbox has more.
    pub more: bool,
}

/// A delivery to enqueue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewDelivery {
    pub owner: UserId,
    pub search: SearchNumber,
    pub position: Position,
    pub notification: Notification,
}

impl NewDelivery {
    pub fn lane(&self) -> Lane {
        Lane { search: self.search, channel: self.notification.channel() }
    }
}

/// Deliveries to enqueue, and the cursor before and after them.
#[derive(Debug, Clone)]
pub struct EnqueueBatch {
    pub after: OutboxCursor,
    pub until: OutboxCursor,
    pub at: Timestamp,
    pub deliveries: Vec<(NewDelivery, InitialState)>,
}

/// The state in which a delivery is enqueued.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InitialState {
    DueAt(Timestamp),
    Cancelled(CancelReason),
}

/// A lane and the due date of its earliest pending delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneDue {
    pub lane: Lane,
    pub due_at: Timestamp,
}

/// How much of a lane to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LanePeek {
    pub lane: Lane,
    pub take: usize,
    pub gather: Gather,
}

/// Which deliveries are read together with a due one, to be sent in one message or one after the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gather {
    /// Other due ones.
    DueOnly,
    /// With a new delivery, the other new ones, due or not. With a delivery that was attempted or interrupted before, only those
    /// that it was attempted with: the message is repeated unchanged.
    WithNew,
}

/// The first deliveries of a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LaneHead {
    pub lane: Lane,
    pub due: Vec<DueDelivery>,
    /// When the lane next has something to send, apart from `due`.
    pub next_due_at: Option<Timestamp>,
}

/// A delivery that is due, with everything needed to render it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub id: DeliveryId,
    pub owner: UserId,
    pub lane: Lane,
    /// The number of the delivery within its lane: 1, 2, 3, … in the order of the outbox, without gaps.
    pub lane_sequence: u64,
    pub notification: Notification,
    pub position: Position,
    pub due_at: Timestamp,
    pub failures: u32,
    pub interruptions: u32,
    /// Whether the first attempt contained the advertiser's contact details; `None` before the first attempt. Once hidden, they stay
    /// hidden.
    pub sent_contacts: Option<Contacts>,
    /// `None` if it was erased or cannot be read.
    pub subject: Option<DeliverySubject>,
    /// What the delivery is about cannot be read: it cannot be sent.
    pub is_damaged: bool,
}

/// The property, advert and event that a delivery is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverySubject {
    pub property: PropertyId,
    pub version: u32,
    pub advert: AdvertId,
    pub match_id: MatchId,
    /// When the property first matched the search, or when the search first received an event of it.
    pub matched_at: Timestamp,
    /// The event, if the notification is about one.
    pub event: Option<AdvertEvent>,
    /// The documents of that version that are stored as they were first sent.
    pub stored_documents: Vec<Contacts>,
}

/// Whether a document contains the advertiser's contact details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contacts {
    Shown,
    Hidden,
}

/// Identifies a document as it was first sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey {
    pub property: PropertyId,
    pub version: u32,
    pub contacts: Contacts,
}

/// A request to lease deliveries for one attempt.
#[derive(Debug, Clone)]
pub struct Claim {
    /// A number that no other claim uses.
    pub claim_id: u64,
    pub at: Timestamp,
    pub lease_until: Timestamp,
    pub deliveries: Vec<DeliveryId>,
    /// Those of the deliveries that are sent without contact details. Their later attempts are too.
    pub contacts_hidden: Vec<DeliveryId>,
    /// Documents that are about to be sent for the first time.
    pub documents: Vec<(DocumentKey, Vec<u8>)>,
}

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub id: DeliveryId,
    /// The claim under which the attempt was made.
    pub claim_id: u64,
    /// `None` if no attempt was made.
    pub attempt: Option<Attempt>,
    pub next: RetryDecision,
    pub at: Timestamp,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub started_at: Timestamp,
    pub duration: Duration,
    pub outcome: Outcome,
    pub status: Option<u16>,
    /// The address it was sent to.
    pub target: Option<String>,
    /// The first bytes of the response.
    pub response_excerpt: Vec<u8>,
    pub response_headers: Vec<ResponseHeader>,
    /// In whole milliseconds.
    pub timings: PhaseTimings,
    /// What was wrong with the receiver's certificate, if that is why the attempt failed.
    pub certificate: Option<CertificateFault>,
}

/// An attempt as far as the health of its receiver is concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AttemptSummary {
    pub started_at: Timestamp,
    pub duration: Duration,
    pub outcome: Outcome,
    /// Shared by the attempts with the same target: there may be many.
    pub target: Option<Arc<str>>,
}

/// Attempts of many deliveries.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AttemptSummaries {
    pub attempts: Vec<AttemptSummary>,
    /// `false` if a limit ended the search.
    pub is_complete: bool,
}

/// Which leases to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leases {
    /// Those that have expired.
    Expired,
    /// All. Only for a process that knows that no other process holds any.
    All,
}

/// Selects deliveries, the newest first. The default selects those of all owners and takes none of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryList {
    /// `None` selects all owners.
    pub owner: Option<UserId>,
    pub search: Option<SearchNumber>,
    pub state: Option<StateKind>,
    pub channel: Option<DeliveryChannel>,
    /// Enqueued at or after.
    pub from: Option<Timestamp>,
    /// Enqueued before.
    pub until: Option<Timestamp>,
    pub skip: u64,
    pub take: u64,
}

/// A delivery state without the reason of a cancellation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum StateKind {
    Pending,
    Leased,
    Delivered,
    Failed,
    Cancelled,
}

impl StateKind {
    pub const ALL: [Self; 5] = [Self::Pending, Self::Leased, Self::Delivered, Self::Failed, Self::Cancelled];

    pub const fn of(state: DeliveryState) -> Self {
        match state {
            DeliveryState::Pending => Self::Pending,
            DeliveryState::Leased => Self::Leased,
            DeliveryState::Delivered => Self::Delivered,
            DeliveryState::Failed => Self::Failed,
            DeliveryState::Cancelled(_) => Self::Cancelled,
        }
    }
}

/// A page of deliveries, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryPage {
    /// The number of deliveries on all pages.
    pub total: u64,
    pub deliveries: Vec<DeliveryRow>,
}

/// A delivery as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    pub id: DeliveryId,
    pub owner: UserId,
    pub lane: Lane,
    /// The number of the delivery within its lane, as in [`DueDelivery`].
    pub lane_sequence: u64,
    /// `None` if the search was deleted.
    pub search: Option<SearchId>,
    pub notification: Notification,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// If pending: the earliest date of the next attempt. If leased: the end of the lease. Otherwise: when it reached its state.
    pub state_at: Timestamp,
    /// The number of attempts, interrupted ones included.
    pub attempts: u32,
    /// The property and the match it is about; `None` if they were erased.
    pub subject: Option<(PropertyId, MatchId)>,
}

/// Which deliveries to send again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// One delivery in any final state.
    One(DeliveryId),
    /// All deliveries of a search that were enqueued since a date and have failed by now, or were cancelled because alerts were
    /// disabled, the recipient was missing or the channel was off. The oldest first, and only those after `after`.
    Failed { search: SearchNumber, since: Timestamp, after: Option<DeliveryId> },
}

/// The progress of pruning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    pub more: bool,
    /// Where to continue.
    pub until: u64,
    pub deliveries: u64,
    pub documents: u64,
}

/// The size of the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueDepth {
    pub pending: u64,
    pub leased: u64,
    /// The earliest due date of a pending delivery.
    pub oldest_due_at: Option<Timestamp>,
}

/// When a user gets a new webhook secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewSecret {
    /// Only if the user has none.
    First,
    /// Always. Each replaced secret is honoured for [`WebhookSecrets::OVERLAP`] after its replacement, the newest
    /// [`WebhookSecrets::REPLACED_MAX`] of them. Secrets past that are deleted.
    Rotation,
}
