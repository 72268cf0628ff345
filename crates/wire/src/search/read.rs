//! The body of a search: from JSON to a draft, or to everything that is wrong with it.

use std::collections::BTreeSet;

use domain::criteria::RawCriteria;
use domain::FieldUpdate;
use domain::recipient::EndpointError;
use domain::search::{REFERENCES_MAX, SearchDraft};
use domain::{Alerts, EmailAddress, Endpoint, EventName, ShortText, Violation};
use serde_json::{Map, Value};

use super::criterion::Criteria;
use super::{
    EMAIL, ENABLED, ENDPOINT, EVENT_ENDPOINT, EVENTS, HIDE_CONTACT, ParseContext, TITLE, criteria, is_known,
    is_required,
};
use crate::json::{Reader, kind_of, shown};
use crate::names;

/// The message of every value that has to be there.
const BLANK: &str = "This value should not be blank.";

/// As many unknown names as anybody reads.
const IGNORED_MAX: usize = 100;

/// What a body is for.
#[derive(Debug, Clone, Copy)]
pub enum Purpose<'a> {
    /// What is absent is unset.
    Create,
    /// What is absent stays as it is.
    Update(&'a SearchDraft),
    /// As for a creation, but that nobody has to think of a title yet.
    Preview,
}

/// What came of reading a body.
#[derive(Debug)]
pub struct Read {
    pub draft: Result<SearchDraft, Vec<Violation>>,
    /// Names that mean nothing to us.
    pub ignored: Vec<String>,
}

/// Reads the body of a search. `null`, an empty text and, for a list, an empty list clear a value.
pub fn read(body: &Value, purpose: Purpose<'_>, context: &ParseContext<'_>) -> Read {
    let Value::Object(fields) = body else {
        let message = format!("A search must be an object, {} given.", kind_of(body));
        return Read { draft: Err(vec![Violation::malformed("", message)]), ignored: Vec::new() };
    };
    let mut reading = Reading { fields, purpose, reader: Reader::default(), ignored: Vec::new() };
    let title = reading.title();
    let raw_criteria = reading.raw_criteria(context);
    let alerts = reading.alerts(context.judge);
    // What was understood is held together even when something else was not, so that everything is told at once.
    let contradictions = raw_criteria.criteria(&context.references).err().unwrap_or_default();
    let Reading { reader: Reader { mut violations }, mut ignored, .. } = reading;
    violations.extend(contradictions);
    let named = raw_criteria.reference_count();
    if named > REFERENCES_MAX {
        let message = format!(
            "A search may name {REFERENCES_MAX} places, sites, properties and corners in all, not {named}."
        );
        violations.push(Violation::too_many("", message));
    }
    let unknown = fields.keys().filter(|name| !is_known(name)).map(|name| shown(name));
    ignored.extend(unknown.take(IGNORED_MAX));
    ignored.truncate(IGNORED_MAX);
    let draft = match title {
        Some(title) if violations.is_empty() => Ok(SearchDraft { title, raw_criteria, alerts }),
        Some(_) | None => Err(violations),
    };
    Read { draft, ignored }
}

/// Why a text is no address for a webhook, with the text where that helps. A password in it is not said again, and one that is too long is
/// known by that.
pub fn no_endpoint(error: EndpointError, text: &str) -> String {
    match error {
        EndpointError::Malformed | EndpointError::NotHttps => with_value(&error, text),
        EndpointError::UserInfo | EndpointError::TooLong { .. } => error.to_string(),
    }
}

fn with_value(error: &dyn std::fmt::Display, text: &str) -> String {
    format!("{error} \"{}\" was given.", shown(text))
}

struct Reading<'a> {
    fields: &'a Map<String, Value>,
    purpose: Purpose<'a>,
    reader: Reader,
    ignored: Vec<String>,
}

