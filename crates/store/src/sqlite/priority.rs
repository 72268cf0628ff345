//! Priorities: requests first, background work after them.
//!
//! Ingest and the followers of the log read through [`Priority::Background`]. Its readers have connections of their own, so that a
//! request that needs one document never waits for the hundreds that a follower reads, and their threads run at a lower priority:
//! where both want a core, the request gets it.

/// Which readers serve a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    /// For requests that a client waits for.
    Foreground,
    /// For ingest, the indexer, the matcher and the dispatcher.
    Background,
}

/// On the scale of the operating system: about a tenth of the CPU share of other threads while both want the same core, all of it
/// while no other thread wants it.
const NICENESS: i32 = 10;

/// Lowers the priority of the calling thread, for good. Does nothing except on Linux: elsewhere the call would affect the whole
/// process.
#[cfg(target_os = "linux")]
pub fn lower_thread_priority() {
    // If it fails, everything works, only less evenly.
    let _ = rustix::process::nice(NICENESS);
}

#[cfg(not(target_os = "linux"))]
pub fn lower_thread_priority() {
    let _ = NICENESS;
}
