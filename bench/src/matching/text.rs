//! Text matching for engines without it: the words of a property, and whether they satisfy expressions.

use std::collections::BTreeSet;

use domain::criteria::{AdvertScope, Entry, Presence, texts};
use domain::phrase::{exact_form, stem, tokenize};
use domain::{Property, Strictness};

/// The texts of the adverts of a property.
pub struct Text {
    /// Distinct texts; most portals have the same.
    parts: Vec<Field>,
}

struct Field {
    tokens: String,
    words: Vec<String>,
    reduced: Vec<String>,
}

impl Text {
    pub fn of(property: &Property) -> Self {
        let mut parts: Vec<Field> = Vec::new();
        for tokens in texts(property, AdvertScope::Live).map(tokenize) {
            if parts.iter().all(|part| part.tokens != tokens) {
                let words = tokens.split(' ').map(|token| exact_form(token).into_owned()).collect();
                let reduced = tokens.split(' ').map(|token| stem(token).into_owned()).collect();
                parts.push(Field { tokens, words, reduced });
            }
        }
        Self { parts }
    }

    /// Returns the distinct words, stemmed.
    pub fn words(&self) -> BTreeSet<&str> {
        self.parts.iter().flat_map(|part| &part.reduced).map(String::as_str).collect()
    }

    /// Returns `true` if one of the alternatives holds.
    pub fn satisfies(&self, expressions: &[Vec<Entry>]) -> bool {
        let holds = |entry: &Entry| self.contains(entry) == (entry.presence == Presence::Present);
        expressions.iter().any(|entries| entries.iter().all(holds))
    }

    fn contains(&self, entry: &Entry) -> bool {
        let exact = entry.phrase.strictness() == Strictness::Exact;
        self.parts.iter().any(|part| {
            let words = if exact { &part.words } else { &part.reduced };
            entry.phrase.alternatives().iter().any(|wanted| {
                words.windows(wanted.len()).any(|found| found.iter().zip(wanted).all(|(a, b)| **a == **b))
            })
        })
    }
}

/// Returns words of which a property must contain at least one to satisfy the expressions; `None` if there is no such set.
pub fn required(expressions: &[Vec<Entry>]) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for entries in expressions {
        let entry = entries.iter().find(|entry| entry.presence == Presence::Present)?;
        // The longest word of a phrase is probably the rarest.
        let longest = |words: &[Box<str>]| words.iter().max_by_key(|word| word.len()).cloned();
        let alternatives = entry.phrase.alternatives().iter();
        // A text that contains a word also contains its stem.
        words.extend(alternatives.filter_map(|words| longest(words)).map(|word| stem(&word).into_owned()));
    }
    Some(words)
}
