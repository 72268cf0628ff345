//! Roles that one process has at a time, on PostgreSQL.
//!
//! A role is a lease by the clock of the database. It only saves work: what its holder writes is guarded by itself, such as the
//! matcher's batches by their checkpoint, so that a process that lost the role without knowing does no harm.

use std::time::Duration;

use super::{Connection, params};
use crate::error::Error;

pub fn take(connection: &Connection, role: &str, holder: u64, lease: Duration) -> Result<bool, Error> {
    let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX);
    let taken = connection.execute(
        "INSERT INTO worker_role (name, holder, held_until)
         VALUES (?1, ?2, CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT) + ?3)
         ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, held_until = excluded.held_until
             WHERE worker_role.holder = excluded.holder OR worker_role.held_until
                 <= CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
        params![role, holder, lease],
    )?;
    Ok(taken > 0)
}
