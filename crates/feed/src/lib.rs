//! Reads feeds of adverts in the formats of the trade, as a stream of adverts with the field names of the contract.
//!
//! A format decides names and structure: which column is the price, which code is a house. Values stay text wherever the
//! reader of adverts can interpret them: amounts with units, dates, yes and no, markup. The crate never holds a whole
//! document, never unpacks to disk, never fails because of one broken record, and never interprets a value that is not a
//! code of its format. It knows no other crate of Vigie. The `import` command of `server` uses it.

mod advert;
mod buffer;
mod compression;
mod csv;
mod encoding;
mod error;
mod format;
mod json;
mod kyero;
mod lines;
mod mapping;
mod openimmo;
mod poliris;
mod reader;
mod report;
mod reso;
mod xml;

pub use advert::FIELDS;
pub use compression::decompress;
pub use error::FeedError;
pub use format::{Format, UnknownFormat};
pub use mapping::{Mapping, MappingError};
pub use reader::{FeedItem, FeedOptions, FeedReader, FeedRecord, detect, open, open_reader};
pub use report::{Column, ColumnReport};
