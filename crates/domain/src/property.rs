//! A property: a group of adverts, and the values derived from them.

use jiff::Timestamp;

use crate::advert::Advert;
use crate::advert_fields::{AdvertDetails, Contact};
use crate::ids::{AdvertId, PropertyId};
use crate::kinds::{GeoAccuracy, PropertyType, PublisherType, TransactionType};
use crate::place::{GeoPoint, GivenPlace, Placement, Zipcode};
use crate::price::{self, PriceProblem};
use crate::value::{Amount, LongText, ShortText, WebAddress};

/// The maximum number of adverts per property; more than there are portals.
pub const ADVERTS_MAX: usize = 200;

/// A group of adverts of the same home, plot or shop. It has at least one advert: removing the last one deletes the
/// property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    pub id: PropertyId,
    /// In the order in which they were added.
    pub adverts: Vec<Advert>,
}

impl Property {
    /// Returns the property without the contacts of its adverts.
    pub fn without_contacts(mut self) -> Self {
        for advert in &mut self.adverts {
            advert.details.contact = Contact::default();
        }
        self
    }
}

/// The values of a property, derived from its adverts.
///
/// The reference advert is the most recently crawled advert that is not expired, or the most recently crawled one if all
/// are expired. Each value is taken from the reference advert or, if it lacks the value, from the next advert in the same
/// order. An advert of a new-building programme without a price, a surface or rooms of its own has those of its smallest lot.
#[derive(Debug, Clone, PartialEq)]
pub struct DerivedValues<'a> {
    pub reference_advert: AdvertId,
    pub transaction_type: TransactionType,
    pub property_type: PropertyType,
    pub title: Option<&'a ShortText>,
    pub description: Option<&'a LongText>,
    pub district: Option<&'a ShortText>,
    pub price: Option<Amount>,
    /// What is wrong with the price, as found for the advert that it comes from. `None` if it is coherent, and for a life annuity.
    pub price_problem: Option<PriceProblem>,
    /// `None` for a life annuity, whose price may be the bouquet.
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
    /// The latest crawl of an advert that is not expired.
    pub last_crawled_at: Option<Timestamp>,
    /// `Some` if and only if every advert is expired.
    pub expired_at: Option<Timestamp>,
    pub pictures: Vec<&'a WebAddress>,
    pub publisher_types: Vec<PublisherType>,
    /// Where the property is shown: the coordinates that an advert gives, otherwise the centre of the commune.
    pub point: Option<GeoPoint>,
    /// The coordinates that an advert gives. Circles, polygons and distances use these only: the centre of a commune says
    /// nothing about where in it a home is.
    pub given_point: Option<GeoPoint>,
    pub accuracy: Option<GeoAccuracy>,
    pub placement: Option<&'a Placement>,
    /// The first zipcode that an advert gives in the commune of the placement, otherwise the main zipcode of the commune. If
    /// the gazetteer does not know the place, the zipcode as given.
    pub zipcode: Option<&'a Zipcode>,
    pub given_place: Option<&'a GivenPlace>,
    /// Whether an advert that is not expired says so, or any advert if all are expired.
    pub life_annuity: bool,
    /// The same for a new-building programme.
    pub new_building: bool,
}

impl Property {
    pub fn advert(&self, id: AdvertId) -> Option<&Advert> {
        self.adverts.iter().find(|advert| advert.id == id)
    }

    /// Replaces the advert with the same id, or appends the advert.
    pub fn put(&mut self, advert: Advert) {
        match self.adverts.iter_mut().find(|other| other.id == advert.id) {
            Some(current) => *current = advert,
            None => self.adverts.push(advert),
        }
    }

    /// Returns the adverts in order of precedence, the reference advert first.
    pub fn by_precedence(&self) -> Vec<&Advert> {
        let mut adverts: Vec<&Advert> = self.adverts.iter().collect();
        adverts.sort_by_key(|advert| {
            (advert.is_expired(), std::cmp::Reverse(advert.last_crawled_at), advert.id)
        });
        adverts
    }

    /// Derives the values of the property. `None` if it has no adverts.
    pub fn derive(&self) -> Option<DerivedValues<'_>> {
        let adverts = self.by_precedence();
        let reference = *adverts.first()?;
        let details = || adverts.iter().map(|advert| &advert.details);
        let live = || adverts.iter().filter(|advert| !advert.is_expired());
        let priced = adverts.iter().find(|advert| advert.details.price_or_lowest().is_some());
        let price = priced.and_then(|advert| advert.details.price_or_lowest());
        let surface = details().find_map(AdvertDetails::surface_or_smallest);
        // Expired adverts come last, and all adverts count if the reference advert is one of them.
        let current = || adverts.iter().take_while(|advert| advert.is_expired() == reference.is_expired());
        let life_annuity = current().any(|advert| advert.details.life_annuity.is_given());
        let located = adverts.iter().find(|advert| advert.details.place.point.is_some());
        let placement = adverts.iter().find_map(|advert| advert.placement.as_ref());
        let given_point = located.and_then(|advert| advert.details.place.point);
        let (point, accuracy) = match located {
            Some(advert) => (given_point, advert.details.place.accuracy),
            None => {
                let centre = placement.and_then(|placement| placement.centre);
                (centre, centre.map(|_| GeoAccuracy::Neighbourhood))
            }
        };
        let given_place = details().map(|details| &details.place).find(|place| !place.is_empty());
        let zipcode = match placement {
            Some(commune) => {
                let gives_zipcode = |advert: &&&Advert| {
                    let placed = advert.placement.as_ref().filter(|placed| placed.insee == commune.insee);
                    let known = placed.and_then(|placed| placed.zipcode.as_ref());
                    known.is_some() && advert.details.place.zipcode.as_ref() == known
                };
                let given = adverts.iter().find(gives_zipcode).and_then(|advert| advert.placement.as_ref());
                given.unwrap_or(commune).zipcode.as_ref()
            }
            None => given_place.and_then(|place| place.zipcode.as_ref()),
        };
        let mut publisher_types: Vec<_> = details().filter_map(|details| details.publisher.kind).collect();
        publisher_types.sort_unstable();
        publisher_types.dedup();
        Some(DerivedValues {
            reference_advert: reference.id,
            transaction_type: reference.transaction_type,
            property_type: reference.property_type,
            title: details().find_map(|details| details.title.as_ref()),
            description: details().find_map(|details| details.description.as_ref()),
            district: details().find_map(|details| details.district.as_ref()),
            price,
            price_problem: match priced {
                _ if life_annuity => None,
                Some(advert) => price::problem_of(advert),
                None => Some(PriceProblem::NoPrice),
            },
            price_per_meter: price::per_meter(price, surface).filter(|_| !life_annuity),
            surface,
            land_surface: details().find_map(|details| details.land_surface),
            room: details().find_map(AdvertDetails::room_or_fewest),
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
            pictures: distinct(details().flat_map(|details| &*details.pictures)),
            publisher_types,
            point,
            given_point,
            accuracy,
            placement,
            zipcode,
            given_place,
            life_annuity,
            new_building: current().any(|advert| advert.details.new_building.is_given()),
        })
    }
}

/// Removes duplicates, keeping the order.
fn distinct<'a>(pictures: impl Iterator<Item = &'a WebAddress>) -> Vec<&'a WebAddress> {
    let mut seen = std::collections::HashSet::new();
    pictures.filter(|picture| seen.insert(*picture)).collect()
}

#[cfg(test)]
mod tests;
