//! A connection to either database.
//!
//! The statements of this crate are written once, in the SQL that SQLite and PostgreSQL share. PostgreSQL gets them slightly changed
//! (`translate` in `postgres/connection.rs`); the few that differ more ask [`Connection::is_postgres`].

use std::ops::Deref;

use super::error::SqlError;
use super::value::{Column, FromColumn, OwnedValue, Params, ToValue, Value};
use crate::postgres::{Cursor, PostgresConnection, RowKind};

pub type SqlResult<T> = Result<T, SqlError>;

pub enum Connection {
    Sqlite(rusqlite::Connection),
    Postgres(Box<PostgresConnection>),
}

/// A statement. It is prepared once per connection.
pub enum Statement<'c> {
    Sqlite(rusqlite::CachedStatement<'c>),
    Postgres(&'c PostgresConnection, String),
}

impl Connection {
    pub const fn is_postgres(&self) -> bool {
        matches!(self, Self::Postgres(_))
    }

    /// Returns the connection to SQLite; `None` if this is one to PostgreSQL.
    pub const fn sqlite(&self) -> Option<&rusqlite::Connection> {
        match self {
            Self::Sqlite(connection) => Some(connection),
            Self::Postgres(_) => None,
        }
    }

    pub const fn postgres(&self) -> Option<&PostgresConnection> {
        match self {
            Self::Postgres(connection) => Some(connection),
            Self::Sqlite(_) => None,
        }
    }

    /// Prepares a statement, or takes it from those that were prepared before.
    pub fn prepare_cached(&self, sql: &str) -> SqlResult<Statement<'_>> {
        Ok(match self {
            Self::Sqlite(connection) => Statement::Sqlite(connection.prepare_cached(sql)?),
            Self::Postgres(connection) => Statement::Postgres(connection, sql.to_owned()),
        })
    }

    pub fn query_row<T>(
        &self,
        sql: &str,
        params: impl Params,
        read: impl FnOnce(Row<'_>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        self.prepare_cached(sql)?.query_row(params, read)
    }

    /// Returns the number of changed rows.
    pub fn execute(&self, sql: &str, params: impl Params) -> SqlResult<usize> {
        self.prepare_cached(sql)?.execute(params)
    }

    /// Runs queries that the caller is about to run one by one. On PostgreSQL their rows come in one round trip, and each is returned once,
    /// by [`Statement::query`] and what uses it; so nothing that they read may change in between. A statement that changes rows and
    /// returns them runs here, once. SQLite needs no such help.
    pub fn prefetch<'a>(&self, queries: impl Iterator<Item = (&'a str, Vec<OwnedValue>)>) -> SqlResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(connection) => connection.prefetch(queries),
        }
    }

    /// Waits for the statements of [`Statement::execute_later`].
    pub fn flush(&self) -> SqlResult<()> {
        match self {
            Self::Sqlite(_) => Ok(()),
            Self::Postgres(connection) => connection.flush(),
        }
    }

    /// Runs statements without parameters that return nothing.
    pub fn execute_batch(&self, sql: &str) -> SqlResult<()> {
        match self {
            Self::Sqlite(connection) => Ok(connection.execute_batch(sql)?),
            Self::Postgres(connection) => connection.execute_batch(sql),
        }
    }

    /// Returns `true` outside any transaction.
    pub fn is_autocommit(&self) -> bool {
        match self {
            Self::Sqlite(connection) => connection.is_autocommit(),
            Self::Postgres(connection) => !connection.is_in_transaction(),
        }
    }

    /// Starts a transaction whose reads see one state of the database. It ends when the value is dropped.
    pub fn snapshot(&self) -> SqlResult<Snapshot<'_>> {
        self.execute_batch(match self {
            Self::Sqlite(_) => "BEGIN",
            Self::Postgres(_) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
        })?;
        Ok(Snapshot { connection: self })
    }
}

