//! Resolves by zipcode, by name, or by both.

use domain::{City, Zipcode};

use super::fuzzy::Similarity;
use super::{Certainty, FAR_KM, KNOWN_TOWN_POPULATION, NAME_REACH_KM, PlaceWarning, Resolver, Selection};
use crate::name_index::{Candidate, NameKind};
use crate::place_query::{self, district_number};

/// Towns of this size have quarters with names of their own. An unknown word next to the name of a smaller one is more
/// likely to be part of the name of another commune.
pub(super) const QUARTERS_POPULATION_MIN: u32 = 10_000;

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
        let (here, elsewhere): (Vec<_>, Vec<_>) = self
            .lookup
            .candidates()
            .copied()
            .partition(|candidate| self.city(candidate.city).zipcodes.contains(zipcode));
        if !here.is_empty() {
            return self.select(self.without_warning_if_named(here), Certainty::Exact);
        }
        let cities = self.cities_with(zipcode);
        let similar = self.most_similar(&cities);
        // A name that is a commune of the department is no typing error, but it may be the short form of a longer name.
        let is_short_form = |similarity| similarity == Similarity::Words;
        let is_in_area = |candidate: &Candidate| is_in_area(self.city(candidate.city), zipcode);
        if let Some((city, similarity)) = similar
            && (is_short_form(similarity) || !elsewhere.iter().any(is_in_area))
        {
            self.warn_corrected(city);
            return Some(Selection::likely(city));
        }
        if let Some(city) = self.with_general_zipcode(zipcode)
            && let Some(candidate) =
                elsewhere.iter().find(|candidate| self.gazetteer.is_related(candidate.city, city))
        {
            return self.select(vec![*candidate], Certainty::Exact);
        }
        let near: Vec<Candidate> =
            elsewhere.iter().filter(|candidate| is_in_area(candidate)).copied().collect();
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
            (true, _) if self.zipcode_is_doubtful => {
                self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
                self.nearest_to_point(&self.leaf_cities_with(zipcode)).map(Selection::likely)
            }
            (true, true) => {
                if !self.query.cedex {
                    self.warnings.push(PlaceWarning::UnknownZipcode { zipcode: zipcode.clone() });
                }
                self.by_spelling(|city| self::is_in_area(city, zipcode))
            }
            (true, false) => {
                self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
                self.by_zipcode(zipcode).map(|selection| Selection::likely(selection.city))
            }
        }
    }

    /// Handles a zipcode and a name in different parts of the country: coordinates may decide between them.
    fn far_apart(&mut self, zipcode: &Zipcode, named: Vec<Candidate>) -> Option<Selection> {
        let area_exists = self.gazetteer.cities().iter().any(|city| self::is_in_area(city, zipcode));
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
        let lookup = self.lookup.clone();
        if lookup.unknown.is_some()
            && !lookup.is_empty()
            && let Some(city) = self.most_similar_of_all(|_| true)
        {
            // A dash between spaces does not always separate two names: `La Garenne - Colombe`.
            return Some(self.guess(city));
        }
        let mut groups = lookup.groups;
        if let Some(department) = lookup.department {
            let name_exists = !groups.is_empty();
            let is_there =
                |candidate: &Candidate| place_query::number_matches(self.city(candidate.city), &department);
            groups.iter_mut().for_each(|group| group.retain(is_there));
            groups.retain(|group| !group.is_empty());
            if groups.is_empty() {
                let warnings_before = self.warnings.len();
                let selection = self.by_spelling(|city| place_query::number_matches(city, &department));
                if selection.is_none() && name_exists {
                    self.warnings.truncate(warnings_before);
                    self.warnings
                        .push(PlaceWarning::DepartmentElsewhere { name: self.name.clone(), department });
                }
                return selection;
            }
        }
        let Some(first) = groups.first().cloned() else { return self.by_spelling(|_| true) };
        if let Some(here) = self.place_far_from(&groups) {
            if let Some(guessed) = self.short_form_of_all(|_| true) {
                return Some(self.guess(guessed));
            }
            let insee = self.city(here).insee.clone();
            self.warnings.push(PlaceWarning::NameElsewhere { name: self.name.clone(), insee });
            return None;
        }
        let mut selection = if groups.len() == 1 {
            self.select(first, Certainty::Exact)
        } else {
            self.select_of_several(&groups)
        }?;
        self.check_area(&mut selection);
        if let Some(name) = lookup.unknown {
            if self.city(selection.city).population < QUARTERS_POPULATION_MIN {
                selection.certainty = Certainty::Likely;
            }
            self.warnings.push(PlaceWarning::UnknownName { name });
        }
        Some(selection)
    }

    /// Returns the place at the coordinates if every commune with the name is small and far from them, and nothing but the name is given.
    /// Without a place there, as in the sea, the coordinates are wrong.
    fn place_far_from(&self, groups: &[Vec<Candidate>]) -> Option<u32> {
        if self.lookup.department.is_some() {
            return None;
        }
        let here = self.at_point(self.point?)?.city;
        let is_far = |candidate: &Candidate| {
            let distance_km = self.distance_km(candidate.city);
            distance_km.is_some_and(|distance_km| distance_km > NAME_REACH_KM)
                && self.city(candidate.city).population < KNOWN_TOWN_POPULATION
                && !self.gazetteer.is_related(candidate.city, here)
        };
        groups.iter().flatten().all(is_far).then_some(here)
    }

    /// Reports a name that may be that of a department or region elsewhere: `La Réunion` is a village, too.
    fn check_area(&mut self, selection: &mut Selection) {
        let area = self.gazetteer.areas.named(&self.query.words);
        let is_elsewhere = area.is_some_and(|area| !self.gazetteer.is_within(selection.city, area));
        if is_elsewhere && self.lookup.department.is_none() && !self.is_near_point(selection.city) {
            self.warnings.push(PlaceWarning::NameOfArea { name: self.name.clone() });
            selection.certainty = Certainty::Likely;
        }
    }

    /// Selects a commune if the text names several places: the one they agree on, if there is one.
    fn select_of_several(&mut self, groups: &[Vec<Candidate>]) -> Option<Selection> {
        let related = |city: u32, group: &[Candidate]| {
            group.iter().any(|candidate| self.gazetteer.is_related(candidate.city, city))
        };
        let votes = |city: u32| groups.iter().filter(|group| related(city, group)).count();
        let all = || groups.iter().flatten().copied();
        let most = all().map(|candidate| votes(candidate.city)).max().unwrap_or_default();
        if most > 1 {
            let agreed: Vec<Candidate> = all().filter(|candidate| votes(candidate.city) == most).collect();
            return self.select(self.without_warning_if_named(agreed), Certainty::Exact);
        }
        // `Toulon / La Garde`: the first of two neighbours, or else the largest.
        let (first, others) = groups.split_first()?;
        let departments: Vec<u64> =
            others.iter().flatten().map(|candidate| self.city(candidate.city).department.id).collect();
        let mut neighbours: Vec<u32> = first.iter().map(|candidate| candidate.city).collect();
        neighbours.retain(|city| departments.contains(&self.city(*city).department.id));
        let cities: Vec<u32> = all().map(|candidate| candidate.city).collect();
        let near = self.nearest_to_point(&cities);
        let city = near.or_else(|| self.largest(&neighbours)).or_else(|| self.largest(&cities))?;
        self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes: groups.len() });
        Some(Selection::likely(city))
    }

    /// Removes what is not the most precise of related candidates. A place inside a commune needs no warning if the commune is
    /// named as well.
    fn without_warning_if_named(&self, candidates: Vec<Candidate>) -> Vec<Candidate> {
        let is_named = |city: u32| {
            self.lookup
                .candidates()
                .any(|other| other.kind == NameKind::Own && self.gazetteer.is_related(other.city, city))
        };
        let mut precise: Vec<Candidate> = candidates
            .iter()
            .filter(|candidate| {
                !candidates.iter().any(|other| self.gazetteer.parent(other.city) == Some(candidate.city))
            })
            .map(|candidate| {
                let kind = if is_named(candidate.city) { NameKind::Own } else { candidate.kind };
                Candidate { city: candidate.city, kind }
            })
            .collect();
        precise.sort_by_key(|candidate| (candidate.city, candidate.kind));
        precise.dedup_by_key(|candidate| candidate.city);
        precise
    }

    /// Selects one of several communes with the same name.
    fn select(&mut self, candidates: Vec<Candidate>, certainty: Certainty) -> Option<Selection> {
        let near: Vec<Candidate> =
            candidates.iter().copied().filter(|candidate| self.is_near_point(candidate.city)).collect();
        let candidates = if near.is_empty() { candidates } else { near };
        let own: Vec<Candidate> =
            candidates.iter().copied().filter(|candidate| candidate.kind == NameKind::Own).collect();
        let candidates = if own.is_empty() { candidates } else { own };
        let selection = match candidates.as_slice() {
            [candidate] => Selection { city: candidate.city, certainty },
            several => {
                let cities: Vec<u32> = several.iter().map(|candidate| candidate.city).collect();
                self.warnings
                    .push(PlaceWarning::NameShared { name: self.name.clone(), communes: cities.len() });
                Selection::likely(self.nearest_to_point(&cities).or_else(|| self.largest(&cities))?)
            }
        };
        let kind = candidates.iter().find(|candidate| candidate.city == selection.city).map(|it| it.kind);
        let (given, selected) = (self.name.clone(), self.city(selection.city).name.to_string());
        match kind {
            Some(NameKind::Former) => self.warnings.push(PlaceWarning::FormerName { given, selected }),
            Some(NameKind::Inside) => self.warnings.push(PlaceWarning::PlaceInside { given, selected }),
            Some(NameKind::Own) | None => {}
        }
        Some(selection)
    }

    fn nth_district(&self, city: u32, number: usize) -> Option<u32> {
        let district = self.city(city).districts.get(number.checked_sub(1)?)?;
        self.gazetteer.current(district)
    }

    /// Returns the districts of a city that the text gives, by number or by the name of a place inside them, and the number
    /// that could be the department as well.
    fn given_districts(&mut self, city: u32) -> (Vec<u32>, Option<String>) {
        let code = self.city(city).department.code.to_ascii_lowercase();
        let (ordinals, plain): (Vec<_>, Vec<_>) =
            self.lookup.numbers.iter().cloned().partition(|number| number.ordinal.is_some());
        let mut districts: Vec<u32> = Vec::new();
        for ordinal in &ordinals {
            match ordinal.ordinal.and_then(|number| self.nth_district(city, number)) {
                Some(district) => districts.push(district),
                None => {
                    let (number, insee) = (ordinal.text.clone(), self.city(city).insee.clone());
                    self.warnings.push(PlaceWarning::UnknownDistrict { number, insee });
                }
            }
        }
        let mut department = None;
        if ordinals.is_empty() {
            let (same, others): (Vec<_>, Vec<_>) = plain.into_iter().partition(|number| number.text == code);
            let numbered = |text: &str| self.nth_district(city, district_number(text)?);
            districts.extend(others.iter().filter_map(|number| numbered(&number.text)));
            match same.as_slice() {
                // The same number twice is the department and the district.
                [number, _, ..] => districts.extend(numbered(&number.text)),
                [number] if districts.is_empty() && !number.aside => {
                    districts.extend(numbered(&number.text));
                    department = Some(number.text.clone()).filter(|_| !districts.is_empty());
                }
                _ => {}
            }
        }
        if districts.is_empty() {
            let inside = self.lookup.candidates().map(|candidate| candidate.city);
            districts.extend(inside.filter(|inside| self.gazetteer.parent(*inside) == Some(city)));
        }
        districts.sort_unstable();
        districts.dedup();
        (districts, department)
    }

    /// Replaces a city that has districts by the given district.
    pub(super) fn refine_by_text(&mut self, selection: &mut Selection) {
        let city = self.city(selection.city).clone();
        if city.districts.is_empty() {
            self.check_district(selection);
            return;
        }
        let warnings_before = self.warnings.len();
        let (districts, also_department) = self.given_districts(selection.city);
        if self.warnings.len() > warnings_before {
            selection.certainty = Certainty::Likely;
        }
        let by_number = match districts.as_slice() {
            [] => None,
            [district] => Some(*district),
            several => {
                let communes = several.len();
                self.warnings.push(PlaceWarning::NameShared { name: self.name.clone(), communes });
                selection.certainty = Certainty::Likely;
                None
            }
        };
        let cities = self.zipcode.as_ref().map(|zipcode| self.cities_with(zipcode)).unwrap_or_default();
        let mut of_city =
            cities.into_iter().filter(|holder| self.city(*holder).parent.as_ref() == Some(&city.insee));
        // A zipcode that two districts share identifies neither.
        let by_zipcode = of_city.next().filter(|_| of_city.next().is_none());
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

    /// Compares a district that was found by the name of a place inside it with the district given by number.
    fn check_district(&mut self, selection: &mut Selection) {
        let Some(parent) = self.gazetteer.parent(selection.city) else { return };
        let warnings_before = self.warnings.len();
        let (districts, also_department) = self.given_districts(parent);
        self.warnings.truncate(warnings_before);
        if let [district] = districts.as_slice()
            && *district != selection.city
            && also_department.is_none()
            && self.zipcode.is_none()
        {
            // `Montmartre, Paris 9e`: quarters extend beyond districts, so the number decides.
            let insee = self.city(*district).insee.clone();
            self.warnings.push(PlaceWarning::NameElsewhere { name: self.name.clone(), insee });
            *selection = Selection::likely(*district);
        }
    }

    pub(super) fn zipcode_agrees(&self, city: u32, zipcode: &Zipcode) -> bool {
        let city = self.city(city);
        // An unknown zipcode in the same area is that of a sorting office.
        city.zipcodes.contains(zipcode) || self.cities_with(zipcode).is_empty() && is_in_area(city, zipcode)
    }

    pub(super) fn name_is_unknown(&self) -> bool {
        self.lookup.is_empty()
    }

    pub(super) fn name_agrees(&self, city: u32) -> bool {
        let family = [Some(city), self.gazetteer.parent(city)];
        self.lookup.candidates().any(|candidate| self.gazetteer.is_related(candidate.city, city))
            || family.into_iter().flatten().any(|city| self.most_similar(&[city]).is_some())
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

    pub(super) fn is_near_point(&self, city: u32) -> bool {
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