impl<'a> Reading<'a> {
    fn known(&self) -> Option<&'a SearchDraft> {
        match self.purpose {
            Purpose::Update(known) => Some(known),
            Purpose::Create | Purpose::Preview => None,
        }
    }

    /// Nothing only when there is a violation that says why.
    fn title(&mut self) -> Option<ShortText> {
        let read = match said(self.fields, TITLE) {
            FieldUpdate::Set(Some(value)) => {
                let before = self.reader.violations.len();
                let title = self.reader.bounded_text(TITLE, value);
                if title.is_none() && self.reader.violations.len() > before {
                    return None;
                }
                title
            }
            FieldUpdate::Set(None) | FieldUpdate::Keep => None,
        };
        match (read, self.purpose) {
            (Some(title), _) => Some(title),
            // Never shown to anybody.
            (None, Purpose::Preview) => Some(ShortText::trusted("preview".to_owned())),
            (None, Purpose::Create | Purpose::Update(_)) => {
                self.reader.violations.push(Violation::missing(TITLE, BLANK));
                None
            }
        }
    }

    fn raw_criteria(&mut self, context: &ParseContext<'_>) -> RawCriteria {
        let known = self.known().map(|known| &known.raw_criteria);
        let mut raw_criteria = known.cloned().unwrap_or_default();
        let mut body = Criteria { fields: self.fields, known, context, ignored: &mut self.ignored };
        for filter in criteria() {
            let before = self.reader.violations.len();
            let given = body.read(&mut self.reader, filter);
            let understood = self.reader.violations.len() == before;
            let missing = matches!(given, FieldUpdate::Keep | FieldUpdate::Set(None)) && understood;
            if is_required(filter) && missing {
                self.reader.violations.push(Violation::missing(filter.name, BLANK));
            }
            match given {
                FieldUpdate::Keep => {}
                FieldUpdate::Set(Some(criterion)) => raw_criteria.put(filter, criterion),
                FieldUpdate::Set(None) => raw_criteria.clear(filter),
            }
        }
        raw_criteria
    }

    fn alerts(&mut self, judge: &dyn Fn(&Endpoint) -> Result<(), String>) -> Alerts {
        let nothing = Alerts::default();
        let Alerts { enabled, hide_contact, email, endpoint, event_endpoint, events } =
            self.known().map_or(&nothing, |known| &known.alerts).clone();
        Alerts {
            enabled: self.flag(ENABLED, enabled),
            hide_contact: self.flag(HIDE_CONTACT, hide_contact),
            email: self.text(EMAIL, email, |text| {
                EmailAddress::parse(text).map_err(|error| with_value(&error, text))
            }),
            endpoint: self.endpoint(ENDPOINT, endpoint, judge),
            event_endpoint: self.endpoint(EVENT_ENDPOINT, event_endpoint, judge),
            events: self.events(events),
        }
    }

    fn endpoint(
        &mut self,
        name: &str,
        known: Option<Endpoint>,
        judge: &dyn Fn(&Endpoint) -> Result<(), String>,
    ) -> Option<Endpoint> {
        let before = known.clone();
        self.text(name, known, |text| {
            let endpoint = Endpoint::parse(text).map_err(|error| no_endpoint(error, text))?;
            // Rules may have become stricter since it was accepted. That must not keep its owner from changing something else.
            if before.as_ref() != Some(&endpoint) {
                judge(&endpoint)?;
            }
            Ok::<_, String>(endpoint)
        })
    }

    /// Unset is no.
    fn flag(&mut self, name: &str, known: bool) -> bool {
        match said(self.fields, name) {
            FieldUpdate::Keep => known,
            FieldUpdate::Set(None) => false,
            FieldUpdate::Set(Some(value)) => self.reader.boolean(name, value).unwrap_or_default(),
        }
    }

    fn text<T, E: std::fmt::Display>(
        &mut self,
        name: &str,
        known: Option<T>,
        parse: impl Fn(&str) -> Result<T, E>,
    ) -> Option<T> {
        match said(self.fields, name) {
            FieldUpdate::Keep => known,
            FieldUpdate::Set(None) => None,
            FieldUpdate::Set(Some(value)) => {
                let text = self.reader.text(name, value)?;
                parse(text).map_err(|error| self.reader.invalid(name, error)).ok()
            }
        }
    }

    fn events(&mut self, known: BTreeSet<EventName>) -> BTreeSet<EventName> {
        match said(self.fields, EVENTS) {
            FieldUpdate::Keep => known,
            FieldUpdate::Set(None) => BTreeSet::new(),
            FieldUpdate::Set(Some(value)) => {
                let events = self.reader.several(&[(EVENTS, value)], event_name);
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
        let message = format!("\"{}\" is no event; the events are {}.", shown(text.trim()), names.join(", "));
        reader.invalid(path, message);
    }
    name
}

/// What a body says under a name: nothing, that it is unset, or a value.
pub fn said<'a>(fields: &'a Map<String, Value>, name: &str) -> FieldUpdate<Option<&'a Value>> {
    match fields.get(name) {
        None => FieldUpdate::Keep,
        Some(Value::Null) => FieldUpdate::Set(None),
        // Forms send an empty text for a field that was left empty.
        Some(Value::String(text)) if text.trim().is_empty() => FieldUpdate::Set(None),
        Some(value) => FieldUpdate::Set(Some(value)),
    }
}
