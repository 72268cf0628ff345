//! The store that is written.

use super::StoreAddress;
use super::error::TransferError;
use super::mark::{self, Mark};
use super::numbers;
use super::rows::{self, TableRows, Values};
use super::sessions;
use super::source::{Source, folder_name};
use super::tables::{INITIAL_ROWS, NUMBERS, TABLES};
use crate::error::Error;
use crate::postgres::{PostgresConnection, schema};
use crate::sql::{Connection, metadata};
use crate::sqlite::{self, ServerLock};

pub struct Target {
    pub connection: Connection,
    /// Names it for people.
    pub place: String,
    _lock: Option<ServerLock>,
}

impl Target {
    /// Opens a store, and creates its tables if it is new.
    pub fn open(address: &StoreAddress) -> Result<Self, TransferError> {
        match address {
            StoreAddress::Folder(folder) => {
                let opened = sqlite::open_as_target(folder);
                // The folder exists now, so that it can be named in full.
                let place = folder_name(folder);
                let (connection, lock) = opened.map_err(TransferError::at(&place))?;
                Ok(Self { connection: Connection::Sqlite(connection), place, _lock: Some(lock) })
            }
            StoreAddress::Postgres(options) => {
                let place = options.description();
                let open = || -> Result<Connection, Error> {
                    let connection = Connection::Postgres(Box::new(PostgresConnection::open(options)?));
                    sessions::configure(&connection)?;
                    // A store of an older release is not migrated: it is not new.
                    if !schema::check_version(&connection)? {
                        schema::migrate(&connection)?;
                    }
                    Ok(connection)
                };
                let connection = open().map_err(TransferError::at(&place))?;
                Ok(Self { connection, place, _lock: None })
            }
        }
    }

    /// Marks an empty store as the target of a copy, or returns the mark of one that was interrupted.
    pub fn begin(&self, source: &Source) -> Result<Mark, TransferError> {
        let connection = &self.connection;
        let identity = |connection, place: &str| {
            metadata::get(connection, "database_identity").map_err(TransferError::at(place))
        };
        let theirs = identity(&source.connection, &source.place)?;
        if theirs.is_some() && theirs == identity(connection, &self.place)? {
            return Err(TransferError::SameStore { place: self.place.clone() });
        }
        sessions::refuse_others(connection, &self.place)?;
        self.transact(|| {
            if connection.is_postgres() {
                // A server that connects from now on waits, and then finds the mark.
                schema::wait_for_opening(connection).map_err(self.failed())?;
                let sessions = sessions::others(connection).map_err(self.failed())?;
                if sessions > 0 {
                    return Err(TransferError::InUse { place: self.place.clone(), sessions });
                }
            }
            if let Some(mark) = mark::read(connection).map_err(self.failed())? {
                return self.resume(mark, source);
            }
            self.refuse_rows()?;
            let mark = Mark {
                origin: source.place.clone(),
                source: source.fingerprint.clone(),
                table: TABLES.first().map(|table| table.name.to_owned()),
                after: None,
            };
            mark::write(connection, &mark).map_err(self.failed())?;
            Ok(mark)
        })
    }

    /// Fails unless the copy was begun from the same source, and that has not changed since.
    fn resume(&self, mark: Mark, source: &Source) -> Result<Mark, TransferError> {
        match source.compare(&mark.source) {
            Err(_) if mark.origin != source.place => {
                Err(TransferError::OtherOrigin { place: self.place.clone(), origin: mark.origin })
            }
            compared => compared.map(|()| mark),
        }
    }

    /// Fails if there are rows that a new store does not have.
    fn refuse_rows(&self) -> Result<(), TransferError> {
        let mut filled = Vec::new();
        for table in TABLES.iter().filter(|table| !INITIAL_ROWS.contains(&table.name)) {
            let rows = rows::count(&self.connection, table).map_err(TransferError::table(table.name))?;
            if rows > 0 {
                filled.push(format!("{} ({rows})", table.name));
            }
        }
        if filled.is_empty() {
            return Ok(());
        }
        Err(TransferError::NotEmpty { place: self.place.clone(), tables: filled.join(", ") })
    }

    /// Writes rows and how far the copy has come, in one transaction. The first rows of a table replace what was there.
    pub fn write(
        &self,
        table: &TableRows<'_>,
        rows: &[Values],
        is_first: bool,
        mark: &Mark,
    ) -> Result<(), TransferError> {
        self.transact(|| {
            let write = || -> Result<(), Error> {
                if is_first {
                    table.clear(&self.connection)?;
                }
                Ok(table.insert(&self.connection, rows)?)
            };
            write().map_err(TransferError::table(table.name()))?;
            mark::write(&self.connection, mark).map_err(self.failed())
        })
    }

    /// Lets the target give the numbers that come after those of the source.
    pub fn continue_numbers(&self, source: &Source) -> Result<(), TransferError> {
        self.transact(|| {
            for numbers in NUMBERS {
                let last = numbers::last(&source.connection, numbers);
                let set = last.and_then(|last| numbers::set_last(&self.connection, numbers, last));
                set.map_err(TransferError::table(numbers.table))?;
            }
            Ok(())
        })
    }

    /// Lets PostgreSQL count, so that the first queries of a server are planned well.
    pub fn analyze(&self) -> Result<(), TransferError> {
        for table in TABLES.iter().filter(|_| self.connection.is_postgres()) {
            let analyzed = self.connection.execute_batch(&format!("ANALYZE \"{}\"", table.name));
            analyzed.map_err(TransferError::table(table.name))?;
        }
        Ok(())
    }

    /// Ends a copy that is complete and verified.
    pub fn finish(&self) -> Result<(), TransferError> {
        self.transact(|| mark::delete(&self.connection).map_err(self.failed()))
    }

    fn transact<T>(&self, work: impl FnOnce() -> Result<T, TransferError>) -> Result<T, TransferError> {
        let run = |sql: &str| self.connection.execute_batch(sql).map_err(self.failed());
        run(if self.connection.is_postgres() { "BEGIN" } else { "BEGIN IMMEDIATE" })?;
        match work() {
            Ok(value) => run("COMMIT").map(|()| value),
            Err(error) => {
                // Fails if the connection is lost, which rolls back as well.
                let _ = run("ROLLBACK");
                Err(error)
            }
        }
    }

    fn failed<E: Into<Error>>(&self) -> impl FnOnce(E) -> TransferError {
        TransferError::at(&self.place)
    }
}
