//! Nested objects of an advert: contact, publisher, ratings, coordinates. Each one replaces the previous value as a
//! whole.
//!
//! Each function returns `None` if the request says nothing usable: the value stays as it is.

use domain::{Contact, EnergyLetter, GeoPoint, Publisher, PublisherType, Rating, Violation};

use super::BLANK;
use super::reader::FieldReader;
use crate::json::{Json, JsonObject, truncated};
use crate::lenient::{self, Reading, energy};

/// Returns the members of an object, none for `null`. Any other value is unusable.
pub(super) fn members<'a>(reader: &mut FieldReader, path: &str, value: &'a Json<'a>) -> Option<Members<'a>> {
    match value {
        Json::Object(members) => Some(Members(Some(members))),
        Json::Null => Some(Members(None)),
        _ => {
            reader.wrong_type(path, "an object", value);
            None
        }
    }
}

/// The members of an object; none of `null`.
pub(super) struct Members<'a>(Option<&'a JsonObject<'a>>);

impl<'a> Members<'a> {
    pub(super) fn iter(&self) -> impl Iterator<Item = (&'a str, &'a Json<'a>)> + use<'a> {
        self.0.into_iter().flat_map(JsonObject::iter)
    }

    /// Returns `true` if the object clears the value: it is `null` or empty, or all its members are `null`. One that also has a word
    /// for "unknown" only says less than an earlier crawl.
    pub(super) fn clears(&self) -> bool {
        self.0.is_none_or(|members| members.iter().all(|(_, value)| value.is_null()))
    }

    /// Returns `true` if a member is `null`, whatever the others are.
    fn has_null(&self) -> bool {
        self.iter().any(|(_, value)| value.is_null())
    }
}

pub fn contact(reader: &mut FieldReader, ignored: &mut Vec<String>, value: &Json<'_>) -> Option<Contact> {
    let mut contact = Contact::default();
    let members = members(reader, "contact", value)?;
    for (name, value) in members.iter() {
        let (slot, path) = match name {
            "agency" => (&mut contact.agency, "contact.agency"),
            "email" => (&mut contact.email, "contact.email"),
            "fax" => (&mut contact.fax, "contact.fax"),
            "name" => (&mut contact.name, "contact.name"),
            "phone" => (&mut contact.phone, "contact.phone"),
            "reference" => (&mut contact.reference, "contact.reference"),
            _ => {
                ignored.push(format!("contact.{name}"));
                continue;
            }
        };
        if !value.is_null() {
            *slot = reader.bounded_text(path, value);
        }
    }
    // A person who is no longer named must not be shown: one `null` is enough.
    let given = contact != Contact::default() || members.clears() || members.has_null();
    (given || reader.is_strict()).then_some(contact)
}

pub fn publisher(reader: &mut FieldReader, ignored: &mut Vec<String>, value: &Json<'_>) -> Option<Publisher> {
    let mut publisher = Publisher::default();
    let members = members(reader, "publisher", value)?;
    for (name, value) in members.iter() {
        match name {
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
    let given = publisher != Publisher::default() || members.clears();
    (given || reader.is_strict()).then_some(publisher)
}

pub fn rating(
    reader: &mut FieldReader,
    ignored: &mut Vec<String>,
    path: &str,
    value: &Json<'_>,
) -> Option<Rating> {
    if let Json::String(text) = value
        && !reader.is_strict()
    {
        // The letter of the rating alone, or with its value: `D (250 kWh)`.
        let read = reader.accept(path, value, energy::read(text))?;
        return Some(Rating { category: Some(read.class), value: read.value.and_then(domain::Amount::new) });
    }
    let mut rating = Rating::default();
    let mut beside_letter = None;
    let members = members(reader, path, value)?;
    for (name, value) in members.iter() {
        // Formatted texts take three times as long, and this path is made for every rating.
        let member = [path, ".", name].concat();
        match name {
            "category" if !value.is_null() => {
                let read = category(reader, &member, value);
                rating.category = read.map(|read| read.class);
                beside_letter = read.and_then(|read| read.value).and_then(domain::Amount::new);
            }
            "value" if !value.is_null() => rating.value = reader.amount(&member, value, domain::Amount::MAX),
            "category" | "value" => {}
            _ => ignored.push(member),
        }
    }
    rating.value = rating.value.or(beside_letter);
    let given = rating != Rating::default() || members.clears();
    (given || reader.is_strict()).then_some(rating)
}

fn category(reader: &mut FieldReader, path: &str, value: &Json<'_>) -> Option<energy::RatingText> {
    let text = reader.text(path, value)?;
    if !reader.is_strict() {
        return reader.accept(path, value, energy::read(text));
    }
    if text.trim().is_empty() {
        return None;
    }
    let class = EnergyLetter::from_text(text);
    if class.is_none() {
        let choices = "the choices are A, B, C, D, E, F, G";
        reader.invalid(path, format!("The value \"{}\" is not a valid choice; {choices}.", truncated(text)));
    }
    class.map(|class| energy::RatingText { class, value: None })
}

pub fn point(
    reader: &mut FieldReader,
    ignored: &mut Vec<String>,
    path: &str,
    value: &Json<'_>,
) -> Option<GeoPoint> {
    if !reader.is_strict() {
        let unknown = value.as_object().into_iter().flat_map(JsonObject::iter).map(|(name, _)| name);
        let unknown = unknown.filter(|name| !lenient::point::is_member(name));
        ignored.extend(unknown.map(|name| format!("{path}.{name}")));
        let reading: Reading<GeoPoint> = lenient::point::read(value);
        return reader.accept(path, value, reading);
    }
    let fields = members(reader, path, value)?.0?;
    ignored.extend(
        fields
            .iter()
            .map(|(name, _)| name)
            .filter(|name| !matches!(*name, "lat" | "lon"))
            .map(|name| format!("{path}.{name}")),
    );
    let mut coordinate = |name: &str, max: f64| {
        let member = format!("{path}.{name}");
        let Some(value) = fields.get(name).filter(|value| !value.is_null()) else {
            reader.report(Violation::missing(member, BLANK));
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
