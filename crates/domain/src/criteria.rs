//! Criteria: the filters of a query, and their reference semantics.
//!
//! The filters of the property collection and the criteria of a saved search are the same value, [`Criteria`].
//! [`Criteria::accepts`] defines what it means: simple, slow and complete. The index and the percolator are tested
//! against it.
//!
//! Conditions on the property test the property. Conditions on adverts must all hold on a single advert, and conditions
//! on a change of price (or surface) on a single change. [`AdvertScope`] selects the adverts whose values, changes and
//! texts are considered; the values of the property itself are derived from all. An unknown value satisfies no condition.

mod builder;
mod order;
mod raw;
mod texts;

use std::collections::BTreeSet;

use crate::advert::Advert;
use crate::area::{Circle, Polygon};
use crate::attribute::{AdvertAttribute, PropertyAttribute, PropertyView, Variation, VariationAttribute};
use crate::ids::PropertyId;
use crate::key::{Key, KeyRange};
use crate::phrase::{Phrase, tokenize};
use crate::property::Property;
use crate::site::SiteKey;

pub use builder::{BuiltCriteria, CriteriaBuilder, CriterionValue};
pub use order::{Direction, Order, OrderBy, Rank, SortMode};
pub use raw::{RawCriteria, RawCriterion, References};
pub use texts::{TextPart, advert_texts, features, located_texts, texts};

/// The conditions that a property must satisfy. The default accepts every property that has adverts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Criteria {
    pub property: Vec<Condition<PropertyAttribute>>,
    pub advert: AdvertCriteria,
    pub price_change: Vec<Condition<VariationAttribute>>,
    pub surface_change: Vec<Condition<VariationAttribute>>,
    pub advert_scope: AdvertScope,
    pub places: Places,
    pub excluded_properties: BTreeSet<PropertyId>,
    /// Groups of entries. All entries of at least one group must hold. Empty means no condition.
    pub expressions: Vec<Vec<Entry>>,
    /// Each must occur in a feature of some advert. Unlike conditions on adverts, these need not hold on a single advert: like
    /// titles and descriptions, features describe the home.
    pub features: Vec<Phrase>,
}

/// The conditions that a single advert must satisfy.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AdvertCriteria {
    pub conditions: Vec<Condition<AdvertAttribute>>,
    /// The advert must be from one of these sites.
    pub sites: Option<BTreeSet<SiteKey>>,
    /// The advert must not be from any of these sites.
    pub excluded_sites: BTreeSet<SiteKey>,
}

/// A condition on one attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition<A> {
    pub attribute: A,
    pub predicate: Predicate,
}

/// A test of the value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Predicate {
    Within(KeyRange),
    OneOf(BTreeSet<Key>),
}

impl Predicate {
    /// Returns `true` if a value satisfies the predicate. An unknown value does not.
    pub fn holds(&self, value: Option<Key>) -> bool {
        match (self, value) {
            (_, None) => false,
            (Self::Within(range), Some(key)) => range.contains(key),
            (Self::OneOf(keys), Some(key)) => keys.contains(&key),
        }
    }
}

/// The adverts of a property that conditions on adverts, on changes and on texts consider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AdvertScope {
    #[default]
    All,
    /// Adverts that are not expired. Used by queries for properties that are not expired, and by saved searches.
    Live,
}

impl AdvertScope {
    pub fn includes(self, advert: &Advert) -> bool {
        match self {
            Self::All => true,
            Self::Live => !advert.is_expired(),
        }
    }
}

/// The conditions on the place of a property.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Places {
    /// In any of these. `None` means anywhere.
    pub any_of: Option<PlaceSet>,
    /// In none of these.
    pub none_of: PlaceSet,
    pub circle: Option<Circle>,
    /// In any of these. Empty means anywhere.
    pub polygons: Vec<Polygon>,
}

/// A set of communes, departments and zipcodes, by their keys.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlaceSet {
    pub cities: BTreeSet<Key>,
    pub departments: BTreeSet<Key>,
    pub zipcodes: BTreeSet<Key>,
}

impl PlaceSet {
    pub fn is_empty(&self) -> bool {
        let Self { cities, departments, zipcodes } = self;
        cities.is_empty() && departments.is_empty() && zipcodes.is_empty()
    }

