//! Explains why a property matches a saved search or not.

use app::access::Caller;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use domain::{Property, SearchRef, SiteDirectory, explain};
use engine::Budget;
use http::StatusCode;
use serde_json::value::RawValue;
use store::StoredSearch;
use wire::explanation::{ExplanationInput, RenderContext};
use wire::iri;

use super::Shared;
use super::documents::existing_or_survivor;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use super::searches::{criteria_of, owned_search, with_places};

/// `GET /searches/{id}/explain?property=…`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
) -> Result<Response, Problem> {
    let search = owned_search(&shared, &caller, name).await?;
    let mut parameters = query.parameters();
    let property = parameters.parse_list("property", "a reference to a property", iri::parse_property).pop();
    let ignored = query.finish(parameters, &[])?;
    let property = property.ok_or_else(|| Problem::bad_request("The parameter \"property\" is required."))?;
    let property = existing_or_survivor(&shared, property).await?;
    let matched = shared.app.is_matched(&search, property.id).await?;
    let sites = shared.app.sites().await?;
    let state = shared.clone();
    // Matching many phrases against long texts takes a while.
    let explain = move |_: &Budget| write(&state, &search, &property, matched, &sites);
    let explanation = shared.app.compute(caller.user.id, explain).await??;
    Ok(ignored.on(json(StatusCode::OK, &explanation)))
}

fn write(
    shared: &Shared,
    search: &StoredSearch,
    property: &Property,
    matched: bool,
    sites: &SiteDirectory,
) -> Result<Box<RawValue>, Problem> {
    let raw_criteria = &search.search.draft.raw_criteria;
    let criteria = criteria_of(shared, sites, raw_criteria)?;
    let explanation = explain(&criteria, property).ok_or_else(Problem::not_found)?;
    let written = with_places(&shared.app, |places| {
        let context = RenderContext { places, sites, zone: &shared.config.time_zone };
        serde_json::value::to_raw_value(&wire::explanation::explanation(&ExplanationInput {
            search: search.search.id,
            property: property.id,
            explanation: &explanation,
            matched,
            raw_criteria,
            context: &context,
        }))
    });
    written.map_err(|error| {
        tracing::error!(error = &error as &dyn std::error::Error, "failed to serialise an explanation");
        Problem::internal()
    })
}
