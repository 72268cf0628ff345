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
const BACKGROUND: i32 = 10;

/// The lowest on that scale: about a tenth of the share of background threads.
const LOWEST: i32 = 19;

/// Lowers the priority of the calling thread, for good, to that of background work.
pub fn lower_thread_priority() {
    renice(BACKGROUND);
}

/// Lowers the priority of the calling thread, for good, to below that of background work: for what may take hours, such as a backup.
pub fn lower_thread_priority_most() {
    renice(LOWEST);
}

/// Lets the calling thread, for good, run only while no other thread wants the core. It must not hold a lock that others wait for. The
/// lowest priority would still be a tenth of the share of background threads, which a busy server does not have.
pub fn run_thread_when_idle() {
    #[cfg(target_os = "linux")]
    {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadPriority, ThreadSchedulePolicy};
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        let thread = thread_priority::thread_native_id();
        let _ = thread_priority::set_thread_priority_and_policy(thread, ThreadPriority::Min, idle);
    }
}

/// Sets and does not add, because a thread begins with the priority of the one that started it. Does nothing except on Linux: elsewhere the
/// call would affect the whole process.
fn renice(niceness: i32) {
    #[cfg(target_os = "linux")]
    if rustix::process::getpriority_process(None).is_ok_and(|current| current < niceness) {
        // If it fails, everything works, only less evenly.
        let _ = rustix::process::setpriority_process(None, niceness);
    }
    #[cfg(not(target_os = "linux"))]
    let _ = niceness;
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn threads_of_background_threads_are_not_lowered_twice() {
        let niceness = || rustix::process::getpriority_process(None).unwrap();
        let (before, started, nested, lowest) = std::thread::spawn(move || {
            let before = niceness();
            lower_thread_priority();
            let started = niceness();
            let nested = std::thread::spawn(move || {
                lower_thread_priority();
                let nested = niceness();
                lower_thread_priority_most();
                (nested, niceness())
            });
            let (nested, lowest) = nested.join().unwrap();
            (before, started, nested, lowest)
        })
        .join()
        .unwrap();
        let lowered = before.max(BACKGROUND);
        assert_eq!((started, nested, lowest), (lowered, lowered, LOWEST));
        assert_eq!(niceness(), before, "only the thread itself is lowered");
    }

    #[test]
    fn a_thread_can_wait_for_idle_cores() {
        use thread_priority::{NormalThreadSchedulePolicy, ThreadSchedulePolicy, thread_schedule_policy};
        let policy = std::thread::spawn(|| {
            run_thread_when_idle();
            thread_schedule_policy()
        });
        let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
        assert_eq!(policy.join().unwrap(), Ok(idle));
        assert_ne!(thread_schedule_policy(), Ok(idle), "only the thread itself waits");
    }
}
