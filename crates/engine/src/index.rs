//! The index: one writer, any number of readers that never wait for it.
//!
//! A [`View`] is a list of segments, each with the set of its rows that are still live_docs. A change takes the old row out of
//! that set and puts the new one into a new, small segment; the next view is then in place with one exchange of a pointer.
//! Small segments are merged into larger ones: a few at once as they are written, many in the background
//! ([`Index::maintain`]), so that there are never many of them.

mod builder;
mod merge;
mod snapshot;

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;
use domain::{Criteria, Key, PropertyAttribute, PropertyId};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::request::{Change, Hit, SearchRequest, SearchResult, SimilarRequest};
use crate::row::Row;
use crate::segment::Segment;
use crate::segment_query::{Matched, SegmentQuery, Wanted, transactions};
use crate::{search, similar};

pub use builder::Builder;
pub use merge::Settings;
pub use snapshot::{Damaged, SegmentId};

#[derive(Debug)]
pub struct Index {
    settings: Settings,
    current: ArcSwap<View>,
    /// Held while the next view is made.
    writer: Mutex<Writer>,
    /// Held while segments are merged in the background.
    maintenance: Mutex<()>,
}

#[derive(Debug, Default)]
struct Writer {
    next_segment: u64,
    /// Segments that hold rows of which nothing may be left.
    to_rewrite: Vec<SegmentId>,
}

impl Writer {
    fn fresh_id(&mut self) -> SegmentId {
        self.next_segment += 1;
        SegmentId(self.next_segment)
    }
}

/// The index at one moment. Whoever holds it sees no later change.
#[derive(Debug, Clone, Default)]
pub struct View {
    segment_readers: Vec<SegmentReader>,
    position: u64,
}

/// A segment and which of its rows are live_docs.
#[derive(Debug, Clone)]
pub struct SegmentReader {
    id: SegmentId,
    pub(crate) segment: Arc<Segment>,
    pub(crate) live_docs: Arc<Bits>,
    live: usize,
}

impl SegmentReader {
    fn new(id: SegmentId, segment: Segment) -> Self {
        let live = segment.len();
        Self { id, live_docs: Arc::new(Bits::all(live)), segment: Arc::new(segment), live }
    }

    fn delete(&mut self, row: usize) {
        if self.live_docs.contains(row) {
            Arc::make_mut(&mut self.live_docs).remove(row);
            self.live -= 1;
        }
    }
}

impl Default for Index {
    fn default() -> Self {
        Self::with_settings(Settings::default())
    }
}

impl Index {
    pub fn with_settings(settings: Settings) -> Self {
        Self::of_view(settings, View::default(), 0)
    }

    fn of_view(settings: Settings, view: View, last_segment: u64) -> Self {
        Self {
            settings,
            current: ArcSwap::from_pointee(view),
            writer: Mutex::new(Writer { next_segment: last_segment, to_rewrite: Vec::new() }),
            maintenance: Mutex::default(),
        }
    }

    /// What is there now.
    pub fn view(&self) -> Arc<View> {
        self.current.load_full()
    }

    /// Carries changes out, in order, and makes them visible at once. The position is how far the change log has been
    /// followed with them.
    pub fn apply(&self, changes: Vec<Change>, position: u64) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut view = View::clone(&self.current.load());
        let mut latest: FxHashMap<PropertyId, Option<Row>> = FxHashMap::default();
        for change in changes {
            match change {
                Change::Put(property, sequence_number) => {
                    latest.insert(property.id, Row::of(&property, sequence_number))
                }
                Change::Remove(id) => latest.insert(id, None),
            };
        }
        for id in latest.keys() {
            view.delete(*id);
        }
        let (mut rows, mut text_bytes) = (Vec::new(), 0);
        let mut put = |rows: Vec<Row>| {
            let segment = Segment::of(rows, self.settings.ordered_rows_min);
            view.segment_readers.push(SegmentReader::new(writer.fresh_id(), segment));
        };
        for row in latest.into_values().flatten() {
            text_bytes += row.text.len();
            rows.push(row);
            if self.settings.is_full(rows.len(), text_bytes) {
                put(std::mem::take(&mut rows));
                text_bytes = 0;
            }
        }
        if !rows.is_empty() {
            put(rows);
        }
        view.segment_readers.retain(|segment_reader| segment_reader.live > 0);
        while let Some(chosen) = self.settings.mergeable_at_once(&view.segment_readers) {
            merge::replace(&self.settings, &mut view.segment_readers, &chosen, writer.fresh_id());
        }
        view.position = position;
        self.current.store(Arc::new(view));
    }

    /// Leaves nothing of what properties once said in memory, nor in snapshots taken later: rewrites the segments that still
    /// hold dead rows of them. Takes seconds where they are large; readers and the writer go on meanwhile.
    pub fn forget(&self, properties: &[PropertyId]) {
        let is_dead = |segment_reader: &SegmentReader, id: &PropertyId| {
            segment_reader.segment.find(*id).is_some_and(|row| !segment_reader.live_docs.contains(row))
        };
        loop {
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let view = self.view();
            let holding = view
                .segment_readers
                .iter()
                .filter(|segment_reader| properties.iter().any(|id| is_dead(segment_reader, id)));
            let holding: Vec<SegmentId> = holding.map(|segment_reader| segment_reader.id).collect();
            if holding.is_empty() {
                return;
            }
            writer.to_rewrite.extend(holding);
            drop((writer, view));
            // A merge that was under way may bring dead rows into a new segment: so look again.
            self.maintain();
        }
    }
}

