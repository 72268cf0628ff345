//! Matches, and the outbox that is written with them.
//!
//! One change of a property may concern thousands of searches. The matcher stores its result as one group per log entry, with
//! searches as numbers. A match has no row of its own: the search, the property and the date are all it consists of.

use std::collections::HashMap;

use async_trait::async_trait;
use domain::search::MatchChannel;
use domain::{AdvertId, DeliveryChannel, EventName, MatchId, PropertyId, SearchNumber, Timestamp};

use super::position::Position;
use crate::error::Error;

/// Records the results of the matcher, and reads matches.
#[async_trait]
pub trait MatchStore: Send + Sync + 'static {
    /// Returns the position of the log up to which matches are recorded.
    async fn matcher_checkpoint(&self) -> Result<Position, Error>;

    /// Returns the searches that already have a match with these properties, or were alerted for properties that they come from, in
    /// ascending order. Some of them may have been deleted since. Properties without any are missing from the map. An erased property
    /// keeps them until the checkpoint is past its erasure.
    async fn matched_searches(
        &self,
        properties: Vec<PropertyId>,
    ) -> Result<HashMap<PropertyId, Vec<SearchNumber>>, Error>;

    /// Records matches, their outbox entries and the new checkpoint in one transaction. Returns `false` and writes nothing if the
    /// checkpoint is not `batch.after`, that is, if another matcher is running. Skips the groups of a property that was erased
    /// after the matcher read it.
    async fn record_matches(&self, batch: MatchBatch) -> Result<bool, Error>;

    /// Returns at most `limit` groups recorded after a position, in order. Some of their searches may have been deleted since.
    async fn match_groups_after(&self, position: Position, limit: usize) -> Result<Vec<MatchGroup>, Error>;

    /// Lists the matches of a search, the newest first. The page is empty if there is no such search.
    async fn list_matches(&self, search: SearchNumber, skip: u64, take: u64) -> Result<MatchPage, Error>;

    /// Counts the matches of searches in consecutive periods; the result is in the order of `searches`. A period lasts from its start
    /// in `starts`, which are in ascending order, to the next one; the last one has no end. Counts at most `count_max` matches of a
    /// search, the newest. A search that does not exist has no matches.
    async fn count_matches(
        &self,
        searches: Vec<SearchNumber>,
        starts: Vec<Timestamp>,
        count_max: u64,
    ) -> Result<Vec<MatchCounts>, Error>;

    /// Finds the match of a search with the property whose first version was logged at `first_position`. A property of which the
    /// search only received an event, or which it inherited, counts as a match. Returns `None` if the search or the match does not exist.
    async fn find_match(
        &self,
        search: SearchNumber,
        first_position: Position,
    ) -> Result<Option<MatchRow>, Error>;

    /// Indexes about `limit` recorded matches by search, the oldest first, so that [`list_matches`](Self::list_matches) finds them
    /// quickly. Returns `true` if there are more. Matches are listed before they are indexed too, only more slowly.
    async fn index_matches(&self, limit: usize) -> Result<bool, Error>;
}

/// The results of the matcher for a range of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchBatch {
    /// The checkpoint before this batch.
    pub after: Position,
    /// The checkpoint after this batch.
    pub until: Position,
    /// In ascending order of positions, all within `after..=until`, `after` excluded.
    pub groups: Vec<MatchGroup>,
}

/// The searches that one log entry concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchGroup {
    /// The log entry.
    pub position: Position,
    pub at: Timestamp,
    pub property: PropertyId,
    /// The version whose document is sent.
    pub version: u32,
    /// The advert that caused the entry.
    pub advert: AdvertId,
    /// Searches that match the property for the first time, in ascending order.
    pub matched: Vec<SearchNumber>,
    /// Searches that receive an event of a property they have no match with, in ascending order.
    pub linked: Vec<SearchNumber>,
    /// Searches that were alerted for a property whose adverts moved here, in ascending order. They count as matched, are not
    /// listed and not notified.
    pub inherited: Vec<SearchNumber>,
    pub outbox: Vec<OutboxEntry>,
}

/// One notification for many searches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboxEntry {
    pub notification: Notification,
    /// In ascending order.
    pub searches: Vec<SearchNumber>,
}

/// What a search is notified of. Each notification of a search becomes one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Notification {
    Match(MatchChannel),
    /// An event, and its index among the events of the log entry.
    Event(EventName, u16),
}

impl Notification {
    /// Returns the channel it is sent by.
    pub fn channel(self) -> DeliveryChannel {
        match self {
            Self::Match(MatchChannel::Endpoint) => DeliveryChannel::Match,
            Self::Match(MatchChannel::Email) => DeliveryChannel::Email,
            Self::Event(..) => DeliveryChannel::Event,
        }
    }
}

/// A match as it is listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchRow {
    pub id: MatchId,
    pub search: SearchNumber,
    pub property: PropertyId,
    /// The version of the property that matched.
    pub version: u32,
    pub at: Timestamp,
}

/// A page of the matches of a search.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MatchPage {
    /// The number of matches on all pages.
    pub total: u64,
    pub matches: Vec<MatchRow>,
}

/// How many matches a search had in consecutive periods.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchCounts {
    /// One for each period, the oldest first.
    pub counts: Vec<u64>,
    /// `false` if there were more matches than were counted. Then the oldest ones are missing.
    pub is_complete: bool,
    /// The date of the newest match, also if it is before the first period.
    pub last_at: Option<Timestamp>,
}
