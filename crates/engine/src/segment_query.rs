//! Criteria in raw_criteria of one segment: where to look, and what to look at, the cheapest first.
//!
//! Everything that can be settled for a doc_range of ordinals is (places, mostly). What is left is tested 64 rows at a
//! time, and only rows that pass all of that are looked at one by one: their adverts, their distance, their phrases.

mod adverts;
mod area;
mod expression;

use std::borrow::Cow;

use domain::criteria::Condition;
use domain::{Criteria, Key, PropertyAttribute, Variation, VariationAttribute};

use crate::bits::{Bits, WORD, ones};
use crate::circle::NearCircle;
use crate::column::{CodeTest, Column};
use crate::scratch::Scratch;
use crate::segment::Segment;
use crate::segment::doc_range::{DocRange, Residual, common, without};
pub(crate) use adverts::AdvertQuery;
use area::AreaCheck;
use expression::Expression;

/// Criteria, with what can be worked out once for all segments.
pub struct Wanted<'a> {
    pub criteria: &'a Criteria,
    circle: Option<NearCircle>,
}

impl<'a> Wanted<'a> {
    pub fn new(criteria: &'a Criteria) -> Self {
        Self { criteria, circle: criteria.places.circle.map(NearCircle::new) }
    }
}

pub struct SegmentQuery<'a> {
    segment: &'a Segment,
    /// In order, without overlaps.
    doc_ranges: Vec<DocRange>,
    live_docs: Cow<'a, Bits>,
    tests: Vec<(&'a Column, CodeTest<'a>)>,
    expression: Option<Expression<'a>>,
    changes: Vec<Bits>,
    area: AreaCheck<'a>,
    adverts: Option<AdvertQuery<'a>>,
}

/// The rows that match, as words of bits, from the first row that could match to the last.
#[derive(Debug, Default)]
pub struct Matched {
    first: usize,
    words: Scratch,
    pub count: usize,
}

/// So many words are tested together: what is said once for all of them costs nothing then, and they fit the nearest cache.
const CHUNK: usize = 64;

impl Matched {
    fn within(doc_ranges: &[DocRange]) -> Self {
        let first = doc_ranges.first().map_or(0, |doc_range| doc_range.from as usize / WORD);
        let end = doc_ranges.last().map_or(first, |doc_range| (doc_range.to as usize).div_ceil(WORD));
        Self { first, words: Scratch::zeroed(end - first), count: 0 }
    }

    fn add(&mut self, start: usize, rows: &[u64]) {
        // Counted apart, in a loop of nothing else, which the compiler makes vectors of.
        self.count += rows.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>() as usize;
        // Two doc_ranges may share a word.
        self.words[start - self.first..].iter_mut().zip(rows).for_each(|(word, bits)| *word |= bits);
    }

    /// The words that have any row, each with its number.
    pub fn words(&self) -> impl Iterator<Item = (usize, u64)> {
        self.words
            .iter()
            .enumerate()
            .filter(|(_, bits)| **bits != 0)
            .map(|(place, bits)| (self.first + place, *bits))
    }

    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.words().flat_map(|(word, bits)| ones(bits).map(move |place| word * WORD + place))
    }

    pub fn contains(&self, row: usize) -> bool {
        let word = (row / WORD).checked_sub(self.first).and_then(|word| self.words.get(word));
        word.is_some_and(|bits| bits >> (row % WORD) & 1 == 1)
    }
}

impl<'a> SegmentQuery<'a> {
    /// Nothing when no row of the segment can match.
    pub fn new(
        segment: &'a Segment,
        live_docs: &'a Bits,
        wanted: &'a Wanted<'a>,
        within: DocRange,
    ) -> Option<Self> {
        let criteria = wanted.criteria;
        let doc_ranges = doc_ranges(segment, wanted, within);
        if doc_ranges.is_empty() {
            return None;
        }
        let mut tests = Vec::with_capacity(criteria.property.len() + 1);
        for Condition { attribute, predicate: test } in &criteria.property {
            // The doc_ranges are of one transaction already.
            if *attribute != PropertyAttribute::TransactionType {
                let column = segment.column(*attribute);
                tests.push((column, column.compiled(test)));
            }
        }
        if tests.iter().any(|(_, test)| matches!(test, CodeTest::Never)) {
            return None;
        }
        // Sets cost one word for 64 rows, comparisons a few, and a search among codes a look at each row.
        tests.sort_by_key(|(_, test)| match test {
            CodeTest::Never => 0,
            CodeTest::InSets(sets) => sets.len(),
            CodeTest::Within { .. } => 20,
            CodeTest::Among(_) => 40,
        });
        let expression = match criteria.expressions.as_slice() {
            [] => None,
            groups => Some(Expression::new(segment, groups)?),
        };
        let adverts = AdvertQuery::needed(segment, criteria);
        if adverts.as_ref().is_some_and(AdvertQuery::is_impossible) {
            return None;
        }
        let changes = Variation::ALL
            .iter()
            .filter(|variation| !criteria.change(**variation).is_empty())
            .map(|variation| changed(segment, criteria, *variation, &doc_ranges))
            .collect();
        Some(Self {
            segment,
            live_docs: without_excluded(segment, live_docs, criteria),
            tests,
            expression,
            changes,
            area: AreaCheck::new(segment, criteria, wanted.circle.as_ref()),
            adverts,
            doc_ranges,
        })
    }

