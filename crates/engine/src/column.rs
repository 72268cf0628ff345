//! One attribute of all rows of a segment, encoded as small codes in the order of the values.
//!
//! A segment has few distinct values compared with its rows, so each row stores only the code of its value, in one byte, two or
//! four. Codes are assigned in the order of the values: a bound on values is an exact bound on codes, for any type of value, and
//! 64 codes are compared at once. Code zero is "unknown", which no bound includes.

use domain::criteria::Predicate;
use domain::{Key, KeyRange};
use rustc_hash::FxHashMap;

use crate::bits::{BitSet, WORD};
use crate::compare;

/// Represents an unknown value before encoding.
pub const UNKNOWN: i64 = i64::MIN;

/// Columns with at most this many distinct values also store the set of rows of each.
const SETS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) codes: Codes,
    pub(crate) encoding: Encoding,
    /// The rows of each code from 1 on, for columns with few distinct values.
    sets: Vec<BitSet>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Codes {
    /// No row has a value.
    Unknown,
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

/// The mapping from codes to values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Encoding {
    /// Code `c` is the value at index `c − 1`; ascending.
    Dictionary(Vec<i64>),
    /// Code `c` is the value `base + c − 1`. For dates, which are different in nearly every row.
    Offset { base: i64 },
}

impl Column {
    pub fn new(values: &[i64]) -> Self {
        let distinct = distinct_up_to(values, usize::from(u16::MAX));
        let (codes, encoding) = match distinct {
            Some(dictionary) if dictionary.is_empty() => (Codes::Unknown, Encoding::Dictionary(dictionary)),
            Some(dictionary) => {
                let code_of: FxHashMap<i64, u16> =
                    dictionary.iter().zip(1..).map(|(value, code)| (*value, code)).collect();
                let codes = values.iter().map(|value| code_of.get(value).copied().unwrap_or(0));
                let codes = if dictionary.len() <= usize::from(u8::MAX) {
                    Codes::Bytes(codes.map(|code| code as u8).collect())
                } else {
                    Codes::Shorts(codes.collect())
                };
                (codes, Encoding::Dictionary(dictionary))
            }
            None => encode_wide(values),
        };
        Self::assemble(codes, encoding)
    }

    pub(crate) fn assemble(codes: Codes, encoding: Encoding) -> Self {
        let sets = match (&codes, &encoding) {
            (Codes::Bytes(codes), Encoding::Dictionary(dictionary)) if dictionary.len() <= SETS_MAX => {
                let mut sets = vec![BitSet::empty(codes.len()); dictionary.len()];
                for (row, code) in codes.iter().enumerate().filter(|(_, code)| **code > 0) {
                    sets[usize::from(*code) - 1].insert(row);
                }
                sets
            }
            _ => Vec::new(),
        };
        Self { codes, encoding, sets }
    }

    pub fn code(&self, row: usize) -> u32 {
        match &self.codes {
            Codes::Unknown => 0,
            Codes::Bytes(codes) => u32::from(codes[row]),
            Codes::Shorts(codes) => u32::from(codes[row]),
            Codes::Words(codes) => codes[row],
        }
    }

    pub fn value(&self, row: usize) -> i64 {
        match (self.code(row), &self.encoding) {
            (0, _) => UNKNOWN,
            (code, Encoding::Dictionary(dictionary)) => dictionary[code as usize - 1],
            (code, Encoding::Offset { base }) => base + i64::from(code) - 1,
        }
    }

    pub fn key(&self, row: usize) -> Option<Key> {
        known(self.value(row))
    }

