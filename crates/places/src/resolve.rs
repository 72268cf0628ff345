//! Resolving: which commune or district an advert means by what it says about its place.
//!
//! Each part of what is given is a statement: a code, a zipcode, a name, a point. The commune all of them agree on is
//! exact. Where they do not agree, or a spelling had to be repaired, the likeliest is taken and every doubt is told as a
//! [`PlaceWarning`]; where two statements exclude each other and nothing tips the scales, no place is taken.

mod names;
mod warning;
mod similar;
mod worded;

use domain::{GeoAccuracy, GeoPoint, GivenPlace, Insee, Placement, Zipcode};

use crate::gazetteer::Gazetteer;
use crate::place_query::PlaceQuery;
pub(crate) use names::NameIndex;
pub use warning::{PlaceWarning, PlaceField};

/// Farther from a commune's centre than this, coordinates are taken to be somewhere else. No commune of mainland France
/// reaches so far; for those of Guyane that do, it counts which centre is nearest.
pub const FAR_KM: f64 = 30.0;

/// No commune reaches farther from its centre: Maripasoula, the largest, is some 200 km from end to end.
const COMMUNE_REACH_KM: f64 = 200.0;

/// Text beyond this many characters says nothing about a place any more.
const TEXT_MAX: usize = 200;

/// What became of a given place.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    pub placement: Option<Placement>,
    pub certainty: Certainty,
    pub warnings: Vec<PlaceWarning>,
}

/// How sure the placement is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// What was given means this place and no other.
    Exact,
    /// A spelling was repaired, a contradiction settled, or the largest of several places taken; the warnings say which.
    Likely,
    /// Only coordinates were of use: it is the place whose centre is nearest.
    Nearest,
    /// There is no placement.
    Unknown,
}

/// A city taken, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Selection {
    city: u32,
    certainty: Certainty,
}

impl Selection {
    const fn exact(city: u32) -> Self {
        Self { city, certainty: Certainty::Exact }
    }

    const fn likely(city: u32) -> Self {
        Self { city, certainty: Certainty::Likely }
    }
}

/// A given place while it is being resolved.
struct Resolver<'a> {
    gazetteer: &'a Gazetteer,
    /// The name as it was given.
    name: String,
    place_query: PlaceQuery,
    zipcode: Option<Zipcode>,
    point: Option<GeoPoint>,
    warnings: Vec<PlaceWarning>,
}

impl Gazetteer {
    /// Resolves what an advert says about its place.
    pub fn resolve(&self, given: &GivenPlace) -> Resolution {
        let GivenPlace { insee, zipcode, city_name, point, accuracy } = given;
        let name = city_name.as_ref().map(|name| clipped(name.as_str())).unwrap_or_default();
        let place_query = PlaceQuery::read(&name);
        let zipcode = zipcode.as_ref().map(|zipcode| self.repaired(zipcode));
        let worded_zipcode = place_query.zipcode.as_deref().and_then(Zipcode::parse);
        let mut case = Resolver {
            gazetteer: self,
            name: place_query.name_in(&name),
            place_query,
            zipcode: zipcode.or(worded_zipcode),
            point: *point,
            warnings: Vec::new(),
        };
        let mut pick = insee.as_ref().and_then(|insee| case.by_code(insee)).or_else(|| case.by_words());
        if let (Some(taken), Some(GeoAccuracy::HouseNumber)) = (&mut pick, accuracy) {
            case.refine_by_point(taken);
        }
        match &mut pick {
            Some(taken) => case.check_point(taken),
            None => pick = case.by_point(),
        }
        case.resolution(pick)
    }

    /// Resolves one line of text: `st etienne 42`, `75011 Paris`, `Aix en provence cedex 2`.
    pub fn resolve_text(&self, text: &str) -> Resolution {
        let text = clipped(text);
        let PlaceQuery { words, zipcode: code, .. } = PlaceQuery::read(&text);
        // Five digits that are no zipcode may be a commune's code. Beside a name they are a sorting office's.
        let insee = code
            .filter(|code| words.is_empty() && self.zipcodes.holders(code).next().is_none())
            .and_then(|code| Insee::parse(&code))
            .filter(|insee| self.city(insee).is_some());
        let city_name = domain::ShortText::new(&text.replace(char::is_control, " ")).ok().flatten();
        self.resolve(&GivenPlace { insee, city_name, ..GivenPlace::default() })
    }

