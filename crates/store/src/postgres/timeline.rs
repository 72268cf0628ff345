//! Which history of the database this process follows.
//!
//! A server that takes over after a failover begins a new timeline, and may lack the last commits of the one before it. What this
//! process has in memory may include them. So a connection to another timeline is not used until the writer has checked it.
//!
//! The first writer on a new timeline records how many writes it began with. A process that knows of no more than that has seen only what
//! is still there.

use domain::DeliveryEpoch;
use tokio::sync::watch;
use tokio_postgres::Client;

use crate::error::Error;
use crate::sql::connection::SqlResult;
use crate::sql::error::SqlError;
use crate::sql::foreign::Writes;
use crate::sql::value::params;
use crate::sql::{Connection, OptionalExtension, deliveries};

/// The server and its timeline, which begins the names of its write-ahead log files.
const TIMELINE: &str = "SELECT system_identifier || '/' || left(pg_walfile_name(pg_current_wal_lsn()), 8)
     FROM pg_control_system()";

pub async fn read(client: &Client) -> SqlResult<String> {
    let row = client.query_one(TIMELINE, &[]).await?;
    row.try_get(0).map_err(SqlError::from)
}

/// The timeline whose connections may be used, shared by all connections of a store.
pub struct AcceptedTimeline(watch::Sender<Option<String>>);

impl Default for AcceptedTimeline {
    fn default() -> Self {
        Self(watch::Sender::new(None))
    }
}

impl AcceptedTimeline {
    pub fn accept(&self, timeline: &str) {
        self.0.send_replace(Some(timeline.to_owned()));
    }

    /// Returns `true` if this timeline was accepted last. The first one is.
    pub fn accepts(&self, timeline: &str) -> bool {
        self.0.send_if_modified(|accepted| {
            let is_first = accepted.is_none();
            accepted.get_or_insert_with(|| timeline.to_owned());
            is_first
        });
        self.0.borrow().as_deref() == Some(timeline)
    }

    /// Waits until another timeline than this one is accepted.
    pub async fn leaves(&self, timeline: &str) {
        let is_other = |accepted: &Option<String>| accepted.as_deref().is_some_and(|name| name != timeline);
        // Fails only if the sender is gone, which is this one.
        let _ = self.0.subscribe().wait_for(is_other).await;
    }

    pub fn name(&self) -> String {
        self.0.borrow().clone().unwrap_or_default()
    }
}

/// Records the timeline of a connection unless it is the last one. The transaction must have its turn to write, and `writes` is the number
/// of writes before it.
pub fn record(connection: &Connection, name: &str, writes: i64) -> Result<(), Error> {
    let last = "SELECT name FROM timeline ORDER BY number DESC LIMIT 1";
    let last: Option<String> = connection.query_row(last, params![], |row| row.get(0)).optional()?;
    if last.as_deref() == Some(name) {
        return Ok(());
    }
    let insert = "INSERT INTO timeline (number, name, writes)
         SELECT coalesce(max(number), 0) + 1, ?1, ?2 FROM timeline";
    connection.prepare_cached(insert)?.execute(params![name, writes])?;
    // Numbers of deliveries that were lost are given again. Their ids, which receivers know, are not.
    let random = "SELECT CAST(random() * 9007199254740991 AS BIGINT)";
    let random: u64 = connection.query_row(random, params![], |row| row.get(0))?;
    deliveries::start_epoch(connection, DeliveryEpoch::new(random))
}

/// Does the same when a database is opened, in a transaction that has not written yet.
pub fn record_when_opened(connection: &Connection) -> Result<(), Error> {
    let Some(postgres) = connection.postgres() else { return Ok(()) };
    let (name, _) = postgres.timelines();
    let is_last = "SELECT 1 FROM timeline WHERE name = ?1 AND number = (SELECT max(number) FROM timeline)";
    if connection.prepare_cached(is_last)?.exists(params![name])? {
        return Ok(());
    }
    record(connection, &name, Writes::read_and_lock(connection)?.all)
}

/// Records and checks the timeline of a transaction that has its turn to write. Fails if this process, which knows of `known` writes, has
/// seen some that are not there any more. Otherwise the timeline can be accepted when the transaction is committed.
pub fn check(connection: &Connection, known: i64, writes: i64) -> SqlResult<()> {
    let Some(postgres) = connection.postgres() else { return Ok(()) };
    let (name, accepted) = postgres.timelines();
    record(connection, &name, writes).map_err(|error| SqlError::Connection(error.to_string()))?;
    // All that began since: there may have been two failovers.
    let fewest = "SELECT min(writes) FROM timeline
         WHERE number > (SELECT max(number) FROM timeline WHERE name = ?1)";
    let fewest: Option<i64> = connection.query_row(fewest, params![accepted], |row| row.get(0))?;
    if fewest.is_none_or(|fewest| fewest < known) {
        return Err(SqlError::WritesLost);
    }
    tracing::info!("another database server has taken over; nothing is missing");
    Ok(())
}
