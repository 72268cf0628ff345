//! What is asked of the index, and what it answers.

use domain::{Criteria, Order, PropertyId, SimilarityProfile, Timestamp};

/// A page of what meets criteria, in an order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchRequest {
    pub criteria: Criteria,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// A page of what is most like a property.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarRequest {
    pub property: PropertyId,
    pub profile: SimilarityProfile,
    /// Only what was created since.
    pub created_from: Option<Timestamp>,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// How many there are in all, and those of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResult {
    pub total: usize,
    pub hits: Vec<Hit>,
}

/// A property, and the sequence_number it was indexed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub property: PropertyId,
    pub sequence_number: SequenceNumber,
}

/// The position of the change log at which a property was indexed. The same sequence_number means the same document or a newer one,
/// never an older: a copy kept under it is good until the sequence_number changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SequenceNumber(pub u64);

/// A change that the index is told of.
#[derive(Debug, Clone)]
pub enum Change {
    Put(domain::Property, SequenceNumber),
    Remove(PropertyId),
}
