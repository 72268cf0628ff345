//! How much of an endless response is read.

use testkit::receiver::{Authority, InjectedFault, Receiver};

use crate::sender::{LATE, attempt, sender};

/// Upper bound of bytes written when the sender gives up: at most 128 KiB that it reads, plus the socket buffers of
/// both sides, which are the larger part.
const WRITTEN_MAX: u64 = 1_024 * 1_024;

#[tokio::test]
async fn endless_responses_are_cut_off() {
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
        // Nothing more can be written after the sender disconnected.
        receiver.wait_until_closed().await;
        let written = receiver.bytes_written();
        assert!(written <= WRITTEN_MAX, "{fault:?}: {written} bytes");
    }
}

#[tokio::test]
async fn compression_is_not_accepted() {
    let authority = Authority::new();
    let receiver = Receiver::always(&authority, InjectedFault::GzipBombIfAsked).await;
    attempt(&sender(&authority, LATE), &receiver.url("/hook")).await;
    assert_eq!(receiver.received()[0].header("accept-encoding"), Some("identity"));
    assert!(receiver.bytes_written() < 100);
}
