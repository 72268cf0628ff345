//! How segments are built and merged.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexSettings {
    /// The maximum number of rows in a segment. It bounds the duration of a merge and the extra memory it needs.
    pub segment_rows_max: usize,
    /// The number of segments of one tier that are merged into one of the next.
    pub fanout: usize,
    /// Merges of up to this many rows are done by the writer; larger ones are left to
    /// [`Index::maintain`](crate::Index::maintain).
    pub inline_merge_rows_max: usize,
    /// Smaller segments are not presorted: sorting the matches of a request takes no time there.
    pub presorted_rows_min: usize,
}

impl Default for IndexSettings {
    fn default() -> Self {
        Self { segment_rows_max: 1 << 19, fanout: 8, inline_merge_rows_max: 1_024, presorted_rows_min: 4_096 }
    }
}

/// The maximum text of a segment: offsets into it take four bytes. Adverts of ordinary length never come near this limit.
pub(crate) const TEXT_BYTES_MAX: usize = 1 << 30;

impl IndexSettings {
    /// Returns `true` if rows with this much text fill a segment.
    pub(crate) fn is_full(&self, rows: usize, text_bytes: usize) -> bool {
        rows >= self.segment_rows_max || text_bytes >= TEXT_BYTES_MAX
    }
}
