//! Connections that wait for their next request.
//!
//! Opening a connection costs a look-up, three round trips and a signature on the other side; most receivers get more than one
//! message in a minute. What waits here is used from the newest on, so that what is not needed grows old and is closed.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::connection::Connection;
use super::target::Host;

/// How much earlier than the receiver we give up an idle connection: our request must not cross its farewell.
const KEPT_MARGIN: Duration = Duration::from_secs(1);

/// Connections that wait for one host: as many as are in use at once when much is owed to it.
const PER_HOST_MAX: usize = 64;

/// Connections that wait in all. Each has a file descriptor and some ten kilobytes.
const IN_ALL_MAX: usize = 1_024;

/// How often what has grown old is closed, as long as anything waits.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// For how long a connection is used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reuse {
    /// How long one waits whose receiver does not say how long it keeps it.
    pub unsaid_max: Duration,
    /// How long one waits at most, whatever its receiver says.
    pub idle_max: Duration,
    /// From when it was made to its last use.
    pub age_max: Duration,
}

impl Default for Reuse {
    /// Widespread servers close after five idle seconds without having said so, and a request that meets the end of its connection
    /// is an attempt that failed: the next one is an hour later. Those that speak of it usually wait 60 to 75 seconds.
    ///
    /// A connection stays with the machine it was made to, wherever the name leads by now; so that a receiver that moved is followed,
    /// it does not stay for ever.
    fn default() -> Self {
        Self {
            unsaid_max: Duration::from_secs(4),
            idle_max: Duration::from_secs(60),
            age_max: Duration::from_secs(300),
        }
    }
}

impl Reuse {
    /// Until when a connection may wait for its next request; nothing if it may not. `kept_for` is what its receiver says.
    pub(super) fn until(self, made_at: Instant, now: Instant, kept_for: Option<Duration>) -> Option<Instant> {
        let wait = match kept_for {
            None => self.unsaid_max,
            Some(kept_for) => kept_for.saturating_sub(KEPT_MARGIN),
        };
        let until = (now + wait.min(self.idle_max)).min(made_at + self.age_max);
        (until > now).then_some(until)
    }
}

#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<Idle>,
    /// The task that closes what has grown old; it is there while anything waits, and ends with the pool.
    sweeper: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct Idle {
    by_host: HashMap<Host, Vec<Waiting>>,
    in_all: usize,
}

struct Waiting {
    connection: Connection,
    until: Instant,
}

impl Pool {
    /// The connection to a host that was used last.
    pub fn take(&self, host: &Host) -> Option<Connection> {
        let now = Instant::now();
        let mut idle = self.idle();
        let waiting = idle.by_host.get_mut(host)?;
        let mut taken = Vec::new();
        let found = loop {
            match waiting.pop() {
                Some(one) if one.until > now => break Some(one.connection),
                Some(old) => taken.push(old),
                None => break None,
            }
        };
        if waiting.is_empty() {
            idle.by_host.remove(host);
        }
        idle.in_all -= taken.len() + usize::from(found.is_some());
        // Closing them takes a while; nobody is to wait for it.
        drop(idle);
        drop(taken);
        found
    }

    /// Keeps a connection for the next one who asks. Where there are enough already, it is closed.
    pub fn put(self: &Arc<Self>, host: &Host, connection: Connection, until: Instant) {
        let one = Waiting { connection, until };
        let mut idle = self.idle();
        if idle.in_all >= IN_ALL_MAX {
            return;
        }
        if let Some(waiting) = idle.by_host.get_mut(host) {
            if waiting.len() >= PER_HOST_MAX {
                return;
            }
            waiting.push(one);
        } else {
            idle.by_host.insert(host.clone(), vec![one]);
        }
        idle.in_all += 1;
        drop(idle);
        self.have_swept();
    }

    fn have_swept(self: &Arc<Self>) {
        let mut sweeper = self.sweeper.lock().unwrap_or_else(PoisonError::into_inner);
        while sweeper.try_join_next().is_some() {}
        if sweeper.is_empty() {
            sweeper.spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes what has grown old, and says whether anything is left.
    fn close_old(&self) -> AnyLeft {
        let now = Instant::now();
        let mut idle = self.idle();
        let mut closed = Vec::new();
        idle.by_host.retain(|_, waiting| {
            closed.extend(waiting.extract_if(.., |one| one.until <= now));
            !waiting.is_empty()
        });
        idle.in_all -= closed.len();
        let left = if idle.in_all == 0 { AnyLeft::No } else { AnyLeft::Yes };
        drop(idle);
        left
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AnyLeft {
    Yes,
    No,
}

async fn sweep(pool: Weak<Pool>) {
    let mut interval = tokio::time::interval(SWEEP_INTERVAL);
    loop {
        interval.tick().await;
        let Some(pool) = pool.upgrade() else { return };
        if pool.close_old() == AnyLeft::No {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_waits_as_long_as_its_receiver_says_and_never_too_long() {
        let made_at = Instant::now();
        let check = |now: u64, kept_for: Option<u64>, until: Option<u64>| {
            let second = |second| made_at + Duration::from_secs(second);
            let found = Reuse::default().until(made_at, second(now), kept_for.map(Duration::from_secs));
            assert_eq!(found, until.map(second), "at {now}, kept for {kept_for:?}");
        };
        // Nobody has said: less than the five seconds after which some close.
        check(0, None, Some(4));
        check(100, None, Some(104));
        check(0, Some(5), Some(4));
        check(0, Some(30), Some(29));
        check(10, Some(61), Some(70));
        check(10, Some(u64::MAX), Some(70));
        check(0, Some(1), None);
        check(0, Some(0), None);
        // Five minutes after it was made it has been used for the last time.
        check(298, None, Some(300));
        check(250, Some(75), Some(300));
        check(300, Some(75), None);
        check(1_000, None, None);
    }
}