/// A read transaction.
pub struct Snapshot<'c> {
    connection: &'c Connection,
}

impl Deref for Snapshot<'_> {
    type Target = Connection;

    fn deref(&self) -> &Connection {
        self.connection
    }
}

impl Drop for Snapshot<'_> {
    fn drop(&mut self) {
        // Fails if the connection is lost. There is nothing to undo.
        let _ = self.connection.execute_batch("ROLLBACK");
    }
}

/// Returns what [`Statement::query_at_most`] sends to PostgreSQL.
pub fn with_limit(sql: &str, rows_max: usize) -> String {
    format!("{sql} LIMIT {rows_max}")
}

impl Statement<'_> {
    /// Returns the number of changed rows.
    pub fn execute(&mut self, params: impl Params) -> SqlResult<usize> {
        params.with(|values| match self {
            Self::Sqlite(statement) => Ok(statement.execute(rusqlite::params_from_iter(values))?),
            Self::Postgres(connection, sql) => connection.execute(sql, values),
        })
    }

    /// Changes rows. On PostgreSQL the statement goes with the next one that returns something, or with [`Connection::flush`], in the
    /// same round trip; that one fails if this one does.
    pub fn execute_later(&mut self, params: impl Params) -> SqlResult<()> {
        params.with(|values| match self {
            Self::Sqlite(statement) => Ok(statement.execute(rusqlite::params_from_iter(values)).map(drop)?),
            Self::Postgres(connection, sql) => connection.execute_later(sql, values),
        })
    }

    /// Does the same with one row. PostgreSQL may get many rows with one statement, and then gets them before or after what is written to rows
    /// of other kinds.
    pub fn execute_row_later(
        &mut self,
        kind: RowKind,
        key: impl ToValue,
        params: impl Params,
    ) -> SqlResult<()> {
        params.with(|values| match self {
            Self::Sqlite(statement) => Ok(statement.execute(rusqlite::params_from_iter(values)).map(drop)?),
            Self::Postgres(connection, sql) => {
                connection.execute_row_later(sql, kind, key.to_value(), values)
            }
        })
    }

    pub fn query(&mut self, params: impl Params) -> SqlResult<Rows<'_>> {
        params.with(|values| match self {
            Self::Sqlite(statement) => Ok(Rows::Sqlite(statement.query(rusqlite::params_from_iter(values))?)),
            Self::Postgres(connection, sql) => {
                let rows = connection.query(sql, values)?;
                Ok(Rows::Postgres { rows, next: 0 })
            }
        })
    }

    /// Does the same for a caller that reads this many rows at the most. PostgreSQL returns all rows at once: it must be told.
    pub fn query_at_most(&mut self, params: impl Params, rows_max: usize) -> SqlResult<Rows<'_>> {
        match self {
            Self::Sqlite(_) => self.query(params),
            Self::Postgres(connection, sql) => {
                let sql = with_limit(sql, rows_max);
                let rows = params.with(|values| connection.query(&sql, values))?;
                Ok(Rows::Postgres { rows, next: 0 })
            }
        }
    }

    /// Does the same for a caller that may read any number of rows, and stops early. PostgreSQL returns them in pieces.
    pub fn query_in_pieces(&mut self, params: impl Params) -> SqlResult<Rows<'_>> {
        match self {
            Self::Sqlite(_) => self.query(params),
            Self::Postgres(connection, sql) => {
                let cursor = params.with(|values| Cursor::open(connection, sql, values))?;
                Ok(Rows::Pieces { cursor, rows: Vec::new(), next: 0 })
            }
        }
    }

    /// Reads the first row. Fails with [`SqlError::NoRow`] if there is none.
    pub fn query_row<T>(
        &mut self,
        params: impl Params,
        read: impl FnOnce(Row<'_>) -> SqlResult<T>,
    ) -> SqlResult<T> {
        let mut rows = self.query(params)?;
        rows.next()?.map_or(Err(SqlError::NoRow), read)
    }

    pub fn query_map<T>(
        &mut self,
        params: impl Params,
        mut read: impl FnMut(Row<'_>) -> SqlResult<T>,
    ) -> SqlResult<std::vec::IntoIter<SqlResult<T>>> {
        let mut rows = self.query(params)?;
        let mut read_rows = Vec::new();
        while let Some(row) = rows.next()? {
            read_rows.push(read(row));
        }
        Ok(read_rows.into_iter())
    }

    /// Returns `true` if the query returns a row.
    pub fn exists(&mut self, params: impl Params) -> SqlResult<bool> {
        Ok(self.query(params)?.next()?.is_some())
    }
}

/// The rows of a query, in order. Those of SQLite are read one by one.
pub enum Rows<'s> {
    Sqlite(rusqlite::Rows<'s>),
    Pieces { cursor: Cursor<'s>, rows: Vec<tokio_postgres::Row>, next: usize },
    Postgres { rows: Vec<tokio_postgres::Row>, next: usize },
}

impl Rows<'_> {
    pub fn next(&mut self) -> SqlResult<Option<Row<'_>>> {
        match self {
            Self::Sqlite(rows) => Ok(rows.next()?.map(Row::Sqlite)),
            Self::Pieces { cursor, rows, next } => {
                if *next >= rows.len() {
                    (*rows, *next) = (cursor.fetch()?, 0);
                }
                let row = rows.get(*next);
                *next += 1;
                Ok(row.map(Row::Postgres))
            }
            Self::Postgres { rows, next } => {
                let row = rows.get(*next);
                *next += 1;
                Ok(row.map(Row::Postgres))
            }
        }
    }
}

