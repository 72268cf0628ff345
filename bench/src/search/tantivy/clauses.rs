//! Builds a boolean query from clauses that must all hold.

use std::ops::Bound;

use domain::GeoPoint;
use tantivy::query::doc_predicate_query::{DocPredicateQuery, FunctionPredicate};
use tantivy::query::{BooleanQuery, Occur, Query, RangeQuery, TermQuery};
use tantivy::schema::{Field, IndexRecordOption};
use tantivy::{SegmentReader, Term};
use world::Budget;

use super::index::{LAT, LON};
use crate::search::sphere;

/// Enlarges the bounding box of a circle, so that rounding loses nothing on the rim.
const MARGIN: f64 = 1.001;

#[derive(Default)]
pub struct Clauses {
    clauses: Vec<(Occur, Box<dyn Query>)>,
}

impl Clauses {
    pub fn has(self, term: Term) -> Self {
        self.with(Occur::Must, has(term))
    }

    pub fn has_not(self, term: Term) -> Self {
        self.with(Occur::MustNot, has(term))
    }

    pub fn has_any(self, terms: impl Iterator<Item = Term>) -> Self {
        self.with(Occur::Must, Box::new(BooleanQuery::union(terms.map(has).collect())))
    }

    pub fn at_least(self, low: Term) -> Self {
        self.range(Bound::Included(low), Bound::Unbounded)
    }

    pub fn at_most(self, high: Term) -> Self {
        self.range(Bound::Unbounded, Bound::Included(high))
    }

    pub fn between(self, low: Term, high: Term) -> Self {
        self.range(Bound::Included(low), Bound::Included(high))
    }

    pub fn within(self, field: Field, budget: Budget) -> Self {
        let amount = |amount| Term::from_field_f64(field, amount);
        let min = budget.min.map_or(Bound::Unbounded, |min| Bound::Included(amount(min)));
        self.range(min, Bound::Included(amount(budget.max)))
    }

    /// Adds a bounding box, and the exact distance within it.
    pub fn around(mut self, fields: [Field; 2], centre: GeoPoint, radius_km: f64) -> Self {
        for (field, bounds) in fields.into_iter().zip(sphere::bounds(centre, radius_km * MARGIN)) {
            let [low, high] = [bounds.start(), bounds.end()].map(|value| Term::from_field_f64(field, *value));
            self = self.between(low, high);
        }
        // The only predicate of the library that can read more than one column.
        let near = FunctionPredicate::from(move |segment: &SegmentReader| {
            let (lat, lon) = (segment.fast_fields().f64(LAT)?, segment.fast_fields().f64(LON)?);
            Ok(move |document| {
                let point = lat.first(document).zip(lon.first(document));
                let point = point.and_then(|(lat, lon)| GeoPoint::new(lat, lon));
                point.is_some_and(|point| point.distance_km(centre) <= radius_km)
            })
        });
        self.with(Occur::Must, Box::new(DocPredicateQuery::from(near)))
    }

    pub fn query(self) -> BooleanQuery {
        BooleanQuery::new(self.clauses)
    }

    fn range(self, low: Bound<Term>, high: Bound<Term>) -> Self {
        self.with(Occur::Must, Box::new(RangeQuery::new(low, high)))
    }

    fn with(mut self, occur: Occur, query: Box<dyn Query>) -> Self {
        self.clauses.push((occur, query));
        self
    }
}

fn has(term: Term) -> Box<dyn Query> {
    Box::new(TermQuery::new(term, IndexRecordOption::Basic))
}
