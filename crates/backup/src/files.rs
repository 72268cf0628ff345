//! Files under a temporary name until they are complete.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::name::PARTIAL_SUFFIX;

/// How often a file is created that another process removes at once.
const CLAIM_ATTEMPTS: usize = 10;

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
        remove_left_over(&path).map_err(Error::file("cannot remove", &path))?;
        for _ in 0..CLAIM_ATTEMPTS {
            let opened = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
            let file = match opened {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => break,
                opened => opened.map_err(Error::file("cannot create", &path))?,
            };
            if claim(&file, &path) {
                return Ok(Self { path, file: Some(file) });
            }
        }
        Err(Error::InProgress(target.to_owned()))
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

/// Locks a file that was just created. Returns `false` if it is gone: before it was locked, another process took it for one that was left
/// behind.
fn claim(file: &File, path: &Path) -> bool {
    // Waits only for a process that is removing it. A file system without locks is no reason to fail.
    let _ = file.lock();
    is_named(file, path)
}

/// Returns `true` if a file still has this name.
fn is_named(file: &File, path: &Path) -> bool {
    match (file.metadata(), path.symlink_metadata()) {
        (Ok(ours), Ok(named)) => (ours.dev(), ours.ino()) == (named.dev(), named.ino()),
        _ => false,
    }
}

/// Removes a partial file that no process is writing, with the files that SQLite makes beside it.
pub(crate) fn remove_left_over(path: &Path) -> io::Result<()> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    // The lock is held until it is removed, so that a process that has just created it finds out.
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) || !is_named(&file, path) {
        return Ok(());
    }
    remove_with_companions(path)
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

/// Creates a folder if it does not exist, accessible to its owner only, and makes its name durable.
pub(crate) fn create_folder(folder: &Path) -> Result<(), Error> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().take_while(is_missing).collect();
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(Error::file("cannot create the folder", folder))?;
    for created in missing {
        match sync_folder(&folder_of(created)) {
            // One may write to a folder that one may not read.
            Err(Error::File { source, .. }) if source.kind() == ErrorKind::PermissionDenied => {}
            synced => synced?,
        }
    }
    Ok(())
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

    /// Another process cleans the folder between the creation of a file and its lock.
    #[test]
    fn file_that_was_taken_for_a_left_over_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.db.partial");
        let file = File::create_new(&path).unwrap();
        remove_left_over(&path).unwrap();
        assert!(!claim(&file, &path));
        let file = File::create_new(&path).unwrap();
        assert!(claim(&file, &path));
        remove_left_over(&path).unwrap();
        assert!(path.exists(), "it is in use");
    }

    #[test]
    fn folders_are_created_with_their_parents() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b/c");
        create_folder(&inner).unwrap();
        create_folder(&inner).unwrap();
        assert!(inner.is_dir());
    }

    #[test]
    fn missing_space_is_named() {
        let error = enough_space(Path::new("backups"), 2_000, 1_999).unwrap_err().to_string();
        assert_eq!(error, "not enough space in backups: 2000 bytes are needed, 1999 are free");
        enough_space(Path::new("backups"), 2_000, 2_000).unwrap();
    }
}
