//! Nested objects of an advert: contact, publisher, ratings, coordinates. Each one replaces the previous value as a
//! whole.

use domain::{Contact, EnergyLetter, GeoPoint, Publisher, PublisherType, Rating, Violation};
use serde_json::{Map, Value};

use super::BLANK;
use crate::json::{Reader, truncated};

/// Returns the members of an object, `None` for `null`. Any other value is a violation.
pub(super) fn members<'a>(
    reader: &mut Reader,
    path: &str,
    value: &'a Value,
) -> Option<&'a Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        Value::Null => None,
        _ => {
            reader.wrong_type(path, "an object", value);
            None
        }
    }
}

pub fn contact(reader: &mut Reader, ignored: &mut Vec<String>, value: &Value) -> Contact {
    let mut contact = Contact::default();
    for (name, value) in members(reader, "contact", value).into_iter().flatten() {
        let slot = match name.as_str() {
            "agency" => &mut contact.agency,
            "email" => &mut contact.email,
            "fax" => &mut contact.fax,
            "name" => &mut contact.name,
            "phone" => &mut contact.phone,
            "reference" => &mut contact.reference,
            _ => {
                ignored.push(format!("contact.{name}"));
                continue;
            }
        };
        if !value.is_null() {
            *slot = reader.bounded_text(&format!("contact.{name}"), value);
        }
    }
    contact
}

pub fn publisher(reader: &mut Reader, ignored: &mut Vec<String>, value: &Value) -> Publisher {
    let mut publisher = Publisher::default();
    for (name, value) in members(reader, "publisher", value).into_iter().flatten() {
        match name.as_str() {
            "name" if !value.is_null() => publisher.name = reader.bounded_text("publisher.name", value),
            "type" if !value.is_null() => {
                publisher.kind =
                    reader.enum_code("publisher.type", value, PublisherType::ALL, |kind| kind.code());
            }
            "name" | "type" => {}
            // `category` is ignored too: it belongs to the site, and the operator sets it.
            _ => ignored.push(format!("publisher.{name}")),
        }
    }
    publisher
}

pub fn rating(reader: &mut Reader, ignored: &mut Vec<String>, path: &str, value: &Value) -> Rating {
    let mut rating = Rating::default();
    for (name, value) in members(reader, path, value).into_iter().flatten() {
        let member = format!("{path}.{name}");
        match name.as_str() {
            "category" if !value.is_null() => {
                rating.category =
                    reader.text(&member, value).filter(|text| !text.trim().is_empty()).and_then(|text| {
                        let letter = EnergyLetter::from_text(text);
                        if letter.is_none() {
                            let message = format!(
                                "The value \"{}\" is not a valid choice; the choices are A, B, C, D, E, F, G.",
                                truncated(text)
                            );
                            reader.invalid(&member, message);
                        }
                        letter
                    });
            }
            "value" if !value.is_null() => rating.value = reader.amount(&member, value, domain::Amount::MAX),
            "category" | "value" => {}
            _ => ignored.push(member),
        }
    }
    rating
}

pub fn point(reader: &mut Reader, ignored: &mut Vec<String>, path: &str, value: &Value) -> Option<GeoPoint> {
    let fields = members(reader, path, value)?;
    ignored.extend(
        fields
            .keys()
            .filter(|name| !matches!(name.as_str(), "lat" | "lon"))
            .map(|name| format!("{path}.{name}")),
    );
    let mut coordinate = |name: &str, max: f64| {
        let member = format!("{path}.{name}");
        let Some(value) = fields.get(name).filter(|value| !value.is_null()) else {
            reader.violations.push(Violation::missing(member, BLANK));
            return None;
        };
        let degrees = reader.number(&member, value)?;
        if degrees.abs() > max {
            reader
                .invalid(&member, format!("This value should be between -{max} and {max}, {degrees} given."));
            return None;
        }
        Some(degrees)
    };
    let (lat, lon) = (coordinate("lat", 90.0), coordinate("lon", 180.0));
    GeoPoint::new(lat?, lon?)
}
