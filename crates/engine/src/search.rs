//! Executes search requests: counts all matches and returns one page of them in order.
//!
//! Each segment is queried on its own, one transaction at a time. If many rows match and the segment is presorted by the first
//! sort attribute, the presorted rows are walked until the page is full. If few rows match, the best are selected from them. The
//! candidates of all segments are merged by rank.

use std::collections::BinaryHeap;

use domain::criteria::{Direction, SortMode};
use domain::{Criteria, GeoPoint, Key, KeyRange, Order, OrderBy, PropertyAttribute, PropertyId};

use crate::budget::{Budget, Stopped, WorkKind};
use crate::column::{Column, UNKNOWN};
use crate::request::{SearchRequest, SearchResult};
use crate::segment::Segment;
use crate::segment::doc_range::DocRange;
use crate::segment_query::{AdvertQuery, MatchedRows, PreparedCriteria, SegmentQuery, transactions};
use crate::segment_reader::SegmentReader;

pub fn search(
    readers: &[SegmentReader],
    request: &SearchRequest,
    budget: &Budget,
) -> Result<SearchResult, Stopped> {
    budget.check()?;
    let SearchRequest { criteria, order, skip, take } = request;
    let limit = if *take == 0 { 0 } else { skip.saturating_add(*take) };
    let prepared = PreparedCriteria::new(criteria);
    let mut matches = Vec::new();
    for (index, reader) in readers.iter().enumerate() {
        for transaction in transactions(&reader.segment, criteria) {
            let Some(segment_query) =
                SegmentQuery::new(&reader.segment, &reader.live_docs, &prepared, transaction)
            else {
                continue;
            };
            let matched = segment_query.matched_rows(budget)?;
            if matched.count > 0 {
                matches.push((index, transaction, matched));
            }
        }
    }
    let total = matches.iter().map(|(_, _, matched)| matched.count).sum();
    if limit == 0 || *skip >= total {
        return Ok(SearchResult { total, hits: Vec::new() });
    }
    let mut best = TopHits::new(limit);
    for (index, transaction, matched) in matches {
        let ranking = SegmentRanking::new(&readers[index].segment, criteria, order);
        budget.count(WorkKind::Order, matched.count.saturating_mul(ranking.row_work()));
        budget.check()?;
        ranking.offer(index, &matched, transaction, &mut best);
    }
    let hits = best.sorted().into_iter().skip(*skip).take(*take);
    Ok(SearchResult { total, hits: hits.map(|hit| readers[hit.reader].segment.hit(hit.row)).collect() })
}

/// The best rows offered so far.
pub(crate) struct TopHits {
    limit: usize,
    /// The worst on top.
    heap: BinaryHeap<RankedRow>,
}

/// A row with its sort values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct RankedRow {
    /// Transformed so that the smallest comes first.
    values: Box<[i64]>,
    id: PropertyId,
    pub reader: usize,
    pub row: usize,
}

impl TopHits {
    pub fn new(limit: usize) -> Self {
        Self { limit, heap: BinaryHeap::new() }
    }

