//! A view of one segment: the immutable segment and the set of its rows that are not deleted.

use std::sync::Arc;

use crate::bits::{BitSet, WORD};
use crate::budget::{Budget, Stopped};
use crate::segment::Segment;
use crate::segment::codec::CorruptSegment;
use crate::segment_query::{MatchedRows, PreparedCriteria, SegmentQuery, transactions};
use crate::settings::IndexSettings;

/// Identifies a segment. The bytes of a segment never change; a new segment has a new id, greater than all before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SegmentId(pub u64);

impl std::fmt::Display for SegmentId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

/// A segment and its live rows. Clones share both until one of them deletes a row.
#[derive(Debug, Clone)]
pub struct SegmentReader {
    id: SegmentId,
    pub(crate) segment: Arc<Segment>,
    /// The rows that are not deleted.
    pub(crate) live_docs: Arc<BitSet>,
    live_count: usize,
}

impl SegmentReader {
    pub(crate) fn new(id: SegmentId, segment: Segment) -> Self {
        let live_count = segment.len();
        Self { id, live_docs: Arc::new(BitSet::full(live_count)), segment: Arc::new(segment), live_count }
    }

    pub fn id(&self) -> SegmentId {
        self.id
    }

    /// Returns the number of rows, including deleted ones.
    pub fn rows(&self) -> usize {
        self.segment.len()
    }

    /// Returns the number of rows that are not deleted.
    pub(crate) fn live_count(&self) -> usize {
        self.live_count
    }

    /// Deletes a row. Other clones of the reader still see it.
    pub(crate) fn delete(&mut self, row: usize) {
        if self.live_docs.contains(row) {
            Arc::make_mut(&mut self.live_docs).remove(row);
            self.live_count -= 1;
        }
    }

    /// Returns the matching rows, separately for each transaction.
    pub(crate) fn matched_rows<'a>(
        &'a self,
        prepared: &'a PreparedCriteria<'a>,
        budget: &'a Budget,
    ) -> impl Iterator<Item = Result<MatchedRows, Stopped>> + 'a {
        transactions(&self.segment, prepared.criteria)
            .filter_map(|within| SegmentQuery::new(&self.segment, &self.live_docs, prepared, within))
            .map(|segment_query| segment_query.matched_rows(budget))
    }

    /// Encodes the segment with all its rows, including deleted ones.
    pub fn encode(&self) -> Vec<u8> {
        self.segment.encode()
    }

    /// Encodes the set of rows that are not deleted. Only this part of a segment changes.
    pub fn live_docs(&self) -> Vec<u8> {
        self.live_docs.words().iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Decodes the output of [`SegmentReader::encode`] and [`SegmentReader::live_docs`].
    pub fn decode(
        settings: IndexSettings,
        id: SegmentId,
        segment: &[u8],
        live_docs: &[u8],
    ) -> Result<Self, CorruptSegment> {
        let segment = Segment::decode(segment, settings.presorted_rows_min)?;
        let (words, rest) = live_docs.as_chunks::<8>();
        if !rest.is_empty() || words.len() != segment.len().div_ceil(WORD) {
            return Err(CorruptSegment);
        }
        let mut live_docs = BitSet::from_words(words.iter().map(|word| u64::from_le_bytes(*word)).collect());
        live_docs.intersect(BitSet::full(segment.len()).words());
        let live_count = live_docs.count();
        Ok(Self { id, live_count, live_docs: Arc::new(live_docs), segment: Arc::new(segment) })
    }

    /// Returns the memory in use by component, in bytes.
    pub fn bytes_by_component(&self) -> Vec<(&'static str, usize)> {
        self.segment.bytes_by_component()
    }
}
