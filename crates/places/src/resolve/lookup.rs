//! Looks up the names of a text: as a whole, and by its parts.
//!
//! Only names that are spelled as in the data are found here; [`super::fuzzy`] repairs spellings.

use domain::{CountryCode, Insee};

use crate::area_index::{AREA_WORDS_MAX, Area};
use crate::gazetteer::Gazetteer;
use crate::name_index::{Candidate, NameKind};
use crate::place_query::{self, PlaceNumber, PlaceQuery, district_number};

/// A commune and its quarter have fewer words. A limit, because the text comes from outside.
const SPLIT_WORDS_MAX: usize = 10;

/// What the words of a text are the names of.
#[derive(Debug, Clone, Default)]
pub(super) struct NameLookup {
    /// The communes with the name; if the text names several places, the communes of each.
    pub groups: Vec<Vec<Candidate>>,
    /// The code of the department given with the name.
    pub department: Option<String>,
    /// The numbers that belong to the name.
    pub numbers: Vec<PlaceNumber>,
    /// A part of the text next to a name that is not known itself: a quarter, usually.
    pub unknown: Option<String>,
    /// A country named in the text.
    pub country: Option<CountryCode>,
    /// The words of the name without the department, if the department was given by its name.
    pub name_alone: Option<Vec<String>>,
}

impl NameLookup {
    pub fn candidates(&self) -> impl Iterator<Item = &Candidate> {
        self.groups.iter().flatten()
    }

    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

impl Gazetteer {
    /// Looks up the names of a text.
    pub(super) fn look_up(&self, query: &PlaceQuery) -> NameLookup {
        if query.words.is_empty() {
            return NameLookup { numbers: query.numbers.clone(), ..NameLookup::default() };
        }
        let mut lookup = self.look_up_words(&query.words);
        if query.parts.len() > 1
            && let Some(by_parts) = self.name_and_department(query)
        {
            lookup = by_parts;
        } else if lookup.is_empty() && query.parts.len() > 1 {
            lookup = self.look_up_parts(query);
        } else {
            lookup.numbers.extend(query.numbers.iter().cloned());
        }
        if lookup.is_empty() {
            lookup.groups = self.commune_and_quarter(&query.words);
        }
        let (first, second) = query.words.split_at(query.words.len() / 2);
        if lookup.is_empty() && first == second {
            // `Toulon Toulon`: the fields of a form, joined.
            lookup.groups = self.look_up_words(first).groups;
        }
        if lookup.is_empty() && lookup.numbers.iter().any(|number| number.ordinal.is_some()) {
            self.district_and_more(&query.words, &mut lookup);
        }
        if lookup.department.is_none() {
            lookup.department = self.department_number(&lookup);
        }
        lookup
    }

    /// Returns the number that is not a district of the place, and so must be its department.
    fn department_number(&self, lookup: &NameLookup) -> Option<String> {
        let is_district = |number: &PlaceNumber| {
            district_number(&number.text).is_some_and(|number| {
                lookup.candidates().any(|candidate| {
                    let (city, parent) = (self.at(candidate.city), self.parent(candidate.city));
                    let districts =
                        parent.map_or(city.districts.len(), |parent| self.at(parent).districts.len());
                    (1..=districts).contains(&number)
                })
            })
        };
        // `Vieux-Port (13)` is in Marseille, and `Marseille 13` in either case.
        let is_department = |number: &PlaceNumber| {
            let mut candidates = lookup.candidates();
            candidates
                .any(|candidate| self.at(candidate.city).department.code.eq_ignore_ascii_case(&number.text))
        };
        let plain = lookup.numbers.iter().filter(|number| number.ordinal.is_none());
        let mut departments = plain.filter(|number| !is_district(number) || is_department(number));
        departments.next().map(|number| number.text.clone())
    }

    fn look_up_words(&self, words: &[String]) -> NameLookup {
        let named = |candidates| NameLookup { groups: vec![candidates], ..NameLookup::default() };
        let candidates = self.communes_named(words);
        if !candidates.is_empty() {
            return named(candidates);
        }
        self.name_and_district(words).or_else(|| self.name_and_area(words)).unwrap_or_default()
    }

    /// Returns the communes that have, had or contain a place with this name.
    pub(super) fn communes_named(&self, words: &[String]) -> Vec<Candidate> {
        for key in place_query::keys(words) {
            let mut candidates = self.names.candidates(&self.geography, &self.prefixes, &key);
            for city in self.well_known.cities_with(&key) {
                if !candidates.iter().any(|candidate| candidate.city == *city) {
                    candidates.push(Candidate { city: *city, kind: NameKind::Inside });
                }
            }
            if !candidates.is_empty() {
                return candidates;
            }
        }
        Vec::new()
    }

