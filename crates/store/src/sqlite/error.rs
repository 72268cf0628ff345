//! SQLite errors as errors of the store, and back.

use rusqlite::ErrorCode;

use crate::error::Error;

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
                Self::CannotWrite(error.into())
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::corrupt_by("the database file", error)
            }
            _ => Self::Unavailable(error.into()),
        }
    }
}

/// Returns the SQLite error that made a call fail; `None` if the call failed for another reason.
pub fn sqlite_error(error: &Error) -> Option<&rusqlite::Error> {
    match error {
        Error::CannotWrite(cause) | Error::Unavailable(cause) => cause.downcast_ref(),
        _ => None,
    }
}

/// Returns `true` if a row cannot be read, as opposed to the database as a whole.
pub fn is_damage(error: &Error) -> bool {
    use rusqlite::Error as Sql;
    matches!(error, Error::Corrupt { .. })
        || matches!(
            sqlite_error(error),
            Some(
                Sql::FromSqlConversionFailure(..)
                    | Sql::Utf8Error(..)
                    | Sql::IntegralValueOutOfRange(..)
                    | Sql::InvalidColumnType(..)
            )
        )
}
