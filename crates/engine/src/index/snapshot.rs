//! What has to be kept to have the same index again.

use std::sync::Arc;

use super::{Index, Part, Settings, View};
use crate::bits::{Bits, WORD};
use crate::segment::{Segment, codec};

pub use crate::segment::codec::Damaged;

/// Names a segment. The same id is the same bytes for ever; a new segment has a new id, greater than all before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId(pub u64);

impl std::fmt::Display for SegmentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl Part {
    pub fn id(&self) -> SegmentId {
        self.id
    }

    /// The segment with all its rows, those that died since too.
    pub fn encode(&self) -> Vec<u8> {
        self.segment.encode()
    }

    /// Which rows are alive, as bytes. This is what changes.
    pub fn alive(&self) -> Vec<u8> {
        self.alive.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// How many rows it has, the dead ones too.
    pub fn rows(&self) -> usize {
        self.segment.len()
    }

    /// How much memory each part of it takes.
    pub fn bytes_by_part(&self) -> Vec<(&'static str, usize)> {
        self.segment.bytes_by_part()
    }

    /// Reads back what [`Part::encode`] and [`Part::alive`] gave.
    pub fn decode(settings: Settings, id: SegmentId, segment: &[u8], alive: &[u8]) -> Result<Self, Damaged> {
        let segment = Segment::decode(segment, settings.ordered_rows_min)?;
        let (words, rest) = alive.as_chunks::<8>();
        if !rest.is_empty() || words.len() != segment.len().div_ceil(WORD) {
            return Err(Damaged);
        }
        let mut alive = Bits::from_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect());
        alive.keep(Bits::all(segment.len()).words());
        Ok(Self { id, live: alive.count(), alive: Arc::new(alive), segment: Arc::new(segment) })
    }
}

impl Index {
    /// Changes whenever what was kept by another release cannot be read by this one.
    pub fn format() -> String {
        codec::format()
    }

    /// The index as it was when its parts were kept.
    pub fn restored(settings: Settings, parts: Vec<Part>, position: u64) -> Self {
        let last = parts.iter().map(|part| part.id.0).max().unwrap_or(0);
        Self::of_view(settings, View { parts, position }, last)
    }
}
