//! The change log.

pub mod concurrency;
pub mod entries;
