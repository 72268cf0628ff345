//! The source files of the reference data: embedded in the binary, or in a directory.
//!
//! The name of a file determines its table: `communes.csv` and `communes-belgium.csv` both contain communes. An operator
//! extends the geography by adding a file, and data under another licence stays in a separate file.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use flate2::read::ZlibDecoder;

use crate::table::DataError;

/// The tables, by the prefix of their file names.
pub const TABLES: [&str; 8] = [
    "countries",
    "regions",
    "departments",
    "communes",
    "old_codes",
    "well_known_places",
    "lines",
    "stations",
];

/// The CSV files of `data/`: name, length, and content compressed by the build script.
static EMBEDDED: &[(&str, usize, &[u8])] = include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

/// The outlines of `data/`, packed by the build script.
pub(crate) static OUTLINES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/outlines.bin"));

/// The name of the outlines in errors.
pub(crate) const OUTLINES_NAME: &str = "outlines/communes.topojson.gz";

/// A CSV file. Its name determines the table and appears in errors.
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

/// Returns the files embedded in the binary.
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

/// Reads the CSV files of a directory and of its subdirectories `geo` and `transit`, if they exist.
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
    // The order of directory entries depends on the file system; the result must not.
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
