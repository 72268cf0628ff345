//! Parses one criterion of a body by the kind of its filter.

use domain::FieldUpdate;
use domain::criteria::{RawCriteria, RawCriterion};
use domain::filter::{Codes, Filter, Kind, PlaceKind};
use domain::{EnergyLetter, Phrase, Zipcode};
use serde_json::{Map, Value};

use super::parse::field;
use super::reference::ReferenceParser;
use super::{ParseContext, default_flag};
use crate::accepted;
use crate::filters::{expressions, features, is_single_valued, malformed_value, names, shapes};
use crate::json::{Reader, truncated};
use crate::query::items;

/// Parses criteria from the fields of a body.
pub struct Criteria<'a, 'b> {
    pub fields: &'a Map<String, Value>,
    /// The current criteria of the search.
    pub current: Option<&'a RawCriteria>,
    pub context: &'a ParseContext<'a>,
    pub ignored: &'b mut Vec<String>,
}

impl<'a> Criteria<'a, '_> {
    /// Returns the value of a filter, merged from all its names. An invalid value is recorded as a violation and
    /// returned as unset.
    pub fn read(
        &mut self,
        reader: &mut Reader,
        filter: &'static Filter,
    ) -> FieldUpdate<Option<RawCriterion>> {
        let mut given = false;
        let mut values: Vec<(&'static str, &'a Value)> = Vec::new();
        for name in names(filter) {
            match field(self.fields, name) {
                FieldUpdate::Keep => {}
                FieldUpdate::Set(None) => given = true,
                FieldUpdate::Set(Some(value)) => {
                    given = true;
                    values.push((name, value));
                }
            }
        }
        // `null` turns the default of a criterion off, as in a query. An empty text brings it back.
        let is_null = names(filter).any(|name| self.fields.get(name).is_some_and(Value::is_null));
        match values.as_slice() {
            [] if is_null && default_flag(filter).is_some() => {
                FieldUpdate::Set(Some(RawCriterion::Flag(false)))
            }
            [] if given => FieldUpdate::Set(None),
            [] => FieldUpdate::Keep,
            values => {
                let criterion = self.criterion(reader, filter, values);
                // An explicit default is stored as unset, so that a search can be sent back unchanged.
                let default = default_flag(filter).map(RawCriterion::Flag);
                FieldUpdate::Set(criterion.filter(|criterion| default.as_ref() != Some(criterion)))
            }
        }
    }

    /// Requires at least one value.
    fn criterion(
        &mut self,
        reader: &mut Reader,
        filter: &'static Filter,
        values: &[(&'static str, &Value)],
    ) -> Option<RawCriterion> {
        let (name, value) = *values.first()?;
        let current = self.current.and_then(|current| current.get(filter));
        let references = ReferenceParser { context: self.context, current };
        match filter.kind {
            Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
                reader.number(name, value).map(RawCriterion::Number)
            }
            Kind::Is(_) | Kind::Only(_) => reader.boolean(name, value).map(RawCriterion::Flag),
            Kind::Choice(_, codes) if is_single_valued(codes) => {
                single_item(reader, name, value, |reader, path, value| code(reader, path, value, codes))
                    .map(|code| RawCriterion::Codes(vec![code]))
            }
            Kind::Choice(_, codes) => non_empty(
                reader.list_or_single(values, |reader, path, value| code(reader, path, value, codes)),
                RawCriterion::Codes,
            ),
            Kind::Place(_, PlaceKind::City) => non_empty(
                reader.list_or_single(values, |reader, path, value| references.city(reader, path, value)),
                RawCriterion::Cities,
            ),
            Kind::Place(_, PlaceKind::Department) => non_empty(
                reader
                    .list_or_single(values, |reader, path, value| references.department(reader, path, value)),
                RawCriterion::Departments,
            ),
            Kind::Place(_, PlaceKind::Insee) => non_empty(
                reader.list_or_single(values, |reader, path, value| references.commune(reader, path, value)),
                RawCriterion::Communes,
            ),
            Kind::Place(_, PlaceKind::Zipcode) => {
                non_empty(reader.list_or_single(values, zipcode), RawCriterion::Zipcodes)
            }
            Kind::Site(_) => non_empty(
                reader.list_or_single(values, |reader, path, value| references.site(reader, path, value)),
                RawCriterion::Sites,
            ),
            Kind::SiteCategory(_) => non_empty(
                reader.list_or_single(values, |reader, path, value| {
                    references.site_category(reader, path, value)
                }),
                RawCriterion::SiteCategories,
            ),
            Kind::ExcludedProperty => non_empty(
                reader.list_or_single(values, |reader, path, value| references.property(reader, path, value)),
                RawCriterion::Properties,
            ),
            Kind::Shapes => {
                let polygons = shapes::parse(name, value, &mut reader.violations);
                (!polygons.is_empty()).then_some(RawCriterion::Polygons(polygons))
            }
            Kind::Expressions => {
                let read = expressions::parse(name, value);
                reader.violations.extend(read.violations);
                self.ignored.extend(read.ignored);
                (!read.groups.is_empty()).then_some(RawCriterion::Expressions(read.groups))
            }
            Kind::Features => {
                let phrases = reader.list_or_single(values, feature)?;
                if let Err(violation) = features::check_count(name, phrases.len()) {
                    reader.violations.push(violation);
                    return None;
                }
                (!phrases.is_empty()).then_some(RawCriterion::Features(phrases))
            }
            // Not criteria of a saved search.
            Kind::From(_) | Kind::To(_) | Kind::SortMode => None,
        }
    }
}

