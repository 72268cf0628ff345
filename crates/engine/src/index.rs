//! The property index: one writer, any number of readers that never wait for it.
//!
//! A [`Searcher`] is a list of segments, each with the set of its live rows. A change removes the old row from that set and puts
//! the new row into a new, small segment; then the next searcher is published with one atomic pointer swap. Small segments are
//! merged into larger ones, a few rows at once by the writer, many in the background ([`Index::maintain`]), so that there are
//! never many of them.

mod builder;
mod merge;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arc_swap::ArcSwap;
use domain::PropertyId;
use rustc_hash::FxHashMap;

use crate::request::Change;
use crate::row::Row;
use crate::searcher::Searcher;
use crate::segment::{Segment, codec};
use crate::segment_reader::{SegmentId, SegmentReader};
use crate::settings::IndexSettings;

pub use builder::IndexBuilder;

#[derive(Debug)]
pub struct Index {
    settings: IndexSettings,
    current: ArcSwap<Searcher>,
    /// Locked while the next searcher is prepared.
    writer: Mutex<Writer>,
    /// Locked while segments are merged in the background.
    maintenance: Mutex<()>,
}

#[derive(Debug, Default)]
struct Writer {
    last_segment: u64,
    /// Segments with deleted rows that have to be purged.
    to_rewrite: Vec<SegmentId>,
}

impl Writer {
    fn next_segment_id(&mut self) -> SegmentId {
        self.last_segment += 1;
        SegmentId(self.last_segment)
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::with_settings(IndexSettings::default())
    }
}

impl Index {
    /// Creates an empty index.
    pub fn with_settings(settings: IndexSettings) -> Self {
        Self::new(settings, Searcher::default(), 0)
    }

    /// Creates an index of the properties that builders collected, as of a position in the change log.
    pub fn from_builders(settings: IndexSettings, builders: Vec<IndexBuilder>, position: u64) -> Self {
        let segments = builders.into_iter().flat_map(IndexBuilder::into_segments);
        let segment_readers: Vec<SegmentReader> =
            segments.zip(1..).map(|(segment, id)| SegmentReader::new(SegmentId(id), segment)).collect();
        let last_segment = segment_readers.len() as u64;
        Self::new(settings, Searcher { segment_readers, position }, last_segment)
    }

    /// Creates an index of segments that were saved and decoded again.
    pub fn restore(settings: IndexSettings, segment_readers: Vec<SegmentReader>, position: u64) -> Self {
        let last_segment = segment_readers.iter().map(|reader| reader.id().0).max().unwrap_or(0);
        Self::new(settings, Searcher { segment_readers, position }, last_segment)
    }

    fn new(settings: IndexSettings, searcher: Searcher, last_segment: u64) -> Self {
        Self {
            settings,
            current: ArcSwap::from_pointee(searcher),
            writer: Mutex::new(Writer { last_segment, to_rewrite: Vec::new() }),
            maintenance: Mutex::default(),
        }
    }

    /// Returns the version of the segment encoding. Segments saved under another version cannot be decoded.
    pub fn format() -> String {
        codec::format()
    }

    /// Returns a view of the current index.
    pub fn searcher(&self) -> Arc<Searcher> {
        self.current.load_full()
    }

