//! Properties with their adverts: lookups, versions, the full scan, erasure.

use std::collections::HashMap;
use std::sync::Arc;

use async_trait::async_trait;
use domain::grouping::PersonDecision;
use domain::{AdvertEvent, AdvertId, Identity, Property, PropertyId, SiteKey, Timestamp};

use super::grouping::{AdvertGrouping, LineageRow, SignatureRow};
use super::position::Position;
use crate::error::Error;

/// Reads properties and adverts, and erases adverts. [`LogStore::commit`](crate::LogStore::commit) writes them.
#[async_trait]
pub trait AdvertStore: Send + Sync + 'static {
    /// Finds adverts by identity. Returns one element per identity, in the order of the request; `None` if there is no such advert.
    /// If several adverts share a URL, the one with the lowest id is returned.
    async fn locate(&self, identities: Vec<Identity>) -> Result<Vec<Option<AdvertRef>>, Error>;

    /// Returns the current state of properties, and which of them are damaged. Ids without a property are in neither.
    async fn find_properties(&self, ids: Vec<PropertyId>) -> Result<FoundProperties, Error>;

    /// Does the same for a caller that needs all of them: fails with [`Error::Corrupt`] if one is damaged.
    async fn properties(&self, ids: Vec<PropertyId>) -> Result<HashMap<PropertyId, StoredProperty>, Error> {
        let FoundProperties { intact, damaged } = self.find_properties(ids).await?;
        match damaged.first() {
            None => Ok(intact),
            Some(id) => Err(Error::corrupt(format!("the record of property {id}"))),
        }
    }

    /// Splits all properties into about `count` parts of similar size, to be read in parallel with [`scan`](Self::scan).
    async fn scan_parts(&self, count: usize) -> Result<Vec<ScanPart>, Error>;

    /// Reads about `limit` properties of a part in their current state, in an order chosen by the store, and returns the rest of
    /// the part.
    ///
    /// A property that is not written during the scan is returned exactly once. A property that is written during the scan may be
    /// missing or be returned twice: a caller that needs all of them follows the log from a position read before the scan.
    async fn scan(&self, part: ScanPart, limit: usize) -> Result<ScanPage, Error>;

    /// Returns a property at a version named by the log; `None` if that version does not exist or was erased.
    async fn property_at(&self, id: PropertyId, version: u32) -> Result<Option<Property>, Error>;

    /// Does the same for many versions. Returns one element per key, in the order of the request.
    async fn properties_at(&self, versions: Vec<(PropertyId, u32)>) -> Result<Vec<VersionLookup>, Error>;

    /// Looks at the next `limit` adverts after an id, in the order of ids, and returns those that have not expired and were last
    /// crawled before `timestamp`. A caller that goes on until the end reads every advert once.
    async fn not_crawled_since(
        &self,
        timestamp: Timestamp,
        after: Option<AdvertId>,
        limit: usize,
    ) -> Result<OverduePage, Error>;

    /// Returns all adverts of a site that have not expired, in the order of their ids.
    async fn live_adverts_of_site(&self, site: SiteKey) -> Result<Vec<LiveAdvert>, Error>;

    /// Returns at most `limit` adverts with their signatures, in the order of their ids, after an id. Made for reading all of them.
    async fn scan_signatures(
        &self,
        after: Option<AdvertId>,
        limit: usize,
    ) -> Result<Vec<SignatureRow>, Error>;

    /// Returns at most `limit` adverts with ids below one, the highest first. Ids that the service gives sort by time, so these are the
    /// newest; an id that a sender gave has its own place.
    async fn newest_adverts(&self, before: Option<AdvertId>, limit: usize) -> Result<Vec<AdvertId>, Error>;

    /// Returns one element per advert, in the order of the request; `None` if there is no such advert.
    async fn signatures(&self, adverts: Vec<AdvertId>) -> Result<Vec<Option<SignatureRow>>, Error>;

    /// Stores signatures of adverts that had none, or one of an earlier release. Appends nothing to the log. Ids without an advert
    /// are ignored. A caller must not store the signature of a state that was replaced meanwhile.
    async fn put_signatures(&self, signatures: Vec<(AdvertId, Vec<u8>)>) -> Result<(), Error>;

    /// Returns the property that a removed one was merged into, after all later merges; `None` if the property exists, if it was
    /// not merged, or if the other was removed since.
    async fn survivor(&self, property: PropertyId) -> Result<Option<PropertyId>, Error>;

    /// Returns the moves of adverts to and from a property and the properties merged into it, the newest first.
    async fn lineage(&self, property: PropertyId) -> Result<Vec<LineageRow>, Error>;

    /// Returns the decisions of people with a number greater than `after`, in the order of their numbers, which is that of their
    /// commits. Erased adverts are left out, and so is a decision of which one side is left.
    async fn person_decisions(&self, after: u64) -> Result<Vec<(u64, PersonDecision)>, Error>;

    /// Returns the number of properties and the number of adverts.
    async fn counts(&self) -> Result<(u64, u64), Error>;

    /// Erases an advert from its property, from every stored version and from the payloads of the log. Unlike an expiry, an erasure
    /// leaves nothing that the publisher sent. The advert's id remains in log entries that hold nothing else. Returns `None` if
    /// there is no such advert.
    async fn erase(&self, advert: AdvertId, at: Timestamp) -> Result<Option<Erased>, Error>;
}