    /// Looks up a city with a district in Roman numerals or as a word: `Paris XVI`, `Lyon deuxième`.
    fn name_and_district(&self, words: &[String]) -> Option<NameLookup> {
        for index in (0..words.len()).rev().filter(|_| words.len() > 1) {
            let Some(number) = district_number(&words[index]) else { continue };
            let mut name = words.to_vec();
            name.remove(index);
            if name.len() > 1 && name[0] == "de" {
                // `XVe arrondissement de Paris`
                name.remove(0);
            }
            let mut candidates = self.communes_named(&name);
            candidates.retain(|candidate| !self.at(candidate.city).districts.is_empty());
            let groups = if candidates.is_empty() {
                // `Lyon 3 Part Dieu`. What is not a place in the city may be counted: `Lyon 3 pièces`.
                self.commune_and_quarter(&name)
            } else {
                vec![candidates]
            };
            let has_districts = |candidate: &Candidate| !self.at(candidate.city).districts.is_empty();
            if groups.first().is_some_and(|cities| cities.iter().any(has_districts)) {
                let text = words[index].clone();
                let ordinal = Some(number).filter(|_| !place_query::is_number(&text));
                let number = PlaceNumber { text, ordinal, aside: false, part: None };
                return Some(NameLookup { groups, numbers: vec![number], ..NameLookup::default() });
            }
        }
        None
    }

    /// Looks up a city next to words that no place has, if one of its districts is given: `Paris 3e proche métro ligne 4`.
    fn district_and_more(&self, words: &[String], lookup: &mut NameLookup) {
        if words.len() > SPLIT_WORDS_MAX {
            return;
        }
        let ordinals = || lookup.numbers.iter().filter_map(|number| number.ordinal);
        let has_district = |candidate: &Candidate| {
            let districts = self.at(candidate.city).districts.len();
            ordinals().any(|number| (1..=districts).contains(&number))
        };
        let splits = || (1..words.len()).rev().map(|split| words.split_at(split));
        let starts = splits();
        let ends = splits().rev().map(|(rest, name)| (name, rest));
        let found = starts.chain(ends).find_map(|(name, rest)| {
            let mut cities = self.communes_named(name);
            cities.retain(has_district);
            (!cities.is_empty()).then(|| (cities, rest.join(" ")))
        });
        if let Some((cities, rest)) = found {
            lookup.groups = vec![cities];
            lookup.unknown.get_or_insert(rest);
        }
    }

    /// Looks up a name and the department Nord in parts of their own: `Beaufort (Nord)`. In one part, and where that department
    /// has no such commune, the word is a direction: `Toulouse Nord`.
    fn name_and_department(&self, query: &PlaceQuery) -> Option<NameLookup> {
        let is_both = |part: &&Vec<String>| place_query::is_suffix(part) && self.areas.named(part).is_some();
        let area = self.areas.named(query.parts.iter().find(is_both)?)?;
        let lookup = self.look_up_parts(query);
        let is_there = lookup.candidates().any(|candidate| self.is_within(candidate.city, area));
        is_there.then_some(lookup)
    }

    /// Looks up a name followed by a department or region, or one that follows it: `Saint Denis La Réunion`, `Var Toulon`.
    fn name_and_area(&self, words: &[String]) -> Option<NameLookup> {
        // The longest area first: `Nord-Pas-de-Calais` is not `Pas-de-Calais`.
        for split in words.len().saturating_sub(AREA_WORDS_MAX).max(1)..words.len() {
            let (name, after) = words.split_at(split);
            let Some(area) = self.areas.named(after) else { continue };
            let candidates = self.communes_named(name);
            if self.is_city_of(after, &candidates) {
                continue;
            }
            let lookup = match area {
                // A department that has no such commune is a contradiction, which is reported.
                Area::Department(code) => NameLookup {
                    groups: vec![candidates],
                    department: Some(code.clone()),
                    name_alone: Some(name.to_vec()),
                    ..NameLookup::default()
                },
                Area::Region(_) | Area::FormerRegion(_) => self.within(candidates, area),
            };
            if lookup.candidates().next().is_some() {
                return Some(lookup);
            }
        }
        for split in (1..words.len()).rev().skip_while(|split| *split > AREA_WORDS_MAX) {
            let (before, name) = words.split_at(split);
            let Some(area) = self.areas.named(before) else { continue };
            let candidates = self.communes_named(name);
            if self.is_city_of(before, &candidates) {
                continue;
            }
            let lookup = self.within(candidates, area);
            if lookup.candidates().next().is_some() {
                return Some(lookup);
            }
        }
        None
    }

    /// Returns `true` if these words name the city of one of the candidates: `Paris Montmartre` names the city, not the
    /// department.
    fn is_city_of(&self, words: &[String], candidates: &[Candidate]) -> bool {
        let cities = self.communes_named(words);
        cities.iter().any(|city| candidates.iter().any(|other| self.is_related(city.city, other.city)))
    }

