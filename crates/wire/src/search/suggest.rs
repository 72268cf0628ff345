//! Suggests the field that an unknown one may have meant: `maxBudget` → `budgetMax`, `cities` → `includedCities`.
//!
//! A misspelt criterion that is ignored makes a search that matches everything. So a field that is close to a known one is
//! refused, and only fields that resemble nothing are ignored.

use std::sync::LazyLock;

use domain::Filter;

use super::{READ_ONLY, SETTINGS, criteria};
use crate::filters::names;

/// No known name is nearly as long.
const NAME_LENGTH_MAX: usize = 60;

/// Words without which a name is still recognised: `cities`, `budget`.
const OPTIONAL_WORDS: &[&str] = &["included", "excluded", "min", "max"];

/// A known name of a field.
struct KnownName {
    /// The name to suggest, which is not an alias.
    suggestion: &'static str,
    folded: String,
    words: Vec<String>,
    core: String,
}

/// Returns the fields that an unknown name is close to. Empty if it resembles none.
pub fn suggestions(unknown: &str) -> Vec<&'static str> {
    static KNOWN: LazyLock<Vec<KnownName>> = LazyLock::new(|| {
        let criteria = criteria().flat_map(|filter| names(filter).map(|name| (name, filter.name)));
        let settings = SETTINGS.iter().map(|name| (*name, *name));
        let known = |(name, suggestion): (&str, &'static str)| KnownName {
            suggestion,
            folded: folded(name),
            words: sorted(words(name)),
            core: core(name),
        };
        criteria.chain(settings).map(known).collect()
    });
    // A filter that is no criterion of a saved search is not misspelt.
    let is_exempt = Filter::named(unknown).is_some() || READ_ONLY.contains(&unknown);
    if is_exempt || unknown.starts_with('@') || unknown.chars().count() > NAME_LENGTH_MAX {
        return Vec::new();
    }
    let (folded, words, core) = (folded(unknown), sorted(words(unknown)), core(unknown));
    let with = |is_close: &dyn Fn(&KnownName) -> bool| -> Vec<&'static str> {
        let mut found = Vec::new();
        for known in KNOWN.iter().filter(|known| is_close(known)) {
            if !found.contains(&known.suggestion) {
                found.push(known.suggestion);
            }
        }
        found
    };
    let attempts: [&dyn Fn(&KnownName) -> bool; 4] = [
        &|known| known.folded == folded,
        &|known| known.words == words,
        &|known| distance(&known.folded, &folded) <= errors_allowed(folded.len()),
        &|known| !core.is_empty() && known.core == core,
    ];
    let close = attempts.into_iter().map(with).find(|found| !found.is_empty());
    close.unwrap_or_default()
}

/// Returns the sentence that offers the suggestions.
pub fn message(suggestions: &[&str]) -> String {
    let quoted: Vec<String> = suggestions.iter().map(|name| format!("\"{name}\"")).collect();
    format!("This attribute is not known. Did you mean {}?", quoted.join(" or "))
}

/// Returns the letters and digits of a name in lower case.
fn folded(name: &str) -> String {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns a name without its optional words: `zipCodes` and `includedZipcodes` are alike.
fn core(name: &str) -> String {
    words(name).into_iter().filter(|word| !OPTIONAL_WORDS.contains(&word.as_str())).collect()
}

/// Sorts words: `maxBudgets` and `budget_max` are alike.
fn sorted(mut words: Vec<String>) -> Vec<String> {
    words.sort_unstable();
    words
}

/// Returns the words of a name, in the singular.
fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut in_word = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            in_word = false;
            continue;
        }
        if letter.is_uppercase() || !in_word {
            words.push(String::new());
        }
        in_word = true;
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
    }
    words.iter().map(|word| singular(word)).collect()
}

fn singular(word: &str) -> String {
    match word {
        "minimum" => "min".to_owned(),
        "maximum" => "max".to_owned(),
        "latitude" => "lat".to_owned(),
        "longitude" | "lng" | "long" => "lon".to_owned(),
        "include" => "included".to_owned(),
        "exclude" => "excluded".to_owned(),
        _ => match (word.strip_suffix("ies"), word.strip_suffix('s')) {
            (Some(stem), _) => format!("{stem}y"),
            (None, Some(stem)) if stem.len() > 2 => stem.to_owned(),
            _ => word.to_owned(),
        },
    }
}

const fn errors_allowed(length: usize) -> usize {
    match length {
        0..5 => 0,
        5..9 => 1,
        _ => 2,
    }
}

/// Returns the number of characters to insert, delete, replace or swap to get from one text to the other.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (i, letter) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, candidate) in other.iter().enumerate() {
            let above = &rows[i];
            let replaced = above[j] + usize::from(letter != candidate);
            let mut least = replaced.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == other[j - 1] && one[i - 1] == *candidate {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_close_to_a_field_are_recognised() {
        for (unknown, expected) in [
            ("maxBudget", &["budgetMax"][..]),
            ("budgetmax", &["budgetMax"]),
            ("budget_max", &["budgetMax"]),
            ("BudgetMaximum", &["budgetMax"]),
            ("bugdetMax", &["budgetMax"]),
            ("minPrice", &["budgetMin"]),
            ("budget", &["budgetMin", "budgetMax"]),
            ("cities", &["includedCities", "excludedCities"]),
            ("city", &["includedCities", "excludedCities"]),
            ("includeCities", &["includedCities"]),
            ("zipCodes", &["includedZipcodes", "excludedZipcodes"]),
            ("maxRooms", &["roomMax"]),
            ("lng", &["lon"]),
            ("longitude", &["lon"]),
            ("propertyType", &["propertyTypes"]),
            ("expression", &["expressions"]),
            ("titel", &["title"]),
            ("endpointRecipiant", &["endpointRecipient"]),
            ("notificationsEnabled", &["notificationEnabled"]),
        ] {
            assert_eq!(suggestions(unknown), expected, "{unknown}");
        }
    }

    #[test]
    fn other_names_are_not() {
        for unknown in [
            "id",
            "uuid",
            "name",
            "color",
            "folder",
            "expired",
            "isExpired",
            "fromDate",
            "sortMode",
            "@graph",
            "token",
            "createdAt",
            "location",
            "type",
            "page",
            "",
            "é",
        ] {
            assert_eq!(suggestions(unknown), [""; 0], "{unknown}");
        }
        assert_eq!(suggestions(&"budgetMax".repeat(10)), [""; 0]);
    }

    #[test]
    fn message_offers_every_suggestion() {
        assert_eq!(message(&["a", "b"]), "This attribute is not known. Did you mean \"a\" or \"b\"?");
    }
}
