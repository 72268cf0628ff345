//! Why a backup or a restoration failed.

use std::io;
use std::path::PathBuf;

use store::Finding;

/// Why a backup or a restoration failed. What is left behind under a final name is complete or has no manifest, so that it is not taken
/// for a backup.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("cancelled")]
    Cancelled,
    #[error("cannot copy the database")]
    Copy(#[source] store::Error),
    #[error("cannot verify the copy")]
    Verify(#[source] store::Error),
    #[error("cannot prepare the restored database")]
    Prepare(#[source] store::Error),
    #[error("{action} {path}")]
    File {
        action: &'static str,
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("not enough space in {path}: {needed} bytes are needed, {available} are free")]
    NoSpace { path: PathBuf, needed: u64, available: u64 },
    #[error("{0} exists already; a backup is never overwritten")]
    Exists(String),
    #[error("{0} exists and is not in use; remove it if a backup that was killed has left it")]
    LeftOver(PathBuf),
    #[error("another backup to {0} is in progress")]
    InProgress(PathBuf),
    #[error("\"{0}\" is not a backup target: use a folder, a file that ends in .db, or s3://BUCKET/PREFIX")]
    NotATarget(String),
    #[error(
        "the copy is damaged: {first} — {count} problem(s) in all; repair the database (vigie verify --repair), or \
             accept the damage (--accept-damage)"
    )]
    Damaged { first: String, count: usize },
    #[error(
        "the copy is damaged: {problem}. It is the file of the database, not only a record, so that no backup is \
             made: see vigie verify"
    )]
    DamagedFile { problem: String },
    #[error(
        "the backup is damaged: {first} — {count} problem(s) in all; restore an older one, or accept the damage \
             (--accept-damage) and repair the restored database (vigie verify --repair)"
    )]
    DamagedBackup { first: String, count: usize },
    #[error("there is no complete backup in {0}")]
    NoBackup(String),
    #[error("{0} is not a complete backup: the file or its manifest is missing")]
    NotComplete(String),
    #[error(
        "{0} has no manifest, so its content cannot be checked; restore it all the same with --without-manifest"
    )]
    NoManifest(String),
    #[error(
        "{0} is not empty, so that the file beside it is not the whole database; make the copy with vigie backup, or \
             let sqlite3 open it, which writes the changes into the file"
    )]
    ChangesBeside(PathBuf),
    #[error("the manifest {path} is not valid")]
    InvalidManifest {
        path: String,
        #[source]
        source: serde_json::Error,
    },
    #[error("the manifest {path} has format {found}, this release reads format {known}; use a newer release")]
    UnknownFormat { path: String, found: u32, known: u32 },
    #[error("the manifest {path} has {bytes} bytes: it is not one of ours")]
    ManifestTooLarge { path: String, bytes: u64 },
    #[error("{name} has {found} bytes, its manifest says {expected}: it is not complete")]
    WrongSize { name: String, found: u64, expected: u64 },
    #[error("{name} is not what its manifest says: its SHA-256 is {found} instead of {expected}")]
    WrongChecksum { name: String, found: String, expected: String },
    #[error("{0} is not empty: restore into a new folder, so that nothing is overwritten")]
    NotEmpty(PathBuf),
    #[error("a server is running on {0}")]
    ServerRunning(PathBuf),
    #[error(transparent)]
    Storage(#[from] objects::Error),
    #[error("a step of the backup panicked")]
    Panicked,
}

impl Error {
    /// Names a file in an error of the file system.
    pub(crate) fn file(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::File { action, path, source }
    }
}

/// Shows a finding within an error.
pub(crate) fn shown(Finding { kind, id, problem }: &Finding) -> String {
    format!("{} {id}: {problem}", kind.name())
}
