//! What can go wrong with durable state, as values a caller can match on.

use std::path::PathBuf;

/// Why the store did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The file system refused: full, read-only, or failing. Nothing was written; the caller may try again later.
    #[error("the store cannot write")]
    CannotWrite(#[source] rusqlite::Error),
    /// The database answered with an error that is no verdict on the data.
    #[error("the store is unavailable")]
    Unavailable(#[source] rusqlite::Error),
    /// What was read is not what was written.
    #[error("{what} is damaged")]
    Corrupt {
        what: String,
        #[source]
        source: Option<Box<dyn std::error::Error + Send + Sync>>,
    },
    /// The folder was written by a later release.
    #[error("the data folder has schema {found}, this release knows up to {known}; use a newer release")]
    TooNew { found: u32, known: u32 },
    /// The file is a database, but not one of ours.
    #[error("{path} is not a Vigie database")]
    NotOurs { path: PathBuf },
    /// Another server works on the folder.
    #[error("another vigie server is running on {path}")]
    InUse { path: PathBuf },
    /// The folder or a file in it cannot be opened.
    #[error("cannot open {path}")]
    Open {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// The store was closed, or stopped after a failed write.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), source: None }
    }

    pub(crate) fn corrupt_by(
        what: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Corrupt { what: what.into(), source: Some(source.into()) }
    }
}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode;
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
                Self::CannotWrite(error)
            }
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::corrupt_by("the database file", error)
            }
            _ => Self::Unavailable(error),
        }
    }
}