    /// Returns the first and the last code of the values in a range; `None` if there are none.
    pub fn codes_within(&self, range: KeyRange) -> Option<(u32, u32)> {
        let least = range.least.map_or(i64::MIN + 1, Key::get);
        let most = range.most.map_or(i64::MAX, Key::get);
        let (first, last) = match &self.encoding {
            Encoding::Dictionary(dictionary) => {
                let first = dictionary.partition_point(|value| *value < least) + 1;
                (first as i64, dictionary.partition_point(|value| *value <= most) as i64)
            }
            Encoding::Offset { base } => {
                let code = |value: i64| value.saturating_sub(*base).saturating_add(1);
                (code(least).max(1), code(most).min(i64::from(u32::MAX)))
            }
        };
        (first <= last).then_some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
    }

    /// Returns the code of a value; `None` if no row has it.
    pub fn code_of(&self, key: Key) -> Option<u32> {
        self.codes_within(KeyRange { least: Some(key), most: Some(key) }).map(|(code, _)| code)
    }

    /// Returns the number of codes, with that of unknown; `None` if a row may have any code of four bytes.
    pub fn codes_len(&self) -> Option<usize> {
        match (&self.codes, &self.encoding) {
            (Codes::Unknown, _) => Some(1),
            (Codes::Bytes(_) | Codes::Shorts(_), Encoding::Dictionary(dictionary)) => {
                Some(dictionary.len() + 1)
            }
            _ => None,
        }
    }

    /// Returns the last code of the values below a key; 0 if there are none.
    pub fn last_code_below(&self, key: Key) -> u32 {
        let below = match &self.encoding {
            Encoding::Dictionary(dictionary) => dictionary.partition_point(|value| *value < key.get()) as i64,
            Encoding::Offset { base } => key.get().saturating_sub(*base).max(0),
        };
        u32::try_from(below).unwrap_or(u32::MAX)
    }

    /// Calls `visit` with the code of each row.
    pub fn for_each_code(&self, rows: impl Iterator<Item = usize>, mut visit: impl FnMut(u32)) {
        match &self.codes {
            Codes::Unknown => rows.for_each(|_| visit(0)),
            Codes::Bytes(codes) => rows.for_each(|row| visit(u32::from(codes[row]))),
            Codes::Shorts(codes) => rows.for_each(|row| visit(u32::from(codes[row]))),
            Codes::Words(codes) => rows.for_each(|row| visit(codes[row])),
        }
    }

