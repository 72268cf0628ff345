//! Explains why a property satisfies criteria or not: for each criterion the wanted value, the found value and the result.
//!
//! [`Criteria::accepts`] stops at the first failure; [`explain`] evaluates everything and reaches the same result. The
//! differential test in `engine/tests` compares the two. It is meant for one property at a time.

mod adverts;
mod changes;
mod filters;
mod place;
mod text;

use std::collections::BTreeSet;

use crate::area::{Circle, Polygon};
use crate::attribute::{PropertyAttribute, PropertyView, Variation};
use crate::criteria::{Condition, Criteria, Predicate};
use crate::filter::{Filter, FilterTarget, Inclusion, Kind};
use crate::ids::PropertyId;
use crate::key::Key;
use crate::matching;
use crate::phrase::Phrase;
use crate::place::GeoPoint;
use crate::property::Property;

pub use adverts::{AdvertCheck, AdvertExplanation};
pub use changes::{ChangeExplanation, ChangesExplanation};
pub use place::{PlaceCheck, PlaceKeys};
pub use text::{EntryCheck, GroupExplanation, TextLocation};

/// The result of each criterion for one property. It contains only what the criteria ask for.
#[derive(Debug, Clone, PartialEq)]
pub struct Explanation<'a> {
    /// Whether the property has an advert that is not expired. A property without one is never a match.
    pub is_available: bool,
    /// Checks of the property as a whole. All must pass.
    pub property: Vec<PropertyCheck<'a>>,
    /// Checks of each advert in scope, the closest one first. All checks must pass on at least one advert. `None` if the
    /// criteria have no conditions on adverts.
    pub adverts: Option<Vec<AdvertExplanation<'a>>>,
    /// Checks of price changes and of surface changes. Each must pass.
    pub changes: Vec<ChangesExplanation<'a>>,
    /// The groups of text expressions. At least one must pass.
    pub expressions: Option<Vec<GroupExplanation<'a>>>,
}

/// A check of the property as a whole.
#[derive(Debug, Clone, PartialEq)]
pub enum PropertyCheck<'a> {
    Attribute(AttributeCheck<'a, PropertyAttribute>),
    Places(PlaceCheck<'a>),
    Circle {
        wanted: Circle,
        /// The distance from the centre. `None` if no advert gives coordinates.
        distance_km: Option<f64>,
    },
    Polygons {
        wanted: &'a [Polygon],
        /// `None` if no advert gives coordinates.
        point: Option<GeoPoint>,
        /// The index of the first polygon that contains the point.
        inside: Option<usize>,
    },
    ExcludedProperties {
        wanted: &'a BTreeSet<PropertyId>,
        found: PropertyId,
    },
    Feature {
        wanted: &'a Phrase,
        /// The first feature that contains the phrase.
        found: Option<&'a str>,
    },
}

/// A condition on an attribute, and the value of the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AttributeCheck<'a, A> {
    pub attribute: A,
    pub wanted: &'a Predicate,
    /// `None` if the value is unknown.
    pub found: Option<Key>,
}

impl<'a, A: Copy> AttributeCheck<'a, A> {
    fn new(condition: &'a Condition<A>, found: Option<Key>) -> Self {
        Self { attribute: condition.attribute, wanted: &condition.predicate, found }
    }

    pub fn passed(&self) -> bool {
        self.wanted.holds(self.found)
    }
}

/// Evaluates every criterion for one property. `None` if the property has no adverts.
pub fn explain<'a>(criteria: &'a Criteria, property: &'a Property) -> Option<Explanation<'a>> {
    let Criteria {
        property: conditions,
        advert,
        price_change: _,
        surface_change: _,
        advert_scope,
        places,
        excluded_properties,
        expressions,
        features,
    } = criteria;
    let view = PropertyView::new(property)?;
    let check = |condition: &'a Condition<PropertyAttribute>| {
        PropertyCheck::Attribute(AttributeCheck::new(condition, condition.attribute.read(&view)))
    };
    let mut checks: Vec<PropertyCheck<'a>> = conditions.iter().map(check).collect();
    checks.extend(place::explain_places(places, &view));
    if !excluded_properties.is_empty() {
        checks.push(PropertyCheck::ExcludedProperties { wanted: excluded_properties, found: property.id });
    }
    checks.extend(text::explain_features(features, *advert_scope, property));
    let changes = Variation::ALL.iter().filter_map(|variation| {
        changes::explain_changes(*variation, criteria.change(*variation), *advert_scope, property)
    });
    Some(Explanation {
        is_available: matching::is_available(property),
        property: checks,
        adverts: adverts::explain_adverts(advert, *advert_scope, property),
        changes: changes.collect(),
        expressions: text::explain_expressions(expressions, *advert_scope, property),
    })
}

impl Explanation<'_> {
    /// Returns `true` if the property satisfies the criteria, like [`Criteria::accepts`].
    pub fn passed(&self) -> bool {
        let Self { is_available: _, property, adverts, changes, expressions } = self;
        property.iter().all(PropertyCheck::passed)
            && adverts.as_ref().is_none_or(|adverts| adverts.iter().any(AdvertExplanation::passed))
            && changes.iter().all(ChangesExplanation::passed)
            && expressions.as_ref().is_none_or(|groups| groups.iter().any(GroupExplanation::passed))
    }
}

impl PropertyCheck<'_> {
    pub fn passed(&self) -> bool {
        match self {
            Self::Attribute(check) => check.passed(),
            Self::Places(check) => check.passed(),
            Self::Circle { wanted, distance_km } => {
                distance_km.is_some_and(|distance_km| distance_km <= wanted.radius_km)
            }
            Self::Polygons { wanted: _, point: _, inside } => inside.is_some(),
            Self::ExcludedProperties { wanted, found } => !wanted.contains(found),
            Self::Feature { wanted: _, found } => found.is_some(),
        }
    }

    /// Returns the filters that can produce this check, in table order.
    pub fn filters(&self) -> Vec<&'static Filter> {
        match self {
            Self::Attribute(check) => {
                filters::with_predicate(FilterTarget::Property(check.attribute), check.wanted)
            }
            Self::Places(check) => check.filters(),
            Self::Circle { .. } => {
                filters::of_kind(|kind| matches!(kind, Kind::Latitude | Kind::Longitude | Kind::Radius))
            }
            Self::Polygons { .. } => filters::of_kind(|kind| kind == Kind::Shapes),
            Self::ExcludedProperties { .. } => filters::of_kind(|kind| kind == Kind::ExcludedProperty),
            Self::Feature { .. } => filters::of_kind(|kind| kind == Kind::Features),
        }
    }
}

/// Returns the filter of text expressions.
pub fn expression_filters() -> Vec<&'static Filter> {
    filters::of_kind(|kind| kind == Kind::Expressions)
}

fn site_filters(inclusion: Inclusion) -> Vec<&'static Filter> {
    filters::of_kind(|kind| kind == Kind::Site(inclusion) || kind == Kind::SiteCategory(inclusion))
}

#[cfg(test)]
mod tests;
