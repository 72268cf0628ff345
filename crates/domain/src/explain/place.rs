//! Where a property has to be, and where it is.

use std::collections::BTreeSet;

use super::{PropertyLine, rows};
use crate::attribute::{Facts, PropertyAttribute};
use crate::criteria::{PlaceSet, Places};
use crate::filter::{Filter, Kind, PlaceKind, Sense};
use crate::key::Key;

/// Places that the property must be in one of, or in none of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceLine<'a> {
    pub sense: Sense,
    pub wanted: &'a PlaceSet,
    pub found: Whereabouts,
    /// What of it is among the places named.
    pub shared: Whereabouts,
}

/// Where a property is, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Whereabouts {
    pub city: Option<Key>,
    pub department: Option<Key>,
    pub zipcode: Option<Key>,
}

impl Whereabouts {
    fn of(facts: &Facts<'_>) -> Self {
        Self {
            city: PropertyAttribute::City.read(facts),
            department: PropertyAttribute::Department.read(facts),
            zipcode: PropertyAttribute::Zipcode.read(facts),
        }
    }

    /// Nowhere that has a name.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn within(self, places: &PlaceSet) -> Self {
        let among = |key: Option<Key>, keys: &BTreeSet<Key>| key.filter(|key| keys.contains(key));
        let PlaceSet { cities, departments, zipcodes } = places;
        Self {
            city: among(self.city, cities),
            department: among(self.department, departments),
            zipcode: among(self.zipcode, zipcodes),
        }
    }
}

impl<'a> PlaceLine<'a> {
    fn new(sense: Sense, wanted: &'a PlaceSet, facts: &Facts<'_>) -> Self {
        let found = Whereabouts::of(facts);
        Self { sense, wanted, found, shared: found.within(wanted) }
    }

    pub fn held(&self) -> bool {
        match self.sense {
            Sense::Included => !self.shared.is_empty(),
            Sense::Excluded => self.shared.is_empty(),
        }
    }

    /// The filters that may have asked for it: those of the kinds of places that are named, or of every kind where none is.
    pub fn filters(&self) -> Vec<&'static Filter> {
        let PlaceSet { cities, departments, zipcodes } = self.wanted;
        let names = |kind: PlaceKind| match kind {
            PlaceKind::City | PlaceKind::Insee => !cities.is_empty(),
            PlaceKind::Department => !departments.is_empty(),
            PlaceKind::Zipcode => !zipcodes.is_empty(),
        };
        rows::of(|kind| match kind {
            Kind::Place(sense, kind) => sense == self.sense && (names(kind) || self.wanted.is_empty()),
            _ => false,
        })
    }
}

/// One line for each way in which places are asked for.
pub fn lines<'a>(places: &'a Places, facts: &Facts<'_>) -> Vec<PropertyLine<'a>> {
    let Places { any_of, none_of, circle, polygons } = places;
    let point = facts.derived.point;
    let included = any_of.as_ref().map(|places| PlaceLine::new(Sense::Included, places, facts));
    let excluded = (!none_of.is_empty()).then(|| PlaceLine::new(Sense::Excluded, none_of, facts));
    let mut lines: Vec<PropertyLine<'a>> =
        included.into_iter().chain(excluded).map(PropertyLine::Places).collect();
    lines.extend(circle.map(|wanted| PropertyLine::Circle {
        wanted,
        distance_km: point.map(|point| wanted.centre.distance_km(point)),
    }));
    if !polygons.is_empty() {
        let inside = point.and_then(|point| polygons.iter().position(|polygon| polygon.contains(point)));
        lines.push(PropertyLine::Polygons { wanted: polygons, point, inside });
    }
    lines
}
