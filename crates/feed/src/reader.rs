//! The reader of a feed: opens its documents one after the other, and reads each by its format.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use crate::compression::{self, Bytes, Documents};
use crate::json_lines::JsonLines;
use crate::{ColumnReport, FeedError, Format, Mapping};

/// Bytes that are enough to recognise a format.
const DETECT_BYTES: usize = 4_096;

#[derive(Debug, Clone)]
pub struct FeedOptions {
    pub format: Format,
    /// Names the columns of CSV and JSON feeds. Without one, they have the names of the contract.
    pub mapping: Option<Mapping>,
    /// The site of adverts that name none.
    pub site: Option<String>,
    /// Larger records are skipped, and reported as unreadable.
    pub record_bytes_max: usize,
}

/// One advert, with the field names of the contract.
#[derive(Debug, Clone, PartialEq)]
pub struct FeedRecord {
    /// The line of an NDJSON feed or the record of another one, counted from 1.
    pub number: u64,
    pub advert: Map<String, Value>,
}

#[derive(Debug, Clone, PartialEq)]
pub enum FeedItem {
    Advert(FeedRecord),
    /// The record is broken. The feed goes on after it.
    Unreadable {
        number: u64,
        message: String,
    },
}

/// The records of one document.
pub(crate) trait Records: Send {
    /// Reads the next record. Numbers count from 1 in each document.
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>>;
}

/// Iterates over the adverts of a feed.
///
/// An error ends the iteration: the feed cannot be read any further, or is cut off.
pub struct FeedReader {
    documents: Documents,
    records: Option<Box<dyn Records>>,
    options: FeedOptions,
    report: ColumnReport,
    /// The records of the documents before the current one.
    offset: u64,
    last_number: u64,
    bytes_read: Arc<AtomicU64>,
    ended: bool,
}

/// Opens a file. Gzip and ZIP files are recognised by their first bytes.
pub fn open(path: &Path, options: FeedOptions) -> Result<FeedReader, FeedError> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let documents = documents(path, Arc::clone(&bytes_read))?;
    FeedReader::new(documents, options, bytes_read)
}

/// Opens a stream, such as standard input. It may be compressed with gzip.
pub fn open_reader(reader: Box<dyn io::Read + Send>, options: FeedOptions) -> Result<FeedReader, FeedError> {
    let bytes_read = Arc::new(AtomicU64::new(0));
    let documents = Documents::of_stream(String::new(), reader, Arc::clone(&bytes_read))?;
    FeedReader::new(documents, options, bytes_read)
}

/// Recognises the format of a file, where that is safe.
pub fn detect(path: &Path) -> Result<Option<Format>, FeedError> {
    let mut documents = documents(path, Arc::default())?;
    let Some((name, reader)) = documents.next()? else { return Ok(None) };
    let (first, _) = compression::peek::<DETECT_BYTES>(reader)?;
    Ok(Format::detect(name.trim_end_matches(".gz"), &first))
}

fn documents(path: &Path, bytes_read: Arc<AtomicU64>) -> Result<Documents, FeedError> {
    let file = File::open(path).map_err(|source| FeedError::Open { path: path.to_owned(), source })?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    Documents::of_file(name, file, bytes_read)
}

impl FeedReader {
    fn new(
        documents: Documents,
        options: FeedOptions,
        bytes_read: Arc<AtomicU64>,
    ) -> Result<Self, FeedError> {
        if options.format != Format::Ndjson {
            return Err(FeedError::Unsupported(options.format));
        }
        Ok(Self {
            documents,
            records: None,
            options,
            report: ColumnReport::default(),
            offset: 0,
            last_number: 0,
            bytes_read,
            ended: false,
        })
    }

    /// Returns what became of the columns read so far.
    pub fn report(&self) -> &ColumnReport {
        &self.report
    }

    /// Returns how many bytes of the file were read, before decompression.
    pub fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    fn read(&mut self) -> io::Result<Option<FeedItem>> {
        loop {
            if self.records.is_none() {
                let Some((_, reader)) = self.documents.next()? else { return Ok(None) };
                self.offset = self.last_number;
                self.records = Some(records(reader, &self.options));
            }
            let Some(records) = &mut self.records else { return Ok(None) };
            let Some(item) = records.next(&mut self.report)? else {
                self.records = None;
                continue;
            };
            return Ok(Some(self.finish(item)));
        }
    }

    /// Numbers the record within the feed, and adds the site.
    fn finish(&mut self, item: FeedItem) -> FeedItem {
        match item {
            FeedItem::Advert(FeedRecord { number, mut advert }) => {
                let number = self.offset + number;
                self.last_number = number;
                if let Some(site) = &self.options.site
                    && advert.get("site").is_none_or(is_blank)
                {
                    advert.insert("site".to_owned(), Value::String(site.clone()));
                }
                FeedItem::Advert(FeedRecord { number, advert })
            }
            FeedItem::Unreadable { number, message } => {
                let number = self.offset + number;
                self.last_number = number;
                FeedItem::Unreadable { number, message }
            }
        }
    }
}

fn is_blank(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.trim().is_empty(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => false,
    }
}

impl Iterator for FeedReader {
    type Item = io::Result<FeedItem>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let item = self.read().transpose();
        self.ended = !matches!(item, Some(Ok(_)));
        item
    }
}

fn records(reader: Bytes, options: &FeedOptions) -> Box<dyn Records> {
    Box::new(JsonLines::open(reader, options.record_bytes_max))
}
