//! Opens feeds that are compressed: gzip from anywhere, ZIP from a file. Nothing is unpacked to disk or held in memory.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use flate2::CrcReader;
use flate2::bufread::{DeflateDecoder, MultiGzDecoder};
use zip::{CompressionMethod, ZipArchive};

use crate::FeedError;

/// A stream of bytes that another thread may read.
pub(crate) type Bytes = Box<dyn Read + Send>;

const GZIP: &[u8] = b"\x1f\x8b";
const ZIP: &[u8] = b"PK\x03\x04";
/// A ZIP file without entries starts with the end of its directory.
const EMPTY_ZIP: &[u8] = b"PK\x05\x06";

/// The entries of a ZIP file that are feeds. Others are pictures and settings of the sender.
const ENDINGS: &[&str] = &["csv", "tsv", "json", "ndjson", "jsonl", "xml"];

const READ_BYTES: usize = 64 * 1024;

/// Decompresses a stream that starts like a gzip file, and returns any other unchanged.
///
/// A ZIP file is an error here: its directory is at its end, and a stream cannot be read from there.
pub fn decompress(reader: Box<dyn Read + Send>) -> Result<Box<dyn Read + Send>, FeedError> {
    let (first, reader) = peek::<4>(reader)?;
    if first.starts_with(GZIP) {
        let reader = BufReader::with_capacity(READ_BYTES, reader);
        return Ok(Box::new(MultiGzDecoder::new(reader)));
    }
    if first.starts_with(ZIP) || first.starts_with(EMPTY_ZIP) {
        return Err(FeedError::ZipFromPipe);
    }
    Ok(Box::new(reader))
}

/// Reads the first bytes of a stream, and returns them with the whole stream.
pub(crate) fn peek<const BYTES: usize>(mut reader: Bytes) -> io::Result<(Vec<u8>, Bytes)> {
    let mut first = Vec::with_capacity(BYTES);
    reader.by_ref().take(BYTES as u64).read_to_end(&mut first)?;
    let again = io::Cursor::new(first.clone());
    Ok((first, Box::new(again.chain(reader))))
}

/// The documents of a feed: one, or the entries of a ZIP file in the order of its directory.
pub(crate) enum Documents {
    One { name: String, reader: Option<Bytes> },
    Zip { file: File, entries: VecDeque<Entry>, bytes_read: Arc<AtomicU64> },
}

/// Where the content of a ZIP entry is.
pub(crate) struct Entry {
    name: String,
    start: u64,
    compressed_bytes: u64,
    deflated: bool,
    crc: u32,
}

impl Documents {
    pub(crate) fn of_stream(
        name: String,
        reader: Bytes,
        bytes_read: Arc<AtomicU64>,
    ) -> Result<Self, FeedError> {
        let reader = decompress(Box::new(Counted { reader, bytes_read }))?;
        Ok(Self::One { name, reader: Some(reader) })
    }

    pub(crate) fn of_file(
        name: String,
        mut file: File,
        bytes_read: Arc<AtomicU64>,
    ) -> Result<Self, FeedError> {
        let mut first = Vec::new();
        // Pipes have names in the file system, too, and cannot be read twice.
        let seekable = file.metadata()?.is_file();
        if seekable {
            file.by_ref().take(4).read_to_end(&mut first)?;
            file.seek(SeekFrom::Start(0))?;
        }
        if !first.starts_with(ZIP) && !first.starts_with(EMPTY_ZIP) {
            return Self::of_stream(name, Box::new(file), bytes_read);
        }
        let entries = entries(&file)?;
        if entries.is_empty() {
            return Err(FeedError::EmptyZip);
        }
        Ok(Self::Zip { file, entries, bytes_read })
    }

    /// Returns the next document with the name of its file.
    pub(crate) fn next(&mut self) -> io::Result<Option<(String, Bytes)>> {
        match self {
            Self::One { name, reader } => Ok(reader.take().map(|reader| (name.clone(), reader))),
            Self::Zip { file, entries, bytes_read } => {
                let Some(entry) = entries.pop_front() else { return Ok(None) };
                let mut file = file.try_clone()?;
                file.seek(SeekFrom::Start(entry.start))?;
                let counted = Counted { reader: Box::new(file), bytes_read: Arc::clone(bytes_read) };
                let compressed = BufReader::with_capacity(READ_BYTES, counted.take(entry.compressed_bytes));
                let plain: Bytes = if entry.deflated {
                    Box::new(DeflateDecoder::new(compressed))
                } else {
                    Box::new(compressed)
                };
                let reader =
                    Checked { reader: CrcReader::new(plain), crc: entry.crc, name: entry.name.clone() };
                Ok(Some((entry.name, Box::new(reader))))
            }
        }
    }
}

/// Reads the directory of a ZIP file.
fn entries(file: &File) -> Result<VecDeque<Entry>, FeedError> {
    let broken = |error: zip::result::ZipError| FeedError::Zip(error.to_string());
    let mut archive = ZipArchive::new(BufReader::new(file)).map_err(broken)?;
    let mut entries = VecDeque::new();
    for index in 0..archive.len() {
        let entry = archive.by_index_raw(index).map_err(broken)?;
        let name = entry.name().map_err(broken)?.into_owned();
        if entry.is_dir() || !is_feed(&name) {
            continue;
        }
        if entry.encrypted() {
            return Err(FeedError::Zip(format!("\"{name}\" is encrypted")));
        }
        let deflated = match entry.compression() {
            CompressionMethod::Stored => false,
            CompressionMethod::Deflated => true,
            other => {
                let message = format!("\"{name}\" is compressed with {other}; only deflate is supported");
                return Err(FeedError::Zip(message));
            }
        };
        let start = entry.data_start().ok_or_else(|| FeedError::Zip(format!("\"{name}\" has no content")))?;
        let (compressed_bytes, crc) = (entry.compressed_size(), entry.crc32());
        entries.push_back(Entry { name, start, compressed_bytes, deflated, crc });
    }
    Ok(entries)
}

fn is_feed(name: &str) -> bool {
    let file_name = name.rsplit(['/', '\\']).next().unwrap_or(name);
    // macOS adds a hidden file to an archive for each file in it.
    let hidden = file_name.starts_with('.') || name.starts_with("__MACOSX/");
    let ending = file_name.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    !hidden && ENDINGS.contains(&ending.as_str())
}

/// Counts the bytes of the feed as it is stored, for a progress bar.
struct Counted<R> {
    reader: R,
    bytes_read: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        self.bytes_read.fetch_add(read as u64, Ordering::Relaxed);
        Ok(read)
    }
}

/// Compares the checksum of an entry when its end is reached.
struct Checked<R> {
    reader: CrcReader<R>,
    crc: u32,
    name: String,
}

impl<R: Read> Read for Checked<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        if read == 0 && !buffer.is_empty() && self.reader.crc().sum() != self.crc {
            let message = format!("\"{}\" in the ZIP file is damaged: its checksum differs", self.name);
            return Err(io::Error::new(io::ErrorKind::InvalidData, message));
        }
        Ok(read)
    }
}

/// Reads whole buffers, whatever the reader below hands out.
pub(crate) fn buffered(reader: Bytes) -> impl BufRead + Send {
    BufReader::with_capacity(READ_BYTES, reader)
}
