//! Autocomplete: the places somebody may mean who has typed so far.
//!
//! Answers come in order of quality, and among equals the larger place first:
//!
//! 1. the query is the whole name, zipcode or department code;
//! 2. it is their beginning (the article may be left out);
//! 3. it is the beginning of another word of the name;
//! 4. it is the beginning of the name of a commune that was merged into the place;
//! 5. the same with one typing error, then with two.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::sync::Arc;

use domain::{City, Department};

use crate::gazetteer::Gazetteer;
use crate::labels::{Entry, Extent, Target};
use crate::spelling::{Pattern, TYPED_MAX, edits_forgiven};
use crate::place_query;

/// The most answers there are to one query, whatever was asked for: a person reads ten.
pub const SUGGESTIONS_MAX: usize = 50;

/// One answer in so many is left to large places with a typing error, when there are enough without.
const ROOM: usize = 5;

/// How many times larger they must be than the places that make room.
const MUCH_LARGER: u32 = 10;

/// Places that are not to be suggested, because they were chosen already.
#[derive(Debug, Clone, Default)]
pub struct Exclusions {
    pub cities: HashSet<u64>,
    /// Excluding a department leaves its cities.
    pub departments: HashSet<u64>,
}

/// A place a person may have meant.
#[derive(Debug, Clone, PartialEq)]
pub struct Suggestion {
    pub place: Suggested,
    /// The former commune whose name was found, where it was not the place's own.
    pub former_name: Option<Box<str>>,
    /// How many typing errors were forgiven.
    pub edits: u8,
}

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

pub(crate) fn complete(
    gazetteer: &Gazetteer,
    query: &str,
    limit: usize,
    exclusions: &Exclusions,
) -> Vec<Suggestion> {
    // Ten times what is looked at: leading spaces and accents count too.
    let query: String = query.chars().take(10 * TYPED_MAX).collect();
    let typed = place_query::as_typed(&query);
    let mut best =
        Best { gazetteer, exclusions, number: None, limit: limit.min(SUGGESTIONS_MAX), answers: Vec::new() };
    if typed.is_empty() || best.limit == 0 {
        return Vec::new();
    }
    if place_query::is_number(&typed) {
        best.by_number(&typed);
    } else {
        best.by_name(&typed);
        if best.answers.is_empty() || best.answers.iter().all(|answer| answer.quality.edits > 0) {
            // A number beside a name is part of it (`paris 11`), or else a zipcode or a department (`paris 75`).
            if let Some((number, name)) = place_query::split_number(&typed) {
                best.answers.clear();
                best.number = Some(number);
                best.by_name(&name);
            }
        }
    }
    best.suggestions()
}

/// How well a place answers; less is better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Quality {
    edits: usize,
    rank: Rank,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Whole,
    Beginning,
    Word,
    Former,
}

/// Compared in the order of its fields.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Answer {
    quality: Quality,
    population: Reverse<u32>,
    target: Target,
    former_label: Option<u32>,
}

/// The best answers so far.
struct Best<'a> {
    gazetteer: &'a Gazetteer,
    exclusions: &'a Exclusions,
    /// The zipcode, its beginning, or the department code that was typed beside the name.
    number: Option<String>,
    limit: usize,
    answers: Vec<Answer>,
}

