//! One attribute of all rows of a segment, as small whole numbers in the order of the values.
//!
//! The distinct values of a segment are few next to its rows, so each row keeps only the number of its value: one byte, two
//! or four. Numbers are given in the order of the values, so that a bound on values is a bound on numbers: exact, whatever
//! the values are, and compared 64 at a time. Zero is "unknown", which no bound includes.

use domain::criteria::Predicate;
use domain::{Key, KeyRange};
use rustc_hash::FxHashMap;

use crate::bits::{Bits, WORD};
use crate::compare;

/// Stands for a value that is unknown, where values are not yet numbered.
pub const UNKNOWN: i64 = i64::MIN;

/// Up to so many distinct values, each also has the set of its rows.
const SETS_MAX: usize = 8;

#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    pub(crate) codes: Codes,
    pub(crate) scale: Scale,
    /// The rows of each code from 1 on, for columns of few values.
    sets: Vec<Bits>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Codes {
    /// No row has a value.
    Unknown,
    Bytes(Vec<u8>),
    Shorts(Vec<u16>),
    Words(Vec<u32>),
}

/// What the codes stand for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Scale {
    /// Code `c` is the value at place `c − 1`; ascending.
    Listed(Vec<i64>),
    /// Code `c` is the value `base + c − 1`; for dates, of which nearly every row has its own.
    Counted { base: i64 },
}

impl Column {
    pub fn of(values: &[i64]) -> Self {
        let distinct = distinct_up_to(values, usize::from(u16::MAX));
        let (codes, scale) = match distinct {
            Some(listed) if listed.is_empty() => (Codes::Unknown, Scale::Listed(listed)),
            Some(listed) => {
                let code_of: FxHashMap<i64, u16> =
                    listed.iter().zip(1..).map(|(value, code)| (*value, code)).collect();
                let codes = values.iter().map(|value| code_of.get(value).copied().unwrap_or(0));
                let codes = if listed.len() <= usize::from(u8::MAX) {
                    Codes::Bytes(codes.map(|code| code as u8).collect())
                } else {
                    Codes::Shorts(codes.collect())
                };
                (codes, Scale::Listed(listed))
            }
            None => wide(values),
        };
        Self::assemble(codes, scale)
    }

    pub(crate) fn assemble(codes: Codes, scale: Scale) -> Self {
        let sets = match (&codes, &scale) {
            (Codes::Bytes(codes), Scale::Listed(listed)) if listed.len() <= SETS_MAX => {
                let mut sets = vec![Bits::none(codes.len()); listed.len()];
                for (row, code) in codes.iter().enumerate().filter(|(_, code)| **code > 0) {
                    sets[usize::from(*code) - 1].insert(row);
                }
                sets
            }
            _ => Vec::new(),
        };
        Self { codes, scale, sets }
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
        match (self.code(row), &self.scale) {
            (0, _) => UNKNOWN,
            (code, Scale::Listed(listed)) => listed[code as usize - 1],
            (code, Scale::Counted { base }) => base + i64::from(code) - 1,
        }
    }

    pub fn key(&self, row: usize) -> Option<Key> {
        known(self.value(row))
    }

    /// The codes of the values in a span, or nothing when there is none.
    pub fn codes_within(&self, span: KeyRange) -> Option<(u32, u32)> {
        let least = span.least.map_or(i64::MIN + 1, Key::get);
        let most = span.most.map_or(i64::MAX, Key::get);
        let (first, last) = match &self.scale {
            Scale::Listed(listed) => {
                let first = listed.partition_point(|value| *value < least) + 1;
                (first as i64, listed.partition_point(|value| *value <= most) as i64)
            }
            Scale::Counted { base } => {
                let code = |value: i64| value.saturating_sub(*base).saturating_add(1);
                (code(least).max(1), code(most).min(i64::from(u32::MAX)))
            }
        };
        (first <= last).then_some((u32::try_from(first).ok()?, u32::try_from(last).ok()?))
    }

    /// The code of a value that some row may have.
    pub fn code_of(&self, key: Key) -> Option<u32> {
        self.codes_within(KeyRange { least: Some(key), most: Some(key) }).map(|(code, _)| code)
    }

    /// The test in raw_criteria of this column.
    pub fn compiled(&self, test: &Predicate) -> CodeTest<'_> {
        if matches!(self.codes, Codes::Unknown) {
            return CodeTest::Never;
        }
        let mut codes: Vec<u32> = match test {
            Predicate::Within(span) => match self.codes_within(*span) {
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
            _ => CodeTest::Among(codes),
        }
    }

    /// Leaves those rows in that meet a test. Each word of `rows` stands for 64 rows, the first for those from `word × 64` on.
    pub fn keep(&self, test: &CodeTest<'_>, word: usize, rows: &mut [u64]) {
        match test {
            CodeTest::Never => rows.fill(0),
            CodeTest::InSets(sets) => keep_in_sets(sets, word, rows),
            CodeTest::Within { first, span } => {
                for (place, bits) in rows.iter_mut().enumerate().filter(|(_, bits)| **bits != 0) {
                    *bits = self.within(*first, *span, word + place, *bits);
                }
            }
            CodeTest::Among(among) => {
                for (place, bits) in rows.iter_mut().enumerate() {
                    *bits = kept(*bits, word + place, |row| among.binary_search(&self.code(row)).is_ok());
                }
            }
        }
    }

