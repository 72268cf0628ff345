//! A point-in-time view of the index, on which requests are executed.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use domain::{Clusters, Criteria, Facets, Key, PropertyAttribute, PropertyId};

use crate::bits::BitSet;
use crate::budget::{Budget, Stopped, WorkKind};
use crate::request::{ClusterRequest, FacetRequest, Hit, SearchRequest, SearchResult, SimilarRequest};
use crate::segment::Segment;
use crate::segment_query::PreparedCriteria;
use crate::segment_reader::SegmentReader;
use crate::{clusters, facets, search, similar};

/// The index at one point in time. It does not see later changes.
#[derive(Debug, Clone, Default)]
pub struct Searcher {
    pub(crate) segment_readers: Vec<SegmentReader>,
    pub(crate) position: u64,
}

impl Searcher {
    /// Returns the position in the change log up to which changes are included.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Returns the number of properties.
    pub fn len(&self) -> usize {
        self.segment_readers.iter().map(SegmentReader::live_count).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn search(&self, request: &SearchRequest, budget: &Budget) -> Result<SearchResult, Stopped> {
        search::search(&self.segment_readers, request, budget)
    }

    pub fn similar(&self, request: &SimilarRequest, budget: &Budget) -> Result<SearchResult, Stopped> {
        similar::similar(&self.segment_readers, request, budget)
    }

    /// Counts the matches of a viewport by cell.
    pub fn clusters(&self, request: &ClusterRequest, budget: &Budget) -> Result<Clusters, Stopped> {
        clusters::clusters(&self.segment_readers, request, budget)
    }

    /// Counts the matches by the values of some fields.
    pub fn facets(&self, request: &FacetRequest, budget: &Budget) -> Result<Facets, Stopped> {
        facets::facets(&self.segment_readers, request, budget)
    }

    /// Returns all matches of criteria, to be read in pages.
    pub fn matches(&self, criteria: &Criteria, budget: &Budget) -> Result<Matches, Stopped> {
        let prepared = PreparedCriteria::new(criteria);
        let mut matches = Matches { segments: Vec::new(), total: 0 };
        for reader in &self.segment_readers {
            let mut rows = BitSet::empty(reader.segment.len());
            let before = matches.total;
            for matched in reader.matched_rows(&prepared, budget) {
                let matched = matched?;
                matches.total += matched.count;
                matched.words().for_each(|(word, value)| rows.set_word(word, rows.word(word) | value));
            }
            if matches.total > before {
                matches.segments.push((Arc::clone(&reader.segment), rows));
            }
        }
        Ok(matches)
    }

    /// Calls `visit` with the values of some attributes of every match, in no particular order.
    pub fn for_each_match(
        &self,
        criteria: &Criteria,
        attributes: &[PropertyAttribute],
        budget: &Budget,
        mut visit: impl FnMut(&[Option<Key>]),
    ) -> Result<(), Stopped> {
        let prepared = PreparedCriteria::new(criteria);
        let mut values = vec![None; attributes.len()];
        for reader in &self.segment_readers {
            let columns: Vec<_> =
                attributes.iter().map(|attribute| reader.segment.column(*attribute)).collect();
            for matched in reader.matched_rows(&prepared, budget) {
                let matched = matched?;
                budget.count(WorkKind::Order, matched.count);
                budget.check()?;
                for row in matched.rows() {
                    values.iter_mut().zip(&columns).for_each(|(value, column)| *value = column.key(row));
                    visit(&values);
                }
            }
        }
        Ok(())
    }

    /// Returns the memory that the segments take, in bytes.
    pub fn bytes(&self) -> usize {
        self.segment_readers
            .iter()
            .map(|reader| reader.segment.bytes() + reader.live_docs.words().len() * 8)
            .sum()
    }

    /// Returns the segments, to measure or to save them.
    pub fn segment_readers(&self) -> &[SegmentReader] {
        &self.segment_readers
    }

    pub(crate) fn delete(&mut self, id: PropertyId) {
        // A property that changed while the index was built may be in several segments.
        for reader in &mut self.segment_readers {
            if let Some(row) = reader.segment.find(id) {
                reader.delete(row);
            }
        }
    }
}

/// The matches of criteria at one point in time. Later changes to the index do not affect them.
#[derive(Debug)]
pub struct Matches {
    segments: Vec<(Arc<Segment>, BitSet)>,
    total: usize,
}

impl Matches {
    pub fn total(&self) -> usize {
        self.total
    }

    /// Returns at most `limit` matches after an id, in the order of ids.
    pub fn after(&self, after: Option<PropertyId>, limit: usize) -> Vec<Hit> {
        let mut sources: Vec<_> = self
            .segments
            .iter()
            .map(|(segment, matched)| {
                segment.rows_after(after).filter(|row| matched.contains(*row)).map(|row| segment.hit(row))
            })
            .collect();
        let mut next: BinaryHeap<_> = BinaryHeap::new();
        let mut heads: Vec<Option<Hit>> = sources.iter_mut().map(Iterator::next).collect();
        for (source, head) in heads.iter().enumerate() {
            next.extend(head.map(|hit| Reverse((hit.property, source))));
        }
        let mut hits = Vec::with_capacity(limit.min(self.total));
        while hits.len() < limit
            && let Some(Reverse((_, source))) = next.pop()
        {
            hits.extend(heads[source]);
            heads[source] = sources[source].next();
            next.extend(heads[source].map(|hit| Reverse((hit.property, source))));
        }
        hits
    }
}
