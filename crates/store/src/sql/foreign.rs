//! Noticing the commits of other processes.
//!
//! The writer compares a number at the beginning of each transaction. On SQLite that is `PRAGMA data_version`, which changes when
//! another connection has committed, and not when this one has; a change that left no commit behind, such as a checkpoint of another
//! process, may be counted too. On PostgreSQL, transactions that make the copies of others stale count themselves
//! in `write_turn` ([`Invalidation`]).

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use super::writer::last_position;
use crate::contract::{ForeignWrites, Position};
use crate::sql::{Connection, SqlError, params};

/// Beyond this many ranges, the two oldest become one. An import next to a server makes a few per second.
const RANGES_MAX: usize = 1_024;

/// Which copies in the memory of other processes a transaction makes stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Invalidation {
    /// None: they keep no copy of what it changes, such as the states of deliveries.
    Nothing,
    /// Some, but no property.
    Copies,
    /// Those of properties, or of decisions about them.
    Properties,
}

/// How many transactions of all processes have made copies stale.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Writes {
    pub all: i64,
    /// Those of [`Invalidation::Properties`]. On SQLite all count as such.
    pub properties: i64,
}

impl Writes {
    pub fn read(connection: &Connection) -> Result<Self, SqlError> {
        if connection.is_postgres() {
            return Self::read_with(connection, "SELECT writes, property_writes FROM write_turn");
        }
        let version = connection.query_row("PRAGMA data_version", params![], |row| row.get(0))?;
        Ok(Self { all: version, properties: version })
    }

    /// Waits for the turn to write, on PostgreSQL.
    pub fn read_and_lock(connection: &Connection) -> Result<Self, SqlError> {
        Self::read_with(connection, "SELECT writes, property_writes FROM write_turn FOR UPDATE")
    }

    fn read_with(connection: &Connection, sql: &str) -> Result<Self, SqlError> {
        connection.query_row(sql, params![], |row| Ok(Self { all: row.get(0)?, properties: row.get(1)? }))
    }

    /// Counts a transaction of this process, on PostgreSQL. Returns the numbers after it.
    pub fn count(self, connection: &Connection, invalidation: Invalidation) -> Result<Self, SqlError> {
        if invalidation == Invalidation::Nothing || !connection.is_postgres() {
            return Ok(self);
        }
        let properties = i64::from(invalidation == Invalidation::Properties);
        let count = "UPDATE write_turn SET writes = writes + 1, property_writes = property_writes + ?1";
        connection.prepare_cached(count)?.execute(params![properties])?;
        Ok(Self { all: self.all + 1, properties: self.properties + properties })
    }
}

/// The foreign writes that were noticed since the store was opened.
pub struct ForeignLog {
    ranges: Mutex<VecDeque<Range>>,
    /// The number of the last one that may have changed properties.
    last_of_properties: AtomicU64,
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
        Self { ranges: Mutex::default(), last_of_properties: AtomicU64::new(0), writes }
    }

    pub fn watch(&self) -> watch::Receiver<ForeignWrites> {
        self.writes.subscribe()
    }

    pub fn writes(&self) -> ForeignWrites {
        *self.writes.borrow()
    }

    /// Returns the number of the last foreign write that may have changed properties.
    pub fn last_of_properties(&self) -> u64 {
        self.last_of_properties.load(Ordering::Acquire)
    }

    pub fn ranges_after(&self, count: u64) -> Vec<(Position, Position)> {
        let ranges = self.lock();
        ranges.iter().filter(|range| range.count > count).map(|range| (range.after, range.until)).collect()
    }

    fn add(&self, after: Position, until: Position, changes_properties: bool) {
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
        if changes_properties {
            self.last_of_properties.store(count, Ordering::Release);
        }
        self.writes.send_replace(ForeignWrites { count, until });
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Range>> {
        self.ranges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The writer's view of the database.
pub struct Detector {
    /// The numbers that were current after the last transaction of this connection.
    writes: Writes,
    /// The end of the log as this connection last knew it.
    head: Position,
    log: Arc<ForeignLog>,
}

impl Detector {
    pub fn start(connection: &Connection) -> Result<Self, SqlError> {
        let reading = connection.snapshot()?;
        let (writes, head) = (Writes::read(&reading)?, last_position(&reading)?);
        Ok(Self { writes, head, log: Arc::new(ForeignLog::new(head)) })
    }

    pub fn log(&self) -> Arc<ForeignLog> {
        Arc::clone(&self.log)
    }

    pub fn head(&self) -> Position {
        self.head
    }

    /// Counts the commits of others before this transaction. Call it at the beginning, before the transaction writes.
    pub fn detect(&mut self, transaction: &Connection) -> Result<(), SqlError> {
        let writes = Writes::read(transaction)?;
        self.compare(transaction, writes)
    }

    /// Does the same with numbers that were read already.
    pub fn compare(&mut self, transaction: &Connection, writes: Writes) -> Result<(), SqlError> {
        // Without a failover, only a server that does not sync its commits loses some.
        if transaction.is_postgres() && writes.all < self.writes.all {
            return Err(SqlError::WritesLost);
        }
        if writes != self.writes {
            let head = last_position(transaction)?;
            let changes_properties = writes.properties != self.writes.properties;
            self.log.add(std::mem::replace(&mut self.head, head), head, changes_properties);
            self.writes = writes;
        }
        Ok(())
    }

    /// Takes note of a commit of this connection.
    pub fn committed(&mut self, head: Position, writes: Writes) {
        self.head = head;
        self.writes = writes;
    }

    /// Returns the numbers as this connection last knew them.
    pub fn writes(&self) -> Writes {
        self.writes
    }
}
