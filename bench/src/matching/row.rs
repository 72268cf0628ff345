//! Searches and properties as tables have them: plain values, and places as numbers that both sides work out alike.

use std::collections::BTreeSet;

use domain::{AdvertAttribute, PropertyView, GeoPoint, Key, Property, PropertyAttribute};
use places::Gazetteer;

use super::text::{Text, required};
use super::wanted::{Wanted, Where, cities_meant};
use crate::search::sphere::{self, Circle};

/// A stretch of the world, as one number.
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

    /// Ids, zipcodes and cells all need less than 56 bits.
    const fn of(kind: i64, number: i64) -> Self {
        Self(kind << 56 | number)
    }
}

/// A search as a table has it; the row is there once for each scope and kind of property.
pub struct SearchRow {
    pub scopes: BTreeSet<Scope>,
    pub transaction: u8,
    pub kinds: Vec<u8>,
    pub budget_min: Option<f64>,
    pub budget_max: f64,
    pub surface_min: Option<f64>,
    pub room_min: Option<i32>,
    /// Bits of the publisher types wanted.
    pub publishers: Option<u8>,
    /// Centre and rim.
    pub circle: Option<([f64; 3], f64)>,
    /// One of these must be said.
    pub required: Option<BTreeSet<String>>,
    /// Whether the client has to look at the text.
    pub verify: bool,
}

impl SearchRow {
    pub fn of(wanted: &Wanted, places: &Gazetteer) -> Self {
        let mut circle = None;
        let scopes = match &wanted.place {
            Where::Cities(ids) => {
                let meant = ids.iter().flat_map(|id| cities_meant(places, *id));
                meant.map(|id| Scope::city(Key::place(id).get())).collect()
            }
            Where::Departments(ids) => {
                ids.iter().map(|id| Scope::department(Key::place(*id).get())).collect()
            }
            Where::Zipcodes(zipcodes) => {
                zipcodes.iter().map(|zipcode| Scope::zipcode(Key::zipcode(zipcode).get())).collect()
            }
            Where::Circle { centre, radius_km } => {
                let Circle { centre, rim, cells } = Circle::new(*centre, *radius_km);
                circle = Some((centre, rim));
                cells.into_iter().map(Scope::cell).collect()
            }
            Where::Anywhere => BTreeSet::from([Scope::ANYWHERE]),
        };
        let verify = !wanted.expressions.is_empty();
        Self {
            scopes,
            transaction: wanted.transaction.code(),
            kinds: wanted.kinds.iter().map(|kind| kind.code()).collect(),
            budget_min: wanted.budget.min,
            budget_max: wanted.budget.max,
            surface_min: wanted.surface_min,
            room_min: wanted.room_min,
            publishers: wanted.publisher.map(|publisher| 1 << publisher.code()),
            circle,
            required: if verify { required(&wanted.expressions) } else { None },
            verify,
        }
    }
}

/// A property as tables are asked about it.
pub struct Arrival {
    pub scopes: Vec<Scope>,
    pub transaction: u8,
    pub kind: u8,
    pub coherent: bool,
    pub price: Option<f64>,
    pub surface: Option<f64>,
    pub room: Option<f64>,
    /// Bits of the publisher types its adverts have.
    pub publishers: u8,
    /// The point on a sphere of radius one.
    pub point: Option<[f64; 3]>,
    pub text: Text,
}

impl Arrival {
    pub fn of(property: &Property) -> Option<Self> {
        let facts = PropertyView::new(property)?;
        let read = |attribute: PropertyAttribute| attribute.read(&facts);
        let number = |attribute| read(attribute).map(Key::as_number);
        let place = |attribute| read(attribute).map(Key::get);
        let point: Option<GeoPoint> = facts.derived.point;
        let scopes = [
            Some(Scope::ANYWHERE),
            place(PropertyAttribute::City).map(Scope::city),
            place(PropertyAttribute::Department).map(Scope::department),
            place(PropertyAttribute::Zipcode).map(Scope::zipcode),
            point.map(|point| Scope::cell(sphere::cell(point))),
        ];
        let publisher = |advert| AdvertAttribute::PublisherType.read(advert).map(|key| 1 << key.get());
        Some(Self {
            scopes: scopes.into_iter().flatten().collect(),
            transaction: facts.derived.transaction_type.code(),
            kind: facts.derived.property_type.code(),
            coherent: read(PropertyAttribute::CoherentPrice) == Some(Key::flag(true)),
            price: number(PropertyAttribute::Price),
            surface: number(PropertyAttribute::Surface),
            room: number(PropertyAttribute::Room),
            publishers: property.adverts.iter().filter_map(publisher).fold(0, |bits, bit: u8| bits | bit),
            point: point.map(sphere::unit),
            text: Text::of(property),
        })
    }
}
