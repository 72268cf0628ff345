//! Where the reference data comes from: the binary itself, or a folder an operator prepared.
//!
//! The name of a file says which table it adds to: `communes.csv` and `communes-belgium.csv` both hold communes. So a
//! geography is extended by laying a file beside the others, and data under another licence stays in a file of its own.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use crate::table::DataError;

/// The tables, by the beginning of their file names.
pub const TABLES: [&str; 7] =
    ["countries", "regions", "departments", "communes", "old_codes", "lines", "stations"];

/// The CSV files of `data/`: name, length, and content compressed by the build script.
static EMBEDDED: &[(&str, usize, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// A CSV file with its name, which says what is in it and is repeated in errors.
#[derive(Debug, Clone)]
pub struct SourceFile {
    pub name: String,
    pub content: Vec<u8>,
}

impl SourceFile {
    pub(crate) fn table(&self) -> Option<&'static str> {
        let stem = self.name.strip_suffix(".csv")?;
        TABLES.into_iter().find(|table| {
            stem.strip_prefix(table).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
        })
    }
}

/// The files this binary carries.
pub fn embedded() -> Result<Vec<SourceFile>, DataError> {
    EMBEDDED
        .iter()
        .map(|(name, length, packed)| {
            let mut content = Vec::with_capacity(*length);
            ZlibDecoder::new(*packed)
                .read_to_end(&mut content)
                .map_err(|source| DataError::Damaged { file: (*name).into(), source })?;
            Ok(SourceFile { name: (*name).into(), content })
        })
        .collect()
}

/// The CSV files of a folder and of its subfolders `geo` and `transit`, where they exist.
pub fn in_directory(directory: &Path) -> Result<Vec<SourceFile>, DataError> {
    let mut files = csv_files(directory)?;
    for folder in ["geo", "transit"] {
        let folder = directory.join(folder);
        if folder.is_dir() {
            files.extend(csv_files(&folder)?);
        }
    }
    Ok(files)
}

fn csv_files(directory: &Path) -> Result<Vec<SourceFile>, DataError> {
    let unreadable = |path: &Path| {
        let path = path.to_owned();
        move |source| DataError::Unreadable { path, source }
    };
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(directory).map_err(unreadable(directory))? {
        paths.push(entry.map_err(unreadable(directory))?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    // The order of a directory is the file system's; the answers must not depend on it.
    paths.sort();
    paths
        .into_iter()
        .map(|path| {
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let content = fs::read(&path).map_err(unreadable(&path))?;
            Ok(SourceFile { name, content })
        })
        .collect()
}
