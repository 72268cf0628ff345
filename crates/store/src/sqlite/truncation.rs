//! Truncation of the write-ahead log, so that erased bytes are gone from it too.
//!
//! A long reader such as a backup prevents it. Then it is tried again, without keeping writers waiting, until it is done.

use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};
use tokio::sync::oneshot;

use crate::error::Error;
use crate::sql::SqlError;

/// How long truncating the write-ahead log may keep writers waiting. Queries are shorter; a backup reads for minutes.
pub const WRITERS_WAIT_MAX: Duration = Duration::from_millis(100);

/// How long to wait before a prevented truncation is tried again, which keeps no writer waiting.
const AGAIN_AFTER: Duration = Duration::from_millis(500);

/// When a caller hears of a truncation that readers prevent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// After the first try. The writer tries again until it is done.
    FirstTry,
    UntilDone,
}

type Reply = oneshot::Sender<Result<(), Error>>;

/// A truncation that was asked for, and who waits for it.
#[derive(Default)]
pub struct Truncation {
    /// When to try again what a reader prevented.
    again_at: Option<Instant>,
    waiting: Vec<(Patience, Reply)>,
}

impl Truncation {
    pub fn ask(&mut self, callers: Vec<(Patience, Reply)>) {
        self.waiting.extend(callers);
    }

    /// Returns when to try again; `None` if nothing is left to do.
    pub fn due(&self) -> Option<Instant> {
        self.again_at
    }

    /// Truncates the write-ahead log if readers leave within `wait`, else later, and tells the callers.
    pub fn run(&mut self, connection: &Connection, wait: Duration) -> Result<(), SqlError> {
        let done = match truncate(connection, wait) {
            Ok(false) => {
                self.again_at = Some(Instant::now() + AGAIN_AFTER);
                for (_, reply) in self.waiting.extract_if(.., |(patience, _)| *patience == Patience::FirstTry)
                {
                    let _ = reply.send(Ok(()));
                }
                return Ok(());
            }
            Ok(true) => Ok(()),
            Err(error) => Err(SqlError::from(error)),
        };
        self.again_at = None;
        if let Err(error) = &done {
            tracing::warn!(
                error = error as &dyn std::error::Error,
                "erased bytes remain in the write-ahead log until the next checkpoint"
            );
        }
        for (patience, reply) in self.waiting.drain(..) {
            let _ = reply.send(match (&done, patience) {
                // The erasure itself is committed: the log line says what is left of it.
                (Ok(()), _) | (Err(_), Patience::FirstTry) => Ok(()),
                (Err(failure), Patience::UntilDone) => Err(Error::from(failure.copy())),
            });
        }
        done
    }
}

/// Returns `false` if readers are in the way for longer than `wait`; other writers wait meanwhile.
fn truncate(connection: &Connection, wait: Duration) -> Result<bool, rusqlite::Error> {
    connection.busy_timeout(wait)?;
    let is_busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, bool>(0));
    connection.busy_timeout(super::BUSY_TIMEOUT)?;
    match is_busy {
        Ok(is_busy) => Ok(!is_busy),
        // Another process is checkpointing.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => Ok(false),
        Err(error) => Err(error),
    }
}
