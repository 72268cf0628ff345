//! Criteria compiled for one segment: the ranges that can match, and the tests to apply, the cheapest first.
//!
//! Conditions on locations are mostly decided for whole ranges of ordinals. Other conditions are tested 64 rows at a time. Only
//! rows that pass all of them are checked one by one: adverts, distances, phrases.

mod adverts;
mod area;
mod expression;

use std::borrow::Cow;

use domain::criteria::{Condition, Predicate};
use domain::{Criteria, Key, PropertyAttribute, Variation, VariationAttribute};

use crate::bits::{BitSet, WORD, ones};
use crate::budget::{Budget, Stopped, WorkKind};
use crate::circle::CircleFilter;
use crate::column::{CodeTest, Column};
use crate::scratch::Scratch;
use crate::segment::Segment;
use crate::segment::doc_range::{DocRange, Residual, intersect, subtract};
use crate::segment::map_index::Frame;
pub(crate) use adverts::AdvertQuery;
use area::AreaCheck;
use expression::Expression;

/// Criteria, prepared once for all segments.
pub struct PreparedCriteria<'a> {
    pub criteria: &'a Criteria,
    circle: Option<CircleFilter>,
    /// In addition to the conditions on properties.
    located: Option<Predicate>,
    /// The viewport. Rows near its border may match although they are outside.
    frame: Option<Frame>,
}

impl<'a> PreparedCriteria<'a> {
    /// A circle or a polygon contains only properties with coordinates of their own.
    pub fn new(criteria: &'a Criteria) -> Self {
        let has_area = criteria.places.circle.is_some() || !criteria.places.polygons.is_empty();
        let located = has_area.then(|| Predicate::OneOf([Key::flag(true)].into()));
        Self { located, ..Self::with_shown_points(criteria) }
    }

    /// A circle or a polygon also contains properties that are shown at the centre of their commune.
    pub fn with_shown_points(criteria: &'a Criteria) -> Self {
        Self { criteria, circle: criteria.places.circle.map(CircleFilter::new), located: None, frame: None }
    }

    /// Leaves out most rows outside a viewport.
    pub fn in_frame(self, frame: Frame) -> Self {
        Self { frame: Some(frame), ..self }
    }
}

pub struct SegmentQuery<'a> {
    segment: &'a Segment,
    /// Sorted, without overlaps.
    doc_ranges: Vec<DocRange>,
    live_docs: Cow<'a, BitSet>,
    tests: Vec<(&'a Column, CodeTest<'a>)>,
    /// The expressions, and the filter on features.
    texts: Vec<Expression<'a>>,
    changes: Vec<BitSet>,
    area: AreaCheck<'a>,
    adverts: Option<AdvertQuery<'a>>,
}

/// The matching rows as a bit set, from the first row that could match to the last.
#[derive(Debug, Default)]
pub struct MatchedRows {
    first: usize,
    words: Scratch,
    pub count: usize,
}

/// The number of words tested together. It amortizes the overhead of each test, and the words fit the L1 cache.
const CHUNK_WORDS: usize = 64;

/// The work of testing the adverts of 64 rows, compared with testing one condition on the rows themselves.
const ADVERTS_WORK: usize = 8;

impl MatchedRows {
    fn empty(doc_ranges: &[DocRange]) -> Self {
        let first = doc_ranges.first().map_or(0, |doc_range| doc_range.from as usize / WORD);
        let end = doc_ranges.last().map_or(first, |doc_range| (doc_range.to as usize).div_ceil(WORD));
        Self { first, words: Scratch::zeroed(end - first), count: 0 }
    }

    fn add(&mut self, start: usize, rows: &[u64]) {
        // A separate loop, which the compiler vectorizes.
        self.count += rows.iter().map(|bits| u64::from(bits.count_ones())).sum::<u64>() as usize;
        // Two ranges may share a word.
        self.words[start - self.first..].iter_mut().zip(rows).for_each(|(word, bits)| *word |= bits);
    }

    /// Returns the words that are not zero, each with its index.
    pub fn words(&self) -> impl Iterator<Item = (usize, u64)> {
        self.words
            .iter()
            .enumerate()
            .filter(|(_, bits)| **bits != 0)
            .map(|(index, bits)| (self.first + index, *bits))
    }

    pub fn rows(&self) -> impl Iterator<Item = usize> {
        self.words().flat_map(|(word, bits)| ones(bits).map(move |index| word * WORD + index))
    }

    pub fn contains(&self, row: usize) -> bool {
        let word = (row / WORD).checked_sub(self.first).and_then(|word| self.words.get(word));
        word.is_some_and(|bits| bits >> (row % WORD) & 1 == 1)
    }
}

