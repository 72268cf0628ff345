//! Coordinates: objects under several names, GeoJSON, well-known text, and pairs of numbers.

use super::number::{self, NumberKind};
use super::{Reading, is_not_given};
use crate::json::{Json, JsonObject};
use domain::GeoPoint;

const NO_POINT: &str = "is not a point";

/// Names of the two members of an object.
pub const LATITUDE: &[&str] = &["lat", "latitude"];
pub const LONGITUDE: &[&str] = &["lon", "lng", "long", "longitude"];

/// Returns `true` if an object of coordinates may have this member.
pub fn is_member(name: &str) -> bool {
    LATITUDE.contains(&name) || LONGITUDE.contains(&name) || matches!(name, "type" | "coordinates")
}

/// Reads a point from an object, a list of longitude and latitude (GeoJSON), or a text.
pub fn read(value: &Json<'_>) -> Reading<GeoPoint> {
    match value {
        Json::Null => Reading::NotGiven,
        Json::Object(members) => from_object(members),
        Json::Array(items) => from_list(items),
        Json::String(text) => from_text(text),
        Json::Bool(_) | Json::Number(_) => Reading::Unusable(NO_POINT),
    }
}

fn from_object(members: &JsonObject<'_>) -> Reading<GeoPoint> {
    if let Some(Json::Array(items)) = members.get("coordinates") {
        return from_list(items);
    }
    let member = |names: &[&str]| names.iter().find_map(|name| members.get(name));
    match (coordinate(member(LATITUDE)), coordinate(member(LONGITUDE))) {
        (Reading::NotGiven, Reading::NotGiven) => Reading::NotGiven,
        (Reading::Value(lat), Reading::Value(lon)) => point(lat, lon),
        (Reading::NotGiven, _) => Reading::Unusable("has no latitude"),
        (_, Reading::NotGiven) => Reading::Unusable("has no longitude"),
        _ => Reading::Unusable("has a coordinate that is not a number"),
    }
}

fn from_list(items: &[Json<'_>]) -> Reading<GeoPoint> {
    match items {
        [] => Reading::NotGiven,
        // A third item is the altitude.
        [lon, lat] | [lon, lat, _] => match (coordinate(Some(lat)), coordinate(Some(lon))) {
            (Reading::NotGiven, Reading::NotGiven) => Reading::NotGiven,
            (Reading::Value(lat), Reading::Value(lon)) => point(lat, lon),
            _ => Reading::Unusable(NO_POINT),
        },
        _ => Reading::Unusable(NO_POINT),
    }
}

/// Reads `48.85,2.35`, `48,85 ; 2,35` or `POINT(2.35 48.85)`.
fn from_text(text: &str) -> Reading<GeoPoint> {
    if is_not_given(text) {
        return Reading::NotGiven;
    }
    if text.chars().nth(80).is_some() {
        return Reading::Unusable(NO_POINT);
    }
    let lower = text.trim().to_ascii_lowercase();
    let (inner, longitude_first) = match lower.strip_prefix("point") {
        Some(rest) => (rest.trim(), true),
        None => (lower.as_str(), false),
    };
    let inner = inner.trim_matches(['(', ')', '[', ']', ' ', '"']);
    let parts: Vec<&str> = if inner.contains([';', '|']) {
        inner.split([';', '|']).collect()
    } else if inner.contains(", ") || inner.matches(',').count() == 1 && !inner.contains(' ') {
        inner.split(',').collect()
    } else {
        inner.split_whitespace().collect()
    };
    let [first, second] = parts.as_slice() else { return Reading::Unusable(NO_POINT) };
    let read = |text: &str| number::read(text, NumberKind::Degrees);
    match (read(first), read(second)) {
        (Reading::Value(first), Reading::Value(second)) if longitude_first => point(second, first),
        (Reading::Value(first), Reading::Value(second)) => point(first, second),
        (Reading::NotGiven, Reading::NotGiven) => Reading::NotGiven,
        _ => Reading::Unusable(NO_POINT),
    }
}

fn coordinate(value: Option<&Json<'_>>) -> Reading<f64> {
    match value {
        None | Some(Json::Null) => Reading::NotGiven,
        Some(Json::Number(number)) => number.as_f64().map_or(Reading::Unusable(NO_POINT), Reading::Value),
        Some(Json::String(text)) => number::read(text, NumberKind::Degrees),
        Some(Json::Bool(_) | Json::Array(_) | Json::Object(_)) => Reading::Unusable(NO_POINT),
    }
}

fn point(lat: f64, lon: f64) -> Reading<GeoPoint> {
    if lat == 0.0 && lon == 0.0 {
        return Reading::Unusable("is a point in the sea that stands for no coordinates");
    }
    // Metropolitan France with a margin. Swapped, it lies off Somalia, where no home is advertised.
    let in_france = |lat: f64, lon: f64| (41.0..=51.6).contains(&lat) && (-5.6..=10.0).contains(&lon);
    if !in_france(lat, lon) && in_france(lon, lat) {
        return match GeoPoint::new(lon, lat) {
            Some(point) => Reading::Remarked(
                point,
                "has latitude and longitude swapped; they were swapped back".to_owned(),
            ),
            None => Reading::Unusable(NO_POINT),
        };
    }
    GeoPoint::new(lat, lon).map_or(Reading::Unusable("is not a point on earth"), Reading::Value)
}
