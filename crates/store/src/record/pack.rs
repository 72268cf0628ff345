//! A format byte, followed by a Zstandard frame with a checksum.

use std::cell::RefCell;
use std::io;

use serde::Serialize;
use zstd::zstd_safe::CParameter;

use crate::error::Error;

/// The fastest level. For records of a few kilobytes, higher levels save a few per cent and take several times as long.
const LEVEL: i32 = 1;

/// The shortest repetition that is looked for. The fastest level looks for 5 bytes, which takes an eighth more time to save a sixtieth.
const MATCH_BYTES_MIN: u32 = 7;

/// More than the largest property that the limits allow. A frame that declares more is damaged.
const DECOMPRESSED_BYTES_MAX: usize = 256 * 1024 * 1024;

/// Larger buffers are not kept.
const KEPT_BYTES_MAX: usize = 1024 * 1024;

thread_local! {
    // A compression context is large and slow to create; each thread keeps its own.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
    // The JSON and the frame of a record, which are larger than the record.
    static JSON: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static FRAME: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Compresses a value as JSON.
pub fn compress_json(format: u8, value: &impl Serialize) -> io::Result<Vec<u8>> {
    JSON.with_borrow_mut(|json| {
        json.clear();
        sonic_rs::to_writer(&mut *json, value).map_err(io::Error::other)?;
        let record = compress(format, json);
        json.shrink_to(KEPT_BYTES_MAX);
        record
    })
}

pub fn compress(format: u8, bytes: &[u8]) -> io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(new_compressor()?),
        };
        FRAME.with_borrow_mut(|frame| {
            frame.clear();
            frame.reserve(zstd::zstd_safe::compress_bound(bytes.len()));
            compressor.compress_to_buffer(bytes, frame)?;
            let mut record = Vec::with_capacity(1 + frame.len());
            record.push(format);
            record.extend_from_slice(frame);
            frame.clear();
            frame.shrink_to(KEPT_BYTES_MAX);
            Ok(record)
        })
    })
}

pub fn decompress(format: u8, record: &[u8], what: impl Fn() -> String) -> Result<Vec<u8>, Error> {
    let frame = match record.split_first() {
        Some((found, frame)) if *found == format => frame,
        _ => return Err(Error::corrupt(what())),
    };
    let size = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten();
    let size =
        size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= DECOMPRESSED_BYTES_MAX);
    let size = size.ok_or_else(|| Error::corrupt(what()))?;
    let decompressed = DECOMPRESSOR.with_borrow_mut(|slot| {
        let decompressor = match slot {
            Some(decompressor) => decompressor,
            None => slot.insert(zstd::bulk::Decompressor::new()?),
        };
        decompressor.decompress(frame, size)
    });
    decompressed.map_err(|error| Error::corrupt_by(what(), error))
}

fn new_compressor() -> io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    compressor.set_parameter(CParameter::MinMatch(MATCH_BYTES_MIN))?;
    Ok(compressor)
}
