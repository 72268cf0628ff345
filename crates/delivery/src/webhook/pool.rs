//! Pool of idle connections.
//!
//! Opening a connection costs a DNS lookup, three round trips and a signature by the server, and most receivers get
//! more than one message a minute. The most recently used connection is taken first, so that surplus connections
//! expire.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::Instant;

use super::connection::Connection;
use super::target::Host;

/// Safety margin before the receiver's idle timeout: a request must not cross the receiver's close.
const IDLE_MARGIN: Duration = Duration::from_secs(1);

/// Maximum number of idle connections per host: as many as are in use at once with a large backlog.
const PER_HOST_MAX: usize = 64;

/// Maximum number of idle connections. Each one has a file descriptor and about ten kilobytes.
const TOTAL_MAX: usize = 1_024;

/// Interval of closing expired connections.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);

/// How long idle connections are reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeepAlive {
    /// Idle time if the receiver announces none.
    pub default_idle: Duration,
    /// Maximum idle time, whatever the receiver announces.
    pub idle_max: Duration,
    /// Maximum age of a connection.
    pub age_max: Duration,
}

impl Default for KeepAlive {
    /// Common servers close after five idle seconds without announcing it, and a request that meets a closed
    /// connection is a failed attempt, with the next one an hour later. Servers that announce a timeout usually
    /// wait 60 to 75 seconds.
    ///
    /// A connection stays with one machine even if the name resolves elsewhere by now. The age limit lets traffic
    /// follow a receiver that moved.
    fn default() -> Self {
        Self {
            default_idle: Duration::from_secs(4),
            idle_max: Duration::from_secs(60),
            age_max: Duration::from_secs(300),
        }
    }
}

impl KeepAlive {
    /// Returns until when a connection may stay idle, or `None` if it must be closed. `announced_idle` is the
    /// timeout announced by the receiver.
    pub(super) fn until(
        self,
        opened_at: Instant,
        now: Instant,
        announced_idle: Option<Duration>,
    ) -> Option<Instant> {
        let wait = match announced_idle {
            None => self.default_idle,
            Some(announced_idle) => announced_idle.saturating_sub(IDLE_MARGIN),
        };
        let until = (now + wait.min(self.idle_max)).min(opened_at + self.age_max);
        (until > now).then_some(until)
    }
}

#[derive(Default)]
pub(super) struct Pool {
    idle: Mutex<IdleConnections>,
    /// Closes expired connections. Runs while there are idle connections and ends with the pool.
    sweeper: Mutex<JoinSet<()>>,
}

#[derive(Default)]
struct IdleConnections {
    by_host: HashMap<Host, Vec<IdleConnection>>,
    total: usize,
}

struct IdleConnection {
    connection: Connection,
    until: Instant,
}

impl Pool {
    /// Takes the most recently used connection to a host.
    pub fn take(&self, host: &Host) -> Option<Connection> {
        let now = Instant::now();
        let mut idle = self.idle();
        let waiting = idle.by_host.get_mut(host)?;
        let mut expired = Vec::new();
        let found = loop {
            match waiting.pop() {
                Some(one) if one.until > now => break Some(one.connection),
                Some(old) => expired.push(old),
                None => break None,
            }
        };
        if waiting.is_empty() {
            idle.by_host.remove(host);
        }
        idle.total -= expired.len() + usize::from(found.is_some());
        // Closing takes time: do it outside the lock.
        drop(idle);
        drop(expired);
        found
    }

    /// Returns a connection to the pool. It is closed if the pool is full.
    pub fn put(self: &Arc<Self>, host: &Host, connection: Connection, until: Instant) {
        let one = IdleConnection { connection, until };
        let mut idle = self.idle();
        if idle.total >= TOTAL_MAX {
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
        idle.total += 1;
        drop(idle);
        self.ensure_sweeper();
    }

    fn ensure_sweeper(self: &Arc<Self>) {
        let mut sweeper = self.sweeper.lock().unwrap_or_else(PoisonError::into_inner);
        while sweeper.try_join_next().is_some() {}
        if sweeper.is_empty() {
            sweeper.spawn(sweep(Arc::downgrade(self)));
        }
    }

    /// Closes expired connections and returns whether any are left.
    fn close_expired(&self) -> bool {
        let now = Instant::now();
        let mut idle = self.idle();
        let mut closed = Vec::new();
        idle.by_host.retain(|_, waiting| {
            closed.extend(waiting.extract_if(.., |one| one.until <= now));
            !waiting.is_empty()
        });
        idle.total -= closed.len();
        let any_left = idle.total > 0;
        drop(idle);
        any_left
    }

    fn idle(&self) -> MutexGuard<'_, IdleConnections> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn sweep(pool: Weak<Pool>) {
    let mut interval = tokio::time::interval(SWEEP_INTERVAL);
    loop {
        interval.tick().await;
        let Some(pool) = pool.upgrade() else { return };
        if !pool.close_expired() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_follows_announcement_and_limits() {
        let opened_at = Instant::now();
        let check = |now: u64, announced_idle: Option<u64>, until: Option<u64>| {
            let second = |second| opened_at + Duration::from_secs(second);
            let found =
                KeepAlive::default().until(opened_at, second(now), announced_idle.map(Duration::from_secs));
            assert_eq!(found, until.map(second), "at {now}, announced {announced_idle:?}");
        };
        // Not announced: less than the five seconds after which some servers close.
        check(0, None, Some(4));
        check(100, None, Some(104));
        check(0, Some(5), Some(4));
        check(0, Some(30), Some(29));
        check(10, Some(61), Some(70));
        check(10, Some(u64::MAX), Some(70));
        check(0, Some(1), None);
        check(0, Some(0), None);
        // Connections older than five minutes are not reused.
        check(298, None, Some(300));
        check(250, Some(75), Some(300));
        check(300, Some(75), None);
        check(1_000, None, None);
    }
}
