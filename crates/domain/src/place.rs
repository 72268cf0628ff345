//! Where things are: codes, coordinates, the administrative map, stations.

use std::fmt;
use std::sync::Arc;

use crate::kinds::GeoAccuracy;
use crate::value::ShortText;

/// The code a national statistics office gives a commune: `75111`, `2A004`.
///
/// French codes have five characters; those of other countries are digits, up to ten.
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

    /// The stable integer id of the place: the code read as a number, `2A` as 201 and `2B` as 202.
    pub fn id(&self) -> u64 {
        code_as_number(&self.0).unwrap_or_default()
    }

    /// The id of the department a French code begins with: two characters, three overseas.
    pub fn department(&self) -> Option<u64> {
        let code = self.0.as_ref();
        let length = if code.starts_with("97") || code.starts_with("98") { 3 } else { 2 };
        (code.len() == 5).then(|| code_as_number(&code[..length])).flatten()
    }
}

/// Reads an administrative code as a number, Corsica's letters as 201 and 202: `06` → 6, `2A` → 201, `2A004` → 201004.
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

    /// Reads a zipcode that somebody looks for: five digits, as every place of the reference geography has, or four where a
    /// spreadsheet dropped the zero in front. Adverts may carry anything that looks like a code; whoever looks for something else
    /// than this has mistyped it, and would find nothing without learning why.
    pub fn sought(text: &str) -> Option<Self> {
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

/// A point on the globe, in degrees.
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

    /// The earth's mean radius: distances are those on a sphere of this size.
    pub const EARTH_RADIUS_KM: f64 = 6_371.008_8;

    /// Great-circle distance.
    pub fn distance_km(self, other: Self) -> f64 {
        let (lat_a, lat_b) = (self.lat.to_radians(), other.lat.to_radians());
        let half_lat = ((lat_b - lat_a) / 2.0).sin();
        let half_lon = ((other.lon - self.lon).to_radians() / 2.0).sin();
        let haversine = half_lat * half_lat + lat_a.cos() * lat_b.cos() * half_lon * half_lon;
        2.0 * Self::EARTH_RADIUS_KM * haversine.sqrt().min(1.0).asin()
    }
}

/// Where an advert says it is, as given.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct GivenPlace {
    pub insee: Option<Insee>,
    pub zipcode: Option<Zipcode>,
    pub city_name: Option<ShortText>,
    pub point: Option<GeoPoint>,
    pub accuracy: Option<GeoAccuracy>,
}

impl GivenPlace {
    /// Whether nothing at all was said about the place.
    pub fn is_empty(&self) -> bool {
        let Self { insee, zipcode, city_name, point, accuracy: _ } = self;
        insee.is_none() && zipcode.is_none() && city_name.is_none() && point.is_none()
    }
}

/// What the reference geography made of a given place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Placement {
    /// The commune or district.
    pub insee: Insee,
    /// The department of the commune, by its id.
    pub department: Option<u64>,
    /// The zipcode given, when it is one of the commune's; else the commune's main one.
    pub zipcode: Option<Zipcode>,
    /// The centre of the commune: where an advert without coordinates is put.
    pub centre: Option<GeoPoint>,
}

/// A country of the reference geography.
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
    /// `L'`, `Le`, `La`, `Les`; part of the name already.
    pub article: Option<Box<str>>,
    /// What people call it: `Le Mans`, `Paris 11e`.
    pub name: Box<str>,
    /// The name the statistics office gives it, where that is another: `Paris 11e Arrondissement`.
    pub official_name: Option<Box<str>>,
    /// Main zipcode first.
    pub zipcodes: Vec<Zipcode>,
    pub population: u32,
    pub centre: Option<GeoPoint>,
    pub department: Arc<Department>,
    pub country: Arc<Country>,
    /// The districts of a commune that has them.
    pub districts: Vec<Insee>,
    /// Names this entry stands for besides its own: its districts, and the communes that were merged into it.
    pub grouped_names: Vec<Box<str>>,
}

impl City {
    pub fn id(&self) -> u64 {
        self.insee.id()
    }

    /// The id of the commune a district belongs to.
    pub fn parent_id(&self) -> Option<u64> {
        self.parent.as_ref().map(Insee::id)
    }

    /// The name as the statistics office spells it, article included.
    pub fn original_name(&self) -> &str {
        self.official_name.as_deref().unwrap_or(&self.name)
    }

    /// The name without its article: `Mans`, `Haÿ-les-Roses`.
    pub fn name_without_article(&self) -> &str {
        let bare = self.article.as_deref().and_then(|article| self.name.strip_prefix(article));
        bare.map_or(&self.name, str::trim_start)
    }

    /// None for the few places no letter is carried to.
    pub fn main_zipcode(&self) -> Option<&Zipcode> {
        self.zipcodes.first()
    }

    /// Every name this entry stands for, its own first.
    pub fn all_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(&*self.name).chain(self.grouped_names.iter().map(|name| &**name))
    }

    /// Whether it stands for more names than its own.
    pub fn has_grouped_names(&self) -> bool {
        !self.grouped_names.is_empty()
    }

    /// Whether it has more zipcodes than its main one.
    pub fn has_grouped_zipcodes(&self) -> bool {
        self.zipcodes.len() > 1
    }

    /// Whether somebody lives there: not so in the villages destroyed in 1916 and the southern territories.
    pub fn is_open(&self) -> bool {
        self.population > 0
    }
}

/// A stop of public transport near a property.
#[derive(Debug, Clone, PartialEq)]
pub struct Station {
    pub id: u32,
    pub name: Box<str>,
    pub point: GeoPoint,
    pub lines: Vec<Arc<Line>>,
}

/// A line of public transport.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub id: u32,
    pub name: Box<str>,
    pub number: Box<str>,
    pub route_name: Box<str>,
    /// `#ffbe00`.
    pub color: Box<str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_become_stable_numbers() {
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
    fn a_zipcode_that_is_looked_for_has_five_digits() {
        let sought = |text: &str| Zipcode::sought(text).map(|zipcode| zipcode.to_string());
        assert_eq!(sought(" 75011 ").as_deref(), Some("75011"));
        assert_eq!(sought("6000").as_deref(), Some("06000"));
        for wrong in ["", "750", "abcde", "F-75011", "750111", "75 011", "2A004", "-6000", "７５０１１"]
        {
            assert_eq!(sought(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn distance_is_that_of_an_atlas() {
        let paris = GeoPoint::new(48.8566, 2.3522).unwrap();
        let lyon = GeoPoint::new(45.7640, 4.8357).unwrap();
        assert!((paris.distance_km(lyon) - 391.5).abs() < 1.0);
        assert_eq!(paris.distance_km(paris), 0.0);
        assert_eq!(GeoPoint::new(91.0, 0.0), None);
        assert_eq!(GeoPoint::new(f64::NAN, 0.0), None);
    }
}
