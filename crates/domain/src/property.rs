//! A property: the adverts of one home, and the values they give it.

use jiff::Timestamp;

use crate::advert::{Advert, Contact};
use crate::ids::{AdvertId, PropertyId};
use crate::kinds::{GeoAccuracy, PropertyType, PublisherType, TransactionType};
use crate::place::{GeoPoint, GivenPlace, Placement, Zipcode};
use crate::price;
use crate::value::{Amount, LongText, ShortText, WebAddress};

/// The most adverts one property holds; more than any home has portals.
pub const ADVERTS_MAX: usize = 200;

/// The grouped record. It has at least one advert: a property that loses its last one is gone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub id: PropertyId,
    /// In the order in which they joined.
    pub adverts: Vec<Advert>,
}

impl Property {
    /// The same without how to reach those who advertise it.
    pub fn without_contacts(mut self) -> Self {
        for advert in &mut self.adverts {
            advert.details.contact = Contact::default();
        }
        self
    }
}

/// A property's own values, taken from its adverts.
///
/// The reference advert is the most recently crawled one that is not expired or, when all are expired, the most recently
/// crawled. Each value is the reference advert's or, where that has none, that of the next in the same order.
#[derive(Debug, Clone, PartialEq)]
pub struct Derived<'a> {
    pub reference_advert: AdvertId,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub title: Option<&'a ShortText>,
    pub description: Option<&'a LongText>,
    pub price: Option<Amount>,
    pub price_per_meter: Option<Amount>,
    pub surface: Option<Amount>,
    pub land_surface: Option<Amount>,
    pub room: Option<i32>,
    pub bedroom: Option<i32>,
    pub floor: Option<i32>,
    pub elevator: Option<bool>,
    pub furnished: Option<bool>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Of the adverts that are not expired.
    pub last_crawled_at: Option<Timestamp>,
    /// Set exactly when every advert is expired.
    pub expired_at: Option<Timestamp>,
    pub pictures: Vec<&'a WebAddress>,
    pub publisher_types: Vec<PublisherType>,
    pub point: Option<GeoPoint>,
    pub accuracy: Option<GeoAccuracy>,
    pub placement: Option<&'a Placement>,
    /// Its zipcode in the commune of the placement: the first that an advert gives there, else the commune's main one. Where the
    /// reference geography does not know the place, the one that was given.
    pub zipcode: Option<&'a Zipcode>,
    pub given_place: Option<&'a GivenPlace>,
}

impl Property {
    pub fn advert(&self, id: AdvertId) -> Option<&Advert> {
        self.adverts.iter().find(|advert| advert.id == id)
    }

    /// Puts an advert in: in its place when it was there, else at the end.
    pub fn put(&mut self, advert: Advert) {
        match self.adverts.iter_mut().find(|known| known.id == advert.id) {
            Some(known) => *known = advert,
            None => self.adverts.push(advert),
        }
    }

    /// The adverts, the reference advert first.
    pub fn by_precedence(&self) -> Vec<&Advert> {
        let mut adverts: Vec<&Advert> = self.adverts.iter().collect();
        adverts.sort_by_key(|advert| {
            (advert.is_expired(), std::cmp::Reverse(advert.last_crawled_at), advert.id)
        });
        adverts
    }

    /// The property's own values; nothing for a property without adverts.
    pub fn derive(&self) -> Option<Derived<'_>> {
        let adverts = self.by_precedence();
        let reference = *adverts.first()?;
        let details = || adverts.iter().map(|advert| &advert.details);
        let live = || adverts.iter().filter(|advert| !advert.is_expired());
        let (price, surface) =
            (details().find_map(|details| details.price), details().find_map(|details| details.surface));
        let located = adverts.iter().find(|advert| advert.details.place.point.is_some());
        let placement = adverts.iter().find_map(|advert| advert.placement.as_ref());
        let (point, accuracy) = match located {
            Some(advert) => (advert.details.place.point, advert.details.place.accuracy),
            None => {
                let centre = placement.and_then(|placement| placement.centre);
                (centre, centre.map(|_| GeoAccuracy::Neighbourhood))
            }
        };
        let given_place = details().map(|details| &details.place).find(|place| !place.is_empty());
        let zipcode = match placement {
            Some(commune) => {
                let gives = |advert: &&&Advert| {
                    let placed = advert.placement.as_ref().filter(|placed| placed.insee == commune.insee);
                    let known = placed.and_then(|placed| placed.zipcode.as_ref());
                    known.is_some() && advert.details.place.zipcode.as_ref() == known
                };
                let given = adverts.iter().find(gives).and_then(|advert| advert.placement.as_ref());
                given.unwrap_or(commune).zipcode.as_ref()
            }
            None => given_place.and_then(|place| place.zipcode.as_ref()),
        };
        let mut publisher_types: Vec<_> = details().filter_map(|details| details.publisher.kind).collect();
        publisher_types.sort_unstable();
        publisher_types.dedup();
        Some(Derived {
            reference_advert: reference.id,
            transaction_type: reference.transaction_type,
            property_type: reference.property_type,
            title: details().find_map(|details| details.title.as_ref()),
            description: details().find_map(|details| details.description.as_ref()),
            price,
            price_per_meter: price::per_meter(price, surface),
            surface,
            land_surface: details().find_map(|details| details.land_surface),
            room: details().find_map(|details| details.room),
            bedroom: details().find_map(|details| details.bedroom),
            floor: details().find_map(|details| details.floor),
            elevator: details().find_map(|details| details.elevator),
            furnished: details().find_map(|details| details.furnished),
            created_at: adverts.iter().map(|advert| advert.created_at).min()?,
            updated_at: adverts.iter().map(|advert| advert.updated_at).max()?,
            last_crawled_at: live().map(|advert| advert.last_crawled_at).max(),
            expired_at: match live().next() {
                Some(_) => None,
                None => adverts.iter().filter_map(|advert| advert.expired_at).max(),
            },
            pictures: distinct(details().flat_map(|details| &details.pictures)),
            publisher_types,
            point,
            accuracy,
            placement,
            zipcode,
            given_place,
        })
    }
}

/// The first of each, in order.
fn distinct<'a>(pictures: impl Iterator<Item = &'a WebAddress>) -> Vec<&'a WebAddress> {
    let mut seen = std::collections::HashSet::new();
    pictures.filter(|picture| seen.insert(*picture)).collect()
}

#[cfg(test)]
mod tests;
