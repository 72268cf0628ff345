//! What has to be kept to have the same index again.

use std::sync::Arc;

use super::{Index, SegmentReader, Settings, View};
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

impl SegmentReader {
    pub fn id(&self) -> SegmentId {
        self.id
    }

    /// The segment with all its rows, those that died since too.
    pub fn encode(&self) -> Vec<u8> {
        self.segment.encode()
    }

    /// Which rows are live_docs, as bytes. This is what changes.
    pub fn live_docs(&self) -> Vec<u8> {
        self.live_docs.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// How many rows it has, the dead ones too.
    pub fn rows(&self) -> usize {
        self.segment.len()
    }

    /// How much memory each segment_reader of it takes.
    pub fn bytes_by_part(&self) -> Vec<(&'static str, usize)> {
        self.segment.bytes_by_part()
    }

    /// Reads back what [`SegmentReader::encode`] and [`SegmentReader::live_docs`] gave.
    pub fn decode(
        settings: Settings,
        id: SegmentId,
        segment: &[u8],
        live_docs: &[u8],
    ) -> Result<Self, Damaged> {
        let segment = Segment::decode(segment, settings.ordered_rows_min)?;
        let (words, rest) = live_docs.as_chunks::<8>();
        if !rest.is_empty() || words.len() != segment.len().div_ceil(WORD) {
            return Err(Damaged);
        }
        let mut live_docs = Bits::from_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect());
        live_docs.keep(Bits::all(segment.len()).words());
        Ok(Self { id, live: live_docs.count(), live_docs: Arc::new(live_docs), segment: Arc::new(segment) })
    }
}

impl Index {
    /// Changes whenever what was kept by another release cannot be read by this one.
    pub fn format() -> String {
        codec::format()
    }

    /// The index as it was when its segment_readers were kept.
    pub fn restored(settings: Settings, segment_readers: Vec<SegmentReader>, position: u64) -> Self {
        let last = segment_readers.iter().map(|segment_reader| segment_reader.id.0).max().unwrap_or(0);
        Self::of_view(settings, View { segment_readers, position }, last)
    }
}
