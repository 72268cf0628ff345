//! What a search can be filed under, and what of it a property has.

use domain::criteria::PlaceSet;
use domain::{Key, PropertyAttribute};

/// A name for a part of the world. Which parts a property lies in is told by looking at it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    pub class: PlaceClass,
    pub key: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PlaceClass {
    City,
    Department,
    Zipcode,
    /// A cell of one of the grids on the map.
    Cell,
    Anywhere,
}

impl Place {
    pub const ANYWHERE: Self = Self { class: PlaceClass::Anywhere, key: 0 };
}

/// The classes of which a property has one place or none, with where that is read.
pub const NAMED: [(PlaceClass, PropertyAttribute); 3] = [
    (PlaceClass::City, PropertyAttribute::City),
    (PlaceClass::Department, PropertyAttribute::Department),
    (PlaceClass::Zipcode, PropertyAttribute::Zipcode),
];

/// Places in order, each once.
pub fn named(set: &PlaceSet) -> Vec<Place> {
    let PlaceSet { cities, departments, zipcodes } = set;
    let of = |class| move |key: &Key| Place { class, key: key.get() };
    let cities = cities.iter().map(of(PlaceClass::City));
    let departments = departments.iter().map(of(PlaceClass::Department));
    cities.chain(departments).chain(zipcodes.iter().map(of(PlaceClass::Zipcode))).collect()
}