/// An advert and the property that holds it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AdvertRef {
    pub advert: AdvertId,
    pub property: PropertyId,
}

/// An advert that has not expired, and the date of its last crawl.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveAdvert {
    pub located: AdvertRef,
    pub last_crawled_at: Timestamp,
}

/// A property with its version and revision. The version counts the documents that the log names; the revision counts every write,
/// crawls included, and is what a writer builds on. Both only grow.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredProperty {
    pub property: Property,
    pub version: u32,
    pub revision: u32,
}

/// The result of [`AdvertStore::find_properties`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FoundProperties {
    pub intact: HashMap<PropertyId, StoredProperty>,
    /// Properties that exist and whose record cannot be read.
    pub damaged: Vec<PropertyId>,
}

/// The result of looking one version of a property up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VersionLookup {
    Intact(Property),
    /// That version does not exist or was erased.
    NotFound,
    /// The version exists and its record cannot be read.
    Damaged,
}

impl VersionLookup {
    /// Returns the version if it can be read.
    pub fn intact(self) -> Option<Property> {
        match self {
            Self::Intact(property) => Some(property),
            Self::NotFound | Self::Damaged => None,
        }
    }
}

/// Adverts that no crawler has seen for a while, among those that one call looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OverduePage {
    pub adverts: Vec<AdvertRef>,
    /// How many adverts the call looked at.
    pub examined: usize,
    /// The last of them; `None` at the end.
    pub rest: Option<AdvertId>,
}

/// A part of the full scan. Its bounds are private to the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScanPart {
    pub(crate) after: u64,
    pub(crate) until: u64,
}

/// The properties that one call of [`AdvertStore::scan`] read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScanPage {
    pub properties: Vec<StoredProperty>,
    /// Properties whose record cannot be read. A damaged record must not stop the scan.
    pub damaged: Vec<PropertyId>,
    /// `None` after the last page of the part.
    pub rest: Option<ScanPart>,
}

/// A property as it is to be stored.
#[derive(Debug, Clone)]
pub struct PutProperty {
    pub property: Arc<Property>,
    pub expected: Expected,
    /// The advert that caused the change. It is part of the property unless the cause is [`PutCause::Left`].
    pub advert: AdvertId,
    pub cause: PutCause,
    /// What grouping stores with `advert`. `None` keeps what is stored.
    pub grouping: Option<AdvertGrouping>,
}

/// The state a writer built on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// The property did not exist.
    New,
    /// The property was at this revision. No write, not even a crawl, has happened since.
    Revision(u32),
    /// An earlier step of the same set wrote the property, and that step was checked.
    WrittenBefore,
}

/// Why a property is written.
#[derive(Debug, Clone)]
pub enum PutCause {
    /// The advert is new. Its identity must still be free.
    Created {
        claim: Identity,
        events: Vec<AdvertEvent>,
    },
    Changed {
        events: Vec<AdvertEvent>,
    },
    /// Adverts moved here from other properties: a merge, a split or a single move. The property contains all of them, and the
    /// events are those of `advert`. This step comes before those that remove the adverts from the properties they leave, so
    /// that an advert always has a property; a source that does not exist any more is a conflict.
    Regrouped {
        moved: Vec<AdvertId>,
        from: Vec<PropertyId>,
        events: Vec<AdvertEvent>,
        /// `true` for automatic grouping. Otherwise the [`Step::PutDecision`](crate::Step::PutDecision) of the set names the
        /// person, and without one it was the sender.
        automatic: bool,
    },
    /// Only the crawl dates changed: the version stays and its document is replaced.
    Crawled,
    /// The advert, and maybe others, moved to another property.
    Left,
}

/// The result of an erasure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Erased {
    pub property: PropertyId,
    /// `true` if this was the property's last advert.
    pub property_removed: bool,
    /// The log entry that records the erasure.
    pub position: Position,
}
