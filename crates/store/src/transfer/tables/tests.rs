//! The lists against both schemas. If one of these tests fails after a migration, add what is new to a list of `tables.rs`.

use std::collections::BTreeSet;

use super::*;
use crate::postgres::{PostgresConnection, schema};
use crate::sql::value::params;
use crate::sql::{Connection, SqlResult};
use crate::sqlite;
use crate::transfer::rows;

type Names = BTreeSet<String>;

fn sqlite_database() -> (tempfile::TempDir, Connection) {
    let folder = tempfile::tempdir().unwrap();
    let (connection, _opening) = sqlite::open_folder(folder.path()).unwrap();
    (folder, Connection::Sqlite(connection))
}

fn postgres_database() -> Connection {
    let server = local_postgres::shared();
    let options = server.url(&server.create_database()).parse().unwrap();
    let connection = Connection::Postgres(Box::new(PostgresConnection::open(&options).unwrap()));
    schema::migrate(&connection).unwrap();
    connection
}

fn names(connection: &Connection, sql: &str) -> Names {
    let mut statement = connection.prepare_cached(sql).unwrap();
    let rows = statement.query_map(params![], |row| row.get::<String>(0)).unwrap();
    rows.collect::<SqlResult<_>>().unwrap()
}

fn set<'n>(names: impl IntoIterator<Item = &'n str>) -> Names {
    names.into_iter().map(str::to_owned).collect()
}

#[test]
fn every_table_is_copied_or_left_out() {
    let (_folder, sqlite) = sqlite_database();
    let postgres = postgres_database();
    let in_sqlite = names(&sqlite, "SELECT name FROM sqlite_schema WHERE type = 'table'");
    let in_postgres =
        names(&postgres, "SELECT tablename::TEXT FROM pg_tables WHERE schemaname = current_schema()");
    let copied = set(TABLES.iter().map(|table| table.name));
    assert_eq!(copied.len(), TABLES.len(), "a table is in the list twice");
    let left_out = set(LEFT_OUT.iter().copied());
    for (database, found) in [("SQLite", &in_sqlite), ("PostgreSQL", &in_postgres)] {
        let rest: Vec<&String> = found.iter().filter(|name| !left_out.contains(*name)).collect();
        assert_eq!(rest, copied.iter().collect::<Vec<_>>(), "the tables of {database}");
    }
    let stale: Vec<&String> =
        left_out.iter().filter(|name| !in_sqlite.contains(*name) && !in_postgres.contains(*name)).collect();
    assert!(stale.is_empty(), "in the list of those left out, and in no database: {stale:?}");
}

#[test]
fn tables_have_the_same_columns_and_keys_in_both_databases() {
    let (_folder, sqlite) = sqlite_database();
    let postgres = postgres_database();
    for table in TABLES {
        let columns = rows::columns(&sqlite, table.name).unwrap();
        assert_eq!(columns, rows::columns(&postgres, table.name).unwrap(), "{}", table.name);
        let key = "SELECT name FROM pragma_table_info(?1) WHERE pk > 0 ORDER BY pk";
        let mut statement = sqlite.prepare_cached(key).unwrap();
        let key = statement.query_map([table.name], |row| row.get::<String>(0)).unwrap();
        assert_eq!(key.collect::<SqlResult<Vec<_>>>().unwrap(), table.key, "the key of {}", table.name);
        let key = "SELECT a.attname::TEXT FROM pg_index i, pg_attribute a,
                 unnest(i.indkey::int2[]) WITH ORDINALITY AS k (number, ordinal)
             WHERE i.indisprimary AND i.indrelid = to_regclass('\"' || ?1 || '\"')
                 AND a.attrelid = i.indrelid AND a.attnum = k.number ORDER BY k.ordinal";
        let mut statement = postgres.prepare_cached(key).unwrap();
        let key = statement.query_map([table.name], |row| row.get::<String>(0)).unwrap();
        assert_eq!(key.collect::<SqlResult<Vec<_>>>().unwrap(), table.key, "the key of {}", table.name);
    }
}

#[test]
fn new_databases_have_rows_only_in_the_tables_that_say_so() {
    let (_folder, sqlite) = sqlite_database();
    let postgres = postgres_database();
    for connection in [&sqlite, &postgres] {
        let filled = TABLES.iter().filter(|table| rows::count(connection, table).unwrap() > 0);
        let filled = set(filled.map(|table| table.name));
        assert_eq!(filled, set(INITIAL_ROWS.iter().copied()));
    }
}

#[test]
fn all_numbers_that_a_database_gives_continue() {
    let (_folder, sqlite) = sqlite_database();
    let postgres = postgres_database();
    let kept =
        names(&sqlite, "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql LIKE '%AUTOINCREMENT%'");
    assert_eq!(kept, set(NUMBERS.iter().filter(|it| it.sqlite == InSqlite::Kept).map(|it| it.table)));
    let counters = NUMBERS.iter().filter(|it| it.postgres == InPostgres::Counter);
    assert_eq!(names(&postgres, "SELECT name FROM counter"), set(counters.map(|it| it.table)));
    let identities = names(
        &postgres,
        "SELECT table_name || '.' || column_name FROM information_schema.columns
         WHERE table_schema = current_schema() AND (is_identity = 'YES' OR column_default LIKE 'nextval%')",
    );
    let sequences = NUMBERS.iter().filter(|it| it.postgres == InPostgres::Sequence);
    let mut expected: Names = sequences.map(|it| format!("{}.{}", it.table, it.column)).collect();
    expected.extend(LEFT_OUT_COLUMNS.iter().map(|(table, column)| format!("{table}.{column}")));
    assert_eq!(identities, expected);
}
