//! A histogram of prices with logarithmic bins, from which values can be removed again.

/// The natural logarithm of the width of a bin: 4 %, finer than sellers round.
const BIN_WIDTH: f64 = 0.04;

/// A bin, by its position from that of 1 €.
pub type Bin = i16;

/// Returns the bin of a value above zero.
pub fn bin_of(value: f64) -> Bin {
    // Amounts are below 10¹² and surfaces above 5, so the position is between -1,000 and 1,000.
    let position = (value.ln() / BIN_WIDTH).floor();
    position.clamp(f64::from(Bin::MIN), f64::from(Bin::MAX)) as Bin
}

/// The number of values in each bin that has some, in order. Most communes have few adverts of a kind, so empty bins are left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Histogram {
    bins: Vec<(Bin, u32)>,
}

impl Histogram {
    pub fn add(&mut self, bin: Bin) {
        match self.bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
            Ok(position) => self.bins[position].1 = self.bins[position].1.saturating_add(1),
            Err(position) => {
                // Most histograms have a few bins: doubling their capacity would waste more than half of the memory.
                self.bins.reserve_exact(1);
                self.bins.insert(position, (bin, 1));
            }
        }
    }

    /// Removes a value that was added before.
    pub fn remove(&mut self, bin: Bin) {
        if let Ok(position) = self.bins.binary_search_by_key(&bin, |(bin, _)| *bin) {
            if self.bins[position].1 > 1 {
                self.bins[position].1 -= 1;
            } else {
                self.bins.remove(position);
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.bins.is_empty()
    }

    pub fn count(&self) -> u64 {
        self.bins.iter().map(|(_, count)| u64::from(*count)).sum()
    }

    /// Returns the natural logarithms of the three quartiles. `None` if it is empty.
    pub fn quartiles(&self) -> Option<[f64; 3]> {
        if self.is_empty() {
            return None;
        }
        let count = self.count() as f64;
        Some([0.25, 0.5, 0.75].map(|share| self.quantile(share * count)))
    }

    /// Returns the logarithm below which so many values are, as if those of a bin were evenly distributed.
    fn quantile(&self, rank: f64) -> f64 {
        let mut below = 0.0;
        let mut quantile = 0.0;
        for (bin, count) in &self.bins {
            let count = f64::from(*count);
            let share = ((rank - below) / count).min(1.0);
            quantile = (f64::from(*bin) + share) * BIN_WIDTH;
            below += count;
            if below >= rank {
                break;
            }
        }
        quantile
    }

    /// Returns the memory of the bins in bytes.
    pub fn bytes(&self) -> usize {
        self.bins.capacity() * size_of::<(Bin, u32)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(values: impl IntoIterator<Item = f64>) -> Histogram {
        let mut histogram = Histogram::default();
        values.into_iter().for_each(|value| histogram.add(bin_of(value)));
        histogram
    }

    #[test]
    fn quartiles_are_within_a_bin() {
        let found = histogram((1..=1_000).map(f64::from)).quartiles().unwrap();
        for (found, expected) in found.into_iter().zip([250.0, 500.0, 750.0]) {
            assert!((found - f64::ln(expected)).abs() <= BIN_WIDTH, "{found} for {expected}");
        }
        let single = histogram([3_000.0]).quartiles().unwrap();
        assert!(single.iter().all(|quartile| (quartile - f64::ln(3_000.0)).abs() <= BIN_WIDTH));
        assert_eq!(Histogram::default().quartiles(), None);
    }

    #[test]
    fn removed_values_leave_no_trace() {
        let mut mixed = histogram([0.3, 12.0, 12.1, 3_000.0, 3_001.0, 1e12]);
        for value in [12.0, 0.3, 1e12, 3_001.0] {
            mixed.remove(bin_of(value));
        }
        assert_eq!(mixed, histogram([12.1, 3_000.0]));
        // A value that is not there.
        mixed.remove(bin_of(7.0));
        assert_eq!(mixed.count(), 2);
    }
}
