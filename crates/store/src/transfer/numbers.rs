//! The last numbers that a database has given, so that the copy gives none of them again.

use super::tables::{InPostgres, InSqlite, Numbers};
use crate::sql::value::params;
use crate::sql::{Connection, SqlResult};

/// Returns the last number; 0 if none was given.
pub fn last(connection: &Connection, numbers: &Numbers) -> SqlResult<i64> {
    let Numbers { table, column, sqlite, postgres } = numbers;
    let sql = match (connection.is_postgres(), sqlite, postgres) {
        (false, InSqlite::Kept, _) => {
            format!("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = '{table}'")
        }
        (false, InSqlite::Greatest, _) => format!("SELECT coalesce(max(\"{column}\"), 0) FROM \"{table}\""),
        (true, _, InPostgres::Counter) => {
            format!("SELECT coalesce(max(last), 0) FROM counter WHERE name = '{table}'")
        }
        (true, _, InPostgres::Sequence) => {
            format!("SELECT coalesce(pg_sequence_last_value({}), 0)", sequence(table, column))
        }
    };
    connection.query_row(&sql, params![], |row| row.get(0))
}

/// Stores the last number. Does nothing where the database takes it from the rows.
pub fn set_last(connection: &Connection, numbers: &Numbers, last: i64) -> SqlResult<()> {
    let Numbers { table, column, sqlite, postgres } = numbers;
    match (connection.is_postgres(), sqlite, postgres) {
        (false, InSqlite::Greatest, _) => Ok(()),
        (false, InSqlite::Kept, _) => {
            connection.execute("DELETE FROM sqlite_sequence WHERE name = ?1", params![*table])?;
            if last > 0 {
                let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
                connection.execute(insert, params![*table, last])?;
            }
            Ok(())
        }
        (true, _, InPostgres::Counter) => connection
            .execute("UPDATE counter SET last = ?1 WHERE name = ?2", params![last, *table])
            .map(drop),
        (true, _, InPostgres::Sequence) => {
            // A sequence that has given no number gives 1 next.
            let (sequence, given, is_given) = (sequence(table, column), last.max(1), last > 0);
            let set = format!("SELECT setval({sequence}, {given}, {is_given})");
            connection.query_row(&set, params![], |row| row.get::<i64>(0)).map(drop)
        }
    }
}

/// Returns `true` if the database knows the last number even after its row was deleted.
pub const fn is_kept(connection: &Connection, numbers: &Numbers) -> bool {
    connection.is_postgres() || matches!(numbers.sqlite, InSqlite::Kept)
}

fn sequence(table: &str, column: &str) -> String {
    format!("pg_get_serial_sequence('\"{table}\"', '{column}')::regclass")
}
