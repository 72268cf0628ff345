//! What a map of the market shows: clusters and histograms of the properties that match criteria.

use domain::{Clusters, Criteria, FacetField, Facets, Viewport};
use engine::{ClusterRequest, FacetRequest};

use crate::Error;
use crate::search::SearchSession;

impl SearchSession {
    /// Counts the properties of a viewport by cell.
    pub async fn clusters(&self, criteria: &Criteria, viewport: Viewport) -> Result<Clusters, Error> {
        let request =
            ClusterRequest { criteria: criteria.clone(), viewport, listed_max: viewport.listed_max() };
        self.run(criteria, move |searcher, budget| searcher.clusters(&request, budget)).await
    }

    /// Counts the properties by the values of some fields.
    pub async fn facets(&self, criteria: &Criteria, fields: Vec<FacetField>) -> Result<Facets, Error> {
        let request = FacetRequest { criteria: criteria.clone(), fields };
        self.run(criteria, move |searcher, budget| searcher.facets(&request, budget)).await
    }
}
