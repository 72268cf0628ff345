//! Autocomplete: suggests cities and departments for what the user has typed so far.
//!
//! Suggestions are ordered by quality, larger places first among equals:
//!
//! 1. the query is the whole name, zipcode or department code;
//! 2. it is a prefix of one of them (the article is optional);
//! 3. it is a prefix of another word of the name;
//! 4. it is a prefix of the name of a commune that was merged into the place;
//! 5. the same with one typing error, then with two.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use domain::{City, Department};

use crate::gazetteer::Gazetteer;
use crate::place_query;
use crate::prefix_index::{PrefixEntry, Target};
use crate::spelling::{Pattern, QUERY_MAX, edits_allowed};

/// The maximum number of suggestions, whatever the requested limit. A user reads about ten.
pub const SUGGESTIONS_MAX: usize = 50;

/// If there are enough exact suggestions, one in this many may be replaced by a much larger place with a typing error.
const FUZZY_SHARE: usize = 5;

/// The minimum ratio of its population to that of the replaced place.
const POPULATION_RATIO: u32 = 10;

/// Places that are not suggested: those the user already selected, and kinds that were not asked for.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    pub cities: HashSet<u64>,
    /// Excluding a department does not exclude its cities.
    pub departments: HashSet<u64>,
    /// The kinds of places that are suggested.
    pub kinds: SuggestedKinds,
}

/// The kinds of places to suggest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SuggestedKinds {
    #[default]
    All,
    Cities,
    Departments,
}

/// A suggested place.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub place: Suggested,
    /// The name of the former commune that matched, if it was not the name of the place itself.
    pub former_name: Option<Box<str>>,
    /// The number of typing errors.
    pub edits: u8,
}

/// A city or a department.
#[derive(Debug, Clone, PartialEq)]
pub enum Suggested {
    City(Arc<City>),
    Department(Arc<Department>),
}

impl Suggested {
    pub fn name(&self) -> &str {
        match self {
            Self::City(city) => &city.name,
            Self::Department(department) => &department.name,
        }
    }
}

impl Gazetteer {
    /// Suggests at most `limit` cities and departments for a partial name, zipcode or department code.
    pub fn complete(&self, query: &str, limit: usize, exclusions: &Exclusions) -> Vec<Suggestion> {
        complete(self, query, limit, exclusions)
    }
}

fn complete(gazetteer: &Gazetteer, query: &str, limit: usize, exclusions: &Exclusions) -> Vec<Suggestion> {
    // Ten times the length that is compared, because spaces and decomposed accents count too.
    let query: String = query.chars().take(10 * QUERY_MAX).collect();
    let typed = place_query::normalize_query(&query);
    let limit = limit.min(SUGGESTIONS_MAX);
    let mut collector = Collector { gazetteer, exclusions, number: None, limit, hits: Vec::new() };
    if typed.is_empty() || limit == 0 {
        return Vec::new();
    }
    if place_query::is_number(&typed) {
        collector.by_number(&typed);
    } else {
        collector.by_name(&typed);
        if collector.hits.iter().all(|hit| hit.quality.edits > 0) {
            // A number next to a name is part of it (`paris 11`), or a zipcode or department (`paris 75`).
            if let Some((number, name)) = place_query::split_number(&typed) {
                collector.hits.clear();
                collector.number = Some(number);
                collector.by_name(&name);
            }
        }
    }
    collector.suggestions()
}

/// The quality of a hit. Smaller is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Quality {
    edits: usize,
    rank: Rank,
}

/// The part of the name that the query matches.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Whole,
    Prefix,
    Word,
    Former,
}

/// A matching place. The order of the fields is the sort order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Hit {
    quality: Quality,
    population: Reverse<u32>,
    target: Target,
    former_name: Option<u32>,
}

/// Collects the best hits.
struct Collector<'a> {
    gazetteer: &'a Gazetteer,
    exclusions: &'a Exclusions,
    /// The zipcode, zipcode prefix or department code typed with the name.
    number: Option<String>,
    limit: usize,
    hits: Vec<Hit>,
}

