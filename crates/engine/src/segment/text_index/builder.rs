//! Builds the inverted index.
//!
//! A merge takes the texts of other segments. It looks a term up once for each segment and not for each token, which would be most of its
//! work.

use std::cmp::Reverse;

use rustc_hash::FxHashMap;

use super::{BREAK, PAIRED, PostingLocation, SECOND, SECOND_BITS, TextIndex};
use crate::bits::{BitSet, WORD};
use crate::row::RowText;

/// A term that at least every 64th row has is stored as a bit set. Gaps would be smaller down to every 16th row, but have to be
/// decoded one by one. A few hundred terms are in between.
const ROWS_PER_POSTING_MAX: usize = 64;

/// Ends a text in [`Tokens::sequence`].
const END_OF_TEXT: u32 = u32::MAX;

/// Instead of the number of a term or of a row that is not known yet.
const NONE: u32 = u32::MAX;

impl TextIndex {
    /// Indexes the tokens of all rows, in the order of their ordinals.
    pub fn new<'a>(texts: impl ExactSizeIterator<Item = &'a RowText<'a>>) -> Self {
        let rows = texts.len();
        let mut tokens = Tokens { starts: vec![0], ..Tokens::default() };
        for (row, text) in texts.enumerate() {
            tokens.add_row(row as u32, text);
        }
        let mut alphabet: Vec<u32> = (0..tokens.terms.len() as u32).collect();
        alphabet.sort_unstable_by_key(|number| tokens.terms[*number as usize]);
        let mut by_frequency = alphabet.clone();
        // Stable, so that terms of the same frequency stay in alphabetical order.
        by_frequency.sort_by_key(|number| Reverse(tokens.frequencies[*number as usize]));
        let mut id_of = vec![0_u32; tokens.terms.len()];
        for (id, number) in by_frequency.iter().enumerate() {
            id_of[*number as usize] = id as u32;
        }
        let mut index = Self { row_words: rows.div_ceil(WORD), ..Self::default() };
        for number in alphabet {
            index.terms.push(tokens.terms[number as usize]);
            index.term_ids.push(id_of[number as usize]);
        }
        index.add_postings(&tokens, &by_frequency, rows);
        index.add_sequence(&tokens, &id_of);
        index.complete();
        index
    }

    fn add_postings(&mut self, tokens: &Tokens<'_>, by_frequency: &[u32], rows: usize) {
        let rows_with_terms = tokens.rows_with_terms(by_frequency);
        let mut rest = rows_with_terms.as_slice();
        for number in by_frequency {
            let (rows_with_term, others) = rest.split_at(tokens.frequencies[*number as usize] as usize);
            rest = others;
            if rows_with_term.len() * ROWS_PER_POSTING_MAX >= rows {
                let mut bits = BitSet::empty(rows);
                rows_with_term.iter().for_each(|row| bits.insert(*row as usize));
                self.postings.push(PostingLocation::BitSet((self.bitsets.len() / self.row_words) as u32));
                self.bitsets.extend(bits.words());
            } else {
                self.add_gaps(rows_with_term);
            }
        }
    }

    fn add_gaps(&mut self, rows_with_term: &[u32]) {
        let start = self.gaps.len() as u32;
        let mut previous = 0;
        for row in rows_with_term {
            let mut gap = row - previous;
            previous = *row;
            while gap >= 0x80 {
                self.gaps.push(gap as u8 | 0x80);
                gap >>= 7;
            }
            self.gaps.push(gap as u8);
        }
        self.postings.push(PostingLocation::Gaps { start, end: self.gaps.len() as u32 });
    }

    fn add_sequence(&mut self, tokens: &Tokens<'_>, id_of: &[u32]) {
        self.units.reserve(tokens.sequence.len());
        self.starts.push(0);
        for numbers in tokens.rows() {
            for number in numbers {
                match id_of.get(*number as usize) {
                    None => self.units.push(BREAK),
                    Some(id) if *id < PAIRED => self.units.push(*id as u16),
                    Some(id) => {
                        let rest = id - PAIRED;
                        self.units.push((PAIRED + (rest >> SECOND_BITS)) as u16);
                        self.units.push(SECOND + (rest & ((1 << SECOND_BITS) - 1)) as u16);
                    }
                }
            }
            self.starts.push(self.units.len() as u32);
        }
        self.units.shrink_to_fit();
    }
}

