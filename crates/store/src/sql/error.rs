//! Errors of the databases as errors of the store, and back.

use rusqlite::ErrorCode;
use tokio_postgres::error::SqlState;

use crate::error::Error;

/// Why a statement failed.
#[derive(Debug, thiserror::Error)]
pub enum SqlError {
    #[error(transparent)]
    Sqlite(#[from] rusqlite::Error),
    #[error("{}", describe(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// PostgreSQL cannot be reached.
    #[error("{0}")]
    Connection(String),
    /// What this process has seen is not there any more.
    #[error("the database has lost writes that it had acknowledged")]
    WritesLost,
    #[error("the query returned no row")]
    NoRow,
    /// A column has another value than the schema says.
    #[error("a column is {0}")]
    Column(&'static str),
    #[error("a number is larger than the database can hold")]
    TooLarge,
}

/// PostgreSQL's own message, which tells more than the kind of the error.
fn describe(error: &tokio_postgres::Error) -> String {
    error
        .as_db_error()
        .map_or_else(|| error.to_string(), |error| format!("{error} ({})", error.code().code()))
}

impl SqlError {
    /// Returns `true` if a constraint of SQLite refused a row.
    pub fn is_constraint_violation(&self) -> bool {
        matches!(self, Self::Sqlite(error) if error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation))
    }

    /// Returns `true` if PostgreSQL refused an advert because another one has its reference or its id.
    pub fn is_taken_identity(&self) -> bool {
        let Self::Postgres(error) = self else { return false };
        let constraint = error.as_db_error().and_then(|error| error.constraint());
        constraint.is_some_and(|name| ["advert_by_reference", "advert_pkey"].contains(&name))
    }

    /// Copies an error for another caller that gets the same reason.
    pub fn copy(&self) -> Self {
        match self {
            Self::Sqlite(rusqlite::Error::SqliteFailure(code, message)) => {
                Self::Sqlite(rusqlite::Error::SqliteFailure(*code, message.clone()))
            }
            Self::Sqlite(other) => {
                Self::Sqlite(rusqlite::Error::ToSqlConversionFailure(other.to_string().into()))
            }
            Self::Postgres(error) => Self::Connection(describe(error)),
            Self::Connection(message) => Self::Connection(message.clone()),
            Self::WritesLost => Self::WritesLost,
            Self::NoRow => Self::NoRow,
            Self::Column(problem) => Self::Column(problem),
            Self::TooLarge => Self::TooLarge,
        }
    }
}

impl From<SqlError> for Error {
    fn from(error: SqlError) -> Self {
        match &error {
            SqlError::Sqlite(sqlite) => match sqlite.sqlite_error_code() {
                Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
                    Self::CannotWrite(error.into())
                }
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::corrupt_by("the database file", error)
                }
                _ => Self::Unavailable(error.into()),
            },
            SqlError::Postgres(postgres) => match postgres.code() {
                Some(code) if cannot_write(code) => Self::CannotWrite(error.into()),
                Some(code) if *code == SqlState::DATA_CORRUPTED || *code == SqlState::INDEX_CORRUPTED => {
                    Self::corrupt_by("the database", error)
                }
                _ => Self::Unavailable(error.into()),
            },
            _ => Self::Unavailable(error.into()),
        }
    }
}

fn cannot_write(code: &SqlState) -> bool {
    [SqlState::DISK_FULL, SqlState::IO_ERROR, SqlState::READ_ONLY_SQL_TRANSACTION].contains(code)
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        SqlError::from(error).into()
    }
}

/// Returns the error of the database that made a call fail; `None` if the call failed for another reason.
pub fn sql_error(error: &Error) -> Option<&SqlError> {
    match error {
        Error::CannotWrite(cause) | Error::Unavailable(cause) => cause.downcast_ref(),
        _ => None,
    }
}

/// Returns `true` if a row cannot be read, as opposed to the database as a whole.
pub fn is_damage(error: &Error) -> bool {
    matches!(error, Error::Corrupt { .. }) || matches!(sql_error(error), Some(SqlError::Column(_)))
}