    /// The zipcode as the data has it: a spreadsheet drops the zero of 01000, and some write F-75011.
    fn repaired(&self, given: &Zipcode) -> Zipcode {
        let known = |zipcode: &Zipcode| self.zipcodes.holders(zipcode.as_str()).next().is_some();
        let text = given.as_str();
        if known(given) {
            return given.clone();
        }
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        let padded = format!("{digits:0>5}");
        let without_letters = text.trim_start_matches(|letter: char| !letter.is_ascii_digit());
        let repairs = [without_letters, if digits.len() == 4 { &padded } else { &digits }];
        repairs.into_iter().filter_map(Zipcode::parse).find(known).unwrap_or_else(|| given.clone())
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}

impl Resolver<'_> {
    /// The commune with the code given, unless zipcode and name together say otherwise.
    fn by_code(&mut self, insee: &Insee) -> Option<Selection> {
        let gazetteer = self.gazetteer;
        let city = match (gazetteer.current(insee), gazetteer.successor(insee)) {
            (Some(city), _) => city,
            (None, Some(city)) => {
                let taken = gazetteer.at(city).insee.clone();
                self.warnings.push(PlaceWarning::FormerInsee { given: insee.clone(), taken });
                city
            }
            (None, None) => {
                self.warnings.push(PlaceWarning::UnknownInsee { insee: insee.clone() });
                return None;
            }
        };
        let zipcode_agrees = self.zipcode.as_ref().is_none_or(|zipcode| self.zipcode_agrees(city, zipcode));
        let name_agrees = self.place_query.words.is_empty() || self.name_agrees(city);
        if zipcode_agrees && !name_agrees && self.is_unknown_name() {
            // The name of a neighbourhood contradicts nothing.
            self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
            let mut pick = Selection::exact(city);
            self.refine_by_words(&mut pick);
            return Some(pick);
        }
        if zipcode_agrees && name_agrees {
            let mut pick = Selection::exact(city);
            self.refine_by_words(&mut pick);
            return Some(pick);
        }
        if !zipcode_agrees && !name_agrees {
            // Two against one: people put the zipcode where the code belongs, and 69003 is a village's code.
            let mut other = self.without_remarks();
            if let Some(Selection { city, certainty: Certainty::Exact }) = other.by_words() {
                let taken = gazetteer.at(city).insee.clone();
                self.warnings.push(PlaceWarning::InseeElsewhere { given: insee.clone(), taken });
                return Some(Selection::likely(city));
            }
        }
        if let (Some(zipcode), false) = (&self.zipcode, zipcode_agrees) {
            let insee = gazetteer.at(city).insee.clone();
            self.warnings.push(PlaceWarning::ZipcodeElsewhere { zipcode: zipcode.clone(), insee });
        }
        if !name_agrees {
            let insee = gazetteer.at(city).insee.clone();
            self.warnings.push(PlaceWarning::NameElsewhere { name: self.name.clone(), insee });
        }
        Some(Selection::likely(city))
    }

    fn without_remarks(&self) -> Self {
        let Self { gazetteer, name, place_query, zipcode, point, warnings: _ } = self;
        let (name, place_query, zipcode) = (name.clone(), place_query.clone(), zipcode.clone());
        Self { gazetteer, name, place_query, zipcode, point: *point, warnings: Vec::new() }
    }

    /// With a house's own coordinates, the district of a large city is the one whose centre is nearest.
    fn refine_by_point(&mut self, pick: &mut Selection) {
        let city = self.gazetteer.at(pick.city);
        let Some(point) = self.point.filter(|_| !city.districts.is_empty()) else { return };
        if let Some((_, nearest)) = self.gazetteer.centres.nearest(point, FAR_KM)
            && self.gazetteer.at(nearest).parent.as_ref() == Some(&city.insee)
        {
            *pick = Selection::likely(nearest);
        }
    }

    fn check_point(&mut self, pick: &mut Selection) {
        let city = self.gazetteer.at(pick.city);
        let (Some(point), Some(centre)) = (self.point, city.centre) else { return };
        let distance_km = point.distance_km(centre);
        if distance_km <= FAR_KM {
            return;
        }
        let reach = distance_km.min(COMMUNE_REACH_KM);
        let nearest = self.gazetteer.centres.nearest(point, reach).map(|(_, nearest)| nearest);
        if nearest != Some(pick.city) {
            self.warnings.push(PlaceWarning::PointElsewhere { distance_km, insee: city.insee.clone() });
            pick.certainty = Certainty::Likely;
        }
    }

    fn by_point(&mut self) -> Option<Selection> {
        let nearest = self.gazetteer.centres.nearest(self.point?, FAR_KM);
        if nearest.is_none() {
            self.warnings.push(PlaceWarning::PointNowhere);
        }
        nearest.map(|(_, city)| Selection { city, certainty: Certainty::Nearest })
    }

    fn resolution(self, pick: Option<Selection>) -> Resolution {
        let placement = pick.map(|pick| {
            let city = self.gazetteer.at(pick.city);
            let own = self.zipcode.filter(|zipcode| city.zipcodes.contains(zipcode));
            Placement {
                insee: city.insee.clone(),
                department: Some(city.department.id),
                zipcode: own.or_else(|| city.main_zipcode().cloned()),
                centre: city.centre,
            }
        });
        let certainty = pick.map_or(Certainty::Unknown, |pick| pick.certainty);
        Resolution { placement, certainty, warnings: self.warnings }
    }
}