/// One row of a query.
#[derive(Clone, Copy)]
pub enum Row<'r> {
    Sqlite(&'r rusqlite::Row<'r>),
    Postgres(&'r tokio_postgres::Row),
}

impl<'r> Row<'r> {
    /// Reads a column. Fails with [`SqlError::Column`] if it has another type.
    pub fn get<T: FromColumn<'r>>(&self, column: usize) -> SqlResult<T> {
        T::from_column(self.get_ref(column)?).map_err(SqlError::Column)
    }

    /// Reads a column without copying it.
    pub fn get_ref(&self, column: usize) -> SqlResult<Column<'r>> {
        match self {
            Self::Sqlite(row) => Ok(row.get_ref(column)?.into()),
            Self::Postgres(row) => Ok(row.try_get(column)?),
        }
    }
}

impl<'a> From<rusqlite::types::ValueRef<'a>> for Column<'a> {
    fn from(value: rusqlite::types::ValueRef<'a>) -> Self {
        use rusqlite::types::ValueRef;
        match value {
            ValueRef::Null => Self::Null,
            ValueRef::Integer(integer) => Self::Integer(integer),
            ValueRef::Text(text) => Self::Text(text),
            ValueRef::Blob(blob) => Self::Blob(blob),
            ValueRef::Real(_) => Self::Other,
        }
    }
}

impl rusqlite::ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<rusqlite::types::ToSqlOutput<'_>> {
        use rusqlite::types::{ToSqlOutput, ValueRef};
        Ok(ToSqlOutput::Borrowed(match *self {
            Self::Null => ValueRef::Null,
            Self::Integer(integer) => ValueRef::Integer(integer),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Blob(blob) => ValueRef::Blob(blob),
            Self::TooLarge => return Err(rusqlite::Error::ToSqlConversionFailure(SqlError::TooLarge.into())),
        }))
    }
}

/// Turns the result of a query without a row into `None`.
pub trait OptionalExtension<T> {
    fn optional(self) -> SqlResult<Option<T>>;
}

impl<T> OptionalExtension<T> for SqlResult<T> {
    fn optional(self) -> SqlResult<Option<T>> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(SqlError::NoRow) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
