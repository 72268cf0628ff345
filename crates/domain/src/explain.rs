//! Why a property is what is looked for, or is not: criterion by criterion what was wanted, what was found, and whether it held.
//!
//! [`Criteria::accepts`] says whether, this says why. It looks at everything where that stops at the first failure, and always
//! comes to the same end: the law in `engine/tests` holds it to that. It is for one property at a time.

mod adverts;
mod changes;
mod place;
mod rows;
mod text;

use std::collections::BTreeSet;

use crate::area::{Circle, Polygon};
use crate::attribute::{Facts, PropertyAttribute, Variation};
use crate::criteria::{Condition, Criteria, Test};
use crate::filter::{Filter, Kind, Sense, Subject};
use crate::ids::PropertyId;
use crate::key::Key;
use crate::matching;
use crate::place::GeoPoint;
use crate::property::Property;

pub use adverts::{AdvertLine, AdvertTried};
pub use changes::{ChangeTried, ChangesTried};
pub use place::{PlaceLine, Whereabouts};
pub use text::{EntryTried, GroupTried, Passage};

/// Criteria held against a property. What was not asked for is not in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation<'a> {
    /// Whether one of its adverts is not expired. A property that is not on offer makes no match, whatever it meets.
    pub is_on_offer: bool,
    /// What was wanted of the property as a whole: every line must hold.
    pub property: Vec<PropertyLine<'a>>,
    /// What was wanted of one and the same advert, held against each that counts: one of them must hold. The one that comes
    /// nearest is the first.
    pub adverts: Option<Vec<AdvertTried<'a>>>,
    /// What was wanted of one and the same change, of price and of surface: each must hold.
    pub changes: Vec<ChangesTried<'a>>,
    /// The alternatives of words: one of them must hold.
    pub expressions: Option<Vec<GroupTried<'a>>>,
}

/// Something wanted of the property as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyLine<'a> {
    Attribute(Finding<'a, PropertyAttribute>),
    Places(PlaceLine<'a>),
    Circle {
        wanted: Circle,
        /// From its centre; nothing for a property without coordinates.
        distance_km: Option<f64>,
    },
    Polygons {
        wanted: &'a [Polygon],
        point: Option<GeoPoint>,
        /// The first that the point is in.
        inside: Option<usize>,
    },
    ExcludedProperties {
        wanted: &'a BTreeSet<PropertyId>,
        found: PropertyId,
    },
}

/// A condition on an attribute, and what the attribute is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding<'a, A> {
    pub attribute: A,
    pub wanted: &'a Test,
    /// Nothing when it is unknown.
    pub found: Option<Key>,
}

impl<'a, A: Copy> Finding<'a, A> {
    fn new(condition: &'a Condition<A>, found: Option<Key>) -> Self {
        Self { attribute: condition.attribute, wanted: &condition.test, found }
    }

    pub fn held(&self) -> bool {
        self.wanted.holds(self.found)
    }
}

/// Holds criteria against a property; nothing for one without adverts, which is none.
pub fn explain<'a>(criteria: &'a Criteria, property: &'a Property) -> Option<Explanation<'a>> {
    let Criteria {
        property: conditions,
        advert,
        price_change: _,
        surface_change: _,
        counting,
        places,
        excluded_properties,
        expressions,
    } = criteria;
    let facts = Facts::of(property)?;
    let read = |condition: &'a Condition<PropertyAttribute>| {
        PropertyLine::Attribute(Finding::new(condition, condition.attribute.read(&facts)))
    };
    let mut lines: Vec<PropertyLine<'a>> = conditions.iter().map(read).collect();
    lines.extend(place::lines(places, &facts));
    if !excluded_properties.is_empty() {
        lines.push(PropertyLine::ExcludedProperties { wanted: excluded_properties, found: property.id });
    }
    let changes = Variation::ALL
        .iter()
        .filter_map(|variation| changes::tried(*variation, criteria.change(*variation), *counting, property));
    Some(Explanation {
        is_on_offer: matching::is_on_offer(property),
        property: lines,
        adverts: adverts::tried(advert, *counting, property),
        changes: changes.collect(),
        expressions: text::tried(expressions, property),
    })
}

impl Explanation<'_> {
    /// Whether the property is what is looked for: what [`Criteria::accepts`] says.
    pub fn held(&self) -> bool {
        let Self { is_on_offer: _, property, adverts, changes, expressions } = self;
        property.iter().all(PropertyLine::held)
            && adverts.as_ref().is_none_or(|tried| tried.iter().any(AdvertTried::held))
            && changes.iter().all(ChangesTried::held)
            && expressions.as_ref().is_none_or(|groups| groups.iter().any(GroupTried::held))
    }
}

impl PropertyLine<'_> {
    pub fn held(&self) -> bool {
        match self {
            Self::Attribute(finding) => finding.held(),
            Self::Places(line) => line.held(),
            Self::Circle { wanted, distance_km } => {
                distance_km.is_some_and(|distance_km| distance_km <= wanted.radius_km)
            }
            Self::Polygons { wanted: _, point: _, inside } => inside.is_some(),
            Self::ExcludedProperties { wanted, found } => !wanted.contains(found),
        }
    }

    /// The filters that may have asked for it, in the order of the table.
    pub fn filters(&self) -> Vec<&'static Filter> {
        match self {
            Self::Attribute(finding) => rows::testing(Subject::Property(finding.attribute), finding.wanted),
            Self::Places(line) => line.filters(),
            Self::Circle { .. } => {
                rows::of(|kind| matches!(kind, Kind::Latitude | Kind::Longitude | Kind::Radius))
            }
            Self::Polygons { .. } => rows::of(|kind| kind == Kind::Shapes),
            Self::ExcludedProperties { .. } => rows::of(|kind| kind == Kind::ExcludedProperty),
        }
    }
}

/// The filter that asks for words.
pub fn expression_filters() -> Vec<&'static Filter> {
    rows::of(|kind| kind == Kind::Expressions)
}

fn site_filters(sense: Sense) -> Vec<&'static Filter> {
    rows::of(|kind| kind == Kind::Site(sense) || kind == Kind::SiteCategory(sense))
}

#[cfg(test)]
mod tests;
