//! How much each key and each user used, by day.

use async_trait::async_trait;
use domain::{Date, KeyId, KeyLabel, Timestamp, UserId};

use super::access::User;
use crate::error::Error;

/// Counts requests, items and deliveries. Days are those of the service's time zone; the caller knows it.
#[async_trait]
pub trait UsageStore: Send + Sync + 'static {
    /// Adds counts to those stored, and advances the last use of keys.
    async fn add_usage(&self, batch: UsageBatch) -> Result<(), Error>;

    /// Lists usage, one element per day and key, the newest day first.
    async fn list_usage(&self, list: UsageList) -> Result<UsagePage, Error>;

    /// Deletes the usage of the days before one.
    async fn prune_usage(&self, before: Date) -> Result<(), Error>;
}

/// Counts to add. Each element stands for itself; the same key and day may occur several times.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageBatch {
    pub requests: Vec<RequestUsage>,
    pub deliveries: Vec<DeliveryUsage>,
    /// An earlier date than the stored one changes nothing. Unknown keys are ignored.
    pub last_uses: Vec<(KeyId, Timestamp)>,
}

/// Requests of a key for one operation on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestUsage {
    pub key: KeyId,
    pub user: UserId,
    pub day: Date,
    pub operation: String,
    pub requests: u64,
    pub items: u64,
}

/// Messages sent for the searches of a user on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryUsage {
    pub user: UserId,
    pub day: Date,
    pub webhooks: u64,
    pub emails: u64,
}

/// Selects usage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsageList {
    /// `None` selects all users.
    pub user: Option<UserId>,
    pub key: Option<KeyId>,
    /// Both inclusive.
    pub from: Option<Date>,
    pub to: Option<Date>,
    pub skip: u64,
    pub take: u64,
}

/// A page of usage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UsagePage {
    /// The number of elements on all pages.
    pub total: u64,
    pub days: Vec<DailyUsage>,
}

/// What one key used on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DailyUsage {
    pub day: Date,
    pub user: User,
    /// `None` for deliveries, which belong to a user and to none of the user's keys.
    pub key: Option<(KeyId, Option<KeyLabel>)>,
    pub requests: u64,
    pub items: u64,
    pub webhooks: u64,
    pub emails: u64,
    /// The requests by operation, in alphabetical order.
    pub operations: Vec<OperationUsage>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationUsage {
    pub operation: String,
    pub requests: u64,
    pub items: u64,
}
