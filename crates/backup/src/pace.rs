//! A limit on the rate of a copy and on the processor time of its verification, and their cancellation.

use std::cell::Cell;
use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;

/// How much of the time that a slow disk took may be caught up at full speed.
const BURST: Duration = Duration::from_secs(1);

/// Lets a thread wait for its turn, or for the end.
pub(crate) struct Pace {
    bytes_per_second: u64,
    started_at: Instant,
    /// Time that is not caught up.
    lost: Cell<Duration>,
    /// The processor time of the thread when it last rested.
    rested_at: Cell<Option<Duration>>,
    stop: CancellationToken,
    runtime: Handle,
}

impl Pace {
    /// Must be called within a runtime.
    pub fn new(bytes_per_second: u64, stop: CancellationToken) -> Self {
        let (started_at, runtime) = (Instant::now(), Handle::current());
        let (lost, rested_at) = (Cell::new(Duration::ZERO), Cell::new(None));
        Self { bytes_per_second: bytes_per_second.max(1), started_at, lost, rested_at, stop, runtime }
    }

    pub fn is_cancelled(&self) -> ControlFlow<()> {
        if self.stop.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// Waits until this many bytes may have been copied since the start. Not on a thread of the runtime.
    pub fn wait_for(&self, bytes: u64) -> ControlFlow<()> {
        let due = due_after(bytes, self.bytes_per_second);
        let (ahead, lost) = ahead(due, self.started_at.elapsed(), self.lost.get());
        self.lost.set(lost);
        self.wait(ahead)
    }

    /// Waits for as long as the thread has worked since the last call, so that it takes half of a core at most. Always on the same thread,
    /// which is none of the runtime.
    pub fn rest(&self) -> ControlFlow<()> {
        let now = thread_time();
        let rested_at = self.rested_at.replace(Some(now)).unwrap_or(now);
        self.wait(now.saturating_sub(rested_at))
    }

    fn wait(&self, duration: Duration) -> ControlFlow<()> {
        if !duration.is_zero() {
            let wait = async { tokio::time::timeout(duration, self.stop.cancelled()).await };
            let _ = self.runtime.block_on(wait);
        }
        self.is_cancelled()
    }
}

/// Returns the processor time that this thread has taken.
fn thread_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

/// Returns how far a copy is ahead of its time, and how much time is lost by now: what it is behind by more than [`BURST`].
fn ahead(due: Duration, elapsed: Duration, lost: Duration) -> (Duration, Duration) {
    let elapsed = elapsed.saturating_sub(lost);
    let behind = elapsed.saturating_sub(due);
    (due.saturating_sub(elapsed), lost + behind.saturating_sub(BURST))
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

    #[test]
    fn a_thread_rests_as_long_as_it_has_worked() {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        let _entered = runtime.enter();
        let stop = CancellationToken::new();
        let pace = Pace::new(1, stop.clone());
        assert!(pace.rest().is_continue());
        let begun = thread_time();
        while thread_time() - begun < Duration::from_millis(20) {}
        let resting = Instant::now();
        assert!(pace.rest().is_continue());
        assert!(resting.elapsed() >= Duration::from_millis(20));
        stop.cancel();
        assert!(pace.rest().is_break());
    }

    #[test]
    fn stalled_copy_catches_up_for_a_second_only() {
        let second = Duration::from_secs;
        assert_eq!(ahead(second(5), second(3), second(0)), (second(2), second(0)));
        assert_eq!(ahead(second(3), second(4), second(0)), (second(0), second(0)));
        // A minute without a byte: from then on a second is caught up, and the next bytes wait.
        let (_, lost) = ahead(second(3), second(63), second(0));
        assert_eq!(lost, second(59));
        assert_eq!(ahead(second(4), second(63), lost), (second(0), lost));
        assert_eq!(ahead(second(6), second(63), lost), (second(2), lost));
    }
}
