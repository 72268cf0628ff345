//! Searches and properties as table rows: plain values, with places encoded as numbers.

use std::collections::BTreeSet;

use domain::{AdvertAttribute, GeoPoint, Key, Property, PropertyAttribute, PropertyView};
use places::Gazetteer;

use super::generated_search::{GeneratedSearch, PlaceFilter, city_with_districts};
use super::text::{Text, required};
use crate::search::sphere::{self, Circle};

/// A place or area, encoded as one number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Scope(pub i64);

impl Scope {
    pub const ANYWHERE: Self = Self(0);

    fn city(id: i64) -> Self {
        Self::of(1, id)
    }

    fn department(id: i64) -> Self {
        Self::of(2, id)
    }

    fn zipcode(key: i64) -> Self {
        Self::of(3, key)
    }

    fn cell(number: u64) -> Self {
        Self::of(4, i64::try_from(number).unwrap_or_default())
    }

    /// Ids, zipcodes and cells need less than 56 bits.
    const fn of(kind: i64, number: i64) -> Self {
        Self(kind << 56 | number)
    }
}

/// A search as table rows: one for each scope and property type.
pub struct SearchRow {
    pub scopes: BTreeSet<Scope>,
    pub transaction: u8,
    pub kinds: Vec<u8>,
    pub budget_min: Option<f64>,
    pub budget_max: f64,
    pub surface_min: Option<f64>,
    pub room_min: Option<i32>,
    /// Bit set of publisher types.
    pub publishers: Option<u8>,
    /// Centre and rim.
    pub circle: Option<([f64; 3], f64)>,
    /// A matching property contains one of these words.
    pub required: Option<BTreeSet<String>>,
    /// Whether the client has to verify the text.
    pub verify: bool,
}

impl SearchRow {
    pub fn of(search: &GeneratedSearch, places: &Gazetteer) -> Self {
        let mut circle = None;
        let scopes = match &search.place {
            PlaceFilter::Cities(ids) => {
                let meant = ids.iter().flat_map(|id| city_with_districts(places, *id));
                meant.map(|id| Scope::city(Key::place(id).get())).collect()
            }
            PlaceFilter::Departments(ids) => {
                ids.iter().map(|id| Scope::department(Key::place(*id).get())).collect()
            }
            PlaceFilter::Zipcodes(zipcodes) => {
                zipcodes.iter().map(|zipcode| Scope::zipcode(Key::zipcode(zipcode).get())).collect()
            }
            PlaceFilter::Circle { centre, radius_km } => {
                let Circle { centre, rim, cells } = Circle::new(*centre, *radius_km);
                circle = Some((centre, rim));
                cells.into_iter().map(Scope::cell).collect()
            }
            PlaceFilter::Anywhere => BTreeSet::from([Scope::ANYWHERE]),
        };
        let verify = !search.expressions.is_empty();
        Self {
            scopes,
            transaction: search.transaction.code(),
            kinds: search.kinds.iter().map(|kind| kind.code()).collect(),
            budget_min: search.budget.min,
            budget_max: search.budget.max,
            surface_min: search.surface_min,
            room_min: search.room_min,
            publishers: search.publisher.map(|publisher| 1 << publisher.code()),
            circle,
            required: if verify { required(&search.expressions) } else { None },
            verify,
        }
    }
}

/// A property as query parameters.
pub struct PropertyRow {
    pub scopes: Vec<Scope>,
    pub transaction: u8,
    pub kind: u8,
    pub coherent: bool,
    pub price: Option<f64>,
    pub surface: Option<f64>,
    pub room: Option<f64>,
    /// Bit set of the publisher types of its adverts on offer.
    pub publishers: u8,
    /// The point on the unit sphere.
    pub point: Option<[f64; 3]>,
    pub text: Text,
}

impl PropertyRow {
    pub fn of(property: &Property) -> Option<Self> {
        let facts = PropertyView::new(property)?;
        let read = |attribute: PropertyAttribute| attribute.read(&facts);
        let number = |attribute| read(attribute).map(Key::as_number);
        let place = |attribute| read(attribute).map(Key::get);
        let point: Option<GeoPoint> = facts.derived.given_point;
        let scopes = [
            Some(Scope::ANYWHERE),
            place(PropertyAttribute::City).map(Scope::city),
            place(PropertyAttribute::Department).map(Scope::department),
            place(PropertyAttribute::Zipcode).map(Scope::zipcode),
            point.map(|point| Scope::cell(sphere::cell(point))),
        ];
        // A saved search sees the adverts on offer.
        let live = property.adverts.iter().filter(|advert| !advert.is_expired());
        let publisher = |advert| AdvertAttribute::PublisherType.read(advert).map(|key| 1 << key.get());
        Some(Self {
            scopes: scopes.into_iter().flatten().collect(),
            transaction: facts.derived.transaction_type.code(),
            kind: facts.derived.property_type.code(),
            coherent: read(PropertyAttribute::CoherentPrice) == Some(Key::flag(true)),
            price: number(PropertyAttribute::Price),
            surface: number(PropertyAttribute::Surface),
            room: number(PropertyAttribute::Room),
            publishers: live.filter_map(publisher).fold(0, |bits, bit: u8| bits | bit),
            point: point.map(sphere::unit),
            text: Text::of(property),
        })
    }
}
