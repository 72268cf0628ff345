//! One server per data folder.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

use crate::error::Error;

const FILE_NAME: &str = "server.lock";

/// Held by a running server; gone with the process, however it ends.
#[derive(Debug)]
pub struct ServerLock {
    _file: File,
}

impl ServerLock {
    pub fn acquire(folder: &Path) -> Result<Self, Error> {
        let path = folder.join(FILE_NAME);
        let open_error = |source| Error::Open { path: path.clone(), source };
        std::fs::create_dir_all(folder).map_err(open_error)?;
        let file =
            OpenOptions::new().create(true).truncate(false).write(true).open(&path).map_err(open_error)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(Error::InUse { path: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(open_error(source)),
        }
    }
}
