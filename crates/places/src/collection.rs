//! Filtered and sorted lists of places. Pagination is done by the caller.

use std::collections::HashSet;
use std::sync::Arc;

use domain::{City, Department, GeoPoint, Insee, Polygon, Region, Zipcode, fold};

use crate::gazetteer::Gazetteer;

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// The best match of the name first, then by name.
    #[default]
    BestMatch,
    NameAscending,
    NameDescending,
}

/// A filter of cities. Empty fields match everything; the others are combined with AND.
#[derive(Debug, Clone, Default)]
pub struct CityFilter {
    /// A part of the name, ignoring case, accents and punctuation.
    pub name: Option<String>,
    /// The whole name in lower case with hyphens: `le-mans`.
    pub slug: Option<String>,
    /// Any of these codes. An obsolete code matches the commune that replaced it.
    pub insee: Vec<Insee>,
    /// Any of these zipcodes.
    pub zipcodes: Vec<Zipcode>,
    /// Leaves out the cities that have districts; the districts stay.
    pub without_grouped: bool,
    /// The centre is in any of these polygons.
    pub polygons: Vec<Polygon>,
    pub order: Order,
}

/// A filter of departments or regions.
#[derive(Debug, Clone, Default)]
pub struct DivisionFilter {
    pub name: Option<String>,
    pub slug: Option<String>,
    /// Any of these codes: `06`, `6`, `2A`, `974`.
    pub codes: Vec<String>,
    pub order: Order,
}

impl Gazetteer {
    /// Returns the matching communes and districts.
    pub fn cities_matching(&self, filter: &CityFilter) -> Vec<&Arc<City>> {
        let names = NameFilter::new(filter.name.as_deref(), filter.slug.as_deref());
        let zipcodes: HashSet<&Zipcode> = filter.zipcodes.iter().collect();
        let ids: HashSet<u64> =
            filter.insee.iter().filter_map(|insee| self.city(insee).map(|city| city.id())).collect();
        let accepts = |city: &City| {
            (filter.insee.is_empty() || ids.contains(&city.id()))
                && (zipcodes.is_empty() || city.zipcodes.iter().any(|zipcode| zipcodes.contains(zipcode)))
                && (!filter.without_grouped || city.districts.is_empty())
                && (filter.polygons.is_empty() || is_in_any(city.centre, &filter.polygons))
        };
        let quality = |name: &str, city: &City| {
            let official = city.official_name.as_deref().map(fold);
            let article = city.article.as_deref().map(fold);
            let common = names.quality(name, article.as_deref());
            common.into_iter().chain(official.and_then(|official| names.quality(&official, None))).min()
        };
        let matching = self.prefixes.cities().zip(self.cities()).filter(|(_, city)| accepts(city));
        let matching = matching.filter_map(|(name, city)| Some((quality(name, city)?, name, city)));
        sorted(matching.collect(), filter.order)
    }

    /// Returns the matching departments.
    pub fn departments_matching(&self, filter: &DivisionFilter) -> Vec<&Arc<Department>> {
        divisions(self.departments(), filter, |it| (&it.name, it.id))
    }

    /// Returns the matching regions.
    pub fn regions_matching(&self, filter: &DivisionFilter) -> Vec<&Arc<Region>> {
        divisions(self.regions(), filter, |it| (&it.name, it.id))
    }
}

fn divisions<'a, T>(
    all: &'a [Arc<T>],
    filter: &DivisionFilter,
    describe: impl Fn(&T) -> (&str, u64),
) -> Vec<&'a Arc<T>> {
    let names = NameFilter::new(filter.name.as_deref(), filter.slug.as_deref());
    let codes: Vec<u64> =
        filter.codes.iter().filter_map(|code| domain::place::code_as_number(code)).collect();
    let matching = all.iter().filter_map(|item| {
        let (name, id) = describe(item);
        let folded = fold(name);
        let quality = names.quality(&folded, None)?;
        (filter.codes.is_empty() || codes.contains(&id)).then_some((quality, folded, item))
    });
    sorted(matching.collect(), filter.order)
}

fn is_in_any(point: Option<GeoPoint>, polygons: &[Polygon]) -> bool {
    point.is_some_and(|point| polygons.iter().any(|polygon| polygon.contains(point)))
}

/// The part of a name that a filter matches. Smaller is better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quality {
    Whole,
    Prefix,
    /// A prefix of another word.
    Word,
    Elsewhere,
}

/// The filters on names, folded.
struct NameFilter {
    part: Option<String>,
    whole: Option<String>,
}

impl NameFilter {
    fn new(part: Option<&str>, slug: Option<&str>) -> Self {
        Self { part: part.map(fold), whole: slug.map(fold) }
    }

    /// Returns how well a folded name matches, `None` if it does not. Without its article, too, a name may be whole.
    fn quality(&self, name: &str, article: Option<&str>) -> Option<Quality> {
        if self.whole.as_deref().is_some_and(|whole| whole != name) {
            return None;
        }
        let Some(part) = self.part.as_deref() else { return Some(Quality::Whole) };
        let bare = article.and_then(|article| name.strip_prefix(article)).map_or(name, str::trim_start);
        if name == part || bare == part {
            return Some(Quality::Whole);
        }
        if name.starts_with(part) || bare.starts_with(part) {
            return Some(Quality::Prefix);
        }
        let mut found = name.match_indices(part).map(|(start, _)| start).peekable();
        found.peek()?;
        let starts_word = |start: usize| name[..start].ends_with(' ');
        Some(if found.any(starts_word) { Quality::Word } else { Quality::Elsewhere })
    }
}

/// Sorts by folded name. The sort is stable, so equal names stay ordered by id.
fn sorted<K: AsRef<str>, T>(mut matching: Vec<(Quality, K, T)>, order: Order) -> Vec<T> {
    match order {
        Order::BestMatch => {
            matching.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.as_ref().cmp(b.1.as_ref())));
        }
        Order::NameAscending => matching.sort_by(|a, b| a.1.as_ref().cmp(b.1.as_ref())),
        Order::NameDescending => matching.sort_by(|a, b| b.1.as_ref().cmp(a.1.as_ref())),
    }
    matching.into_iter().map(|(_, _, item)| item).collect()
}
