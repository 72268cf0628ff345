//! Zipcodes in order: which communes have one, and which have one that begins so.

use std::sync::Arc;

use domain::City;

/// A zipcode as a number that sorts as the text does. A zipcode has at most ten characters, so none is cut off.
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

    /// The positions of the cities with exactly this zipcode.
    pub fn holders(&self, zipcode: &str) -> impl Iterator<Item = u32> {
        let wanted = packed(zipcode);
        self.from(wanted).take_while(move |entry| entry.0 == wanted).map(|entry| entry.1)
    }

    /// The positions of the cities with a zipcode that begins so; a city comes once for each such zipcode.
    pub fn beginning_with(&self, prefix: &str) -> impl Iterator<Item = u32> {
        let low = packed(prefix);
        let length = prefix.len().min(16);
        let high = if length == 16 { low } else { low | (u128::MAX >> (8 * length)) };
        self.from(low).take_while(move |entry| entry.0 <= high).map(|entry| entry.1)
    }

    fn from(&self, low: u128) -> impl Iterator<Item = &(u128, u32)> {
        self.entries[self.entries.partition_point(|entry| entry.0 < low)..].iter()
    }
}
