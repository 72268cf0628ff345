//! The slow and obvious index: all properties in a map, every request answered by looking at each of them.
//!
//! It is what the fast one is tested against, and nothing else. It uses the domain's definitions and no trick.

use std::collections::BTreeMap;

use domain::attribute::PropertyView;
use domain::criteria::Order;
use domain::similarity::SIMILAR_MAX;
use domain::{Criteria, Key, Property, PropertyAttribute, PropertyId, SimilarityProfile};

use crate::request::{Change, Hit, SearchRequest, SearchResult, SequenceNumber, SimilarRequest};

#[derive(Debug, Clone, Default)]
pub struct Scan {
    properties: BTreeMap<PropertyId, (Property, SequenceNumber)>,
}

impl Scan {
    pub fn apply(&mut self, change: Change) {
        match change {
            Change::Put(property, sequence_number) => {
                self.properties.insert(property.id, (property, sequence_number));
            }
            Change::Remove(id) => {
                self.properties.remove(&id);
            }
        }
    }

    pub fn len(&self) -> usize {
        self.properties.len()
    }

    pub fn is_empty(&self) -> bool {
        self.properties.is_empty()
    }

    pub fn search(&self, request: &SearchRequest) -> SearchResult {
        let SearchRequest { criteria, order, skip, take } = request;
        let accepted = self.properties.values().filter(|(property, _)| criteria.accepts(property));
        page(accepted.collect(), criteria, order, *skip, *take)
    }

    pub fn similar(&self, request: &SimilarRequest) -> SearchResult {
        let SimilarRequest { property: own, profile, created_from, order, skip, take } = request;
        let mut alike = Vec::new();
        for (id, kept) in &self.properties {
            let Some(facts) = PropertyView::new(&kept.0) else { continue };
            let derived = &facts.derived;
            if id == own
                || derived.expired_at.is_some()
                || created_from.is_some_and(|from| Key::timestamp(derived.created_at) < Key::timestamp(from))
            {
                continue;
            }
            if PropertyAttribute::CoherentPrice.read(&facts) != Some(Key::flag(true)) {
                continue;
            }
            if let Some(penalty) = profile.penalty(&SimilarityProfile::new(&facts)) {
                alike.push((penalty, *id, kept));
            }
        }
        alike.sort_by_key(|(penalty, id, _)| (*penalty, *id));
        alike.truncate(SIMILAR_MAX);
        let alike = alike.into_iter().map(|(_, _, kept)| kept).collect();
        page(alike, &Criteria::default(), order, *skip, *take)
    }

    /// Every match after an id, in the order of ids.
    pub fn matches_after(&self, criteria: &Criteria, after: Option<PropertyId>, limit: usize) -> Vec<Hit> {
        let matches = self.properties.values().filter(|(property, _)| criteria.accepts(property));
        let later = matches.filter(|(property, _)| after.is_none_or(|after| property.id > after));
        later.take(limit).map(hit).collect()
    }

    /// The values of some attributes of every match, in no particular order.
    pub fn each(
        &self,
        criteria: &Criteria,
        attributes: &[PropertyAttribute],
        mut visit: impl FnMut(&[Option<Key>]),
    ) {
        for (property, _) in self.properties.values().filter(|(property, _)| criteria.accepts(property)) {
            let Some(facts) = PropertyView::new(property) else { continue };
            let values: Vec<_> = attributes.iter().map(|attribute| attribute.read(&facts)).collect();
            visit(&values);
        }
    }
}

fn page(
    mut found: Vec<&(Property, SequenceNumber)>,
    criteria: &Criteria,
    order: &Order,
    skip: usize,
    take: usize,
) -> SearchResult {
    found.sort_by_cached_key(|(property, _)| order.rank(criteria, property));
    SearchResult { total: found.len(), hits: found.into_iter().skip(skip).take(take).map(hit).collect() }
}

fn hit(kept: &(Property, SequenceNumber)) -> Hit {
    Hit { property: kept.0.id, sequence_number: kept.1 }
}
