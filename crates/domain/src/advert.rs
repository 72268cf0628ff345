//! An advert: the current state of one listing.

use jiff::Timestamp;

use crate::advert_event::AdvertEvent;
use crate::advert_fields::AdvertDetails;
use crate::ids::AdvertId;
use crate::kinds::{PropertyType, TransactionType};
use crate::place::Placement;
use crate::price::PriceCheck;
use crate::timeline::Timeline;

/// One publisher's listing of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Advert {
    pub id: AdvertId,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub details: AdvertDetails,
    /// The commune that `details.place` was resolved to. It is derived, so a change of it is not recorded as an event.
    pub placement: Option<Placement>,
    /// Whether the price is coherent. It is derived, like the placement, and follows the market.
    pub price_check: PriceCheck,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    pub last_crawled_at: Timestamp,
    /// `Some` if and only if the advert is expired.
    pub expired_at: Option<Timestamp>,
    /// Oldest first. The first is the creation.
    pub events: Vec<AdvertEvent>,
    /// The crawls that the values and the events come from. Documents do not show it.
    pub timeline: Timeline,
}

impl Advert {
    pub const fn is_expired(&self) -> bool {
        self.expired_at.is_some()
    }

    /// Returns the advert as readers see it: without its timeline, which only merging needs.
    #[must_use]
    pub fn without_timeline(&self) -> Self {
        let Self {
            id,
            transaction_type,
            property_type,
            details,
            placement,
            price_check,
            created_at,
            updated_at,
            last_crawled_at,
            expired_at,
            events,
            timeline: _,
        } = self;
        Self {
            id: *id,
            transaction_type: *transaction_type,
            property_type: *property_type,
            details: details.clone(),
            placement: placement.clone(),
            price_check: *price_check,
            created_at: *created_at,
            updated_at: *updated_at,
            last_crawled_at: *last_crawled_at,
            expired_at: *expired_at,
            events: events.clone(),
            timeline: Timeline::default(),
        }
    }
}
