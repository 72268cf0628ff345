//! How properties and events are kept: a version byte, then JSON compressed with Zstandard and a checksum. Searches and lists
//! of them are smaller and have forms of their own ([`search`], [`numbers`]).
//!
//! JSON describes itself, so a later release reads an earlier one's records as long as it knows every name that was ever
//! written; `tests/compat` holds records of every released shape and proves it. The checksum tells damage apart from
//! everything else.

mod checksum;
mod numbers;
mod search;
mod shape;

use std::cell::RefCell;

use domain::{AdvertEvent, Property, PropertyId};

use crate::error::Error;
pub use numbers::{decode_numbers, encode_numbers, holds_number};
pub use search::{decode_search, encode_search};
use shape::{EventRecord, PropertyRecord};

/// JSON in one Zstandard frame with checksum.
const FORMAT_JSON_ZSTD: u8 = 1;

/// The fastest level: at a few kilobytes a record, higher ones gain a few per cent and cost several times the time.
const LEVEL: i32 = 1;

/// More than the largest property the limits allow; a frame that claims more is damaged.
const DECOMPRESSED_BYTES_MAX: usize = 256 * 1024 * 1024;

thread_local! {
    // A compression context is large and costly to set up; each thread keeps its own.
    static COMPRESSOR: RefCell<Option<zstd::bulk::Compressor<'static>>> = const { RefCell::new(None) };
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

pub fn encode_property(property: &Property) -> Result<Vec<u8>, Error> {
    let json = serde_json::to_vec(&PropertyRecord::from_property(property))
        .map_err(|error| Error::corrupt_by("a property to be written", error))?;
    let damaged = |error: std::io::Error| Error::corrupt_by("a property to be written", error);
    COMPRESSOR.with_borrow_mut(|slot| {
        let compressor = match slot {
            Some(compressor) => compressor,
            None => slot.insert(new_compressor().map_err(damaged)?),
        };
        let mut record = Vec::with_capacity(1 + zstd::zstd_safe::compress_bound(json.len()));
        record.push(FORMAT_JSON_ZSTD);
        record.resize(record.capacity(), 0);
        let written = compressor.compress_to_buffer(&json, &mut record[1..]).map_err(damaged)?;
        record.truncate(1 + written);
        record.shrink_to_fit();
        Ok(record)
    })
}

pub fn decode_property(id: PropertyId, record: &[u8]) -> Result<Property, Error> {
    let what = || format!("the record of property {id}");
    let frame = match record.split_first() {
        Some((&FORMAT_JSON_ZSTD, frame)) => frame,
        _ => return Err(Error::corrupt(what())),
    };
    let size = zstd::zstd_safe::get_frame_content_size(frame).ok().flatten();
    let size =
        size.and_then(|size| usize::try_from(size).ok()).filter(|size| *size <= DECOMPRESSED_BYTES_MAX);
    let size = size.ok_or_else(|| Error::corrupt(what()))?;
    let json = DECOMPRESSOR
        .with_borrow_mut(|slot| {
            let decompressor = match slot {
                Some(decompressor) => decompressor,
                None => slot.insert(zstd::bulk::Decompressor::new()?),
            };
            decompressor.decompress(frame, size)
        })
        .map_err(|error| Error::corrupt_by(what(), error))?;
    let record: PropertyRecord =
        serde_json::from_slice(&json).map_err(|error| Error::corrupt_by(what(), error))?;
    record.into_property(id).ok_or_else(|| Error::corrupt(what()))
}

/// The events of one log entry. They are few and short, so they are not compressed.
pub fn encode_news(news: &[AdvertEvent]) -> Result<Vec<u8>, Error> {
    let records: Vec<EventRecord> = news.iter().map(EventRecord::from_event).collect();
    serde_json::to_vec(&records).map_err(|error| Error::corrupt_by("events to be written", error))
}

pub fn decode_news(payload: &[u8]) -> Result<Vec<AdvertEvent>, Error> {
    let what = "the events of a log entry";
    let records: Vec<EventRecord> =
        serde_json::from_slice(payload).map_err(|error| Error::corrupt_by(what, error))?;
    records
        .into_iter()
        .map(EventRecord::into_event)
        .collect::<Option<_>>()
        .ok_or_else(|| Error::corrupt(what))
}

fn new_compressor() -> std::io::Result<zstd::bulk::Compressor<'static>> {
    let mut compressor = zstd::bulk::Compressor::new(LEVEL)?;
    compressor.include_checksum(true)?;
    Ok(compressor)
}

#[cfg(test)]
mod tests;
