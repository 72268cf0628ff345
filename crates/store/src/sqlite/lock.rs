//! One server per data folder, and one process at a time that opens it.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::Error;

const FILE_NAME: &str = "server.lock";
const OPENING_FILE_NAME: &str = "opening.lock";

/// Held by a running server; gone with the process, however it ends.
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

/// Held while a folder is opened. Turning a new database to write-ahead logging fails at once when somebody else reads it,
/// however long one is ready to wait, so those who open a folder at the same moment do it in turn.
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

/// Makes the folder if there is none, for its owner alone: it will hold names and telephone numbers.
pub fn make_folder(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