impl Best<'_> {
    fn by_name(&mut self, name: &str) {
        let gazetteer = self.gazetteer;
        for (entry, whole) in gazetteer.labels.beginning_with(name) {
            self.take_entry(entry, 0, whole);
        }
        let edits = edits_forgiven(name.len());
        if edits > 0 && self.answers.len() < self.limit {
            self.by_spelling(name, edits);
        } else if edits > 0 {
            self.make_room(name);
        }
    }

    fn by_spelling(&mut self, name: &str, edits: usize) {
        let gazetteer = self.gazetteer;
        gazetteer.labels.resembling(&Pattern::new(name, edits), Extent::Beginning, |entry, edits| {
            if edits > 0 {
                self.take_entry(entry, edits, false);
            }
        });
    }

    /// So many villages may begin like a misspelt city that the city would never be seen: `pris` begins the names of
    /// five, and two million people mean Paris. Its last places go to what is so much larger at the price of one error.
    fn make_room(&mut self, name: &str) {
        let Self { gazetteer, exclusions, ref number, limit, .. } = *self;
        let mut others =
            Best { gazetteer, exclusions, number: number.clone(), limit: limit / ROOM, answers: Vec::new() };
        if others.limit == 0 {
            return;
        }
        others.by_spelling(name, 1);
        let known = |other: &Answer| self.answers.iter().any(|answer| answer.target == other.target);
        others.answers.retain(|other| !known(other));
        let mut place = limit - others.answers.len();
        for other in others.answers {
            let crowded_out = self.answers[place];
            if crowded_out.quality.rank > Rank::Whole
                && other.population.0 / MUCH_LARGER > crowded_out.population.0
            {
                self.answers[place] = other;
                place += 1;
            }
        }
    }

    fn by_number(&mut self, number: &str) {
        let gazetteer = self.gazetteer;
        let departments = gazetteer.departments().len() as u32;
        for department in 0..departments {
            let code = gazetteer.departments()[department as usize].code.to_ascii_lowercase();
            if code.starts_with(number) {
                let label = gazetteer.labels.label(gazetteer.cities().len() as u32 + department);
                self.take(Target::Department(department), label.population, code == number);
            }
        }
        let number = number.to_ascii_uppercase();
        if gazetteer.zipcodes.beginning_with(&number).next().is_none() {
            // Corsica's zipcodes do not begin with the codes of its departments.
            for (place, city) in (0..).zip(gazetteer.cities()) {
                if *city.department.code == *number {
                    self.take(Target::City(place), city.population, false);
                }
            }
        }
        for city in gazetteer.zipcodes.beginning_with(&number) {
            let entry = gazetteer.at(city);
            let whole = entry.zipcodes.iter().any(|zipcode| zipcode.as_str() == number);
            // Someone who types all of a district's zipcode means the district.
            if !whole || entry.districts.is_empty() {
                self.take(Target::City(city), entry.population, whole);
            }
        }
    }

    fn take(&mut self, target: Target, population: u32, whole: bool) {
        let rank = if whole { Rank::Whole } else { Rank::Beginning };
        let quality = Quality { edits: 0, rank };
        self.insert(Answer { quality, population: Reverse(population), target, former_label: None });
    }

    fn take_entry(&mut self, entry: &Entry, edits: usize, whole: bool) {
        let label = self.gazetteer.labels.label(entry.label);
        let rank = match (label.former, entry.leads) {
            (false, true) if whole && entry.complete => Rank::Whole,
            (false, true) => Rank::Beginning,
            (false, false) => Rank::Word,
            (true, _) => Rank::Former,
        };
        self.insert(Answer {
            quality: Quality { edits, rank },
            population: Reverse(label.population),
            target: label.target,
            former_label: label.former.then_some(entry.label),
        });
    }

    fn insert(&mut self, answer: Answer) {
        let full = self.answers.len() == self.limit;
        if full && self.answers.last().is_some_and(|last| *last <= answer) || !self.is_wanted(answer.target) {
            return;
        }
        if let Some(known) = self.answers.iter().position(|other| other.target == answer.target) {
            if self.answers[known] <= answer {
                return;
            }
            self.answers.remove(known);
        } else if full {
            self.answers.pop();
        }
        let place = self.answers.partition_point(|other| *other < answer);
        self.answers.insert(place, answer);
    }

    fn is_wanted(&self, target: Target) -> bool {
        match target {
            Target::City(city) => {
                let city = self.gazetteer.at(city);
                !self.exclusions.cities.contains(&city.id())
                    && self.number.as_deref().is_none_or(|number| place_query::number_fits(city, number))
            }
            Target::Department(department) => {
                let department = &self.gazetteer.departments()[department as usize];
                !self.exclusions.departments.contains(&department.id)
                    && self
                        .number
                        .as_deref()
                        .is_none_or(|number| department.code.eq_ignore_ascii_case(number))
            }
        }
    }

    fn suggestions(self) -> Vec<Suggestion> {
        let gazetteer = self.gazetteer;
        let suggestion = |answer: Answer| Suggestion {
            place: match answer.target {
                Target::City(city) => Suggested::City(gazetteer.at(city).clone()),
                Target::Department(department) => {
                    Suggested::Department(gazetteer.departments()[department as usize].clone())
                }
            },
            former_name: answer.former_label.map(|label| gazetteer.former_name(label).into()),
            edits: answer.quality.edits as u8,
        };
        self.answers.into_iter().map(suggestion).collect()
    }
}
