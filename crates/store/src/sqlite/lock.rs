//! Locks: one server per data folder, and one process at a time that opens it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::Error;

const FILE_NAME: &str = "server.lock";
const OPENING_FILE_NAME: &str = "opening.lock";

/// Held by a running server. The operating system releases it with the process, however that ends.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    pub fn acquire(folder: &Path) -> Result<Self, Error> {
        std::fs::create_dir_all(folder).map_err(|source| Error::Open { path: folder.to_owned(), source })?;
        let path = folder.join(FILE_NAME);
        let file = file_to_lock(&path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::InUse { path: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(Error::Open { path, source }),
        }
    }
}

/// Held while a folder is opened. Switching a new database to WAL mode fails at once if another process reads it, whatever the busy
/// timeout, so processes open a folder one after the other.
pub struct OpeningLock {
    _file: File,
}

impl OpeningLock {
    pub fn wait(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(OPENING_FILE_NAME);
        let file = file_to_lock(&path)?;
        file.lock().map_err(|source| Error::Open { path, source })?;
        Ok(Self { _file: file })
    }
}

fn file_to_lock(path: &Path) -> Result<File, Error> {
    let opened = OpenOptions::new().create(true).truncate(false).write(true).open(path);
    opened.map_err(|source| Error::Open { path: path.to_owned(), source })
}

/// Creates the folder if it does not exist, readable by its owner only: it will hold names and telephone numbers.
pub fn create_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
