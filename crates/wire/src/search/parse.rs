//! Parses the body of a saved search into a draft, or into the list of everything that is wrong with it.

use std::collections::BTreeSet;

use domain::FieldUpdate;
use domain::criteria::{RawCriteria, RawCriterion};
use domain::recipient::EndpointError;
use domain::search::{REFERENCES_MAX, SearchDraft};
use domain::{Alerts, EmailAddress, Endpoint, EventName, ShortText, Violation};
use serde_json::{Map, Value};

use super::criterion::Criteria;
use super::{
    EMAIL, ENABLED, ENDPOINT, EVENT_ENDPOINT, EVENTS, HIDE_CONTACT, ParseContext, TITLE, criteria,
    default_flag, is_known, is_required, suggest,
};
use crate::json::{Reader, json_type, truncated};
use crate::{filters, names};

/// Message of a missing required value.
const BLANK: &str = "This value should not be blank.";

/// Maximum number of unknown names reported.
const IGNORED_MAX: usize = 100;

/// What a body is used for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// Absent values are unset.
    Create,
    /// Absent values keep their current value.
    Update(&'a SearchDraft),
    /// As [`Purpose::Create`], but the title is optional.
    Preview,
}

/// The result of parsing a body.
#[derive(Debug)]
pub struct ParsedSearch {
    pub draft: Result<SearchDraft, Vec<Violation>>,
    /// Names of unknown fields that resemble no known one, and a radius that has no effect.
    pub ignored: Vec<String>,
}

/// Parses the body of a search. `null`, an empty text and an empty list clear a value.
pub fn parse(body: &Value, purpose: Purpose<'_>, context: &ParseContext<'_>) -> ParsedSearch {
    let Value::Object(fields) = body else {
        let message = format!("A search must be a JSON object, {} given.", json_type(body));
        return ParsedSearch { draft: Err(vec![Violation::malformed("", message)]), ignored: Vec::new() };
    };
    let mut parser = SearchParser { fields, purpose, reader: Reader::default(), ignored: Vec::new() };
    let title = parser.title();
    let raw_criteria = parser.raw_criteria(context);
    let alerts = parser.alerts(context.check_endpoint);
    // Check the valid criteria against each other even if others are invalid, so that all violations are reported
    // at once.
    let contradictions = raw_criteria.criteria(&context.references).err().unwrap_or_default();
    let SearchParser { reader: Reader { mut violations }, mut ignored, .. } = parser;
    violations.extend(contradictions);
    let named = raw_criteria.reference_count();
    if named > REFERENCES_MAX {
        let message = format!(
            "A search may name at most {REFERENCES_MAX} places, sites, properties and polygon corners in total, {named} given."
        );
        violations.push(Violation::too_many("", message));
    }
    for name in fields.keys().filter(|name| !is_known(name)).take(IGNORED_MAX) {
        match suggest::suggestions(name).as_slice() {
            [] => ignored.push(truncated(name)),
            close => violations.push(Violation::invalid(truncated(name), suggest::message(close))),
        }
    }
    if fields.contains_key(filters::RADIUS) && lacks_centre(&raw_criteria) {
        ignored.push(filters::RADIUS.to_owned());
    }
    ignored.truncate(IGNORED_MAX);
    let draft = match title {
        Some(title) if violations.is_empty() => Ok(SearchDraft { title, raw_criteria, alerts }),
        Some(_) | None => Err(violations),
    };
    ParsedSearch { draft, ignored }
}

/// Returns `true` if criteria have a radius without its centre. The contract accepts it, and it filters nothing.
fn lacks_centre(raw_criteria: &RawCriteria) -> bool {
    let has_radius =
        matches!(raw_criteria.named(filters::RADIUS), Some(RawCriterion::Number(km)) if *km > 0.0);
    has_radius && ["lat", "lon"].iter().any(|name| raw_criteria.named(name).is_none())
}

/// Returns the message for an invalid webhook endpoint, quoting the text where it helps. The text is left out if it
/// contains a password or is too long.
pub fn endpoint_error_message(error: EndpointError, text: &str) -> String {
    match error {
        EndpointError::Malformed | EndpointError::NotHttps => with_value(&error, text),
        EndpointError::UserInfo | EndpointError::TooLong { .. } => error.to_string(),
    }
}

fn with_value(error: &dyn std::fmt::Display, text: &str) -> String {
    format!("{error} Given: \"{}\".", truncated(text))
}

struct SearchParser<'a> {
    fields: &'a Map<String, Value>,
    purpose: Purpose<'a>,
    reader: Reader,
    ignored: Vec<String>,
}

/// Unicode has two line breaks that are no control characters.
fn is_line_break_or_control(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')
}

