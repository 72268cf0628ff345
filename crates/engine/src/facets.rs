//! Histograms of the matches.
//!
//! Rows store codes in the order of the values. So the matches are counted by code, and the edges of the buckets are translated to
//! codes once: no value is looked up for a row.

use domain::Key;
use domain::facet::{FacetField, Facets, Histogram};

use crate::budget::{Budget, Stopped, WorkKind};
use crate::column::Column;
use crate::request::FacetRequest;
use crate::segment_query::{MatchedRows, PreparedCriteria};
use crate::segment_reader::SegmentReader;

pub fn facets(readers: &[SegmentReader], request: &FacetRequest, budget: &Budget) -> Result<Facets, Stopped> {
    budget.check()?;
    let FacetRequest { criteria, fields } = request;
    let mut counters: Vec<Counter> = fields.iter().map(|field| Counter::new(*field)).collect();
    // Fields without a condition of their own share the matches that make up the total.
    let (mut bound, mut free): (Vec<_>, Vec<_>) =
        counters.iter_mut().partition(|counter| counter.field.is_bound_by(criteria));
    let total = count(readers, &PreparedCriteria::new(criteria), &mut free, budget)?;
    for counter in &mut bound {
        let released = counter.field.released(criteria);
        count(readers, &PreparedCriteria::new(&released), std::slice::from_mut(counter), budget)?;
    }
    let histograms = counters.into_iter().map(|counter| (counter.field, counter.histogram)).collect();
    Ok(Facets { total, histograms })
}

/// Adds the matches to some histograms and returns their number.
fn count(
    readers: &[SegmentReader],
    prepared: &PreparedCriteria<'_>,
    counters: &mut [&mut Counter],
    budget: &Budget,
) -> Result<usize, Stopped> {
    let mut total = 0;
    for reader in readers {
        for matched in reader.matched_rows(prepared, budget) {
            let matched = matched?;
            total += matched.count;
            budget.count(WorkKind::Order, matched.count.saturating_mul(counters.len()));
            budget.check()?;
            for counter in &mut *counters {
                counter.add(reader.segment.column(counter.field.attribute()), &matched);
            }
        }
    }
    Ok(total)
}

struct Counter {
    field: FacetField,
    edges: Vec<Key>,
    histogram: Histogram,
}

impl Counter {
    fn new(field: FacetField) -> Self {
        let edges: Vec<Key> = field.edges().into_iter().map(Key::number).collect();
        Self { field, histogram: Histogram::empty(edges.len()), edges }
    }

    fn add(&mut self, column: &Column, matched: &MatchedRows) {
        // The codes of the values below each edge are those up to this one.
        let last_below: Vec<u32> = self.edges.iter().map(|edge| column.last_code_below(*edge)).collect();
        let mut add = |code: u32, count: usize| match code {
            0 => self.histogram.unknown += count,
            code => *self.histogram.slot(last_below.partition_point(|last| *last < code)) += count,
        };
        match column.codes_len() {
            // With fewer matches than codes, counting by code would be more work.
            Some(codes) if codes <= matched.count => {
                let mut counts = vec![0_u32; codes];
                column.for_each_code(matched.rows(), |code| counts[code as usize] += 1);
                for (code, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
                    add(code as u32, *count as usize);
                }
            }
            _ => column.for_each_code(matched.rows(), |code| add(code, 1)),
        }
    }
}
