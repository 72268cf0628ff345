//! The embedded database: one SQLite file in the data folder.
//!
//! It is in WAL mode: readers never wait for the writer. Other processes (`vigie keys`, `vigie import`) may open the same folder next to
//! a server; two servers may not ([`lock`]).

mod copy;
mod lock;
pub(crate) mod schema;
pub(crate) mod truncation;

use std::path::Path;
use std::time::Duration;

use crate::error::Error;
use crate::sql::{Connection, Place, SqlStore};
use crate::transfer;
pub use copy::{
    CopiedState, CopyProgress, RestoredState, VerifiedCopy, check_copy, copy_database, database_bytes,
    prepare_restored, verify_copy,
};
use lock::OpeningLock;
pub use lock::ServerLock;

/// The database inside the data folder.
pub const FILE_NAME: &str = "vigie.db";

/// How long a process waits for the transaction of another one before it gives up. An import next to a server commits many times a
/// second, so a wait this long means that something is stuck.
pub(crate) const BUSY_TIMEOUT: Duration = Duration::from_secs(30);

impl SqlStore {
    /// Opens the embedded database of a folder. Creates it and migrates its schema if necessary.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let (connection, _opening) = open_folder(folder)?;
        let path = folder.join(FILE_NAME);
        let writing = Connection::Sqlite(connection);
        transfer::refuse_unfinished(&writing, || folder.display().to_string())?;
        Self::start(Place::Folder(folder.to_owned()), writing, || {
            schema::open_for_reading(&path).map(Connection::Sqlite)
        })
    }
}

/// Opens the database of a folder for a copy of another one, and keeps servers off. Creates it if necessary. Refuses one of another
/// release and changes nothing: it is not new.
pub(crate) fn open_as_target(folder: &Path) -> Result<(rusqlite::Connection, ServerLock), Error> {
    lock::create_folder(folder).map_err(|source| Error::Open { path: folder.to_owned(), source })?;
    let lock = ServerLock::acquire(folder)?;
    let path = folder.join(FILE_NAME);
    if path.exists() {
        let connection = schema::open_for_reading(&path)?;
        schema::check_owner(&connection, &path)?;
        match schema::check_version(&connection) {
            // A process that was killed has left a file without tables.
            Ok(()) | Err(Error::TooOld { found: 0, .. }) => {}
            Err(error) => return Err(error),
        }
    }
    let (connection, _opening) = open_folder(folder)?;
    Ok((connection, lock))
}

/// Opens the database of a folder for writing, and creates it or migrates its schema if necessary. Other processes wait while the lock is
/// held.
pub(crate) fn open_folder(folder: &Path) -> Result<(rusqlite::Connection, OpeningLock), Error> {
    let open_error = |source| Error::Open { path: folder.to_owned(), source };
    lock::create_folder(folder).map_err(open_error)?;
    let opening = OpeningLock::wait(folder)?;
    let connection = schema::open_for_writing(&folder.join(FILE_NAME))?;
    // The names of new files are durable only once their folder is: without this, a loss of power just after the first
    // commits could lose the whole database.
    std::fs::File::open(folder).and_then(|folder| folder.sync_all()).map_err(open_error)?;
    Ok((connection, opening))
}
