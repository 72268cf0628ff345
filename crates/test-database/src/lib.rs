//! The database of a data folder in tests: embedded in it, or one on PostgreSQL of its own if `VIGIE_TEST_POSTGRES` is set, so that the same tests
//! run on both. A folder that was neither opened nor reserved here has an embedded one.

#![expect(clippy::unwrap_used, reason = "a test without its database cannot go on")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use store::SqlStore;
use store::sqlite::FILE_NAME;

/// The databases on PostgreSQL, by data folder.
static DATABASES: LazyLock<Mutex<HashMap<PathBuf, Database>>> = LazyLock::new(Mutex::default);

struct Database {
    name: String,
    /// The data folder, or the one in which it is to be created. A test removes it at its end.
    folder: PathBuf,
}

/// Returns whether the tests are to run on PostgreSQL.
pub fn is_postgres() -> bool {
    std::env::var_os("VIGIE_TEST_POSTGRES").is_some()
}

fn databases() -> MutexGuard<'static, HashMap<PathBuf, Database>> {
    DATABASES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the name of the database of a folder, created the first time. Databases of tests that have ended are dropped then: hundreds of them
/// would take gigabytes.
fn name(folder: &Path, create: impl FnOnce() -> String) -> String {
    if let Some(name) = existing(folder) {
        return name;
    }
    let ended: Vec<Database> = databases()
        .extract_if(|_, database| matches!(database.folder.try_exists(), Ok(false)))
        .map(|(_, ended)| ended)
        .collect();
    for Database { name, .. } in ended {
        local_postgres::shared().drop_database(&name);
    }
    let name = create();
    let existing = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder).to_owned();
    databases().insert(folder.to_owned(), Database { name: name.clone(), folder: existing });
    name
}

/// Opens the database of a data folder; the same one each time.
pub fn open(folder: &Path) -> SqlStore {
    if is_postgres() { open_shared(folder) } else { SqlStore::open(folder).unwrap() }
}

/// Does the same on PostgreSQL in any case, for tests of what several servers do.
pub fn open_shared(folder: &Path) -> SqlStore {
    let name = name(folder, || {
        local_postgres::prepared_database(|url| {
            drop(SqlStore::connect(&url.parse().unwrap()).unwrap());
        })
    });
    SqlStore::connect(&local_postgres::shared().url(&name).parse().unwrap()).unwrap()
}

/// Lets a folder have a database in which nothing has been created yet.
pub fn reserve(folder: &Path) {
    if is_postgres() {
        name(folder, || local_postgres::shared().create_database());
    }
}

/// Returns the address of the database of a folder, if that is on PostgreSQL.
pub fn address(folder: &Path) -> Option<String> {
    existing(folder).map(|name| local_postgres::shared().url(&name))
}

fn existing(folder: &Path) -> Option<String> {
    databases().get(folder).map(|database| database.name.clone())
}

/// Runs a statement beside whatever is open, and returns how many rows it has changed. It is written for SQLite; of what differs, only bytes
/// (`x'01ff'`) are translated.
pub fn change(folder: &Path, sql: &str) -> usize {
    match existing(folder) {
        None => embedded(folder).execute(sql, []).unwrap(),
        Some(name) => {
            local_postgres::shared().query(&name, &format!("{} RETURNING 1", translated(sql))).len()
        }
    }
}

/// Runs statements beside whatever is open, written as for [`change`].
pub fn execute(folder: &Path, sql: &str) {
    match existing(folder) {
        None => embedded(folder).execute_batch(sql).unwrap(),
        Some(name) => local_postgres::shared().execute(&name, &translated(sql)),
    }
}

/// Makes the record of a property unreadable, by its id.
pub fn damage_property(folder: &Path, id: &[u8]) {
    let hex: String = id.iter().map(|byte| format!("{byte:02x}")).collect();
    let sql = format!("UPDATE property_version SET record = x'01ff' WHERE property_id = x'{hex}'");
    assert_eq!(change(folder, &sql), 1, "{sql}");
}

fn embedded(folder: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(folder.join(FILE_NAME)).unwrap()
}

fn translated(sql: &str) -> String {
    sql.replace("x'", "bytea '\\x")
}

/// Lets a command of the program work on a data folder and its database.
pub fn select<'a>(folder: &Path, command: &'a mut Command) -> &'a mut Command {
    command.arg("--data").arg(folder);
    if let Some(address) = address(folder) {
        command.env("VIGIE_STORE__DATABASE", address);
    }
    command
}
