//! Sorted zipcodes, for exact and prefix look-up of communes.

use std::sync::Arc;

use domain::City;

/// Packs a zipcode into a number with the same order. A zipcode has at most ten characters, so nothing is lost.
fn packed(text: &str) -> u128 {
    let mut letters = [0; 16];
    let length = text.len().min(16);
    letters[..length].copy_from_slice(&text.as_bytes()[..length]);
    u128::from_be_bytes(letters)
}

pub(crate) struct ZipcodeIndex {
    entries: Vec<(u128, u32)>,
}

impl ZipcodeIndex {
    pub fn new(cities: &[Arc<City>]) -> Self {
        let mut entries: Vec<(u128, u32)> = (0..)
            .zip(cities)
            .flat_map(|(city, entry)| {
                entry.zipcodes.iter().map(move |zipcode| (packed(zipcode.as_str()), city))
            })
            .collect();
        entries.sort_unstable();
        Self { entries }
    }

    /// Returns the indices of the cities with exactly this zipcode.
    pub fn cities_with(&self, zipcode: &str) -> impl Iterator<Item = u32> {
        let target = packed(zipcode);
        self.from(target).take_while(move |entry| entry.0 == target).map(|entry| entry.1)
    }

    /// Returns the indices of the cities with a zipcode that starts with `prefix`, once per zipcode.
    pub fn cities_with_prefix(&self, prefix: &str) -> impl Iterator<Item = u32> {
        let low = packed(prefix);
        let length = prefix.len().min(16);
        let high = if length == 16 { low } else { low | (u128::MAX >> (8 * length)) };
        self.from(low).take_while(move |entry| entry.0 <= high).map(|entry| entry.1)
    }

    fn from(&self, low: u128) -> impl Iterator<Item = &(u128, u32)> {
        self.entries[self.entries.partition_point(|entry| entry.0 < low)..].iter()
    }
}