    fn offer(&mut self, ranked: RankedRow) {
        if self.heap.len() < self.limit {
            self.heap.push(ranked);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }

    /// Returns the largest first sort value that can still enter the hits.
    fn cutoff(&self) -> i64 {
        let worst = self.heap.peek().filter(|_| self.heap.len() == self.limit);
        worst.and_then(|worst| worst.values.first().copied()).unwrap_or(i64::MAX)
    }

    pub fn sorted(self) -> Vec<RankedRow> {
        self.heap.into_sorted_vec()
    }
}

/// The work of a sort value that has to be computed, compared with one that is stored.
const COMPUTED_VALUE_WORK: usize = 8;

/// A sort order compiled for one segment.
pub(crate) struct SegmentRanking<'a> {
    segment: &'a Segment,
    criteria: &'a Criteria,
    by: Vec<(SortValue<'a>, Direction)>,
}

/// The source of a sort value.
enum SortValue<'a> {
    Column(PropertyAttribute, &'a Column),
    AdvertCreation(AdvertQuery<'a>),
    Distance(Option<GeoPoint>),
}

impl<'a> SegmentRanking<'a> {
    pub fn new(segment: &'a Segment, criteria: &'a Criteria, order: &Order) -> Self {
        let value = |by: OrderBy| match by.attribute() {
            Some(PropertyAttribute::CreatedAt) if order.mode == SortMode::Advert => {
                SortValue::AdvertCreation(AdvertQuery::new(segment, criteria))
            }
            Some(attribute) => SortValue::Column(attribute, segment.column(attribute)),
            None => SortValue::Distance(order.origin),
        };
        let by = order.by.iter().map(|(by, direction)| (value(*by), *direction)).collect();
        Self { segment, criteria, by }
    }

    /// Returns the work of ranking one row.
    fn row_work(&self) -> usize {
        let work = |value: &SortValue<'_>| match value {
            SortValue::Column(..) => 1,
            SortValue::AdvertCreation(_) | SortValue::Distance(_) => COMPUTED_VALUE_WORK,
        };
        self.by.iter().map(|(value, _)| work(value)).sum::<usize>().max(1)
    }

    /// Offers the best of the matched rows.
    fn offer(&self, reader: usize, matched: &MatchedRows, transaction: DocRange, best: &mut TopHits) {
        let rows = match self.presorted(matched, transaction, best) {
            Some((order, direction)) => self.first_of(order, direction, best, |row| matched.contains(row)),
            None => self.select(matched, best),
        };
        for row in rows {
            self.offer_row(reader, row, best);
        }
    }

    pub fn offer_row(&self, reader: usize, row: usize, best: &mut TopHits) {
        let values = self.by.iter().map(|(value, direction)| self.value(value, *direction, row)).collect();
        best.offer(RankedRow { values, id: self.segment.id(row), reader, row });
    }

    fn value(&self, value: &SortValue<'_>, direction: Direction, row: usize) -> i64 {
        let raw = match value {
            SortValue::Column(_, column) => column.value(row),
            SortValue::AdvertCreation(adverts) => adverts.created(row, direction),
            SortValue::Distance(origin) => match (origin, self.segment.given_point(row)) {
                (Some(origin), Some(point)) => Key::number(origin.distance_km(point)).get(),
                _ => UNKNOWN,
            },
        };
        directed(raw, direction)
    }

    /// Returns the presorted rows to walk, if that is less work than looking at every match.
    fn presorted(
        &self,
        matched: &MatchedRows,
        transaction: DocRange,
        best: &TopHits,
    ) -> Option<(&'a [u32], Direction)> {
        let (SortValue::Column(attribute, column), direction) = self.by.first()? else { return None };
        let order = self.segment.presorted(*attribute, transaction)?;
        let steps = (order.len() / matched.count.max(1)).saturating_mul(best.limit);
        if steps >= matched.count {
            return None;
        }
        // Conditions on the same attribute select a part of the order.
        let mut order = order;
        for condition in self.criteria.property.iter().filter(|condition| condition.attribute == *attribute) {
            if let domain::criteria::Predicate::Within(range) = condition.predicate {
                let (first, last) = column.codes_within(range)?;
                let from = order.partition_point(|row| column.code(*row as usize) < first);
                let to = order.partition_point(|row| column.code(*row as usize) <= last);
                order = &order[from..to];
            }
        }
        Some((order, *direction))
    }

    /// Returns the first matching rows of an ascending order, up to the limit, and all rows that tie with the last of them.
    fn first_of(
        &self,
        order: &[u32],
        direction: Direction,
        best: &TopHits,
        matches: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let Some((SortValue::Column(_, column), _)) = self.by.first() else { return Vec::new() };
        let unknown = order.partition_point(|row| column.code(*row as usize) == 0);
        let (without, with) = order.split_at(unknown);
        let mut rows: Vec<usize> = Vec::new();
        let mut last_code = None;
        let mut visit = |row: &u32| {
            let row = *row as usize;
            if !matches(row) {
                return true;
            }
            let code = column.code(row);
            if rows.len() >= best.limit && last_code != Some(code) {
                return false;
            }
            last_code = Some(code);
            rows.push(row);
            true
        };
        let complete = match direction {
            Direction::Ascending => with.iter().all(&mut visit),
            Direction::Descending => with.iter().rev().all(&mut visit),
        };
        if complete {
            without.iter().all(visit);
        }
        rows
    }

    /// Returns the best matches by the first sort value, up to the limit, and all rows that tie with the last of them.
    fn select(&self, matched: &MatchedRows, best: &TopHits) -> Vec<usize> {
        let cutoff = best.cutoff();
        match self.by.first() {
            Some((SortValue::Column(_, column), direction)) => {
                // Codes compare like values and save the lookup.
                let cutoff = code_cutoff(column, *direction, cutoff);
                let code = |row: usize| directed_code(column.code(row), *direction);
                select_least(matched, best.limit, cutoff, code)
            }
            Some((value, direction)) => {
                select_least(matched, best.limit, cutoff, |row| self.value(value, *direction, row))
            }
            None => select_least(matched, best.limit, cutoff, |row| id_prefix(self.segment.id(row))),
        }
    }
}

/// Returns the first bytes of an id as a sort value, for requests without an order.
fn id_prefix(id: PropertyId) -> i64 {
    let bytes = id.as_bytes();
    let prefix =
        u64::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]);
    (prefix ^ (1 << 63)) as i64
}

