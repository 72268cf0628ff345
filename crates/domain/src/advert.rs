//! An advert: the current state of one listing.

use jiff::Timestamp;

use crate::advert_event::AdvertEvent;
use crate::advert_fields::AdvertDetails;
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::place::Placement;

/// One publisher's listing of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advert {
    pub id: AdvertId,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub details: AdvertDetails,
    /// The commune that `details.place` was resolved to. It is derived, so a change of it is not recorded as an event.
    pub placement: Option<Placement>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_crawled_at: Timestamp,
    /// `Some` if and only if the advert is expired.
    pub expired_at: Option<Timestamp>,
    /// Oldest first. The first is the creation.
    pub events: Vec<AdvertEvent>,
}

impl Advert {
    pub const fn is_expired(&self) -> bool {
        self.expired_at.is_some()
    }
}
