//! The inverted index of a segment's texts: the terms, their posting lists, and the token sequence of each row.
//!
//! The token sequences (mostly two bytes a token) serve to verify phrases and to restore rows for a merge. The posting list of a
//! term is a bit set if the term is frequent, else the gaps between ordinals as variable-length integers.
//!
//! The tokens of features and of expired adverts are marked, and so are their terms. A phrase that may be anywhere accepts a term
//! with and without the marks, which costs no second copy of these texts: the tokens of a text have all the same marks.

mod builder;

use std::borrow::Cow;

use crate::bits::{BitSet, WORD};
use crate::row::{EXPIRED_MARK, FEATURE_MARK};
use domain::criteria::AdvertScope;
use domain::phrase::{accented_forms, stem};
use domain::{Phrase, Strictness};

/// The texts in which a phrase is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextScope {
    pub parts: TextParts,
    pub adverts: AdvertScope,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextParts {
    All,
    Features,
}

/// Ends a text within the token sequence of a row.
pub(super) const BREAK: u16 = u16::MAX;

/// Terms with a lower id take one unit, the others two: the first from here on, the second from [`SECOND`] on.
const PAIRED: u32 = 0xE000;
const SECOND: u16 = 0xF000;
const SECOND_BITS: u32 = 11;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct TextIndex {
    /// In alphabetical order.
    pub(super) terms: StringTable,
    /// The id of each term, in alphabetical order of the terms. The most frequent term has id 0.
    pub(super) term_ids: Vec<u32>,
    /// The alphabetical position of each term, by id.
    pub(super) term_positions: Vec<u32>,
    /// The stems in alphabetical order, and the ids of the terms of each. A term of a feature has its stem with and without that
    /// mark; the mark of expired adverts is no part of a stem.
    pub(super) stems: StringTable,
    pub(super) stem_starts: Vec<u32>,
    pub(super) stem_terms: Vec<u32>,
    /// By term id.
    pub(super) postings: Vec<PostingLocation>,
    pub(super) bitsets: Vec<u64>,
    pub(super) gaps: Vec<u8>,
    /// The token sequences of all rows.
    pub(super) units: Vec<u16>,
    /// The start of each row in `units`, and the end of the last.
    pub(super) starts: Vec<u32>,
    /// The words of a bit set of rows.
    pub(super) row_words: usize,
}

/// Where the posting list of a term is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PostingLocation {
    /// The index of its bit set in `bitsets`.
    BitSet(u32),
    Gaps {
        start: u32,
        end: u32,
    },
}

/// Strings in one allocation.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct StringTable {
    pub(super) joined: String,
    pub(super) ends: Vec<u32>,
}

impl StringTable {
    pub fn push(&mut self, string: &str) {
        self.joined.push_str(string);
        self.ends.push(self.joined.len() as u32);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, index: usize) -> &str {
        let start = if index == 0 { 0 } else { self.ends[index - 1] as usize };
        &self.joined[start..self.ends[index] as usize]
    }

    /// Returns the index of a string. The strings must be sorted.
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
        (0..self.len()).map(|index| self.get(index))
    }
}