/// Transforms a value so that the smallest comes first and unknown values last.
fn directed(raw: i64, direction: Direction) -> i64 {
    match direction {
        _ if raw == UNKNOWN => i64::MAX,
        Direction::Ascending => raw,
        Direction::Descending => !raw,
    }
}

fn directed_code(code: u32, direction: Direction) -> i64 {
    match direction {
        _ if code == 0 => i64::MAX,
        Direction::Ascending => i64::from(code),
        Direction::Descending => -i64::from(code),
    }
}

/// Returns the largest directed code whose directed value is not beyond the cutoff.
fn code_cutoff(column: &Column, direction: Direction, cutoff: i64) -> i64 {
    if cutoff == i64::MAX {
        return i64::MAX;
    }
    match direction {
        Direction::Ascending => {
            let range = KeyRange { least: None, most: Some(Key::from_raw(cutoff)) };
            column.codes_within(range).map_or(i64::MIN, |(_, last)| i64::from(last))
        }
        Direction::Descending => {
            let range = KeyRange { least: Some(Key::from_raw(!cutoff)), most: None };
            column.codes_within(range).map_or(i64::MIN, |(first, _)| -i64::from(first))
        }
    }
}

/// Returns the rows with the smallest values: `limit` of them if there are so many, and all ties.
fn select_least(
    matched: &MatchedRows,
    limit: usize,
    mut cutoff: i64,
    value: impl Fn(usize) -> i64,
) -> Vec<usize> {
    let mut capacity = limit.saturating_mul(2).clamp(64, 1 << 20);
    let mut selected: Vec<(i64, usize)> = Vec::new();
    for row in matched.rows() {
        let value = value(row);
        if value > cutoff {
            continue;
        }
        selected.push((value, row));
        if selected.len() >= capacity && selected.len() > limit {
            cutoff = cutoff.min(selected.select_nth_unstable(limit - 1).1.0);
            selected.retain(|(value, _)| *value <= cutoff);
            capacity = capacity.max(selected.len() * 2);
        }
    }
    if selected.len() > limit {
        let cutoff = selected.select_nth_unstable(limit - 1).1.0;
        selected.retain(|(value, _)| *value <= cutoff);
    }
    selected.into_iter().map(|(_, row)| row).collect()
}
