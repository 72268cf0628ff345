//! How properties and events are kept: a version byte, then JSON compressed with Zstandard and a checksum. Searches and lists
//! of them are smaller and have forms of their own ([`search`], [`numbers`]).
//!
//! JSON describes itself, so a later release reads an earlier one's records as long as it knows every name that was ever
//! written; `tests/compat` holds records of every released shape and proves it. The checksum tells damage apart from
//! everything else.

mod checksum;
mod numbers;
mod pack;
mod search;
mod shape;

use domain::{AdvertEvent, Property, PropertyId};

use crate::error::Error;
pub use numbers::{decode_numbers, encode_numbers, holds_number};
use pack::{packed, unpacked};
pub use search::{decode_search, encode_search};
use shape::{EventRecord, PropertyRecord};

/// JSON in one Zstandard frame with checksum.
const FORMAT_JSON_ZSTD: u8 = 1;

pub fn encode_property(property: &Property) -> Result<Vec<u8>, Error> {
    let what = || "a property to be written".to_owned();
    let json = serde_json::to_vec(&PropertyRecord::from_property(property))
        .map_err(|error| Error::corrupt_by(what(), error))?;
    packed(FORMAT_JSON_ZSTD, &json).map_err(|error| Error::corrupt_by(what(), error))
}

pub fn decode_property(id: PropertyId, record: &[u8]) -> Result<Property, Error> {
    let what = || format!("the record of property {id}");
    let json = unpacked(FORMAT_JSON_ZSTD, record, what)?;
    let record: PropertyRecord =
        serde_json::from_slice(&json).map_err(|error| Error::corrupt_by(what(), error))?;
    record.into_property(id).ok_or_else(|| Error::corrupt(what()))
}

/// A document as it was sent: bytes that nobody here reads.
pub fn encode_document(document: &[u8]) -> Result<Vec<u8>, Error> {
    packed(FORMAT_JSON_ZSTD, document).map_err(|error| Error::corrupt_by("a document to be kept", error))
}

pub fn decode_document(record: &[u8]) -> Result<Vec<u8>, Error> {
    unpacked(FORMAT_JSON_ZSTD, record, || "a document that was sent".to_owned())
}

/// The events of one log entry. They are few and short, so they are not compressed.
pub fn encode_news(events: &[AdvertEvent]) -> Result<Vec<u8>, Error> {
    let records: Vec<EventRecord> = events.iter().map(EventRecord::from_event).collect();
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

#[cfg(test)]
mod tests;
