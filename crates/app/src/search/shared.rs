//! Snapshots of the index that servers on one database share.
//!
//! One server [publishes](crate::workers::publisher) its snapshots, and a server that has none of its own
//! [starts from it](crate::workers::indexer). An object holds one segment and is named after its content, so that it never changes, is
//! uploaded once, and is the same object for every server. The object `manifest` names the others, and is written after them.

use std::collections::HashSet;
use std::error::Error as StdError;
use std::fs::File;
use std::io::{self, Read, Seek};

use async_trait::async_trait;
use sha2::{Digest, Sha256};

use super::manifest::{Manifest, Reader, with_checksum, without_checksum, write_bytes};

/// The name of the object that names the others.
pub const MANIFEST: &str = "manifest";

const SEGMENT_PREFIX: &str = "segment-";

/// The most bytes of a manifest. It has a bit for each row, so this is enough for two thousand million properties.
pub const MANIFEST_BYTES_MAX: u64 = 256 << 20;

/// Identifies a manifest and the version of its format.
const MAGIC: &[u8; 8] = b"VIGIESH1";

/// How much of a file is read at once.
const CHUNK_BYTES: usize = 1 << 20;

/// Storage of named objects that all servers on one database reach. An object is there completely or not at all.
#[async_trait]
pub trait SharedSnapshots: std::fmt::Debug + Send + Sync + 'static {
    /// Returns the names of all objects, and of what interrupted writes have left behind.
    async fn list(&self) -> Result<Vec<String>, StorageError>;

    /// Reads a small object into memory; `None` if there is none. Fails if it is larger than `bytes_max`.
    async fn read(&self, name: &str, bytes_max: u64) -> Result<Option<Vec<u8>>, StorageError>;

    /// Writes a small object, or replaces it.
    async fn write(&self, name: &str, content: Vec<u8>) -> Result<(), StorageError>;

    /// Copies `length` bytes from the position of a file to an object.
    async fn upload(&self, name: &str, file: File, length: u64) -> Result<(), StorageError>;

    /// Copies an object to a file, but at most `bytes_max` bytes. Returns `false` if there is none.
    async fn download(&self, name: &str, file: File, bytes_max: u64) -> Result<bool, StorageError>;

    /// Removes an object, if it exists.
    async fn remove(&self, name: &str) -> Result<(), StorageError>;
}

/// Why storage cannot be read or written. The cause depends on the storage.
#[derive(Debug, thiserror::Error)]
#[error("the shared storage cannot be read or written")]
pub struct StorageError(#[source] Box<dyn StdError + Send + Sync>);

impl StorageError {
    pub fn new(cause: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        Self(cause.into())
    }
}

/// The SHA-256 of a segment file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SegmentDigest([u8; 32]);

impl SegmentDigest {
    /// Returns the name of the object.
    pub fn object(&self) -> String {
        let hexadecimal: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{SEGMENT_PREFIX}{hexadecimal}")
    }
}

/// Returns `true` if a publisher has written what has this name, and it is not the manifest. What others keep in the same place is not ours
/// to remove.
pub fn is_ours(name: &str) -> bool {
    // An unfinished manifest has a longer name.
    name != MANIFEST && (name.starts_with(SEGMENT_PREFIX) || name.starts_with(MANIFEST))
}

/// The manifest of a shared snapshot: that of the server that published it, and the objects of its segments in the same order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedManifest {
    pub manifest: Manifest,
    pub digests: Vec<SegmentDigest>,
}

impl SharedManifest {
    pub fn encode(&self) -> Vec<u8> {
        let Self { manifest, digests } = self;
        let mut bytes = MAGIC.to_vec();
        write_bytes(&mut bytes, &manifest.encode());
        bytes.extend(digests.iter().flat_map(|digest| digest.0));
        with_checksum(bytes)
    }

    /// Returns `None` if the bytes are not a valid manifest.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(without_checksum(bytes)?.strip_prefix(MAGIC)?);
        let manifest = Manifest::decode(reader.bytes()?)?;
        let digests =
            manifest.segments.iter().map(|_| reader.take().map(SegmentDigest)).collect::<Option<_>>()?;
        reader.is_empty().then_some(Self { manifest, digests })
    }

    /// Returns the names of the objects of the segments.
    pub fn objects(&self) -> HashSet<String> {
        self.digests.iter().map(SegmentDigest::object).collect()
    }
}

/// What a segment file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Measured {
    pub length: u64,
    pub checksum: u32,
    pub digest: SegmentDigest,
}

/// Reads a file from its beginning to its end, and leaves it at its beginning.
pub fn measure(file: &mut File) -> io::Result<Measured> {
    let (mut checksum, mut digest, mut length) = (crc32fast::Hasher::new(), Sha256::new(), 0);
    let mut chunk = vec![0; CHUNK_BYTES];
    file.rewind()?;
    loop {
        let count = file.read(&mut chunk)?;
        let bytes = chunk.get(..count).unwrap_or_default();
        if bytes.is_empty() {
            file.rewind()?;
            let digest = SegmentDigest(digest.finalize().into());
            return Ok(Measured { length, checksum: checksum.finalize(), digest });
        }
        checksum.update(bytes);
        digest.update(bytes);
        length += count as u64;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use engine::SegmentId;

    use super::*;
    use crate::search::manifest::{Anchor, SegmentEntry};

    fn manifest() -> SharedManifest {
        let anchor = Anchor { position: 7, recorded_at_millisecond: 3, subject: vec![1] };
        let segment =
            |id| SegmentEntry { id: SegmentId(id), length: 10, checksum: 99, live_docs: vec![4; 5] };
        let segments = vec![segment(1), segment(5)];
        let manifest = Manifest { format: "columns 3".to_owned(), generation: 2, anchor, segments };
        SharedManifest { manifest, digests: vec![SegmentDigest([1; 32]), SegmentDigest([2; 32])] }
    }

    #[test]
    fn a_manifest_round_trips_and_any_damage_is_detected() {
        let bytes = manifest().encode();
        assert_eq!(SharedManifest::decode(&bytes), Some(manifest()));
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x40;
            assert_eq!(SharedManifest::decode(&damaged), None, "byte {index}");
            assert_eq!(SharedManifest::decode(&bytes[..index]), None, "cut at {index}");
        }
        let missing = SharedManifest { digests: vec![SegmentDigest([1; 32])], ..manifest() };
        assert_eq!(SharedManifest::decode(&missing.encode()), None);
    }

    #[test]
    fn a_file_is_measured() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"abc").unwrap();
        let Measured { length, checksum, digest } = measure(&mut file).unwrap();
        assert_eq!((length, checksum), (3, crc32fast::hash(b"abc")));
        // The example of the standard.
        assert!(digest.object().starts_with("segment-ba7816bf8f01cfea"), "{}", digest.object());
        assert_eq!(measure(&mut file).unwrap().length, 3, "it is at its beginning again");
    }
}
