//! Named objects in a folder or in S3-compatible storage.
//!
//! An object is written completely or not at all: a [`Folder`] gives a file its name when it is on disk, a [`Bucket`] shows an object when
//! its upload is complete. [`Address`] is what an operator writes, [`S3Settings`] says how the storage is reached.
//!
//! Backups (`backup`) and shared snapshots of the index (`server`) are kept with it. It knows neither: what an object contains, when it is
//! written and when it is removed is decided there. It connects only to the storage that the operator configured.

mod address;
mod bucket;
mod client;
mod endpoint;
mod error;
mod folder;

pub use address::{Address, s3_address};
pub use bucket::{Bucket, Download, Upload, part_bytes};
pub use endpoint::S3Settings;
pub use error::Error;
pub use folder::Folder;
