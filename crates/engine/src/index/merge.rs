//! Keeping segments few: small ones become larger ones.
//!
//! Segments are sorted into tiers by size, each tier so many times as large as the one below. As soon as a tier has so many
//! segments that together they belong to the next one, they are merged. So a row is rewritten once a tier, and there are
//! only a few segments of each size.

use std::sync::{Arc, PoisonError};

use super::{Index, SegmentId, SegmentReader, View};
use crate::row::Row;
use crate::segment::Segment;

/// How segments grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// The most rows of a segment. It bounds how long a merge takes and how much memory it needs beside the index.
    pub segment_rows_max: usize,
    /// How many segments of a tier make one of the next.
    pub fanout: usize,
    /// Up to so many rows are merged while the writer waits; more are left to the background.
    pub rows_at_once_max: usize,
    /// Smaller segments keep no orders: sorting what is found there takes no time.
    pub ordered_rows_min: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { segment_rows_max: 1 << 19, fanout: 8, rows_at_once_max: 1_024, ordered_rows_min: 4_096 }
    }
}

/// The most text of a segment: its places are counted in four bytes. Adverts of ordinary length never get near it.
const TEXT_BYTES_MAX: usize = 1 << 30;

impl Settings {
    /// Whether rows with so much text in all are enough for a segment.
    pub(super) fn is_full(&self, rows: usize, text_bytes: usize) -> bool {
        rows >= self.segment_rows_max || text_bytes >= TEXT_BYTES_MAX
    }

    /// Segments that are best merged before the writer goes on.
    pub(super) fn mergeable_at_once(&self, segment_readers: &[SegmentReader]) -> Option<Vec<SegmentId>> {
        self.crowded_tier(segment_readers, |rows| rows <= self.rows_at_once_max)
    }

    /// The segments of the lowest tier that has too many, as many as fit into one.
    fn crowded_tier(
        &self,
        segment_readers: &[SegmentReader],
        fits: impl Fn(usize) -> bool,
    ) -> Option<Vec<SegmentId>> {
        let mut tiers: std::collections::BTreeMap<u32, Vec<&SegmentReader>> =
            std::collections::BTreeMap::new();
        for segment_reader in
            segment_readers.iter().filter(|segment_reader| segment_reader.live < self.segment_rows_max)
        {
            tiers
                .entry(segment_reader.live.max(1).ilog(self.fanout.max(2)))
                .or_default()
                .push(segment_reader);
        }
        tiers.into_values().filter(|tier| tier.len() >= self.fanout).find_map(|mut tier| {
            tier.sort_by_key(|segment_reader| segment_reader.live);
            let (mut rows, mut text_bytes) = (0, 0);
            let mut chosen = Vec::new();
            for segment_reader in tier {
                rows += segment_reader.live;
                text_bytes += segment_reader.segment.text.bytes();
                if rows > self.segment_rows_max || text_bytes > TEXT_BYTES_MAX {
                    rows -= segment_reader.live;
                    break;
                }
                chosen.push(segment_reader.id);
            }
            (chosen.len() >= 2 && fits(rows)).then_some(chosen)
        })
    }

    /// A segment of which so much is dead that rewriting it pays.
    fn wasteful(&self, segment_readers: &[SegmentReader]) -> Option<Vec<SegmentId>> {
        let wasteful = |segment_reader: &&SegmentReader| {
            segment_reader.segment.len() > self.rows_at_once_max
                && segment_reader.live * 3 < segment_reader.segment.len() * 2
        };
        segment_readers.iter().find(wasteful).map(|segment_reader| vec![segment_reader.id])
    }
}

/// Merges some segments into one.
pub(super) fn replace(
    settings: &Settings,
    segment_readers: &mut Vec<SegmentReader>,
    chosen: &[SegmentId],
    fresh_id: SegmentId,
) {
    let merged = merged(settings, segment_readers, chosen);
    segment_readers.retain(|segment_reader| !chosen.contains(&segment_reader.id));
    if merged.len() > 0 {
        segment_readers.push(SegmentReader::new(fresh_id, merged));
    }
}

/// The living rows of some segments, as one segment.
fn merged(settings: &Settings, segment_readers: &[SegmentReader], chosen: &[SegmentId]) -> Segment {
    let chosen = segment_readers.iter().filter(|segment_reader| chosen.contains(&segment_reader.id));
    let rows: Vec<Row> = chosen
        .flat_map(|segment_reader| segment_reader.live_docs.iter().map(|row| segment_reader.segment.row(row)))
        .collect();
    Segment::of(rows, settings.ordered_rows_min)
}

impl Index {
    /// Does one piece of the background's work, if there is any: merges a crowd of segments, or rewrites one of which much is
    /// dead or which holds what has to be forgotten. Readers and the writer go on meanwhile.
    pub fn maintain(&self) -> bool {
        let _maintaining = self.maintenance.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((view, chosen)) = self.choose() else { return false };
        let merged = merged(&self.settings, &view.segment_readers, &chosen);
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut next = View::clone(&self.current.load());
        let current: Vec<&SegmentReader> = next
            .segment_readers
            .iter()
            .filter(|segment_reader| chosen.contains(&segment_reader.id))
            .collect();
        let complete = current.len() == chosen.len();
        if !complete {
            // The writer has merged or emptied one of them meanwhile. What is left to do is seen at the next look.
            return true;
        }
        let mut segment_reader = SegmentReader::new(writer.fresh_id(), merged);
        for old in view.segment_readers.iter().filter(|segment_reader| chosen.contains(&segment_reader.id)) {
            let Some(now) = current.iter().find(|now| now.id == old.id) else { continue };
            // What died while the merge was under way.
            for row in old.live_docs.iter().filter(|row| !now.live_docs.contains(*row)) {
                if let Some(row) = segment_reader.segment.find(old.segment.id(row)) {
                    segment_reader.delete(row);
                }
            }
        }
        next.segment_readers.retain(|segment_reader| !chosen.contains(&segment_reader.id));
        if segment_reader.live > 0 {
            next.segment_readers.push(segment_reader);
        }
        writer.to_rewrite.retain(|id| !chosen.contains(id));
        self.current.store(Arc::new(next));
        true
    }

    fn choose(&self) -> Option<(Arc<View>, Vec<SegmentId>)> {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let view = self.view();
        writer
            .to_rewrite
            .retain(|id| view.segment_readers.iter().any(|segment_reader| segment_reader.id == *id));
        let forgotten = writer.to_rewrite.first().map(|id| vec![*id]);
        let chosen = forgotten
            .or_else(|| self.settings.crowded_tier(&view.segment_readers, |_| true))
            .or_else(|| self.settings.wasteful(&view.segment_readers))?;
        Some((view, chosen))
    }
}
