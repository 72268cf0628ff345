//! The change log: every change in one order, without gaps. Retention deletes old entries, from the first on.
//!
//! Properties and saved searches share one log, so that "did this search exist when that advert arrived?" has the same answer on
//! every node and after every restart. Entries point at versions; the versions hold the documents.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::grouping::PersonDecision;
use domain::{AdvertEvent, AdvertId, Property, PropertyId, SearchId, Timestamp, UserId};
use tokio::sync::watch;

use super::adverts::{Expected, PutProperty};
use super::grouping::{ForeignWrites, GroupingTurn};
use super::position::Position;
use super::searches::PutSearch;
use crate::error::Error;

/// Appends to the change log, and reads it.
#[async_trait]
pub trait LogStore: Send + Sync + 'static {
    /// Writes all steps of a set with their log entries in one transaction. Writes nothing unless the outcome is
    /// [`CommitOutcome::Committed`].
    async fn commit(&self, changes: ChangeSet) -> Result<CommitOutcome, Error>;

    /// Returns at most `limit` entries after a position, in order and without gaps: an entry that is missing at the end has not been
    /// committed. Fails with [`Error::LogPruned`] if retention has deleted entries after that position.
    async fn log_after(&self, position: Position, limit: usize) -> Result<Vec<LogEntry>, Error>;

    /// From now on keeps the properties that are committed through this store, until they are taken or become too many.
    fn keep_committed(&self);

    /// Takes the properties that are kept of the entries up to a position. Each is as its entry left it. An entry that has none was
    /// written by another process, by something other than [`commit`](Self::commit), or too long ago.
    fn take_committed(&self, until: Position) -> BTreeMap<Position, Arc<Property>>;

    /// Watches the last position written through this store. A follower that must also see the writes of other processes reads the
    /// log from time to time as well.
    fn head(&self) -> watch::Receiver<Position>;

    /// Watches the writes of other processes. Every write through this store looks for them first, so that a write never comes
    /// after one that is not counted.
    fn foreign_writes(&self) -> watch::Receiver<ForeignWrites>;

    /// Returns the ranges of the log, each without its first position, that contain the entries of the foreign writes after the
    /// first `count` of them, in order. They may contain other entries as well.
    fn foreign_ranges(&self, count: u64) -> Vec<(Position, Position)>;

    /// Waits until it is this process's turn to group adverts, so that processes that ingest at the same time do not make each other's
    /// sets conflict ([`ChangeSet::grouped_at`]). Hold it from before the foreign writes are read until the set is committed. It is a
    /// courtesy: a set may conflict all the same.
    async fn grouping_turn(&self) -> Result<GroupingTurn, Error>;

    /// Looks for writes of other processes without writing.
    async fn detect_foreign_writes(&self) -> Result<ForeignWrites, Error>;
}

/// One entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub position: Position,
    pub recorded_at: Timestamp,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The property is at this version because of this advert.
    Property {
        property: PropertyId,
        version: u32,
        advert: AdvertId,
        cause: PropertyCause,
    },
    /// The property lost its last advert.
    PropertyRemoved {
        property: PropertyId,
        cause: RemovalCause,
    },
    /// The search was created or changed.
    Search {
        search: SearchId,
        version: u32,
    },
    SearchRemoved {
        search: SearchId,
    },
    /// The content of the entry was erased on request. The entry remains, so that positions stay dense.
    Erased,
    /// The entry cannot be read. Followers skip it. Its subject is named as far as the row still tells it: as a property, a search,
    /// or both if not even the kind is readable.
    Damaged {
        property: Option<PropertyId>,
        search: Option<SearchId>,
    },
}

/// Why a property changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyCause {
    /// The advert was created or changed and emitted these events.
    Advert { events: Vec<AdvertEvent> },
    /// Adverts moved here from other properties. The events are those of the advert that caused it.
    Regrouped {
        events: Vec<AdvertEvent>,
        moved: Vec<AdvertId>,
        /// The properties they come from, each with its last version before the move.
        from: Vec<(PropertyId, u32)>,
        automatic: bool,
    },
    /// Only the crawl dates of the advert changed: same version, newer document.
    Crawl,
    /// The advert moved to another property.
    AdvertLeft,
    /// The advert was erased.
    AdvertErased(Erasure),
}

/// Why a property was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalCause {
    /// Its last advert moved to another property.
    AdvertLeft,
    /// It turned out to be the same as another property, which has its adverts now.
    Merged { into: PropertyId },
    /// Its last advert was erased.
    AdvertErased(Erasure),
}

/// What a follower must know to drop its copies of an erased advert.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erasure {
    /// The other properties that held the advert before, in the order of their ids. Copies of their older versions may contain it.
    pub previous_properties: Vec<PropertyId>,
}

/// Changes that are committed together, in order.
#[derive(Debug, Clone, Default)]
pub struct ChangeSet {
    pub recorded_at: Timestamp,
    pub steps: Vec<Step>,
    /// The number of foreign writes that the steps take into account. The set conflicts if a later one may have changed properties. `None` for a set that
    /// does not depend on other properties than those it writes.
    pub grouped_at: Option<u64>,
}

#[derive(Debug, Clone)]
pub enum Step {
    Put(PutProperty),
    /// The property lost its last advert to another property.
    Remove {
        property: PropertyId,
        expected: Expected,
        advert: AdvertId,
        /// The property that it is the same as. Its id leads there from now on.
        merged_into: Option<PropertyId>,
    },
    /// Remembers a decision of a person, and its author by the label of a key. Appends no log entry.
    PutDecision {
        decision: PersonDecision,
        decided_by: String,
    },
    PutSearch(PutSearch),
    /// Deletes a search. Does nothing, and appends no log entry, if the owner has no such search.
    RemoveSearch {
        search: SearchId,
        owner: UserId,
    },
}

/// The result of [`LogStore::commit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommitOutcome {
    /// The set is durable up to this position of the log; [`Position::START`] if there was nothing to write.
    Committed(Position),
    /// A concurrent write came first, and nothing was written. Read again and build the set again.
    Conflict,
    /// The owner of a new search has reached the limit, and nothing was written.
    TooManySearches,
}