impl<'a> SegmentQuery<'a> {
    /// Returns `None` if no row of the segment can match.
    pub fn new(
        segment: &'a Segment,
        live_docs: &'a BitSet,
        prepared: &'a PreparedCriteria<'a>,
        within: DocRange,
    ) -> Option<Self> {
        let criteria = prepared.criteria;
        let doc_ranges = doc_ranges(segment, prepared, within);
        if doc_ranges.is_empty() {
            return None;
        }
        let mut tests = Vec::with_capacity(criteria.property.len() + 1);
        for Condition { attribute, predicate } in &criteria.property {
            // The ranges are of one transaction already.
            if *attribute != PropertyAttribute::TransactionType {
                let column = segment.column(*attribute);
                tests.push((column, column.compile(predicate)));
            }
        }
        if let Some(located) = &prepared.located {
            let column = segment.column(PropertyAttribute::Located);
            tests.push((column, column.compile(located)));
        }
        if tests.iter().any(|(_, predicate)| matches!(predicate, CodeTest::Never)) {
            return None;
        }
        // Relative costs: a set takes one word for 64 rows, a comparison a few, a binary search among codes one for each row.
        tests.sort_by_key(|(_, test)| match test {
            CodeTest::Never => 0,
            CodeTest::InSets(sets) => sets.len(),
            CodeTest::Within { .. } => 20,
            CodeTest::OneOf(_) => 40,
        });
        let mut texts = Vec::new();
        if !criteria.expressions.is_empty() {
            texts.push(Expression::new(segment, &criteria.expressions, criteria.advert_scope)?);
        }
        if !criteria.features.is_empty() {
            texts.push(Expression::of_features(segment, &criteria.features, criteria.advert_scope)?);
        }
        let adverts = AdvertQuery::for_criteria(segment, criteria);
        if adverts.as_ref().is_some_and(AdvertQuery::is_impossible) {
            return None;
        }
        let changes = Variation::ALL
            .iter()
            .filter(|variation| !criteria.change(**variation).is_empty())
            .map(|variation| rows_with_change(segment, criteria, *variation, &doc_ranges))
            .collect();
        Some(Self {
            segment,
            live_docs: exclude_properties(segment, live_docs, criteria),
            tests,
            texts,
            changes,
            area: AreaCheck::new(segment, criteria, prepared.circle.as_ref()),
            adverts,
            doc_ranges,
        })
    }

    /// Evaluates the query, as far as the budget allows.
    pub fn matched_rows(&self, budget: &Budget) -> Result<MatchedRows, Stopped> {
        for expression in &self.texts {
            budget.count(WorkKind::Phrases, expression.preparation_work());
        }
        budget.check()?;
        let mut matched = MatchedRows::empty(&self.doc_ranges);
        let mut rows = [0; CHUNK_WORDS];
        for doc_range in &self.doc_ranges {
            let (first, last) = (doc_range.from as usize / WORD, (doc_range.to as usize - 1) / WORD);
            for start in (first..=last).step_by(CHUNK_WORDS) {
                let rows = &mut rows[..CHUNK_WORDS.min(last + 1 - start)];
                rows.copy_from_slice(&self.live_docs.words()[start..start + rows.len()]);
                if start == first {
                    rows[0] &= u64::MAX << (doc_range.from as usize % WORD);
                }
                if start + rows.len() > last {
                    rows[last - start] &= u64::MAX >> (WORD - 1 - (doc_range.to as usize - 1) % WORD);
                }
                self.retain(start, rows, doc_range.residual, budget)?;
                matched.add(start, rows);
            }
        }
        Ok(matched)
    }

    /// Removes the rows that do not match. Each word of `rows` is a mask of 64 rows; the first word starts at row `start × 64`.
    fn retain(
        &self,
        start: usize,
        rows: &mut [u64],
        residual: Residual,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        budget.count(WorkKind::Conditions, rows.len() * self.word_work());
        budget.check()?;
        for expression in &self.texts {
            expression.retain(start, rows);
        }
        for changed in &self.changes {
            rows.iter_mut().zip(&changed.words()[start..]).for_each(|(bits, changed)| *bits &= changed);
        }
        for (column, test) in &self.tests {
            if rows.iter().all(|bits| *bits == 0) {
                return Ok(());
            }
            column.retain(test, start, rows);
        }
        if let Some(adverts) = &self.adverts {
            adverts.retain(start, rows);
        }
        let by_row = residual != Residual::NONE
            || self.area.always_needed()
            || self.texts.iter().any(Expression::has_residual);
        if !by_row {
            return Ok(());
        }
        let area_work = self.area.row_work(residual);
        for (index, bits) in rows.iter_mut().enumerate() {
            for one in ones(*bits) {
                let row = (start + index) * WORD + one;
                let holds = self.area.holds(row, residual)
                    && self.texts.iter().all(|expression| expression.holds(self.segment, row, budget));
                budget.count(WorkKind::Areas, area_work);
                *bits &= !(u64::from(!holds) << one);
            }
            budget.check()?;
        }
        Ok(())
    }

