//! Errors of the store, as values a caller can match on.

use std::path::PathBuf;

/// The error of the database or the file system that caused an [`Error`].
pub type Cause = Box<dyn std::error::Error + Send + Sync>;

/// Why a call of the store failed.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The disk is full, read-only or failing. Nothing was written; the caller may try again later.
    #[error("the store cannot write")]
    CannotWrite(#[source] Cause),
    /// The database failed for a reason that says nothing about the data.
    #[error("the store is unavailable")]
    Unavailable(#[source] Cause),
    /// Stored data cannot be read.
    #[error("{what} is damaged")]
    Corrupt {
        what: String,
        #[source]
        source: Option<Cause>,
    },
    /// The log no longer has the entries after a position.
    #[error(
        "the change log begins at position {oldest}: the entries after position {after} were deleted (retention.log)"
    )]
    LogPruned { after: u64, oldest: u64 },
    /// A later release wrote the folder.
    #[error(
        "the database has schema version {found}, this release supports up to {known}; use a newer release"
    )]
    TooNew { found: u32, known: u32 },
    /// An earlier release wrote the folder, and no server of this release has migrated it yet.
    #[error(
        "the database has schema version {found}, this release has {known}; use the release that wrote it, or start the \
         server of this release first"
    )]
    TooOld { found: u32, known: u32 },
    /// The tables must be changed in a way that the servers of an earlier release cannot cope with, and some are running.
    #[error(
        "the tables must be changed for this release, and other sessions of the same database user are open; stop all servers, then start \
         one of this release"
    )]
    OtherServers,
    /// The file is a database of another program.
    #[error("{path} is not a Vigie database")]
    NotOurs { path: PathBuf },
    /// Another server uses the folder.
    #[error("another vigie server is running on {path}")]
    InUse { path: PathBuf },
    /// Another store was being copied into this one, and the copy has not ended.
    #[error(
        "{place} is half migrated from {origin}; run `vigie migrate` with the same --from and --to again"
    )]
    HalfMigrated { place: String, origin: String },
    /// The folder or a file in it cannot be opened.
    #[error("cannot open {path}")]
    Open {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    /// Too many reads wait already; the caller may try again later.
    #[error("more than {waiting_max} reads of the store wait")]
    Busy { waiting_max: usize },
    /// The code of a read or a write panicked. Only this one failed; a write that panicked wrote nothing.
    #[error("a read or a write of the store panicked")]
    Panicked,
    /// The store was closed, or stopped after a failed write.
    #[error("the store is closed")]
    Closed,
}

impl Error {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Self::Corrupt { what: what.into(), source: None }
    }

    pub(crate) fn corrupt_by(what: impl Into<String>, source: impl Into<Cause>) -> Self {
        Self::Corrupt { what: what.into(), source: Some(source.into()) }
    }
}
