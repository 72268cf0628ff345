//! What a store offers, as one trait per concern.
//!
//! Every backend implements every method, so there are few of them, and none depends on SQL. The traits are independent of each
//! other with two exceptions: [`LogStore::commit`] writes properties and saved searches in one transaction, and
//! [`AdvertStore::erase`] also removes what matches and deliveries hold of the advert.

mod access;
mod adverts;
mod damage;
mod deliveries;
mod grouping;
mod log;
mod maintenance;
mod matches;
mod position;
mod retention;
mod searches;
mod sites;
mod usage;

pub use access::{AccessStore, Key, NewKey, Session, User};
pub use adverts::{
    AdvertRef, AdvertStore, Erased, Expected, FoundProperties, LiveAdvert, OverduePage, PutCause,
    PutProperty, ScanPage, ScanPart, StoredProperty, VersionLookup,
};
pub use damage::{Finding, RecordKind, Repair, VerifyCursor, VerifyPage};
pub use deliveries::{
    Attempt, AttemptSummaries, AttemptSummary, Claim, Contacts, DeliveryList, DeliveryPage, DeliveryRow,
    DeliveryStore, DeliverySubject, DocumentKey, DueDelivery, ERASURE_GRACE, EnqueueBatch, Gather,
    InitialState, LEASE, Lane, LaneDue, LaneHead, LanePeek, Leases, NewDelivery, NewSecret, OutboxBatch,
    OutboxCursor, Pruned, QueueDepth, RecipientConfirmation, RecipientStore, Replay, Settlement, StateKind,
};
pub use grouping::{AdvertGrouping, DecidedBy, ForeignWrites, GroupingTurn, LineageRow, SignatureRow};
pub use log::{
    Change, ChangeSet, CommitOutcome, Erasure, LogEntry, LogStore, PropertyCause, RemovalCause, Step,
};
pub use maintenance::{DELIVERIES_HELD, MaintenanceStore, StoreFailure};
pub use matches::{
    MatchBatch, MatchCounts, MatchGroup, MatchPage, MatchRow, MatchStore, Notification, OutboxEntry,
};
pub use position::Position;
pub use retention::{ErasedProperties, PruneStep, PrunedRows, RetentionStore, StoreSize};
pub use searches::{
    ExpectedSearch, PutSearch, SearchList, SearchLookup, SearchPage, SearchStore, StoredSearch,
};
pub use sites::{PutSite, RenameOutcome, SiteStore};
pub use usage::{
    DailyUsage, DeliveryUsage, OperationUsage, RequestUsage, UsageBatch, UsageList, UsagePage, UsageStore,
};

/// Durable state: the sum of the storage traits. Implement those; this one follows.
///
/// Writers are optimistic. A writer states which version it built on, and a [`ChangeSet`] built on another version is refused as a
/// whole ([`CommitOutcome::Conflict`]); the caller reads again and builds again. No lock is held between two calls.
///
/// A call that returns `Ok` is durable. A call that returns `Err` has written nothing, with one exception: after a failed sync to
/// disk the outcome is unknown until a restart, and the store accepts no more writes.
pub trait Store:
    AdvertStore
    + LogStore
    + SearchStore
    + MatchStore
    + DeliveryStore
    + RecipientStore
    + SiteStore
    + AccessStore
    + UsageStore
    + RetentionStore
    + MaintenanceStore
{
}

impl<T> Store for T where
    T: AdvertStore
        + LogStore
        + SearchStore
        + MatchStore
        + DeliveryStore
        + RecipientStore
        + SiteStore
        + AccessStore
        + UsageStore
        + RetentionStore
        + MaintenanceStore
        + ?Sized
{
}
