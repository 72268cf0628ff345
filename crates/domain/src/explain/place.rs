//! Conditions on the place of a property.

use std::collections::BTreeSet;

use super::{PropertyCheck, filters};
use crate::attribute::{PropertyAttribute, PropertyView};
use crate::criteria::{PlaceSet, Places};
use crate::filter::{Filter, Inclusion, Kind, PlaceKind};
use crate::key::Key;

/// The property must be in one of these places, or in none of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceCheck<'a> {
    pub inclusion: Inclusion,
    pub wanted: &'a PlaceSet,
    pub found: PlaceKeys,
    /// The part of `found` that is in `wanted`.
    pub shared: PlaceKeys,
}

/// The place of a property by administrative level. `None` if unknown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PlaceKeys {
    pub city: Option<Key>,
    pub department: Option<Key>,
    pub zipcode: Option<Key>,
}

impl PlaceKeys {
    fn new(view: &PropertyView<'_>) -> Self {
        Self {
            city: PropertyAttribute::City.read(view),
            department: PropertyAttribute::Department.read(view),
            zipcode: PropertyAttribute::Zipcode.read(view),
        }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn intersection(self, places: &PlaceSet) -> Self {
        let contained = |key: Option<Key>, keys: &BTreeSet<Key>| key.filter(|key| keys.contains(key));
        let PlaceSet { cities, departments, zipcodes } = places;
        Self {
            city: contained(self.city, cities),
            department: contained(self.department, departments),
            zipcode: contained(self.zipcode, zipcodes),
        }
    }
}

impl<'a> PlaceCheck<'a> {
    fn new(inclusion: Inclusion, wanted: &'a PlaceSet, view: &PropertyView<'_>) -> Self {
        let found = PlaceKeys::new(view);
        Self { inclusion, wanted, found, shared: found.intersection(wanted) }
    }

    pub fn passed(&self) -> bool {
        match self.inclusion {
            Inclusion::Included => !self.shared.is_empty(),
            Inclusion::Excluded => self.shared.is_empty(),
        }
    }

    /// Returns the filters of the kinds of places in `wanted`, or of every kind if `wanted` is empty.
    pub fn filters(&self) -> Vec<&'static Filter> {
        let PlaceSet { cities, departments, zipcodes } = self.wanted;
        let has = |kind: PlaceKind| match kind {
            PlaceKind::City | PlaceKind::Insee => !cities.is_empty(),
            PlaceKind::Department => !departments.is_empty(),
            PlaceKind::Zipcode => !zipcodes.is_empty(),
        };
        filters::of_kind(|kind| match kind {
            Kind::Place(inclusion, kind) => {
                inclusion == self.inclusion && (has(kind) || self.wanted.is_empty())
            }
            _ => false,
        })
    }
}

/// Returns one check for included places, excluded places, the circle and the polygons, as far as they are given.
pub fn explain_places<'a>(places: &'a Places, view: &PropertyView<'_>) -> Vec<PropertyCheck<'a>> {
    let Places { any_of, none_of, circle, polygons } = places;
    let point = view.derived.given_point;
    let included = any_of.as_ref().map(|places| PlaceCheck::new(Inclusion::Included, places, view));
    let excluded = (!none_of.is_empty()).then(|| PlaceCheck::new(Inclusion::Excluded, none_of, view));
    let mut checks: Vec<PropertyCheck<'a>> =
        included.into_iter().chain(excluded).map(PropertyCheck::Places).collect();
    checks.extend(circle.map(|wanted| PropertyCheck::Circle {
        wanted,
        distance_km: point.map(|point| wanted.centre.distance_km(point)),
    }));
    if !polygons.is_empty() {
        let inside = point.and_then(|point| polygons.iter().position(|polygon| polygon.contains(point)));
        checks.push(PropertyCheck::Polygons { wanted: polygons, point, inside });
    }
    checks
}