    /// Translates a test on values into a test on the codes of this column.
    pub fn compile(&self, test: &Predicate) -> CodeTest<'_> {
        if matches!(self.codes, Codes::Unknown) {
            return CodeTest::Never;
        }
        let mut codes: Vec<u32> = match test {
            Predicate::Within(range) => match self.codes_within(*range) {
                None => return CodeTest::Never,
                Some((first, last)) if self.sets.is_empty() => {
                    return CodeTest::Within { first, span: last - first };
                }
                Some((first, last)) => (first..=last).collect(),
            },
            Predicate::OneOf(keys) => keys.iter().filter_map(|key| self.code_of(*key)).collect(),
        };
        codes.dedup();
        match codes.as_slice() {
            [] => CodeTest::Never,
            codes if !self.sets.is_empty() => {
                CodeTest::InSets(codes.iter().map(|code| &self.sets[*code as usize - 1]).collect())
            }
            [first, .., last] if (last - first) as usize + 1 == codes.len() => {
                CodeTest::Within { first: *first, span: last - first }
            }
            [only] => CodeTest::Within { first: *only, span: 0 },
            _ => CodeTest::OneOf(codes),
        }
    }

    /// Removes the rows that do not pass a test. Each word of `rows` is a mask of 64 rows; the first word starts at row `word ×
    /// 64`.
    pub fn retain(&self, test: &CodeTest<'_>, word: usize, rows: &mut [u64]) {
        match test {
            CodeTest::Never => rows.fill(0),
            CodeTest::InSets(sets) => retain_in_sets(sets, word, rows),
            CodeTest::Within { first, span } => {
                for (index, bits) in rows.iter_mut().enumerate().filter(|(_, bits)| **bits != 0) {
                    *bits = self.within(*first, *span, word + index, *bits);
                }
            }
            CodeTest::OneOf(codes) => {
                for (index, bits) in rows.iter_mut().enumerate() {
                    *bits = retained(*bits, word + index, |row| codes.binary_search(&self.code(row)).is_ok());
                }
            }
        }
    }

    /// Returns the candidates, among the 64 rows of a word, whose codes are from `first` to `first + span`.
    fn within(&self, first: u32, span: u32, word: usize, candidates: u64) -> u64 {
        // Testing one or two rows is faster than comparing 64. Clearing the lowest bit twice tells whether there are more:
        // counting bits is slower on processors without an instruction for it.
        let rest = candidates & candidates.wrapping_sub(1);
        if rest & rest.wrapping_sub(1) == 0 {
            return retained(candidates, word, |row| self.code(row).wrapping_sub(first) <= span);
        }
        let start = word * WORD;
        candidates
            & match &self.codes {
                Codes::Unknown => 0,
                // The casts are lossless: `first` and `first + span` are codes of this column.
                Codes::Bytes(codes) => compare::bytes(&codes[start..], first as u8, span as u8),
                Codes::Shorts(codes) => compare::shorts(&codes[start..], first as u16, span as u16),
                Codes::Words(codes) => compare::words(&codes[start..], first, span),
            }
    }

    /// Returns `true` if a row passes a test.
    pub fn holds(&self, test: &CodeTest<'_>, row: usize) -> bool {
        match test {
            CodeTest::Never => false,
            CodeTest::InSets(sets) => sets.iter().any(|set| set.contains(row)),
            CodeTest::Within { first, span } => self.code(row).wrapping_sub(*first) <= *span,
            CodeTest::OneOf(codes) => codes.binary_search(&self.code(row)).is_ok(),
        }
    }

    /// Returns the memory in use, in bytes.
    pub fn bytes(&self) -> usize {
        let codes = match &self.codes {
            Codes::Unknown => 0,
            Codes::Bytes(codes) => codes.len(),
            Codes::Shorts(codes) => codes.len() * 2,
            Codes::Words(codes) => codes.len() * 4,
        };
        let dictionary = match &self.encoding {
            Encoding::Dictionary(dictionary) => dictionary.len() * 8,
            Encoding::Offset { .. } => 8,
        };
        codes + dictionary + self.sets.iter().map(|set| set.words().len() * 8).sum::<usize>()
    }
}

/// Returns `None` for [`UNKNOWN`].
pub fn known(value: i64) -> Option<Key> {
    (value != UNKNOWN).then(|| Key::from_raw(value))
}

/// A test on the codes of one column.
#[derive(Debug)]
pub enum CodeTest<'a> {
    Never,
    /// From `first` to `first + span`.
    Within {
        first: u32,
        span: u32,
    },
    /// One of these codes, ascending.
    OneOf(Vec<u32>),
    InSets(Vec<&'a BitSet>),
}

fn retained(candidates: u64, word: usize, holds: impl Fn(usize) -> bool) -> u64 {
    let mut retained = 0;
    for bit in crate::bits::ones(candidates) {
        retained |= u64::from(holds(word * WORD + bit)) << bit;
    }
    retained
}

/// Most tests use one or two sets. For those the compiler generates a plain loop over words.
fn retain_in_sets(sets: &[&BitSet], word: usize, rows: &mut [u64]) {
    match sets {
        [] => rows.fill(0),
        [only] => rows.iter_mut().zip(&only.words()[word..]).for_each(|(bits, set)| *bits &= set),
        [first, second] => {
            let sets = first.words()[word..].iter().zip(&second.words()[word..]);
            rows.iter_mut().zip(sets).for_each(|(bits, (first, second))| *bits &= first | second);
        }
        sets => {
            for (index, bits) in rows.iter_mut().enumerate() {
                *bits &= sets.iter().fold(0, |any, set| any | set.word(word + index));
            }
        }
    }
}

