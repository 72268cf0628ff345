//! What a text expression means: which word sequences it looks for, and whether they stand in a text.
//!
//! [`Phrase::is_in`] is the reference: slow and obvious. An index may be faster, but must find the same adverts. How
//! expressions are combined, and how they are spelled in a request, is not decided here.
//!
//! Case and accents never matter, words part at everything that is neither letter nor digit ([`fold`]), and no word is
//! too common to count: "sans vis-à-vis" is four words.

mod abbreviation;
mod ending;
mod known;

pub use ending::reduced;

use crate::fold::fold;

/// How near a text must come to what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Strictness {
    /// The very words, in order and adjacent.
    Exact,
    /// The same, but plurals, feminines and the trade's abbreviations stand for each other.
    Inflected,
}

/// What one entry of an expression looks for: one of several word sequences.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Phrase {
    text: Box<str>,
    strictness: Strictness,
    alternatives: Box<[Box<[Box<str>]>]>,
}

impl Phrase {
    /// Every alternative is looked for on its own, and the abbreviations in one expression multiply: past this many,
    /// further ones are only looked for as they are written. It leaves room for a number of rooms (six spellings) and
    /// two abbreviations more.
    pub const ALTERNATIVES_MAX: usize = 24;

    /// Reads an expression; `None` when the text holds no word at all.
    pub fn new(text: &str, strictness: Strictness) -> Option<Self> {
        let folded = fold(text);
        let alternatives = match strictness {
            Strictness::Exact => vec![folded.split_whitespace().map(Box::from).collect()],
            Strictness::Inflected => {
                let words: Vec<_> = folded.split_whitespace().map(reduced).collect();
                abbreviation::alternatives(&words, Self::ALTERNATIVES_MAX)
            }
        };
        (!folded.is_empty()).then(|| Self {
            text: text.trim().into(),
            strictness,
            alternatives: alternatives.into(),
        })
    }

    /// As given, trimmed.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn strictness(&self) -> Strictness {
        self.strictness
    }

    /// Word sequences any of which will do; never empty, nor is any of them. The first is the expression itself.
    ///
    /// Exact ones hold folded words. The words of inflected ones are [`reduced`]: compare them with the reduced words
    /// of a text.
    pub fn alternatives(&self) -> &[Box<[Box<str>]>] {
        &self.alternatives
    }

    /// Whether it stands in a folded text, whose words are parted by one space.
    pub fn is_in(&self, folded: &str) -> bool {
        let words: Vec<_> = match self.strictness {
            Strictness::Exact => folded.split_whitespace().map(Into::into).collect(),
            Strictness::Inflected => folded.split_whitespace().map(reduced).collect(),
        };
        self.alternatives.iter().any(|wanted| {
            words.windows(wanted.len()).any(|found| found.iter().zip(wanted).all(|(a, b)| **a == **b))
        })
    }
}

#[cfg(test)]
mod tests;
