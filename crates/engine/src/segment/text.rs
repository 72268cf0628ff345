//! The words of a segment's properties: which words there are, who has them, and in which order.
//!
//! Each property's words are kept in order (two bytes each, mostly), so that phrases can be checked and rows given back for
//! a merge. Each word has the set of its properties: as bits where it is frequent, as gaps between ordinals where it is not.

use domain::phrase::stem;
use domain::{Phrase, Strictness};
use rustc_hash::FxHashMap;

use crate::bits::{Bits, WORD};

/// Ends a text within the words of a property.
pub(super) const BREAK: u16 = u16::MAX;

/// Words with a lower number take one unit, the others two: a first one from here on, then one from [`SECOND`] on.
const PAIRED: u32 = 0xE000;
const SECOND: u16 = 0xF000;
const SECOND_BITS: u32 = 11;

/// A word that every sixty-fourth property has is kept as bits. Gaps would take less room down to every sixteenth, but have to
/// be read one by one; there are a few hundred words in between.
const FREQUENT: usize = 64;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Text {
    /// In alphabetical order.
    pub(super) words: Strings,
    /// The number of the word at each place of the alphabet: the most frequent word has number 0.
    pub(super) numbers: Vec<u32>,
    /// The place in the alphabet of each number.
    pub(super) places: Vec<u32>,
    /// The reduced forms in alphabetical order, and the numbers of the words of each.
    pub(super) forms: Strings,
    pub(super) form_starts: Vec<u32>,
    pub(super) form_words: Vec<u32>,
    /// By number.
    pub(super) postings: Vec<Posting>,
    pub(super) frequent: Vec<u64>,
    pub(super) gaps: Vec<u8>,
    pub(super) units: Vec<u16>,
    pub(super) starts: Vec<u32>,
    pub(super) row_words: usize,
}

/// Where the properties of a word are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Posting {
    /// The so-manieth set of bits.
    Frequent(u32),
    Gaps {
        start: u32,
        end: u32,
    },
}

/// Strings one behind the other.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Strings {
    pub(super) joined: String,
    pub(super) ends: Vec<u32>,
}

impl Strings {
    pub fn push(&mut self, string: &str) {
        self.joined.push_str(string);
        self.ends.push(self.joined.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, place: usize) -> &str {
        let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
        &self.joined[start..self.ends[place] as usize]
    }

    /// The place of a string; the strings must be in order.
    pub fn find(&self, string: &str) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            match self.get(middle).cmp(string) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(middle),
            }
        }
        None
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|place| self.get(place))
    }
}

