//! Limits over time: attempts per minute to a receiver, e-mails per hour to an address and per day of a user. No store, no clock.
//!
//! What is above a limit waits; nothing is dropped. The counts are in memory, so a restart forgets them: a limit protects receivers
//! from a flood, and a restart is no way for a user to cause one.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use domain::{EmailAddress, Timestamp, UserId};

use super::later;
use crate::dispatch::DispatchLimits;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(86_400);

/// What was sent recently.
pub(super) struct Rates {
    /// Attempts by registered domain.
    attempts: Window<String>,
    /// E-mails by address, in lower case.
    by_address: Window<String>,
    by_user: Window<UserId>,
}

impl Rates {
    pub fn new(limits: DispatchLimits) -> Self {
        Self {
            attempts: Window::new(limits.per_host_minute, MINUTE),
            by_address: Window::new(limits.emails_per_address_hour, HOUR),
            by_user: Window::new(limits.emails_per_user_day, DAY),
        }
    }

    /// Returns when the next attempt to a domain may be made; `None` if at once.
    pub fn webhook_free_at(&mut self, domain: &str, now: Timestamp) -> Option<Timestamp> {
        self.attempts.free_at(domain, now)
    }

    pub fn count_webhook(&mut self, domain: &str, now: Timestamp) {
        self.attempts.count(domain.to_owned(), now);
    }

    /// Returns when the next e-mail of a user to an address may be sent; `None` if at once.
    pub fn email_free_at(&mut self, to: &EmailAddress, user: UserId, now: Timestamp) -> Option<Timestamp> {
        let by_address = self.by_address.free_at(&key_of(to), now);
        by_address.max(self.by_user.free_at(&user, now))
    }

    pub fn count_email(&mut self, to: &EmailAddress, user: UserId, now: Timestamp) {
        self.by_address.count(key_of(to), now);
        self.by_user.count(user, now);
    }

    /// Forgets what no limit counts any more.
    pub fn prune(&mut self, now: Timestamp) {
        self.attempts.prune(now);
        self.by_address.prune(now);
        self.by_user.prune(now);
    }
}

/// Another spelling of an address is no way around its limit.
fn key_of(address: &EmailAddress) -> String {
    address.as_str().to_lowercase()
}

/// At most `limit` events in any period, by key.
struct Window<K> {
    /// Zero means no limit.
    limit: usize,
    period: Duration,
    /// When the counted events happened, the oldest first; at most `limit` of them.
    events: HashMap<K, VecDeque<Timestamp>>,
}

impl<K: Eq + Hash> Window<K> {
    fn new(limit: u32, period: Duration) -> Self {
        Self { limit: usize::try_from(limit).unwrap_or(usize::MAX), period, events: HashMap::new() }
    }

    fn free_at<Q: Eq + Hash + ?Sized>(&mut self, key: &Q, now: Timestamp) -> Option<Timestamp>
    where
        K: std::borrow::Borrow<Q>,
    {
        let events = self.events.get_mut(key)?;
        forget(events, self.period, now);
        (events.len() >= self.limit).then_some(())?;
        events.front().map(|first| later(*first, self.period))
    }

    fn count(&mut self, key: K, now: Timestamp) {
        if self.limit > 0 {
            self.events.entry(key).or_default().push_back(now);
        }
    }

    fn prune(&mut self, now: Timestamp) {
        let period = self.period;
        self.events.retain(|_, events| {
            forget(events, period, now);
            !events.is_empty()
        });
    }
}

/// Drops events that are too old, and those in the future: the clock was set back, and waiting for them would take too long.
fn forget(events: &mut VecDeque<Timestamp>, period: Duration, now: Timestamp) {
    while events.front().is_some_and(|first| *first > now || later(*first, period) <= now) {
        events.pop_front();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_window_is_full_until_its_oldest_event_has_left_it() {
        let mut window: Window<&str> = Window::new(2, Duration::from_secs(60));
        assert_eq!(window.free_at("a", at(0)), None);
        window.count("a", at(0));
        assert_eq!(window.free_at("a", at(10)), None);
        window.count("a", at(10));
        assert_eq!(window.free_at("a", at(20)), Some(at(60)));
        assert_eq!(window.free_at("b", at(20)), None, "other keys have windows of their own");
        assert_eq!(window.free_at("a", at(59)), Some(at(60)));
        assert_eq!(window.free_at("a", at(60)), None);
        window.count("a", at(60));
        assert_eq!(window.free_at("a", at(61)), Some(at(70)));
    }

    #[test]
    fn a_clock_that_is_set_back_does_not_block() {
        let mut window: Window<&str> = Window::new(1, Duration::from_secs(60));
        window.count("a", at(100_000));
        assert_eq!(window.free_at("a", at(0)), None);
    }

    #[test]
    fn nothing_is_remembered_without_a_limit_or_past_the_period() {
        let mut unlimited: Window<u32> = Window::new(0, Duration::from_secs(60));
        let mut window: Window<u32> = Window::new(5, Duration::from_secs(60));
        for number in 0..100 {
            unlimited.count(number, at(0));
            window.count(number, at(i64::from(number)));
        }
        assert!(unlimited.events.is_empty() && unlimited.free_at(&1, at(0)).is_none());
        window.prune(at(100));
        assert_eq!(window.events.len(), 59, "those after second 40");
    }
}
