//! The tables on PostgreSQL, and their migrations.
//!
//! Servers are upgraded one after the other: the first one of a new release migrates the tables while those of the release before go on
//! with them. A migration after which they could not says so, and waits for nothing: it is refused while other servers run.

use std::time::Duration;

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, SimpleQueryMessage};

use super::timeline;
use crate::error::Error;
use crate::sql::error::{SqlError, sql_error};
use crate::sql::value::params;
use crate::sql::{Connection, SqlResult, metadata};

/// A change of the tables.
struct Migration {
    sql: &'static str,
    older: OlderServers,
}

/// What servers that do not know a migration can do after it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OlderServers {
    /// It adds what they do not look at.
    GoOn,
    MustStop,
}

/// In order. The schema version is the number of migrations that have run. A released migration is never edited.
const MIGRATIONS: &[Migration] = &[
    Migration {
        sql: include_str!("../../migrations/postgres/0001_foundation.sql"),
        older: OlderServers::MustStop,
    },
    Migration {
        sql: include_str!("../../migrations/postgres/0002_writes_and_timelines.sql"),
        older: OlderServers::MustStop,
    },
    Migration {
        sql: include_str!("../../migrations/postgres/0003_rolling_upgrades.sql"),
        older: OlderServers::GoOn,
    },
];

/// The advisory lock of processes that open the database: "Vigi" in ASCII.
const OPENING: i64 = 1_449_748_329;

/// The name of the metadata with the identity of the database.
const IDENTITY: &str = "database_identity";

/// How often a migration is tried that needs a lock which a long query has, and how long other queries go first in between.
const TRIES_MAX: usize = 60;
const TRY_INTERVAL: Duration = Duration::from_secs(3);

/// How often it is looked whether other servers still run: the session of one that has stopped takes a moment to end, and one that has just
/// started does not wait for its turn yet.
const LOOKS_MAX: usize = 30;
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Creates or migrates the tables. Several processes may start at the same time: one migrates and the others wait. Returns the identity
/// of the database.
pub fn migrate(connection: &Connection) -> Result<String, Error> {
    for _ in 1..TRIES_MAX {
        match migrate_once(connection, MIGRATIONS) {
            Err(error) if is_lock_timeout(&error) => {
                tracing::info!("the tables are in use; trying again to change them");
                pause(connection, TRY_INTERVAL);
            }
            migrated => return migrated,
        }
    }
    migrate_once(connection, MIGRATIONS)
}

fn pause(connection: &Connection, duration: Duration) {
    if let Some(postgres) = connection.postgres() {
        postgres.pause(duration);
    }
}

fn is_lock_timeout(error: &Error) -> bool {
    let Some(SqlError::Postgres(error)) = sql_error(error) else { return false };
    error.code() == Some(&SqlState::LOCK_NOT_AVAILABLE)
}

fn migrate_once(connection: &Connection, migrations: &[Migration]) -> Result<String, Error> {
    connection.execute_batch("BEGIN")?;
    let migrated = migrate_in_transaction(connection, migrations);
    let ended = connection.execute_batch(if migrated.is_ok() { "COMMIT" } else { "ROLLBACK" });
    migrated.and_then(|()| Ok(ended?))?;
    metadata::get(connection, IDENTITY)?.ok_or_else(|| Error::corrupt("the identity of the database"))
}

