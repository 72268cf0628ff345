//! Parses expressions in every form clients send, and writes them in one form.
//!
//! Groups are alternatives; all entries of a group must match. A query with bracketed keys, a string that holds
//! such keys, JSON in a string, an array of arrays, a flat list of objects or plain words, words to include and to
//! exclude: all become one value that is parsed here, so queries and saved searches cannot differ.
//!
//! An unknown option is a violation and never ignored: without `includes: false` a search means the opposite.

use domain::criteria::{Entry, Presence};
use domain::{Phrase, Strictness, Violation};
use serde::Serialize;
use serde_json::{Map, Value};

use super::malformed_value;
use crate::json::{Reader, truncated};
use crate::query::{RawQuery, is_unset, items, tree};

pub const GROUPS_MAX: usize = 50;

/// Maximum number of entries in a group.
pub const ENTRIES_MAX: usize = 20;

/// Maximum number of unknown options reported for an entry.
const UNKNOWN_MAX: usize = 5;

/// Maximum length of a phrase: no two adverts share a longer one.
pub(super) const WORD_LENGTH_MAX: usize = 200;

/// The parameter's name inside a string that holds a query.
const NAME: &str = "expressions";

/// The members of an entry that hold its words.
const WORDS: [&str; 2] = ["word", "value"];

/// The member of an entry that may hold its options. They may also stand beside the words.
const OPTIONS: &str = "options";
const INCLUDES: &str = "includes";
const STRICT: &str = "strict";

/// The members of a group that is written as two lists.
const INCLUDE: &str = "include";
const EXCLUDE: &str = "exclude";

