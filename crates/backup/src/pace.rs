//! A limit on the rate of a copy, and its cancellation.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// Lets a thread wait for its turn, or for the end.
pub(crate) struct Pace {
    bytes_per_second: u64,
    started_at: Instant,
    stop: CancellationToken,
    runtime: Handle,
}

impl Pace {
    /// Must be called within a runtime.
    pub fn new(bytes_per_second: u64, stop: CancellationToken) -> Self {
        let (started_at, runtime) = (Instant::now(), Handle::current());
        Self { bytes_per_second: bytes_per_second.max(1), started_at, stop, runtime }
    }

    pub fn is_cancelled(&self) -> ControlFlow<()> {
        if self.stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Waits until this many bytes may have been copied since the start. Not on a thread of the runtime.
    pub fn wait_for(&self, bytes: u64) -> ControlFlow<()> {
        let ahead = due_after(bytes, self.bytes_per_second).saturating_sub(self.started_at.elapsed());
        if !ahead.is_zero() {
            let _ = self.runtime.block_on(async { tokio::time::timeout(ahead, self.stop.cancelled()).await });
        }
        self.is_cancelled()
    }
}

fn due_after(bytes: u64, bytes_per_second: u64) -> Duration {
    let microseconds = u128::from(bytes) * 1_000_000 / u128::from(bytes_per_second);
    Duration::from_micros(u64::try_from(microseconds).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_take_their_time() {
        assert_eq!(due_after(50 << 20, 100 << 20), Duration::from_millis(500));
        assert_eq!(due_after(0, 1), Duration::ZERO);
        assert_eq!(due_after(u64::MAX, 1).as_secs(), u64::MAX / 1_000_000);
    }
}
