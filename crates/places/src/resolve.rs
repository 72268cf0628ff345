//! Resolves the place of an advert to a commune or district.
//!
//! A place may have a code, a zipcode, a name and a point. If all of them agree on a commune, the result is exact. If they
//! disagree, or a spelling had to be corrected, the most likely commune is selected and every problem is reported as a
//! [`PlaceWarning`]. If two of them contradict each other and nothing decides between them, no commune is selected.

mod fuzzy;
mod lookup;
mod text;
mod warning;

use std::sync::Arc;

use domain::{CountryCode, GeoAccuracy, GeoPoint, GivenPlace, Insee, Placement, ShortText, Zipcode};
use quick_cache::sync::Cache;

use crate::gazetteer::Gazetteer;
use crate::place_query::{self, PlaceQuery};
use lookup::NameLookup;
pub use warning::{PlaceField, PlaceWarning};

/// Coordinates farther than this from the centre of a commune are outside it, unless its outline contains them: some communes
/// of Guyane extend farther.
pub const FAR_KM: f64 = 30.0;

/// Coordinates farther than this from every commune with the name decide, if there is nothing but the name and them: such a name
/// is a short form, or that of another place. Nearer ones may be those of the agency.
const NAME_REACH_KM: f64 = 50.0;

/// The name of a town of this size needs nothing beside it. Coordinates elsewhere are more likely to be wrong than the name: feeds
/// give the middle of the country for adverts without any, and round others to degrees.
const KNOWN_TOWN_POPULATION: u32 = 20_000;

/// No commune extends farther from its centre: the largest, Maripasoula, is about 200 km long.
const COMMUNE_REACH_KM: f64 = 200.0;

/// The maximum length of a place name in characters. The rest is ignored.
const TEXT_MAX: usize = 200;

/// The result of resolving a place.
#[derive(Debug, Clone, PartialEq)]
pub struct Resolution {
    pub placement: Option<Placement>,
    pub certainty: Certainty,
    pub warnings: Vec<PlaceWarning>,
}

/// The certainty of a placement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The given place is unambiguous.
    Exact,
    /// A spelling was corrected, a contradiction was resolved, or the largest of several places was selected. The warnings
    /// say which.
    Likely,
    /// Only the coordinates were usable: the place whose outline contains them.
    Inside,
    /// Only the coordinates were usable, and no outline contains them: the place with the nearest centre.
    Nearest,
    /// No place was selected.
    Unknown,
}

/// The selected city, by its index.
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

/// A name that was read and looked up, which depends on nothing else.
#[derive(Debug, Clone)]
pub(crate) struct NamedPlace {
    name: String,
    query: Arc<PlaceQuery>,
    lookup: NameLookup,
}

/// The names that were read last, as they were given.
pub(crate) type NamedPlaces = Cache<Box<str>, NamedPlace>;

/// The number of names to remember: those of a large feed, and a few megabytes.
pub(crate) const REMEMBERED: usize = 4_096;

/// Longer names are not remembered: the name of a commune is shorter, even with its district and department.
const REMEMBERED_BYTES_MAX: usize = 64;

/// The state of one resolution.
struct Resolver<'a> {
    gazetteer: &'a Gazetteer,
    /// The name as given.
    name: String,
    query: Arc<PlaceQuery>,
    /// What the words of the query are the names of.
    lookup: NameLookup,
    zipcode: Option<Zipcode>,
    /// The zipcode has a zero that was not given, and nothing says that it is French: 1000 is Bourg-en-Bresse without its zero,
    /// and Brussels.
    zipcode_is_doubtful: bool,
    point: Option<GeoPoint>,
    warnings: Vec<PlaceWarning>,
}