    /// Which of the 64 rows of a word have a code from `first` to `first + span`, of those wanted.
    fn within(&self, first: u32, span: u32, word: usize, wanted: u64) -> u64 {
        // One or two rows are looked at sooner than 64. Taking off the lowest one is how to see how many there are: counting takes
        // longer on processors that have no instruction for it.
        let rest = wanted & wanted.wrapping_sub(1);
        if rest & rest.wrapping_sub(1) == 0 {
            return kept(wanted, word, |row| self.code(row).wrapping_sub(first) <= span);
        }
        let start = word * WORD;
        wanted
            & match &self.codes {
                Codes::Unknown => 0,
                // Codes fit their width, so bounds beyond it never arise: `first` is a code of this column.
                Codes::Bytes(codes) => compare::bytes(&codes[start..], first as u8, span as u8),
                Codes::Shorts(codes) => compare::shorts(&codes[start..], first as u16, span as u16),
                Codes::Words(codes) => compare::words(&codes[start..], first, span),
            }
    }

    /// Whether one row meets a test.
    pub fn holds(&self, test: &CodeTest<'_>, row: usize) -> bool {
        match test {
            CodeTest::Never => false,
            CodeTest::InSets(sets) => sets.iter().any(|set| set.contains(row)),
            CodeTest::Within { first, span } => self.code(row).wrapping_sub(*first) <= *span,
            CodeTest::Among(among) => among.binary_search(&self.code(row)).is_ok(),
        }
    }

    /// How much memory it takes.
    pub fn bytes(&self) -> usize {
        let codes = match &self.codes {
            Codes::Unknown => 0,
            Codes::Bytes(codes) => codes.len(),
            Codes::Shorts(codes) => codes.len() * 2,
            Codes::Words(codes) => codes.len() * 4,
        };
        let listed = match &self.scale {
            Scale::Listed(listed) => listed.len() * 8,
            Scale::Counted { .. } => 8,
        };
        codes + listed + self.sets.iter().map(|set| set.words().len() * 8).sum::<usize>()
    }
}

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
    /// Any of these, ascending.
    Among(Vec<u32>),
    InSets(Vec<&'a Bits>),
}

fn kept(wanted: u64, word: usize, holds: impl Fn(usize) -> bool) -> u64 {
    let mut kept = 0;
    for place in crate::bits::ones(wanted) {
        kept |= u64::from(holds(word * WORD + place)) << place;
    }
    kept
}

/// Most tests on sets name one or two of them; for those the compiler makes a plain loop over words.
fn keep_in_sets(sets: &[&Bits], word: usize, rows: &mut [u64]) {
    match sets {
        [] => rows.fill(0),
        [only] => rows.iter_mut().zip(&only.words()[word..]).for_each(|(bits, set)| *bits &= set),
        [first, second] => {
            let sets = first.words()[word..].iter().zip(&second.words()[word..]);
            rows.iter_mut().zip(sets).for_each(|(bits, (first, second))| *bits &= first | second);
        }
        sets => {
            for (place, bits) in rows.iter_mut().enumerate() {
                *bits &= sets.iter().fold(0, |any, set| any | set.word(word + place));
            }
        }
    }
}

/// The distinct known values, ascending; nothing when there are more than so many.
fn distinct_up_to(values: &[i64], most: usize) -> Option<Vec<i64>> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut previous = UNKNOWN;
    for value in values {
        // Rows are sorted by place, so that neighbours often share a value.
        if *value != previous && *value != UNKNOWN && seen.insert(*value) && seen.len() > most {
            return None;
        }
        previous = *value;
    }
    let mut distinct: Vec<i64> = seen.into_iter().collect();
    distinct.sort_unstable();
    Some(distinct)
}

/// Codes for more distinct values than two bytes can number.
fn wide(values: &[i64]) -> (Codes, Scale) {
    let known = || values.iter().copied().filter(|value| *value != UNKNOWN);
    let (least, most) = (known().min().unwrap_or(0), known().max().unwrap_or(0));
    if most.checked_sub(least).is_some_and(|span| span < i64::from(u32::MAX) - 1) {
        let code = |value: &i64| if *value == UNKNOWN { 0 } else { (value - least + 1) as u32 };
        return (Codes::Words(values.iter().map(code).collect()), Scale::Counted { base: least });
    }
    let mut listed: Vec<i64> = known().collect();
    listed.sort_unstable();
    listed.dedup();
    let code = |value: &i64| match listed.binary_search(value) {
        Ok(place) => place as u32 + 1,
        Err(_) => 0,
    };
    (Codes::Words(values.iter().map(code).collect()), Scale::Listed(listed))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Every way to keep a column, against the plain meaning of a test.
    #[test]
    fn a_column_tests_as_its_values_do() {
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
            let column = Column::of(&values);
            for (row, value) in values.iter().enumerate() {
                assert_eq!(column.value(row), *value);
            }
            let key = |place: usize| values.get(place % values.len().max(1)).copied().and_then(known);
            let one_of =
                |places: &[usize]| Predicate::OneOf(places.iter().filter_map(|place| key(*place)).collect());
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
                let compiled = column.compiled(&test);
                for word in 0..values.len().div_ceil(WORD) {
                    let rows = (values.len() - word * WORD).min(WORD);
                    let all = u64::MAX >> (WORD - rows);
                    for wanted in [all, all & 0x8421, all & 0x30, 0] {
                        let mut met = [wanted];
                        column.keep(&compiled, word, &mut met);
                        let [met] = met;
                        for place in 0..rows {
                            let row = word * WORD + place;
                            let expected = test.holds(known(values[row]));
                            assert_eq!(column.holds(&compiled, row), expected, "{test:?} {row}");
                            assert_eq!(
                                met >> place & 1 == 1,
                                expected && wanted >> place & 1 == 1,
                                "{test:?} {row}"
                            );
                        }
                    }
                }
            }
        }
    }
}
