//! Mean, percentiles and maximum of many durations.

use std::time::Duration;

/// Durations in ascending order.
#[derive(Debug, Clone, Default)]
pub struct Latencies(Vec<Duration>);

impl Latencies {
    pub fn of(mut times: Vec<Duration>) -> Self {
        times.sort_unstable();
        Self(times)
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn mean(&self) -> Duration {
        let count = u32::try_from(self.0.len()).unwrap_or(u32::MAX).max(1);
        self.0.iter().sum::<Duration>() / count
    }

    /// Returns the smallest duration that at least `percent` per cent do not exceed.
    pub fn percentile(&self, percent: usize) -> Duration {
        let position = (self.0.len() * percent).div_ceil(100).max(1) - 1;
        self.0.get(position).copied().unwrap_or_default()
    }

    pub fn max(&self) -> Duration {
        self.0.last().copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_of_unsorted_durations() {
        let latencies = Latencies::of((1..=200).rev().map(Duration::from_millis).collect());
        assert_eq!(latencies.percentile(50), Duration::from_millis(100));
        assert_eq!(latencies.percentile(99), Duration::from_millis(198));
        assert_eq!((latencies.max(), latencies.len()), (Duration::from_millis(200), 200));
        assert_eq!(latencies.mean(), Duration::from_micros(100_500));
        assert_eq!(Latencies::default().percentile(99), Duration::ZERO);
    }
}
