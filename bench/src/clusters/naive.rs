//! The naive count: one property after the other, by the definitions of the domain.

use std::collections::BTreeMap;

use domain::map::ClusterGrid;
use domain::{Clusters, MapPosition, Property};
use engine::ClusterRequest;

pub struct NaiveCount<'a> {
    pub request: &'a ClusterRequest,
    grid: ClusterGrid,
    total: usize,
    cells: BTreeMap<usize, usize>,
}

impl<'a> NaiveCount<'a> {
    pub fn new(request: &'a ClusterRequest) -> Self {
        Self { request, grid: ClusterGrid::new(&request.viewport), total: 0, cells: BTreeMap::new() }
    }

    pub fn add(&mut self, property: &Property) {
        let point = property.derive().and_then(|derived| derived.point);
        if let Some(point) = point.filter(|point| self.request.viewport.bounds.contains(*point))
            && self.request.criteria.accepts(property)
        {
            self.total += 1;
            *self.cells.entry(self.grid.cell_of(MapPosition::of(point))).or_default() += 1;
        }
    }

    /// Returns `true` if a result has the same total and the same number of properties in each cell.
    pub fn agrees(&self, found: &Clusters) -> bool {
        let mut cells: BTreeMap<usize, usize> = BTreeMap::new();
        for cell in &found.cells {
            *cells.entry(self.grid.cell_of(cell.position)).or_default() += cell.count;
        }
        for property in &found.properties {
            *cells.entry(self.grid.cell_of(MapPosition::of(property.point))).or_default() += 1;
        }
        found.total == self.total && cells == self.cells
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clusters::viewports;
    use crate::search::dataset::Dataset;
    use crate::search::vigie::Vigie;

    #[test]
    fn small_market_agrees_and_a_missing_property_is_noticed() {
        let dataset = Dataset::new(2_000, 7).unwrap();
        let requests = viewports::whole_country().unwrap();
        let searcher = Vigie::load(dataset.properties()).index().searcher();
        let mut found_any = false;
        for request in &requests {
            let mut count = NaiveCount::new(request);
            dataset.properties().for_each(|property| count.add(&property));
            let found = searcher.clusters(request, &engine::Budget::unlimited()).unwrap();
            assert!(count.agrees(&found), "{request:?}");
            found_any |= found.total > 0;
            let fewer = Clusters { total: found.total + 1, ..found };
            assert!(!count.agrees(&fewer));
        }
        assert!(found_any);
    }
}
