//! Finds the communes whose name differs from a given one by typing errors, and remembers what it found.
//!
//! Autocomplete follows the prefix index letter by letter, because a query may stop anywhere. Here the whole name is
//! given, so most names can be ruled out without reading them: an edit changes the length by one at most, and the set of
//! letters by two at most. Only the few names that pass are compared letter by letter.
//!
//! A feed repeats its names, also those that no commune has. The last results are kept: the same name gives the same result,
//! with or without them.

use std::collections::HashSet;
use std::sync::Arc;

use quick_cache::sync::Cache;

use crate::prefix_index::PrefixIndex;
use crate::spelling::{Pattern, QUERY_MAX, edits_allowed};

/// The number of names to remember: more than the unknown names of a large feed, and less than a megabyte.
const REMEMBERED: usize = 8_192;

/// The current names of all communes, with and without the article, ordered by length.
pub(crate) struct SpellingIndex {
    /// For each name, the set of its letters.
    letters: Vec<u32>,
    /// For each name, its position in the prefix index and its city.
    entries: Vec<(u32, u32)>,
    /// For each length, the position of the first name that is at least as long.
    starts: Vec<u32>,
    remembered: Cache<Box<str>, Arc<[Similar]>>,
}

/// A commune with a similar name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Similar {
    pub edits: usize,
    pub city: u32,
}

impl SpellingIndex {
    pub fn new(prefixes: &PrefixIndex) -> Self {
        let mut names: Vec<(usize, u32, u32)> = prefixes
            .whole_names()
            .map(|(entry, city)| (prefixes.letters_at(entry).len(), entry, city))
            .collect();
        names.sort_unstable();
        let longest = names.last().map_or(0, |(length, ..)| *length);
        let starts = (0..=longest + 1)
            .map(|length| names.partition_point(|(other, ..)| *other < length) as u32)
            .collect();
        Self {
            letters: names.iter().map(|(_, entry, _)| set_of(prefixes.letters_at(*entry))).collect(),
            entries: names.into_iter().map(|(_, entry, city)| (entry, city)).collect(),
            starts,
            remembered: Cache::new(REMEMBERED),
        }
    }

    /// Returns the communes with a name like the given one, within the edits that its length allows. The most similar first.
    pub fn similar(&self, prefixes: &PrefixIndex, typed: &str) -> Arc<[Similar]> {
        if let Some(known) = self.remembered.get(typed) {
            return known;
        }
        let found: Arc<[Similar]> = self.search(prefixes, typed).into();
        self.remembered.insert(typed.into(), found.clone());
        found
    }

    fn search(&self, prefixes: &PrefixIndex, typed: &str) -> Vec<Similar> {
        let edits = edits_allowed(typed.len());
        let pattern = Pattern::new(typed, edits);
        // The pattern is truncated, too.
        let typed = &typed.as_bytes()[..typed.len().min(QUERY_MAX)];
        let letters = set_of(typed);
        let start =
            |length: usize| self.starts.get(length).map_or(self.entries.len(), |start| *start as usize);
        let range = start(typed.len().saturating_sub(edits))..start(typed.len() + edits + 1);
        let mut found: Vec<Similar> = self.letters[range.clone()]
            .iter()
            .zip(&self.entries[range])
            .filter(|(other, _)| (*other ^ letters).count_ones() as usize <= 2 * edits)
            .filter_map(|(_, (entry, city))| {
                let end = prefixes
                    .letters_at(*entry)
                    .iter()
                    .fold(pattern.start(), |state, letter| pattern.step(&state, *letter));
                Some(Similar { edits: pattern.edits(&end)?, city: *city })
            })
            .collect();
        found.sort_unstable();
        // A name with its article and without it may both be similar; the better of the two comes first.
        let mut cities = HashSet::new();
        found.retain(|similar| cities.insert(similar.city));
        found
    }
}

/// Returns the set of letters of a folded name. Everything but a to z shares a few bits, which rules out less but never too
/// much.
fn set_of(name: &[u8]) -> u32 {
    name.iter().fold(0, |set, letter| {
        set | 1
            << match letter {
                b'a'..=b'z' => letter - b'a',
                other => 26 + other % 6,
            }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files;
    use crate::geography::Geography;

    #[test]
    fn similar_names_are_those_of_a_full_scan() {
        let files = files::embedded().unwrap();
        let prefixes = PrefixIndex::new(&Geography::read(&files).unwrap());
        let index = SpellingIndex::new(&prefixes);
        let long = "saint ".repeat(20);
        let typed = [
            "paris",
            "pari",
            "pariz",
            "prais",
            "x",
            "xyz",
            "saint etiene",
            "montpelier",
            "dudelange",
            "la chapele sur",
            "haye",
            "e",
            "",
            "saint remy en bouzemont saint genest et isso",
            "île",
            &long,
        ];
        for typed in typed {
            let pattern = Pattern::new(typed, edits_allowed(typed.len()));
            let mut expected: Vec<Similar> = prefixes
                .whole_names()
                .filter_map(|(entry, city)| {
                    let name = std::str::from_utf8(prefixes.letters_at(entry)).unwrap();
                    Some(Similar { edits: pattern.edits_to(name)?, city })
                })
                .collect();
            expected.sort_unstable();
            let mut cities = std::collections::HashSet::new();
            expected.retain(|similar| cities.insert(similar.city));
            // Once searched, once remembered.
            for _ in 0..2 {
                assert_eq!(*index.similar(&prefixes, typed), *expected, "{typed}");
            }
        }
    }

    #[test]
    fn memory_is_bounded() {
        let files = files::embedded().unwrap();
        let prefixes = PrefixIndex::new(&Geography::read(&files).unwrap());
        let index = SpellingIndex::new(&prefixes);
        for number in 0..REMEMBERED + 100 {
            index.similar(&prefixes, &format!("x{number}"));
        }
        assert!(index.remembered.len() <= REMEMBERED);
    }
}
