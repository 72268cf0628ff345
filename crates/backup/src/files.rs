//! Files under a temporary name until they are complete.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::name::PARTIAL_SUFFIX;

/// A file that is being written, readable by its owner only. Removed when dropped, with the files that SQLite makes beside it.
/// Locked, so that another process can tell it from one that was left behind.
#[derive(Debug)]
pub(crate) struct PartialFile {
    path: PathBuf,
    /// `None` once it is published.
    file: Option<File>,
}

impl PartialFile {
    /// Creates the file that will be published as `target`.
    pub fn create(target: &Path) -> Result<Self, Error> {
        let path = with_suffix(target, PARTIAL_SUFFIX);
        if is_left_over(&path) {
            remove_with_companions(&path).map_err(Error::file("cannot remove", &path))?;
        }
        let opened = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = match opened {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                return Err(Error::InProgress(target.to_owned()));
            }
            opened => opened.map_err(Error::file("cannot create", &path))?,
        };
        // A file system without locks is no reason to fail.
        let _ = file.try_lock();
        Ok(Self { path, file: Some(file) })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the file, to write to it.
    pub fn file(&self) -> Option<&File> {
        self.file.as_ref()
    }

    /// Gives the file its final name, unless that is taken. The caller has synced it, and syncs the folder.
    pub fn publish(mut self, target: &Path) -> Result<(), Error> {
        rename_without_replacing(&self.path, target)?;
        self.file = None;
        Ok(())
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            // If it fails, the next backup removes it.
            let _ = remove_with_companions(&self.path);
        }
    }
}

/// Returns `true` if a partial file exists that no process is writing.
pub(crate) fn is_left_over(path: &Path) -> bool {
    match File::open(path) {
        Ok(file) => !matches!(file.try_lock(), Err(TryLockError::WouldBlock)),
        Err(_) => false,
    }
}

/// Removes a database file, with the files that SQLite makes beside it.
pub(crate) fn remove_with_companions(path: &Path) -> io::Result<()> {
    for suffix in ["-journal", "-wal", "-shm"] {
        remove_if_exists(&with_suffix(path, suffix))?;
    }
    remove_if_exists(path)
}

pub(crate) fn remove_if_exists(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// Writes a small file under a temporary name, syncs it and renames it.
pub(crate) fn write_whole(path: &Path, content: &[u8]) -> Result<(), Error> {
    let partial = PartialFile::create(path)?;
    let write = |mut file: &File| file.write_all(content).and_then(|()| file.sync_all());
    if let Some(file) = partial.file() {
        write(file).map_err(Error::file("cannot write", path))?;
    }
    partial.publish(path)
}

fn rename_without_replacing(from: &Path, to: &Path) -> Result<(), Error> {
    match fs::hard_link(from, to) {
        // If this fails, the file has two names, and the next backup removes the temporary one.
        Ok(()) => {
            let _ = fs::remove_file(from);
            Ok(())
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            Err(Error::Exists(to.display().to_string()))
        }
        // A file system without hard links.
        Err(_) if !to.exists() => fs::rename(from, to).map_err(Error::file("cannot rename to", to)),
        Err(_) => Err(Error::Exists(to.display().to_string())),
    }
}

/// Creates a folder if it does not exist, accessible to its owner only.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Error> {
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(Error::file("cannot create the folder", folder))
}

/// Makes new names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), Error> {
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(Error::file("cannot sync the folder", folder))
}

/// Returns the folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Fails if a folder has no space for this many bytes.
pub(crate) fn check_space(folder: &Path, needed: u64) -> Result<(), Error> {
    // If the file system does not tell, the copy finds out.
    let Ok(state) = rustix::fs::statvfs(folder) else { return Ok(()) };
    enough_space(folder, needed, state.f_bavail.saturating_mul(state.f_frsize))
}

fn enough_space(folder: &Path, needed: u64, available: u64) -> Result<(), Error> {
    if needed <= available {
        return Ok(());
    }
    Err(Error::NoSpace { path: folder.to_owned(), needed, available })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_taken_is_never_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.db");
        fs::write(&target, "first").unwrap();
        let partial = PartialFile::create(&target).unwrap();
        assert!(matches!(partial.publish(&target), Err(Error::Exists(_))));
        assert_eq!(fs::read(&target).unwrap(), b"first");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "the partial file is gone");
    }

    #[test]
    fn left_overs_are_replaced_and_files_in_use_are_not() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("a.db");
        fs::write(folder.path().join("a.db.partial"), "half").unwrap();
        let partial = PartialFile::create(&target).unwrap();
        assert_eq!(fs::metadata(partial.path()).unwrap().len(), 0);
        assert!(!is_left_over(partial.path()));
        assert!(matches!(PartialFile::create(&target), Err(Error::InProgress(_))));
        partial.publish(&target).unwrap();
        assert!(target.exists());
    }

    #[test]
    fn missing_space_is_named() {
        let error = enough_space(Path::new("backups"), 2_000, 1_999).unwrap_err().to_string();
        assert_eq!(error, "not enough space in backups: 2000 bytes are needed, 1999 are free");
        enough_space(Path::new("backups"), 2_000, 2_000).unwrap();
    }
}
