//! A clock that stands still until a test moves it.

use std::sync::atomic::{AtomicI64, Ordering};

use domain::{Clock, Timestamp};
use jiff::SignedDuration;

/// Tells the time a test has set, to the millisecond.
#[derive(Debug)]
pub struct ManualClock {
    millisecond: AtomicI64,
}

impl ManualClock {
    pub fn at(moment: Timestamp) -> Self {
        Self { millisecond: AtomicI64::new(moment.as_millisecond()) }
    }

    pub fn set(&self, moment: Timestamp) {
        self.millisecond.store(moment.as_millisecond(), Ordering::SeqCst);
    }

    /// Moves the clock; backwards too, as clocks do.
    pub fn advance_seconds(&self, seconds: i64) {
        self.advance(SignedDuration::from_secs(seconds));
    }

    pub fn advance(&self, by: SignedDuration) {
        let milliseconds = i64::try_from(by.as_millis()).expect("a test moves the clock by less than an age");
        self.millisecond.fetch_add(milliseconds, Ordering::SeqCst);
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        let millisecond = self.millisecond.load(Ordering::SeqCst);
        Timestamp::from_millisecond(millisecond).expect("a test sets dates that exist")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_passes_only_when_it_is_told_to() {
        let clock = ManualClock::at(crate::build::at(100));
        assert_eq!(clock.now(), clock.now());
        clock.advance_seconds(5);
        assert_eq!(clock.now(), crate::build::at(105));
        clock.set(crate::build::at(7));
        assert_eq!(clock.now(), crate::build::at(7));
    }
}
