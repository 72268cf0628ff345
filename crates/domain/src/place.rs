//! Places: codes, coordinates, administrative divisions, stations.

use std::fmt;
use std::sync::Arc;

use crate::country::CountryCode;
use crate::kinds::GeoAccuracy;
use crate::value::ShortText;

/// The code of a commune, assigned by the national statistics office: `75111`, `2A004`.
///
/// French (INSEE) codes have five characters. Codes of other countries have up to ten digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Insee(Box<str>);

impl Insee {
    const LENGTH_MAX: usize = 10;

    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_uppercase();
        let digits = text.strip_prefix("2A").or_else(|| text.strip_prefix("2B"));
        let fits = match digits {
            Some(rest) => rest.len() == 3 && rest.bytes().all(|b| b.is_ascii_digit()),
            None => (1..=Self::LENGTH_MAX).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit()),
        };
        fits.then(|| Self(text.into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the stable integer id of the commune: the code as a number, with `2A` as 201 and `2B` as 202.
    pub fn id(&self) -> u64 {
        code_as_number(&self.0).unwrap_or_default()
    }

    /// Returns the id of the department, which is the prefix of a French code: two characters, three overseas.
    pub fn department(&self) -> Option<u64> {
        let code = self.0.as_ref();
        let length = if code.starts_with("97") || code.starts_with("98") { 3 } else { 2 };
        (code.len() == 5).then(|| code_as_number(&code[..length])).flatten()
    }
}

/// Converts an administrative code to a number, with Corsica's `2A` and `2B` as 201 and 202: `06` → 6, `2A` → 201, `2A004` → 201004.
pub fn code_as_number(code: &str) -> Option<u64> {
    let code = code.trim();
    if code.len() > Insee::LENGTH_MAX {
        return None;
    }
    match code.get(..2) {
        Some("2A" | "2a") => format!("201{}", &code[2..]).parse().ok(),
        Some("2B" | "2b") => format!("202{}", &code[2..]).parse().ok(),
        _ if code.bytes().all(|b| b.is_ascii_digit()) => code.parse().ok(),
        _ => None,
    }
}

impl fmt::Display for Insee {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A postal code, in upper case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Zipcode(Box<str>);

impl Zipcode {
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim().to_ascii_uppercase();
        let fits = (2..=10).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b' ' | b'-'));
        fits.then(|| Self(text.into()))
    }

    /// Parses a zipcode of five digits, or of four digits whose leading zero was dropped (by a spreadsheet, for example). All
    /// zipcodes of the gazetteer have five digits. Adverts may have other codes, but in a filter anything else is a typing
    /// error, which would otherwise silently return nothing.
    pub fn parse_five_digits(text: &str) -> Option<Self> {
        let text = text.trim();
        let fits = matches!(text.len(), 4 | 5) && text.bytes().all(|byte| byte.is_ascii_digit());
        fits.then(|| Self(format!("{text:0>5}").into()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Zipcode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A point in degrees of latitude and longitude.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GeoPoint {
    lat: f64,
    lon: f64,
}

// Both coordinates are finite, so equality is reflexive.
impl Eq for GeoPoint {}

impl GeoPoint {
    pub fn new(lat: f64, lon: f64) -> Option<Self> {
        let on_the_globe = (-90.0..=90.0).contains(&lat) && (-180.0..=180.0).contains(&lon);
        on_the_globe.then_some(Self { lat: lat + 0.0, lon: lon + 0.0 })
    }

    pub const fn lat(self) -> f64 {
        self.lat
    }

    pub const fn lon(self) -> f64 {
        self.lon
    }

    /// The mean radius of the earth. Distances are those on a sphere of this radius.
    pub const EARTH_RADIUS_KM: f64 = 6_371.008_8;

    /// Returns the great-circle distance.
    pub fn distance_km(self, other: Self) -> f64 {
        let (lat_a, lat_b) = (self.lat.to_radians(), other.lat.to_radians());
        let half_lat = ((lat_b - lat_a) / 2.0).sin();
        let half_lon = ((other.lon - self.lon).to_radians() / 2.0).sin();
        let haversine = half_lat * half_lat + lat_a.cos() * lat_b.cos() * half_lon * half_lon;
        2.0 * Self::EARTH_RADIUS_KM * haversine.sqrt().min(1.0).asin()
    }
}

/// The place of an advert as its sender gave it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenPlace {
    pub insee: Option<Insee>,
    pub zipcode: Option<Zipcode>,
    pub city_name: Option<ShortText>,
    pub point: Option<GeoPoint>,
    pub accuracy: Option<GeoAccuracy>,
    pub country: Option<CountryCode>,
}

impl GivenPlace {
    /// Returns `true` if no part of the place is given. An accuracy or a country alone does not count.
    pub fn is_empty(&self) -> bool {
        let Self { insee, zipcode, city_name, point, accuracy: _, country: _ } = self;
        insee.is_none() && zipcode.is_none() && city_name.is_none() && point.is_none()
    }
}

/// The commune that a given place was resolved to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The commune or district.
    pub insee: Insee,
    /// The department of the commune, by its id.
    pub department: Option<u64>,
    /// The given zipcode if it belongs to the commune, otherwise the main zipcode of the commune.
    pub zipcode: Option<Zipcode>,
    /// The centre of the commune, used as the coordinates of an advert that has none.
    pub centre: Option<GeoPoint>,
}

/// A country.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Country {
    /// ISO 3166 numeric.
    pub id: u64,
    pub code: Box<str>,
    pub name: Box<str>,
}

