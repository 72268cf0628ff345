//! Why a feed cannot be opened. Problems of single records are [`crate::FeedItem::Unreadable`].

use std::io;
use std::path::PathBuf;

use crate::{Format, MappingError};

#[derive(Debug, thiserror::Error)]
pub enum FeedError {
    #[error("cannot open {}", path.display())]
    Open { path: PathBuf, source: io::Error },
    #[error("cannot read the feed")]
    Read(#[from] io::Error),
    #[error("cannot read the ZIP file: {0}")]
    Zip(String),
    #[error(
        "a ZIP file cannot be read from a pipe, because its directory is at its end; save it to a file first"
    )]
    ZipFromPipe,
    #[error("the ZIP file has no feed in it: no entry ends with .csv, .tsv, .json, .ndjson, .jsonl or .xml")]
    EmptyZip,
    #[error("the mapping file is invalid: {0}")]
    Mapping(#[from] MappingError),
    #[error("the mapping file does not fit the feed: {0}")]
    MappingUse(String),
    #[error(
        "the format {0} has columns of its own: a mapping file may only give it [constants], [values] and an encoding"
    )]
    MappedColumns(Format),
}
