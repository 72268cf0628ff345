//! Copies of a database while others write to it, for backups; and what a restored copy needs before a server may use it.
//!
//! [`copy_database`] holds one read transaction from the first page to the last. So the copy is one state of the database, and writes
//! of other connections and processes neither change it nor make the copy start again. Meanwhile the write-ahead log cannot be reset
//! and grows by what is written; afterwards the copying connection writes it back, beside the writers ([`write_back`]).

use std::fs::File;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};

use super::{FILE_NAME, schema};
use crate::contract::{DELIVERIES_HELD, Finding, Position, RecordKind, VerifyCursor};
use crate::error::Error;
use crate::sql::writer::last_position;
use crate::sql::{self, metadata, params, read, verify};
use crate::transfer;

/// How long truncating the write-ahead log may keep writers waiting. If a reader is in the way for longer, the file keeps its size, and
/// its space is used again.
const TRUNCATE_TIMEOUT: Duration = Duration::from_millis(100);

/// How often the write-ahead log is written back: writers add to it meanwhile, each time less.
const WRITE_BACK_ROUNDS: usize = 8;

/// Below this many pages, the rest is left to the writer: a few milliseconds of its time.
const WRITE_BACK_REST: i64 = 2_048;

/// How far a copy has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopyProgress {
    pub pages: u64,
    pub pages_total: u64,
    pub page_bytes: u64,
}

/// What a copy contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CopiedState {
    /// The last position of the log.
    pub position: Position,
    pub schema_version: u32,
    pub properties: u64,
    pub adverts: u64,
    pub searches: u64,
    /// Size of the write-ahead log at the end of the copy.
    pub wal_bytes: u64,
}

/// Returns the size of the database in a folder, and so of a copy.
pub fn database_bytes(folder: &Path) -> Result<u64, Error> {
    let connection = open_existing(&folder.join(FILE_NAME))?;
    let number =
        |name| connection.pragma_query_value(None, name, |row| row.get::<_, u64>(0)).map_err(Error::from);
    Ok(number("page_count")? * number("page_size")?)
}

/// Copies the database of a folder to an empty file, `pages_per_step` pages at a time. Calls `between` after each step; it may wait,
/// and breaks to cancel the copy. Returns `None` if it did. The caller creates the file, with the mode it wants, and removes it if the
/// copy fails or is cancelled.
///
/// The copy is complete in one file, without a write-ahead log, and on disk.
pub fn copy_database(
    folder: &Path,
    target: &Path,
    pages_per_step: u32,
    between: &mut dyn FnMut(CopyProgress) -> ControlFlow<()>,
) -> Result<Option<CopiedState>, Error> {
    let path = folder.join(FILE_NAME);
    let source = open_existing(&path)?;
    schema::check_owner(&source, &path)?;
    schema::check_version(&source)?;
    let source = sql::Connection::Sqlite(source);
    transfer::refuse_unfinished(&source, || folder.display().to_string())?;
    let reading = source.snapshot()?;
    let pragma = |name| reading.query_row(name, params![], |row| row.get::<u32>(0));
    // The first read chooses the state that the transaction sees to its end.
    let position = last_position(&reading)?;
    let (schema_version, page_bytes) = (pragma("PRAGMA user_version")?, pragma("PRAGMA page_size")?);
    let (properties, adverts) = read::counts(&reading)?;
    let searches = reading.query_row("SELECT count(*) FROM search", params![], |row| row.get(0))?;

    let is_complete = copy_pages(sqlite(&reading)?, target, pages_per_step, &mut |pages, pages_total| {
        between(CopyProgress { pages, pages_total, page_bytes: page_bytes.into() })
    });
    let wal_bytes = std::fs::metadata(wal_of(&path)).map_or(0, |file| file.len());
    drop(reading);
    write_back(sqlite(&source)?);
    if !is_complete? {
        return Ok(None);
    }
    seal(target)?;
    Ok(Some(CopiedState { position, schema_version, properties, adverts, searches, wal_bytes }))
}

fn sqlite(connection: &sql::Connection) -> Result<&Connection, Error> {
    connection.sqlite().ok_or(Error::Closed)
}

/// Opens a database that exists. Neither migrates it nor changes anything.
fn open_existing(path: &Path) -> Result<Connection, Error> {
    // A missing file gets an error that says so; the one of SQLite does not. The file is not opened for that: closing it would release
    // every lock that this process has on it, those of a running server's connections too, and the next process that closes the
    // database would delete the write-ahead log under the server.
    std::fs::metadata(path).map_err(|source| Error::Open { path: path.to_owned(), source })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(super::BUSY_TIMEOUT)?;
    Ok(connection)
}

