//! What an import ends with: counts by outcome, and what was rejected, dropped and ignored, each with an example.
//!
//! Messages name the value they are about, so there are as many messages as wrong values. The summary groups them by path and pattern,
//! without indexes, quoted values and numbers, and shows the first of each group. The number of groups is bounded.

use std::collections::HashMap;
use std::fmt::{self, Write};

use app::ingest::{Outcome, Receipt};
use domain::Violation;

use super::records::RecordName;
use crate::ndjson::Ingested;

/// Groups per table. A feed with more has no pattern that a list could show.
pub const GROUPS_MAX: usize = 100;

/// Groups printed per table, the largest first.
const GROUPS_SHOWN: usize = 30;

/// Characters of an example that are printed.
const EXAMPLE_CHARACTERS_MAX: usize = 160;

/// What the numbers of a feed count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Unit {
    #[default]
    Line,
    Record,
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Line => "line",
            Self::Record => "record",
        })
    }
}

/// Counts and examples of everything that was imported.
#[derive(Debug, Default)]
pub struct Summary {
    pub unit: Unit,
    pub created: u64,
    pub updated: u64,
    pub unchanged: u64,
    pub rejected: u64,
    rejections: Groups,
    warnings: Groups,
    ignored: Groups,
}

impl Summary {
    pub fn of(unit: Unit) -> Self {
        Self { unit, ..Self::default() }
    }

    pub fn add(&mut self, name: &RecordName, ingested: &Ingested) {
        match &ingested.receipt {
            Receipt::Accepted { outcome, warnings, .. } => {
                match outcome {
                    Outcome::Created => self.created += 1,
                    Outcome::Updated => self.updated += 1,
                    Outcome::Unchanged => self.unchanged += 1,
                }
                for warning in warnings {
                    self.warnings.add_violation(name, ingested, warning);
                }
            }
            Receipt::Rejected { violations } => {
                self.rejected += 1;
                for violation in violations {
                    self.rejections.add_violation(name, ingested, violation);
                }
            }
        }
        for field in &ingested.ignored {
            let field = without_indexes(field);
            self.ignored.add(&field, || Group::new(name, ingested, field.clone()));
        }
    }

    /// Supplies the value of a field that was ignored.
    pub fn set_ignored_example(&mut self, field: &str, value: &str) {
        if let Some(group) = self.ignored.groups.get_mut(&without_indexes(field))
            && group.value.is_empty()
        {
            group.value = truncated(value);
        }
    }

    pub fn total(&self) -> u64 {
        self.created + self.updated + self.unchanged + self.rejected
    }

    /// Formats the counts, for the end of a sentence.
    pub fn counts(&self) -> String {
        let Self { created, updated, unchanged, rejected, .. } = self;
        format!("{created} created, {updated} updated, {unchanged} unchanged, {rejected} rejected")
    }

    /// Formats the tables that are not empty.
    pub fn tables(&self) -> String {
        let mut text = String::new();
        for (title, groups) in [
            ("Rejected, the first of each kind", &self.rejections),
            ("Warnings, the first of each kind", &self.warnings),
            ("Ignored names, with the first value", &self.ignored),
        ] {
            groups.write(title, self.unit, &mut text);
        }
        text
    }
}

#[derive(Debug, Default)]
struct Groups {
    groups: HashMap<String, Group>,
    /// Values of groups there was no room for.
    left_off: u64,
}

#[derive(Debug)]
struct Group {
    count: u64,
    /// What the first one is about: the path and the message, or the name of a field.
    text: String,
    /// The number of its record, and what its sender recognises it by.
    number: u64,
    name: Option<String>,
    /// The value of an ignored field.
    value: String,
}

impl Group {
    fn new(name: &RecordName, ingested: &Ingested, text: String) -> Self {
        let label = match (&ingested.reference, &ingested.url) {
            (Some(reference), _) => Some(format!("reference {}", truncated(reference))),
            (None, Some(url)) => Some(truncated(url)),
            (None, None) => None,
        };
        Self { count: 1, text, number: name.number, name: label, value: String::new() }
    }
}

impl Groups {
    fn add_violation(&mut self, name: &RecordName, ingested: &Ingested, violation: &Violation) {
        let path = without_indexes(&violation.path);
        let key = format!("{path}: {}", message_pattern(&violation.message));
        self.add(&key, || {
            let message = truncated(&violation.message);
            let text = if path.is_empty() { message } else { format!("{path}: {message}") };
            Group::new(name, ingested, text)
        });
    }

    fn add(&mut self, key: &str, first: impl FnOnce() -> Group) {
        if let Some(group) = self.groups.get_mut(key) {
            group.count += 1;
        } else if self.groups.len() < GROUPS_MAX {
            self.groups.insert(key.to_owned(), first());
        } else {
            self.left_off += 1;
        }
    }

    fn write(&self, title: &str, unit: Unit, text: &mut String) {
        if self.groups.is_empty() {
            return;
        }
        let mut groups: Vec<(&String, &Group)> = self.groups.iter().collect();
        groups.sort_by_key(|(key, group)| (std::cmp::Reverse(group.count), *key));
        let hidden = groups.get(GROUPS_SHOWN..).unwrap_or_default();
        let rest = self.left_off + hidden.iter().map(|(_, group)| group.count).sum::<u64>();
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{title}:");
        for (_, Group { count, text: about, number, name, value }) in groups.iter().take(GROUPS_SHOWN) {
            let _ = write!(text, "{count:>9}  {about} ({unit} {number}");
            if let Some(name) = name {
                let _ = write!(text, ", {name}");
            }
            if !value.is_empty() {
                let _ = write!(text, ": {value}");
            }
            let _ = writeln!(text, ")");
        }
        if rest > 0 {
            let _ = writeln!(text, "{rest:>9}  others");
        }
    }
}

