//! Upkeep of the database, and small values that belong to no other table.

use std::time::Duration;

use async_trait::async_trait;
use domain::Timestamp;
use tokio::sync::watch;

use super::damage::{Finding, RecordKind, Repair, VerifyCursor, VerifyPage};
use crate::error::Error;

/// The name of the metadata that holds all deliveries: since when, as a date; absent if they are sent.
pub const DELIVERIES_HELD: &str = "deliveries_held";

/// Why the store accepts no more writes until the process is restarted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreFailure {
    /// A sync to disk failed: what is on disk is unknown until it is read again.
    SyncFailed,
    /// The writer ended, because it panicked outside any call.
    WriterEnded,
    /// The database has lost writes that this process has seen, after a failover to a server that had not received them. What the process
    /// has in memory is of another history.
    WritesLost,
}

impl StoreFailure {
    /// Says what happened, for a log line or an answer.
    pub const fn description(self) -> &'static str {
        match self {
            Self::SyncFailed => "a sync to disk failed, so that the state on disk is unknown",
            Self::WriterEnded => "the writer of the database ended unexpectedly",
            Self::WritesLost => {
                "the database has lost changes that it had acknowledged, so that what this server knows is of another history"
            }
        }
    }
}

/// Compacts and verifies the database, tells how it fares, and stores metadata.
#[async_trait]
pub trait MaintenanceStore: Send + Sync + 'static {
    /// Rewrites the database, so that no erased byte is left in unused parts of its files, and returns free space to the file system.
    /// Takes a while; writers wait for it.
    async fn compact(&self) -> Result<(), Error>;

    /// Returns the identity of a database that other servers may use at the same time; `None` if it belongs to this process alone.
    fn shared_identity(&self) -> Option<&str>;

    /// Takes or renews a role that one process has at a time, such as that of the matcher, until the lease ends. Returns `false` if
    /// another process has it. `holder` identifies the process. A database of one process gives it every role.
    async fn take_role(&self, role: &'static str, holder: u64, lease: Duration) -> Result<bool, Error>;

    /// Returns the value stored under a name, such as the progress of an import; `None` if there is none.
    async fn metadata(&self, name: String) -> Result<Option<String>, Error>;

    /// Stores a value under a name, or deletes it if `value` is `None`.
    async fn set_metadata(&self, name: String, value: Option<String>) -> Result<(), Error>;

    /// Stores a value under a name that has none. Returns the one that is in force: of several processes that do this at the same time,
    /// all get that of the first.
    async fn ensure_metadata(&self, name: String, value: String) -> Result<String, Error>;

    /// Watches for the failure after which every write is refused. Only a restart ends it.
    fn failure(&self) -> watch::Receiver<Option<StoreFailure>>;

    /// Returns how many different damaged records readers have met since the store was opened, by kind; those without are left out.
    fn damage(&self) -> Vec<(RecordKind, u64)>;

    /// Checks the next records: that each can be read, and that records agree with each other. Each call sees one state of the
    /// database and reads a bounded part of it, so that a whole verification can run beside a server. Call it with the default
    /// cursor first, then with the rest of the page.
    async fn verify(&self, cursor: VerifyCursor) -> Result<VerifyPage, Error>;

    /// Repairs what a finding names, as far as that needs no decision of a person. What cannot be read is removed: a property falls
    /// back to its newest intact version, a search is deleted. Looks at the record again first.
    async fn repair(&self, finding: Finding, at: Timestamp) -> Result<Repair, Error>;
}