    /// Returns the work of testing 64 rows at a time.
    fn word_work(&self) -> usize {
        let adverts = if self.adverts.is_some() { ADVERTS_WORK } else { 0 };
        1 + self.texts.len() + self.changes.len() + self.tests.len() + adverts
    }
}

/// Returns the ranges that can contain matches.
fn doc_ranges(segment: &Segment, prepared: &PreparedCriteria<'_>, within: DocRange) -> Vec<DocRange> {
    let places = &prepared.criteria.places;
    let mut doc_ranges = vec![within];
    if let Some(frame) = &prepared.frame {
        doc_ranges = intersect(&doc_ranges, &segment.map_index.ranges(frame));
    }
    if let Some(set) = &places.any_of {
        doc_ranges = intersect(&doc_ranges, &segment.geo_index.places(set));
    }
    if !places.none_of.cities.is_empty() || !places.none_of.departments.is_empty() {
        let exact = domain::criteria::PlaceSet {
            zipcodes: std::collections::BTreeSet::new(),
            ..places.none_of.clone()
        };
        doc_ranges = subtract(&doc_ranges, &segment.geo_index.places(&exact));
    }
    if let Some(circle) = &prepared.circle {
        doc_ranges = intersect(&doc_ranges, &segment.geo_index.circle(circle, &doc_ranges));
    }
    if !places.polygons.is_empty() {
        doc_ranges = intersect(&doc_ranges, &segment.geo_index.polygons(&places.polygons, &doc_ranges));
    }
    doc_ranges
}

fn exclude_properties<'a>(segment: &Segment, live_docs: &'a BitSet, criteria: &Criteria) -> Cow<'a, BitSet> {
    let mut live_docs = Cow::Borrowed(live_docs);
    for row in criteria.excluded_properties.iter().filter_map(|id| segment.find(*id)) {
        if live_docs.contains(row) {
            live_docs.to_mut().remove(row);
        }
    }
    live_docs
}

/// Returns the rows that have a change satisfying every condition on it.
fn rows_with_change(
    segment: &Segment,
    criteria: &Criteria,
    variation: Variation,
    doc_ranges: &[DocRange],
) -> BitSet {
    let changes = segment.changes(variation);
    let live_only = criteria.advert_scope == domain::criteria::AdvertScope::Live;
    let column = |attribute: VariationAttribute| match attribute {
        VariationAttribute::At => &changes.at,
        VariationAttribute::Percent => &changes.percent,
    };
    let conditions = criteria.change(variation).iter();
    let tests: Vec<_> = conditions
        .map(|condition| {
            (column(condition.attribute), column(condition.attribute).compile(&condition.predicate))
        })
        .collect();
    let mut bits = BitSet::empty(segment.len());
    for doc_range in doc_ranges {
        let range = changes.of_rows(doc_range.from, doc_range.to);
        for word in range.start / WORD..range.end.div_ceil(WORD) {
            let (from, to) = (range.start.max(word * WORD), range.end.min((word + 1) * WORD));
            let inside = (u64::MAX << (from % WORD)) & (u64::MAX >> (WORD - 1 - (to - 1) % WORD));
            let mut passing = [if live_only { inside & changes.live.word(word) } else { inside }];
            tests.iter().for_each(|(column, test)| column.retain(test, word, &mut passing));
            for one in ones(passing[0]) {
                bits.insert(changes.rows[word * WORD + one] as usize);
            }
        }
    }
    bits
}

/// Returns the rows of each transaction that the criteria accept.
pub fn transactions<'a>(segment: &'a Segment, criteria: &'a Criteria) -> impl Iterator<Item = DocRange> + 'a {
    let conditions = || {
        let of_transaction = |condition: &&Condition<PropertyAttribute>| {
            condition.attribute == PropertyAttribute::TransactionType
        };
        criteria.property.iter().filter(of_transaction)
    };
    domain::TransactionType::ALL.iter().filter_map(move |transaction| {
        let key = Key::code(transaction.code());
        let accepted = conditions().all(|condition| condition.predicate.holds(Some(key)));
        if accepted { segment.geo_index.transaction(key.get()) } else { None }
    })
}