/// The tokens of all rows. Terms are numbered as they appear.
#[derive(Default)]
struct Tokens<'a> {
    numbers: FxHashMap<&'a str, u32>,
    terms: Vec<&'a str>,
    /// By number: in how many rows the term is.
    frequencies: Vec<u32>,
    /// By number: the last row that has the term.
    last_rows: Vec<u32>,
    /// The numbers of the tokens of all rows.
    sequence: Vec<u32>,
    /// The start of each row in `sequence`, and the end of the last.
    starts: Vec<u32>,
    sources: Vec<Source<'a>>,
}

/// A segment of which texts are taken.
struct Source<'a> {
    index: &'a TextIndex,
    /// The numbers of its terms, by term id.
    numbers: Vec<u32>,
}

impl<'a> Tokens<'a> {
    fn add_row(&mut self, row: u32, text: &'a RowText<'a>) {
        match text {
            RowText::Tokens(text) => {
                for line in text.lines() {
                    for term in line.split(' ') {
                        let number = self.number(term);
                        self.add_token(row, number);
                    }
                    self.sequence.push(END_OF_TEXT);
                }
            }
            RowText::Indexed { index, row: source_row } => self.add_indexed(row, index, *source_row),
        }
        self.starts.push(self.sequence.len() as u32);
    }

    fn add_indexed(&mut self, row: u32, index: &'a TextIndex, source_row: usize) {
        let known = self.sources.iter().position(|source| std::ptr::eq(source.index, index));
        let position = known.unwrap_or_else(|| {
            self.sources.push(Source { index, numbers: vec![NONE; index.terms.len()] });
            self.sources.len() - 1
        });
        let mut numbers = std::mem::take(&mut self.sources[position].numbers);
        for token in index.sequence(source_row) {
            let Some(id) = token else {
                self.sequence.push(END_OF_TEXT);
                continue;
            };
            let number = &mut numbers[id as usize];
            if *number == NONE {
                *number = self.number(index.term(id));
            }
            self.add_token(row, *number);
        }
        self.sources[position].numbers = numbers;
    }

    fn number(&mut self, term: &'a str) -> u32 {
        *self.numbers.entry(term).or_insert_with(|| {
            self.terms.push(term);
            self.frequencies.push(0);
            self.last_rows.push(NONE);
            self.terms.len() as u32 - 1
        })
    }

    fn add_token(&mut self, row: u32, number: u32) {
        let last_row = &mut self.last_rows[number as usize];
        if *last_row != row {
            *last_row = row;
            self.frequencies[number as usize] += 1;
        }
        self.sequence.push(number);
    }

    fn rows(&self) -> impl Iterator<Item = &[u32]> {
        self.starts.windows(2).map(|bounds| &self.sequence[bounds[0] as usize..bounds[1] as usize])
    }

    /// Returns the rows of each term, in ascending order, one term after the other.
    fn rows_with_terms(&self, order: &[u32]) -> Vec<u32> {
        let mut next = vec![0_u32; self.terms.len()];
        let mut end = 0;
        for number in order {
            next[*number as usize] = end;
            end += self.frequencies[*number as usize];
        }
        let mut rows_with_terms = vec![0; end as usize];
        let mut last_rows = vec![NONE; self.terms.len()];
        for (row, numbers) in (0..).zip(self.rows()) {
            for number in numbers.iter().map(|number| *number as usize) {
                if last_rows.get(number).is_some_and(|last_row| *last_row != row) {
                    last_rows[number] = row;
                    rows_with_terms[next[number] as usize] = row;
                    next[number] += 1;
                }
            }
        }
        rows_with_terms
    }
}