impl TextIndex {
    /// Computes what follows from the terms: their positions by id, and their stems.
    pub(super) fn complete(&mut self) {
        self.row_words = (self.starts.len() - 1).div_ceil(WORD);
        self.term_positions = vec![0; self.term_ids.len()];
        for (index, id) in self.term_ids.iter().enumerate() {
            self.term_positions[*id as usize] = index as u32;
        }
        let mut stems: Vec<(Cow<'_, str>, u32)> = Vec::with_capacity(self.terms.len());
        for (term, id) in self.terms.iter().zip(&self.term_ids) {
            let term = term.strip_prefix(EXPIRED_MARK).unwrap_or(term);
            let token = term.strip_prefix(FEATURE_MARK);
            let stem = stem(token.unwrap_or(term));
            if token.is_some() {
                stems.push((Cow::Owned(format!("{FEATURE_MARK}{stem}")), *id));
            }
            stems.push((stem, *id));
        }
        stems.sort_unstable();
        let (mut strings, mut starts, mut members): (StringTable, Vec<u32>, Vec<u32>) = Default::default();
        for (stem, id) in &stems {
            if strings.len() == 0 || strings.get(strings.len() - 1) != stem {
                strings.push(stem);
                starts.push(members.len() as u32);
            }
            members.push(*id);
        }
        starts.push(members.len() as u32);
        (self.stems, self.stem_starts, self.stem_terms) = (strings, starts, members);
    }

    /// Translates a phrase into term ids of this segment. Alternatives with a word that does not occur are left out.
    pub fn phrases(&self, phrase: &Phrase, scope: TextScope) -> Vec<PhraseSequence> {
        let words = |word: &str| {
            let ids = match phrase.strictness() {
                Strictness::Exact => self.terms_spelled(word, scope),
                Strictness::Inflected => self.terms_with_stem(word, scope),
            };
            (!ids.is_empty()).then_some(ids)
        };
        let alternatives = phrase.alternatives().iter();
        alternatives
            .filter_map(|sequence| sequence.iter().map(|word| words(word)).collect::<Option<_>>())
            .map(PhraseSequence)
            .collect()
    }

    /// Returns the ids of the terms that a strict phrase spells this way: with and without an accent that tokens keep.
    fn terms_spelled(&self, word: &str, scope: TextScope) -> Vec<u32> {
        let accented: Vec<String> = accented_forms(word).collect();
        let marks = match scope.adverts {
            AdvertScope::All => vec![String::new(), EXPIRED_MARK.to_string()],
            AdvertScope::Live => vec![String::new()],
        };
        let mut ids = Vec::new();
        for form in std::iter::once(word).chain(accented.iter().map(String::as_str)) {
            for mark in &marks {
                let plain =
                    (scope.parts == TextParts::All).then(|| self.terms.find(&format!("{mark}{form}")));
                let feature = self.terms.find(&format!("{mark}{FEATURE_MARK}{form}"));
                ids.extend(plain.flatten().into_iter().chain(feature).map(|index| self.term_ids[index]));
            }
        }
        ids
    }

    fn terms_with_stem(&self, stem: &str, scope: TextScope) -> Vec<u32> {
        let found = match scope.parts {
            TextParts::All => self.stems.find(stem),
            TextParts::Features => self.stems.find(&format!("{FEATURE_MARK}{stem}")),
        };
        let Some(stem) = found else { return Vec::new() };
        let terms = &self.stem_terms[self.stem_starts[stem] as usize..self.stem_starts[stem + 1] as usize];
        let is_in_scope = |id: &u32| match scope.adverts {
            AdvertScope::All => true,
            AdvertScope::Live => !self.term(*id).starts_with(EXPIRED_MARK),
        };
        terms.iter().copied().filter(is_in_scope).collect()
    }

    fn term(&self, id: u32) -> &str {
        self.terms.get(self.term_positions[id as usize] as usize)
    }

    /// Returns the posting list of a term.
    pub fn postings(&self, id: u32) -> PostingList<'_> {
        match self.postings[id as usize] {
            PostingLocation::BitSet(set) => {
                let start = set as usize * self.row_words;
                PostingList::BitSet(&self.bitsets[start..start + self.row_words])
            }
            PostingLocation::Gaps { start, end } => {
                PostingList::Gaps(&self.gaps[start as usize..end as usize])
            }
        }
    }

