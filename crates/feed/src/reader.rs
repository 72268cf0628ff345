//! The reader of a feed: opens its documents one after the other, and reads each by its format.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Map, Value};

use crate::compression::{self, Bytes, Documents};
use crate::json::Mapped;
use crate::kyero::Kyero;
use crate::openimmo::OpenImmo;
use crate::{ColumnReport, FeedError, Format, Mapping, advert, csv, encoding, json, poliris, reso, xml};

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
    /// The line where the record begins in NDJSON, CSV and Poliris, or the count of records in JSON and XML; from 1. The
    /// documents of a ZIP file are counted together.
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
    format: Format,
    mapping: Option<Arc<Mapping>>,
    site: Option<String>,
    record_bytes_max: usize,
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
        let mapping = options.mapping.map(Arc::new);
        check_mapping(options.format, mapping.as_ref())?;
        Ok(Self {
            documents,
            records: None,
            format: options.format,
            mapping,
            site: options.site,
            record_bytes_max: options.record_bytes_max,
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
                self.records = Some(self.records_of(reader)?);
            }
            let Some(records) = &mut self.records else { return Ok(None) };
            let Some(item) = records.next(&mut self.report)? else {
                self.records = None;
                continue;
            };
            return Ok(Some(self.finish(item)));
        }
    }

    /// Opens one document.
    fn records_of(&self, reader: Bytes) -> io::Result<Box<dyn Records>> {
        let (mapping, bytes_max) = (self.mapping.clone(), self.record_bytes_max);
        match self.format {
            Format::Ndjson | Format::Json => {
                let declared = mapping.as_ref().and_then(|mapping| mapping.dialect.encoding);
                let reader = encoding::decoded(reader, declared)?;
                let path = mapping.as_ref().and_then(|mapping| mapping.items.clone());
                let convert = Box::new(Mapped::new(mapping).map_err(io::Error::other)?);
                Ok(match self.format {
                    Format::Ndjson => json::lines(reader, bytes_max, convert),
                    _ => json::items(reader, path, bytes_max, convert),
                })
            }
            Format::Csv => csv::open(reader, mapping, bytes_max),
            Format::Poliris => poliris::open(reader, mapping, bytes_max),
            Format::OpenImmo => xml::open(reader, OpenImmo::default(), mapping, bytes_max),
            Format::Kyero => xml::open(reader, Kyero, mapping, bytes_max),
            Format::Reso => reso::open(reader, mapping, bytes_max),
        }
    }

    /// Numbers the record within the feed, and adds the site.
    fn finish(&mut self, item: FeedItem) -> FeedItem {
        match item {
            FeedItem::Advert(FeedRecord { number, advert: mut fields }) => {
                let number = self.offset + number;
                self.last_number = number;
                if let Some(site) = &self.site
                    && fields.get("site").is_none_or(advert::is_blank)
                {
                    fields.insert("site".to_owned(), Value::String(site.clone()));
                }
                FeedItem::Advert(FeedRecord { number, advert: fields })
            }
            FeedItem::Unreadable { number, message } => {
                let number = self.offset + number;
                self.last_number = number;
                FeedItem::Unreadable { number, message }
            }
        }
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

/// Checks before anything is read that the mapping can be used with the format.
fn check_mapping(format: Format, mapping: Option<&Arc<Mapping>>) -> Result<(), FeedError> {
    let Some(mapping) = mapping else { return Ok(()) };
    match format {
        Format::Ndjson if mapping.items.is_some() => Err(FeedError::MappingUse(
            "`items` names a list inside a document, but an NDJSON feed is lines".to_owned(),
        )),
        Format::Ndjson | Format::Json => {
            Mapped::new(Some(Arc::clone(mapping))).map(|_| ()).map_err(FeedError::MappingUse)
        }
        Format::Csv if mapping.items.is_some() => {
            Err(FeedError::MappingUse("`items` is a path of JSON, but the feed is CSV".to_owned()))
        }
        Format::Csv if !mapping.dialect.header && mapping.rules.is_empty() => Err(FeedError::MappingUse(
            "without a header, [fields] must name the columns by number".to_owned(),
        )),
        Format::Csv => Ok(()),
        Format::Poliris | Format::OpenImmo | Format::Kyero | Format::Reso => {
            if mapping.names_columns() {
                Err(FeedError::MappedColumns(format))
            } else {
                Ok(())
            }
        }
    }
}
