//! Opening the database, and migrating its schema.

use std::cmp::Ordering;
use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::BUSY_TIMEOUT;
use crate::error::Error;

/// In order. The schema version is the number of migrations that have run. A released migration is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/0001_foundation.sql"),
    include_str!("../../migrations/0002_sites.sql"),
    include_str!("../../migrations/0003_searches.sql"),
    include_str!("../../migrations/0004_deliveries.sql"),
    include_str!("../../migrations/0005_plain_names.sql"),
    include_str!("../../migrations/0006_grouping.sql"),
    include_str!("../../migrations/0007_usage.sql"),
    include_str!("../../migrations/0008_egress.sql"),
    include_str!("../../migrations/0009_retention.sql"),
    include_str!("../../migrations/0010_sessions.sql"),
    include_str!("../../migrations/0011_attempt_details.sql"),
];

/// "Vigi" in ASCII: distinguishes our databases from those of other programs and from empty files.
const APPLICATION_ID: i32 = 0x5669_6769;

/// More than the number of distinct statements, about 120: each is prepared once per connection.
const STATEMENT_CACHE_SIZE: usize = 192;

pub fn open_for_writing(path: &Path) -> Result<Connection, Error> {
    let mut connection = Connection::open(path)?;
    configure(&connection)?;
    check_owner(&connection, path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL;
         -- A commit is on disk before it is acknowledged, so that it survives a crash and a loss of power.
         PRAGMA synchronous = FULL;
         -- Overwrites deleted content: an erased advert must not survive in free pages.
         PRAGMA secure_delete = ON;
         PRAGMA foreign_keys = ON;
         -- 128 MiB between checkpoints: bulk imports rewrite the same pages often, and copying them back each time costs
         -- more than the disk space.
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
    configure(&connection)?;
    connection.execute_batch("PRAGMA cache_size = -16384; PRAGMA query_only = ON;")?;
    Ok(connection)
}

fn configure(connection: &Connection) -> Result<(), Error> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE_SIZE);
    // Query plans do not depend on bound values. Without this, SQLite as compiled here plans a statement again whenever its values
    // change, which took a quarter of the CPU time of a delivering server.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Refuses a database that another program created.
pub fn check_owner(connection: &Connection, path: &Path) -> Result<(), Error> {
    // One transaction for both reads: another process may be creating the tables at the same time.
    let reading = connection.unchecked_transaction()?;
    let id: i32 = reading.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: i64 = reading.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    reading.rollback()?;
    if id == APPLICATION_ID || (id == 0 && tables == 0) {
        return Ok(());
    }
    Err(Error::NotOurs { path: path.to_owned() })
}

/// Refuses a database whose schema is not the one of this release.
pub fn check_version(connection: &Connection) -> Result<(), Error> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    match found.cmp(&known) {
        Ordering::Less => Err(Error::TooOld { found, known }),
        Ordering::Equal => Ok(()),
        Ordering::Greater => Err(Error::TooNew { found, known }),
    }
}

fn migrate(connection: &mut Connection) -> Result<(), Error> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    // Read inside the transaction: two processes may open a new folder at the same time.
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
    fn statements_are_planned_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("planned.sqlite");
        let writing = open_for_writing(&path).unwrap();
        let reading = open_for_reading(&path).unwrap();
        // Two statements that SQLite used to plan again: one joins by a key, one has a limit.
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
