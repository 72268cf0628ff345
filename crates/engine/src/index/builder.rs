//! Builds the segments of an index from all properties.

use domain::Property;

use crate::request::SequenceNumber;
use crate::row::Row;
use crate::segment::Segment;
use crate::settings::IndexSettings;

/// Collects properties into full segments. Several builders can work in parallel, each on its share of the properties.
///
/// A property that changes while all of them are being read may be put twice. The caller has to pass such changes to
/// [`Index::apply`](crate::Index::apply) afterwards.
#[derive(Debug)]
pub struct IndexBuilder {
    settings: IndexSettings,
    rows: Vec<Row<'static>>,
    text_bytes: usize,
    segments: Vec<Segment>,
}

impl IndexBuilder {
    pub fn new(settings: IndexSettings) -> Self {
        Self { settings, rows: Vec::new(), text_bytes: 0, segments: Vec::new() }
    }

    pub fn put(&mut self, property: &Property, sequence_number: SequenceNumber) {
        let row = Row::new(property, sequence_number);
        self.text_bytes += row.as_ref().map_or(0, |row| row.text.len());
        self.rows.extend(row);
        if self.settings.is_full(self.rows.len(), self.text_bytes) {
            self.flush();
        }
    }

    fn flush(&mut self) {
        let mut rows = std::mem::take(&mut self.rows);
        self.text_bytes = 0;
        // An id is unique within a segment; the last row wins.
        rows.reverse();
        rows.sort_by_key(|row| row.id);
        rows.dedup_by_key(|row| row.id);
        self.segments.push(Segment::new(rows, self.settings.presorted_rows_min));
    }

    /// Builds the last segment. It takes time, so that it is best called on the thread of the builder.
    #[must_use]
    pub fn finish(mut self) -> Self {
        if !self.rows.is_empty() {
            self.flush();
        }
        self
    }

    pub(super) fn into_segments(self) -> Vec<Segment> {
        self.finish().segments
    }
}