impl Text {
    /// Reads the folded texts of all rows, in the order of the ordinals.
    pub fn of<'a>(texts: impl ExactSizeIterator<Item = &'a str>) -> Self {
        let rows = texts.len();
        let mut known: FxHashMap<&str, u32> = FxHashMap::default();
        let mut words: Vec<&str> = Vec::new();
        let mut owners: Vec<Vec<u32>> = Vec::new();
        let (mut sequence, mut starts) = (Vec::new(), vec![0_u32]);
        for (row, text) in texts.enumerate() {
            for line in text.lines() {
                for word in line.split(' ') {
                    let first = *known.entry(word).or_insert_with(|| {
                        words.push(word);
                        owners.push(Vec::new());
                        words.len() as u32 - 1
                    });
                    let owners = &mut owners[first as usize];
                    if owners.last() != Some(&(row as u32)) {
                        owners.push(row as u32);
                    }
                    sequence.push(first);
                }
                sequence.push(u32::MAX);
            }
            starts.push(sequence.len() as u32);
        }
        let mut by_frequency: Vec<u32> = (0..words.len() as u32).collect();
        by_frequency
            .sort_by_key(|word| (std::cmp::Reverse(owners[*word as usize].len()), words[*word as usize]));
        let mut number_of = vec![0_u32; words.len()];
        for (number, word) in by_frequency.iter().enumerate() {
            number_of[*word as usize] = number as u32;
        }
        let mut alphabet: Vec<u32> = (0..words.len() as u32).collect();
        alphabet.sort_unstable_by_key(|word| words[*word as usize]);
        let mut text = Self { row_words: rows.div_ceil(WORD), ..Self::default() };
        for word in alphabet {
            text.words.push(words[word as usize]);
            text.numbers.push(number_of[word as usize]);
        }
        for word in &by_frequency {
            text.add_posting(&owners[*word as usize], rows);
        }
        text.add_sequence(&sequence, &starts, &number_of);
        text.complete();
        text
    }

    fn add_posting(&mut self, owners: &[u32], rows: usize) {
        if owners.len() * FREQUENT >= rows {
            let mut bits = Bits::none(rows);
            owners.iter().for_each(|row| bits.insert(*row as usize));
            self.postings.push(Posting::Frequent((self.frequent.len() / self.row_words) as u32));
            self.frequent.extend(bits.words());
            return;
        }
        let start = self.gaps.len() as u32;
        let mut previous = 0;
        for row in owners {
            let mut gap = row - previous;
            previous = *row;
            while gap >= 0x80 {
                self.gaps.push(gap as u8 | 0x80);
                gap >>= 7;
            }
            self.gaps.push(gap as u8);
        }
        self.postings.push(Posting::Gaps { start, end: self.gaps.len() as u32 });
    }

    fn add_sequence(&mut self, sequence: &[u32], starts: &[u32], number_of: &[u32]) {
        self.units.reserve(sequence.len());
        self.starts.push(0);
        for bounds in starts.windows(2) {
            for first in &sequence[bounds[0] as usize..bounds[1] as usize] {
                match number_of.get(*first as usize) {
                    None => self.units.push(BREAK),
                    Some(number) if *number < PAIRED => self.units.push(*number as u16),
                    Some(number) => {
                        let rest = number - PAIRED;
                        self.units.push((PAIRED + (rest >> SECOND_BITS)) as u16);
                        self.units.push(SECOND + (rest & ((1 << SECOND_BITS) - 1)) as u16);
                    }
                }
            }
            self.starts.push(self.units.len() as u32);
        }
        self.units.shrink_to_fit();
    }

    /// Works out what follows from the words: the way back from their numbers, and their reduced forms.
    pub(super) fn complete(&mut self) {
        self.row_words = (self.starts.len() - 1).div_ceil(WORD);
        self.places = vec![0; self.numbers.len()];
        for (place, number) in self.numbers.iter().enumerate() {
            self.places[*number as usize] = place as u32;
        }
        let words = self.words.iter().zip(&self.numbers);
        let mut forms: Vec<(std::borrow::Cow<'_, str>, u32)> =
            words.map(|(word, number)| (stem(word), *number)).collect();
        forms.sort_unstable();
        let (mut strings, mut starts, mut members): (Strings, Vec<u32>, Vec<u32>) = Default::default();
        for (form, number) in &forms {
            if strings.len() == 0 || strings.get(strings.len() - 1) != form {
                strings.push(form);
                starts.push(members.len() as u32);
            }
            members.push(*number);
        }
        starts.push(members.len() as u32);
        (self.forms, self.form_starts, self.form_words) = (strings, starts, members);
    }

    /// What a phrase looks for in raw_criteria of this segment: alternatives that can be found at all.
    pub fn phrases(&self, phrase: &Phrase) -> Vec<PhraseSequence> {
        let words = |word: &str| match phrase.strictness() {
            Strictness::Exact => self.words.find(word).map(|place| self.numbers[place..=place].to_vec()),
            Strictness::Inflected => self.forms.find(word).map(|form| {
                self.form_words[self.form_starts[form] as usize..self.form_starts[form + 1] as usize].to_vec()
            }),
        };
        let alternatives = phrase.alternatives().iter();
        alternatives
            .filter_map(|sequence| sequence.iter().map(|word| words(word)).collect::<Option<_>>())
            .map(PhraseSequence)
            .collect()
    }

    /// The properties that have a word.
    pub fn owners(&self, number: u32) -> Owners<'_> {
        match self.postings[number as usize] {
            Posting::Frequent(set) => {
                let start = set as usize * self.row_words;
                Owners::Words(&self.frequent[start..start + self.row_words])
            }
            Posting::Gaps { start, end } => Owners::Gaps(&self.gaps[start as usize..end as usize]),
        }
    }

    /// Adds the properties that have any of some words.
    pub fn add_owners(&self, numbers: &[u32], bits: &mut Bits) {
        for number in numbers {
            match self.owners(*number) {
                Owners::Words(words) => {
                    for (place, word) in words.iter().enumerate() {
                        bits.set_word(place, bits.word(place) | word);
                    }
                }
                Owners::Gaps(gaps) => {
                    let (mut row, mut gap, mut shift) = (0_usize, 0_usize, 0);
                    for byte in gaps {
                        gap |= usize::from(byte & 0x7F) << shift;
                        if byte & 0x80 != 0 {
                            shift += 7;
                            continue;
                        }
                        row += gap;
                        bits.insert(row);
                        (gap, shift) = (0, 0);
                    }
                }
            }
        }
    }

    /// The numbers of a property's words in order; `None` ends a text.
    pub fn sequence(&self, row: usize) -> impl Iterator<Item = Option<u32>> {
        let mut units = self.units[self.starts[row] as usize..self.starts[row + 1] as usize].iter();
        std::iter::from_fn(move || {
            let unit = *units.next()?;
            if unit == BREAK {
                return Some(None);
            }
            let first = u32::from(unit);
            if first < PAIRED {
                return Some(Some(first));
            }
            let second = u32::from(*units.next()? - SECOND);
            Some(Some(PAIRED + ((first - PAIRED) << SECOND_BITS) + second))
        })
    }

    /// The folded texts of a property, as they were read.
    pub fn text(&self, row: usize) -> String {
        let mut text = String::new();
        for word in self.sequence(row) {
            match word {
                Some(number) => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push(' ');
                    }
                    text.push_str(self.words.get(self.places[number as usize] as usize));
                }
                None => text.push('\n'),
            }
        }
        text
    }

    pub fn bytes(&self) -> usize {
        let strings = |strings: &Strings| strings.joined.len() + strings.ends.len() * 4;
        strings(&self.words)
            + strings(&self.forms)
            + (self.numbers.len() + self.places.len() + self.form_starts.len() + self.form_words.len()) * 4
            + self.postings.len() * size_of::<Posting>()
            + self.frequent.len() * 8
            + self.gaps.len()
            + self.units.len() * 2
            + self.starts.len() * 4
    }
}

