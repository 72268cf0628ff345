//! The value of one filter as the client sent it.
//!
//! A saved search stores raw criteria: a client reads back what it sent, and references are resolved against the current
//! geography and sites. [`RawCriterion::resolve`] is that step: a city becomes the city and its districts, a category
//! becomes its sites.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{AdvertScope, Criteria, CriteriaBuilder, CriterionValue, Entry, SortMode};
use crate::area::Polygon;
use crate::filter::{FILTERS, Filter};
use crate::ids::PropertyId;
use crate::phrase::Phrase;
use crate::place::{Insee, Zipcode};
use crate::site::{SiteCategoryId, SiteDirectory, SiteKey};
use crate::violation::Violation;

/// The value of one filter as the client sent it.
#[derive(Debug, Clone, PartialEq)]
pub enum RawCriterion {
    Number(f64),
    /// The first or the last second of the date given.
    Timestamp(Timestamp),
    Codes(Vec<u8>),
    Flag(bool),
    /// By id, without districts.
    Cities(Vec<u64>),
    Communes(Vec<Insee>),
    Departments(Vec<u64>),
    Zipcodes(Vec<Zipcode>),
    Sites(Vec<SiteKey>),
    SiteCategories(Vec<SiteCategoryId>),
    Properties(Vec<PropertyId>),
    Polygons(Vec<Polygon>),
    SortMode(SortMode),
    Expressions(Vec<Vec<Entry>>),
    Features(Vec<Phrase>),
}

/// Resolves references to places and sites.
#[derive(Clone, Copy)]
pub struct References<'a> {
    /// Returns the id of a city and those of its districts.
    pub city: &'a dyn Fn(u64) -> Vec<u64>,
    /// The same by INSEE code.
    pub commune: &'a dyn Fn(&Insee) -> Vec<u64>,
    pub sites: &'a SiteDirectory,
}

impl RawCriterion {
    /// Resolves the references of this value.
    pub fn resolve(&self, references: &References<'_>) -> CriterionValue {
        match self {
            Self::Number(number) => CriterionValue::Number(*number),
            Self::Timestamp(at) => CriterionValue::Timestamp(*at),
            Self::Codes(codes) => CriterionValue::Codes(codes.clone()),
            Self::Flag(flag) => CriterionValue::Flag(*flag),
            Self::Cities(ids) => {
                CriterionValue::Places(ids.iter().copied().flat_map(references.city).collect())
            }
            Self::Communes(codes) => {
                CriterionValue::Places(codes.iter().flat_map(references.commune).collect())
            }
            Self::Departments(ids) => CriterionValue::Places(ids.clone()),
            Self::Zipcodes(zipcodes) => CriterionValue::Zipcodes(zipcodes.clone()),
            Self::Sites(sites) => CriterionValue::Sites(sites.clone()),
            Self::SiteCategories(categories) => {
                let is_listed = |category: Option<SiteCategoryId>| {
                    category.is_some_and(|category| categories.contains(&category))
                };
                let sites = references.sites.sites().iter().filter(|site| is_listed(site.category));
                CriterionValue::Sites(sites.map(|site| site.key.clone()).collect())
            }
            Self::Properties(ids) => CriterionValue::Properties(ids.clone()),
            Self::Polygons(polygons) => CriterionValue::Polygons(polygons.clone()),
            Self::SortMode(mode) => CriterionValue::SortMode(*mode),
            Self::Expressions(groups) => CriterionValue::Expressions(groups.clone()),
            Self::Features(phrases) => CriterionValue::Features(phrases.clone()),
        }
    }
}

/// The raw criteria of a saved search: at most one per filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawCriteria {
    values: BTreeMap<&'static str, RawCriterion>,
}

impl RawCriteria {
    pub fn get(&self, filter: &Filter) -> Option<&RawCriterion> {
        self.values.get(filter.name)
    }

    /// Returns the criterion of the filter with this name.
    pub fn named(&self, name: &str) -> Option<&RawCriterion> {
        self.values.get(name)
    }

    pub fn put(&mut self, filter: &'static Filter, criterion: RawCriterion) {
        self.values.insert(filter.name, criterion);
    }

    pub fn clear(&mut self, filter: &Filter) {
        self.values.remove(filter.name);
    }

    /// Iterates in table order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Filter, &RawCriterion)> {
        FILTERS.iter().filter_map(|filter| Some((filter, self.get(filter)?)))
    }

    /// Returns the total number of places, sites, properties and polygon corners.
    pub fn reference_count(&self) -> usize {
        let count = |criterion: &RawCriterion| match criterion {
            RawCriterion::Cities(ids) | RawCriterion::Departments(ids) => ids.len(),
            RawCriterion::Communes(codes) => codes.len(),
            RawCriterion::Zipcodes(zipcodes) => zipcodes.len(),
            RawCriterion::Sites(sites) => sites.len(),
            RawCriterion::SiteCategories(categories) => categories.len(),
            RawCriterion::Properties(properties) => properties.len(),
            RawCriterion::Polygons(polygons) => polygons.iter().map(|polygon| polygon.corners().len()).sum(),
            RawCriterion::Number(_)
            | RawCriterion::Timestamp(_)
            | RawCriterion::Codes(_)
            | RawCriterion::Flag(_)
            | RawCriterion::SortMode(_)
            | RawCriterion::Expressions(_)
            | RawCriterion::Features(_) => 0,
        };
        self.values.values().map(count).sum()
    }

    /// Returns `true` if the result of [`RawCriteria::criteria`] depends on the categories of sites.
    pub fn depend_on_categories(&self) -> bool {
        self.values.values().any(|criterion| matches!(criterion, RawCriterion::SiteCategories(_)))
    }

    /// Resolves all references and builds the criteria, or returns all violations. A saved search sees what is on offer: its
    /// criteria mean what they mean in a query for properties that are not expired. That a property is on offer at all is not
    /// a criterion; see [`matching`](crate::matching).
    pub fn criteria(&self, references: &References<'_>) -> Result<Criteria, Vec<Violation>> {
        let mut builder = CriteriaBuilder::default();
        for (filter, criterion) in self.iter() {
            builder.put(filter, criterion.resolve(references));
        }
        builder.build().map(|built| Criteria { advert_scope: AdvertScope::Live, ..built.criteria })
    }
}
