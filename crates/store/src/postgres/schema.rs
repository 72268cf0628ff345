//! The tables on PostgreSQL, and their migrations.

use super::timeline;
use crate::error::Error;
use crate::sql::value::params;
use crate::sql::{Connection, SqlResult, metadata};

/// In order. The schema version is the number of migrations that have run. A released migration is never edited.
const MIGRATIONS: &[&str] = &[
    include_str!("../../migrations/postgres/0001_foundation.sql"),
    include_str!("../../migrations/postgres/0002_writes_and_timelines.sql"),
];

/// The name of the metadata with the identity of the database.
const IDENTITY: &str = "database_identity";

/// Creates or migrates the tables. Several processes may start at the same time: one migrates and the others wait. Returns the identity
/// of the database.
pub fn migrate(connection: &Connection) -> Result<String, Error> {
    connection.execute_batch("BEGIN")?;
    let migrated = migrate_in_transaction(connection);
    let ended = connection.execute_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" });
    migrated.and_then(|()| Ok(ended?))?;
    metadata::get(connection, IDENTITY)?.ok_or_else(|| Error::corrupt("the identity of the database"))
}

fn migrate_in_transaction(connection: &Connection) -> Result<(), Error> {
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    wait_for_opening(connection)?;
    connection.execute_batch("CREATE TABLE IF NOT EXISTS vigie_schema (version BIGINT NOT NULL)")?;
    let found = schema_version(connection)?;
    if found > known {
        return Err(Error::TooNew { found, known });
    }
    for migration in MIGRATIONS.iter().skip(found as usize) {
        connection.execute_batch(migration)?;
    }
    if found < known {
        connection.execute_batch("DELETE FROM vigie_schema")?;
        connection
            .prepare_cached("INSERT INTO vigie_schema (version) VALUES (?1)")?
            .execute(params![known])?;
    }
    timeline::record_when_opened(connection)
}

/// Waits until no other process opens the database. Others wait until this transaction ends.
pub fn wait_for_opening(connection: &Connection) -> SqlResult<()> {
    // "Vigi" in ASCII.
    let lock = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1449748329)) AS lock";
    connection.prepare_cached(lock)?.exists(params![]).map(drop)
}

/// Returns `false` if the database has no tables of ours. Refuses those of another release, and changes nothing.
pub fn check_version(connection: &Connection) -> Result<bool, Error> {
    let exists = "SELECT to_regclass('vigie_schema') IS NOT NULL";
    if !connection.query_row(exists, params![], |row| row.get::<bool>(0))? {
        return Ok(false);
    }
    let known = u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX);
    match schema_version(connection)? {
        found if found > known => Err(Error::TooNew { found, known }),
        found if found < known => Err(Error::TooOld { found, known }),
        _ => Ok(true),
    }
}

fn schema_version(connection: &Connection) -> SqlResult<u32> {
    connection.query_row("SELECT coalesce(max(version), 0) FROM vigie_schema", params![], |row| row.get(0))
}