    /// Applies changes in order and publishes them at once. `position` is the position in the change log that they reach.
    pub fn apply(&self, changes: Vec<Change>, position: u64) {
        let mut writer = self.lock_writer();
        let mut searcher = Searcher::clone(&self.current.load());
        let mut latest: FxHashMap<PropertyId, Option<Row<'_>>> = FxHashMap::default();
        for change in changes {
            match change {
                Change::Put(property, sequence_number) => {
                    latest.insert(property.id, Row::new(&property, sequence_number))
                }
                Change::Remove(id) => latest.insert(id, None),
            };
        }
        for id in latest.keys() {
            searcher.delete(*id);
        }
        let (mut rows, mut text_bytes) = (Vec::new(), 0);
        let mut add_segment = |rows: Vec<Row<'_>>| {
            let segment = Segment::new(rows, self.settings.presorted_rows_min);
            searcher.segment_readers.push(SegmentReader::new(writer.next_segment_id(), segment));
        };
        for row in latest.into_values().flatten() {
            text_bytes += row.text.len();
            rows.push(row);
            if self.settings.is_full(rows.len(), text_bytes) {
                add_segment(std::mem::take(&mut rows));
                text_bytes = 0;
            }
        }
        if !rows.is_empty() {
            add_segment(rows);
        }
        searcher.segment_readers.retain(|reader| reader.live_count() > 0);
        while let Some(chosen) = merge::inline_merge(&self.settings, &searcher.segment_readers) {
            merge::replace(&self.settings, &mut searcher.segment_readers, &chosen, writer.next_segment_id());
        }
        searcher.position = position;
        self.current.store(Arc::new(searcher));
    }

    /// Purges deleted rows of properties from memory and from later snapshots: rewrites the segments that still contain them.
    /// Takes seconds if the segments are large. Readers and the writer are not blocked meanwhile.
    pub fn purge(&self, properties: &[PropertyId]) {
        let has_deleted = |reader: &SegmentReader, id: &PropertyId| {
            reader.segment.find(*id).is_some_and(|row| !reader.live_docs.contains(row))
        };
        loop {
            let mut writer = self.lock_writer();
            let searcher = self.searcher();
            let affected = searcher
                .segment_readers
                .iter()
                .filter(|reader| properties.iter().any(|id| has_deleted(reader, id)));
            let affected: Vec<SegmentId> = affected.map(SegmentReader::id).collect();
            if affected.is_empty() {
                return;
            }
            writer.to_rewrite.extend(affected);
            drop((writer, searcher));
            // A merge in progress may copy the rows into a new segment and delete them there: check again.
            self.maintain();
        }
    }

    /// Does one step of background work, if there is any: merges the segments of a full tier, or rewrites a segment that has many
    /// deleted rows or has to be purged. Readers and the writer are not blocked meanwhile. Returns `false` if there was nothing
    /// to do.
    pub fn maintain(&self) -> bool {
        let _maintaining = self.maintenance.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((before, chosen)) = self.choose_segments() else { return false };
        let merged = merge::merge(&self.settings, &before.segment_readers, &chosen);
        let is_chosen = |reader: &&SegmentReader| chosen.contains(&reader.id());
        let mut writer = self.lock_writer();
        let mut next = Searcher::clone(&self.current.load());
        let current: Vec<&SegmentReader> = next.segment_readers.iter().filter(is_chosen).collect();
        let complete = current.len() == chosen.len();
        if !complete {
            // The writer has merged or emptied one of them meanwhile. The next call finds what remains to be done.
            return true;
        }
        let mut reader = SegmentReader::new(writer.next_segment_id(), merged);
        for old in before.segment_readers.iter().filter(is_chosen) {
            let Some(now) = current.iter().find(|now| now.id() == old.id()) else { continue };
            // Delete the rows that were deleted during the merge.
            for row in old.live_docs.iter().filter(|row| !now.live_docs.contains(*row)) {
                if let Some(row) = reader.segment.find(old.segment.id(row)) {
                    reader.delete(row);
                }
            }
        }
        next.segment_readers.retain(|reader| !chosen.contains(&reader.id()));
        if reader.live_count() > 0 {
            next.segment_readers.push(reader);
        }
        writer.to_rewrite.retain(|id| !chosen.contains(id));
        self.current.store(Arc::new(next));
        true
    }

    fn choose_segments(&self) -> Option<(Arc<Searcher>, Vec<SegmentId>)> {
        let mut writer = self.lock_writer();
        let searcher = self.searcher();
        let readers = &searcher.segment_readers;
        writer.to_rewrite.retain(|id| readers.iter().any(|reader| reader.id() == *id));
        let to_purge = writer.to_rewrite.first().map(|id| vec![*id]);
        let chosen = to_purge.or_else(|| merge::background_merge(&self.settings, readers))?;
        Some((searcher, chosen))
    }

    fn lock_writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
