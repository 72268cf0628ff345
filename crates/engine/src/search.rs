//! A page of what matches, in order, and how many match in all.
//!
//! Every segment is asked on its own, one transaction at a time. Where many match and the order is kept, the order is walked
//! until the page is full; where few match, the best of them are picked out. What each segment offers is put together by
//! rank.

use std::collections::BinaryHeap;

use domain::criteria::{Direction, SortMode};
use domain::{Criteria, GeoPoint, Key, Order, OrderBy, PropertyAttribute, PropertyId, KeyRange};

use crate::column::{Column, UNKNOWN};
use crate::index::SegmentReader;
use crate::request::{SearchRequest, SearchResult};
use crate::segment::Segment;
use crate::segment::doc_range::DocRange;
use crate::segment_query::{AdvertQuery, Matched, SegmentQuery, Wanted, transactions};

pub fn search(parts: &[SegmentReader], request: &SearchRequest) -> SearchResult {
    let SearchRequest { criteria, order, skip, take } = request;
    let wanted = if *take == 0 { 0 } else { skip.saturating_add(*take) };
    let asked = Wanted::new(criteria);
    let mut found = Vec::new();
    for (place, part) in parts.iter().enumerate() {
        for within in transactions(&part.segment, criteria) {
            let Some(segment_query) = SegmentQuery::new(&part.segment, &part.live_docs, &asked, within)
            else {
                continue;
            };
            let matched = segment_query.matched();
            if matched.count > 0 {
                found.push((place, within, matched));
            }
        }
    }
    let total = found.iter().map(|(_, _, matched)| matched.count).sum();
    if wanted == 0 || *skip >= total {
        return SearchResult { total, hits: Vec::new() };
    }
    let mut best = Best::new(wanted);
    for (place, within, matched) in found {
        let ranking = Ranking::new(&parts[place].segment, criteria, order);
        ranking.offer(place, &matched, within, &mut best);
    }
    let hits = best.sorted().into_iter().skip(*skip).take(*take);
    SearchResult { total, hits: hits.map(|ranked| parts[ranked.part].segment.hit(ranked.row)).collect() }
}

/// The best of what was offered so far.
pub(crate) struct Best {
    wanted: usize,
    /// The worst on top.
    heap: BinaryHeap<Ranked>,
}

/// A row's place in an order.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Ranked {
    /// Such that the least comes first.
    values: Box<[i64]>,
    id: PropertyId,
    pub part: usize,
    pub row: usize,
}

impl Best {
    pub fn new(wanted: usize) -> Self {
        Self { wanted, heap: BinaryHeap::new() }
    }