/// A region.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    pub id: u64,
    pub code: Box<str>,
    pub name: Box<str>,
}

/// A department.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Department {
    pub id: u64,
    pub code: Box<str>,
    pub name: Box<str>,
    /// The name without accents, in lower case.
    pub name_clean: Box<str>,
    /// The name of its capital.
    pub capital: Option<Box<str>>,
    pub capital_insee: Option<Insee>,
    pub region: Arc<Region>,
}

/// A commune, or a district of a commune that has districts.
#[derive(Debug, Clone, PartialEq)]
pub struct City {
    pub insee: Insee,
    /// The commune a district belongs to.
    pub parent: Option<Insee>,
    /// `L'`, `Le`, `La` or `Les`. The name includes it.
    pub article: Option<Box<str>>,
    /// The common name: `Le Mans`, `Paris 11e`.
    pub name: Box<str>,
    /// The official name, if it differs: `Paris 11e Arrondissement`.
    pub official_name: Option<Box<str>>,
    /// Main zipcode first.
    pub zipcodes: Vec<Zipcode>,
    pub population: u32,
    pub centre: Option<GeoPoint>,
    pub department: Arc<Department>,
    pub country: Arc<Country>,
    /// The districts of the commune, if it has any.
    pub districts: Vec<Insee>,
    /// The names of its districts and of the communes that were merged into it.
    pub grouped_names: Vec<Box<str>>,
}

impl City {
    pub fn id(&self) -> u64 {
        self.insee.id()
    }

    /// Returns the id of the commune that a district belongs to.
    pub fn parent_id(&self) -> Option<u64> {
        self.parent.as_ref().map(Insee::id)
    }

    /// Returns the official name, including the article.
    pub fn original_name(&self) -> &str {
        self.official_name.as_deref().unwrap_or(&self.name)
    }

    /// Returns the name without its article: `Mans`, `Haÿ-les-Roses`.
    pub fn name_without_article(&self) -> &str {
        let bare = self.article.as_deref().and_then(|article| self.name.strip_prefix(article));
        bare.map_or(&self.name, str::trim_start)
    }

    /// Returns the main zipcode. `None` for the few places without postal delivery.
    pub fn main_zipcode(&self) -> Option<&Zipcode> {
        self.zipcodes.first()
    }

    /// Returns its own name, then the grouped names.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.grouped_names.iter().map(|name| &**name))
    }

    /// Returns `true` if other names are grouped under this entry.
    pub fn has_grouped_names(&self) -> bool {
        !self.grouped_names.is_empty()
    }

    /// Returns `true` if it has more than one zipcode.
    pub fn has_grouped_zipcodes(&self) -> bool {
        self.zipcodes.len() > 1
    }

    /// Returns `true` if it is inhabited. The villages destroyed in 1916 and the southern territories are not.
    pub fn is_open(&self) -> bool {
        self.population > 0
    }
}

/// A public transport station.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    pub id: u32,
    pub name: Box<str>,
    pub point: GeoPoint,
    pub lines: Vec<Arc<Line>>,
}

/// A public transport line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub id: u32,
    pub name: Box<str>,
    pub number: Box<str>,
    pub route_name: Box<str>,
    /// For example `#ffbe00`.
    pub color: Box<str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_stable_numbers() {
        let id = |code: &str| Insee::parse(code).map(|insee| insee.id());
        assert_eq!(id("75111"), Some(75_111));
        assert_eq!(id("01001"), Some(1_001));
        assert_eq!(id("2a004"), Some(201_004));
        assert_eq!(id("2B033"), Some(202_033));
        for wrong in ["", "2C004", "2A04", "7511A", "12345678901"] {
            assert_eq!(id(wrong), None, "{wrong}");
        }
        assert_eq!(code_as_number("06"), Some(6));
        assert_eq!(code_as_number("2A"), Some(201));
        assert_eq!(code_as_number("974"), Some(974));
        assert_eq!(code_as_number("x"), None);
    }

    #[test]
    fn zipcode_of_a_filter_has_five_digits() {
        let parsed = |text: &str| Zipcode::parse_five_digits(text).map(|zipcode| zipcode.to_string());
        assert_eq!(parsed(" 75011 ").as_deref(), Some("75011"));
        assert_eq!(parsed("6000").as_deref(), Some("06000"));
        for wrong in ["", "750", "abcde", "F-75011", "750111", "75 011", "2A004", "-6000", "７５０１１"]
        {
            assert_eq!(parsed(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn distance_is_correct() {
        let paris = GeoPoint::new(48.8566, 2.3522).unwrap();
        let lyon = GeoPoint::new(45.7640, 4.8357).unwrap();
        assert!((paris.distance_km(lyon) - 391.5).abs() < 1.0);
        assert_eq!(paris.distance_km(paris), 0.0);
        assert_eq!(GeoPoint::new(91.0, 0.0), None);
        assert_eq!(GeoPoint::new(f64::NAN, 0.0), None);
    }
}
