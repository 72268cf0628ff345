//! How long a client may keep the server waiting while it reads a response or sends a body.
//!
//! One rule covers clients that stop and clients that drip. A client starts with an allowance of time. Waiting for it uses the
//! allowance up, every byte it takes or sends gives some back, and at zero the connection is closed. So a client that moves nothing
//! lasts for the allowance, and one that keeps to the least rate lasts for ever. Time in which the server has nothing to send does
//! not count.

use std::time::Duration;

/// The time a client may still keep the server waiting.
#[derive(Debug, Clone)]
pub struct Allowance {
    full: Duration,
    left: Duration,
    bytes_per_second: usize,
}

impl Allowance {
    /// Starts with the full time. `bytes_per_second` is the least rate, above zero.
    pub const fn new(full: Duration, bytes_per_second: usize) -> Self {
        Self { full, left: full, bytes_per_second }
    }

    pub const fn left(&self) -> Duration {
        self.left
    }

    /// Takes off time in which the client did nothing.
    pub const fn waited(&mut self, time: Duration) {
        self.left = self.left.saturating_sub(time);
    }

    /// Gives back the time that these bytes may take at the least rate.
    pub fn moved(&mut self, bytes: usize) {
        let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
        let rate = u64::try_from(self.bytes_per_second).unwrap_or(u64::MAX).max(1);
        let earned = Duration::from_millis(bytes.saturating_mul(1_000) / rate);
        self.left = self.left.saturating_add(earned).min(self.full);
    }

    /// Changes the full time, and starts anew if it is another one.
    pub fn set_full(&mut self, full: Duration) {
        if self.full != full {
            (self.full, self.left) = (full, full);
        }
    }

    /// Shortens what is left, and what bytes can give back.
    pub fn cap(&mut self, most: Duration) {
        self.full = self.full.min(most);
        self.left = self.left.min(most);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn a_client_that_stops_lasts_for_the_allowance() {
        let mut allowance = Allowance::new(15 * SECOND, 1_024);
        allowance.waited(14 * SECOND);
        assert_eq!(allowance.left(), SECOND);
        allowance.waited(2 * SECOND);
        assert_eq!(allowance.left(), Duration::ZERO);
    }

    #[test]
    fn a_client_at_the_least_rate_lasts_for_ever_and_a_slower_one_does_not() {
        let lasts = |bytes: usize| {
            let mut allowance = Allowance::new(15 * SECOND, 1_024);
            (0..10_000).all(|_| {
                allowance.waited(SECOND);
                let lasts = allowance.left() > Duration::ZERO;
                allowance.moved(bytes);
                lasts
            })
        };
        assert!(lasts(1_024) && lasts(1 << 20));
        assert!(!lasts(1_000) && !lasts(1) && !lasts(0));
    }

    #[test]
    fn a_burst_buys_no_more_than_the_allowance() {
        let mut allowance = Allowance::new(15 * SECOND, 1);
        allowance.moved(usize::MAX);
        assert_eq!(allowance.left(), 15 * SECOND);
        allowance.cap(2 * SECOND);
        allowance.moved(1_000);
        assert_eq!(allowance.left(), 2 * SECOND);
        allowance.set_full(60 * SECOND);
        assert_eq!(allowance.left(), 60 * SECOND);
    }
}
