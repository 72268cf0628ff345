//! Matches and what is owed for them.
//!
//! One change of a property may concern thousands of searches. What comes of it is kept together: one group a log entry, with
//! searches as numbers. A match has no row of its own, and needs none: which search, which property and when is all there is
//! to it.

use domain::search::MatchChannel;
use domain::{AdvertId, EventName, MatchId, PropertyId, SearchNumber, Timestamp};

use crate::log::Position;

/// What the matcher made of a stretch of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchBatch {
    /// Where the matcher was.
    pub after: Position,
    /// Where it is now.
    pub until: Position,
    /// In the order of their positions, each within the stretch.
    pub groups: Vec<MatchGroup>,
}

/// What one log entry means to those who wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchGroup {
    /// The entry.
    pub position: Position,
    pub at: Timestamp,
    pub property: PropertyId,
    /// The version whose document is told.
    pub version: u32,
    /// The advert that is the reason.
    pub advert: AdvertId,
    /// Searches that the property came to meet for the first time, ascending.
    pub matched: Vec<SearchNumber>,
    /// Searches that hear an event of a property they have no match with, ascending.
    pub linked: Vec<SearchNumber>,
    pub outbox: Vec<OutboxEntry>,
}

/// Something that is owed to many for the same reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    pub notification: Notification,
    /// Ascending.
    pub searches: Vec<SearchNumber>,
}

/// What is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notification {
    Match(MatchChannel),
    /// An event, and which of the entry's events it is.
    Event(EventName, u16),
}

/// A match as it is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRow {
    pub id: MatchId,
    pub search: SearchNumber,
    pub property: PropertyId,
    /// The version of the property that made it.
    pub version: u32,
    pub at: Timestamp,
}

/// Some matches of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchPage {
    /// How many there are in all.
    pub total: u64,
    pub matches: Vec<MatchRow>,
}
