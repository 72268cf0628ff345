//! A collector that counts distinct properties. Those of the library count documents, or estimate.

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::Column;
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

use super::index::PROPERTY;

/// Counts distinct properties.
pub struct Distinct;

pub struct SegmentDistinct {
    column: Column<u64>,
    properties: Vec<u64>,
}

impl Collector for Distinct {
    type Fruit = usize;
    type Child = SegmentDistinct;

    fn for_segment(&self, _: SegmentOrdinal, segment: &SegmentReader) -> tantivy::Result<SegmentDistinct> {
        Ok(SegmentDistinct { column: segment.fast_fields().u64(PROPERTY)?, properties: Vec::new() })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<Vec<u64>>) -> tantivy::Result<usize> {
        let mut properties = segments.concat();
        properties.sort_unstable();
        properties.dedup();
        Ok(properties.len())
    }
}

impl SegmentCollector for SegmentDistinct {
    type Fruit = Vec<u64>;

    fn collect(&mut self, document: DocId, _: Score) {
        self.properties.extend(self.column.first(document));
    }

    fn harvest(self) -> Vec<u64> {
        self.properties
    }
}
