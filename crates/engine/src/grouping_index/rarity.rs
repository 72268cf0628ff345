//! Counts in how many adverts a shingle occurs, about.
//!
//! A count-min sketch: each shingle has two counters, which it shares with others, and the smaller one is its count. A count is never
//! too small, except that a full counter stays full.

use domain::grouping::Signature;

/// Counters per advert: an advert has 48 shingles in its sketch and some names, so that a counter has one or two of them.
const PER_ADVERT: usize = 64;

const CELLS_MIN: usize = 1 << 16;
const CELLS_MAX: usize = 1 << 27;

/// Counters of shingles.
#[derive(Debug, Default)]
pub struct ShingleCounts {
    /// A power of two of them, or none.
    cells: Box<[u8]>,
}

impl ShingleCounts {
    /// Counts the shingles of these adverts, with room for as many again.
    pub fn for_adverts<'a>(count: usize, signatures: impl Iterator<Item = &'a Signature>) -> Self {
        let cells = (2 * count * PER_ADVERT).next_power_of_two().clamp(CELLS_MIN, CELLS_MAX);
        let mut counts = Self { cells: vec![0; cells].into() };
        signatures.for_each(|signature| counts.add(signature));
        counts
    }

    /// Returns `true` if so many adverts need more counters.
    pub fn is_crowded(&self, adverts: usize) -> bool {
        self.cells.len() < CELLS_MAX && self.cells.len() < adverts * PER_ADVERT
    }

    pub fn add(&mut self, signature: &Signature) {
        self.for_each_cell(signature, |cell| *cell = cell.saturating_add(1));
    }

    pub fn remove(&mut self, signature: &Signature) {
        // A full counter has lost count.
        self.for_each_cell(signature, |cell| {
            *cell = if *cell == u8::MAX { *cell } else { cell.saturating_sub(1) }
        });
    }

    pub fn count(&self, shingle: u32) -> u32 {
        let counts =
            places(shingle, self.cells.len()).map(|place| self.cells.get(place).copied().unwrap_or_default());
        counts.into_iter().min().unwrap_or_default().into()
    }

    pub fn bytes(&self) -> usize {
        self.cells.len()
    }

    fn for_each_cell(&mut self, signature: &Signature, change: impl Fn(&mut u8)) {
        let count = self.cells.len();
        for hash in signature.counted() {
            let [first, second] = places(hash, count);
            for place in [first].into_iter().chain((second != first).then_some(second)) {
                if let Some(cell) = self.cells.get_mut(place) {
                    change(cell);
                }
            }
        }
    }
}

/// Returns the places of the two counters of a shingle.
fn places(shingle: u32, count: usize) -> [usize; 2] {
    let mixed = u64::from(shingle).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = mixed ^ (mixed >> 29);
    let halves = [mixed & u64::from(u32::MAX), mixed >> 32];
    let mask = u64::try_from(count).unwrap_or_default().saturating_sub(1);
    halves.map(|half| usize::try_from(half & mask).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_counters_count_nothing() {
        assert_eq!(ShingleCounts::default().count(7), 0);
        assert!(ShingleCounts::default().is_crowded(1));
    }
}