impl View {
    /// How far the change log has been followed.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// How many properties there are.
    pub fn len(&self) -> usize {
        self.segment_readers.iter().map(|segment_reader| segment_reader.live).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn search(&self, request: &SearchRequest) -> SearchResult {
        search::search(&self.segment_readers, request)
    }

    pub fn similar(&self, request: &SimilarRequest) -> SearchResult {
        similar::similar(&self.segment_readers, request)
    }

    /// All that meet criteria, to be read piece by piece.
    pub fn matches(&self, criteria: &Criteria) -> Matches {
        let wanted = Wanted::new(criteria);
        let mut matches = Matches { segment_readers: Vec::new(), total: 0 };
        for segment_reader in &self.segment_readers {
            let mut bits = Bits::none(segment_reader.segment.len());
            let before = matches.total;
            for matched in segment_reader.matched(&wanted) {
                matches.total += matched.count;
                matched.words().for_each(|(word, value)| bits.set_word(word, bits.word(word) | value));
            }
            if matches.total > before {
                matches.segment_readers.push((Arc::clone(&segment_reader.segment), bits));
            }
        }
        matches
    }

    /// The values of some attributes of every match, in no particular order.
    pub fn each(
        &self,
        criteria: &Criteria,
        attributes: &[PropertyAttribute],
        mut visit: impl FnMut(&[Option<Key>]),
    ) {
        let wanted = Wanted::new(criteria);
        let mut values = vec![None; attributes.len()];
        for segment_reader in &self.segment_readers {
            let columns: Vec<_> =
                attributes.iter().map(|attribute| segment_reader.segment.column(*attribute)).collect();
            for row in segment_reader.matched(&wanted).flat_map(|matched| matched.rows().collect::<Vec<_>>())
            {
                values.iter_mut().zip(&columns).for_each(|(value, column)| *value = column.key(row));
                visit(&values);
            }
        }
    }

    /// How much memory the segments take.
    pub fn bytes(&self) -> usize {
        self.segment_readers
            .iter()
            .map(|segment_reader| segment_reader.segment.bytes() + segment_reader.live_docs.words().len() * 8)
            .sum()
    }

    /// The segments, for whoever measures or saves them.
    pub fn segment_readers(&self) -> &[SegmentReader] {
        &self.segment_readers
    }

    fn delete(&mut self, id: PropertyId) {
        for segment_reader in &mut self.segment_readers {
            // In every segment_reader: what was read while it changed may have been read twice.
            if let Some(row) = segment_reader.segment.find(id) {
                segment_reader.delete(row);
            }
        }
    }
}

impl SegmentReader {
    fn matched<'a>(&'a self, wanted: &'a Wanted<'a>) -> impl Iterator<Item = Matched> + 'a {
        transactions(&self.segment, wanted.criteria)
            .filter_map(|within| SegmentQuery::new(&self.segment, &self.live_docs, wanted, within))
            .map(|segment_query| segment_query.matched())
    }
}

/// The matches of one moment, whatever is written meanwhile.
#[derive(Debug)]
pub struct Matches {
    segment_readers: Vec<(Arc<Segment>, Bits)>,
    total: usize,
}

impl Matches {
    pub fn total(&self) -> usize {
        self.total
    }

    /// Those after an id, in the order of ids.
    pub fn after(&self, after: Option<PropertyId>, limit: usize) -> Vec<Hit> {
        let mut sources: Vec<_> = self
            .segment_readers
            .iter()
            .map(|(segment, bits)| {
                segment.rows_after(after).filter(|row| bits.contains(*row)).map(|row| segment.hit(row))
            })
            .collect();
        let mut next: std::collections::BinaryHeap<_> = std::collections::BinaryHeap::new();
        let mut heads: Vec<Option<Hit>> = sources.iter_mut().map(Iterator::next).collect();
        for (place, head) in heads.iter().enumerate() {
            next.extend(head.map(|hit| std::cmp::Reverse((hit.property, place))));
        }
        let mut hits = Vec::with_capacity(limit.min(self.total));
        while hits.len() < limit
            && let Some(std::cmp::Reverse((_, place))) = next.pop()
        {
            hits.extend(heads[place]);
            heads[place] = sources[place].next();
            next.extend(heads[place].map(|hit| std::cmp::Reverse((hit.property, place))));
        }
        hits
    }
}

#[cfg(test)]
mod tests;