/// Returns `false` if `between` has cancelled the copy.
fn copy_pages(
    source: &Connection,
    target: &Path,
    pages_per_step: u32,
    between: &mut dyn FnMut(u64, u64) -> ControlFlow<()>,
) -> Result<bool, Error> {
    let mut target = Connection::open_with_flags(target, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    // If anything goes wrong, the whole file is thrown away. A complete one is synced once, at the end.
    target.execute_batch(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA locking_mode = EXCLUSIVE;
         PRAGMA cache_size = -8192;",
    )?;
    let backup = Backup::new(source, &mut target)?;
    let step = i32::try_from(pages_per_step.max(1)).unwrap_or(i32::MAX);
    loop {
        let result = backup.step(step)?;
        let progress = backup.progress();
        let count = |pages: i32| u64::try_from(pages).unwrap_or(0);
        let total = count(progress.pagecount);
        let flow = between(total.saturating_sub(count(progress.remaining)), total);
        match result {
            StepResult::Done => return Ok(true),
            StepResult::More if flow.is_continue() => {}
            StepResult::More => return Ok(false),
            // The read transaction is open, and no other process knows the target.
            _ => return Err(Error::Unavailable("the database is locked".into())),
        }
    }
}

/// Writes the write-ahead log back into the database, as far as that keeps no writer waiting. Without this, the next writer would do all
/// of it within its own commit.
fn write_back(connection: &Connection) {
    let checkpoint = |mode: &str| {
        connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
            let (is_busy, pages, written): (bool, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            Ok(if is_busy { None } else { Some(pages - written) })
        })
    };
    let run = || -> Result<(), rusqlite::Error> {
        for _ in 0..WRITE_BACK_ROUNDS {
            // If it is busy, the writer does it already.
            match checkpoint("PASSIVE")? {
                Some(rest) if rest > WRITE_BACK_REST => {}
                Some(_) | None => break,
            }
        }
        connection.busy_timeout(TRUNCATE_TIMEOUT)?;
        checkpoint("TRUNCATE").map(drop)
    };
    if let Err(error) = run() {
        tracing::warn!(
            error = &error as &dyn std::error::Error,
            "the write-ahead log was not written back after a copy; the next checkpoint does it"
        );
    }
}

/// Makes a copy complete in one file, and syncs it.
fn seal(path: &Path) -> Result<(), Error> {
    let connection = Connection::open(path)?;
    // The copy says, like its original, that it has a write-ahead log.
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| Error::from(error))?;
    sync(path)
}

/// Checks the pages of a copy, without its records. Returns the first problem that SQLite finds.
pub fn check_copy(path: &Path) -> Result<Option<Finding>, Error> {
    let check = || -> Result<String, Error> {
        let connection = schema::open_for_reading(path)?;
        schema::check_owner(&connection, path)?;
        Ok(connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?)
    };
    let problem = match check() {
        Ok(problem) if problem == "ok" => return Ok(None),
        Ok(problem) => problem,
        Err(Error::Corrupt { what, .. }) => format!("{what} is damaged"),
        Err(error) => return Err(error),
    };
    Ok(Some(Finding { kind: RecordKind::Database, id: FILE_NAME.to_owned(), problem }))
}

fn sync(path: &Path) -> Result<(), Error> {
    let synced = File::open(path).and_then(|file| file.sync_all());
    synced.map_err(|source| Error::Open { path: path.to_owned(), source })
}

fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// The result of verifying a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VerifiedCopy {
    pub records: u64,
    /// Sorted, each once.
    pub findings: Vec<Finding>,
}

/// Checks every record of a copy, like [`MaintenanceStore::verify`](crate::MaintenanceStore::verify). Calls `between` with the number of
/// records after each page; it breaks to cancel. Returns `None` if it did.
pub fn verify_copy(
    path: &Path,
    between: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> Result<Option<VerifiedCopy>, Error> {
    let connection = sql::Connection::Sqlite(schema::open_for_reading(path)?);
    let mut verified = VerifiedCopy::default();
    let mut next = Some(VerifyCursor::default());
    while let Some(cursor) = next {
        let page = verify::page(&connection, &cursor)?;
        verified.records += page.checked.iter().map(|(_, count)| count).sum::<u64>();
        verified.findings.extend(page.findings);
        next = page.rest;
        if between(verified.records).is_break() {
            return Ok(None);
        }
    }
    verified.findings.sort();
    verified.findings.dedup();
    Ok(Some(verified))
}

/// A restored copy that a server may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoredState {
    /// The last position of its log.
    pub position: Position,
    /// Since when deliveries are held ([`DELIVERIES_HELD`]); `None` if a server sends them.
    pub deliveries_held: Option<String>,
}

/// Prepares a restored copy for a server: migrates its schema and, if `hold_since` is given, holds its deliveries. Deliveries that were
/// held in the original stay so.
pub fn prepare_restored(path: &Path, hold_since: Option<&str>) -> Result<RestoredState, Error> {
    let connection = sql::Connection::Sqlite(schema::open_for_writing(path)?);
    if hold_since.is_some() {
        metadata::set(&connection, DELIVERIES_HELD, hold_since)?;
    }
    let state = RestoredState {
        position: last_position(&connection)?,
        deliveries_held: metadata::get(&connection, DELIVERIES_HELD)?,
    };
    // One file can be renamed; a write-ahead log beside it could not.
    let sql::Connection::Sqlite(connection) = connection else { return Err(Error::Closed) };
    connection.query_row("PRAGMA journal_mode = DELETE", [], |_| Ok(()))?;
    connection.close().map_err(|(_, error)| Error::from(error))?;
    sync(path)?;
    Ok(state)
}
