//! Opening the database and bringing its schema up to date.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::BUSY_TIMEOUT;
use crate::error::Error;

/// In order; the schema's version is how many of them have run. A released migration is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_foundation.sql"),
    include_str!("../../migrations/0002_sites.sql"),
    include_str!("../../migrations/0003_searches.sql"),
    include_str!("../../migrations/0004_deliveries.sql"),
];

/// "Vigi" in ASCII: tells our databases from others' and from nothing.
const APPLICATION_ID: i32 = 0x5669_6769;

/// Statements are prepared once and kept; there are about a hundred and twenty.
const STATEMENTS_KEPT: usize = 192;

pub fn open_for_writing(path: &Path) -> Result<Connection, Error> {
    let mut connection = Connection::open(path)?;
    prepare(&connection)?;
    check_owner(&connection, path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         -- A commit is on disk before it is acknowledged, come a crash or a loss of power.
         PRAGMA synchronous = FULL;
         -- What is deleted is overwritten: an erased advert must not survive in free pages.
         PRAGMA secure_delete = ON;
         PRAGMA foreign_keys = ON;
         -- 128 MiB between checkpoints: bulk imports rewrite the same pages often, and copying them back each time costs
         -- more than the room.
         PRAGMA wal_autocheckpoint = 32768;
         PRAGMA cache_size = -65536;",
    )?;
    migrate(&mut connection)?;
    Ok(connection)
}

pub fn open_for_reading(path: &Path) -> Result<Connection, Error> {
    let connection = Connection::open_with_flags(
        path,
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI,
    )?;
    prepare(&connection)?;
    connection.execute_batch("PRAGMA cache_size = -16384; PRAGMA query_only = ON;")?;
    Ok(connection)
}

fn prepare(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    // Plans do not depend on what is bound. Else SQLite, as it is compiled here, plans a statement anew whenever it is run with
    // other values, which took a quarter of the time of a server that delivers.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Refuses to touch a database that somebody else made.
fn check_owner(connection: &Connection, path: &Path) -> Result<(), Error> {
    // One transaction for both: another process may be making the tables at this very moment.
    let reading = connection.unchecked_transaction()?;
    let id: i32 = reading.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    reading.rollback()?;
    if id == APPLICATION_ID || (id == 0 && tables == 0) {
        return Ok(());
    }
    Err(Error::NotOurs { path: path.to_owned() })
}

fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    // The version is read inside the transaction: two processes may open a new folder at the same moment.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if found > known {
        return Err(Error::TooNew { found, known });
    }
    for migration in MIGRATIONS.iter().skip(found as usize) {
        transaction.execute_batch(migration)?;
    }
    if found < known {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", known)?;
    }
    transaction.commit()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn a_statement_is_planned_once_whatever_is_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("planned.sqlite");
        let writing = open_for_writing(&path).unwrap();
        let reading = open_for_reading(&path).unwrap();
        // Two of those that were planned again and again: a key that leads from table to table, and a limit.
        for sql in [
            "SELECT s.record FROM search s LEFT JOIN search_alert a ON a.number = s.number WHERE s.number = ?1",
            "SELECT sequence FROM delivery INDEXED BY delivery_pending WHERE state = 0 AND lane = 1 LIMIT ?1",
        ] {
            for connection in [&writing, &reading] {
                let mut statement = connection.prepare(sql).unwrap();
                for number in 1..10 {
                    assert!(!statement.exists([number]).unwrap());
                }
                assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
            }
        }
    }
}