    fn within(&self, mut candidates: Vec<Candidate>, area: &Area) -> NameLookup {
        candidates.retain(|candidate| self.is_within(candidate.city, area));
        NameLookup { groups: vec![candidates], ..NameLookup::default() }
    }

    pub(super) fn is_within(&self, city: u32, area: &Area) -> bool {
        let department = &self.at(city).department;
        match area {
            Area::Department(code) => *department.code == **code,
            Area::Region(id) => department.region.id == *id,
            Area::FormerRegion(codes) => codes.contains(&&*department.code),
        }
    }

    /// Looks up each part of a text by itself: `Le Mourillon, Toulon`, `Var, Toulon`, `Toulon / La Garde`.
    fn look_up_parts(&self, query: &PlaceQuery) -> NameLookup {
        let mut lookup = NameLookup::default();
        let mut areas: Vec<(Area, Vec<Candidate>)> = Vec::new();
        let mut named_parts = Vec::new();
        let mut unknown: Vec<String> = Vec::new();
        for (index, words) in query.parts.iter().enumerate() {
            let country = CountryCode::named(&words.join(" "));
            let country = country.filter(|country| index > 0 || *country == CountryCode::FRANCE);
            if country.is_some() {
                lookup.country = country;
                continue;
            }
            let part = self.look_up_words(words);
            if let Some(area) = self.areas.named(words) {
                areas.push((area.clone(), part.candidates().copied().collect()));
                continue;
            }
            if part.is_empty() {
                let quarter = self.commune_and_quarter(words);
                if quarter.is_empty() {
                    lookup.unknown.get_or_insert_with(|| words.join(" "));
                    unknown.extend(words.iter().cloned());
                } else {
                    named_parts.push(index);
                    lookup.groups.extend(quarter);
                }
                continue;
            }
            named_parts.push(index);
            lookup.groups.extend(part.groups);
            lookup.numbers.extend(part.numbers);
            lookup.department = lookup.department.or(part.department);
        }
        for (area, same_name) in areas {
            let holds = |candidate: &Candidate| self.is_within(candidate.city, &area);
            if lookup.groups.iter().flatten().any(holds) {
                lookup.groups.iter_mut().for_each(|group| group.retain(holds));
                lookup.groups.retain(|group| !group.is_empty());
                let others: Vec<Candidate> = lookup.candidates().copied().collect();
                if same_name.iter().any(|one| others.iter().any(|it| self.is_related(one.city, it.city))) {
                    lookup.groups.push(same_name);
                    named_parts.extend(0..query.parts.len());
                }
            } else if !same_name.is_empty() {
                // Paris and Vienne are communes as well.
                lookup.groups.push(same_name);
                named_parts.extend(0..query.parts.len());
            } else if let Area::Department(code) = area {
                if !lookup.is_empty() {
                    lookup.department = Some(code);
                } else if !unknown.is_empty() {
                    // `Sanary (Var)`: the rest may be a short or misspelled name.
                    lookup.department = Some(code);
                    lookup.name_alone = Some(unknown.clone());
                }
            }
        }
        // The number of a flat or a street next to an unknown name says nothing about the place.
        let belongs = |number: &&PlaceNumber| {
            lookup.is_empty() || number.part.is_none_or(|part| named_parts.contains(&part))
        };
        let numbers: Vec<PlaceNumber> = query.numbers.iter().filter(belongs).cloned().collect();
        lookup.numbers.extend(numbers);
        lookup
    }

    /// Looks up a commune next to a place inside it: `Toulon Mourillon`, `Seynod Annecy`.
    fn commune_and_quarter(&self, words: &[String]) -> Vec<Vec<Candidate>> {
        if words.len() > SPLIT_WORDS_MAX {
            return Vec::new();
        }
        for split in (1..words.len()).rev() {
            let (first, last) = words.split_at(split);
            for (commune, quarter) in [(first, last), (last, first)] {
                let mut inside = self.communes_named(quarter);
                inside.retain(|candidate| candidate.kind > NameKind::Own);
                if inside.is_empty() {
                    continue;
                }
                let mut communes = self.communes_named(commune);
                communes.retain(|candidate| {
                    candidate.kind == NameKind::Own
                        && inside.iter().any(|other| self.is_related(candidate.city, other.city))
                });
                if !communes.is_empty() {
                    inside.retain(|other| communes.iter().any(|one| self.is_related(one.city, other.city)));
                    return vec![communes, inside];
                }
            }
        }
        Vec::new()
    }

    /// Returns the city that a district belongs to.
    pub(super) fn parent(&self, city: u32) -> Option<u32> {
        let parent: &Insee = self.at(city).parent.as_ref()?;
        self.current(parent)
    }

    /// Returns `true` for the same city, and for a city and one of its districts.
    pub(super) fn is_related(&self, a: u32, b: u32) -> bool {
        a == b || self.parent(a) == Some(b) || self.parent(b) == Some(a)
    }
}
