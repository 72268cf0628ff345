//! Small values under a name.

use crate::error::Error;
use crate::sql::{Connection, OptionalExtension};

pub fn get(connection: &Connection, name: &str) -> Result<Option<String>, Error> {
    let mut statement = connection.prepare_cached("SELECT value FROM metadata WHERE name = ?1")?;
    Ok(statement.query_row([name], |row| row.get(0)).optional()?)
}

pub fn set(connection: &Connection, name: &str, value: Option<&str>) -> Result<(), Error> {
    match value {
        Some(value) => connection
            .prepare_cached(
                "INSERT INTO metadata (name, value) VALUES (?1, ?2)
                 ON CONFLICT (name) DO UPDATE SET value = excluded.value",
            )?
            .execute([name, value])?,
        None => connection.prepare_cached("DELETE FROM metadata WHERE name = ?1")?.execute([name])?,
    };
    Ok(())
}

pub fn ensure(connection: &Connection, name: &str, value: &str) -> Result<String, Error> {
    connection
        .prepare_cached("INSERT INTO metadata (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO NOTHING")?
        .execute([name, value])?;
    Ok(get(connection, name)?.unwrap_or_else(|| value.to_owned()))
}
