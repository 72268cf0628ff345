//! Phrase search: the word sequences that a phrase matches, and whether a text contains one of them.
//!
//! [`Phrase::occurs_in`] is the reference semantics: slow and simple. An index may be faster but must return the same
//! adverts. How phrases are combined is defined in [`criteria`](crate::criteria), their syntax in a request in `wire`.
//!
//! Case and accents are ignored, and every character that is neither a letter nor a digit separates words ([`fold`]).
//! There are no stop words: "sans vis-à-vis" has four words.

mod abbreviations;
mod stem;
mod stem_exceptions;

pub use stem::stem;

use crate::fold::fold;

/// How closely a text must match a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strictness {
    /// The exact words, adjacent and in order.
    Exact,
    /// The same, but singular and plural, masculine and feminine, and the usual abbreviations are equivalent.
    Inflected,
}

/// A phrase to search for: one or more alternative word sequences.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase {
    text: Box<str>,
    strictness: Strictness,
    alternatives: Box<[Box<[Box<str>]>]>,
}

impl Phrase {
    /// The maximum number of alternatives. Each is searched separately, and the abbreviations of one phrase multiply. An
    /// abbreviation that would exceed the limit is searched only as written. The limit allows a number of rooms (six
    /// spellings) and two more abbreviations.
    pub const ALTERNATIVES_MAX: usize = 24;

    /// Parses a phrase. `None` if the text contains no word.
    pub fn new(text: &str, strictness: Strictness) -> Option<Self> {
        let folded = fold(text);
        let alternatives = match strictness {
            Strictness::Exact => vec![folded.split_whitespace().map(Box::from).collect()],
            Strictness::Inflected => {
                let words: Vec<_> = folded.split_whitespace().map(stem).collect();
                abbreviations::alternatives(&words, Self::ALTERNATIVES_MAX)
            }
        };
        (!folded.is_empty()).then(|| Self {
            text: text.trim().into(),
            strictness,
            alternatives: alternatives.into(),
        })
    }

    /// Returns the text as given, trimmed.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Returns the alternative word sequences; at least one, none of them empty. The first is the phrase itself.
    ///
    /// The words are folded. With [`Strictness::Inflected`] they are also stemmed ([`stem()`]): compare them with the
    /// stems of a text.
    pub fn alternatives(&self) -> &[Box<[Box<str>]>] {
        &self.alternatives
    }

    /// Returns `true` if a folded text contains the phrase.
    pub fn occurs_in(&self, folded: &str) -> bool {
        let words: Vec<_> = match self.strictness {
            Strictness::Exact => folded.split_whitespace().map(Into::into).collect(),
            Strictness::Inflected => folded.split_whitespace().map(stem).collect(),
        };
        self.alternatives.iter().any(|sequence| {
            words.windows(sequence.len()).any(|window| window.iter().zip(sequence).all(|(a, b)| **a == **b))
        })
    }
}

#[cfg(test)]
mod tests;