    pub fn matched(&self) -> Matched {
        let mut matched = Matched::within(&self.doc_ranges);
        let mut rows = [0; CHUNK];
        for doc_range in &self.doc_ranges {
            let (first, last) = (doc_range.from as usize / WORD, (doc_range.to as usize - 1) / WORD);
            for start in (first..=last).step_by(CHUNK) {
                let rows = &mut rows[..CHUNK.min(last + 1 - start)];
                rows.copy_from_slice(&self.live_docs.words()[start..start + rows.len()]);
                if start == first {
                    rows[0] &= u64::MAX << (doc_range.from as usize % WORD);
                }
                if start + rows.len() > last {
                    rows[last - start] &= u64::MAX >> (WORD - 1 - (doc_range.to as usize - 1) % WORD);
                }
                self.keep(start, rows, doc_range.residual);
                matched.add(start, rows);
            }
        }
        matched
    }

    /// Leaves the rows in that match. Each word of `rows` stands for 64 rows, the first for those from `start × 64` on.
    fn keep(&self, start: usize, rows: &mut [u64], residual: Residual) {
        if let Some(expression) = &self.expression {
            expression.keep(start, rows);
        }
        for changed in &self.changes {
            rows.iter_mut().zip(&changed.words()[start..]).for_each(|(bits, changed)| *bits &= changed);
        }
        for (column, test) in &self.tests {
            if rows.iter().all(|bits| *bits == 0) {
                return;
            }
            column.keep(test, start, rows);
        }
        if let Some(adverts) = &self.adverts {
            adverts.keep(start, rows);
        }
        let by_row = residual != Residual::NONE
            || self.area.always()
            || self.expression.as_ref().is_some_and(Expression::in_doubt);
        if !by_row {
            return;
        }
        for (place, bits) in rows.iter_mut().enumerate() {
            for one in ones(*bits) {
                let row = (start + place) * WORD + one;
                let holds = self.area.holds(row, residual)
                    && self.expression.as_ref().is_none_or(|expression| expression.holds(self.segment, row));
                *bits &= !(u64::from(!holds) << one);
            }
        }
    }
}

/// Where matches can be.
fn doc_ranges(segment: &Segment, wanted: &Wanted<'_>, within: DocRange) -> Vec<DocRange> {
    let places = &wanted.criteria.places;
    let mut doc_ranges = vec![within];
    if let Some(set) = &places.any_of {
        doc_ranges = common(&doc_ranges, &segment.geo_index.places(set));
    }
    if !places.none_of.cities.is_empty() || !places.none_of.departments.is_empty() {
        let sure = domain::criteria::PlaceSet {
            zipcodes: std::collections::BTreeSet::new(),
            ..places.none_of.clone()
        };
        doc_ranges = without(&doc_ranges, &segment.geo_index.places(&sure));
    }
    if let Some(circle) = &wanted.circle {
        doc_ranges = common(&doc_ranges, &segment.geo_index.circle(circle, &doc_ranges));
    }
    if !places.polygons.is_empty() {
        doc_ranges = common(&doc_ranges, &segment.geo_index.polygons(&places.polygons, &doc_ranges));
    }
    doc_ranges
}

fn without_excluded<'a>(segment: &Segment, live_docs: &'a Bits, criteria: &Criteria) -> Cow<'a, Bits> {
    let mut live_docs = Cow::Borrowed(live_docs);
    for row in criteria.excluded_properties.iter().filter_map(|id| segment.find(*id)) {
        if live_docs.contains(row) {
            live_docs.to_mut().remove(row);
        }
    }
    live_docs
}

/// The rows that have a change of one kind that meets every condition on it.
fn changed(segment: &Segment, criteria: &Criteria, variation: Variation, doc_ranges: &[DocRange]) -> Bits {
    let changes = segment.changes(variation);
    let live_only = criteria.advert_scope == domain::criteria::AdvertScope::Live;
    let column = |attribute: VariationAttribute| match attribute {
        VariationAttribute::At => &changes.at,
        VariationAttribute::Percent => &changes.percent,
    };
    let conditions = criteria.change(variation).iter();
    let tests: Vec<_> = conditions
        .map(|condition| (column(condition.attribute), column(condition.attribute).compiled(&condition.predicate)))
        .collect();
    let mut bits = Bits::none(segment.len());
    for doc_range in doc_ranges {
        let places = changes.of_rows(doc_range.from, doc_range.to);
        for word in places.start / WORD..places.end.div_ceil(WORD) {
            let (from, to) = (places.start.max(word * WORD), places.end.min((word + 1) * WORD));
            let inside = (u64::MAX << (from % WORD)) & (u64::MAX >> (WORD - 1 - (to - 1) % WORD));
            let mut met = [if live_only { inside & changes.live.word(word) } else { inside }];
            tests.iter().for_each(|(column, test)| column.keep(test, word, &mut met));
            for one in ones(met[0]) {
                bits.insert(changes.rows[word * WORD + one] as usize);
            }
        }
    }
    bits
}

/// Where the rows of each transaction are that criteria allow.
pub fn transactions<'a>(segment: &'a Segment, criteria: &'a Criteria) -> impl Iterator<Item = DocRange> + 'a {
    let conditions = || {
        let of_transaction = |condition: &&Condition<PropertyAttribute>| {
            condition.attribute == PropertyAttribute::TransactionType
        };
        criteria.property.iter().filter(of_transaction)
    };
    domain::TransactionType::ALL.iter().filter_map(move |transaction| {
        let key = Key::code(transaction.code());
        let wanted = conditions().all(|condition| condition.predicate.holds(Some(key)));
        if wanted { segment.geo_index.of_transaction(key.get()) } else { None }
    })
}
