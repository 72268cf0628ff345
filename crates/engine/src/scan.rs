//! The oracle of the differential tests: all properties in a map, every request answered by a full scan.
//!
//! It is slow and obvious on purpose. It uses the definitions of the domain and no optimization.

use std::collections::BTreeMap;
use std::sync::Arc;

use domain::attribute::PropertyView;
use domain::criteria::Order;
use domain::facet::{Facets, Histogram};
use domain::map::{ClusterCell, ClusterGrid, Clusters, MapPosition, MapProperty};
use domain::similarity::SIMILAR_MAX;
use domain::{Criteria, Key, Property, PropertyAttribute, PropertyId, SimilarityProfile};

use crate::request::{
    Change, ClusterRequest, FacetRequest, Hit, SearchRequest, SearchResult, SequenceNumber, SimilarRequest,
};

/// A property and the sequence number of its last change.
type Indexed = (Arc<Property>, SequenceNumber);

#[derive(Debug, Clone, Default)]
pub struct ScanIndex {
    properties: BTreeMap<PropertyId, Indexed>,
}

impl ScanIndex {
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
        let mut similar = Vec::new();
        for (id, indexed) in &self.properties {
            let Some(view) = PropertyView::new(&indexed.0) else { continue };
            let derived = &view.derived;
            if id == own
                || derived.expired_at.is_some()
                || created_from.is_some_and(|from| Key::timestamp(derived.created_at) < Key::timestamp(from))
            {
                continue;
            }
            if PropertyAttribute::CoherentPrice.read(&view) != Some(Key::flag(true)) {
                continue;
            }
            if let Some(penalty) = profile.penalty(&SimilarityProfile::new(&view)) {
                similar.push((penalty, *id, indexed));
            }
        }
        similar.sort_by_key(|(penalty, id, _)| (*penalty, *id));
        similar.truncate(SIMILAR_MAX);
        let similar = similar.into_iter().map(|(_, _, indexed)| indexed).collect();
        page(similar, &Criteria::default(), order, *skip, *take)
    }

    /// Counts the matches of a viewport by cell.
    pub fn clusters(&self, request: &ClusterRequest) -> Clusters {
        let ClusterRequest { criteria, viewport, listed_max } = request;
        let grid = ClusterGrid::new(viewport);
        let accepted = self.properties.values().filter(|(property, _)| criteria.accepts(property));
        let shown = accepted.filter_map(|(property, _)| map_property(property));
        let inside: Vec<MapProperty> =
            shown.filter(|property| viewport.bounds.contains(property.point)).collect();
        let total = inside.len();
        if total <= *listed_max {
            return Clusters { total, cells: Vec::new(), properties: inside };
        }
        let mut by_cell: BTreeMap<usize, Vec<MapProperty>> = BTreeMap::new();
        for property in inside {
            by_cell.entry(grid.cell_of(MapPosition::of(property.point))).or_default().push(property);
        }
        let mut clusters = Clusters { total, ..Clusters::default() };
        for (cell, members) in by_cell {
            match members.as_slice() {
                [only] => clusters.properties.push(*only),
                several => {
                    let positions = || several.iter().map(|property| MapPosition::of(property.point));
                    let mean = |coordinates: &mut dyn Iterator<Item = u32>| {
                        (coordinates.map(u64::from).sum::<u64>() / several.len() as u64) as u32
                    };
                    let x = mean(&mut positions().map(|position| position.x));
                    let y = mean(&mut positions().map(|position| position.y));
                    let position = MapPosition { x, y };
                    let counted = |bounds| ClusterCell { position, count: several.len(), bounds };
                    clusters.cells.extend(grid.bounds(cell).map(counted));
                }
            }
        }
        clusters.properties.sort_by_key(|property| property.id);
        clusters
    }

    /// Counts the matches by the values of some fields.
    pub fn facets(&self, request: &FacetRequest) -> Facets {
        let FacetRequest { criteria, fields } = request;
        let all = || self.properties.values().map(|(property, _)| &**property);
        let mut facets = Facets {
            total: all().filter(|property| criteria.accepts(property)).count(),
            histograms: Vec::new(),
        };
        for field in fields {
            let (edges, released) = (field.edges(), field.released(criteria));
            let mut histogram = Histogram::empty(edges.len());
            let views = all().filter(|property| released.accepts(property)).filter_map(PropertyView::new);
            for view in views {
                match field.attribute().read(&view).map(Key::as_number) {
                    None => histogram.unknown += 1,
                    Some(value) => {
                        *histogram.slot(edges.iter().filter(|edge| **edge <= value).count()) += 1;
                    }
                }
            }
            facets.histograms.push((*field, histogram));
        }
        facets
    }

    /// Returns the matches after an id, in the order of ids.
    pub fn matches_after(&self, criteria: &Criteria, after: Option<PropertyId>, limit: usize) -> Vec<Hit> {
        let matches = self.properties.values().filter(|(property, _)| criteria.accepts(property));
        let later = matches.filter(|(property, _)| after.is_none_or(|after| property.id > after));
        later.take(limit).map(hit).collect()
    }

    /// Calls `visit` with the values of some attributes of every match, in no particular order.
    pub fn for_each_match(
        &self,
        criteria: &Criteria,
        attributes: &[PropertyAttribute],
        mut visit: impl FnMut(&[Option<Key>]),
    ) {
        for (property, _) in self.properties.values().filter(|(property, _)| criteria.accepts(property)) {
            let Some(view) = PropertyView::new(property) else { continue };
            let values: Vec<_> = attributes.iter().map(|attribute| attribute.read(&view)).collect();
            visit(&values);
        }
    }
}

fn page(
    mut matches: Vec<&Indexed>,
    criteria: &Criteria,
    order: &Order,
    skip: usize,
    take: usize,
) -> SearchResult {
    matches.sort_by_cached_key(|(property, _)| order.rank(criteria, property));
    SearchResult { total: matches.len(), hits: matches.into_iter().skip(skip).take(take).map(hit).collect() }
}

/// Returns a property as a map shows it; `None` if its place is unknown.
fn map_property(property: &Property) -> Option<MapProperty> {
    let view = PropertyView::new(property)?;
    let number = |attribute: PropertyAttribute| attribute.read(&view).map(Key::as_number);
    Some(MapProperty {
        id: property.id,
        point: view.derived.point?,
        is_exact: view.derived.given_point.is_some(),
        price: number(PropertyAttribute::Price),
        price_per_meter: number(PropertyAttribute::PricePerMeter),
        surface: number(PropertyAttribute::Surface),
        rooms: number(PropertyAttribute::Room),
    })
}

fn hit(indexed: &Indexed) -> Hit {
    Hit { property: indexed.0.id, sequence_number: indexed.1 }
}