/// The parsed expressions. The groups are meaningless if there are violations.
#[derive(Debug, Default)]
pub struct Expressions {
    pub groups: Vec<Vec<Entry>>,
    /// Other parameters in a string that holds a query.
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
            Value::Object(members) if is_entry(members) => self.group_of_one(path, value),
            Value::Object(members) if is_lists(members) => self.lists(path, members),
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
        for other in others {
            // `expression[0][0][options][includes]=false` is an option of this parameter, misspelt.
            if other.keys.len() > 1 {
                let message =
                    format!("\"{}\" is not known inside a query with expressions.", truncated(&other.name));
                self.violations.push(Violation::malformed(path, message));
            } else {
                self.ignored.push(format!("{path}: {}", other.name));
            }
        }
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
            Value::Object(members) if is_entry(members) => self.group_of_one(path, value),
            Value::Object(members) if is_lists(members) => self.lists(path, members),
            _ => match items(value) {
                Some(entries) if entries.len() > ENTRIES_MAX => {
                    self.too_many(path, entries.len(), "entries", ENTRIES_MAX);
                }
                Some(entries) => {
                    let read = |(number, entry)| self.entry(&format!("{path}[{number}]"), entry, None);
                    let group: Vec<Entry> = entries.into_iter().filter_map(read).collect();
                    self.add_group(group);
                }
                None => self.violations.push(malformed_value(path, value, "a group of expressions")),
            },
        }
    }

    fn group_of_one(&mut self, path: &str, value: &Value) {
        let entry = self.entry(path, value, None);
        self.groups.extend(entry.map(|entry| vec![entry]));
    }

    /// Parses `{"include": […], "exclude": […]}`: one group with all words of the first list and none of the second.
    fn lists(&mut self, path: &str, members: &Map<String, Value>) {
        if self.reject_unknown(path, members, &[INCLUDE, EXCLUDE]) {
            return;
        }
        let mut group = Vec::new();
        for (name, presence) in [(INCLUDE, Presence::Present), (EXCLUDE, Presence::Absent)] {
            let path = format!("{path}[{name}]");
            match members.get(name) {
                None => {}
                Some(value) if is_blank(value) => {}
                Some(value @ (Value::String(_) | Value::Number(_))) => {
                    group.extend(self.entry(&path, value, Some(presence)));
                }
                Some(value) => match items(value) {
                    Some(words) if words.len() > ENTRIES_MAX => {
                        self.too_many(&path, words.len(), "entries", ENTRIES_MAX);
                    }
                    Some(words) => group.extend(words.into_iter().filter_map(|(number, word)| {
                        self.entry(&format!("{path}[{number}]"), word, Some(presence))
                    })),
                    None => self.violations.push(malformed_value(path, value, "a list of words")),
                },
            }
        }
        if group.len() > ENTRIES_MAX {
            self.too_many(path, group.len(), "entries", ENTRIES_MAX);
        }
        self.add_group(group);
    }

    /// Leaves out an empty group, which would match everything.
    fn add_group(&mut self, group: Vec<Entry>) {
        self.groups.extend((!group.is_empty()).then_some(group));
    }

    /// Parses an entry. Inside a list that gives the presence, `includes` is unknown.
    fn entry(&mut self, path: &str, value: &Value, given: Option<Presence>) -> Option<Entry> {
        let mut reader = Reader::default();
        let (word, options) = match value {
            Value::Object(members) => {
                let options = self.options(path, members, given)?;
                let word = WORDS.into_iter().filter_map(|name| members.get(name));
                let word = word
                    .filter(|word| !is_blank(word))
                    .find_map(|word| reader.text_or_number(&format!("{path}[word]"), word));
                (word, options)
            }
            other => (reader.text_or_number(path, other), EntryOptions::default()),
        };
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
        let strictness =
            if options.strict.unwrap_or(false) { Strictness::Exact } else { Strictness::Inflected };
        let phrase = Phrase::new(&word, strictness);
        if phrase.is_none() {
            let message = match word.as_str() {
                "" => "This entry has no word.".to_owned(),
                word => format!("\"{word}\" has no letters or digits."),
            };
            self.violations.push(Violation::missing(path, message));
        }
        let own = if options.includes.unwrap_or(true) { Presence::Present } else { Presence::Absent };
        phrase.map(|phrase| Entry { phrase, presence: given.unwrap_or(own) })
    }

    /// Parses the options of an entry, inside `options` or beside the words. `None` after a violation.
    fn options(
        &mut self,
        path: &str,
        members: &Map<String, Value>,
        given: Option<Presence>,
    ) -> Option<EntryOptions> {
        let names: &[&str] = if given.is_some() { &[STRICT] } else { &[INCLUDES, STRICT] };
        let known = [&WORDS[..], &[OPTIONS], names].concat();
        let options_path = format!("{path}[{OPTIONS}]");
        let empty = Map::new();
        let nested = match members.get(OPTIONS) {
            Some(Value::Object(nested)) => nested,
            None | Some(Value::Null) => &empty,
            // Some languages write an empty object as an empty array.
            Some(Value::Array(list)) if list.is_empty() => &empty,
            Some(Value::String(text)) if text.trim().is_empty() => &empty,
            Some(other) => {
                self.violations.push(malformed_value(options_path, other, "a set of options"));
                return None;
            }
        };
        let unknown =
            [self.reject_unknown(path, members, &known), self.reject_unknown(&options_path, nested, names)];
        if unknown.contains(&true) {
            return None;
        }
        let before = self.violations.len();
        let mut option = |name: &str| {
            let mut reader = Reader::default();
            let mut read = |path: String, value: Option<&Value>| {
                value.filter(|value| !is_blank(value)).and_then(|value| reader.boolean(&path, value))
            };
            let inside = read(format!("{options_path}[{name}]"), nested.get(name));
            let beside = read(format!("{path}[{name}]"), members.get(name));
            self.violations.append(&mut reader.violations);
            if inside.zip(beside).is_some_and(|(inside, beside)| inside != beside) {
                let message = "This option is given twice, with different values.";
                self.violations.push(Violation::malformed(format!("{path}[{name}]"), message));
            }
            inside.or(beside)
        };
        let options = EntryOptions { includes: option(INCLUDES), strict: option(STRICT) };
        (self.violations.len() == before).then_some(options)
    }

    /// Reports members that are not known. Returns whether there are any.
    fn reject_unknown(&mut self, path: &str, members: &Map<String, Value>, known: &[&str]) -> bool {
        let before = self.violations.len();
        for name in members.keys().filter(|name| !known.contains(&name.as_str())).take(UNKNOWN_MAX) {
            let message = format!("This option is not known; the options are {}.", known.join(", "));
            self.violations.push(Violation::malformed(format!("{path}[{}]", truncated(name)), message));
        }
        self.violations.len() > before
    }

    fn too_many(&mut self, path: &str, count: usize, what: &str, max: usize) {
        let message = format!("Too many {what}: {count} given, at most {max} allowed.");
        self.violations.push(Violation::too_many(path, message));
    }
}

/// The options of an entry, as far as they are given.
#[derive(Clone, Copy, Default)]
struct EntryOptions {
    includes: Option<bool>,
    strict: Option<bool>,
}

/// Returns whether an object is a single entry rather than a list.
fn is_entry(members: &Map<String, Value>) -> bool {
    let known = [WORDS[0], WORDS[1], OPTIONS, INCLUDES, STRICT];
    known.iter().any(|name| members.contains_key(*name))
}

/// Returns whether an object is a group written as two lists.
fn is_lists(members: &Map<String, Value>) -> bool {
    members.contains_key(INCLUDE) || members.contains_key(EXCLUDE)
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
