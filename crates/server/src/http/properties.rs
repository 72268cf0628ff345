//! Collections of property documents: search results, and similar properties.

use std::sync::LazyLock;

use app::access::Caller;
use app::search::DocumentPage;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::attribute::PropertyView;
use domain::{PropertyId, SimilarityProfile};
use engine::{SearchRequest, SimilarRequest};
use http::Uri;
use serde_json::value::RawValue;
use wire::filters;
use wire::hydra::{Collection, Paging, SearchTemplate, View};

use super::Shared;
use super::documents::existing;
use super::error::Problem;
use super::metering;
use super::parameters::QueryText;
use super::path::PathId;
use super::searching::{read_filters, with_context};

const PATH: &str = "/documents/properties";
const RESOURCE: &str = "PropertyDocument";
const ITEMS_DEFAULT: u64 = 10;

/// The search template of the collection. Serialised once, because it has a hundred parameters and is part of every page.
static SEARCH: LazyLock<Option<Box<RawValue>>> = LazyLock::new(|| {
    let template = SearchTemplate::new(PATH, search_parameters(OperationId::ListProperties));
    serde_json::value::to_raw_value(&template).ok()
});

/// `GET /documents/properties`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let mut parameters = query.parameters();
    let finished = read_filters(&shared, searcher.sites(), &mut parameters);
    let order = filters::parse_order(&mut parameters, &finished);
    let paging = Paging::parse(&mut parameters, ITEMS_DEFAULT);
    let noted = query.finish(parameters, &filters::order_names())?;

    let (skip, take) = paging.skip_and_take();
    let request = SearchRequest { criteria: finished.criteria, order, skip, take };
    let DocumentPage { total, documents } = searcher.search(request).await?;
    let member: Vec<&RawValue> = documents.iter().map(|document| &**document).collect();
    let links = View::new(PATH, &query.raw, paging, total);
    let page = Collection::with_search(RESOURCE, PATH, member, total, links, &*SEARCH);
    Ok(noted.on(metering::page(&page)))
}

/// `GET /documents/properties/{id}/similar-properties`
pub async fn similar(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PropertyId>,
    uri: Uri,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let property = existing(&shared, id, wire::iri::similar_properties, uri.query()).await?;
    let profile = PropertyView::new(&property)
        .map(|facts| SimilarityProfile::new(&facts))
        .ok_or_else(Problem::not_found)?;
    let mut parameters = query.parameters();
    let similar = with_context(&shared, searcher.sites(), |context| {
        filters::parse_similar(&mut parameters, context, profile.point)
    });
    let paging = Paging::parse(&mut parameters, ITEMS_DEFAULT);
    let noted = query.finish(parameters, &filters::order_names())?;

    let (skip, take) = paging.skip_and_take();
    let filters::Similar { created_from, order } = similar;
    let request = SimilarRequest { property: id, profile, created_from, order, skip, take };
    let DocumentPage { total, documents } = searcher.similar(request).await?;
    let member: Vec<&RawValue> = documents.iter().map(|document| &**document).collect();
    let path = wire::iri::similar_properties(id);
    let links = View::new(&path, &query.raw, paging, total);
    let page = Collection::new(
        RESOURCE,
        path,
        member,
        total,
        links,
        search_parameters(OperationId::SimilarProperties),
    );
    Ok(noted.on(metering::page(&page)))
}