impl Collector<'_> {
    fn by_name(&mut self, name: &str) {
        let gazetteer = self.gazetteer;
        for (entry, whole) in gazetteer.prefixes.with_prefix(name) {
            self.add_entry(entry, 0, whole);
        }
        let edits = edits_allowed(name.len());
        if edits > 0 && self.hits.len() < self.limit {
            self.by_spelling(name, edits);
        } else if edits > 0 {
            self.add_large_fuzzy_matches(name);
        }
    }

    fn by_spelling(&mut self, name: &str, edits: usize) {
        let gazetteer = self.gazetteer;
        gazetteer.prefixes.fuzzy_matches(&Pattern::new(name, edits), |entry, edits| {
            if edits > 0 {
                self.add_entry(entry, edits, false);
            }
        });
    }

    /// Replaces the last hits by much larger places with one typing error. Otherwise villages could hide a misspelled city:
    /// `pris` is a prefix of five names, but most users mean Paris.
    fn add_large_fuzzy_matches(&mut self, name: &str) {
        let Self { gazetteer, exclusions, ref number, limit, .. } = *self;
        let mut others = Collector {
            gazetteer,
            exclusions,
            number: number.clone(),
            limit: limit / FUZZY_SHARE,
            hits: Vec::new(),
        };
        if others.limit == 0 {
            return;
        }
        others.by_spelling(name, 1);
        let is_listed = |other: &Hit| self.hits.iter().any(|hit| hit.target == other.target);
        others.hits.retain(|other| !is_listed(other));
        let mut index = limit - others.hits.len();
        for other in others.hits {
            let replaced = self.hits[index];
            if replaced.quality.rank > Rank::Whole
                && other.population.0 / POPULATION_RATIO > replaced.population.0
            {
                self.hits[index] = other;
                index += 1;
            }
        }
    }

    fn by_number(&mut self, number: &str) {
        let gazetteer = self.gazetteer;
        let departments = gazetteer.departments().len() as u32;
        for department in 0..departments {
            let code = gazetteer.departments()[department as usize].code.to_ascii_lowercase();
            if code.starts_with(number) {
                let name = gazetteer.prefixes.name(gazetteer.cities().len() as u32 + department);
                self.add(Target::Department(department), name.population, code == number);
            }
        }
        let number = number.to_ascii_uppercase();
        if gazetteer.zipcodes.cities_with_prefix(&number).next().is_none() {
            // Corsica's zipcodes do not start with the codes of its departments.
            for (index, city) in (0..).zip(gazetteer.cities()) {
                if *city.department.code == *number {
                    self.add(Target::City(index), city.population, false);
                }
            }
        }
        for city in gazetteer.zipcodes.cities_with_prefix(&number) {
            let entry = gazetteer.at(city);
            let whole = entry.zipcodes.iter().any(|zipcode| zipcode.as_str() == number);
            // A complete zipcode of a district means the district, not the city.
            if !whole || entry.districts.is_empty() {
                self.add(Target::City(city), entry.population, whole);
            }
        }
    }

    fn add(&mut self, target: Target, population: u32, whole: bool) {
        let rank = if whole { Rank::Whole } else { Rank::Prefix };
        let quality = Quality { edits: 0, rank };
        self.insert(Hit { quality, population: Reverse(population), target, former_name: None });
    }

    fn add_entry(&mut self, entry: &PrefixEntry, edits: usize, whole: bool) {
        let name = self.gazetteer.prefixes.name(entry.name);
        let rank = match (name.former, entry.at_start) {
            (false, true) if whole && entry.is_full_name => Rank::Whole,
            (false, true) => Rank::Prefix,
            (false, false) => Rank::Word,
            (true, _) => Rank::Former,
        };
        self.insert(Hit {
            quality: Quality { edits, rank },
            population: Reverse(name.population),
            target: name.target,
            former_name: name.former.then_some(entry.name),
        });
    }

    fn insert(&mut self, hit: Hit) {
        let full = self.hits.len() == self.limit;
        if full && self.hits.last().is_some_and(|last| *last <= hit) || !self.is_allowed(hit.target) {
            return;
        }
        if let Some(index) = self.hits.iter().position(|other| other.target == hit.target) {
            if self.hits[index] <= hit {
                return;
            }
            self.hits.remove(index);
        } else if full {
            self.hits.pop();
        }
        let index = self.hits.partition_point(|other| *other < hit);
        self.hits.insert(index, hit);
    }

    fn is_allowed(&self, target: Target) -> bool {
        match target {
            Target::City(city) => {
                let city = self.gazetteer.at(city);
                self.exclusions.kinds != SuggestedKinds::Departments
                    && !self.exclusions.cities.contains(&city.id())
                    && self.number.as_deref().is_none_or(|number| place_query::number_matches(city, number))
            }
            Target::Department(department) => {
                let department = &self.gazetteer.departments()[department as usize];
                self.exclusions.kinds != SuggestedKinds::Cities
                    && !self.exclusions.departments.contains(&department.id)
                    && self
                        .number
                        .as_deref()
                        .is_none_or(|number| department.code.eq_ignore_ascii_case(number))
            }
        }
    }

    fn suggestions(self) -> Vec<Suggestion> {
        let gazetteer = self.gazetteer;
        let suggestion = |hit: Hit| Suggestion {
            place: match hit.target {
                Target::City(city) => Suggested::City(gazetteer.at(city).clone()),
                Target::Department(department) => {
                    Suggested::Department(gazetteer.departments()[department as usize].clone())
                }
            },
            former_name: hit.former_name.map(|name| gazetteer.former_name(name).into()),
            edits: hit.quality.edits as u8,
        };
        self.hits.into_iter().map(suggestion).collect()
    }
}
