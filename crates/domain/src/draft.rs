//! An advert as sent: what one request says, already checked field by field, not yet held against what is known.

use jiff::Timestamp;

pub use crate::advert::AdvertPatch;
use crate::advert_event::AdvertEvent;
use crate::ids::{AdvertId, PropertyId};
use crate::kinds::{PropertyType, TransactionType};
use crate::place::GivenPlace;
use crate::site::SiteKey;

/// Whether a request speaks of a field.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Given<T> {
    /// Not mentioned: the known value stays.
    #[default]
    Absent,
    /// Given; an empty value says that it is unknown now.
    Value(T),
}

impl<T> Given<T> {
    pub(crate) fn or_keep(self, known: &T) -> T
    where
        T: Clone,
    {
        match self {
            Self::Absent => known.clone(),
            Self::Value(value) => value,
        }
    }

    pub const fn value(&self) -> Option<&T> {
        match self {
            Self::Absent => None,
            Self::Value(value) => Some(value),
        }
    }
}

/// What one request says of one advert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdvertDraft {
    pub identity: Identity,
    /// The property the sender says it belongs to.
    pub property: Option<PropertyId>,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub patch: AdvertPatch,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub last_crawled_at: Option<Timestamp>,
    pub lifecycle: Lifecycle,
    /// Events of the past that the sender knows and Vigie may not.
    pub history: Vec<AdvertEvent>,
}

impl AdvertDraft {
    /// The place after this draft: the place is one value, given whole or not at all. Only the accuracy may be given alone,
    /// and then speaks of the place that is known.
    pub fn place_over(&self, known: &GivenPlace) -> Given<GivenPlace> {
        match &self.patch.place {
            Given::Value(GivenPlace { accuracy: Some(accuracy), .. }) if self.gives_accuracy_only() => {
                Given::Value(GivenPlace { accuracy: Some(*accuracy), ..known.clone() })
            }
            given => given.clone(),
        }
    }

    /// A flat for sale, as a crawler sees it.
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
        }
    }

    fn gives_accuracy_only(&self) -> bool {
        self.patch.place.value().is_some_and(GivenPlace::is_empty)
    }
}

/// What makes an advert that advert. The first that is given decides.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Identity {
    Uuid(AdvertId),
    SiteReference(SiteKey, Box<str>),
    /// The comparison key of the address.
    Url(Box<str>),
}

/// What a request says of the advert's being there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Lifecycle {
    /// Nothing: the advert was seen, so it is there.
    #[default]
    Seen,
    /// It is there (`expired: false`).
    Live,
    /// It is gone, since the moment given or else since the request.
    Expired { at: Option<Timestamp> },
}
