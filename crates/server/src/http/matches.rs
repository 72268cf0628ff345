//! Matches of saved searches, with each property as it was when it matched.

use app::access::Caller;
use app::documents::DocumentRenderer;
use app::searches::MatchedProperty;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::{MatchId, SearchRef};
use http::StatusCode;
use serde_json::value::RawValue;
use store::StoredSearch;
use wire::hydra::{Collection, Paging, View};
use wire::matching::{MatchBody, MatchInput};

use super::Shared;
use super::error::{Problem, json};
use super::metering;
use super::parameters::QueryText;
use super::path::PathId;
use super::searches::owned_search;

/// `GET /searches/{id}/matches`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
) -> Result<Response, Problem> {
    let search = owned_search(&shared, &caller, name).await?;
    let mut parameters = query.parameters();
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;

    let (skip, take) = paging.skip_and_take();
    let _turn = shared.app.list_turn(caller.user.id).await?;
    let (total, matches) = shared.app.matches_of(&search, skip as u64, take as u64).await?;
    let renderer = shared.app.document_renderer().await?;
    let members: Vec<Box<RawValue>> =
        matches.into_iter().filter_map(|matched| write(&shared, &renderer, &search, matched)).collect();
    let path = wire::iri::matches_of(search.search.id);
    let view = View::new(&path, &query.raw, paging, total);
    let page =
        Collection::new("Match", path, members, total, view, search_parameters(OperationId::SearchMatches));
    Ok(ignored.on(metering::page(&page)))
}

/// `GET /matches/{id}`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<MatchId>,
) -> Result<Response, Problem> {
    let stored = shared.app.match_of(caller.user.id, id).await?;
    let (search, matched) = stored.ok_or_else(Problem::not_found)?;
    let renderer = shared.app.document_renderer().await?;
    let body = write(&shared, &renderer, &search, matched).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &body))
}

fn write(
    shared: &Shared,
    renderer: &DocumentRenderer,
    search: &StoredSearch,
    matched: MatchedProperty,
) -> Option<Box<RawValue>> {
    let MatchedProperty { row, property } = matched;
    let hide_contact = search.search.draft.alerts.hide_contact;
    let property = if hide_contact { property.without_contacts() } else { property };
    let document = renderer.render(&property)?;
    let parts = MatchInput {
        id: row.id,
        property: row.property,
        search: search.search.id,
        at: row.at,
        document: &document,
        zone: &shared.config.time_zone,
    };
    serde_json::value::to_raw_value(&MatchBody::of(&parts)).ok()
}
