//! The manifest of a snapshot: which files belong to it, and which log entry of which store it includes.
//!
//! A binary format: no other program reads it, and a release with another format builds the index from the store. The last four
//! bytes are a checksum of the others.

use engine::SegmentId;
use store::{Change, LogEntry};

/// Identifies the file and the version of its format.
const MAGIC: &[u8; 8] = b"VIGIEIX1";

/// The description of a snapshot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// The segment format of the engine. Segments of another format cannot be read.
    pub format: String,
    /// Incremented when the index is rebuilt, because segment ids start again.
    pub generation: u64,
    pub anchor: Anchor,
    pub segments: Vec<SegmentEntry>,
}

/// Identifies the last log entry of the snapshot, to detect the log of another store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Anchor {
    pub position: u64,
    pub recorded_at_millisecond: i64,
    /// The id of the property or search; empty if it was erased.
    pub subject: Vec<u8>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentEntry {
    pub id: SegmentId,
    pub length: u64,
    pub checksum: u32,
    pub live_docs: Vec<u8>,
}

impl Anchor {
    pub fn of(entry: &LogEntry) -> Self {
        let subject = match &entry.change {
            Change::Property { property, .. } | Change::PropertyRemoved { property, .. } => {
                property.as_bytes().to_vec()
            }
            Change::Search { search, .. } | Change::SearchRemoved { search } => search.as_bytes().to_vec(),
            Change::Erased => Vec::new(),
            Change::Damaged { property, search } => {
                let property = property.map(|property| property.as_bytes().to_vec());
                property.or(search.map(|search| search.as_bytes().to_vec())).unwrap_or_default()
            }
        };
        let recorded_at_millisecond = entry.recorded_at.as_millisecond();
        Self { position: entry.position.0, recorded_at_millisecond, subject }
    }

    /// Returns `true` if the entry is the one of the snapshot. It may have been blanked or damaged since, which changes only its
    /// subject.
    pub fn matches(&self, entry: &LogEntry) -> bool {
        let now = Self::of(entry);
        now.position == self.position
            && now.recorded_at_millisecond == self.recorded_at_millisecond
            && (now.subject == self.subject
                || matches!(entry.change, Change::Erased | Change::Damaged { .. }))
    }
}

/// Appends a checksum.
pub(super) fn with_checksum(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = crc32fast::hash(&bytes);
    bytes.extend(checksum.to_le_bytes());
    bytes
}

/// Returns what is before the checksum, or `None` if that is wrong.
pub(super) fn without_checksum(bytes: &[u8]) -> Option<&[u8]> {
    let (content, checksum) = bytes.split_last_chunk::<4>()?;
    (crc32fast::hash(content) == u32::from_le_bytes(*checksum)).then_some(content)
}

impl Manifest {
    pub fn encode(&self) -> Vec<u8> {
        let Self { format, generation, anchor, segments } = self;
        let Anchor { position, recorded_at_millisecond, subject } = anchor;
        let mut bytes = MAGIC.to_vec();
        write_bytes(&mut bytes, format.as_bytes());
        bytes.extend(generation.to_le_bytes());
        bytes.extend(position.to_le_bytes());
        bytes.extend(recorded_at_millisecond.to_le_bytes());
        write_bytes(&mut bytes, subject);
        bytes.extend((segments.len() as u64).to_le_bytes());
        for SegmentEntry { id, length, checksum, live_docs } in segments {
            bytes.extend(id.0.to_le_bytes());
            bytes.extend(length.to_le_bytes());
            bytes.extend(checksum.to_le_bytes());
            write_bytes(&mut bytes, live_docs);
        }
        with_checksum(bytes)
    }

    /// Returns `None` if the bytes are not a valid manifest.
    pub fn decode(bytes: &[u8]) -> Option<Self> {
        let mut reader = Reader::new(without_checksum(bytes)?.strip_prefix(MAGIC)?);
        let format = String::from_utf8(reader.bytes()?.to_vec()).ok()?;
        let generation = reader.number()?;
        let anchor = Anchor {
            position: reader.number()?,
            recorded_at_millisecond: i64::from_le_bytes(reader.take()?),
            subject: reader.bytes()?.to_vec(),
        };
        let mut segments = Vec::new();
        for _ in 0..reader.number()? {
            segments.push(SegmentEntry {
                id: SegmentId(reader.number()?),
                length: reader.number()?,
                checksum: u32::from_le_bytes(reader.take()?),
                live_docs: reader.bytes()?.to_vec(),
            });
        }
        reader.is_empty().then_some(Self { format, generation, anchor, segments })
    }

    /// Returns the total size of the segments.
    pub fn bytes(&self) -> u64 {
        self.segments.iter().map(|segment| segment.length).sum()
    }
}

/// Appends bytes with their number.
pub(super) fn write_bytes(to: &mut Vec<u8>, bytes: &[u8]) {
    to.extend((bytes.len() as u64).to_le_bytes());
    to.extend(bytes);
}

/// The bytes that are not decoded yet.
pub(super) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn take<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let (taken, rest) = self.0.split_first_chunk::<COUNT>()?;
        self.0 = rest;
        Some(*taken)
    }

    fn number(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }
}

#[cfg(test)]
mod tests {
    use testkit::build::{at, property_id};

    use super::*;

    fn manifest() -> Manifest {
        let anchor = Anchor { position: 7, recorded_at_millisecond: -3, subject: vec![1, 2, 3] };
        let segment =
            |id| SegmentEntry { id: SegmentId(id), length: 10, checksum: 99, live_docs: vec![4; 5] };
        Manifest {
            format: "columns 3".to_owned(),
            generation: 2,
            anchor,
            segments: vec![segment(1), segment(5)],
        }
    }

    #[test]
    fn a_manifest_round_trips() {
        let empty = Manifest { segments: Vec::new(), ..manifest() };
        for manifest in [manifest(), empty] {
            assert_eq!(Manifest::decode(&manifest.encode()), Some(manifest));
        }
    }

    #[test]
    fn any_damage_is_detected() {
        let bytes = manifest().encode();
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 0x40;
            assert_eq!(Manifest::decode(&damaged), None, "byte {index}");
            assert_eq!(Manifest::decode(&bytes[..index]), None, "cut at {index}");
        }
        let mut longer = bytes;
        longer.push(0);
        assert_eq!(Manifest::decode(&longer), None);
    }

    #[test]
    fn a_blanked_entry_still_matches() {
        let entry = |number, second, change: fn(u64) -> Change| LogEntry {
            position: store::Position(3),
            recorded_at: at(second),
            change: change(number),
        };
        let removed = |number| Change::PropertyRemoved {
            property: property_id(number),
            cause: store::RemovalCause::AdvertLeft,
        };
        let anchor = Anchor::of(&entry(1, 50, removed));
        assert!(anchor.matches(&entry(1, 50, removed)));
        assert!(anchor.matches(&entry(1, 50, |_| Change::Erased)));
        assert!(!anchor.matches(&entry(2, 50, removed)));
        assert!(!anchor.matches(&entry(1, 51, removed)));
        assert!(!anchor.matches(&entry(1, 51, |_| Change::Erased)));
    }
}
