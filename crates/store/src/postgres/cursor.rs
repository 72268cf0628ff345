//! Reading the rows of a query in pieces.

use std::hash::{DefaultHasher, Hash, Hasher};

use tokio_postgres::Row;

use super::connection::PostgresConnection;
use crate::sql::connection::SqlResult;
use crate::sql::value::Value;

/// Enough that the way to the server and back does not matter, and little enough for memory.
const ROWS_PER_PIECE: usize = 256;

/// A cursor of the server. It is closed when the value is dropped.
pub struct Cursor<'c> {
    connection: &'c PostgresConnection,
    fetch: String,
    close: String,
    /// The transaction was begun for this cursor, and ends with it.
    has_own_transaction: bool,
    is_at_end: bool,
}

impl<'c> Cursor<'c> {
    pub fn open(connection: &'c PostgresConnection, sql: &str, values: &[Value<'_>]) -> SqlResult<Self> {
        // The name follows from the query, so that statements that name it can be prepared once.
        let mut hasher = DefaultHasher::new();
        sql.hash(&mut hasher);
        let name = format!("pieces_{:x}", hasher.finish());
        let has_own_transaction = !connection.is_in_transaction();
        if has_own_transaction {
            connection.execute_batch("BEGIN READ ONLY")?;
        }
        let cursor = Self {
            connection,
            fetch: format!("FETCH FORWARD {ROWS_PER_PIECE} FROM {name}"),
            close: format!("CLOSE {name}"),
            has_own_transaction,
            is_at_end: false,
        };
        connection.execute(&format!("DECLARE {name} NO SCROLL CURSOR FOR {sql}"), values)?;
        Ok(cursor)
    }

    /// Returns the next rows; none at the end.
    pub fn fetch(&mut self) -> SqlResult<Vec<Row>> {
        if self.is_at_end {
            return Ok(Vec::new());
        }
        let rows = self.connection.query(&self.fetch, &[])?;
        self.is_at_end = rows.len() < ROWS_PER_PIECE;
        Ok(rows)
    }
}

impl Drop for Cursor<'_> {
    fn drop(&mut self) {
        // Fails if the transaction has failed, which ends the cursor as well.
        let _ =
            self.connection.execute_batch(if self.has_own_transaction { "ROLLBACK" } else { &self.close });
    }
}
