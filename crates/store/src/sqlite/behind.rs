//! What may wait: the threads of those who take adverts in and follow the log, and of those who read and write for them.
//!
//! They stand behind the threads that answer requests: where both want a core, the answer gets it. And they have readers of their
//! own, so that an answer that needs a document never waits for the hundreds that a follower reads.

use std::cell::Cell;

/// How far they stand behind, on the scale of the operating system: about a tenth of the share of others while both want the same
/// core, all of it when nobody else does.
const NICENESS: i32 = 10;

thread_local! {
    static BEHIND: Cell<bool> = const { Cell::new(false) };
}

/// Makes the calling thread one of them, for good.
pub fn become_background() {
    BEHIND.set(true);
    lower_priority();
}

/// Whether the calling thread is one of them.
pub fn is_behind() -> bool {
    BEHIND.get()
}

/// On Linux this is said of the calling thread alone; elsewhere it would be said of the whole process.
#[cfg(target_os = "linux")]
fn lower_priority() {
    // Without it everything works, only less evenly.
    let _ = rustix::process::nice(NICENESS);
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}
