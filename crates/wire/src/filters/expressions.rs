//! Expressions, in every form clients send them, and written back in one.
//!
//! Groups are alternatives; the entries of a group must all hold. A query with bracketed keys, a text that holds such keys,
//! JSON in a text, an array of arrays, a flat list of objects or of plain words: all become one value that is read here, so
//! that a query and the body of a saved search cannot differ.

use domain::criteria::{Entry, Presence};
use domain::{Phrase, Strictness, Violation};
use serde::Serialize;
use serde_json::{Map, Value};

use super::refusal;
use crate::json::Reader;
use crate::query::{RawQuery, is_nothing, items, tree};

pub const GROUPS_MAX: usize = 50;

/// Of one group.
pub const ENTRIES_MAX: usize = 20;

/// A phrase longer than this is no phrase that two adverts share.
const WORD_LENGTH_MAX: usize = 200;

/// The name of the parameter, inside a text that holds a query.
const NAME: &str = "expressions";

/// What was read. The groups are of no use when there are violations.
#[derive(Debug, Default)]
pub struct Expressions {
    pub groups: Vec<Vec<Entry>>,
    /// The paths of what has no meaning.
    pub ignored: Vec<String>,
    pub violations: Vec<Violation>,
}

/// Reads expressions of any form.
pub fn read(path: &str, value: &Value) -> Expressions {
    let mut expressions = Expressions::default();
    expressions.read(path, value, Texts::MayHoldKeys);
    let count = expressions.groups.len();
    if count > GROUPS_MAX {
        expressions.too_many(path, count, "groups", GROUPS_MAX);
    }
    expressions
}

/// What a text may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Texts {
    /// A word, or a text that holds keys or JSON.
    MayHoldKeys,
    /// A word: what was held inside a text holds no other.
    AreWords,
}

