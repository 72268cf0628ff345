//! Retention: deleting what is old and no longer needed, in small steps.
//!
//! The log decides. Its entries go from the oldest on, each with the versions it replaced and the notifications it made, once it is
//! old and everything that follows the log is past it. Whatever is still shown stays: the current version of every property, a version
//! that a match or a kept delivery shows, and matches of properties that are on offer.

use async_trait::async_trait;
use domain::{AdvertId, PropertyId, Timestamp};

use super::position::Position;
use crate::error::Error;

/// Deletes what is no longer needed. Each call is one short transaction.
#[async_trait]
pub trait RetentionStore: Send + Sync + 'static {
    /// Deletes the oldest entries of the log, those recorded before a date and no later than `until`, as far as no follower, no
    /// outbox entry and no delivery needs them. With an entry go the versions of its property that it replaced, unless a match shows
    /// them, its outbox entries, and its match group if it has no match and no first event of a search. The last entry always stays.
    async fn prune_log(
        &self,
        before: Timestamp,
        until: Position,
        entries_max: usize,
    ) -> Result<PruneStep, Error>;

    /// Deletes the matches of properties that were removed, or left with expired adverts only, before a date and have not changed
    /// since, with the versions they showed. Nothing is left of a removed property afterwards, except that its id leads to the one it
    /// was merged into. Properties are found once [`prune_log`](Self::prune_log) has passed their last change.
    async fn prune_matches(&self, before: Timestamp, matches_max: usize) -> Result<PruneStep, Error>;

    /// Erases properties whose adverts have all been expired since before a date and whose matches are deleted.
    async fn erase_departed(
        &self,
        before: Timestamp,
        at: Timestamp,
        properties_max: usize,
    ) -> Result<ErasedProperties, Error>;

    /// Returns the size of the log and of the files.
    async fn store_size(&self) -> Result<StoreSize, Error>;
}

/// What one step of retention did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PruneStep {
    pub rows: PrunedRows,
    /// There may be more to delete right now.
    pub more: bool,
}

/// Numbers of deleted rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PrunedRows {
    pub log_entries: u64,
    /// Versions of properties that were deleted or, if their number is still needed, blanked.
    pub versions: u64,
    pub match_groups: u64,
    pub search_matches: u64,
    pub outbox_entries: u64,
    /// Properties that were removed earlier and of which nothing is left now, and properties erased after their expiry.
    pub properties: u64,
    pub deliveries: u64,
    /// Documents of deliveries.
    pub documents: u64,
}

impl PrunedRows {
    /// Returns the numbers with the names of their tables.
    pub const fn by_table(self) -> [(&'static str, u64); 8] {
        let Self {
            log_entries,
            versions,
            match_groups,
            search_matches,
            outbox_entries,
            properties,
            deliveries,
            documents,
        } = self;
        [
            ("log", log_entries),
            ("property_version", versions),
            ("match_group", match_groups),
            ("search_match", search_matches),
            ("outbox", outbox_entries),
            ("property", properties),
            ("delivery", deliveries),
            ("delivery_document", documents),
        ]
    }

    /// Adds the numbers of another step.
    pub const fn add(&mut self, other: Self) {
        self.log_entries += other.log_entries;
        self.versions += other.versions;
        self.match_groups += other.match_groups;
        self.search_matches += other.search_matches;
        self.outbox_entries += other.outbox_entries;
        self.properties += other.properties;
        self.deliveries += other.deliveries;
        self.documents += other.documents;
    }
}

/// Properties that were erased after their expiry.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ErasedProperties {
    /// Each with its adverts.
    pub properties: Vec<(PropertyId, Vec<AdvertId>)>,
    /// The log entry of the last erasure.
    pub position: Position,
    pub more: bool,
}

/// How large the store is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StoreSize {
    /// The first position that the log still has; [`Position::START`] if it is empty.
    pub oldest_position: Position,
    pub database_bytes: u64,
    /// The part of it that is free and will be used again.
    pub free_bytes: u64,
    pub wal_bytes: u64,
}
