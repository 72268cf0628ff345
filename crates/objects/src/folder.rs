//! Objects in a folder, which may be on another machine.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::error::Error;

/// How much of a file is copied at once.
const CHUNK_BYTES: usize = 1 << 20;

/// A folder of objects, readable by its owner only. Its methods block.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    /// Ends the names of files that this process has not finished.
    unfinished_suffix: String,
}

impl Folder {
    /// Returns the folder at a path. It is created when the first object is written. `writer` is a random number: two processes that
    /// write the same object must not write to the same file.
    pub fn new(path: PathBuf, writer: u64) -> Self {
        Self { path, unfinished_suffix: format!(".{writer:016x}.unfinished") }
    }

    /// Returns the names of all objects, and of files that were never finished. A folder that does not exist has none.
    pub fn list(&self) -> Result<Vec<String>, Error> {
        let failed = |error| Error::file("cannot list", &self.path)(error);
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(failed)?,
        };
        let names = entries.map(|entry| entry.map(|entry| entry.file_name()).map_err(failed));
        // A name that is not UTF-8 is not ours.
        names.filter_map(|name| name.map(|name| name.into_string().ok()).transpose()).collect()
    }

    /// Opens an object; `None` if there is none.
    pub fn open(&self, object: &str) -> Result<Option<File>, Error> {
        let path = self.path.join(object);
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::file("cannot read", path)(error)),
        }
    }

    /// Reads a small object into memory; `None` if there is none.
    pub fn read(&self, object: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, Error> {
        let Some(file) = self.open(object)? else { return Ok(None) };
        let path = self.path.join(object);
        let mut whole = Vec::new();
        let read = file.take(bytes_max.saturating_add(1)).read_to_end(&mut whole);
        read.map_err(Error::file("cannot read", &path))?;
        let bytes = whole.len() as u64;
        if bytes > bytes_max {
            return Err(Error::TooLarge { address: path.display().to_string(), bytes });
        }
        Ok(Some(whole))
    }

    /// Writes an object, or replaces it: under another name until it is on disk.
    pub fn write(&self, object: &str, content: &mut dyn Read, stop: &CancellationToken) -> Result<(), Error> {
        let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        created.map_err(Error::file("cannot create the folder", &self.path))?;
        let unfinished = self.path.join(format!("{object}{}", self.unfinished_suffix));
        let written = self.write_unfinished(&unfinished, content, stop).and_then(|()| {
            let path = self.path.join(object);
            fs::rename(&unfinished, &path).map_err(Error::file("cannot rename to", path))
        });
        if written.is_err() {
            // It would only take space.
            let _ = fs::remove_file(&unfinished);
        }
        written?;
        self.sync()
    }

    fn write_unfinished(
        &self,
        path: &Path,
        content: &mut dyn Read,
        stop: &CancellationToken,
    ) -> Result<(), Error> {
        let opened = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path);
        let mut file = opened.map_err(Error::file("cannot create", path))?;
        copy(content, &mut file, u64::MAX, stop).map_err(|error| error.naming(path))?;
        file.sync_all().map_err(Error::file("cannot write", path))
    }

    /// Copies at most `bytes_max` bytes of an object to a file. Returns `false` if there is none.
    pub fn save(
        &self,
        object: &str,
        file: &mut File,
        bytes_max: u64,
        stop: &CancellationToken,
    ) -> Result<bool, Error> {
        let Some(mut source) = self.open(object)? else { return Ok(false) };
        let copied = copy(&mut source, file, bytes_max, stop);
        copied.map_err(|error| error.naming(&self.path.join(object)))?;
        Ok(true)
    }

    /// Removes an object, if it exists.
    pub fn remove(&self, object: &str) -> Result<(), Error> {
        let path = self.path.join(object);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::file("cannot remove", path)(error))
            }
            Ok(()) | Err(_) => self.sync(),
        }
    }

    /// Makes the names in the folder durable: what was removed must not come back after a power failure.
    fn sync(&self) -> Result<(), Error> {
        let synced = File::open(&self.path).and_then(|folder| folder.sync_all());
        synced.map_err(Error::file("cannot sync the folder", &self.path))
    }
}

/// Why a copy ended early.
enum CopyError {
    Cancelled,
    Failed(std::io::Error),
}

impl CopyError {
    fn naming(self, path: &Path) -> Error {
        match self {
            Self::Cancelled => Error::Cancelled,
            Self::Failed(error) => Error::file("cannot copy", path)(error),
        }
    }
}

fn copy(
    from: &mut dyn Read,
    to: &mut dyn Write,
    bytes_max: u64,
    stop: &CancellationToken,
) -> Result<(), CopyError> {
    let mut from = from.take(bytes_max);
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        if stop.is_cancelled() {
            return Err(CopyError::Cancelled);
        }
        let count = from.read(&mut chunk).map_err(CopyError::Failed)?;
        if count == 0 {
            return Ok(());
        }
        to.write_all(chunk.get(..count).unwrap_or_default()).map_err(CopyError::Failed)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_are_written_replaced_and_removed() {
        let (parent, stop) = (tempfile::tempdir().unwrap(), CancellationToken::new());
        let folder = Folder::new(parent.path().join("a/b"), 7);
        assert_eq!(folder.list().unwrap(), [] as [&str; 0]);
        assert!(folder.open("one").unwrap().is_none());
        for content in ["first", "2nd"] {
            folder.write("one", &mut content.as_bytes(), &stop).unwrap();
            assert_eq!(folder.read("one", 5).unwrap().unwrap(), content.as_bytes());
        }
        assert!(matches!(folder.read("one", 2), Err(Error::TooLarge { bytes: 3, .. })));
        assert_eq!(folder.list().unwrap(), ["one"]);
        let mut copied = tempfile::tempfile().unwrap();
        assert!(folder.save("one", &mut copied, 2, &stop).unwrap());
        assert_eq!(copied.metadata().unwrap().len(), 2);
        assert!(!folder.save("two", &mut copied, 2, &stop).unwrap());
        folder.remove("one").unwrap();
        folder.remove("one").unwrap();
        assert_eq!(folder.list().unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn a_cancelled_write_leaves_nothing_behind() {
        let (parent, stop) = (tempfile::tempdir().unwrap(), CancellationToken::new());
        let folder = Folder::new(parent.path().to_owned(), 7);
        folder.write("one", &mut "first".as_bytes(), &stop).unwrap();
        stop.cancel();
        assert!(matches!(folder.write("one", &mut "2nd".as_bytes(), &stop), Err(Error::Cancelled)));
        assert_eq!(folder.list().unwrap(), ["one"]);
        assert_eq!(folder.read("one", 100).unwrap().unwrap(), b"first");
        // That of a process that was killed is listed, so that it can be removed.
        fs::write(parent.path().join("one.0000000000000001.unfinished"), "fir").unwrap();
        assert_eq!(folder.list().unwrap().len(), 2);
    }
}