    /// Adds the rows that have any of some terms.
    pub fn add_rows_with(&self, ids: &[u32], bits: &mut BitSet) {
        for id in ids {
            match self.postings(*id) {
                PostingList::BitSet(words) => {
                    for (index, word) in words.iter().enumerate() {
                        bits.set_word(index, bits.word(index) | word);
                    }
                }
                PostingList::Gaps(gaps) => {
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

    /// Returns the term ids of a row in order. `None` ends a text.
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

    /// Restores the tokens of a row.
    pub fn text(&self, row: usize) -> String {
        let mut text = String::new();
        for word in self.sequence(row) {
            match word {
                Some(id) => {
                    if !text.is_empty() && !text.ends_with('\n') {
                        text.push(' ');
                    }
                    text.push_str(self.term(id));
                }
                None => text.push('\n'),
            }
        }
        text
    }

    pub fn bytes(&self) -> usize {
        let strings = |strings: &StringTable| strings.joined.len() + strings.ends.len() * 4;
        strings(&self.terms)
            + strings(&self.stems)
            + (self.term_ids.len()
                + self.term_positions.len()
                + self.stem_starts.len()
                + self.stem_terms.len())
                * 4
            + self.postings.len() * size_of::<PostingLocation>()
            + self.bitsets.len() * 8
            + self.gaps.len()
            + self.units.len() * 2
            + self.starts.len() * 4
    }
}

/// The rows that have a term.
pub enum PostingList<'a> {
    BitSet(&'a [u64]),
    Gaps(&'a [u8]),
}

/// A sequence of words, each with the ids of its accepted terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PhraseSequence(pub Vec<Vec<u32>>);

impl PhraseSequence {
    /// Returns `true` if it occurs in a token sequence.
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
    use crate::row::RowText;

    fn index<T: AsRef<str>>(texts: &[T]) -> TextIndex {
        let texts: Vec<RowText<'_>> =
            texts.iter().map(|text| RowText::Tokens(text.as_ref().to_owned())).collect();
        TextIndex::new(texts.iter())
    }

    #[test]
    fn texts_are_restored_as_indexed() {
        let many: String = (0..70_000).map(|word| format!("w{word} ")).collect();
        let many = format!("{}\nw69999 w1\n", many.trim_end());
        let texts = ["appartement avec terrasse\ngrand balcon\n", "", "terrasse\n", &many];
        let text = index(&texts);
        for (row, expected) in texts.iter().enumerate() {
            assert_eq!(text.text(row), *expected);
        }
        let mut rows_with_word = BitSet::empty(4);
        let index = text.terms.find("terrasse").unwrap();
        text.add_rows_with(&[text.term_ids[index]], &mut rows_with_word);
        assert_eq!(rows_with_word.iter().collect::<Vec<_>>(), [0, 2]);
    }

    #[test]
    fn features_are_found_with_all_texts_and_alone() {
        use Strictness::{Exact, Inflected};
        use TextParts::{All, Features};
        let texts = ["caves\n#parking\n", "#cave #voutee\nparking\n", "#placés\nplacee\n", "place\n"];
        let text = index(&texts);
        let rows = |word: &str, strictness, parts| {
            let scope = TextScope { parts, adverts: AdvertScope::All };
            let mut rows = BitSet::empty(texts.len());
            for sequence in text.phrases(&Phrase::new(word, strictness).unwrap(), scope) {
                sequence.0.iter().for_each(|ids| text.add_rows_with(ids, &mut rows));
            }
            rows.iter().collect::<Vec<_>>()
        };
        for (word, strictness, scope, expected) in [
            ("cave", Inflected, All, &[0, 1][..]),
            ("cave", Inflected, Features, &[1]),
            ("cave", Exact, All, &[1]),
            ("caves", Exact, Features, &[]),
            ("parking", Exact, All, &[0, 1]),
            ("parking", Exact, Features, &[0]),
            ("placé", Inflected, All, &[2, 3]),
            ("placée", Inflected, Features, &[2]),
            ("place", Inflected, All, &[2, 3]),
            ("places", Exact, All, &[2]),
            ("place", Exact, All, &[3]),
        ] {
            assert_eq!(rows(word, strictness, scope), expected, "{word} {strictness:?} {scope:?}");
        }
    }

    #[test]
    fn texts_of_expired_adverts_are_found_with_all_adverts_only() {
        use AdvertScope::{All, Live};
        let texts = ["cave\n", "~caves\n", "#cave\n", "~#cave\n", "~#parking\ncave\n"];
        let text = index(&texts);
        let rows = |word: &str, strictness, parts, adverts| {
            let mut rows = BitSet::empty(texts.len());
            for sequence in
                text.phrases(&Phrase::new(word, strictness).unwrap(), TextScope { parts, adverts })
            {
                sequence.0.iter().for_each(|ids| text.add_rows_with(ids, &mut rows));
            }
            rows.iter().collect::<Vec<_>>()
        };
        for (strictness, parts, all, live) in [
            (Strictness::Inflected, TextParts::All, &[0, 1, 2, 3, 4][..], &[0, 2, 4][..]),
            (Strictness::Exact, TextParts::All, &[0, 2, 3, 4], &[0, 2, 4]),
            (Strictness::Inflected, TextParts::Features, &[2, 3], &[2]),
            (Strictness::Exact, TextParts::Features, &[2, 3], &[2]),
        ] {
            assert_eq!(rows("cave", strictness, parts, All), all, "{strictness:?} {parts:?}");
            assert_eq!(rows("cave", strictness, parts, Live), live, "{strictness:?} {parts:?}");
        }
        assert_eq!(rows("parking", Strictness::Inflected, TextParts::All, Live), [0; 0]);
    }

    #[test]
    fn rare_words_are_found_in_every_row() {
        let rows: Vec<String> = (0..5_000)
            .map(|row| if row % 617 == 3 { "rare chose\n".into() } else { format!("mot{row}\n") })
            .collect();
        let text = index(&rows);
        let mut rows_with_word = BitSet::empty(rows.len());
        text.add_rows_with(&[text.term_ids[text.terms.find("rare").unwrap()]], &mut rows_with_word);
        assert_eq!(
            rows_with_word.iter().collect::<Vec<_>>(),
            (0..5_000).filter(|row| row % 617 == 3).collect::<Vec<_>>()
        );
    }

    #[test]
    fn a_merge_indexes_like_the_texts_themselves() {
        let many: String = (0..70_000).map(|word| format!("w{word} ")).collect();
        let texts = [
            "grand balcon\n#cave\n",
            "",
            "balcon\n",
            "~#cave\n",
            &format!("{}\n", many.trim_end()),
            "w7 cave\n",
        ];
        let (first, second) = (index(&texts[..3]), index(&texts[3..5]));
        let merged = [
            RowText::Indexed { index: &first, row: 2 },
            RowText::Indexed { index: &second, row: 0 },
            RowText::Tokens(texts[5].to_owned()),
            RowText::Indexed { index: &second, row: 1 },
            RowText::Indexed { index: &first, row: 0 },
            RowText::Indexed { index: &first, row: 1 },
        ];
        let expected = index(&[texts[2], texts[3], texts[5], texts[4], texts[0], texts[1]]);
        assert_eq!(TextIndex::new(merged.iter()), expected);
    }
}
