//! How much of what has no end is read.

use testkit::receiver::{Authority, InjectedFault, Receiver};

use crate::sender::{LATE, attempt, sender};

/// What may have been written when a sender has had enough: what it reads of an answer, which is 128 KiB at most, and what
/// the system holds on both sides, which is the greater part of this.
const WRITTEN_MAX: u64 = 1_024 * 1_024;

#[tokio::test]
async fn of_what_has_no_end_only_the_beginning_is_read() {
    let authority = Authority::new();
    let sender = sender(&authority, LATE);
    for fault in [
        InjectedFault::EndlessBody,
        InjectedFault::EndlessErrorBody,
        InjectedFault::EndlessChunks,
        InjectedFault::EndlessChunkLine,
        InjectedFault::EndlessTrailers,
        InjectedFault::EndlessStatusLine,
        InjectedFault::GzipBomb,
        InjectedFault::GzipBombTransfer,
        InjectedFault::InterimForever,
        InjectedFault::LargeHeader,
        InjectedFault::EndlessBody2,
        InjectedFault::EndlessHead2,
        InjectedFault::EndlessPings2,
        InjectedFault::EndlessSettings2,
    ] {
        let receiver = Receiver::always(&authority, fault).await;
        let result = attempt(&sender, &receiver.url("/hook")).await;
        assert!(fault.allows(result.outcome), "{fault:?}: {result:?}");
        // When the sender has gone, nothing more can be written.
        receiver.wait_until_closed().await;
        let written = receiver.bytes_written();
        assert!(written <= WRITTEN_MAX, "{fault:?}: {written} bytes");
    }
}

#[tokio::test]
async fn what_is_packed_is_not_asked_for() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::GzipBombIfAsked).await;
    attempt(&sender(&authority, LATE), &receiver.url("/hook")).await;
    assert_eq!(receiver.received()[0].header("accept-encoding"), Some("identity"));
    assert!(receiver.bytes_written() < 100);
}
