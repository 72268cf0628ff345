//! One criterion out of a body, by the kind of its filter.

use domain::criteria::{RawCriteria, RawCriterion};
use domain::FieldUpdate;
use domain::filter::{Codes, Filter, Kind, PlaceKind};
use domain::{EnergyLetter, Zipcode};
use serde_json::{Map, Value};

use super::read::said;
use super::reference::Referents;
use super::{ParseContext, default_flag};
use crate::filters::{expressions, names, refusal, shapes, takes_one};
use crate::json::{Reader, shown};
use crate::query::items;

/// Reads criteria out of the fields of a body.
pub struct Criteria<'a, 'b> {
    pub fields: &'a Map<String, Value>,
    /// What the search asks for so far.
    pub known: Option<&'a RawCriteria>,
    pub context: &'a ParseContext<'a>,
    pub ignored: &'b mut Vec<String>,
}

impl<'a> Criteria<'a, '_> {
    /// What is said for a filter, under all of its names together. What cannot be understood is a violation, and unset.
    pub fn read(&mut self, reader: &mut Reader, filter: &'static Filter) -> FieldUpdate<Option<RawCriterion>> {
        let mut given = false;
        let mut values: Vec<(&'static str, &'a Value)> = Vec::new();
        for name in names(filter) {
            match said(self.fields, name) {
                FieldUpdate::Keep => {}
                FieldUpdate::Set(None) => given = true,
                FieldUpdate::Set(Some(value)) => {
                    given = true;
                    values.push((name, value));
                }
            }
        }
        match values.as_slice() {
            [] if given => FieldUpdate::Set(None),
            [] => FieldUpdate::Keep,
            values => {
                let criterion = self.criterion(reader, filter, values);
                // A default that is said is not told apart from one that is not: what is read can be sent back.
                let default = default_flag(filter).map(RawCriterion::Flag);
                FieldUpdate::Set(criterion.filter(|criterion| default.as_ref() != Some(criterion)))
            }
        }
    }

    /// There is at least one value.
    fn criterion(
        &mut self,
        reader: &mut Reader,
        filter: &'static Filter,
        values: &[(&'static str, &Value)],
    ) -> Option<RawCriterion> {
        let (name, value) = *values.first()?;
        let known = self.known.and_then(|known| known.get(filter));
        let referents = Referents { context: self.context, known };
        match filter.kind {
            Kind::Min(_) | Kind::Max(_) | Kind::Latitude | Kind::Longitude | Kind::Radius => {
                reader.number(name, value).map(RawCriterion::Number)
            }
            Kind::Is(_) | Kind::Only(_) => reader.boolean(name, value).map(RawCriterion::Flag),
            Kind::Choice(_, codes) if takes_one(codes) => {
                one_of_a_list(reader, name, value, |reader, path, value| code(reader, path, value, codes))
                    .map(|code| RawCriterion::Codes(vec![code]))
            }
            Kind::Choice(_, codes) => some(
                reader.several(values, |reader, path, value| code(reader, path, value, codes)),
                RawCriterion::Codes,
            ),
            Kind::Place(_, PlaceKind::City) => some(
                reader.several(values, |reader, path, value| referents.city(reader, path, value)),
                RawCriterion::Cities,
            ),
            Kind::Place(_, PlaceKind::Department) => some(
                reader.several(values, |reader, path, value| referents.department(reader, path, value)),
                RawCriterion::Departments,
            ),
            Kind::Place(_, PlaceKind::Insee) => some(
                reader.several(values, |reader, path, value| referents.commune(reader, path, value)),
                RawCriterion::Communes,
            ),
            Kind::Place(_, PlaceKind::Zipcode) => {
                some(reader.several(values, zipcode), RawCriterion::Zipcodes)
            }
            Kind::Site(_) => some(
                reader.several(values, |reader, path, value| referents.site(reader, path, value)),
                RawCriterion::Sites,
            ),
            Kind::SiteCategory(_) => some(
                reader.several(values, |reader, path, value| referents.site_category(reader, path, value)),
                RawCriterion::SiteCategories,
            ),
            Kind::ExcludedProperty => some(
                reader.several(values, |reader, path, value| referents.property(reader, path, value)),
                RawCriterion::Properties,
            ),
            Kind::Shapes => {
                let polygons = shapes::read(name, value, &mut reader.violations);
                (!polygons.is_empty()).then_some(RawCriterion::Polygons(polygons))
            }
            Kind::Expressions => {
                let read = expressions::read(name, value);
                reader.violations.extend(read.violations);
                self.ignored.extend(read.ignored);
                (!read.groups.is_empty()).then_some(RawCriterion::Expressions(read.groups))
            }
            // No criteria of a search.
            Kind::From(_) | Kind::To(_) | Kind::SortMode => None,
        }
    }
}

/// A list that has items; one without is unset.
fn some<T>(list: Option<Vec<T>>, criterion: impl FnOnce(Vec<T>) -> RawCriterion) -> Option<RawCriterion> {
    list.filter(|list| !list.is_empty()).map(criterion)
}

/// A value, or a list that holds only that. An empty list is unset.
fn one_of_a_list<T>(
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
                let letters: Vec<String> =
                    EnergyLetter::ALL.iter().map(|letter| letter.letter().to_string()).collect();
                let message = format!(
                    "The value \"{}\" is not a valid choice; the choices are {}.",
                    shown(text),
                    letters.join(", ")
                );
                reader.invalid(path, message);
            }
            letter.map(|letter| letter as u8)
        }
        Codes::PropertyType
        | Codes::PublisherType
        | Codes::TransactionType
        | Codes::FeesResponsibility
        | Codes::Accuracy => reader.coded(path, value, &codes.all(), |code| *code),
    }
}

fn zipcode(reader: &mut Reader, path: &str, value: &Value) -> Option<Zipcode> {
    let text = reader.label(path, value)?;
    let zipcode = Zipcode::parse_five_digits(&text);
    if zipcode.is_none() {
        reader.violations.push(refusal(path, value, "a zipcode"));
    }
    zipcode
}
