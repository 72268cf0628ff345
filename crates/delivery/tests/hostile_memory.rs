//! Memory stays flat, whatever a receiver sends. In a process of its own, because nothing else may allocate
//! meanwhile.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "tests may panic")]

#[path = "hostile/sender.rs"]
mod sender;

use sender::{LATE, attempt, sender};
use testkit::receiver::{Authority, InjectedFault, Receiver, ReceiverConfig, Retention, Script};

/// Rounds per fault; 100 KB retained each time would be 20 MB.
const ROUNDS: usize = 200;
/// Warm-up rounds, so that buffers and tables have their size.
const WARM_UP_ROUNDS: usize = 50;
/// Maximum growth for all faults together: less than a kilobyte per attempt.
const GROWTH_BYTES_MAX: u64 = 1_024 * 1_024;

/// Returns the resident memory of the process.
fn resident_bytes() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = pages.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4_096
}

#[tokio::test]
async fn memory_stays_flat() {
    let faults = [
        InjectedFault::EndlessBody,
        InjectedFault::EndlessChunks,
        InjectedFault::GzipBomb,
        InjectedFault::LargeHeader,
        InjectedFault::EndlessHead2,
        InjectedFault::EndlessBody2,
        InjectedFault::ResetWithinBody,
    ];
    let authority = Authority::new();
    let sender = sender(&authority, LATE);
    for rounds in [WARM_UP_ROUNDS, ROUNDS] {
        let before = resident_bytes();
        for fault in faults {
            let config = ReceiverConfig {
                retention: Retention::CountOnly,
                ..ReceiverConfig::new(Script::always(fault))
            };
            let receiver = Receiver::start(&authority, config).await.unwrap();
            for _ in 0..rounds {
                attempt(&sender, &receiver.url("/hook")).await;
            }
        }
        let growth = resident_bytes().saturating_sub(before);
        if rounds == ROUNDS {
            assert!(growth <= GROWTH_BYTES_MAX, "{growth} bytes more than before");
        }
    }
}