impl<'a> SearchParser<'a> {
    fn current(&self) -> Option<&'a SearchDraft> {
        match self.purpose {
            Purpose::Update(current) => Some(current),
            Purpose::Create | Purpose::Preview => None,
        }
    }

    /// Returns `None` only after recording a violation.
    fn title(&mut self) -> Option<ShortText> {
        let read = match field(self.fields, TITLE) {
            FieldUpdate::Set(Some(value)) => {
                let before = self.reader.violations.len();
                let title = self.reader.bounded_text(TITLE, value);
                if title.is_none() && self.reader.violations.len() > before {
                    return None;
                }
                // It becomes the subject of e-mails and a line of lists.
                if title.as_ref().is_some_and(|title| title.as_str().contains(is_line_break_or_control)) {
                    let message = "This value must not contain line breaks or control characters.";
                    self.reader.violations.push(Violation::invalid(TITLE, message));
                    return None;
                }
                title
            }
            FieldUpdate::Set(None) | FieldUpdate::Keep => None,
        };
        match (read, self.purpose) {
            (Some(title), _) => Some(title),
            // Never shown.
            (None, Purpose::Preview) => Some(ShortText::trusted("preview".to_owned())),
            (None, Purpose::Create | Purpose::Update(_)) => {
                self.reader.violations.push(Violation::missing(TITLE, BLANK));
                None
            }
        }
    }

    fn raw_criteria(&mut self, context: &ParseContext<'_>) -> RawCriteria {
        let current = self.current().map(|current| &current.raw_criteria);
        let mut raw_criteria = current.cloned().unwrap_or_default();
        let mut body = Criteria { fields: self.fields, current, context, ignored: &mut self.ignored };
        for filter in criteria() {
            let before = self.reader.violations.len();
            let given = body.read(&mut self.reader, filter);
            let is_valid = self.reader.violations.len() == before;
            let missing = matches!(given, FieldUpdate::Keep | FieldUpdate::Set(None)) && is_valid;
            if is_required(filter) && missing {
                self.reader.violations.push(Violation::missing(filter.name, BLANK));
            }
            match given {
                FieldUpdate::Keep => {}
                FieldUpdate::Set(Some(criterion)) => raw_criteria.put(filter, criterion),
                FieldUpdate::Set(None) => raw_criteria.clear(filter),
            }
        }
        // A search for prices on request shows `null`, because it does not have the default: what was read can be
        // sent back.
        let on_request = raw_criteria.named("priceOnRequest") == Some(&RawCriterion::Flag(true));
        for filter in criteria().filter(|filter| on_request && default_flag(filter).is_some()) {
            if filters::names(filter).any(|name| self.fields.get(name).is_some_and(Value::is_null)) {
                raw_criteria.clear(filter);
            }
        }
        raw_criteria
    }

    fn alerts(&mut self, check_endpoint: &dyn Fn(&Endpoint) -> Result<(), String>) -> Alerts {
        let unset = Alerts::default();
        let Alerts { enabled, hide_contact, email, endpoint, event_endpoint, events } =
            self.current().map_or(&unset, |current| &current.alerts).clone();
        Alerts {
            enabled: self.flag(ENABLED, enabled),
            hide_contact: self.flag(HIDE_CONTACT, hide_contact),
            email: self.text(EMAIL, email, |text| {
                EmailAddress::parse(text).map_err(|error| with_value(&error, text))
            }),
            endpoint: self.endpoint(ENDPOINT, endpoint, check_endpoint),
            event_endpoint: self.endpoint(EVENT_ENDPOINT, event_endpoint, check_endpoint),
            events: self.events(events),
        }
    }

    fn endpoint(
        &mut self,
        name: &str,
        current: Option<Endpoint>,
        check_endpoint: &dyn Fn(&Endpoint) -> Result<(), String>,
    ) -> Option<Endpoint> {
        let before = current.clone();
        self.text(name, current, |text| {
            let endpoint = Endpoint::parse(text).map_err(|error| endpoint_error_message(error, text))?;
            // The rules may have become stricter since the endpoint was accepted. The owner must still be able to
            // change other values.
            if before.as_ref() != Some(&endpoint) {
                check_endpoint(&endpoint)?;
            }
            Ok::<_, String>(endpoint)
        })
    }

    /// Reads a boolean; unset means `false`.
    fn flag(&mut self, name: &str, current: bool) -> bool {
        match field(self.fields, name) {
            FieldUpdate::Keep => current,
            FieldUpdate::Set(None) => false,
            FieldUpdate::Set(Some(value)) => self.reader.boolean(name, value).unwrap_or_default(),
        }
    }

    fn text<T, E: std::fmt::Display>(
        &mut self,
        name: &str,
        current: Option<T>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        match field(self.fields, name) {
            FieldUpdate::Keep => current,
            FieldUpdate::Set(None) => None,
            FieldUpdate::Set(Some(value)) => {
                let text = self.reader.text(name, value)?;
                parse(text).map_err(|error| self.reader.invalid(name, error)).ok()
            }
        }
    }

    fn events(&mut self, current: BTreeSet<EventName>) -> BTreeSet<EventName> {
        match field(self.fields, EVENTS) {
            FieldUpdate::Keep => current,
            FieldUpdate::Set(None) => BTreeSet::new(),
            FieldUpdate::Set(Some(value)) => {
                let events = self.reader.list_or_single(&[(EVENTS, value)], event_name);
                events.unwrap_or_default().into_iter().collect()
            }
        }
    }
}

fn event_name(reader: &mut Reader, path: &str, value: &Value) -> Option<EventName> {
    let text = reader.text(path, value)?;
    let name = names::parse_event_name(text);
    if name.is_none() {
        let names: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        let message = format!(
            "\"{}\" is not a valid event; the events are {}.",
            truncated(text.trim()),
            names.join(", ")
        );
        reader.invalid(path, message);
    }
    name
}

/// Returns the value of a field: absent, cleared or given.
pub fn field<'a>(fields: &'a Map<String, Value>, name: &str) -> FieldUpdate<Option<&'a Value>> {
    match fields.get(name) {
        None => FieldUpdate::Keep,
        Some(Value::Null) => FieldUpdate::Set(None),
        // Forms send an empty text for an empty field.
        Some(Value::String(text)) if text.trim().is_empty() => FieldUpdate::Set(None),
        Some(value) => FieldUpdate::Set(Some(value)),
    }
}
