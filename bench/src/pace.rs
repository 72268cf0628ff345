//! Keeps a pace: whoever sends so many a second sends each at its moment, and not as soon as the one before is answered.

use std::time::{Duration, Instant};

/// When one of so many a second is due, counted from the beginning.
pub fn due(number: u64, per_second: u64) -> Duration {
    Duration::from_secs_f64(number as f64 / per_second as f64)
}

/// Waits for a moment after the beginning; not at all when it has passed.
#[expect(clippy::disallowed_methods, reason = "a pace is kept by waiting")]
pub fn wait_for(due: Duration, begun: Instant) {
    std::thread::sleep(due.saturating_sub(begun.elapsed()));
}
