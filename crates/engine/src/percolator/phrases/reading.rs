//! One property's texts in numbers of words.

use std::sync::Arc;

use domain::phrase::stem;
use domain::{Property, Strictness, fold};
use foldhash::HashMap;

use super::PhraseInterner;
use super::dictionary::UNKNOWN;

/// What is remembered of one property, and of how words are written for all of them; room that is used again and again.
#[derive(Debug, Default)]
pub struct Reading {
    is_read: bool,
    exact: Words,
    inflected: Words,
    pub(super) phrases: Answers,
    pub(super) expressions: Answers,
    spellings: Spellings,
}

impl Reading {
    /// Forgets the property before.
    pub fn begin(&mut self) {
        self.is_read = false;
    }

    /// Whether the texts have been read.
    pub fn is_read(&self) -> bool {
        self.is_read
    }

    /// Reads the texts of the property, unless that is done.
    pub(super) fn read(&mut self, phrases: &PhraseInterner, property: &Property) {
        if self.is_read {
            return;
        }
        self.is_read = true;
        let Self { exact, inflected, spellings, .. } = self;
        self.phrases.begin(phrases.kept.span());
        self.expressions.begin(phrases.expressions.span());
        exact.begin(phrases.exact.span());
        inflected.begin(phrases.inflected.span());
        spellings.begin(phrases);
        for text in domain::criteria::texts(property) {
            // Folding parts words at blanks in any case, and knows nothing of what stands beyond one.
            for piece in text.split_ascii_whitespace() {
                for [exactly, roughly] in spellings.numbers(piece, phrases) {
                    exact.add(*exactly);
                    inflected.add(*roughly);
                }
            }
            exact.sequence.push(UNKNOWN);
            inflected.sequence.push(UNKNOWN);
        }
    }

    /// Whether words stand one behind the other.
    pub(super) fn has(&self, phrase: &[u32], strictness: Strictness) -> bool {
        match strictness {
            Strictness::Exact => self.exact.have(phrase),
            Strictness::Inflected => self.inflected.have(phrase),
        }
    }
}

/// Answers by number, forgotten all at once.
#[derive(Debug, Default)]
pub struct Answers {
    /// Grows by two with every property. What bears it is a no, one more is a yes; everything else is of another property.
    turn: u32,
    marks: Vec<u32>,
}

impl Answers {
    fn begin(&mut self, span: usize) {
        self.turn = self.turn.checked_add(2).unwrap_or_else(|| {
            // After two thousand million properties, when old marks begin to look new.
            self.marks.clear();
            2
        });
        self.marks.resize(span.max(self.marks.len()), 0);
    }

    pub(super) fn answer(&self, number: u32) -> Option<bool> {
        match self.marks[number as usize].wrapping_sub(self.turn) {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    pub(super) fn remember(&mut self, number: u32, answer: bool) {
        self.marks[number as usize] = self.turn + u32::from(answer);
    }
}

#[derive(Debug, Default)]
struct Words {
    /// In order; a word that no search knows, as well as the end of a text, is [`UNKNOWN`].
    sequence: Vec<u32>,
    seen: Answers,
}

impl Words {
    fn begin(&mut self, span: usize) {
        self.sequence.clear();
        self.seen.begin(span);
    }

    fn add(&mut self, number: u32) {
        self.sequence.push(number);
        self.seen.remember(number, true);
    }

    fn have(&self, phrase: &[u32]) -> bool {
        let seen = phrase.iter().all(|word| self.seen.answer(*word) == Some(true));
        let [first, _, ..] = phrase else { return seen };
        let starts = || self.sequence.iter().enumerate().filter(|(_, word)| *word == first);
        seen && starts().any(|(place, _)| self.sequence[place..].starts_with(phrase))
    }
}

/// The words of pieces of text as they are written, for adverts are written in much the same words: folding and reducing each of
/// them anew takes longer than all the rest. Belongs to one edition of the words that have numbers.
#[derive(Debug, Default)]
struct Spellings {
    edition: Option<Arc<()>>,
    /// Where the words of a piece stand.
    pieces: HashMap<Box<str>, (u32, u32)>,
    numbers: Vec<[u32; 2]>,
    folded: String,
    /// The words of a piece that is not worth being remembered.
    unusual: Vec<[u32; 2]>,
}

/// About what two thousand adverts have, in two megabytes.
const PIECES_MAX: usize = 1 << 15;

/// Longer ones are addresses and the like.
const PIECE_BYTES_MAX: usize = 32;

impl Spellings {
    fn begin(&mut self, phrases: &PhraseInterner) {
        let is_current = self.edition.as_ref().is_some_and(|edition| Arc::ptr_eq(edition, &phrases.edition));
        if !is_current || self.pieces.len() > PIECES_MAX {
            self.edition = Some(Arc::clone(&phrases.edition));
            self.pieces.clear();
            self.numbers.clear();
        }
    }

    /// The numbers of the words of a piece, exactly as they are and reduced.
    fn numbers(&mut self, piece: &str, phrases: &PhraseInterner) -> &[[u32; 2]] {
        if let Some((start, end)) = self.pieces.get(piece) {
            return &self.numbers[*start as usize..*end as usize];
        }
        self.folded.clear();
        fold::fold_into(piece, &mut self.folded);
        let words = self.folded.split(' ').filter(|word| !word.is_empty());
        let numbers =
            words.map(|word| [phrases.exact.number(word), phrases.inflected.number(&stem(word))]);
        if piece.len() > PIECE_BYTES_MAX {
            self.unusual.clear();
            self.unusual.extend(numbers);
            return &self.unusual;
        }
        let start = self.numbers.len();
        self.numbers.extend(numbers);
        self.pieces.insert(piece.into(), (start as u32, self.numbers.len() as u32));
        &self.numbers[start..]
    }
}
