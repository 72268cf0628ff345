//! Open-loop pacing: each request is sent at its scheduled time, not when the previous one is answered.

use std::time::{Duration, Instant};

/// Returns when the request with this number is due, relative to the beginning.
pub fn due(number: u64, per_second: u64) -> Duration {
    Duration::from_secs_f64(number as f64 / per_second as f64)
}

/// Waits until `due` after the beginning. Returns at once if that has passed.
#[expect(clippy::disallowed_methods, reason = "pacing is waiting")]
pub fn wait_for(due: Duration, begun: Instant) {
    std::thread::sleep(due.saturating_sub(begun.elapsed()));
}
