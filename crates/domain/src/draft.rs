//! An advert as received: each field is valid, but nothing has been compared with the stored advert yet.

use jiff::Timestamp;

use crate::advert_event::AdvertEvent;
use crate::advert_fields::{AdvertPatch, FieldUpdate};
use crate::ids::{AdvertId, PropertyId};
use crate::kinds::{PropertyType, TransactionType};
use crate::place::GivenPlace;
use crate::price::PriceCheck;
use crate::site::SiteKey;

/// One advert of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvertDraft {
    pub identity: Identity,
    /// The property that the sender assigned the advert to.
    pub property: Option<PropertyId>,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub patch: AdvertPatch,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub last_crawled_at: Option<Timestamp>,
    pub lifecycle: Lifecycle,
    /// Past events supplied by the sender (back-fill).
    pub history: Vec<AdvertEvent>,
    /// What an export says of the price. It was found in the market of another service, of which an import may know a part only.
    pub price_check: Option<PriceCheck>,
}

impl AdvertDraft {
    /// Returns the place to resolve: the given one, or the `current` one with the accuracy and the country of a draft that contains
    /// nothing else of a place.
    pub fn updated_place(&self, current: &GivenPlace) -> FieldUpdate<GivenPlace> {
        match &self.patch.place {
            FieldUpdate::Set(GivenPlace { accuracy, country, .. })
                if self.has_no_place() && (accuracy.is_some() || country.is_some()) =>
            {
                FieldUpdate::Set(GivenPlace {
                    accuracy: accuracy.or(current.accuracy),
                    country: country.or(current.country),
                    ..current.clone()
                })
            }
            update => update.clone(),
        }
    }

    /// Builds the draft of an apartment for sale with no dates.
    #[cfg(test)]
    pub(crate) fn seen(identity: Identity, patch: AdvertPatch) -> Self {
        Self {
            identity,
            property: None,
            transaction_type: TransactionType::Sell,
            property_type: PropertyType::Apartment,
            patch,
            created_at: None,
            updated_at: None,
            last_crawled_at: None,
            lifecycle: Lifecycle::Seen,
            history: Vec::new(),
            price_check: None,
        }
    }

    fn has_no_place(&self) -> bool {
        self.patch.place.value().is_some_and(GivenPlace::is_empty)
    }
}

/// What identifies an advert. If a request contains several of these, the first in this order is used.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Identity {
    Uuid(AdvertId),
    SiteReference(SiteKey, Box<str>),
    /// The comparison key of the URL.
    Url(Box<str>),
}

/// What a request says about the availability of an advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifecycle {
    /// Nothing. The advert was crawled, so it is live.
    #[default]
    Seen,
    /// Explicitly live (`expired: false`).
    Live,
    /// Expired at the given time, or at the time of the request.
    Expired { at: Option<Timestamp> },
}
