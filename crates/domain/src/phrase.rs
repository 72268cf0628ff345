//! Phrase search: the word sequences that a phrase matches, and whether a text contains one of them.
//!
//! [`Phrase::occurs_in`] is the reference semantics: slow and simple. An index may be faster but must return the same
//! adverts. How phrases are combined is defined in [`criteria`](crate::criteria), their syntax in a request in `wire`.
//!
//! Case and accents are ignored, every character that is neither a letter nor a digit separates words, and so does the end
//! of a number ([`tokenize`]). A number is one word, however it is written. There are no stop words: "sans vis-à-vis" has four words.

mod abbreviations;
mod accents;
mod misspellings;
mod numbers;
mod ordinals;
mod stem;
mod stem_exceptions;
mod tokens;

pub use accents::accented_forms;
pub use numbers::pieces;
pub use stem::stem;
pub use tokens::{TOKENS_VERSION, exact_form, tokenize, tokenize_into};

/// How closely a text must match a phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strictness {
    /// The exact words, adjacent and in order.
    Exact,
    /// The same, but singular and plural, masculine and feminine, and the usual abbreviations, ordinals and misspellings are
    /// equivalent.
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
        let tokens = tokenize(text);
        let words = tokens.split_whitespace();
        let alternatives = match strictness {
            Strictness::Exact => vec![words.map(|word| Box::from(&*exact_form(word))).collect()],
            Strictness::Inflected => {
                abbreviations::alternatives(&words.collect::<Vec<_>>(), Self::ALTERNATIVES_MAX)
            }
        };
        (!tokens.is_empty()).then(|| Self {
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
    /// With [`Strictness::Exact`], compare the words with the [`exact_form`] of the tokens of a text; with
    /// [`Strictness::Inflected`], with their stems ([`stem()`]).
    pub fn alternatives(&self) -> &[Box<[Box<str>]>] {
        &self.alternatives
    }

    /// Returns `true` if the tokens of a text ([`tokenize`]) contain the phrase.
    pub fn occurs_in(&self, tokens: &str) -> bool {
        let words: Vec<_> = match self.strictness {
            Strictness::Exact => tokens.split_whitespace().map(exact_form).collect(),
            Strictness::Inflected => tokens.split_whitespace().map(stem).collect(),
        };
        self.alternatives.iter().any(|sequence| {
            words.windows(sequence.len()).any(|window| window.iter().zip(sequence).all(|(a, b)| **a == **b))
        })
    }
}

#[cfg(test)]
mod tests;
