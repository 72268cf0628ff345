//! Feeds of all formats, read as the import command reads them.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

mod compressed;
mod documentation;
mod hostile;
mod mappings;
mod samples;
mod streaming;
mod support;
mod written;