impl Gazetteer {
    /// Resolves the place of an advert.
    pub fn resolve(&self, given: &GivenPlace) -> Resolution {
        let GivenPlace { insee, zipcode, city_name, point, accuracy, country } = given;
        let NamedPlace { name, query, lookup } =
            self.read_name(city_name.as_ref().map(ShortText::as_str).unwrap_or_default());
        let zipcode_country =
            zipcode.as_ref().and_then(|zipcode| place_query::zipcode_country(zipcode.as_str()));
        let corrected = zipcode.as_ref().map(|zipcode| self.corrected_zipcode(zipcode));
        let zero_added = match (zipcode, &corrected) {
            (Some(given), Some(corrected)) => given.as_str().len() < corrected.as_str().len(),
            _ => query.zero_added,
        };
        let query_zipcode = query.zipcode.as_deref().and_then(Zipcode::parse);
        let mut resolver = Resolver {
            gazetteer: self,
            name,
            lookup,
            zipcode_is_doubtful: zero_added && country.is_none(),
            query,
            zipcode: corrected.or(query_zipcode),
            point: *point,
            warnings: Vec::new(),
        };
        let mut selection = insee.as_ref().and_then(|insee| resolver.by_code(insee));
        if selection.is_none() {
            // Names and coordinates near the border would otherwise end up on our side of it.
            let stated = country.or(zipcode_country).or(resolver.query.country).or(resolver.lookup.country);
            if let Some(country) = stated.filter(|country| self.is_abroad(*country)) {
                resolver.warnings.push(PlaceWarning::Abroad { country });
                return resolver.resolution(None);
            }
            if let Some(department) = country.and_then(CountryCode::overseas_department) {
                resolver.lookup.department.get_or_insert_with(|| department.into());
            }
            selection = resolver.by_text();
        }
        if let (Some(selected), Some(GeoAccuracy::HouseNumber)) = (&mut selection, accuracy) {
            resolver.refine_by_point(selected);
        }
        match &mut selection {
            Some(selected) => resolver.check_point(selected),
            None => selection = resolver.by_point(),
        }
        resolver.resolution(selection)
    }

    /// Reads the name of a place and looks it up. A feed repeats its names: the last ones are kept.
    fn read_name(&self, text: &str) -> NamedPlace {
        if let Some(known) = self.named_places.get(text) {
            return known;
        }
        let name = truncated(text);
        let query = PlaceQuery::parse(&name);
        let lookup = self.look_up(&query);
        let named = NamedPlace { name: query.name_in(&name), query: Arc::new(query), lookup };
        if text.len() <= REMEMBERED_BYTES_MAX {
            self.named_places.insert(text.into(), named.clone());
        }
        named
    }

    /// Resolves a line of text: `st etienne 42`, `75011 Paris`, `Aix en provence cedex 2`.
    pub fn resolve_text(&self, text: &str) -> Resolution {
        let text = truncated(text);
        let PlaceQuery { words, zipcode: code, .. } = PlaceQuery::parse(&text);
        // Five digits that are not a known zipcode may be a commune code; with a name, they are the zipcode of a sorting office.
        let insee = code
            .filter(|code| words.is_empty() && self.zipcodes.cities_with(code).next().is_none())
            .and_then(|code| Insee::parse(&code))
            .filter(|insee| self.city(insee).is_some());
        let city_name = ShortText::new(&text.replace(char::is_control, " ")).ok().flatten();
        self.resolve(&GivenPlace { insee, city_name, ..GivenPlace::default() })
    }

    /// Returns `true` for a country whose places are not in the data.
    fn is_abroad(&self, country: CountryCode) -> bool {
        let is_known = |code: &str| self.countries().iter().any(|known| *known.code == *code);
        // Monaco has no communes of its own, but its homes are advertised with those of its neighbours.
        let is_near_france = country.is_french() || country == CountryCode::MONACO;
        !(is_known(country.as_str()) || is_near_france && is_known(CountryCode::FRANCE.as_str()))
    }

    /// Returns the zipcode as it is in the data: a spreadsheet drops the zero of 01000, and some write F-75011.
    fn corrected_zipcode(&self, given: &Zipcode) -> Zipcode {
        let exists = |zipcode: &Zipcode| self.zipcodes.cities_with(zipcode.as_str()).next().is_some();
        let Some(text) = place_query::without_french_prefix(given.as_str()).filter(|_| !exists(given)) else {
            return given.clone();
        };
        let digits: String = text.chars().filter(char::is_ascii_digit).collect();
        // Letters after four digits are those of a Dutch or British zipcode.
        let is_short = digits.len() == 4 && !text.contains(|letter: char| letter.is_ascii_alphabetic());
        let padded = format!("{digits:0>5}");
        let candidates = [text, if is_short { &padded } else { &digits }];
        candidates.into_iter().filter_map(Zipcode::parse).find(exists).unwrap_or_else(|| given.clone())
    }
}

fn truncated(text: &str) -> String {
    text.chars().take(TEXT_MAX).collect()
}