impl Expressions {
    fn read(&mut self, path: &str, value: &Value, texts: Texts) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text(path, text, texts),
            _ if is_entry(value) => self.group_of_one(path, value),
            _ => match items(value) {
                Some(groups) if groups.len() > GROUPS_MAX => {
                    self.too_many(path, groups.len(), "groups", GROUPS_MAX);
                }
                Some(groups) => {
                    for (number, group) in groups {
                        self.group(&format!("{path}[{number}]"), group, texts);
                    }
                }
                None => self.violations.push(refusal(path, value, "a list of expressions")),
            },
        }
    }

    fn text(&mut self, path: &str, text: &str, texts: Texts) {
        let text = text.trim();
        if text.is_empty() {
            return;
        }
        if texts == Texts::MayHoldKeys && text.starts_with(['[', '{']) {
            match serde_json::from_str::<Value>(text) {
                Ok(value) => self.read(path, &value, Texts::AreWords),
                Err(_) => {
                    self.violations.push(refusal(path, &Value::String(text.to_owned()), "valid JSON"));
                }
            }
        } else if texts == Texts::MayHoldKeys && holds_keys(text) {
            self.keys(path, text);
        } else {
            self.group_of_one(path, &Value::String(text.to_owned()));
        }
    }

    /// A text that is itself a query.
    fn keys(&mut self, path: &str, text: &str) {
        let Some(query) = RawQuery::parse(text.trim_start_matches('?')) else {
            self.violations.push(Violation::invalid(path, "This text has too many keys."));
            return;
        };
        let (ours, others): (Vec<_>, Vec<_>) = query.pairs().iter().partition(|pair| pair.name == NAME);
        self.ignored.extend(others.into_iter().map(|pair| format!("{path}: {}", pair.name)));
        let garbled: Vec<Violation> = ours.iter().filter_map(|pair| pair.garbled()).collect();
        if !garbled.is_empty() {
            self.violations.extend(garbled);
            return;
        }
        match tree(ours.into_iter()) {
            Ok(value) => self.read(path, &value, Texts::AreWords),
            Err(violation) => self.violations.push(violation),
        }
    }

    /// A group, or a single entry that stands for one.
    fn group(&mut self, path: &str, value: &Value, texts: Texts) {
        match value {
            Value::Null => {}
            Value::String(text) => self.text(path, text, texts),
            _ if is_entry(value) => self.group_of_one(path, value),
            _ => match items(value) {
                Some(entries) if entries.len() > ENTRIES_MAX => {
                    self.too_many(path, entries.len(), "entries", ENTRIES_MAX);
                }
                Some(entries) => {
                    let read = |(number, entry)| self.entry(&format!("{path}[{number}]"), entry);
                    let group: Vec<Entry> = entries.into_iter().filter_map(read).collect();
                    // One without entries would hold for everything.
                    self.groups.extend((!group.is_empty()).then_some(group));
                }
                None => self.violations.push(refusal(path, value, "a group of expressions")),
            },
        }
    }

    fn group_of_one(&mut self, path: &str, value: &Value) {
        let entry = self.entry(path, value);
        self.groups.extend(entry.map(|entry| vec![entry]));
    }

    fn entry(&mut self, path: &str, value: &Value) -> Option<Entry> {
        let nothing = Map::new();
        let mut reader = Reader::default();
        let (word, options) = match value {
            Value::Object(members) => {
                self.note_unknown(path, members, &["word", "value", "options"]);
                let word = ["word", "value"].into_iter().filter_map(|name| members.get(name));
                let word = word
                    .filter(|word| !is_blank(word))
                    .find_map(|word| reader.label(&format!("{path}[word]"), word));
                let options = match members.get("options") {
                    Some(Value::Object(options)) => options,
                    None | Some(Value::Null) => &nothing,
                    // How some languages write an object without members.
                    Some(Value::Array(list)) if list.is_empty() => &nothing,
                    Some(Value::String(text)) if text.trim().is_empty() => &nothing,
                    Some(other) => {
                        self.violations.push(refusal(format!("{path}[options]"), other, "a set of options"));
                        &nothing
                    }
                };
                (word, options)
            }
            other => (reader.label(path, other), &nothing),
        };
        let options_path = format!("{path}[options]");
        self.note_unknown(&options_path, options, &["includes", "strict"]);
        let mut option = |name: &str, default: bool| match options.get(name) {
            Some(value) if !is_blank(value) => {
                reader.boolean(&format!("{options_path}[{name}]"), value).unwrap_or(default)
            }
            _ => default,
        };
        let presence = if option("includes", true) { Presence::Present } else { Presence::Absent };
        let strictness = if option("strict", false) { Strictness::Exact } else { Strictness::Inflected };
        let understood = reader.violations.is_empty();
        self.violations.append(&mut reader.violations);
        if !understood {
            return None;
        }
        let word = word.unwrap_or_default();
        let length = word.chars().count();
        if length > WORD_LENGTH_MAX {
            let message = format!("This value is too long: {length} characters, at most {WORD_LENGTH_MAX}.");
            self.violations.push(Violation::too_many(path, message));
            return None;
        }
        let phrase = Phrase::new(&word, strictness);
        if phrase.is_none() {
            let message = match word.as_str() {
                "" => "This entry has no word.".to_owned(),
                word => format!("\"{word}\" has neither letters nor digits."),
            };
            self.violations.push(Violation::missing(path, message));
        }
        phrase.map(|phrase| Entry { phrase, presence })
    }

    fn note_unknown(&mut self, path: &str, members: &Map<String, Value>, known: &[&str]) {
        let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
        self.ignored.extend(unknown.map(|name| format!("{path}[{name}]")));
    }

    fn too_many(&mut self, path: &str, count: usize, what: &str, max: usize) {
        let message = format!("There are too many {what}: {count}, at most {max}.");
        self.violations.push(Violation::too_many(path, message));
    }
}

/// An object that speaks of one entry rather than listing several.
fn is_entry(value: &Value) -> bool {
    let Value::Object(members) = value else { return false };
    ["word", "value", "options"].iter().any(|name| members.contains_key(*name))
}

/// Whether a text is a query that speaks of expressions.
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
        Value::String(text) => is_nothing(text),
        _ => false,
    }
}

/// An entry as it is read back.
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

/// Expressions in the nested form, whatever form they came in.
pub fn write(groups: &[Vec<Entry>]) -> Vec<Vec<EntryBody<'_>>> {
    groups.iter().map(|group| group.iter().map(EntryBody::of).collect()).collect()
}

#[cfg(test)]
mod tests;
