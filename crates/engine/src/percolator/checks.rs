//! What a search asks for beyond its line in the columns, but for words.

use domain::criteria::{AdvertCriteria, Condition, AdvertScope, Predicate};
use domain::{
    PropertyView, GeoPoint, Key, Polygon, Property, PropertyAttribute, PropertyId, Variation, VariationAttribute,
};

use super::places::{NAMED, Place};
use crate::circle::NearCircle;

/// A property with everything worked out that is asked for more than once.
pub struct Sight<'a> {
    pub property: &'a Property,
    values: [Option<Key>; PropertyAttribute::ALL.len()],
    pub point: Option<GeoPoint>,
    /// The places it has a name of.
    places: [Place; NAMED.len()],
    places_known: usize,
}

impl<'a> Sight<'a> {
    pub fn of(facts: &PropertyView<'a>) -> Self {
        let mut values = [None; PropertyAttribute::ALL.len()];
        for attribute in PropertyAttribute::ALL {
            values[*attribute as usize] = attribute.read(facts);
        }
        let (mut places, mut places_known) = ([Place::ANYWHERE; NAMED.len()], 0);
        for (class, attribute) in NAMED {
            if let Some(key) = values[attribute as usize] {
                places[places_known] = Place { class, key: key.get() };
                places_known += 1;
            }
        }
        Self { property: facts.property, values, point: facts.derived.point, places, places_known }
    }

    pub fn value(&self, attribute: PropertyAttribute) -> Option<Key> {
        self.values[attribute as usize]
    }

    pub fn places(&self) -> &[Place] {
        &self.places[..self.places_known]
    }
}

/// One thing that must hold. They are kept in an order in which the cheap ones come first.
#[derive(Debug)]
pub enum Check {
    Property(Condition<PropertyAttribute>),
    /// It is none of these; in order.
    Excluded(Box<[PropertyId]>),
    /// In any of these places, in order.
    Inside(Box<[Place]>),
    /// In none of these.
    Outside(Box<[Place]>),
    Circle(NearCircle),
    /// In any of these.
    Polygons(Box<[Polygon]>),
    Advert(AdvertScope, Box<AdvertCriteria>),
    Change(Variation, AdvertScope, Box<[Condition<VariationAttribute>]>),
}

impl Check {
    pub fn holds(&self, sight: &Sight<'_>) -> bool {
        let adverts = &sight.property.adverts;
        match self {
            Self::Property(Condition { attribute, predicate: test }) => test.holds(sight.value(*attribute)),
            Self::Excluded(properties) => properties.binary_search(&sight.property.id).is_err(),
            Self::Inside(places) => is_in(sight, places),
            Self::Outside(places) => !is_in(sight, places),
            Self::Circle(circle) => {
                sight.point.is_some_and(|point| circle.contains((point.lat(), point.lon())))
            }
            Self::Polygons(polygons) => {
                sight.point.is_some_and(|point| polygons.iter().any(|polygon| polygon.contains(point)))
            }
            Self::Advert(advert_scope, criteria) => {
                adverts.iter().any(|advert| advert_scope.includes(advert) && criteria.accepts(advert))
            }
            Self::Change(variation, advert_scope, conditions) => {
                let counted = adverts.iter().filter(|advert| advert_scope.includes(advert));
                let mut changes =
                    counted.flat_map(|advert| &advert.events).filter(|event| variation.is(event));
                changes.any(|event| {
                    conditions.iter().all(|condition| condition.predicate.holds(condition.attribute.read(event)))
                })
            }
        }
    }

    /// Memory beside the enum itself.
    pub fn bytes(&self) -> usize {
        match self {
            Self::Property(condition) => test_bytes(&condition.predicate),
            Self::Excluded(properties) => size_of_val(&**properties),
            Self::Inside(places) | Self::Outside(places) => size_of_val(&**places),
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

fn is_in(sight: &Sight<'_>, places: &[Place]) -> bool {
    sight.places().iter().any(|place| places.binary_search(place).is_ok())
}

fn test_bytes(test: &Predicate) -> usize {
    match test {
        Predicate::Within(_) => 0,
        Predicate::OneOf(keys) => tree_bytes::<Key>(keys.len()),
    }
}

/// What a tree of so many entries takes at most: nodes have room for eleven and are half full at least.
fn tree_bytes<T>(entries: usize) -> usize {
    entries.div_ceil(6) * (11 * size_of::<T>() + 2 * size_of::<usize>())
}

/// All that must hold beyond the columns. Mostly it is one thing, which is then found without another step in memory.
#[derive(Debug)]
pub enum Checks {
    One(Check),
    Several(Box<[Check]>),
}

impl Checks {
    /// Nothing when there is nothing to check.
    pub fn of(mut checks: Vec<Check>) -> Option<Self> {
        match checks.len() {
            0 => None,
            1 => checks.pop().map(Self::One),
            _ => Some(Self::Several(checks.into())),
        }
    }

    pub fn hold(&self, sight: &Sight<'_>) -> bool {
        self.all().iter().all(|check| check.holds(sight))
    }

    /// Memory beside the enum itself.
    pub fn bytes(&self) -> usize {
        let elsewhere: usize = self.all().iter().map(Check::bytes).sum();
        match self {
            Self::One(_) => elsewhere,
            Self::Several(checks) => elsewhere + size_of_val(&**checks),
        }
    }

    fn all(&self) -> &[Check] {
        match self {
            Self::One(check) => std::slice::from_ref(check),
            Self::Several(checks) => checks,
        }
    }
}