    fn contains(&self, view: &PropertyView<'_>) -> bool {
        let contains = |keys: &BTreeSet<Key>, attribute: PropertyAttribute| {
            attribute.read(view).is_some_and(|key| keys.contains(&key))
        };
        contains(&self.cities, PropertyAttribute::City)
            || contains(&self.departments, PropertyAttribute::Department)
            || contains(&self.zipcodes, PropertyAttribute::Zipcode)
    }
}

/// One entry of an expression.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Entry {
    pub phrase: Phrase,
    pub presence: Presence,
}

/// Whether a phrase must occur or must not occur.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Presence {
    Present,
    Absent,
}

impl Criteria {
    /// Returns `true` if a property satisfies all conditions. This is the reference semantics of every filter.
    pub fn accepts(&self, property: &Property) -> bool {
        let Some(view) = PropertyView::new(property) else { return false };
        self.property.iter().all(|condition| condition.predicate.holds(condition.attribute.read(&view)))
            && !self.excluded_properties.contains(&property.id)
            && self.places.accepts(&view)
            && self.accepts_any_advert(property)
            && self.accepts_any_change(property, Variation::Price)
            && self.accepts_any_change(property, Variation::Surface)
            && self.accepts_text(property)
            && self.accepts_features(property)
    }

    /// Returns the adverts in scope that satisfy every condition on adverts.
    pub fn accepted_adverts<'a>(&'a self, property: &'a Property) -> impl Iterator<Item = &'a Advert> {
        let in_scope = property.adverts.iter().filter(|advert| self.advert_scope.includes(advert));
        in_scope.filter(|advert| self.advert.accepts(advert))
    }

    /// Returns the conditions on changes of one kind.
    pub fn change(&self, variation: Variation) -> &[Condition<VariationAttribute>] {
        match variation {
            Variation::Price => &self.price_change,
            Variation::Surface => &self.surface_change,
        }
    }

    fn accepts_any_advert(&self, property: &Property) -> bool {
        self.advert.is_empty() || self.accepted_adverts(property).next().is_some()
    }

    fn accepts_any_change(&self, property: &Property, variation: Variation) -> bool {
        let conditions = self.change(variation);
        let in_scope = property.adverts.iter().filter(|advert| self.advert_scope.includes(advert));
        let mut changes = in_scope.flat_map(|advert| &advert.events).filter(|event| variation.is(event));
        conditions.is_empty()
            || changes.any(|event| {
                conditions.iter().all(|condition| condition.predicate.holds(condition.attribute.read(event)))
            })
    }

    fn accepts_text(&self, property: &Property) -> bool {
        if self.expressions.is_empty() {
            return true;
        }
        let texts: Vec<String> = texts(property, self.advert_scope).map(tokenize).collect();
        let holds = |entry: &Entry| {
            let found = texts.iter().any(|text| entry.phrase.occurs_in(text));
            found == (entry.presence == Presence::Present)
        };
        self.expressions.iter().any(|group| group.iter().all(holds))
    }

    fn accepts_features(&self, property: &Property) -> bool {
        let found = |phrase: &Phrase| {
            features(property, self.advert_scope).any(|text| phrase.occurs_in(&tokenize(text)))
        };
        self.features.iter().all(found)
    }
}

impl AdvertCriteria {
    pub fn is_empty(&self) -> bool {
        let Self { conditions, sites, excluded_sites } = self;
        conditions.is_empty() && sites.is_none() && excluded_sites.is_empty()
    }

    pub fn accepts(&self, advert: &Advert) -> bool {
        let site = advert.details.site.as_ref();
        self.conditions.iter().all(|condition| condition.predicate.holds(condition.attribute.read(advert)))
            && self.sites.as_ref().is_none_or(|sites| site.is_some_and(|site| sites.contains(site)))
            && !site.is_some_and(|site| self.excluded_sites.contains(site))
    }
}

impl Places {
    pub fn accepts(&self, view: &PropertyView<'_>) -> bool {
        let point = view.derived.given_point;
        self.any_of.as_ref().is_none_or(|places| places.contains(view))
            && !self.none_of.contains(view)
            && self.circle.is_none_or(|circle| point.is_some_and(|point| circle.contains(point)))
            && (self.polygons.is_empty()
                || point.is_some_and(|point| self.polygons.iter().any(|polygon| polygon.contains(point))))
    }
}

#[cfg(test)]
mod tests;
