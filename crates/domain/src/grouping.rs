//! Assigns a new advert to a property.
//!
//! The extension point for automatic grouping: ingestion calls [`choose`]. A sender that names a property decides;
//! otherwise every advert currently becomes a property of its own.

use crate::draft::AdvertDraft;
use crate::ids::PropertyId;

/// The property of a new advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// This property, which is created if it does not exist.
    Join(PropertyId),
    /// A property of its own.
    NewProperty,
}

/// Returns the property that a new advert joins.
pub fn choose(draft: &AdvertDraft) -> Grouping {
    match draft.property {
        Some(property) => Grouping::Join(property),
        None => Grouping::NewProperty,
    }
}
