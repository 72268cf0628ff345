//! Names as keys: which communes a place_query can mean, spelling aside.

use std::hash::{DefaultHasher, Hash, Hasher};

use crate::geography::Geography;
use crate::labels::{PrefixIndex, Target};
use crate::place_query::keys_of_name;

/// A commune a name can mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Candidate {
    pub city: u32,
    /// The name is that of a commune merged into it.
    pub former: bool,
}

/// Hashes of keys in order, with the label each leads to. Hashing spares forty thousand small allocations at start; a
/// label found is checked against the key itself, so that a collision cannot lead astray.
pub(crate) struct NameIndex {
    entries: Vec<(u64, u32)>,
    names: usize,
    departments: usize,
}

impl NameIndex {
    pub fn new(geography: &Geography, labels: &PrefixIndex) -> Self {
        let mut index = Self {
            entries: Vec::with_capacity(48_000),
            names: geography.cities.len(),
            departments: geography.departments.len(),
        };
        for (label, city) in (0..).zip(&geography.cities) {
            // Districts are found through their city and their number.
            if city.parent.is_none() {
                index.add(label, &city.name, labels.folded(label));
            }
        }
        for (label, _) in labels.former() {
            index.add(label, index.name(geography, label), labels.folded(label));
        }
        index.entries.sort_unstable();
        index.entries.dedup();
        index
    }

    fn add(&mut self, label: u32, name: &str, folded: &str) {
        self.entries.extend(keys_of_name(name, folded).map(|key| (hash(&key), label)));
    }

    fn name<'a>(&self, geography: &'a Geography, label: u32) -> &'a str {
        let label = label as usize;
        match geography.cities.get(label) {
            Some(city) => &city.name,
            None => &geography.former[label - self.names - self.departments].name,
        }
    }

    /// The communes known under a key, today or formerly.
    pub fn candidates(&self, geography: &Geography, labels: &PrefixIndex, key: &str) -> Vec<Candidate> {
        let wanted = hash(key);
        let from = self.entries.partition_point(|entry| entry.0 < wanted);
        let mut candidates: Vec<Candidate> = self.entries[from..]
            .iter()
            .take_while(|entry| entry.0 == wanted)
            .map(|entry| entry.1)
            .filter(|label| {
                keys_of_name(self.name(geography, *label), labels.folded(*label)).any(|known| known == key)
            })
            .filter_map(|label| {
                let label = labels.label(label);
                let Target::City(city) = label.target else { return None };
                Some(Candidate { city, former: label.former })
            })
            .collect();
        candidates.sort_by_key(|candidate| (candidate.city, candidate.former));
        candidates.dedup_by_key(|candidate| candidate.city);
        candidates
    }
}

fn hash(key: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}
