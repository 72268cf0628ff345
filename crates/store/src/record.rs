//! Record formats. A property is a version byte, then JSON compressed with Zstandard and protected by a checksum. Searches and lists
//! of searches are smaller and have their own formats ([`search`], [`search_list`]).
//!
//! JSON describes itself, so a later release reads the records of an earlier one as long as it knows every name that was ever
//! written; `tests/compat` holds records of every released format to prove it. The checksum detects damage.

mod checksum;
mod pack;
mod payload;
mod regrouping;
mod search;
mod search_list;
mod shape;
mod text;
mod timeline;

use domain::{AdvertEvent, Property, PropertyId};

use crate::error::Error;
use pack::{compress, compress_json, decompress};
pub use payload::{decode_id_payload, seal_payload};
pub use regrouping::Regrouping;
pub use search::{decode_search, encode_search};
pub use search_list::{decode_search_list, encode_search_list, search_list_contains};
use shape::{EventRecord, PropertyRecord};

/// JSON in one Zstandard frame with checksum.
const FORMAT_JSON_ZSTD: u8 = 1;

pub fn encode_property(property: &Property) -> Result<Vec<u8>, Error> {
    let what = || "a property to be written".to_owned();
    let record = PropertyRecord::from_property(property);
    compress_json(FORMAT_JSON_ZSTD, &record).map_err(|error| Error::corrupt_by(what(), error))
}

pub fn decode_property(id: PropertyId, record: &[u8]) -> Result<Property, Error> {
    let what = || format!("the record of property {id}");
    let json = decompress(FORMAT_JSON_ZSTD, record, what)?;
    let record: PropertyRecord<'_> =
        sonic_rs::from_slice(&json).map_err(|error| Error::corrupt_by(what(), error))?;
    record.into_property(id).ok_or_else(|| Error::corrupt(what()))
}

/// Encodes a document as it was sent. The store does not interpret its bytes.
pub fn encode_document(document: &[u8]) -> Result<Vec<u8>, Error> {
    compress(FORMAT_JSON_ZSTD, document).map_err(|error| Error::corrupt_by("a document to be stored", error))
}

pub fn decode_document(record: &[u8]) -> Result<Vec<u8>, Error> {
    decompress(FORMAT_JSON_ZSTD, record, || "a stored document".to_owned())
}

/// Encodes the events of one log entry. They are few and short, so they are not compressed. [`seal_payload`] adds the checksum.
pub fn encode_events(events: &[AdvertEvent]) -> Result<Vec<u8>, Error> {
    let records: Vec<EventRecord<'_>> = events.iter().map(EventRecord::from_event).collect();
    serde_json::to_vec(&records).map_err(|error| Error::corrupt_by("events to be written", error))
}

/// Decodes the payload of a log entry that consists of events.
pub fn decode_events(payload: &[u8]) -> Result<Vec<AdvertEvent>, Error> {
    parse_events(payload::open_payload(b'[', payload, EVENTS)?)
}

const EVENTS: &str = "the events of a log entry";

fn parse_events(json: &[u8]) -> Result<Vec<AdvertEvent>, Error> {
    let what = EVENTS;
    let records: Vec<EventRecord<'_>> =
        serde_json::from_slice(json).map_err(|error| Error::corrupt_by(what, error))?;
    records
        .into_iter()
        .map(EventRecord::into_event)
        .collect::<Option<_>>()
        .ok_or_else(|| Error::corrupt(what))
}

#[cfg(test)]
mod tests;
