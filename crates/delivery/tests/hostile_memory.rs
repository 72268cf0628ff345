//! That memory stays flat, whatever is sent back. A program of its own: nothing else may use memory meanwhile.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed, and says where")]

#[path = "hostile/sender.rs"]
mod sender;

use sender::{LATE, attempt, sender};
use testkit::receiver::{Authority, InjectedFault, Receiver, ReceiverConfig, Retention, Script};

/// So often each trick is played; a hundred kilobytes kept each time would be twenty megabytes.
const ROUNDS: usize = 200;
/// Before it is looked at for the first time, so that buffers and tables have their size.
const ROUNDS_BEFORE: usize = 50;
/// What may have been added in the end, for all tricks together: less than a kilobyte for each attempt.
const GROWTH_BYTES_MAX: u64 = 1_024 * 1_024;

/// What the process has in memory.
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
    for rounds in [ROUNDS_BEFORE, ROUNDS] {
        let before = resident_bytes();
        for fault in faults {
            let plan = ReceiverConfig {
                retention: Retention::CountOnly,
                ..ReceiverConfig::new(Script::always(fault))
            };
            let receiver = Receiver::start(&authority, plan).await.unwrap();
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
