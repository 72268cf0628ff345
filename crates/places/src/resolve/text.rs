//! Resolves by zipcode, by name, or by both.

use domain::{City, Zipcode};

use super::{Certainty, FAR_KM, PlaceWarning, Resolver, Selection};
use crate::name_index::Candidate;
use crate::place_query::{self, district_number};

/// The number of words of the longest department name: Terres australes et antarctiques françaises.
const DEPARTMENT_WORDS_MAX: usize = 5;

/// The possible communes of a name.
#[derive(Default)]
struct NameLookup {
    candidates: Vec<Candidate>,
    /// The department given with the name, by name or number.
    department: Option<String>,
}

impl Resolver<'_> {
    pub(super) fn by_text(&mut self) -> Option<Selection> {
        let named = !self.query.words.is_empty();
        let mut selection = match self.zipcode.clone() {
            Some(zipcode) if named => self.by_zipcode_and_name(&zipcode),
            Some(zipcode) => self.by_zipcode(&zipcode),
            None if named => self.by_name(),
            None => None,
        }?;
        self.refine_by_text(&mut selection);
        Some(selection)
    }

    fn by_zipcode_and_name(&mut self, zipcode: &Zipcode) -> Option<Selection> {
        let NameLookup { candidates, .. } = self.look_up_name();
        let (here, elsewhere): (Vec<_>, Vec<_>) = candidates
            .into_iter()
            .partition(|candidate| self.city(candidate.city).zipcodes.contains(zipcode));
        if !here.is_empty() {
            return self.select(here, Certainty::Exact);
        }
        let cities = self.cities_with(zipcode);
        if let Some(city) = self.most_similar(&cities) {
            self.warn_corrected(city);
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
        match (near.is_empty(), cities.is_empty()) {
            // The zipcode of a sorting office: department and name are sufficient.
            (false, true) if self.query.cedex => self.select(near, Certainty::Exact),
            (false, true) => {
                self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                self.select(near, Certainty::Likely)
            }
            (false, false) => {
                let selection = self.select(near, Certainty::Likely)?;
                let insee = self.city(selection.city).insee.clone();
                self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode: zipcode.clone(), insee });
                Some(selection)
            }
            (true, _) if !elsewhere.is_empty() => self.far_apart(zipcode, elsewhere),
            (true, true) => {
                if !self.query.cedex {
                    self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                }
                self.by_spelling(|city| is_in_area(city, zipcode))
            }
            (true, false) => {
                self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
                self.by_zipcode(zipcode).map(|selection| Selection::likely(selection.city))
            }
        }
    }

    /// Handles a zipcode and a name in different parts of the country: coordinates may decide between them.
    fn far_apart(&mut self, zipcode: &Zipcode, named: Vec<Candidate>) -> Option<Selection> {
        let area_exists = self.gazetteer.cities().iter().any(|city| is_in_area(city, zipcode));
        if !area_exists {
            // 00000 and the like carry no information.
            self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
            return self.select(named, Certainty::Likely);
        }
        let near_name: Vec<_> =
            named.into_iter().filter(|candidate| self.is_near_point(candidate.city)).collect();
        let near_zipcode = self.nearest_to_point(&self.leaf_cities_with(zipcode));
        match (near_zipcode, near_name.is_empty()) {
            (Some(city), true) => {
                let insee = self.city(city).insee.clone();
                self.warnings.push(PlaceWarning::NameElsewhere { name: self.name.clone(), insee });
                Some(Selection::likely(city))
            }
            (None, false) => {
                let selection = self.select(near_name, Certainty::Likely)?;
                let insee = self.city(selection.city).insee.clone();
                self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode: zipcode.clone(), insee });
                Some(selection)
            }
            _ => {
                self.warnings
                    .push(PlaceWarning::Contradiction { zipcode: zipcode.clone(), name: self.name.clone() });
                None
            }
        }
    }

    fn by_zipcode(&mut self, zipcode: &Zipcode) -> Option<Selection> {
        let mut cities = self.leaf_cities_with(zipcode);
        if cities.is_empty() {
            cities.extend(self.with_general_zipcode(zipcode));
        }
        match cities.as_slice() {
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

    /// Returns the city of a general zipcode. 75000, 69000 and 13000 belong to no district, but are commonly used for the
    /// whole city.
    fn with_general_zipcode(&self, zipcode: &Zipcode) -> Option<u32> {
        let area = zipcode.as_str().strip_suffix("000")?;
        (0..).zip(self.gazetteer.cities()).find_map(|(index, city)| {
            (!city.districts.is_empty() && *city.department.code == *area).then_some(index)
        })
    }

    fn by_name(&mut self) -> Option<Selection> {
        let NameLookup { mut candidates, department } = self.look_up_name();
        let Some(department) = department else {
            return if candidates.is_empty() {
                self.by_spelling(|_| true)
            } else {
                self.select(candidates, Certainty::Exact)
            };
        };
        let name_exists = !candidates.is_empty();
        candidates.retain(|candidate| place_query::number_matches(self.city(candidate.city), &department));
        if !candidates.is_empty() {
            return self.select(candidates, Certainty::Exact);
        }
        let warnings_before = self.warnings.len();
        let selection = self.by_spelling(|city| place_query::number_matches(city, &department));
        if selection.is_none() && name_exists {
            self.warnings.truncate(warnings_before);
            self.warnings.push(PlaceWarning::DepartmentElsewhere { name: self.name.clone(), department });
        }
        selection
    }

    /// Selects one of several communes with the same name.
    fn select(&mut self, candidates: Vec<Candidate>, certainty: Certainty) -> Option<Selection> {
        let current: Vec<u32> =
            candidates.iter().filter(|candidate| !candidate.former).map(|candidate| candidate.city).collect();
        let is_former = current.is_empty();
        let cities =
            if is_former { candidates.iter().map(|candidate| candidate.city).collect() } else { current };
        let near: Vec<u32> = cities.iter().copied().filter(|city| self.is_near_point(*city)).collect();
        let selection = match (cities.as_slice(), near.as_slice()) {
            ([city], _) | (_, [city]) => Selection { city: *city, certainty },
            _ => {
                self.warnings
                    .push(PlaceWarning::NameShared { name: self.name.clone(), communes: cities.len() });
                Selection::likely(self.nearest_to_point(&cities).or_else(|| self.largest(&cities))?)
            }
        };
        if is_former {
            let selected = self.city(selection.city).name.to_string();
            self.warnings.push(PlaceWarning::FormerName { given: self.name.clone(), selected });
        }
        Some(selection)
    }

    /// Looks up the communes with exactly this name.
    fn look_up_name(&self) -> NameLookup {
        let words = &self.query.words;
        let mut candidates = self.communes_named(words);
        let mut department = self.query.number.clone().filter(|number| {
            !candidates.iter().any(|candidate| self.district(candidate.city, number).is_some())
        });
        if let (true, [name @ .., last]) = (candidates.is_empty(), words.as_slice())
            && district_number(last).is_some()
        {
            // `Paris XVI`
            candidates = self.communes_named(name);
            candidates.retain(|candidate| self.district(candidate.city, last).is_some());
        }
        if candidates.is_empty() && department.is_none() {
            // `Saint Denis La Réunion`
            for split in (1..words.len()).rev().take(DEPARTMENT_WORDS_MAX) {
                let (name, after) = words.split_at(split);
                let Some(code) = self.department_named(after) else { continue };
                candidates = self.communes_named(name);
                if !candidates.is_empty() {
                    department = Some(code);
                    break;
                }
            }
        }
        NameLookup { candidates, department }
    }

    /// Returns the code of the department with this name, with or without its article.
    fn department_named(&self, words: &[String]) -> Option<String> {
        let given = words.join(" ");
        let gazetteer = self.gazetteer;
        let departments = (gazetteer.cities().len() as u32..).zip(gazetteer.departments());
        let mut named = departments.filter(|(index, _)| {
            let name = gazetteer.prefixes.folded(*index);
            name == given || name.strip_prefix("la ").is_some_and(|name| name == given)
        });
        named.next().map(|(_, department)| department.code.to_string())
    }

    fn communes_named(&self, words: &[String]) -> Vec<Candidate> {
        let gazetteer = self.gazetteer;
        place_query::keys(words)
            .iter()
            .map(|key| gazetteer.names.candidates(&gazetteer.geography, &gazetteer.prefixes, key))
            .find(|candidates| !candidates.is_empty())
            .unwrap_or_default()
    }

    /// Returns the district of a city with this number.
    fn district(&self, city: u32, number: &str) -> Option<u32> {
        self.nth_district(city, district_number(number)?)
    }

    fn nth_district(&self, city: u32, number: usize) -> Option<u32> {
        let district = self.city(city).districts.get(number.checked_sub(1)?)?;
        self.gazetteer.current(district)
    }

    /// Replaces a city that has districts by the given district.
    pub(super) fn refine_by_text(&mut self, selection: &mut Selection) {
        let city = self.city(selection.city);
        if city.districts.is_empty() {
            return;
        }
        let number = self.query.number.clone();
        let last = self.query.words.last().cloned();
        let by_number = self
            .query
            .ordinal
            .and_then(|ordinal| self.nth_district(selection.city, ordinal))
            .or_else(|| self.district(selection.city, number.as_deref()?))
            .or_else(|| self.district(selection.city, last.as_deref()?));
        let cities = self.zipcode.as_ref().map(|zipcode| self.cities_with(zipcode)).unwrap_or_default();
        let mut of_city =
            cities.into_iter().filter(|holder| self.city(*holder).parent.as_ref() == Some(&city.insee));
        // A zipcode that two districts share identifies neither.
        let by_zipcode = of_city.next().filter(|_| of_city.next().is_none());
        let also_department = number.filter(|number| city.department.code.eq_ignore_ascii_case(number));
        match (by_zipcode, by_number) {
            (Some(district), other)
                if other.is_none_or(|other| other == district) || also_department.is_some() =>
            {
                selection.city = district;
            }
            (Some(_), Some(other)) => {
                // Zipcode and number identify different districts: only the city is certain.
                let insee = self.city(other).insee.clone();
                if let Some(zipcode) = self.zipcode.clone() {
                    self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode, insee });
                }
                selection.certainty = Certainty::Likely;
            }
            (None, Some(district)) => {
                selection.city = district;
                if let Some(number) = also_department {
                    let insee = self.city(district).insee.clone();
                    self.warnings.push(PlaceWarning::AmbiguousNumber { number, insee });
                    selection.certainty = Certainty::Likely;
                }
            }
            _ => {}
        }
    }

    pub(super) fn zipcode_agrees(&self, city: u32, zipcode: &Zipcode) -> bool {
        let city = self.city(city);
        // An unknown zipcode in the same area is that of a sorting office.
        city.zipcodes.contains(zipcode) || self.cities_with(zipcode).is_empty() && is_in_area(city, zipcode)
    }

    pub(super) fn name_is_unknown(&self) -> bool {
        self.look_up_name().candidates.is_empty()
    }

    pub(super) fn name_agrees(&self, city: u32) -> bool {
        let parent = self.city(city).parent.as_ref().and_then(|parent| self.gazetteer.current(parent));
        let family = [Some(city), parent];
        let candidates = self.look_up_name().candidates;
        let is_named = |city: u32| {
            candidates.iter().any(|candidate| candidate.city == city) || self.most_similar(&[city]).is_some()
        };
        family.into_iter().flatten().any(is_named)
    }

    pub(super) fn city(&self, city: u32) -> &City {
        self.gazetteer.at(city)
    }

    fn cities_with(&self, zipcode: &Zipcode) -> Vec<u32> {
        self.gazetteer.zipcodes.cities_with(zipcode.as_str()).collect()
    }

    /// Like `cities_with`, without cities that have the zipcode only through one of their districts.
    fn leaf_cities_with(&self, zipcode: &Zipcode) -> Vec<u32> {
        self.cities_with(zipcode).into_iter().filter(|city| self.city(*city).districts.is_empty()).collect()
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

/// Returns `true` if a commune is in the area of zipcodes with the same prefix, which is roughly the department.
fn is_in_area(city: &City, zipcode: &Zipcode) -> bool {
    let zipcode = zipcode.as_str();
    let overseas = zipcode.starts_with("97") || zipcode.starts_with("98");
    let Some(area) = zipcode.get(..if overseas { 3 } else { 2 }) else { return false };
    *city.department.code == *area || city.zipcodes.iter().any(|own| own.as_str().starts_with(area))
}