fn migrate_in_transaction(connection: &Connection, migrations: &[Migration]) -> Result<(), Error> {
    // The migration of another process may take long, and so may this one.
    connection.execute_batch("SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = 0")?;
    if let Some(postgres) = connection.postgres() {
        postgres.set_patient(true);
        let waited = wait_for_opening(connection);
        postgres.set_patient(false);
        waited?;
    }
    // Queries of other servers wait behind a change that waits for a lock.
    connection.execute_batch("SET LOCAL lock_timeout = '2s'")?;
    connection.execute_batch("CREATE TABLE IF NOT EXISTS vigie_schema (version BIGINT NOT NULL)")?;
    let (found, known) = (schema_version(connection)?, count(migrations));
    if found > known {
        check_support(connection, found, known)?;
    }
    let missing = migrations.get(found as usize..).unwrap_or_default();
    if found > 0 && missing.iter().any(|migration| migration.older == OlderServers::MustStop) {
        refuse_if_in_use(connection)?;
    }
    for migration in missing {
        connection.execute_batch(migration.sql)?;
    }
    if !missing.is_empty() {
        let last_break = migrations.iter().rposition(|migration| migration.older == OlderServers::MustStop);
        let oldest_supported = last_break.map_or(0, |place| place + 1);
        connection.execute_batch("DELETE FROM vigie_schema")?;
        connection
            .prepare_cached("INSERT INTO vigie_schema (version, oldest_supported) VALUES (?1, ?2)")?
            .execute(params![known, oldest_supported as u64])?;
        if found > 0 {
            tracing::info!(from = found, to = known, "the tables were migrated");
        }
    }
    timeline::record_when_opened(connection)
}

fn count(migrations: &[Migration]) -> u32 {
    u32::try_from(migrations.len()).unwrap_or(u32::MAX)
}

/// Fails if servers of this release cannot work with the tables of a later one.
fn check_support(connection: &Connection, found: u32, known: u32) -> Result<(), Error> {
    let sql = "SELECT max(oldest_supported) FROM vigie_schema";
    let oldest: u32 = connection.query_row(sql, params![], |row| row.get(0))?;
    if oldest > known { Err(Error::TooNew { found, known }) } else { Ok(()) }
}

/// Fails if other processes work with the tables: those that are the same database user, because an address may give a server any other
/// name. Those that wait to open the database do not yet.
fn refuse_if_in_use(connection: &Connection) -> Result<(), Error> {
    let others = "SELECT 1 FROM pg_stat_activity
         WHERE datname = current_database() AND usename = current_user AND pid <> pg_backend_pid()
             AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)";
    for _ in 0..LOOKS_MAX {
        if !connection.prepare_cached(others)?.exists(params![])? {
            return Ok(());
        }
        pause(connection, LOOK_INTERVAL);
    }
    Err(Error::OtherServers)
}

/// Waits until no other process opens the database. Others wait until this transaction ends.
pub fn wait_for_opening(connection: &Connection) -> SqlResult<()> {
    let lock = format!("SELECT 1 FROM (SELECT pg_advisory_xact_lock({OPENING})) AS lock");
    connection.prepare_cached(&lock)?.exists(params![]).map(drop)
}

/// Fails if the tables were migrated while this process had no connection, to a form that it does not know.
pub async fn check_again(client: &Client) -> SqlResult<()> {
    // The second statement sees what the migration that the first one waits for has committed.
    let sql = format!(
        "SELECT pg_advisory_xact_lock_shared({OPENING}); SELECT max(oldest_supported) FROM vigie_schema"
    );
    let messages = match client.simple_query(&sql).await {
        // No process of ours has opened this database yet.
        Err(error) if matches!(error.code(), Some(&SqlState::UNDEFINED_TABLE)) => return Ok(()),
        messages => messages?,
    };
    let oldest = messages.iter().rev().find_map(|message| match message {
        SimpleQueryMessage::Row(row) => row.get(0)?.parse::<u32>().ok(),
        _ => None,
    });
    if oldest.is_some_and(|oldest| oldest > count(MIGRATIONS)) {
        let reason = "the database belongs to a later release: replace this server by one of that release";
        return Err(SqlError::Connection(reason.to_owned()));
    }
    Ok(())
}

/// Returns `false` if the database has no tables of ours. Refuses those of another release, and changes nothing.
pub fn check_version(connection: &Connection) -> Result<bool, Error> {
    let exists = "SELECT to_regclass('vigie_schema') IS NOT NULL";
    if !connection.query_row(exists, params![], |row| row.get::<bool>(0))? {
        return Ok(false);
    }
    let known = count(MIGRATIONS);
    match schema_version(connection)? {
        found if found > known => Err(Error::TooNew { found, known }),
        found if found < known => Err(Error::TooOld { found, known }),
        _ => Ok(true),
    }
}