/// Returns `None` for an empty list: it means unset.
fn non_empty<T>(
    list: Option<Vec<T>>,
    criterion: impl FnOnce(Vec<T>) -> RawCriterion,
) -> Option<RawCriterion> {
    list.filter(|list| !list.is_empty()).map(criterion)
}

/// Reads a value, or a list with exactly one item. An empty list means unset.
fn single_item<T>(
    reader: &mut Reader,
    path: &str,
    value: &Value,
    read: impl Fn(&mut Reader, &str, &Value) -> Option<T>,
) -> Option<T> {
    match items(value).as_deref() {
        None => read(reader, path, value),
        Some([]) => None,
        Some([(number, item)]) => read(reader, &format!("{path}[{number}]"), item),
        Some(_) => {
            reader.wrong_type(path, "one integer", value);
            None
        }
    }
}

fn code(reader: &mut Reader, path: &str, value: &Value, codes: Codes) -> Option<u8> {
    match codes {
        Codes::EnergyLetter => {
            let text = reader.text(path, value)?;
            let letter = EnergyLetter::from_text(text);
            if letter.is_none() {
                let message = format!(
                    "The value \"{}\" is not a valid choice; the choices are {}.",
                    truncated(text),
                    accepted::choices(codes)
                );
                reader.invalid(path, message);
            }
            letter.map(|letter| letter as u8)
        }
        Codes::PropertyType
        | Codes::PublisherType
        | Codes::TransactionType
        | Codes::FeesResponsibility
        | Codes::Accuracy => {
            reader.enum_code(path, value, &codes.all(), |code| *code, &accepted::choices(codes))
        }
    }
}

fn feature(reader: &mut Reader, path: &str, value: &Value) -> Option<Phrase> {
    let text = reader.text_or_number(path, value)?;
    features::parse(path, &text).map_err(|violation| reader.violations.push(violation)).ok()
}

fn zipcode(reader: &mut Reader, path: &str, value: &Value) -> Option<Zipcode> {
    let text = reader.text_or_number(path, value)?;
    let zipcode = Zipcode::parse_five_digits(&text);
    if zipcode.is_none() {
        reader.violations.push(malformed_value(path, value, accepted::ZIPCODE));
    }
    zipcode
}
