//! The merge policy: keeps the number of segments small.
//!
//! Segments are sorted into tiers by size, each `fanout` times as large as the one below. When a tier has so many segments that
//! together they belong to the next one, they are merged. So a row is rewritten once for each tier, and there are only a few
//! segments of each size.

use std::collections::BTreeMap;

use crate::row::Row;
use crate::segment::Segment;
use crate::segment_reader::{SegmentId, SegmentReader};
use crate::settings::{IndexSettings, TEXT_BYTES_MAX};

/// A segment of which less than two thirds are live is rewritten.
const LIVE_NUMERATOR: usize = 2;
const LIVE_DENOMINATOR: usize = 3;

/// Chooses segments small enough to be merged by the writer.
pub fn inline_merge(settings: &IndexSettings, readers: &[SegmentReader]) -> Option<Vec<SegmentId>> {
    full_tier(settings, readers, |rows| rows <= settings.inline_merge_rows_max)
}

/// Chooses segments to merge in the background.
pub fn background_merge(settings: &IndexSettings, readers: &[SegmentReader]) -> Option<Vec<SegmentId>> {
    full_tier(settings, readers, |_| true).or_else(|| mostly_deleted(settings, readers))
}

/// Chooses the segments of the lowest full tier, as many as fit into one.
fn full_tier(
    settings: &IndexSettings,
    readers: &[SegmentReader],
    accept: impl Fn(usize) -> bool,
) -> Option<Vec<SegmentId>> {
    let mut tiers: BTreeMap<u32, Vec<&SegmentReader>> = BTreeMap::new();
    for reader in readers.iter().filter(|reader| reader.live_count() < settings.segment_rows_max) {
        let tier = reader.live_count().max(1).ilog(settings.fanout.max(2));
        tiers.entry(tier).or_default().push(reader);
    }
    tiers.into_values().filter(|tier| tier.len() >= settings.fanout).find_map(|mut tier| {
        tier.sort_by_key(|reader| reader.live_count());
        let (mut rows, mut text_bytes) = (0, 0);
        let mut chosen = Vec::new();
        for reader in tier {
            rows += reader.live_count();
            text_bytes += reader.segment.text_index.bytes();
            if rows > settings.segment_rows_max || text_bytes > TEXT_BYTES_MAX {
                rows -= reader.live_count();
                break;
            }
            chosen.push(reader.id());
        }
        (chosen.len() >= 2 && accept(rows)).then_some(chosen)
    })
}

/// Chooses a segment with so many deleted rows that rewriting it pays off.
fn mostly_deleted(settings: &IndexSettings, readers: &[SegmentReader]) -> Option<Vec<SegmentId>> {
    let is_wasteful = |reader: &&SegmentReader| {
        reader.rows() > settings.inline_merge_rows_max
            && reader.live_count() * LIVE_DENOMINATOR < reader.rows() * LIVE_NUMERATOR
    };
    readers.iter().find(is_wasteful).map(|reader| vec![reader.id()])
}

/// Replaces the chosen segments by their merge.
pub fn replace(
    settings: &IndexSettings,
    readers: &mut Vec<SegmentReader>,
    chosen: &[SegmentId],
    new_id: SegmentId,
) {
    let merged = merge(settings, readers, chosen);
    readers.retain(|reader| !chosen.contains(&reader.id()));
    if merged.len() > 0 {
        readers.push(SegmentReader::new(new_id, merged));
    }
}

/// Builds one segment of the live rows of the chosen segments.
pub fn merge(settings: &IndexSettings, readers: &[SegmentReader], chosen: &[SegmentId]) -> Segment {
    let chosen = readers.iter().filter(|reader| chosen.contains(&reader.id()));
    let rows: Vec<Row<'_>> =
        chosen.flat_map(|reader| reader.live_docs.iter().map(|row| reader.segment.row(row))).collect();
    Segment::new(rows, settings.presorted_rows_min)
}
