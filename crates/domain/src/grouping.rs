//! Which property a new advert belongs to.
//!
//! The one seam for automatic grouping: whoever ingests asks [`choose`] and obeys. A sender that names the property
//! decides; otherwise every advert is, for now, a property of its own.

use crate::draft::AdvertDraft;
use crate::ids::PropertyId;

/// Where an advert that was not known before goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grouping {
    /// Into this property, which is made if it does not exist.
    Join(PropertyId),
    /// Into a new property.
    Alone,
}

pub fn choose(draft: &AdvertDraft) -> Grouping {
    match draft.property {
        Some(property) => Grouping::Join(property),
        None => Grouping::Alone,
    }
}
