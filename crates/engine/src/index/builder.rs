//! Building an index from everything there is.

use domain::Property;

use super::{Index, SegmentId, SegmentReader, Settings, View};
use crate::request::SequenceNumber;
use crate::row::Row;
use crate::segment::Segment;

/// Takes properties in and lays them out in full segments. One that comes twice is to be told of again by [`Index::apply`],
/// as everything that changes while all there is is being read. Several builders can work side by side, each on its
/// share of the properties.
#[derive(Debug)]
pub struct Builder {
    settings: Settings,
    rows: Vec<Row>,
    text_bytes: usize,
    segments: Vec<Segment>,
}

impl Builder {
    pub fn new(settings: Settings) -> Self {
        Self { settings, rows: Vec::new(), text_bytes: 0, segments: Vec::new() }
    }

    pub fn put(&mut self, property: &Property, sequence_number: SequenceNumber) {
        let row = Row::of(property, sequence_number);
        self.text_bytes += row.as_ref().map_or(0, |row| row.text.len());
        self.rows.extend(row);
        if self.settings.is_full(self.rows.len(), self.text_bytes) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        self.text_bytes = 0;
        // Within a segment an id is there once; the last one counts.
        rows.reverse();
        rows.sort_by_key(|row| row.id);
        rows.dedup_by_key(|row| row.id);
        self.segments.push(Segment::of(rows, self.settings.ordered_rows_min));
    }

    /// Lays out what is left, which is best done where it keeps nobody waiting.
    #[must_use]
    pub fn complete(mut self) -> Self {
        if !self.rows.is_empty() {
            self.flush();
        }
        self
    }
}

impl Index {
    /// The index of what builders took in, as of a position of the change log.
    pub fn built(settings: Settings, builders: Vec<Builder>, position: u64) -> Self {
        let segments = builders.into_iter().flat_map(|builder| builder.complete().segments);
        let segment_readers: Vec<SegmentReader> =
            segments.zip(1..).map(|(segment, id)| SegmentReader::new(SegmentId(id), segment)).collect();
        let last = segment_readers.len() as u64;
        Self::of_view(settings, View { segment_readers, position }, last)
    }
}
