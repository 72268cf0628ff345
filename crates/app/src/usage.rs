//! Usage: requests, items and deliveries by key, user and day.
//!
//! Counted in memory and added to the store in batches, so that no request waits for the disk. A crash loses what was counted since
//! the last batch, a few seconds; a shutdown loses nothing.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Date, DeliveryChannel, KeyId, Timestamp, UserId};
use store::{DeliveryUsage, RequestUsage, UsageBatch, UsageList, UsagePage};

use crate::access::Caller;
use crate::{App, Error};

/// Counts that are not in the store yet. Its size is bounded by the keys and operations in use, whatever the number of requests.
#[derive(Default)]
pub(crate) struct PendingUsage(Mutex<Pending>);

#[derive(Default)]
struct Pending {
    requests: HashMap<(KeyId, UserId, Date), HashMap<String, RequestCount>>,
    deliveries: HashMap<(UserId, Date), DeliveryCount>,
    last_uses: HashMap<KeyId, Timestamp>,
}

#[derive(Default, Clone, Copy)]
struct RequestCount {
    requests: u64,
    items: u64,
}

#[derive(Default, Clone, Copy)]
struct DeliveryCount {
    webhooks: u64,
    emails: u64,
}

impl PendingUsage {
    fn lock(&self) -> MutexGuard<'_, Pending> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pending {
    fn add_requests(&mut self, key: KeyId, user: UserId, day: Date, operation: &str, more: RequestCount) {
        let operations = self.requests.entry((key, user, day)).or_default();
        // Looked up first: the name is copied only for the first request of a batch.
        let count = match operations.get_mut(operation) {
            Some(count) => count,
            None => operations.entry(operation.to_owned()).or_default(),
        };
        count.requests += more.requests;
        count.items += more.items;
    }

    fn add_deliveries(&mut self, user: UserId, day: Date, more: DeliveryCount) {
        let count = self.deliveries.entry((user, day)).or_default();
        count.webhooks += more.webhooks;
        count.emails += more.emails;
    }

    fn add_use(&mut self, key: KeyId, at: Timestamp) {
        let last = self.last_uses.entry(key).or_insert(at);
        *last = at.max(*last);
    }

    /// Takes all counts.
    fn take_batch(&mut self) -> UsageBatch {
        let Self { requests, deliveries, last_uses } = std::mem::take(self);
        let requests =
            requests.into_iter().flat_map(|((key, user, day), operations)| {
                operations.into_iter().map(move |(operation, RequestCount { requests, items })| {
                    RequestUsage { key: key.clone(), user, day, operation, requests, items }
                })
            });
        let deliveries = deliveries.into_iter().map(|((user, day), DeliveryCount { webhooks, emails })| {
            DeliveryUsage { user, day, webhooks, emails }
        });
        UsageBatch {
            requests: requests.collect(),
            deliveries: deliveries.collect(),
            last_uses: last_uses.into_iter().collect(),
        }
    }

    /// Adds the counts of a batch that was not written.
    fn put_back(&mut self, batch: UsageBatch) {
        let UsageBatch { requests, deliveries, last_uses } = batch;
        for RequestUsage { key, user, day, operation, requests, items } in requests {
            self.add_requests(key, user, day, &operation, RequestCount { requests, items });
        }
        for DeliveryUsage { user, day, webhooks, emails } in deliveries {
            self.add_deliveries(user, day, DeliveryCount { webhooks, emails });
        }
        for (key, at) in last_uses {
            self.add_use(key, at);
        }
    }
}

impl App {
    /// Notes that a key was used just now.
    pub fn record_key_use(&self, key: &KeyId) {
        self.pending_usage.lock().add_use(key.clone(), self.clock.now());
    }

    /// Counts one request of a caller, and the items it was answered with.
    pub fn count_request(&self, caller: &Caller, operation: &str, items: u64) {
        self.count(caller, operation, RequestCount { requests: 1, items });
    }

    /// Counts more items of a request that was counted already: those of a stream.
    pub fn count_items(&self, caller: &Caller, operation: &str, items: u64) {
        if items > 0 {
            self.count(caller, operation, RequestCount { requests: 0, items });
        }
    }

    fn count(&self, caller: &Caller, operation: &str, more: RequestCount) {
        let day = self.day_of(self.clock.now());
        self.pending_usage.lock().add_requests(caller.key.clone(), caller.user.id, day, operation, more);
    }

    /// Counts a message that was delivered for a search of a user.
    pub(crate) fn count_delivered(&self, user: UserId, channel: DeliveryChannel, at: Timestamp) {
        let more = match channel {
            DeliveryChannel::Match | DeliveryChannel::Event => DeliveryCount { webhooks: 1, emails: 0 },
            DeliveryChannel::Email => DeliveryCount { webhooks: 0, emails: 1 },
        };
        let day = self.day_of(at);
        self.pending_usage.lock().add_deliveries(user, day, more);
    }

    /// Returns the day of a moment, in the time zone of the service.
    pub(crate) fn day_of(&self, at: Timestamp) -> Date {
        at.to_zoned(self.time_zone.clone()).date()
    }

    /// Adds the pending counts to the store. If that fails, they stay pending.
    pub async fn flush_usage(&self) -> Result<(), Error> {
        let batch = self.pending_usage.lock().take_batch();
        if batch == UsageBatch::default() {
            return Ok(());
        }
        if let Err(error) = self.store.add_usage(batch.clone()).await {
            self.pending_usage.lock().put_back(batch);
            return Err(error.into());
        }
        Ok(())
    }

    /// Lists usage. What was counted since the last [`App::flush_usage`] is not in it.
    pub async fn usage(&self, list: UsageList) -> Result<UsagePage, Error> {
        Ok(self.store.list_usage(list).await?)
    }

    /// Deletes usage older than the retention.
    pub async fn prune_usage(&self, retention: Duration) -> Result<(), Error> {
        let oldest = self.clock.now().saturating_sub(retention).unwrap_or(Timestamp::MIN);
        Ok(self.store.prune_usage(self.day_of(oldest)).await?)
    }
}

#[cfg(test)]
mod tests {
    use testkit::build::{at, key_id, user_id};

    use super::*;

    #[test]
    fn batch_that_was_not_written_is_counted_again() {
        let day = Date::new(2026, 3, 2).unwrap();
        let mut pending = Pending::default();
        let one = RequestCount { requests: 1, items: 30 };
        pending.add_requests(key_id(1), user_id(1), day, "GET /sites", one);
        pending.add_deliveries(user_id(1), day, DeliveryCount { webhooks: 1, emails: 0 });
        pending.add_use(key_id(1), at(5));
        let batch = pending.take_batch();
        assert_eq!(pending.take_batch(), UsageBatch::default());

        // Counted while the batch failed to be written.
        pending.add_requests(key_id(1), user_id(1), day, "GET /sites", one);
        pending.add_deliveries(user_id(1), day, DeliveryCount { webhooks: 1, emails: 2 });
        pending.add_use(key_id(1), at(9));
        pending.put_back(batch);
        let expected = UsageBatch {
            requests: vec![RequestUsage {
                key: key_id(1),
                user: user_id(1),
                day,
                operation: "GET /sites".to_owned(),
                requests: 2,
                items: 60,
            }],
            deliveries: vec![DeliveryUsage { user: user_id(1), day, webhooks: 2, emails: 2 }],
            last_uses: vec![(key_id(1), at(9))],
        };
        assert_eq!(pending.take_batch(), expected);
    }
}
