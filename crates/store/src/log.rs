//! The change log: everything that happened, in one order, without gaps.
//!
//! Property changes and saved-search changes share it, so that "did this search exist when that advert arrived?" has one
//! answer on every node and after every restart. Entries point at versions; the versions hold the documents.

use domain::{AdvertEvent, AdvertId, PropertyId, SearchId, Timestamp};

/// A place in the log. Positions are dense: 1, 2, 3, …; zero is before the first entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl Position {
    pub const START: Self = Self(0);

    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

/// One thing that happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub position: Position,
    pub recorded_at: Timestamp,
    pub change: Change,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A property is at this version now because of this advert.
    Property {
        property: PropertyId,
        version: u32,
        advert: AdvertId,
        cause: PropertyCause,
    },
    /// A property lost its last advert.
    PropertyRemoved {
        property: PropertyId,
        cause: RemovalCause,
    },
    /// A search was made or changed.
    Search {
        search: SearchId,
        version: u32,
    },
    SearchRemoved {
        search: SearchId,
    },
    /// What stood here was erased on request. The entry stays, so that positions have no gap.
    Erased,
}

/// Why a property changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PropertyCause {
    /// The advert was created or changed; the events that made.
    Advert { events: Vec<AdvertEvent> },
    /// Only the dates of the advert's sighting moved: same version, newer document.
    Crawl,
    /// The advert moved to another property.
    AdvertLeft,
    /// The advert was erased.
    AdvertErased(Erasure),
}

/// Why a property is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RemovalCause {
    /// Its last advert moved to another property.
    AdvertLeft,
    /// Its last advert was erased.
    AdvertErased(Erasure),
}

/// What a follower has to know that kept something of the erased advert.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Erasure {
    /// The other properties that held the advert before, in the order of their ids. What is kept of their older versions may
    /// speak of it.
    pub previous_properties: Vec<PropertyId>,
}
