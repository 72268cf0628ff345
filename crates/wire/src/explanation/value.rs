//! Expected and actual values, as JSON and as text.

use std::collections::BTreeSet;
use std::fmt;

use domain::criteria::{PlaceSet, Predicate};
use domain::explain::{PlaceCheck, PlaceKeys};
use domain::filter::{Codes, Filter, Inclusion, Kind};
use domain::{Circle, EnergyLetter, GeoPoint, Key, PropertyId, SiteDirectory, SiteKey, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;

use super::RenderContext;
use crate::document::Number;
use crate::{date, iri};

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ExpectedValue {
    Numbers {
        #[serde(skip_serializing_if = "Option::is_none")]
        min: Option<Number>,
        #[serde(skip_serializing_if = "Option::is_none")]
        max: Option<Number>,
    },
    Dates {
        #[serde(skip_serializing_if = "Option::is_none")]
        from: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        to: Option<String>,
    },
    Flag(bool),
    AnyOf {
        any_of: Vec<Item>,
    },
    NoneOf {
        none_of: Vec<Item>,
    },
    Circle {
        lat: f64,
        lon: f64,
        radius: Number,
    },
    Polygons {
        polygons: usize,
    },
    /// The words of a feature.
    Feature {
        feature: String,
    },
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub enum ActualValue {
    Number(Number),
    Date(String),
    Flag(bool),
    Item(Item),
    Place {
        city: Option<Item>,
        department: Option<Item>,
        zipcode: Option<Item>,
        /// The named places that contain it.
        among: Vec<Item>,
    },
    Distance {
        distance_km: Number,
    },
    Point {
        lat: f64,
        lon: f64,
        /// Zero-based index in the list of polygons.
        polygon: Option<usize>,
    },
}

/// An item of a list.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Item {
    Code(i64),
    Text(String),
    Named {
        #[serde(rename = "@id")]
        iri: String,
        name: Option<String>,
    },
}

/// How the values of a criterion are written.
#[derive(Debug, Clone, Copy)]
pub enum Scale {
    Number,
    Date,
    Flag,
    Code,
    Letter,
}

impl Scale {
    /// Returns the scale of the given filters.
    pub fn of(filters: &[&'static Filter]) -> Self {
        match filters.first().map(|filter| filter.kind) {
            Some(Kind::From(_) | Kind::To(_)) => Self::Date,
            Some(Kind::Is(_) | Kind::Only(_)) => Self::Flag,
            Some(Kind::Choice(_, Codes::EnergyLetter)) => Self::Letter,
            Some(Kind::Choice(..)) => Self::Code,
            _ => Self::Number,
        }
    }

    pub fn expected(self, test: &Predicate, zone: &TimeZone) -> ExpectedValue {
        match (test, self) {
            (Predicate::Within(span), Self::Date) => {
                let date = |key: Key| format_date(key, zone);
                ExpectedValue::Dates { from: span.least.map(date), to: span.most.map(date) }
            }
            (Predicate::Within(span), _) => {
                let number = |key: Key| Number(key.as_number());
                ExpectedValue::Numbers { min: span.least.map(number), max: span.most.map(number) }
            }
            (Predicate::OneOf(keys), Self::Flag) => ExpectedValue::Flag(keys.contains(&Key::flag(true))),
            (Predicate::OneOf(keys), _) => {
                ExpectedValue::AnyOf { any_of: keys.iter().map(|key| self.item(*key)).collect() }
            }
        }
    }

    pub fn actual(self, key: Key, zone: &TimeZone) -> ActualValue {
        match self {
            Self::Number => ActualValue::Number(Number(key.as_number())),
            Self::Date => ActualValue::Date(format_date(key, zone)),
            Self::Flag => ActualValue::Flag(key == Key::flag(true)),
            Self::Code | Self::Letter => ActualValue::Item(self.item(key)),
        }
    }

    fn item(self, key: Key) -> Item {
        let letter = || usize::try_from(key.get()).ok().and_then(|code| EnergyLetter::ALL.get(code));
        match (self, letter()) {
            (Self::Letter, Some(letter)) => Item::Text(letter.letter().to_string()),
            _ => Item::Code(key.get()),
        }
    }
}

fn format_date(key: Key, zone: &TimeZone) -> String {
    Timestamp::from_second(key.get()).map_or_else(|_| key.get().to_string(), |at| date::format(at, zone))
}

impl ExpectedValue {
    pub fn circle(circle: &Circle) -> Self {
        let Circle { centre, radius_km } = circle;
        Self::Circle { lat: centre.lat(), lon: centre.lon(), radius: Number(*radius_km) }
    }

    pub fn among(inclusion: Inclusion, items: Vec<Item>) -> Self {
        match inclusion {
            Inclusion::Included => Self::AnyOf { any_of: items },
            Inclusion::Excluded => Self::NoneOf { none_of: items },
        }
    }
}

impl ActualValue {
    /// Rounds to the metre.
    pub fn distance(distance_km: f64) -> Self {
        Self::Distance { distance_km: Number((distance_km * 1_000.0).round() / 1_000.0) }
    }

    pub fn point(point: GeoPoint, polygon: Option<usize>) -> Self {
        Self::Point { lat: point.lat(), lon: point.lon(), polygon }
    }

    pub fn property(id: PropertyId) -> Self {
        Self::Item(Item::Text(iri::property(id)))
    }
}

pub fn expected_properties(excluded: &BTreeSet<PropertyId>) -> ExpectedValue {
    ExpectedValue::NoneOf { none_of: excluded.iter().map(|id| Item::Text(iri::property(*id))).collect() }
}

pub fn site(key: &SiteKey, sites: &SiteDirectory) -> Item {
    match sites.site_by_key(key) {
        Some(site) => Item::Named { iri: iri::site(site.id), name: Some(site.label().to_owned()) },
        None => Item::Text(key.to_string()),
    }
}

/// Lists the named places: cities, then departments, then zipcodes. Districts of a named city are left out.
pub fn expected_places(line: &PlaceCheck<'_>, context: &RenderContext<'_>) -> ExpectedValue {
    let PlaceSet { cities, departments, zipcodes } = line.wanted;
    let is_whole = |key: &&Key| {
        let parent = (context.places.city)(id_of(**key)).and_then(|city| city.parent_id());
        !parent.is_some_and(|parent| cities.contains(&Key::place(parent)))
    };
    let cities = cities.iter().filter(is_whole).map(|key| city(*key, context));
    let departments = departments.iter().map(|key| department(*key, context));
    let items = cities.chain(departments).chain(zipcodes.iter().map(|key| zipcode(*key)));
    ExpectedValue::among(line.inclusion, items.collect())
}

pub fn actual_place(line: &PlaceCheck<'_>, context: &RenderContext<'_>) -> Option<ActualValue> {
    let items = |whereabouts: &PlaceKeys| {
        let PlaceKeys { city: in_city, department: in_department, zipcode: under } = whereabouts;
        (
            in_city.map(|key| city(key, context)),
            in_department.map(|key| department(key, context)),
            under.map(zipcode),
        )
    };
    if line.found.is_empty() {
        return None;
    }
    let (shared_city, shared_department, shared_zipcode) = items(&line.shared);
    let among = shared_city.into_iter().chain(shared_department).chain(shared_zipcode).collect();
    let (city, department, zipcode) = items(&line.found);
    Some(ActualValue::Place { city, department, zipcode, among })
}

fn id_of(key: Key) -> u64 {
    u64::try_from(key.get()).unwrap_or_default()
}

fn city(key: Key, context: &RenderContext<'_>) -> Item {
    let id = id_of(key);
    Item::Named { iri: iri::city(id), name: (context.places.city)(id).map(|city| city.name.to_string()) }
}

fn department(key: Key, context: &RenderContext<'_>) -> Item {
    let id = id_of(key);
    let name = (context.places.department)(id).map(|department| department.name.to_string());
    Item::Named { iri: iri::department(id), name }
}

fn zipcode(key: Key) -> Item {
    Item::Text(key.as_zipcode().map_or_else(|| key.get().to_string(), |zipcode| zipcode.to_string()))
}

/// Maximum number of items named in a sentence; the others are counted.
const REFERENCES_MAX: usize = 3;

fn join_items(items: &[Item]) -> String {
    let named: Vec<String> = items.iter().take(REFERENCES_MAX).map(Item::to_string).collect();
    match items.len().saturating_sub(REFERENCES_MAX) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

impl fmt::Display for ExpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbers { min: Some(min), max: Some(max) } => write!(f, "from {} to {}", min.0, max.0),
            Self::Numbers { min: Some(min), max: None } => write!(f, "at least {}", min.0),
            Self::Numbers { min: None, max: Some(max) } => write!(f, "at most {}", max.0),
            Self::Dates { from: Some(from), to: Some(to) } => write!(f, "from {from} to {to}"),
            Self::Dates { from: Some(from), to: None } => write!(f, "{from} or later"),
            Self::Dates { from: None, to: Some(to) } => write!(f, "{to} or earlier"),
            Self::Numbers { min: None, max: None } | Self::Dates { from: None, to: None } => {
                f.write_str("any known value")
            }
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::AnyOf { any_of } if any_of.is_empty() => f.write_str("an unknown value"),
            Self::AnyOf { any_of } if any_of.len() == 1 => f.write_str(&join_items(any_of)),
            Self::AnyOf { any_of } => write!(f, "one of {}", join_items(any_of)),
            Self::NoneOf { none_of } if none_of.len() == 1 => write!(f, "not {}", join_items(none_of)),
            Self::NoneOf { none_of } => write!(f, "none of {}", join_items(none_of)),
            Self::Circle { lat: _, lon: _, radius } => write!(f, "at most {} km away", radius.0),
            Self::Polygons { polygons: 1 } => f.write_str("inside the polygon"),
            Self::Polygons { polygons } => write!(f, "inside one of {polygons} polygons"),
            Self::Feature { feature } => write!(f, "a feature with \"{feature}\""),
        }
    }
}

impl fmt::Display for ActualValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{}", number.0),
            Self::Date(date) => f.write_str(date),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Item(item) => write!(f, "{item}"),
            Self::Place { city, department, zipcode, among } => {
                // For an exclusion the excluded place, otherwise the address.
                let excluded = among.first().map(|place| vec![place]);
                let address = || zipcode.iter().chain(city).collect::<Vec<&Item>>();
                let places = excluded.unwrap_or_else(address);
                let places = if places.is_empty() { department.iter().collect() } else { places };
                let places: Vec<String> = places.into_iter().map(Item::to_string).collect();
                f.write_str(&places.join(" "))
            }
            Self::Distance { distance_km } => write!(f, "{} km", distance_km.0),
            Self::Point { lat, lon, polygon: _ } => write!(f, "{lat}, {lon}"),
        }
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Code(code) => write!(f, "{code}"),
            Self::Text(text)
            | Self::Named { iri: _, name: Some(text) }
            | Self::Named { iri: text, name: None } => f.write_str(text),
        }
    }
}
