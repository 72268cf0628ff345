//! The mark of an unfinished copy, in the metadata of its target: where it comes from and how far it has come.
//!
//! It changes in the transaction that writes the rows, so that a copy that was killed continues where it stopped. It is deleted when the
//! copy is complete and verified.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::sql::value::OwnedValue;
use crate::sql::{Connection, metadata};

/// The name of the metadata. `tables.rs` leaves it out of the copy.
const NAME: &str = "unfinished_migration";

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mark {
    /// Names the source for people.
    pub origin: String,
    pub source: Fingerprint,
    /// The table that is being copied. `None` once all tables are copied.
    pub table: Option<String>,
    /// The key of the last row of it that was copied; `None` before the first.
    pub after: Option<Vec<KeyValue>>,
}

/// What tells whether a source is another one, or has changed since the copy began. It need not find every change: all rows are
/// compared at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    pub identity: String,
    /// The number of transactions that changed what servers keep copies of, on PostgreSQL.
    pub writes: Option<i64>,
    pub log_end: u64,
    /// The number of rows of every table.
    pub rows: BTreeMap<String, u64>,
}

/// A value of a key. The schemas have no others.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum KeyValue {
    Integer(i64),
    Text(String),
    Blob(Vec<u8>),
}

impl KeyValue {
    /// Returns `None` for NULL, which no key contains.
    pub fn new(value: OwnedValue) -> Option<Self> {
        match value {
            OwnedValue::Null => None,
            OwnedValue::Integer(integer) => Some(Self::Integer(integer)),
            OwnedValue::Text(text) => Some(Self::Text(text)),
            OwnedValue::Blob(bytes) => Some(Self::Blob(bytes)),
        }
    }

    pub fn value(&self) -> OwnedValue {
        match self {
            Self::Integer(integer) => OwnedValue::Integer(*integer),
            Self::Text(text) => OwnedValue::Text(text.clone()),
            Self::Blob(bytes) => OwnedValue::Blob(bytes.clone()),
        }
    }
}

pub fn read(connection: &Connection) -> Result<Option<Mark>, Error> {
    let Some(text) = metadata::get(connection, NAME)? else { return Ok(None) };
    let mark = serde_json::from_str(&text);
    mark.map(Some).map_err(|error| Error::corrupt_by("the mark of an unfinished migration", error))
}

pub fn write(connection: &Connection, mark: &Mark) -> Result<(), Error> {
    let text = serde_json::to_string(mark)
        .map_err(|error| Error::corrupt_by("the mark of an unfinished migration", error))?;
    metadata::set(connection, NAME, Some(&text))
}

pub fn delete(connection: &Connection) -> Result<(), Error> {
    metadata::set(connection, NAME, None)
}

/// Refuses a database that an unfinished copy has left: part of its rows are missing.
pub fn refuse_unfinished(connection: &Connection, place: impl FnOnce() -> String) -> Result<(), Error> {
    if metadata::get(connection, NAME)?.is_none() {
        return Ok(());
    }
    // Refused as well if the mark cannot be read.
    let origin =
        read(connection).ok().flatten().map_or_else(|| "another database".to_owned(), |it| it.origin);
    Err(Error::HalfMigrated { place: place(), origin })
}
