//! Backups of a running database to a folder or to S3-compatible storage, and their restoration.
//!
//! A backup is one file, the database as it was at one position of the change log, and a [`Manifest`] that says what the file must
//! be. [`make()`] copies and verifies the database in a working file and publishes it only when it is complete: in a folder by
//! renaming it, in object storage by writing the manifest last. [`restore()`] takes a complete backup, checks it against its manifest,
//! verifies it and puts it into an empty data folder. [`Schedule`] says when the next backup is due.
//!
//! Not here: settings and output (`server`), what a record must look like (`store`), and how storage is reached (`objects`).

mod contents;
mod error;
mod files;
mod folder;
mod make;
mod manifest;
mod name;
mod pace;
mod restore;
mod rotation;
mod s3;
mod schedule;
mod target;
mod work;

pub use contents::Contents;
pub use error::Error;
pub use make::{Made, MakeOptions, make};
pub use manifest::Manifest;
pub use name::BackupName;
pub use restore::{Manifests, RestoreOptions, Restored, restore};
pub use schedule::Schedule;
pub use target::{Location, Target};
pub use work::{DamagePolicy, Progress, Stage};
