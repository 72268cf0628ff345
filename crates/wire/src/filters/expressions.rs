//! Parses expressions in every form clients send, and writes them in one form.
//!
//! Groups are alternatives; all entries of a group must match. A query with bracketed keys, a string that holds
//! such keys, JSON in a string, an array of arrays, a flat list of objects or plain words: all become one value
//! that is parsed here, so queries and saved searches cannot differ.

use domain::criteria::{Entry, Presence};
use domain::{Phrase, Strictness, Violation};
use serde::Serialize;
use serde_json::{Map, Value};

use super::malformed_value;
use crate::json::Reader;
use crate::query::{RawQuery, is_unset, items, tree};

pub const GROUPS_MAX: usize = 50;

/// Maximum number of entries in a group.
pub const ENTRIES_MAX: usize = 20;

/// Maximum length of a phrase: no two adverts share a longer one.
pub(super) const WORD_LENGTH_MAX: usize = 200;

/// The parameter's name inside a string that holds a query.
const NAME: &str = "expressions";

/// The parsed expressions. The groups are meaningless if there are violations.
#[derive(Debug, Default)]
pub struct Expressions {
    pub groups: Vec<Vec<Entry>>,
    /// Paths of unknown members.
    pub ignored: Vec<String>,
    pub violations: Vec<Violation>,
}

/// Parses expressions in any form.
pub fn parse(path: &str, value: &Value) -> Expressions {
    let mut expressions = Expressions::default();
    expressions.parse(path, value, TextForm::MayBeEncoded);
    let count = expressions.groups.len();
    if count > GROUPS_MAX {
        expressions.too_many(path, count, "groups", GROUPS_MAX);
    }
    expressions
}

/// How a string is interpreted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TextForm {
    /// A word, or a string with bracketed keys or JSON.
    MayBeEncoded,
    /// A word: an encoded string cannot contain another one.
    Plain,
}

