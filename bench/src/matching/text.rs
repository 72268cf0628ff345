//! Words, for engines that have none: which a property says, and whether they are what a search asks for.

use std::collections::BTreeSet;

use domain::criteria::{Entry, Presence, texts};
use domain::phrase::stem;
use domain::{Property, Strictness, fold};

/// What the adverts of a property say.
pub struct Text {
    /// Titles and descriptions, each once: most portals carry the same.
    parts: Vec<Part>,
}

struct Part {
    folded: String,
    words: Vec<String>,
    reduced: Vec<String>,
}

impl Text {
    pub fn of(property: &Property) -> Self {
        let mut parts: Vec<Part> = Vec::new();
        for folded in texts(property).map(fold) {
            if parts.iter().all(|part| part.folded != folded) {
                let words: Vec<String> = folded.split(' ').map(str::to_owned).collect();
                let reduced = words.iter().map(|word| stem(word).into_owned()).collect();
                parts.push(Part { folded, words, reduced });
            }
        }
        Self { parts }
    }

    /// Every word once, reduced.
    pub fn words(&self) -> BTreeSet<&str> {
        self.parts.iter().flat_map(|part| &part.reduced).map(String::as_str).collect()
    }

    /// Whether one of the alternatives holds.
    pub fn meets(&self, expressions: &[Vec<Entry>]) -> bool {
        let holds = |entry: &Entry| self.says(entry) == (entry.presence == Presence::Present);
        expressions.iter().any(|entries| entries.iter().all(holds))
    }

    fn says(&self, entry: &Entry) -> bool {
        let exact = entry.phrase.strictness() == Strictness::Exact;
        self.parts.iter().any(|part| {
            let said = if exact { &part.words } else { &part.reduced };
            entry.phrase.alternatives().iter().any(|wanted| {
                said.windows(wanted.len()).any(|found| found.iter().zip(wanted).all(|(a, b)| **a == **b))
            })
        })
    }
}

/// Words of which a property must say one, or it cannot be what expressions ask for; nothing when it can without any of them.
pub fn required(expressions: &[Vec<Entry>]) -> Option<BTreeSet<String>> {
    let mut words = BTreeSet::new();
    for entries in expressions {
        let entry = entries.iter().find(|entry| entry.presence == Presence::Present)?;
        // The longest word of a phrase is most likely the rarest.
        let longest = |words: &[Box<str>]| words.iter().max_by_key(|word| word.len()).cloned();
        let alternatives = entry.phrase.alternatives().iter();
        // What a text says exactly it also says reduced.
        words.extend(alternatives.filter_map(|words| longest(words)).map(|word| stem(&word).into_owned()));
    }
    Some(words)
}