fn schema_version(connection: &Connection) -> SqlResult<u32> {
    connection.query_row("SELECT coalesce(max(version), 0) FROM vigie_schema", params![], |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::postgres::{PostgresConnection, PostgresOptions};

    const ADDS: Migration = Migration { sql: "CREATE TABLE added ()", older: OlderServers::GoOn };
    const BREAKS: Migration = Migration { sql: "DROP TABLE outbox", older: OlderServers::MustStop };

    /// The migrations of a later release.
    fn later(more: Vec<Migration>) -> Vec<Migration> {
        let known = MIGRATIONS.iter().map(|Migration { sql, older }| Migration { sql, older: *older });
        known.chain(more).collect()
    }

    fn options() -> PostgresOptions {
        let server = local_postgres::shared();
        server.url(&server.create_database()).parse().unwrap()
    }

    fn open(options: &PostgresOptions) -> Connection {
        Connection::Postgres(Box::new(PostgresConnection::open(options).unwrap()))
    }

    #[test]
    fn servers_of_two_releases_work_with_tables_that_suit_both() {
        let options = options();
        let older = open(&options);
        let identity = migrate(&older).unwrap();
        let newer = open(&options);
        assert_eq!(migrate_once(&newer, &later(vec![ADDS])).unwrap(), identity);
        assert_eq!(schema_version(&older).unwrap(), count(MIGRATIONS) + 1);
        // A server of the older release that restarts meanwhile.
        assert_eq!(migrate(&open(&options)).unwrap(), identity);
        assert_eq!(schema_version(&older).unwrap(), count(MIGRATIONS) + 1, "it leaves the tables alone");
    }

    #[test]
    fn tables_that_suit_one_release_only_are_made_when_no_server_runs() {
        let options = options();
        let older = open(&options);
        migrate(&older).unwrap();
        let newer = open(&options);
        let refused = migrate_once(&newer, &later(vec![BREAKS, ADDS]));
        assert!(matches!(refused, Err(Error::OtherServers)), "{refused:?}");
        assert_eq!(schema_version(&newer).unwrap(), count(MIGRATIONS));
        drop(older);
        migrate_once(&newer, &later(vec![BREAKS, ADDS])).unwrap();
        assert_eq!(schema_version(&newer).unwrap(), count(MIGRATIONS) + 2);
        let refused = migrate(&open(&options));
        assert!(matches!(refused, Err(Error::TooNew { .. })), "{refused:?}");
    }

    #[test]
    fn a_server_that_was_cut_off_during_a_migration_does_not_go_on() {
        let options = options();
        let older = open(&options);
        migrate(&older).unwrap();
        let newer = open(&options);
        let others = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let cut_off = || newer.query_row(others, params![], |row| row.get::<u32>(0)).unwrap();
        let ask_again = || {
            let postgres = older.postgres().unwrap();
            // The end of a session is noticed when it is used.
            let _ = older.execute_batch("SELECT 1");
            postgres.ensure_connected()
        };
        assert_eq!(cut_off(), 1);
        migrate_once(&newer, &later(vec![ADDS])).unwrap();
        ask_again().unwrap();
        assert_eq!(cut_off(), 1);
        migrate_once(&newer, &later(vec![ADDS, BREAKS])).unwrap();
        let refused = ask_again();
        assert!(
            matches!(&refused, Err(SqlError::Connection(reason)) if reason.contains("a later release")),
            "{refused:?}"
        );
    }

    #[test]
    fn a_migration_waits_for_a_long_query() {
        let options = options();
        let older = open(&options);
        let identity = migrate(&older).unwrap();
        older.execute_batch("BEGIN; LOCK TABLE vigie_schema").unwrap();
        std::thread::scope(|scope| {
            let migrated = scope.spawn(|| migrate(&open(&options)).unwrap());
            let tried = scope.spawn(|| migrate_once(&open(&options), MIGRATIONS)).join().unwrap();
            assert!(is_lock_timeout(&tried.unwrap_err()));
            older.execute_batch("ROLLBACK").unwrap();
            assert_eq!(migrated.join().unwrap(), identity);
        });
    }
}
