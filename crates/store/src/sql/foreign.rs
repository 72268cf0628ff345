//! Noticing the commits of other processes.
//!
//! The writer compares a number at the beginning of each transaction. On SQLite that is `PRAGMA data_version`, which changes when
//! another connection has committed, and not when this one has; a change that left no commit behind, such as a checkpoint of another
//! process, may be counted too. On PostgreSQL, transactions that others have to notice count themselves
//! in `write_turn`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::writer::last_position;
use crate::contract::{ForeignWrites, Position};
use crate::sql::{Connection, SqlError, params};

/// Beyond this many ranges, the two oldest become one. An import next to a server makes a few per second.
const RANGES_MAX: usize = 1_024;

/// The foreign writes that were noticed since the store was opened.
pub struct ForeignLog {
    ranges: Mutex<VecDeque<Range>>,
    writes: watch::Sender<ForeignWrites>,
}

struct Range {
    /// The number of the last foreign write in it.
    count: u64,
    after: Position,
    until: Position,
}

impl ForeignLog {
    fn new(until: Position) -> Self {
        let (writes, _) = watch::channel(ForeignWrites { count: 0, until });
        Self { ranges: Mutex::default(), writes }
    }

    pub fn watch(&self) -> watch::Receiver<ForeignWrites> {
        self.writes.subscribe()
    }

    pub fn writes(&self) -> ForeignWrites {
        *self.writes.borrow()
    }

    pub fn ranges_after(&self, count: u64) -> Vec<(Position, Position)> {
        let ranges = self.lock();
        ranges.iter().filter(|range| range.count > count).map(|range| (range.after, range.until)).collect()
    }

    fn add(&self, after: Position, until: Position) {
        let count = self.writes().count + 1;
        let mut ranges = self.lock();
        ranges.push_back(Range { count, after, until });
        if ranges.len() > RANGES_MAX
            && let Some(oldest) = ranges.pop_front()
            && let Some(next) = ranges.front_mut()
        {
            next.after = oldest.after;
        }
        drop(ranges);
        self.writes.send_replace(ForeignWrites { count, until });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Range>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer's view of the database.
pub struct Detector {
    /// The number that was current after the last transaction of this connection.
    version: i64,
    /// The end of the log as this connection last knew it.
    head: Position,
    log: Arc<ForeignLog>,
}

impl Detector {
    pub fn start(connection: &Connection) -> Result<Self, SqlError> {
        let reading = connection.snapshot()?;
        let (version, head) = (version(&reading)?, last_position(&reading)?);
        Ok(Self { version, head, log: Arc::new(ForeignLog::new(head)) })
    }

    pub fn log(&self) -> Arc<ForeignLog> {
        Arc::clone(&self.log)
    }

    pub fn head(&self) -> Position {
        self.head
    }

    /// Counts the commits of others before this transaction. Call it at the beginning, before the transaction writes.
    pub fn detect(&mut self, transaction: &Connection) -> Result<(), SqlError> {
        let version = version(transaction)?;
        self.compare(transaction, version)
    }

    /// Does the same with a number that was read already.
    pub fn compare(&mut self, transaction: &Connection, version: i64) -> Result<(), SqlError> {
        if version != self.version {
            let head = last_position(transaction)?;
            self.log.add(std::mem::replace(&mut self.head, head), head);
            self.version = version;
        }
        Ok(())
    }

    /// Takes note of a commit of this connection.
    pub fn committed(&mut self, head: Position, writes: Option<i64>) {
        self.head = head;
        self.version = writes.unwrap_or(self.version);
    }
}

fn version(connection: &Connection) -> Result<i64, SqlError> {
    let sql = if connection.is_postgres() { "SELECT writes FROM write_turn" } else { "PRAGMA data_version" };
    connection.query_row(sql, params![], |row| row.get(0))
}
