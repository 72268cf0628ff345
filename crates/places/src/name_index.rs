//! Exact look-up of communes by name, using normalised keys.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::geography::Geography;
use crate::place_query::keys_of_name;
use crate::prefix_index::{PrefixIndex, Target};

/// A commune with a given name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub city: u32,
    pub kind: NameKind,
}

/// What a name is to the commune that it stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum NameKind {
    /// Its own name.
    Own,
    /// The name of a commune that was merged into it.
    Former,
    /// The name of a well-known place inside it.
    Inside,
}

/// Sorted hashes of keys, with the name that each belongs to. Hashing avoids forty thousand small allocations at startup. A
/// hit is verified against the key itself, so collisions are harmless.
pub(crate) struct NameIndex {
    entries: Vec<(u64, u32)>,
    cities: usize,
    departments: usize,
}

impl NameIndex {
    pub fn new(geography: &Geography, prefixes: &PrefixIndex) -> Self {
        let mut index = Self {
            entries: Vec::with_capacity(48_000),
            cities: geography.cities.len(),
            departments: geography.departments.len(),
        };
        for (name, city) in (0..).zip(&geography.cities) {
            // Districts are found by the name of their city and their number.
            if city.parent.is_none() {
                index.add(name, &city.name, prefixes.folded(name));
            }
        }
        for (name, _) in prefixes.former() {
            index.add(name, index.text(geography, name), prefixes.folded(name));
        }
        index.entries.sort_unstable();
        index.entries.dedup();
        index
    }

    fn add(&mut self, name: u32, text: &str, folded: &str) {
        self.entries.extend(keys_of_name(text, folded).map(|key| (hash(&key), name)));
    }

    /// Returns the text of a name, which has the same number as in the prefix index.
    fn text<'a>(&self, geography: &'a Geography, name: u32) -> &'a str {
        let name = name as usize;
        match geography.cities.get(name) {
            Some(city) => &city.name,
            None => &geography.former[name - self.cities - self.departments].name,
        }
    }

    /// Returns the communes that have or had a name with this key.
    pub fn candidates(&self, geography: &Geography, prefixes: &PrefixIndex, key: &str) -> Vec<Candidate> {
        let target = hash(key);
        let from = self.entries.partition_point(|entry| entry.0 < target);
        let mut candidates: Vec<Candidate> = self.entries[from..]
            .iter()
            .take_while(|entry| entry.0 == target)
            .map(|entry| entry.1)
            .filter(|name| {
                keys_of_name(self.text(geography, *name), prefixes.folded(*name)).any(|other| other == key)
            })
            .filter_map(|name| {
                let name = prefixes.name(name);
                let Target::City(city) = name.target else { return None };
                Some(Candidate { city, kind: if name.former { NameKind::Former } else { NameKind::Own } })
            })
            .collect();
        candidates.sort_by_key(|candidate| (candidate.city, candidate.kind));
        candidates.dedup_by_key(|candidate| candidate.city);
        candidates
    }
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