impl Expressions {
    fn parse(&mut self, path: &str, value: &Value, form: TextForm) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text(path, text, form),
            _ if is_entry(value) => self.group_of_one(path, value),
            _ => match items(value) {
                Some(groups) if groups.len() > GROUPS_MAX => {
                    self.too_many(path, groups.len(), "groups", GROUPS_MAX);
                }
                Some(groups) => {
                    for (number, group) in groups {
                        self.group(&format!("{path}[{number}]"), group, form);
                    }
                }
                None => self.violations.push(malformed_value(path, value, "a list of expressions")),
            },
        }
    }

    fn text(&mut self, path: &str, text: &str, form: TextForm) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if form == TextForm::MayBeEncoded && text.starts_with(['[', '{']) {
            match serde_json::from_str::<Value>(text) {
                Ok(value) => self.parse(path, &value, TextForm::Plain),
                Err(_) => {
                    self.violations.push(malformed_value(
                        path,
                        &Value::String(text.to_owned()),
                        "valid JSON",
                    ));
                }
            }
        } else if form == TextForm::MayBeEncoded && holds_keys(text) {
            self.keys(path, text);
        } else {
            self.group_of_one(path, &Value::String(text.to_owned()));
        }
    }

    /// Parses a string that is itself a query.
    fn keys(&mut self, path: &str, text: &str) {
        let Some(query) = RawQuery::parse(text.trim_start_matches('?')) else {
            self.violations.push(Violation::invalid(path, "This query has too many parameters."));
            return;
        };
        let (ours, others): (Vec<_>, Vec<_>) = query.pairs().iter().partition(|pair| pair.name == NAME);
        self.ignored.extend(others.into_iter().map(|pair| format!("{path}: {}", pair.name)));
        let invalid_utf8: Vec<Violation> = ours.iter().filter_map(|pair| pair.invalid_utf8()).collect();
        if !invalid_utf8.is_empty() {
            self.violations.extend(invalid_utf8);
            return;
        }
        match tree(ours.into_iter()) {
            Ok(value) => self.parse(path, &value, TextForm::Plain),
            Err(violation) => self.violations.push(violation),
        }
    }

    /// Parses a group, or a single entry as a group of one.
    fn group(&mut self, path: &str, value: &Value, form: TextForm) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text(path, text, form),
            _ if is_entry(value) => self.group_of_one(path, value),
            _ => match items(value) {
                Some(entries) if entries.len() > ENTRIES_MAX => {
                    self.too_many(path, entries.len(), "entries", ENTRIES_MAX);
                }
                Some(entries) => {
                    let read = |(number, entry)| self.entry(&format!("{path}[{number}]"), entry);
                    let group: Vec<Entry> = entries.into_iter().filter_map(read).collect();
                    // An empty group would match everything.
                    self.groups.extend((!group.is_empty()).then_some(group));
                }
                None => self.violations.push(malformed_value(path, value, "a group of expressions")),
            },
        }
    }

    fn group_of_one(&mut self, path: &str, value: &Value) {
        let entry = self.entry(path, value);
        self.groups.extend(entry.map(|entry| vec![entry]));
    }

    fn entry(&mut self, path: &str, value: &Value) -> Option<Entry> {
        let empty = Map::new();
        let mut reader = Reader::default();
        let (word, options) = match value {
            Value::Object(members) => {
                self.record_unknown(path, members, &["word", "value", "options"]);
                let word = ["word", "value"].into_iter().filter_map(|name| members.get(name));
                let word = word
                    .filter(|word| !is_blank(word))
                    .find_map(|word| reader.text_or_number(&format!("{path}[word]"), word));
                let options = match members.get("options") {
                    Some(Value::Object(options)) => options,
                    None | Some(Value::Null) => &empty,
                    // Some languages write an empty object as an empty array.
                    Some(Value::Array(list)) if list.is_empty() => &empty,
                    Some(Value::String(text)) if text.trim().is_empty() => &empty,
                    Some(other) => {
                        self.violations.push(malformed_value(
                            format!("{path}[options]"),
                            other,
                            "a set of options",
                        ));
                        &empty
                    }
                };
                (word, options)
            }
            other => (reader.text_or_number(path, other), &empty),
        };
        let options_path = format!("{path}[options]");
        self.record_unknown(&options_path, options, &["includes", "strict"]);
        let mut option = |name: &str, default: bool| match options.get(name) {
            Some(value) if !is_blank(value) => {
                reader.boolean(&format!("{options_path}[{name}]"), value).unwrap_or(default)
            }
            _ => default,
        };
        let presence = if option("includes", true) { Presence::Present } else { Presence::Absent };
        let strictness = if option("strict", false) { Strictness::Exact } else { Strictness::Inflected };
        let is_valid = reader.violations.is_empty();
        self.violations.append(&mut reader.violations);
        if !is_valid {
            return None;
        }
        let word = word.unwrap_or_default();
        let length = word.chars().count();
        if length > WORD_LENGTH_MAX {
            let message = format!(
                "This value is too long: {length} characters given, at most {WORD_LENGTH_MAX} allowed."
            );
            self.violations.push(Violation::too_many(path, message));
            return None;
        }
        let phrase = Phrase::new(&word, strictness);
        if phrase.is_none() {
            let message = match word.as_str() {
                "" => "This entry has no word.".to_owned(),
                word => format!("\"{word}\" has no letters or digits."),
            };
            self.violations.push(Violation::missing(path, message));
        }
        phrase.map(|phrase| Entry { phrase, presence })
    }

    fn record_unknown(&mut self, path: &str, members: &Map<String, Value>, known: &[&str]) {
        let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        self.ignored.extend(unknown.map(|name| format!("{path}[{name}]")));
    }

    fn too_many(&mut self, path: &str, count: usize, what: &str, max: usize) {
        let message = format!("Too many {what}: {count} given, at most {max} allowed.");
        self.violations.push(Violation::too_many(path, message));
    }
}

/// Returns whether an object is a single entry rather than a list.
fn is_entry(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    ["word", "value", "options"].iter().any(|name| members.contains_key(*name))
}

/// Returns whether a string is a query with expressions.
fn holds_keys(text: &str) -> bool {
    let query = text.trim_start_matches('?');
    query.split('&').any(|pair| {
        let rest = pair.strip_prefix(NAME);
        rest.is_some_and(|rest| {
            rest.starts_with('[') || rest.get(..3).is_some_and(|it| it.eq_ignore_ascii_case("%5B"))
        })
    })
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => is_unset(text),
        _ => false,
    }
}

/// An entry of an expression.
#[derive(Debug, Serialize)]
pub struct EntryBody<'a> {
    word: &'a str,
    options: OptionsBody,
}

#[derive(Debug, Serialize)]
struct OptionsBody {
    includes: bool,
    strict: bool,
}

impl<'a> EntryBody<'a> {
    pub(crate) fn word(&self) -> &'a str {
        self.word
    }

    pub(crate) fn of(entry: &'a Entry) -> Self {
        let Entry { phrase, presence } = entry;
        let options = OptionsBody {
            includes: *presence == Presence::Present,
            strict: phrase.strictness() == Strictness::Exact,
        };
        Self { word: phrase.text(), options }
    }
}

/// Writes expressions in the nested form.
pub fn write(groups: &[Vec<Entry>]) -> Vec<Vec<EntryBody<'_>>> {
    groups.iter().map(|group| group.iter().map(EntryBody::of).collect()).collect()
}

#[cfg(test)]
mod tests;
