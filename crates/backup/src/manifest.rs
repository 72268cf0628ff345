//! What a backup contains, and how to tell that it is complete.

use std::fs::File;
use std::io::{self, Read};
use std::ops::ControlFlow;
use std::path::Path;

use domain::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::error::Error;

/// The format of manifests that this release writes and reads.
const FORMAT: u32 = 1;

/// How much of a file is read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Describes a backup, in a JSON file of its own beside it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub format: u32,
    /// When the copy began: it has everything acknowledged before.
    #[serde(with = "date")]
    pub created_at: Timestamp,
    /// The last position of the change log in the copy.
    pub log_position: u64,
    pub bytes: u64,
    /// SHA-256 of the file, in hexadecimal digits.
    pub sha256: String,
    pub schema_version: u32,
    /// The release that made the backup.
    pub vigie_version: String,
    pub properties: u64,
    pub adverts: u64,
    pub searches: u64,
    /// Records that were verified in the copy; absent if they were not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified_records: Option<u64>,
    /// Problems that the verification found. More than zero only if they were accepted.
    #[serde(default)]
    pub damaged_records: u64,
}

impl Manifest {
    pub(crate) const FORMAT: u32 = FORMAT;

    /// Parses a manifest; `path` is for the error.
    pub(crate) fn parse(path: &str, text: &[u8]) -> Result<Self, Error> {
        /// Read first: other formats may have other fields.
        #[derive(Deserialize)]
        struct Header {
            format: u32,
        }
        let invalid = |source| Error::InvalidManifest { path: path.to_owned(), source };
        let Header { format: found } = serde_json::from_slice(text).map_err(invalid)?;
        if found != FORMAT {
            return Err(Error::UnknownFormat { path: path.to_owned(), found, known: FORMAT });
        }
        serde_json::from_slice(text).map_err(invalid)
    }

    pub(crate) fn print(&self) -> Vec<u8> {
        // Numbers and texts: this cannot fail.
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    /// Checks size and checksum of a file that claims to be this backup.
    pub(crate) fn check(&self, name: &str, measured: &Measured) -> Result<(), Error> {
        let name = name.to_owned();
        if measured.bytes != self.bytes {
            return Err(Error::WrongSize { name, found: measured.bytes, expected: self.bytes });
        }
        if measured.sha256 != self.sha256.to_ascii_lowercase() {
            let (found, expected) = (measured.sha256.clone(), self.sha256.clone());
            return Err(Error::WrongChecksum { name, found, expected });
        }
        Ok(())
    }
}

/// Size and checksum of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Measured {
    pub bytes: u64,
    pub sha256: String,
}

/// Reads a file to its end. Returns `None` if `between` breaks.
pub(crate) fn measure(
    path: &Path,
    between: &mut dyn FnMut(u64) -> ControlFlow<()>,
) -> io::Result<Option<Measured>> {
    let mut file = File::open(path)?;
    let mut hasher = Hasher::default();
    let mut chunk = vec![0; CHUNK_BYTES];
    loop {
        let count = file.read(&mut chunk)?;
        if count == 0 {
            return Ok(Some(hasher.finish()));
        }
        hasher.update(chunk.get(..count).unwrap_or_default());
        if between(hasher.bytes).is_break() {
            return Ok(None);
        }
    }
}

/// Measures what passes through.
#[derive(Default)]
pub(crate) struct Hasher {
    digest: Sha256,
    pub bytes: u64,
}

impl Hasher {
    pub fn update(&mut self, chunk: &[u8]) {
        self.digest.update(chunk);
        self.bytes += chunk.len() as u64;
    }

    pub fn finish(self) -> Measured {
        let digits: String = self.digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
        Measured { bytes: self.bytes, sha256: digits }
    }
}

/// Dates as texts.
mod date {
    use domain::Timestamp;
    use serde::{Deserialize, Deserializer, Serializer, de};

    pub fn serialize<S: Serializer>(date: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(date)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
