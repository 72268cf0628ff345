//! Executes requests for similar properties.

use std::collections::{BTreeSet, BinaryHeap};

use domain::criteria::{Condition, PlaceSet, Places, Predicate};
use domain::similarity::{NEAR_KM, Penalty, SIMILAR_MAX};
use domain::{Circle, Criteria, Key, KeyRange, PropertyAttribute, PropertyId, SimilarityProfile};

use crate::budget::{Budget, Stopped, WorkKind};
use crate::request::{SearchResult, SimilarRequest};
use crate::search::{SegmentRanking, TopHits};
use crate::segment::Segment;
use crate::segment_query::{PreparedCriteria, SegmentQuery, transactions};
use crate::segment_reader::SegmentReader;

pub fn similar(
    readers: &[SegmentReader],
    request: &SimilarRequest,
    budget: &Budget,
) -> Result<SearchResult, Stopped> {
    let SimilarRequest { property: _, profile, created_from: _, order, skip, take } = request;
    let mut candidates = MostSimilar { profile, heap: BinaryHeap::new() };
    if let Some(city) = profile.city {
        let any_of = PlaceSet { cities: BTreeSet::from([city]), ..PlaceSet::default() };
        let places = Places { any_of: Some(any_of), ..Places::default() };
        candidates.collect(readers, &criteria(request, places), budget)?;
    }
    if let Some(centre) = profile.point {
        // The city has been searched already. A property farther away than the penalty of the worst candidate allows cannot
        // enter.
        let radius_km = candidates.reach_km();
        let none_of = PlaceSet { cities: profile.city.into_iter().collect(), ..PlaceSet::default() };
        let circle = Some(Circle { centre, radius_km });
        let places = Places { circle, none_of, ..Places::default() };
        candidates.collect(readers, &criteria(request, places), budget)?;
    }
    let everything = Criteria::default();
    let mut best = TopHits::new(if *take == 0 { 0 } else { skip.saturating_add(*take) });
    for (_, _, reader, row) in &candidates.heap {
        SegmentRanking::new(&readers[*reader].segment, &everything, order)
            .offer_row(*reader, *row, &mut best);
    }
    let hits = best.sorted().into_iter().skip(*skip).take(*take);
    Ok(SearchResult {
        total: candidates.heap.len(),
        hits: hits.map(|hit| readers[hit.reader].segment.hit(hit.row)).collect(),
    })
}

fn criteria(request: &SimilarRequest, places: Places) -> Criteria {
    let is = |attribute: PropertyAttribute, key: Key| Condition {
        attribute,
        predicate: Predicate::OneOf(BTreeSet::from([key])),
    };
    let SimilarRequest { property, profile, created_from, .. } = request;
    let mut conditions = vec![
        is(PropertyAttribute::TransactionType, Key::code(profile.transaction_type.code())),
        is(PropertyAttribute::PropertyType, Key::code(profile.property_type.code())),
        is(PropertyAttribute::Expired, Key::flag(false)),
        is(PropertyAttribute::CoherentPrice, Key::flag(true)),
    ];
    if let Some(from) = created_from {
        let range = KeyRange { least: Some(Key::timestamp(*from)), most: None };
        conditions
            .push(Condition { attribute: PropertyAttribute::CreatedAt, predicate: Predicate::Within(range) });
    }
    Criteria {
        property: conditions,
        places,
        excluded_properties: BTreeSet::from([*property]),
        ..Criteria::default()
    }
}

/// The properties with the smallest penalties so far.
struct MostSimilar<'a> {
    profile: &'a SimilarityProfile,
    /// The least similar on top.
    heap: BinaryHeap<(Penalty, PropertyId, usize, usize)>,
}

impl MostSimilar<'_> {
    fn collect(
        &mut self,
        readers: &[SegmentReader],
        criteria: &Criteria,
        budget: &Budget,
    ) -> Result<(), Stopped> {
        let prepared = PreparedCriteria::with_shown_points(criteria);
        for (index, reader) in readers.iter().enumerate() {
            for within in transactions(&reader.segment, criteria) {
                let Some(segment_query) =
                    SegmentQuery::new(&reader.segment, &reader.live_docs, &prepared, within)
                else {
                    continue;
                };
                let matched = segment_query.matched_rows(budget)?;
                budget.count(WorkKind::Order, matched.count);
                budget.check()?;
                for row in matched.rows() {
                    if let Some(penalty) = self.profile.penalty(&profile(self.profile, &reader.segment, row))
                    {
                        self.offer((penalty, reader.segment.id(row), index, row));
                    }
                }
            }
        }
        Ok(())
    }

    fn offer(&mut self, candidate: (Penalty, PropertyId, usize, usize)) {
        if self.heap.len() < SIMILAR_MAX {
            self.heap.push(candidate);
        } else if let Some(mut worst) = self.heap.peek_mut()
            && (candidate.0, candidate.1) < (worst.0, worst.1)
        {
            *worst = candidate;
        }
    }

    /// Returns the largest distance at which a property can still enter.
    fn reach_km(&self) -> f64 {
        match self.heap.peek() {
            Some((penalty, ..)) if self.heap.len() == SIMILAR_MAX => penalty.reach_km().min(NEAR_KM),
            _ => NEAR_KM,
        }
    }
}

/// Returns the profile of a row, which has the same transaction and type as the model.
fn profile(model: &SimilarityProfile, segment: &Segment, row: usize) -> SimilarityProfile {
    let number = |attribute: PropertyAttribute| segment.column(attribute).key(row).map(Key::as_number);
    SimilarityProfile {
        transaction_type: model.transaction_type,
        property_type: model.property_type,
        city: segment.column(PropertyAttribute::City).key(row),
        point: segment.point(row),
        surface: number(PropertyAttribute::Surface),
        price: number(PropertyAttribute::Price),
        room: number(PropertyAttribute::Room),
    }
}