/// Returns the distinct known values, ascending; `None` if there are more than `limit`.
fn distinct_up_to(values: &[i64], limit: usize) -> Option<Vec<i64>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut previous = UNKNOWN;
    for value in values {
        // Rows are sorted by location, so that neighbours often have the same value.
        if *value != previous && *value != UNKNOWN && seen.insert(*value) && seen.len() > limit {
            return None;
        }
        previous = *value;
    }
    let mut distinct: Vec<i64> = seen.into_iter().collect();
    distinct.sort_unstable();
    Some(distinct)
}

/// Encodes more distinct values than two-byte codes can represent.
fn encode_wide(values: &[i64]) -> (Codes, Encoding) {
    let known = || values.iter().copied().filter(|value| *value != UNKNOWN);
    let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    if most.checked_sub(least).is_some_and(|span| span < i64::from(u32::MAX) - 1) {
        let code = |value: &i64| if *value == UNKNOWN { 0 } else { (value - least + 1) as u32 };
        return (Codes::Words(values.iter().map(code).collect()), Encoding::Offset { base: least });
    }
    let mut dictionary: Vec<i64> = known().collect();
    dictionary.sort_unstable();
    dictionary.dedup();
    let code = |value: &i64| match dictionary.binary_search(value) {
        Ok(index) => index as u32 + 1,
        Err(_) => 0,
    };
    (Codes::Words(values.iter().map(code).collect()), Encoding::Dictionary(dictionary))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Checks every encoding of a column against [`Predicate::holds`].
    #[test]
    fn column_tests_agree_with_value_tests() {
        let spread = |count: i64, step: i64| -> Vec<i64> {
            (0..count)
                .map(|row| if row % 7 == 0 { UNKNOWN } else { (row * 7_919 % count) * step - 50 })
                .collect()
        };
        let far: Vec<i64> = (0..70_000).map(|row| Key::number(row as f64 / 3.0).get()).collect();
        for values in [
            spread(5, 1),
            spread(130, 3),
            spread(3_000, 11),
            spread(70_000, 2),
            far,
            vec![UNKNOWN; 70],
            vec![],
        ] {
            let column = Column::new(&values);
            for (row, value) in values.iter().enumerate() {
                assert_eq!(column.value(row), *value);
            }
            let key = |index: usize| values.get(index % values.len().max(1)).copied().and_then(known);
            let one_of =
                |places: &[usize]| Predicate::OneOf(places.iter().filter_map(|index| key(*index)).collect());
            for test in [
                Predicate::Within(KeyRange { least: key(3), most: None }),
                Predicate::Within(KeyRange { least: None, most: key(5) }),
                Predicate::Within(KeyRange { least: key(1).min(key(2)), most: key(1).max(key(2)) }),
                Predicate::Within(KeyRange { least: Some(Key::MAX), most: None }),
                Predicate::Within(KeyRange::default()),
                one_of(&[1]),
                one_of(&[1, 2, 4]),
                one_of(&[9, 99, 1_234, 45_678]),
                Predicate::OneOf(BTreeSet::from([Key::from_raw(-7_777_777)])),
            ] {
                let compiled = column.compile(&test);
                for word in 0..values.len().div_ceil(WORD) {
                    let rows = (values.len() - word * WORD).min(WORD);
                    let all = u64::MAX >> (WORD - rows);
                    for candidates in [all, all & 0x8421, all & 0x30, 0] {
                        let mut passing = [candidates];
                        column.retain(&compiled, word, &mut passing);
                        let [passing] = passing;
                        for index in 0..rows {
                            let row = word * WORD + index;
                            let expected = test.holds(known(values[row]));
                            assert_eq!(column.holds(&compiled, row), expected, "{test:?} {row}");
                            assert_eq!(
                                passing >> index & 1 == 1,
                                expected && candidates >> index & 1 == 1,
                                "{test:?} {row}"
                            );
                        }
                    }
                }
            }
        }
    }
}