impl Resolver<'_> {
    /// Selects the commune with the given code, unless zipcode and name both contradict it.
    fn by_code(&mut self, insee: &Insee) -> Option<Selection> {
        let gazetteer = self.gazetteer;
        let city = match (gazetteer.current(insee), gazetteer.successor(insee)) {
            (Some(city), _) => city,
            (None, Some(city)) => {
                let selected = gazetteer.at(city).insee.clone();
                self.warnings.push(PlaceWarning::FormerInsee { given: insee.clone(), selected });
                city
            }
            (None, None) => {
                self.warnings.push(PlaceWarning::UnknownInsee { insee: insee.clone() });
                return None;
            }
        };
        let zipcode_agrees = self.zipcode.as_ref().is_none_or(|zipcode| self.zipcode_agrees(city, zipcode));
        let name_agrees = self.query.words.is_empty() || self.name_agrees(city);
        if zipcode_agrees && !name_agrees && self.name_is_unknown() {
            // An unknown name may be a neighbourhood, which is not a contradiction.
            self.warnings.push(PlaceWarning::UnknownName { name: self.name.clone() });
            let mut selection = Selection::exact(city);
            self.refine_by_text(&mut selection);
            return Some(selection);
        }
        if zipcode_agrees && name_agrees {
            let mut selection = Selection::exact(city);
            self.refine_by_text(&mut selection);
            return Some(selection);
        }
        if !zipcode_agrees && !name_agrees {
            // Two against one: some senders put the zipcode into the code field, and 69003 is also the code of a village.
            let mut other = self.without_warnings();
            if let Some(Selection { city, certainty: Certainty::Exact }) = other.by_text() {
                let selected = gazetteer.at(city).insee.clone();
                self.warnings.push(PlaceWarning::InseeElsewhere { given: insee.clone(), selected });
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

    fn without_warnings(&self) -> Self {
        let Self { gazetteer, name, query, lookup, zipcode, zipcode_is_doubtful, point, warnings: _ } = self;
        let (name, query, lookup, zipcode) = (name.clone(), query.clone(), lookup.clone(), zipcode.clone());
        let (zipcode_is_doubtful, point) = (*zipcode_is_doubtful, *point);
        Self { gazetteer, name, query, lookup, zipcode, zipcode_is_doubtful, point, warnings: Vec::new() }
    }

    /// Replaces a city that has districts by the district that contains the coordinates, or if they are outside every outline,
    /// by the one with the nearest centre. Only for coordinates of a house.
    fn refine_by_point(&mut self, selection: &mut Selection) {
        let city = self.gazetteer.at(selection.city);
        let Some(point) = self.point.filter(|_| !city.districts.is_empty()) else { return };
        let nearest = || self.gazetteer.centres.nearest(point, FAR_KM).map(|(_, nearest)| nearest);
        if let Some(district) = self.gazetteer.outlines.city_at(point).or_else(nearest)
            && self.gazetteer.at(district).parent.as_ref() == Some(&city.insee)
        {
            *selection = Selection::likely(district);
        }
    }

    fn check_point(&mut self, selection: &mut Selection) {
        let city = self.gazetteer.at(selection.city);
        let (Some(point), Some(centre)) = (self.point, city.centre) else { return };
        let distance_km = point.distance_km(centre);
        if distance_km <= FAR_KM {
            return;
        }
        // Only communes without an outline are found by their centre: some overseas, and what lies off the coast.
        let reach_km = distance_km.min(COMMUNE_REACH_KM);
        let nearest = || self.gazetteer.centres.nearest(point, reach_km).map(|(_, nearest)| nearest);
        let found = self.gazetteer.outlines.city_at(point).or_else(nearest);
        let is_here = found.is_some_and(|found| {
            found == selection.city || self.gazetteer.at(found).parent.as_ref() == Some(&city.insee)
        });
        if !is_here {
            self.warnings.push(PlaceWarning::PointElsewhere { distance_km, insee: city.insee.clone() });
            selection.certainty = Certainty::Likely;
        }
    }

    fn by_point(&mut self) -> Option<Selection> {
        let point = self.point?;
        let selection = self.at_point(point);
        if selection.is_none() {
            self.warnings.push(PlaceWarning::PointNowhere);
        }
        selection
    }

    /// Returns the commune or district whose outline contains the coordinates, or else the one with the nearest centre.
    fn at_point(&self, point: GeoPoint) -> Option<Selection> {
        if let Some(city) = self.gazetteer.outlines.city_at(point) {
            return Some(Selection { city, certainty: Certainty::Inside });
        }
        let nearest = self.gazetteer.centres.nearest(point, FAR_KM);
        nearest.map(|(_, city)| Selection { city, certainty: Certainty::Nearest })
    }

    fn resolution(self, selection: Option<Selection>) -> Resolution {
        let placement = selection.map(|selection| {
            let city = self.gazetteer.at(selection.city);
            let own = self.zipcode.filter(|zipcode| city.zipcodes.contains(zipcode));
            Placement {
                insee: city.insee.clone(),
                department: Some(city.department.id),
                zipcode: own.or_else(|| city.main_zipcode().cloned()),
                centre: city.centre,
            }
        });
        let certainty = selection.map_or(Certainty::Unknown, |selection| selection.certainty);
        Resolution { placement, certainty, warnings: self.warnings }
    }
}
