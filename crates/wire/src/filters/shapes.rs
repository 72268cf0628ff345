//! Parses polygons: lists of `[longitude, latitude]` corners, as keys of a query or as a JSON value.

use std::borrow::Cow;

use domain::{GeoPoint, Polygon, Violation};
use serde_json::Value;

use super::malformed_value;
use crate::json::parse_number;
use crate::query::{Parameters, items};

/// What errors say instead of a value of another form.
const POLYGONS: &str =
    "a list of polygons such as [[[2.2,48.8],[2.4,48.8],[2.3,48.9]]], each corner a longitude and a latitude";
const POINTS: &str =
    "a list of corners such as [[2.2,48.8],[2.4,48.8],[2.3,48.9]], each a longitude and a latitude";

/// Maximum number of polygons.
const SHAPES_MAX: usize = 50;

/// Parses `[[[lon, lat], …], …]`: arrays or objects with numeric keys at each level, or a string with such JSON.
pub fn parse(path: &str, value: &Value, violations: &mut Vec<Violation>) -> Vec<Polygon> {
    decoded(path, value, violations).map_or_else(Vec::new, |value| polygons(path, &value, violations))
}

/// Parses the same from a parameter that may also hold a single polygon: `[[lon, lat], …]`.
pub fn parse_one_or_many(parameters: &mut Parameters<'_>, name: &'static str) -> Vec<Polygon> {
    let Some(value) = super::nested_value(parameters, std::iter::once(name)) else { return Vec::new() };
    let mut violations = Vec::new();
    let found = decoded(name, &value, &mut violations).map(|value| {
        let value =
            if is_single(&value) { Value::Array(vec![value.into_owned()]) } else { value.into_owned() };
        polygons(name, &value, &mut violations)
    });
    parameters.violations.append(&mut violations);
    found.unwrap_or_default()
}

/// Returns whether a value is a list of points rather than of polygons.
fn is_single(value: &Value) -> bool {
    let first = |value: &Value| items(value).and_then(|items| items.first().map(|(_, item)| (*item).clone()));
    first(value).as_ref().and_then(first).is_some_and(|item| !item.is_array() && !item.is_object())
}

/// Returns the value, decoded if it is a string. `None` if it is null, or after a violation.
fn decoded<'a>(path: &str, value: &'a Value, violations: &mut Vec<Violation>) -> Option<Cow<'a, Value>> {
    let value = match text_of(value) {
        Some(text) => match serde_json::from_str::<Value>(text) {
            Ok(read) => Cow::Owned(read),
            Err(_) => {
                violations.push(malformed_value(path, &text.into(), POLYGONS));
                return None;
            }
        },
        None => Cow::Borrowed(value),
    };
    (!value.is_null()).then_some(value)
}

fn polygons(path: &str, value: &Value, violations: &mut Vec<Violation>) -> Vec<Polygon> {
    let Some(shapes) = items(value) else {
        violations.push(malformed_value(path, value, POLYGONS));
        return Vec::new();
    };
    if shapes.len() > SHAPES_MAX {
        let message =
            format!("This list is too long: {} polygons given, at most {SHAPES_MAX} allowed.", shapes.len());
        violations.push(Violation::invalid(path, message));
        return Vec::new();
    }
    let read = |(number, shape): (usize, &Value)| polygon(&format!("{path}[{number}]"), shape, violations);
    let polygons: Vec<Polygon> = shapes.into_iter().filter_map(read).collect();
    // Every point near a border is tested against every corner.
    let corners = polygons.iter().map(|polygon| polygon.corners().len()).sum::<usize>();
    if corners > Polygon::CORNERS_MAX {
        let message =
            format!("Too many corners: {corners} given, at most {} allowed in total.", Polygon::CORNERS_MAX);
        violations.push(Violation::too_many(path, message));
    }
    polygons
}

/// Returns the string if it is the whole value or the only item of a list.
fn text_of(value: &Value) -> Option<&str> {
    match value {
        Value::String(text) => Some(text),
        Value::Object(_) => match items(value)?.as_slice() {
            [(_, Value::String(text))] => Some(text),
            _ => None,
        },
        _ => None,
    }
}

fn polygon(path: &str, value: &Value, violations: &mut Vec<Violation>) -> Option<Polygon> {
    let Some(points) = items(value) else {
        violations.push(malformed_value(path, value, POINTS));
        return None;
    };
    let count = points.len();
    let corner = |(number, point): (usize, &Value)| {
        let path = format!("{path}[{number}]");
        corner(point).map_err(|expected| violations.push(malformed_value(path, point, expected))).ok()
    };
    let corners: Vec<GeoPoint> = points.into_iter().filter_map(corner).collect();
    if corners.len() < count {
        return None;
    }
    let polygon = Polygon::new(corners);
    if polygon.is_none() {
        let message = format!("A polygon must have 3 to {} corners, {count} given.", Polygon::CORNERS_MAX);
        violations.push(Violation::invalid(path, message));
    }
    polygon
}

fn corner(value: &Value) -> Result<GeoPoint, &'static str> {
    const EXPECTED: &str = "a corner such as [2.35,48.85]: a longitude [0] and a latitude [1]";
    let coordinates = items(value).ok_or(EXPECTED)?;
    let [(0, lon), (1, lat)] = coordinates.as_slice() else { return Err(EXPECTED) };
    let number = |value: &Value| match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => parse_number(text),
        _ => None,
    };
    let (lon, lat) = (number(lon).ok_or(EXPECTED)?, number(lat).ok_or(EXPECTED)?);
    GeoPoint::new(lat, lon).ok_or("a point on the globe: longitude [0], then latitude [1]")
}
