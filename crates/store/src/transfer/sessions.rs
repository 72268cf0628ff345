//! Other processes on a PostgreSQL database, and the session of a copy.

use std::time::Duration;

use super::error::TransferError;
use crate::sql::value::params;
use crate::sql::{Connection, SqlResult};

/// A process that has ended is listed until PostgreSQL has noticed it.
const END_TRIES: u32 = 30;
const END_INTERVAL: Duration = Duration::from_millis(100);

/// Counting a large table takes longer than a statement of a server may, and one side waits while the other one is read. Rows are read
/// in the order of their keys: without an index PostgreSQL would sort the whole table for each piece.
const SESSION: &str = "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0;
     SET enable_seqscan = off; SET enable_sort = off; SET enable_bitmapscan = off";

/// Prepares a connection for copying. Does nothing on SQLite.
pub fn configure(connection: &Connection) -> SqlResult<()> {
    let Some(postgres) = connection.postgres() else { return Ok(()) };
    postgres.set_patient(true);
    connection.execute_batch(SESSION)
}

/// Fails if other Vigie processes are connected to the database. Waits a moment for those that have just ended.
pub fn refuse_others(connection: &Connection, place: &str) -> Result<(), TransferError> {
    let Some(postgres) = connection.postgres() else { return Ok(()) };
    let mut tries = 0;
    loop {
        let sessions = others(connection).map_err(TransferError::at(place))?;
        if sessions == 0 {
            return Ok(());
        }
        tries += 1;
        if tries > END_TRIES {
            return Err(TransferError::InUse { place: place.to_owned(), sessions });
        }
        postgres.pause(END_INTERVAL);
    }
}

/// Counts the sessions of other Vigie processes. Servers have the same name, unless their address gives them another one.
pub fn others(connection: &Connection) -> SqlResult<u64> {
    connection.query_row(
        "SELECT count(*) FROM pg_stat_activity
         WHERE datname = current_database() AND pid <> pg_backend_pid() AND coalesce(backend_type, 'client backend') = 'client backend'
             AND application_name IN ('vigie', current_setting('application_name'))",
        params![],
        |row| row.get(0),
    )
}
