//! The market on a map: clusters of a viewport, and histograms.

use std::time::Instant;

use app::access::Caller;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use wire::map::{ClustersBody, FacetsBody, parse_facet_fields, parse_viewport};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::searching::read_filters;

/// `GET /documents/properties/clusters`
pub async fn clusters(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, searcher.sites(), &mut parameters).criteria;
    let viewport = parse_viewport(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    // Without a viewport there is a violation.
    let viewport = viewport.ok_or_else(|| Problem::bad_request("The viewport is invalid."))?;
    let started = Instant::now();
    let clusters = searcher.clusters(&criteria, viewport).await?;
    let took_ms = started.elapsed().as_secs_f64() * 1e3;
    Ok(ignored.on(json(StatusCode::OK, &ClustersBody::of(&clusters, took_ms))))
}

/// `GET /documents/properties/facets`
pub async fn facets(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, searcher.sites(), &mut parameters).criteria;
    let fields = parse_facet_fields(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let facets = searcher.facets(&criteria, fields).await?;
    Ok(ignored.on(json(StatusCode::OK, &FacetsBody::of(&facets))))
}
