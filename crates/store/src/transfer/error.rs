//! Why a store was not copied.

use crate::error::Error;
use crate::sql::error::{SqlError, sql_error};

#[derive(Debug, thiserror::Error)]
pub enum TransferError {
    /// The source or the target cannot be used.
    #[error("cannot use {place}")]
    Place {
        place: String,
        #[source]
        source: Error,
    },
    #[error("there is no Vigie database in {place}")]
    NoStore { place: String },
    #[error("the source and the target are the same database, {place}")]
    SameStore { place: String },
    #[error(
        "other Vigie processes use {place} ({sessions} connections); stop them and run the same command again"
    )]
    InUse { place: String, sessions: u64 },
    #[error("{place} is not empty: it has rows in {tables}; name an empty target")]
    NotEmpty { place: String, tables: String },
    /// The target holds part of another source.
    #[error("{place} is half migrated from {origin}; name that as the source again, or name an empty target")]
    OtherOrigin { place: String, origin: String },
    #[error(
        "{place} has changed since the migration began: {difference}; name an empty target and migrate again, while nothing uses \
         the source"
    )]
    Changed { place: String, difference: String },
    /// The schemas differ.
    #[error("the table {table} does not have the same columns in both databases: {columns}")]
    Columns { table: &'static str, columns: String },
    #[error("cannot copy the table {table}")]
    Table {
        table: &'static str,
        #[source]
        source: Error,
    },
    /// Reading both sides back has shown a difference.
    #[error(
        "{table} differs after the copy: {difference}; the target stays half migrated and is not served. Name an empty target \
         and migrate again"
    )]
    Different { table: &'static str, difference: String },
    #[error("migration interrupted; run the same command again to resume")]
    Interrupted,
    #[error("the migration panicked")]
    Panicked,
}

impl TransferError {
    /// Returns how an error becomes one of a place.
    pub fn at<E: Into<Error>>(place: &str) -> impl FnOnce(E) -> Self {
        move |source| Self::Place { place: place.to_owned(), source: source.into() }
    }

    pub fn table<E: Into<Error>>(table: &'static str) -> impl FnOnce(E) -> Self {
        move |source| {
            let error = source.into();
            let problem = match sql_error(&error) {
                Some(SqlError::Column(problem)) => Some(*problem),
                _ => None,
            };
            let source = match problem {
                Some(problem) => Error::corrupt_by("a row", SqlError::Column(problem)),
                None => error,
            };
            Self::Table { table, source }
        }
    }
}
