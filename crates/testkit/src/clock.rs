//! A clock that advances only when a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Clock, Timestamp};
use jiff::SignedDuration;

/// Returns the time set by a test, with millisecond precision.
#[derive(Debug)]
pub struct ManualClock {
    millisecond: AtomicI64,
}

impl ManualClock {
    pub fn at(timestamp: Timestamp) -> Self {
        Self { millisecond: AtomicI64::new(timestamp.as_millisecond()) }
    }

    pub fn set(&self, timestamp: Timestamp) {
        self.millisecond.store(timestamp.as_millisecond(), Ordering::SeqCst);
    }

    /// Moves the clock by some seconds, possibly backwards.
    pub fn advance_seconds(&self, seconds: i64) {
        self.advance(SignedDuration::from_secs(seconds));
    }

    pub fn advance(&self, by: SignedDuration) {
        let milliseconds = i64::try_from(by.as_millis()).expect("duration within range");
        self.millisecond.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let millisecond = self.millisecond.load(Ordering::SeqCst);
        Timestamp::from_millisecond(millisecond).expect("timestamp within range")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_advances_only_on_request() {
        let clock = ManualClock::at(crate::build::at(100));
        assert_eq!(clock.now(), clock.now());
        clock.advance_seconds(5);
        assert_eq!(clock.now(), crate::build::at(105));
        clock.set(crate::build::at(7));
        assert_eq!(clock.now(), crate::build::at(7));
    }
}