/// Returns a path without its indexes: `pictures[3]` and `pictures[4]` are one kind of problem.
fn without_indexes(path: &str) -> String {
    let mut text = String::with_capacity(path.len());
    let mut depth = 0_u32;
    for letter in path.chars() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 => text.push(letter),
            _ => {}
        }
    }
    truncated(&text)
}

/// Returns a message without what differs from record to record: quoted values and numbers become `…`.
fn message_pattern(message: &str) -> String {
    let mut text = String::with_capacity(message.len());
    let mut parts = message.split('"');
    let mut push = |part: &str| {
        let mut in_number = false;
        for letter in part.chars() {
            let digit = letter.is_ascii_digit() || (in_number && matches!(letter, '.' | ','));
            if digit && !in_number {
                text.push('…');
            }
            if !digit {
                text.push(letter);
            }
            in_number = digit;
        }
    };
    if let Some(first) = parts.next() {
        push(first);
    }
    // The parts are now quoted and not quoted in turn. Without a closing quote, the rest is a value that was cut.
    while let Some(_quoted) = parts.next() {
        push("\"…\"");
        if let Some(plain) = parts.next() {
            push(plain);
        }
    }
    truncated(&text)
}

/// Returns the beginning of a text on one line.
pub fn truncated(text: &str) -> String {
    let mut short: String = text.chars().take(EXAMPLE_CHARACTERS_MAX).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short.replace(|letter: char| letter.is_control(), " ")
}

#[cfg(test)]
mod tests {
    use domain::{AdvertId, PropertyId};

    use super::*;

    fn name(number: u64) -> RecordName {
        RecordName { number, identity: None }
    }

    fn accepted(number: u64, warnings: Vec<Violation>, ignored: &[&str]) -> Ingested {
        let receipt = Receipt::Accepted {
            advert: AdvertId::from_bytes([1; 16]),
            property: PropertyId::from_bytes([2; 16]),
            outcome: Outcome::Created,
            certainty: None,
            warnings,
        };
        let ignored = ignored.iter().map(|name| (*name).to_owned()).collect();
        Ingested { receipt, ignored, site: None, reference: Some(format!("A-{number}")), url: None }
    }

    #[test]
    fn values_and_indexes_do_not_make_groups() {
        let mut summary = Summary::default();
        for number in 1..=3 {
            let warning = Violation::invalid(
                format!("pictures[{number}]"),
                format!("\"http://x y/{number}\" is not a URL."),
            );
            summary.add(&name(number), &accepted(number, vec![warning], &["colour"]));
        }
        let limit = Violation::invalid("room", "This value should be between 0 and 10000, 12.5 given.");
        summary.add(&name(4), &accepted(4, vec![limit], &[]));
        summary.set_ignored_example("colour", "\"red\"");
        summary.set_ignored_example("colour", "\"blue\"");
        assert_eq!(summary.counts(), "4 created, 0 updated, 0 unchanged, 0 rejected");
        assert_eq!(
            summary.tables(),
            "Warnings, the first of each kind:\n        3  pictures: \"http://x y/1\" is not a URL. (line 1, reference A-1)\n        \
             1  room: This value should be between 0 and 10000, 12.5 given. (line 4, reference A-4)\nIgnored names, with the \
             first value:\n        3  colour (line 1, reference A-1: \"red\")\n"
        );
    }

    #[test]
    fn record_without_a_name_has_its_number() {
        let mut summary = Summary::default();
        let violations = vec![Violation::missing("propertyType", "This value should not be blank.")];
        let receipt = Receipt::Rejected { violations };
        let rejected = Ingested { receipt, ignored: Vec::new(), site: None, reference: None, url: None };
        summary.add(&name(7), &rejected);
        assert_eq!(
            summary.tables(),
            "Rejected, the first of each kind:\n        1  propertyType: This value should not be blank. (line 7)\n"
        );
    }

    #[test]
    fn number_of_groups_is_bounded() {
        let mut summary = Summary::default();
        for number in 0..10_000 {
            let field = format!("{}é", "x".repeat(number % 500));
            summary.add(&name(1), &accepted(1, Vec::new(), &[&field]));
        }
        assert_eq!(summary.ignored.groups.len(), GROUPS_MAX);
        let tables = summary.tables();
        assert_eq!(tables.lines().count(), GROUPS_SHOWN + 2);
        let counts = tables.lines().skip(1).map(|line| line.trim().split(' ').next().unwrap());
        assert_eq!(counts.map(|count| count.parse::<u64>().unwrap()).sum::<u64>(), 10_000);
    }

    #[test]
    fn pattern_survives_strange_quotes() {
        assert_eq!(message_pattern("a \"b"), "a \"…\"");
        assert_eq!(message_pattern("\"\" c \"d\" 1,5 e."), "\"…\" c \"…\" … e.");
        assert_eq!(without_indexes("events[0].createdAt"), "events.createdAt");
        assert_eq!(truncated("a\nb"), "a b");
    }
}