    fn offer(&mut self, ranked: Ranked) {
        if self.heap.len() < self.wanted {
            self.heap.push(ranked);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && ranked < *worst
        {
            *worst = ranked;
        }
    }

    /// The first value beyond which nothing is wanted any more.
    fn limit(&self) -> i64 {
        let worst = self.heap.peek().filter(|_| self.heap.len() == self.wanted);
        worst.and_then(|worst| worst.values.first().copied()).unwrap_or(i64::MAX)
    }

    pub fn sorted(self) -> Vec<Ranked> {
        self.heap.into_sorted_vec()
    }
}

/// An order in raw_criteria of one segment.
pub(crate) struct Ranking<'a> {
    segment: &'a Segment,
    criteria: &'a Criteria,
    by: Vec<(Value<'a>, Direction)>,
}

/// Where the value compared comes from.
enum Value<'a> {
    Column(PropertyAttribute, &'a Column),
    AdvertCreation(AdvertQuery<'a>),
    Distance(Option<GeoPoint>),
}

impl<'a> Ranking<'a> {
    pub fn new(segment: &'a Segment, criteria: &'a Criteria, order: &Order) -> Self {
        let value = |by: OrderBy| match by.attribute() {
            Some(PropertyAttribute::CreatedAt) if order.mode == SortMode::Advert => {
                Value::AdvertCreation(AdvertQuery::new(segment, criteria))
            }
            Some(attribute) => Value::Column(attribute, segment.column(attribute)),
            None => Value::Distance(order.origin),
        };
        let by = order.by.iter().map(|(by, direction)| (value(*by), *direction)).collect();
        Self { segment, criteria, by }
    }

    /// Offers the best of what matched.
    fn offer(&self, part: usize, matched: &Matched, transaction: DocRange, best: &mut Best) {
        let rows = match self.walk(matched, transaction, best) {
            Some((order, direction)) => self.first_of(order, direction, best, |row| matched.contains(row)),
            None => self.pick(matched, best),
        };
        for row in rows {
            self.offer_row(part, row, best);
        }
    }

    pub fn offer_row(&self, part: usize, row: usize, best: &mut Best) {
        let values = self.by.iter().map(|(value, direction)| self.value(value, *direction, row)).collect();
        best.offer(Ranked { values, id: self.segment.id(row), part, row });
    }

    fn value(&self, value: &Value<'_>, direction: Direction, row: usize) -> i64 {
        let raw = match value {
            Value::Column(_, column) => column.value(row),
            Value::AdvertCreation(adverts) => adverts.created(row, direction),
            Value::Distance(origin) => match (origin, self.segment.point(row)) {
                (Some(origin), Some(point)) => Key::number(origin.distance_km(point)).get(),
                _ => UNKNOWN,
            },
        };
        directed(raw, direction)
    }

    /// The kept order to walk, if that is less work than looking at every match.
    fn walk(&self, matched: &Matched, transaction: DocRange, best: &Best) -> Option<(&'a [u32], Direction)> {
        let (Value::Column(attribute, column), direction) = self.by.first()? else { return None };
        let order = self.segment.order(*attribute, transaction)?;
        let steps = (order.len() / matched.count.max(1)).saturating_mul(best.wanted);
        if steps >= matched.count {
            return None;
        }
        // What the criteria say of the same attribute leaves a part of the order.
        let mut order = order;
        for condition in self.criteria.property.iter().filter(|condition| condition.attribute == *attribute) {
            if let domain::criteria::Predicate::Within(span) = condition.predicate {
                let (first, last) = column.codes_within(span)?;
                let from = order.partition_point(|row| column.code(*row as usize) < first);
                let to = order.partition_point(|row| column.code(*row as usize) <= last);
                order = &order[from..to];
            }
        }
        Some((order, *direction))
    }

    /// The first rows of an ascending order that match, as many as are wanted, and all that tie with the last of them.
    fn first_of(
        &self,
        order: &[u32],
        direction: Direction,
        best: &Best,
        matches: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let Some((Value::Column(_, column), _)) = self.by.first() else { return Vec::new() };
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
            if rows.len() >= best.wanted && last_code != Some(code) {
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

    /// The best of the matches by the first value, as many as are wanted, and all that tie with the last of them.
    fn pick(&self, matched: &Matched, best: &Best) -> Vec<usize> {
        let limit = best.limit();
        match self.by.first() {
            Some((Value::Column(_, column), direction)) => {
                // Codes compare as values do, and need not be looked up.
                let limit = code_limit(column, *direction, limit);
                let code = |row: usize| directed_code(column.code(row), *direction);
                picked(matched, best.wanted, limit, code)
            }
            Some((value, direction)) => {
                picked(matched, best.wanted, limit, |row| self.value(value, *direction, row))
            }
            None => picked(matched, best.wanted, limit, |row| id_prefix(self.segment.id(row))),
        }
    }
}

/// With no order but that of ids, the first bytes of the id are the first value.
fn id_prefix(id: PropertyId) -> i64 {
    let bytes = id.as_bytes();
    let prefix =
        u64::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7]]);
    (prefix ^ (1 << 63)) as i64
}

/// Such that the least comes first, and what is unknown last.
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

/// The directed code beyond which every directed value is beyond a limit.
fn code_limit(column: &Column, direction: Direction, limit: i64) -> i64 {
    if limit == i64::MAX {
        return i64::MAX;
    }
    match direction {
        Direction::Ascending => {
            let span = KeyRange { least: None, most: Some(Key::from_raw(limit)) };
            column.codes_within(span).map_or(i64::MIN, |(_, last)| i64::from(last))
        }
        Direction::Descending => {
            let span = KeyRange { least: Some(Key::from_raw(!limit)), most: None };
            column.codes_within(span).map_or(i64::MIN, |(first, _)| -i64::from(first))
        }
    }
}

/// The rows with the least values, at least as many as wanted if there are so many, with all ties.
fn picked(matched: &Matched, wanted: usize, mut limit: i64, value: impl Fn(usize) -> i64) -> Vec<usize> {
    let mut room = wanted.saturating_mul(2).clamp(64, 1 << 20);
    let mut kept: Vec<(i64, usize)> = Vec::new();
    for row in matched.rows() {
        let value = value(row);
        if value > limit {
            continue;
        }
        kept.push((value, row));
        if kept.len() >= room && kept.len() > wanted {
            limit = limit.min(kept.select_nth_unstable(wanted - 1).1.0);
            kept.retain(|(value, _)| *value <= limit);
            room = room.max(kept.len() * 2);
        }
    }
    if kept.len() > wanted {
        let limit = kept.select_nth_unstable(wanted - 1).1.0;
        kept.retain(|(value, _)| *value <= limit);
    }
    kept.into_iter().map(|(_, row)| row).collect()
}
