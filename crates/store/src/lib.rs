//! Durable state: properties with their adverts, the change log, saved searches, matches, deliveries, sites, API keys, usage.
//!
//! [`Store`] is the contract, the sum of one trait per concern; it does not depend on SQL. [`SqlStore`] implements it,
//! embedded in the process with SQLite, or on PostgreSQL. Both pass `tests/contract`.
//!
//! **Invariant:** a change and its log entry are one transaction. A call that returned `Ok` survives a kill of the process and a
//! loss of power; a call that returned `Err` has written nothing.
//!
//! Not here: HTTP, JSON-LD, and any decision about adverts. `domain` decides, `app` orchestrates, this crate stores.

mod contract;
mod error;
pub mod postgres;
mod record;
mod sql;
pub mod sqlite;
pub mod transfer;

pub use contract::{
    AccessStore, AdvertGrouping, AdvertRef, AdvertStore, Attempt, AttemptSummaries, AttemptSummary, Change,
    ChangeSet, Claim, CommitOutcome, Contacts, DELIVERIES_HELD, DailyUsage, DecidedBy, DeliveryList,
    DeliveryPage, DeliveryRow, DeliveryStore, DeliverySubject, DeliveryUsage, DocumentKey, DueDelivery,
    ERASURE_GRACE, EnqueueBatch, Erased, ErasedProperties, Erasure, Expected, ExpectedSearch, Finding,
    ForeignWrites, FoundProperties, Gather, GroupingTurn, InitialState, Key, LEASE, Lane, LaneDue, LaneHead,
    LanePeek, Leases, LineageRow, LiveAdvert, LogEntry, LogStore, MaintenanceStore, MatchBatch, MatchCounts,
    MatchGroup, MatchPage, MatchRow, MatchStore, NewDelivery, NewKey, NewSecret, Notification,
    OperationUsage, OutboxBatch, OutboxCursor, OutboxEntry, OverduePage, Position, PropertyCause, PruneStep,
    Pruned, PrunedRows, PutCause, PutProperty, PutSearch, PutSite, QueueDepth, RecipientConfirmation,
    RecipientStore, RecordKind, RemovalCause, RenameOutcome, Repair, Replay, RequestUsage, RetentionStore,
    ScanPage, ScanPart, SearchList, SearchLookup, SearchPage, SearchStore, Session, Settlement, SignatureRow,
    SiteStore, StateKind, Step, Store, StoreFailure, StoreSize, StoredProperty, StoredSearch, UsageBatch,
    UsageList, UsagePage, UsageStore, User, VerifyCursor, VerifyPage, VersionLookup,
};
pub use error::{Cause, Error};
pub use sql::priority::{Priority, lower_thread_priority, lower_thread_priority_most, run_thread_when_idle};
pub use sql::{SqlStore, WriteFault};

/// The storage traits, for code that calls their methods on a concrete store. On a `dyn Store` they need no import.
pub mod prelude {
    pub use crate::contract::{
        AccessStore, AdvertStore, DeliveryStore, LogStore, MaintenanceStore, MatchStore, RecipientStore,
        RetentionStore, SearchStore, SiteStore, Store, UsageStore,
    };
}
