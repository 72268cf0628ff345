//! Durable state: properties with their adverts, the change log, saved searches, their matches and what is
//! owed for them, keys, sites.
//!
//! [`Store`] is the contract; it says nothing of SQL. [`sqlite::SqliteStore`] is the embedded default. Whatever else
//! implements the contract must pass `tests/contract`.
//!
//! **Invariant:** a change and its log entry are one transaction. A call that answered `Ok` survives a kill of the
//! process and a loss of power; a call that answered `Err` left nothing behind.
//!
//! Not here: HTTP, JSON-LD, and any decision about adverts. `domain` decides, `app` carries out, this crate keeps.

mod contract;
mod deliveries;
mod error;
mod log;
mod matches;
mod record;
pub mod sqlite;

pub use contract::{
    ChangeSet, CommitOutcome, Erased, Expected, ExpectedSearch, Key, Located, NewKey, NewSecret, PutCause,
    PutProperty, PutSearch, PutSite, Renamed, ScanPart, Scanned, SearchList, SearchLookup, SearchPage, Step,
    Store, StoredProperty, StoredSearch, User,
};
pub use deliveries::{
    Attempt, Claim, Contacts, DeliveryList, DeliveryPage, DeliveryRow, DeliverySubject, DocumentKey,
    DueDelivery, ERASURE_GRACE, EnqueueBatch, Gather, LEASE, Lane, LaneDue, Leases, NewDelivery, OutboxBatch,
    OutboxCursor, Peek, Pruned, QueueDepth, Replay, Settlement, Start, StateKind, Waiting,
};
pub use error::Error;
pub use log::{Change, Erasure, LogEntry, Position, PropertyCause, RemovalCause};
pub use matches::{MatchBatch, MatchGroup, MatchPage, MatchRow, Notification, OutboxEntry};
