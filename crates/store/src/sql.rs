//! The store on a database that speaks SQL: SQLite in the data folder, or PostgreSQL.
//!
//! One thread writes, and two pools of threads read, one for requests and one for background work ([`Priority`]). Callers are async
//! and talk to the threads through channels. The writer gathers waiting calls into one transaction, so that many small writers share
//! one sync to disk ([`writer`]). Only one transaction writes at a time, also on PostgreSQL and across processes, so that the log is
//! dense and every reader sees its entries in order. Readers never wait for the writer.
//!
//! The statements are the same for both databases ([`connection`]). What is particular to one of them is in [`crate::sqlite`] and
//! [`crate::postgres`].

pub mod access;
pub mod commit;
mod committed;
pub mod connection;
mod contract;
mod damage;
pub mod deliveries;
mod erase;
pub mod error;
pub mod foreign;
pub mod grouping;
mod matches;
pub mod metadata;
mod prepare;
pub mod priority;
pub mod read;
mod readers;
mod recipients;
mod repair;
mod retention;
mod roles;
mod scan;
mod searches;
mod secrets;
mod sites;
mod turn;
mod usage;
pub mod value;
pub mod verify;
pub mod writer;

use std::path::PathBuf;
use std::sync::Arc;

use crate::error::Error;
use committed::CommittedProperties;
pub use connection::{Connection, OptionalExtension, Row, SqlResult};
use damage::DamageLog;
pub use error::SqlError;
use foreign::Invalidation;
use priority::Priority;
use readers::{ReadKind, Readers};
use turn::Turns;
pub use value::Params;
pub(crate) use value::params;
pub use writer::WriteFault;
use writer::{Transaction, Writer};

/// The readers of one pool, without the one that only looks up records. Two lists may be read at the same time, and others should not
/// wait for them; more would only queue inside the database.
const READERS: usize = 3;

/// A handle to a store. All handles share one writer and one set of readers; the store closes when the last handle is
/// dropped. A handle differs from another only in the readers it uses ([`with_priority`](Self::with_priority)).
#[derive(Clone)]
pub struct SqlStore {
    shared: Arc<Shared>,
    priority: Priority,
}

struct Shared {
    place: Place,
    /// On PostgreSQL. Before the writer, which it uses.
    turns: Option<Turns>,
    writer: Writer,
    foreground: Readers,
    background: Readers,
    damage: Arc<DamageLog>,
    committed: Arc<CommittedProperties>,
}

/// Where the database is.
pub(crate) enum Place {
    /// SQLite, in a folder.
    Folder(PathBuf),
    /// PostgreSQL, shared with other servers.
    Shared { identity: String },
}

impl SqlStore {
    /// Starts the threads of a store, with [`Priority::Foreground`].
    pub(crate) fn start(
        place: Place,
        writing: Connection,
        open_reading: impl Fn() -> Result<Connection, Error>,
    ) -> Result<Self, Error> {
        let writer = Writer::start(writing)?;
        let turns = match place {
            Place::Folder(_) => None,
            Place::Shared { .. } => Some(Turns::start(open_reading()?, writer.detect_and_wait())?),
        };
        let shared = Shared {
            place,
            turns,
            foreground: Readers::start("store-read", READERS, Priority::Foreground, &open_reading)?,
            background: Readers::start(
                "store-read-background",
                READERS,
                Priority::Background,
                &open_reading,
            )?,
            writer,
            damage: Arc::default(),
            committed: Arc::default(),
        };
        Ok(Self { shared: Arc::new(shared), priority: Priority::Foreground })
    }

    /// Returns a handle to the same store that reads with this priority. All handles write through the same writer.
    pub fn with_priority(&self, priority: Priority) -> Self {
        Self { shared: Arc::clone(&self.shared), priority }
    }

    /// Lets all writes yield to other threads of the process, for good: a server answers requests first. A command has nothing better
    /// to do than to write.
    pub fn lower_write_priority(&self) {
        self.shared.writer.lower_priority();
    }

    /// Removes erased bytes from the write-ahead log. The erasure is durable before, and must not be reported as failed.
    async fn truncate_wal(&self) {
        // Fails if the writer has ended. The next start checkpoints the log.
        let _ = self.shared.writer.truncate_wal().await;
    }

    /// Reads a record or a few, without waiting behind larger reads.
    async fn look_up<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.readers().run(ReadKind::Lookup, work).await
    }

    async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.readers().run(ReadKind::Bulk, work).await
    }

    fn readers(&self) -> &Readers {
        match self.priority {
            Priority::Foreground => &self.shared.foreground,
            Priority::Background => &self.shared.background,
        }
    }

    /// Reads records, and takes note of those that are damaged.
    async fn read_checked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &DamageLog) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.checked(ReadKind::Bulk, work).await
    }

    /// Reads a record or a few like [`Self::look_up`], and takes note of those that are damaged.
    async fn look_up_checked<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection, &DamageLog) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.checked(ReadKind::Lookup, work).await
    }

    async fn checked<T: Send + 'static>(
        &self,
        kind: ReadKind,
        work: impl FnOnce(&Connection, &DamageLog) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let damage = Arc::clone(&self.shared.damage);
        self.readers().run(kind, move |connection| work(connection, &damage)).await
    }

    /// Lets the next transaction fail, for tests.
    #[doc(hidden)]
    pub fn inject(&self, fault: WriteFault) {
        self.shared.writer.inject(fault);
    }

    /// Writes something other than properties, and commits unless the work fails.
    async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.transact(Invalidation::Copies, move |connection| work(connection).map(Transaction::Commit)).await
    }

    /// Writes what other processes keep no copy of, such as the states of deliveries: they need not notice it.
    async fn write_quietly<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.transact(Invalidation::Nothing, move |connection| work(connection).map(Transaction::Commit))
            .await
    }

    /// Writes, and lets the work choose between commit and rollback.
    async fn transact<T: Send + 'static>(
        &self,
        invalidation: Invalidation,
        work: impl FnOnce(&Connection) -> Result<Transaction<T>, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.shared.writer.run(invalidation, work).await
    }
}

#[cfg(test)]
mod tests;
