//! What is most like a property.

use std::collections::{BTreeSet, BinaryHeap};

use domain::criteria::{Condition, PlaceSet, Places, Predicate};
use domain::similarity::{NEAR_KM, Penalty, SIMILAR_MAX};
use domain::{Circle, Criteria, Key, PropertyAttribute, PropertyId, SimilarityProfile, KeyRange};

use crate::index::SegmentReader;
use crate::request::{SearchResult, SimilarRequest};
use crate::search::{Best, Ranking};
use crate::segment::Segment;
use crate::segment_query::{SegmentQuery, Wanted, transactions};

pub fn similar(parts: &[SegmentReader], request: &SimilarRequest) -> SearchResult {
    let SimilarRequest { property: _, profile, created_from: _, order, skip, take } = request;
    let mut alike = Alike { profile, kept: BinaryHeap::new() };
    if let Some(city) = profile.city {
        let any_of = PlaceSet { cities: BTreeSet::from([city]), ..PlaceSet::default() };
        alike.gather(parts, &criteria(request, Places { any_of: Some(any_of), ..Places::default() }));
    }
    if let Some(centre) = profile.point {
        // Those of the city are in already, and what is farther away than the worst of them may differ cannot get in.
        let radius_km = alike.reach_km();
        let none_of = PlaceSet { cities: profile.city.into_iter().collect(), ..PlaceSet::default() };
        let circle = Some(Circle { centre, radius_km });
        alike.gather(parts, &criteria(request, Places { circle, none_of, ..Places::default() }));
    }
    let everything = Criteria::default();
    let mut best = Best::new(if *take == 0 { 0 } else { skip.saturating_add(*take) });
    for (_, _, part, row) in &alike.kept {
        Ranking::new(&parts[*part].segment, &everything, order).offer_row(*part, *row, &mut best);
    }
    let hits = best.sorted().into_iter().skip(*skip).take(*take);
    SearchResult {
        total: alike.kept.len(),
        hits: hits.map(|ranked| parts[ranked.part].segment.hit(ranked.row)).collect(),
    }
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
        let span = KeyRange { least: Some(Key::timestamp(*from)), most: None };
        conditions.push(Condition { attribute: PropertyAttribute::CreatedAt, predicate: Predicate::Within(span) });
    }
    Criteria {
        property: conditions,
        places,
        excluded_properties: BTreeSet::from([*property]),
        ..Criteria::default()
    }
}

/// Those with the least penalty so far.
struct Alike<'a> {
    profile: &'a SimilarityProfile,
    /// The least alike on top.
    kept: BinaryHeap<(Penalty, PropertyId, usize, usize)>,
}

impl Alike<'_> {
    fn gather(&mut self, parts: &[SegmentReader], criteria: &Criteria) {
        let wanted = Wanted::new(criteria);
        for (place, part) in parts.iter().enumerate() {
            for within in transactions(&part.segment, criteria) {
                let Some(segment_query) = SegmentQuery::new(&part.segment, &part.live_docs, &wanted, within)
                else {
                    continue;
                };
                for row in segment_query.matched().rows() {
                    if let Some(penalty) = self.profile.penalty(&profile(self.profile, &part.segment, row)) {
                        self.offer((penalty, part.segment.id(row), place, row));
                    }
                }
            }
        }
    }

    fn offer(&mut self, candidate: (Penalty, PropertyId, usize, usize)) {
        if self.kept.len() < SIMILAR_MAX {
            self.kept.push(candidate);
        } else if let Some(mut worst) = self.kept.peek_mut()
            && (candidate.0, candidate.1) < (worst.0, worst.1)
        {
            *worst = candidate;
        }
    }

    /// How far away something may be and still get in.
    fn reach_km(&self) -> f64 {
        match self.kept.peek() {
            Some((penalty, ..)) if self.kept.len() == SIMILAR_MAX => penalty.reach_km().min(NEAR_KM),
            _ => NEAR_KM,
        }
    }
}

/// What a row is compared by; it is of the same transaction and type.
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
