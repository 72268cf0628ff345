//! What is owed one by one, and what became of it.
//!
//! The matcher records what is owed in groups ([`OutboxEntry`](crate::OutboxEntry)). A delivery is one of them for one search: it
//! waits in a **lane**, is claimed under a lease, attempted without the store, and settled.

use std::time::Duration;

use domain::{
    AdvertEvent, AdvertId, DeliveryChannel, DeliveryId, DeliveryState, MatchId, RetryDecision, Outcome, PropertyId,
    SearchNumber, Timestamp, UserId,
};

use crate::log::Position;
use crate::matches::Notification;

/// For how long a delivery is claimed: longer than an attempt can take, recording it included.
pub const LEASE: Duration = Duration::from_secs(60);

/// One search's deliveries by one channel. They wait for each other, and for nobody else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lane {
    pub search: SearchNumber,
    pub channel: DeliveryChannel,
}

/// How far deliveries have been made of notices: up to one of a notification's searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct OutboxCursor {
    pub(crate) position: u64,
    /// Which of the position's notices; -1 is before the first.
    pub(crate) ordinal: i64,
    pub(crate) number: u32,
}

/// Notices that no deliveries were made of yet, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxBatch {
    pub after: OutboxCursor,
    pub until: OutboxCursor,
    pub deliveries: Vec<NewDelivery>,
    /// Whether there is more.
    pub more: bool,
}

/// A delivery to be made.
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

/// Deliveries to be queued, and how far that goes.
#[derive(Debug, Clone)]
pub struct EnqueueBatch {
    pub after: OutboxCursor,
    pub until: OutboxCursor,
    pub at: Timestamp,
    pub deliveries: Vec<(NewDelivery, Start)>,
}

/// How a new delivery begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    DueAt(Timestamp),
    Cancelled(domain::CancelReason),
}

/// A lane and when something in it is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaneDue {
    pub lane: Lane,
    pub due_at: Timestamp,
}

/// What is wanted of a lane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peek {
    pub lane: Lane,
    pub take: usize,
    pub gather: Gather,
}

/// Whether what is due and new takes along what is new and not due yet. What was tried before, or interrupted, takes along only
/// what it was tried with: it goes out again as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gather {
    DueOnly,
    WithNew,
}

/// What waits in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Waiting {
    pub lane: Lane,
    pub due: Vec<DueDelivery>,
    /// When there is something to do in this lane again, beside what is in `due`.
    pub next_due_at: Option<Timestamp>,
}

/// A delivery that is due, with what it tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueDelivery {
    pub id: DeliveryId,
    pub owner: UserId,
    pub lane: Lane,
    /// Which of its lane this is, from 1 on and without gaps, in the order in which they came to be owed.
    pub number: u64,
    pub notification: Notification,
    pub position: Position,
    pub due_at: Timestamp,
    pub failures: u32,
    pub interruptions: u32,
    /// Whether it said how to reach the advertiser when it was sent; nothing before that. Once it did not, it never does.
    pub sent_with: Option<Contacts>,
    /// Nothing when it was erased.
    pub about: Option<DeliverySubject>,
}

/// What a delivery tells of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliverySubject {
    pub property: PropertyId,
    pub version: u32,
    pub advert: AdvertId,
    pub matching: MatchId,
    /// When the property came to meet the search, or the search first heard of it.
    pub matched_at: Timestamp,
    /// What happened, when that is what it tells.
    pub event: Option<AdvertEvent>,
    /// Which documents of that version are kept as they were first sent.
    pub kept: Vec<Contacts>,
}

/// Whether a document says how to reach the advertiser.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Contacts {
    Shown,
    Hidden,
}

/// Names a document as it was first sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DocumentKey {
    pub property: PropertyId,
    pub version: u32,
    pub contacts: Contacts,
}

/// How long after an erasure documents of the property are not kept: whoever claims then may have read it before. No round of
/// reading, writing and claiming takes that long, nor does an erasure wait that long to be written.
pub const ERASURE_GRACE: Duration = Duration::from_secs(120);

/// Deliveries to be attempted by one who says how long that may take.
#[derive(Debug, Clone)]
pub struct Claim {
    /// A number nobody else uses.
    pub claim: u64,
    pub at: Timestamp,
    pub lease_until: Timestamp,
    pub deliveries: Vec<DeliveryId>,
    /// Those among them that do not say how to reach the advertiser. From then on they never do.
    pub hidden: Vec<DeliveryId>,
    /// Documents that are about to be sent for the first time.
    pub documents: Vec<(DocumentKey, Vec<u8>)>,
}

/// What came of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settlement {
    pub id: DeliveryId,
    /// The claim it was made under.
    pub claim: u64,
    /// Nothing when no attempt was made after all.
    pub attempt: Option<Attempt>,
    pub next: RetryDecision,
    pub at: Timestamp,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    pub began_at: Timestamp,
    pub took: Duration,
    pub outcome: Outcome,
    pub status: Option<u16>,
    /// Where it went.
    pub target: Option<String>,
    /// The first bytes of the answer.
    pub excerpt: Vec<u8>,
}

/// Leases to be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leases {
    /// Those that have run out.
    Expired,
    /// All. For a process that knows that nobody else can hold any.
    All,
}

/// Which deliveries are wanted, the newest first. As it is by default it asks for everybody's, and takes none of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeliveryList {
    /// Nothing is everybody's.
    pub owner: Option<UserId>,
    pub search: Option<SearchNumber>,
    pub state: Option<StateKind>,
    pub channel: Option<DeliveryChannel>,
    /// OutboxBatch since, inclusive.
    pub from: Option<Timestamp>,
    /// OutboxBatch until, exclusive.
    pub until: Option<Timestamp>,
    pub skip: u64,
    pub take: u64,
}

/// A state without its reason.
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

/// Some deliveries, the newest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeliveryPage {
    /// How many there are in all.
    pub total: u64,
    pub deliveries: Vec<DeliveryRow>,
}

/// A delivery as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryRow {
    pub id: DeliveryId,
    pub owner: UserId,
    pub lane: Lane,
    /// Which of its lane this is, as in [`DueDelivery`].
    pub number: u64,
    /// Nothing when the search was deleted.
    pub search: Option<domain::SearchId>,
    pub notification: Notification,
    pub state: DeliveryState,
    pub created_at: Timestamp,
    /// When pending, the next attempt is not before; when leased, the lease ends; else, when it came to that.
    pub state_at: Timestamp,
    /// How many attempts there were, interrupted ones among them.
    pub attempts: u32,
    /// The property and the match it tells of; nothing when that was erased.
    pub about: Option<(PropertyId, MatchId)>,
}

/// What is to be sent again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Replay {
    /// One, whatever became of it.
    One(DeliveryId),
    /// Everything of a search that failed by now, or was cancelled because it had nowhere to go, and was owed since a moment; the
    /// oldest first, and only what came to be owed after another one.
    Failed { search: SearchNumber, since: Timestamp, after: Option<DeliveryId> },
}

/// How far forgetting has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    pub more: bool,
    /// Where to go on.
    pub until: u64,
}

/// How many deliveries wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QueueDepth {
    pub pending: u64,
    pub leased: u64,
    /// The longest due of those pending.
    pub oldest_due_at: Option<Timestamp>,
}

impl Notification {
    /// Where it goes.
    pub fn channel(self) -> DeliveryChannel {
        match self {
            Self::Match(domain::search::MatchChannel::Endpoint) => DeliveryChannel::Match,
            Self::Match(domain::search::MatchChannel::Email) => DeliveryChannel::Email,
            Self::Event(..) => DeliveryChannel::Event,
        }
    }
}
