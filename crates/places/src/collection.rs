//! Filtered and sorted lists of places. Pagination is done by the caller.

use std::collections::HashSet;
use std::sync::Arc;

use domain::{City, Department, Insee, Region, Zipcode, fold};

use crate::gazetteer::Gazetteer;

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    #[default]
    Id,
    NameAscending,
    NameDescending,
}

/// A filter of cities. Empty fields match everything; the others are combined with AND.
#[derive(Debug, Clone, Default)]
pub struct CityFilter {
    /// A part of the name, ignoring case, accents and punctuation.
    pub name: Option<String>,
    /// Any of these codes. An obsolete code matches the commune that replaced it.
    pub insee: Vec<Insee>,
    /// Any of these zipcodes.
    pub zipcodes: Vec<Zipcode>,
    pub order: Order,
}

/// A filter of departments.
#[derive(Debug, Clone, Default)]
pub struct DepartmentFilter {
    pub name: Option<String>,
    /// Any of these codes: `06`, `6`, `2A`, `974`.
    pub codes: Vec<String>,
    pub order: Order,
}

impl Gazetteer {
    /// Returns the matching communes and districts.
    pub fn cities_matching(&self, filter: &CityFilter) -> Vec<&Arc<City>> {
        let part = filter.name.as_deref().map(fold);
        let zipcodes: HashSet<&Zipcode> = filter.zipcodes.iter().collect();
        let ids: HashSet<u64> =
            filter.insee.iter().filter_map(|insee| self.city(insee).map(|city| city.id())).collect();
        let mut matching: Vec<(&str, &Arc<City>)> = self
            .prefixes
            .cities()
            .zip(self.cities())
            .filter(|(name, city)| {
                part.as_deref().is_none_or(|part| name.contains(part))
                    && (filter.insee.is_empty() || ids.contains(&city.id()))
                    && (zipcodes.is_empty() || city.zipcodes.iter().any(|zipcode| zipcodes.contains(zipcode)))
            })
            .collect();
        sort(&mut matching, filter.order);
        matching.into_iter().map(|(_, city)| city).collect()
    }

    /// Returns the matching departments.
    pub fn departments_matching(&self, filter: &DepartmentFilter) -> Vec<&Arc<Department>> {
        let codes: Vec<u64> =
            filter.codes.iter().filter_map(|code| domain::place::code_as_number(code)).collect();
        let accepts = |department: &Department| filter.codes.is_empty() || codes.contains(&department.id);
        named(self.departments(), filter.name.as_deref(), filter.order, |it| &it.name, accepts)
    }

    /// Returns the matching regions.
    pub fn regions_matching(&self, name: Option<&str>, order: Order) -> Vec<&Arc<Region>> {
        named(self.regions(), name, order, |region| &region.name, |_| true)
    }
}

fn named<'a, T>(
    all: &'a [Arc<T>],
    part: Option<&str>,
    order: Order,
    name: impl Fn(&T) -> &str,
    accepts: impl Fn(&T) -> bool,
) -> Vec<&'a Arc<T>> {
    let part = part.map(fold);
    let mut matching: Vec<(String, &Arc<T>)> = all
        .iter()
        .filter(|item| accepts(item))
        .map(|item| (fold(name(item)), item))
        .filter(|(folded, _)| part.as_deref().is_none_or(|part| folded.contains(part)))
        .collect();
    sort(&mut matching, order);
    matching.into_iter().map(|(_, item)| item).collect()
}

/// Sorts by folded name. The sort is stable, so equal names stay ordered by id.
fn sort<K: AsRef<str>, T>(matching: &mut [(K, T)], order: Order) {
    match order {
        Order::Id => {}
        Order::NameAscending => matching.sort_by(|a, b| a.0.as_ref().cmp(b.0.as_ref())),
        Order::NameDescending => matching.sort_by(|a, b| b.0.as_ref().cmp(a.0.as_ref())),
    }
}
