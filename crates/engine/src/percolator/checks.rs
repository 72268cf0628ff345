//! The residual criteria of a search: those that its prefilter does not decide, except phrases.

use domain::criteria::{AdvertCriteria, AdvertScope, Condition, Predicate};
use domain::{
    GeoPoint, Key, Polygon, Property, PropertyAttribute, PropertyId, PropertyView, Variation,
    VariationAttribute,
};

use super::memory::tree_bytes;
use super::place_buckets::{PLACE_ATTRIBUTES, Place};
use crate::circle::CircleFilter;

/// A property with the values that several searches compare, each computed once.
pub struct PropertyValues<'a> {
    pub property: &'a Property,
    values: [Option<Key>; PropertyAttribute::ALL.len()],
    /// The coordinates that an advert gives.
    pub point: Option<GeoPoint>,
    /// Its named places; the first `place_count` are set.
    places: [Place; PLACE_ATTRIBUTES.len()],
    place_count: usize,
}

impl<'a> PropertyValues<'a> {
    pub fn new(view: &PropertyView<'a>) -> Self {
        let mut values = [None; PropertyAttribute::ALL.len()];
        for attribute in PropertyAttribute::ALL {
            values[*attribute as usize] = attribute.read(view);
        }
        let (mut places, mut place_count) = ([Place::ANYWHERE; PLACE_ATTRIBUTES.len()], 0);
        for (kind, attribute) in PLACE_ATTRIBUTES {
            if let Some(key) = values[attribute as usize] {
                places[place_count] = Place { kind, key: key.get() };
                place_count += 1;
            }
        }
        Self { property: view.property, values, point: view.derived.given_point, places, place_count }
    }

    pub fn value(&self, attribute: PropertyAttribute) -> Option<Key> {
        self.values[attribute as usize]
    }

    pub fn places(&self) -> &[Place] {
        &self.places[..self.place_count]
    }
}

/// One criterion that must hold. The checks of a search are sorted by cost, the cheapest first.
#[derive(Debug)]
pub enum Check {
    Property(Condition<PropertyAttribute>),
    /// The property is none of these; sorted.
    NotProperties(Box<[PropertyId]>),
    /// In any of these places; sorted.
    InPlaces(Box<[Place]>),
    /// In none of these places; sorted.
    NotInPlaces(Box<[Place]>),
    Circle(CircleFilter),
    /// In any of these.
    Polygons(Box<[Polygon]>),
    Advert(AdvertScope, Box<AdvertCriteria>),
    Change(Variation, AdvertScope, Box<[Condition<VariationAttribute>]>),
}

impl Check {
    pub fn holds(&self, values: &PropertyValues<'_>) -> bool {
        let adverts = &values.property.adverts;
        match self {
            Self::Property(Condition { attribute, predicate }) => predicate.holds(values.value(*attribute)),
            Self::NotProperties(properties) => properties.binary_search(&values.property.id).is_err(),
            Self::InPlaces(places) => is_in(values, places),
            Self::NotInPlaces(places) => !is_in(values, places),
            Self::Circle(circle) => {
                values.point.is_some_and(|point| circle.contains((point.lat(), point.lon())))
            }
            Self::Polygons(polygons) => {
                values.point.is_some_and(|point| polygons.iter().any(|polygon| polygon.contains(point)))
            }
            Self::Advert(scope, criteria) => {
                adverts.iter().any(|advert| scope.includes(advert) && criteria.accepts(advert))
            }
            Self::Change(variation, scope, conditions) => {
                let counted = adverts.iter().filter(|advert| scope.includes(advert));
                let mut changes =
                    counted.flat_map(|advert| &advert.events).filter(|event| variation.is(event));
                changes.any(|event| {
                    conditions
                        .iter()
                        .all(|condition| condition.predicate.holds(condition.attribute.read(event)))
                })
            }
        }
    }

    /// Returns the heap memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Property(condition) => test_bytes(&condition.predicate),
            Self::NotProperties(properties) => size_of_val(&**properties),
            Self::InPlaces(places) | Self::NotInPlaces(places) => size_of_val(&**places),
            Self::Circle(_) => 0,
            Self::Polygons(polygons) => {
                let corners: usize = polygons.iter().map(|polygon| size_of_val(polygon.corners())).sum();
                size_of_val(&**polygons) + corners
            }
            Self::Advert(_, criteria) => {
                let AdvertCriteria { conditions, sites, excluded_sites } = &**criteria;
                let sites = sites.iter().flatten().chain(excluded_sites);
                let (names, count) =
                    sites.fold((0, 0), |(bytes, count), site| (bytes + site.as_str().len(), count + 1));
                size_of::<AdvertCriteria>()
                    + size_of_val(&**conditions)
                    + conditions.iter().map(|condition| test_bytes(&condition.predicate)).sum::<usize>()
                    + names
                    + tree_bytes::<domain::SiteKey>(count)
            }
            Self::Change(_, _, conditions) => {
                let tests: usize = conditions.iter().map(|condition| test_bytes(&condition.predicate)).sum();
                size_of_val(&**conditions) + tests
            }
        }
    }
}

fn is_in(values: &PropertyValues<'_>, places: &[Place]) -> bool {
    values.places().iter().any(|place| places.binary_search(place).is_ok())
}

fn test_bytes(test: &Predicate) -> usize {
    match test {
        Predicate::Within(_) => 0,
        Predicate::OneOf(keys) => tree_bytes::<Key>(keys.len()),
    }
}

/// All residual checks of a search. Most searches have one, which is stored inline to save a memory access.
#[derive(Debug)]
pub enum Checks {
    One(Check),
    Several(Box<[Check]>),
}

impl Checks {
    /// Returns `None` if there is nothing to check.
    pub fn new(mut checks: Vec<Check>) -> Option<Self> {
        match checks.len() {
            0 => None,
            1 => checks.pop().map(Self::One),
            _ => Some(Self::Several(checks.into())),
        }
    }

    pub fn hold(&self, values: &PropertyValues<'_>) -> bool {
        self.all().iter().all(|check| check.holds(values))
    }

    /// Returns the heap memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let owned: usize = self.all().iter().map(Check::bytes).sum();
        match self {
            Self::One(_) => owned,
            Self::Several(checks) => owned + size_of_val(&**checks),
        }
    }

    fn all(&self) -> &[Check] {
        match self {
            Self::One(check) => std::slice::from_ref(check),
            Self::Several(checks) => checks,
        }
    }
}
