//! What is asked of the index, and what it answers.

use domain::{Criteria, Likeness, Order, PropertyId, Timestamp};

/// A page of what meets criteria, in an order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Question {
    pub criteria: Criteria,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// A page of what is most like a property.
#[derive(Debug, Clone, PartialEq)]
pub struct SimilarQuestion {
    pub property: PropertyId,
    pub likeness: Likeness,
    /// Only what was created since.
    pub created_from: Option<Timestamp>,
    pub order: Order,
    pub skip: usize,
    pub take: usize,
}

/// How many there are in all, and those of the page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    pub total: usize,
    pub hits: Vec<Hit>,
}

/// A property, and the stamp it was indexed under.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hit {
    pub property: PropertyId,
    pub stamp: Stamp,
}

/// The position of the change log at which a property was indexed. The same stamp means the same document or a newer one,
/// never an older: a copy kept under it is good until the stamp changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Stamp(pub u64);

/// A change that the index is told of.
#[derive(Debug, Clone)]
pub enum Change {
    Put(domain::Property, Stamp),
    Remove(PropertyId),
}
