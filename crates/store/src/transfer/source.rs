//! The store that is copied. It is only read.

use std::path::{Path, PathBuf};

use super::StoreAddress;
use super::error::TransferError;
use super::mark::{self, Fingerprint};
use super::rows;
use super::sessions;
use super::tables::TABLES;
use crate::error::Error;
use crate::postgres::{PostgresConnection, PostgresOptions, schema};
use crate::sql::foreign::Writes;
use crate::sql::value::params;
use crate::sql::writer::last_position;
use crate::sql::{Connection, OptionalExtension, SqlResult, metadata};
use crate::sqlite::{self, ServerLock};

pub struct Source {
    pub connection: Connection,
    /// Names it for people.
    pub place: String,
    pub fingerprint: Fingerprint,
    state: State,
    _lock: Option<ServerLock>,
}

/// What a write of another process changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    /// Comparable on one connection only.
    version: i64,
    log_end: u64,
}

impl Source {
    /// Opens a store and begins a transaction that sees one state of it until the end.
    pub fn open(address: &StoreAddress) -> Result<Self, TransferError> {
        match address {
            StoreAddress::Folder(folder) => Self::open_folder(folder),
            StoreAddress::Postgres(options) => Self::open_postgres(options),
        }
    }

    /// No server may run on the folder. A command that writes to it meanwhile is noticed at the end.
    fn open_folder(folder: &Path) -> Result<Self, TransferError> {
        let place = folder_name(folder);
        let path = folder.join(sqlite::FILE_NAME);
        // The lock would create the folder.
        if !path.exists() {
            return Err(TransferError::NoStore { place });
        }
        let open = || -> Result<(ServerLock, Connection), Error> {
            let lock = ServerLock::acquire(folder)?;
            let connection = sqlite::schema::open_for_reading(&path)?;
            sqlite::schema::check_owner(&connection, &path)?;
            // An older schema is not migrated here: the source is not changed.
            sqlite::schema::check_version(&connection)?;
            Ok((lock, Connection::Sqlite(connection)))
        };
        let (lock, connection) = open().map_err(TransferError::at(&place))?;
        Self::begin(connection, place, Some(lock))
    }

    /// No other process may be connected to the database. Those that connect later can read and not write: every write of Vigie begins
    /// by locking a row of the table that is locked here.
    fn open_postgres(options: &PostgresOptions) -> Result<Self, TransferError> {
        let place = options.description();
        let opened = PostgresConnection::open(options).map_err(TransferError::at(&place))?;
        let connection = Connection::Postgres(Box::new(opened));
        let prepared = sessions::configure(&connection).map_err(Error::from);
        let has_store = prepared.and_then(|()| schema::check_version(&connection));
        if !has_store.map_err(TransferError::at(&place))? {
            return Err(TransferError::NoStore { place });
        }
        sessions::refuse_others(&connection, &place)?;
        Self::begin(connection, place, None)
    }

    fn begin(connection: Connection, place: String, lock: Option<ServerLock>) -> Result<Self, TransferError> {
        let begin = || -> Result<(State, Fingerprint), Error> {
            // Changes only between transactions, and a lock has to come before the first read of one.
            let version = if connection.is_postgres() { 0 } else { version(&connection)? };
            connection.execute_batch(if connection.is_postgres() {
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; LOCK TABLE write_turn IN EXCLUSIVE MODE"
            } else {
                "BEGIN"
            })?;
            mark::refuse_unfinished(&connection, || place.clone())?;
            let fingerprint = fingerprint(&connection)?;
            let version = fingerprint.writes.unwrap_or(version);
            Ok((State { version, log_end: fingerprint.log_end }, fingerprint))
        };
        let (state, fingerprint) = begin().map_err(TransferError::at(&place))?;
        Ok(Self { connection, place, fingerprint, state, _lock: lock })
    }

    /// Ends the transaction, and fails if another process has written to the source since it began.
    pub fn end(&self) -> Result<(), TransferError> {
        let now = || -> Result<State, Error> {
            self.connection.execute_batch("ROLLBACK")?;
            Ok(State { version: version(&self.connection)?, log_end: last_position(&self.connection)?.0 })
        };
        let now = now().map_err(TransferError::at(&self.place))?;
        if now == self.state {
            return Ok(());
        }
        Err(self.changed("another process wrote to it".to_owned()))
    }

    /// Fails if the source is not in the state in which a copy was begun.
    pub fn compare(&self, began: &Fingerprint) -> Result<(), TransferError> {
        let now = &self.fingerprint;
        let differing = now.rows.iter().find_map(|(table, rows)| {
            let before = began.rows.get(table).copied().unwrap_or_default();
            (before != *rows).then(|| format!("the table {table} had {before} rows and has {rows}"))
        });
        match differing {
            _ if now == began => Ok(()),
            Some(difference) => Err(self.changed(difference)),
            None => Err(self.changed("a server or a command has written to it".to_owned())),
        }
    }

    fn changed(&self, difference: String) -> TransferError {
        TransferError::Changed { place: self.place.clone(), difference }
    }
}

/// Names a folder in full, so that it is the same name wherever the command is run.
pub fn folder_name(folder: &Path) -> String {
    let whole: PathBuf =
        folder.canonicalize().or_else(|_| std::path::absolute(folder)).unwrap_or_else(|_| folder.to_owned());
    whole.display().to_string()
}

/// A number that changes when another process commits.
fn version(connection: &Connection) -> SqlResult<i64> {
    Writes::read(connection).map(|writes| writes.all)
}

fn fingerprint(connection: &Connection) -> Result<Fingerprint, Error> {
    let counted = TABLES.iter().map(|table| Ok((table.name.to_owned(), rows::count(connection, table)?)));
    Ok(Fingerprint {
        identity: identity(connection)?,
        writes: if connection.is_postgres() { Some(version(connection)?) } else { None },
        log_end: last_position(connection)?.0,
        rows: counted.collect::<SqlResult<_>>()?,
    })
}

/// Every start of a server gives a random number to the deliveries that follow: no two databases have the same one, unless one is a copy
/// that was never served.
fn identity(connection: &Connection) -> Result<String, Error> {
    let newest = "SELECT first_sequence, epoch FROM delivery_epoch ORDER BY first_sequence DESC LIMIT 1";
    let newest = connection
        .query_row(newest, params![], |row| Ok(format!("{}-{}", row.get::<i64>(0)?, row.get::<i64>(1)?)));
    let database = metadata::get(connection, "database_identity")?.unwrap_or_default();
    Ok(format!("{database}/{}", newest.optional()?.unwrap_or_default()))
}
