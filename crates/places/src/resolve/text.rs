//! Resolving by zipcode and name, together or alone.

use domain::{City, Zipcode};

use super::names::Candidate;
use super::{Resolver, Certainty, FAR_KM, Selection, PlaceWarning};
use crate::place_query::{self, district_number};

/// The longest name of a department has as many words: Terres australes et antarctiques françaises.
const DEPARTMENT_WORDS_MAX: usize = 5;

/// What the words of a name can mean.
#[derive(Default)]
struct NameLookup {
    candidates: Vec<Candidate>,
    /// The department named or numbered beside the name.
    department: Option<String>,
}

impl Resolver<'_> {
    pub(super) fn by_words(&mut self) -> Option<Selection> {
        let named = !self.place_query.words.is_empty();
        let mut pick = match self.zipcode.clone() {
            Some(zipcode) if named => self.by_zipcode_and_name(&zipcode),
            Some(zipcode) => self.by_zipcode(&zipcode),
            None if named => self.by_name(),
            None => None,
        }?;
        self.refine_by_words(&mut pick);
        Some(pick)
    }

    fn by_zipcode_and_name(&mut self, zipcode: &Zipcode) -> Option<Selection> {
        let NameLookup { candidates, .. } = self.meaning();
        let (here, elsewhere): (Vec<_>, Vec<_>) = candidates
            .into_iter()
            .partition(|candidate| self.city(candidate.city).zipcodes.contains(zipcode));
        if !here.is_empty() {
            return self.settle(here, Certainty::Exact);
        }
        let holders = self.holders(zipcode);
        if let Some(city) = self.most_similar(&holders) {
            self.repaired(city);
            return Some(Selection::likely(city));
        }
        if let Some(city) = self.with_general_zipcode(zipcode)
            && elsewhere.iter().any(|candidate| candidate.city == city)
        {
            return Some(Selection::exact(city));
        }
        let near: Vec<Candidate> = elsewhere
            .iter()
            .filter(|candidate| is_in_area(self.city(candidate.city), zipcode))
            .copied()
            .collect();
        match (near.is_empty(), holders.is_empty()) {
            // The zipcode of a sorting office: the department and the name are enough.
            (false, true) if self.place_query.cedex => self.settle(near, Certainty::Exact),
            (false, true) => {
                self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                self.settle(near, Certainty::Likely)
            }
            (false, false) => {
                let pick = self.settle(near, Certainty::Likely)?;
                let insee = self.city(pick.city).insee.clone();
                self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode: zipcode.clone(), insee });
                Some(pick)
            }
            (true, _) if !elsewhere.is_empty() => self.far_apart(zipcode, elsewhere),
            (true, true) => {
                if !self.place_query.cedex {
                    self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                }
                self.by_spelling(|city| is_in_area(city, zipcode))
            }
            (true, false) => {
                self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
                self.by_zipcode(zipcode).map(|pick| Selection::likely(pick.city))
            }
        }
    }

    /// Zipcode and name are in different parts of the country: coordinates may tell which is right.
    fn far_apart(&mut self, zipcode: &Zipcode, named: Vec<Candidate>) -> Option<Selection> {
        let known_area = self.gazetteer.cities().iter().any(|city| is_in_area(city, zipcode));
        if !known_area {
            // 00000 and the like say nothing at all.
            self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
            return self.settle(named, Certainty::Likely);
        }
        let near_name: Vec<_> =
            named.into_iter().filter(|candidate| self.is_near_point(candidate.city)).collect();
        let near_zipcode = self.nearest_to_point(&self.smallest_holders(zipcode));
        match (near_zipcode, near_name.is_empty()) {
            (Some(city), true) => {
                let insee = self.city(city).insee.clone();
                self.warnings.push(PlaceWarning::NameElsewhere { name: self.name.clone(), insee });
                Some(Selection::likely(city))
            }
            (None, false) => {
                let pick = self.settle(near_name, Certainty::Likely)?;
                let insee = self.city(pick.city).insee.clone();
                self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode: zipcode.clone(), insee });
                Some(pick)
            }
            _ => {
                self.warnings
                    .push(PlaceWarning::Contradiction { zipcode: zipcode.clone(), name: self.name.clone() });
                None
            }
        }
    }

    fn by_zipcode(&mut self, zipcode: &Zipcode) -> Option<Selection> {
        let mut holders = self.smallest_holders(zipcode);
        if holders.is_empty() {
            holders.extend(self.with_general_zipcode(zipcode));
        }
        match holders.as_slice() {
            [] => {
                self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                None
            }
            [city] => Some(Selection::exact(*city)),
            several => {
                let communes = several.len();
                self.warnings.push(PlaceWarning::ZipcodeShared { zipcode: zipcode.clone(), communes });
                self.nearest_to_point(several).or_else(|| self.largest(several)).map(Selection::likely)
            }
        }
    }

    /// 75000, 69000 and 13000 are nobody's zipcodes, but everybody knows which city they mean.
    fn with_general_zipcode(&self, zipcode: &Zipcode) -> Option<u32> {
        let area = zipcode.as_str().strip_suffix("000")?;
        (0..).zip(self.gazetteer.cities()).find_map(|(place, city)| {
            (!city.districts.is_empty() && *city.department.code == *area).then_some(place)
        })
    }

    fn by_name(&mut self) -> Option<Selection> {
        let NameLookup { mut candidates, department } = self.meaning();
        let Some(department) = department else {
            return if candidates.is_empty() {
                self.by_spelling(|_| true)
            } else {
                self.settle(candidates, Certainty::Exact)
            };
        };
        let known = !candidates.is_empty();
        candidates.retain(|candidate| place_query::number_fits(self.city(candidate.city), &department));
        if !candidates.is_empty() {
            return self.settle(candidates, Certainty::Exact);
        }
        let doubts = self.warnings.len();
        let pick = self.by_spelling(|city| place_query::number_fits(city, &department));
        if pick.is_none() && known {
            self.warnings.truncate(doubts);
            self.warnings.push(PlaceWarning::DepartmentElsewhere { name: self.name.clone(), department });
        }
        pick
    }

    /// Chooses among communes of the same name.
    fn settle(&mut self, candidates: Vec<Candidate>, certainty: Certainty) -> Option<Selection> {
        let current: Vec<u32> =
            candidates.iter().filter(|candidate| !candidate.former).map(|candidate| candidate.city).collect();
        let is_former = current.is_empty();
        let cities =
            if is_former { candidates.iter().map(|candidate| candidate.city).collect() } else { current };
        let near: Vec<u32> = cities.iter().copied().filter(|city| self.is_near_point(*city)).collect();
        let pick = match (cities.as_slice(), near.as_slice()) {
            ([city], _) | (_, [city]) => Selection { city: *city, certainty },
            _ => {
                self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes: cities.len() });
                Selection::likely(self.nearest_to_point(&cities).or_else(|| self.largest(&cities))?)
            }
        };
        if is_former {
            let taken = self.city(pick.city).name.to_string();
            self.warnings.push(PlaceWarning::FormerName { given: self.name.clone(), taken });
        }
        Some(pick)
    }

    /// The communes the words mean when spelling needs no repair.
    fn meaning(&self) -> NameLookup {
        let words = &self.place_query.words;
        let mut candidates = self.called(words);
        let mut department = self.place_query.number.clone().filter(|number| {
            !candidates.iter().any(|candidate| self.district(candidate.city, number).is_some())
        });
        if let (true, [name @ .., last]) = (candidates.is_empty(), words.as_slice())
            && district_number(last).is_some()
        {
            // `Paris XVI`
            candidates = self.called(name);
            candidates.retain(|candidate| self.district(candidate.city, last).is_some());
        }
        if candidates.is_empty() && department.is_none() {
            // `Saint Denis La Réunion`
            for split in (1..words.len()).rev().take(DEPARTMENT_WORDS_MAX) {
                let (name, after) = words.split_at(split);
                let Some(code) = self.department_named(after) else { continue };
                candidates = self.called(name);
                if !candidates.is_empty() {
                    department = Some(code);
                    break;
                }
            }
        }
        NameLookup { candidates, department }
    }

    /// The code of the department somebody names after a place, its article or not.
    fn department_named(&self, words: &[String]) -> Option<String> {
        let wanted = words.join(" ");
        let gazetteer = self.gazetteer;
        let labels = (gazetteer.cities().len() as u32..).zip(gazetteer.departments());
        let mut named = labels.filter(|(label, _)| {
            let name = gazetteer.labels.folded(*label);
            name == wanted || name.strip_prefix("la ").is_some_and(|name| name == wanted)
        });
        named.next().map(|(_, department)| department.code.to_string())
    }

    fn called(&self, words: &[String]) -> Vec<Candidate> {
        let gazetteer = self.gazetteer;
        place_query::keys(words)
            .iter()
            .map(|key| gazetteer.names.candidates(&gazetteer.geography, &gazetteer.labels, key))
            .find(|candidates| !candidates.is_empty())
            .unwrap_or_default()
    }

    /// The district of a city that a number means, if the city has so many.
    fn district(&self, city: u32, number: &str) -> Option<u32> {
        self.nth_district(city, district_number(number)?)
    }

    fn nth_district(&self, city: u32, number: usize) -> Option<u32> {
        let district = self.city(city).districts.get(number.checked_sub(1)?)?;
        self.gazetteer.current(district)
    }

    /// From a city that has districts to the one that is meant.
    pub(super) fn refine_by_words(&mut self, pick: &mut Selection) {
        let city = self.city(pick.city);
        if city.districts.is_empty() {
            return;
        }
        let number = self.place_query.number.clone();
        let last = self.place_query.words.last().cloned();
        let by_number = self
            .place_query
            .ordinal
            .and_then(|ordinal| self.nth_district(pick.city, ordinal))
            .or_else(|| self.district(pick.city, number.as_deref()?))
            .or_else(|| self.district(pick.city, last.as_deref()?));
        let holders = self.zipcode.as_ref().map(|zipcode| self.holders(zipcode)).unwrap_or_default();
        let mut of_city =
            holders.into_iter().filter(|holder| self.city(*holder).parent.as_ref() == Some(&city.insee));
        // A zipcode that two districts share tells neither.
        let by_zipcode = of_city.next().filter(|_| of_city.next().is_none());
        let also_department = number.filter(|number| city.department.code.eq_ignore_ascii_case(number));
        match (by_zipcode, by_number) {
            (Some(district), other)
                if other.is_none_or(|other| other == district) || also_department.is_some() =>
            {
                pick.city = district;
            }
            (Some(_), Some(other)) => {
                // Zipcode and number mean different districts: only the city is sure.
                let insee = self.city(other).insee.clone();
                if let Some(zipcode) = self.zipcode.clone() {
                    self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode, insee });
                }
                pick.certainty = Certainty::Likely;
            }
            (None, Some(district)) => {
                pick.city = district;
                if let Some(number) = also_department {
                    let insee = self.city(district).insee.clone();
                    self.warnings.push(PlaceWarning::NumberUnclear { number, insee });
                    pick.certainty = Certainty::Likely;
                }
            }
            _ => {}
        }
    }

    pub(super) fn zipcode_agrees(&self, city: u32, zipcode: &Zipcode) -> bool {
        let city = self.city(city);
        // A zipcode of nobody in the same area is that of a sorting office.
        city.zipcodes.contains(zipcode) || self.holders(zipcode).is_empty() && is_in_area(city, zipcode)
    }

    pub(super) fn is_unknown_name(&self) -> bool {
        self.meaning().candidates.is_empty()
    }

    pub(super) fn name_agrees(&self, city: u32) -> bool {
        let parent = self.city(city).parent.as_ref().and_then(|parent| self.gazetteer.current(parent));
        let family = [Some(city), parent];
        let meant = self.meaning().candidates;
        let is_named = |city: u32| {
            meant.iter().any(|candidate| candidate.city == city) || self.most_similar(&[city]).is_some()
        };
        family.into_iter().flatten().any(is_named)
    }

    pub(super) fn city(&self, city: u32) -> &City {
        self.gazetteer.at(city)
    }

    fn holders(&self, zipcode: &Zipcode) -> Vec<u32> {
        self.gazetteer.zipcodes.holders(zipcode.as_str()).collect()
    }

    /// The same without cities that have the zipcode only through a district of theirs.
    fn smallest_holders(&self, zipcode: &Zipcode) -> Vec<u32> {
        self.holders(zipcode).into_iter().filter(|city| self.city(*city).districts.is_empty()).collect()
    }

    fn distance_km(&self, city: u32) -> Option<f64> {
        Some(self.point?.distance_km(self.city(city).centre?))
    }

    fn is_near_point(&self, city: u32) -> bool {
        self.distance_km(city).is_some_and(|distance_km| distance_km <= FAR_KM)
    }

    pub(super) fn nearest_to_point(&self, cities: &[u32]) -> Option<u32> {
        let near = cities.iter().filter(|city| self.is_near_point(**city));
        near.min_by(|a, b| {
            let distance = |city: &u32| self.distance_km(*city).unwrap_or(f64::INFINITY);
            distance(a).total_cmp(&distance(b))
        })
        .copied()
    }

    pub(super) fn largest(&self, cities: &[u32]) -> Option<u32> {
        cities.iter().max_by_key(|city| (self.city(**city).population, std::cmp::Reverse(**city))).copied()
    }
}

/// Whether a commune lies where zipcodes that begin like this one are delivered: the department, more or less.
fn is_in_area(city: &City, zipcode: &Zipcode) -> bool {
    let zipcode = zipcode.as_str();
    let overseas = zipcode.starts_with("97") || zipcode.starts_with("98");
    let Some(area) = zipcode.get(..if overseas { 3 } else { 2 }) else { return false };
    *city.department.code == *area || city.zipcodes.iter().any(|own| own.as_str().starts_with(area))
}
