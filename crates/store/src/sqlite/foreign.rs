//! Noticing the commits of other processes.
//!
//! The writer compares `PRAGMA data_version` at the beginning of each transaction: it changes when another connection has committed,
//! and not when this one has. A change that left no commit behind, such as a checkpoint of another process, may be counted too.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rusqlite::Connection;
use tokio::sync::watch;

use super::writer::last_position;
use crate::contract::{ForeignWrites, Position};

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
    data_version: i64,
    /// The end of the log as this connection last knew it.
    head: Position,
    log: Arc<ForeignLog>,
}

impl Detector {
    pub fn start(connection: &Connection) -> Result<Self, rusqlite::Error> {
        let reading = connection.unchecked_transaction()?;
        let (data_version, head) = (data_version(&reading)?, last_position(&reading)?);
        Ok(Self { data_version, head, log: Arc::new(ForeignLog::new(head)) })
    }

    pub fn log(&self) -> Arc<ForeignLog> {
        Arc::clone(&self.log)
    }

    pub fn head(&self) -> Position {
        self.head
    }

    /// Counts the commits of others before this transaction. Call it at the beginning, before the transaction writes.
    pub fn detect(&mut self, transaction: &Connection) -> Result<(), rusqlite::Error> {
        let data_version = data_version(transaction)?;
        if data_version != self.data_version {
            let head = last_position(transaction)?;
            self.log.add(std::mem::replace(&mut self.head, head), head);
            self.data_version = data_version;
        }
        Ok(())
    }

    /// Takes note of a commit of this connection.
    pub fn committed(&mut self, head: Position) {
        self.head = head;
    }
}

fn data_version(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.prepare_cached("PRAGMA data_version")?.query_row([], |row| row.get(0))
}