pub enum Owners<'a> {
    Words(&'a [u64]),
    Gaps(&'a [u8]),
}

/// A sequence of words, each one of several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseSequence(pub Vec<Vec<u32>>);

impl PhraseSequence {
    /// Whether it stands in a sequence.
    pub fn is_in(&self, sequence: &[Option<u32>]) -> bool {
        let matches =
            |words: &Vec<u32>, found: &Option<u32>| found.is_some_and(|found| words.contains(&found));
        sequence
            .windows(self.0.len())
            .any(|window| self.0.iter().zip(window).all(|(words, found)| matches(words, found)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were_read() {
        let many: String = (0..70_000).map(|word| format!("w{word} ")).collect();
        let many = format!("{}\nw69999 w1\n", many.trim_end());
        let texts = ["appartement avec terrasse\ngrand balcon\n", "", "terrasse\n", &many];
        let text = Text::of(texts.iter().copied());
        for (row, expected) in texts.iter().enumerate() {
            assert_eq!(text.text(row), *expected);
        }
        let mut owners = Bits::none(4);
        let place = text.words.find("terrasse").unwrap();
        text.add_owners(&[text.numbers[place]], &mut owners);
        assert_eq!(owners.iter().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn rare_words_are_found_in_every_row_that_has_them() {
        let rows: Vec<String> = (0..5_000)
            .map(|row| if row % 617 == 3 { "rare chose\n".into() } else { format!("mot{row}\n") })
            .collect();
        let text = Text::of(rows.iter().map(String::as_str));
        let mut owners = Bits::none(rows.len());
        text.add_owners(&[text.numbers[text.words.find("rare").unwrap()]], &mut owners);
        assert_eq!(
            owners.iter().collect::<Vec<_>>(),
            (0..5_000).filter(|row| row % 617 == 3).collect::<Vec<_>>()
        );
    }
}
