//! What was said for one filter, as it was said.
//!
//! A saved search keeps raw_criteria, not criteria: what is read back is what was sent, and what it means follows from the map and
//! the sites of the day. [`RawCriterion::resolve`] is that step: a city becomes itself and its districts, a category its sites.

use std::collections::BTreeMap;

use jiff::Timestamp;

use super::{Criteria, CriteriaDraft, Entry, Given, SortMode};
use crate::area::Polygon;
use crate::filter::{FILTERS, Filter};
use crate::ids::PropertyId;
use crate::place::{Insee, Zipcode};
use crate::site::{SiteCategoryId, SiteDirectory, SiteKey};
use crate::violation::Violation;

/// The value of one filter as a client gave it.
#[derive(Debug, Clone, PartialEq)]
pub enum RawCriterion {
    Number(f64),
    /// The first or last second that is meant.
    Moment(Timestamp),
    Codes(Vec<u8>),
    Flag(bool),
    /// By id, districts not included.
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
}

/// What references lead to.
#[derive(Clone, Copy)]
pub struct References<'a> {
    /// The ids a city stands for: its own, and those of its districts.
    pub city: &'a dyn Fn(u64) -> Vec<u64>,
    /// The same by the code of the statistics office.
    pub commune: &'a dyn Fn(&Insee) -> Vec<u64>,
    pub sites: &'a SiteDirectory,
}

impl RawCriterion {
    /// What it means today.
    pub fn resolve(&self, references: &References<'_>) -> Given {
        match self {
            Self::Number(number) => Given::Number(*number),
            Self::Moment(at) => Given::Moment(*at),
            Self::Codes(codes) => Given::Codes(codes.clone()),
            Self::Flag(flag) => Given::Flag(*flag),
            Self::Cities(ids) => Given::Places(ids.iter().copied().flat_map(references.city).collect()),
            Self::Communes(codes) => Given::Places(codes.iter().flat_map(references.commune).collect()),
            Self::Departments(ids) => Given::Places(ids.clone()),
            Self::Zipcodes(zipcodes) => Given::Zipcodes(zipcodes.clone()),
            Self::Sites(sites) => Given::Sites(sites.clone()),
            Self::SiteCategories(categories) => {
                let within = |category: Option<SiteCategoryId>| {
                    category.is_some_and(|category| categories.contains(&category))
                };
                let sites = references.sites.sites().iter().filter(|site| within(site.category));
                Given::Sites(sites.map(|site| site.key.clone()).collect())
            }
            Self::Properties(ids) => Given::Properties(ids.clone()),
            Self::Polygons(polygons) => Given::Polygons(polygons.clone()),
            Self::SortMode(mode) => Given::SortMode(*mode),
            Self::Expressions(groups) => Given::Expressions(groups.clone()),
        }
    }
}

/// What a saved search asks for: at most one criterion a filter.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RawCriteria {
    given: BTreeMap<&'static str, RawCriterion>,
}

impl RawCriteria {
    pub fn get(&self, filter: &Filter) -> Option<&RawCriterion> {
        self.given.get(filter.name)
    }

    /// The criterion of the filter of a name.
    pub fn named(&self, name: &str) -> Option<&RawCriterion> {
        self.given.get(name)
    }

    pub fn put(&mut self, filter: &'static Filter, criterion: RawCriterion) {
        self.given.insert(filter.name, criterion);
    }

    pub fn clear(&mut self, filter: &Filter) {
        self.given.remove(filter.name);
    }

    /// In the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static Filter, &RawCriterion)> {
        FILTERS.iter().filter_map(|filter| Some((filter, self.get(filter)?)))
    }

    /// How many places, sites, properties and corners of areas are named in all.
    pub fn named_in_all(&self) -> usize {
        let count = |criterion: &RawCriterion| match criterion {
            RawCriterion::Cities(ids) | RawCriterion::Departments(ids) => ids.len(),
            RawCriterion::Communes(codes) => codes.len(),
            RawCriterion::Zipcodes(zipcodes) => zipcodes.len(),
            RawCriterion::Sites(sites) => sites.len(),
            RawCriterion::SiteCategories(categories) => categories.len(),
            RawCriterion::Properties(properties) => properties.len(),
            RawCriterion::Polygons(polygons) => polygons.iter().map(|polygon| polygon.corners().len()).sum(),
            RawCriterion::Number(_)
            | RawCriterion::Moment(_)
            | RawCriterion::Codes(_)
            | RawCriterion::Flag(_)
            | RawCriterion::SortMode(_)
            | RawCriterion::Expressions(_) => 0,
        };
        self.given.values().map(count).sum()
    }

    /// Whether their meaning depends on which sites are in which category.
    pub fn depend_on_categories(&self) -> bool {
        self.given.values().any(|criterion| matches!(criterion, RawCriterion::SiteCategories(_)))
    }

    /// What they mean today, or everything that is wrong with them together.
    pub fn criteria(&self, references: &References<'_>) -> Result<Criteria, Vec<Violation>> {
        let mut draft = CriteriaDraft::default();
        for (filter, criterion) in self.iter() {
            draft.put(filter, criterion.resolve(references));
        }
        draft.finish().map(|finished| finished.criteria)
    }
}
