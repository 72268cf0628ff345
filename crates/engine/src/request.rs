//! Requests to the index, and its results.

use std::sync::Arc;

use domain::{Criteria, FacetField, Order, PropertyId, SimilarityProfile, Timestamp, Viewport};

/// Asks for a page of the properties that match criteria.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SearchRequest {
    pub criteria: Criteria,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// Asks for a page of the properties most similar to one.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarRequest {
    pub property: PropertyId,
    pub profile: SimilarityProfile,
    /// Only properties created at this time or later.
    pub created_from: Option<Timestamp>,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// Asks for the properties that match criteria in a viewport, counted by cell.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterRequest {
    pub criteria: Criteria,
    pub viewport: Viewport,
    /// How many properties are listed one by one. If there are more, they are counted by cell.
    pub listed_max: usize,
}

/// Asks for histograms of the properties that match criteria.
#[derive(Debug, Clone, PartialEq)]
pub struct FacetRequest {
    pub criteria: Criteria,
    pub fields: Vec<FacetField>,
}

/// The number of all matches, and the hits of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SearchResult {
    pub total: usize,
    pub hits: Vec<Hit>,
}

/// A property, and the sequence number it was indexed with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub property: PropertyId,
    pub sequence_number: SequenceNumber,
}

/// The position in the change log at which a property was indexed. A document read under a sequence number is that version or a
/// newer one, never an older one: a cached copy is valid until the sequence number changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct SequenceNumber(pub u64);

/// A change to the index.
#[derive(Debug, Clone)]
pub enum Change {
    Put(Arc<domain::Property>, SequenceNumber),
    Remove(PropertyId),
}
