//! Market indicators: prices over time.

use std::sync::LazyLock;

use app::access::Caller;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use http::StatusCode;
use wire::hydra::{Collection, SearchTemplate};
use wire::indicator::{PricePerMeterBody, parse_interval};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::searching::read_filters;

static SEARCH: LazyLock<SearchTemplate> = LazyLock::new(|| {
    SearchTemplate::new(PricePerMeterBody::PATH, search_parameters(OperationId::PricePerMeter))
});

/// `GET /indicators/price_per_meter`
pub async fn price_per_meter(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let searcher = shared.app.search_session(caller.user.id).await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, searcher.sites(), &mut parameters).criteria;
    let interval = parse_interval(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let indicator = searcher.price_per_meter(criteria, interval).await?;
    // A collection with one member, because existing clients read it as one. There are no pages.
    let member = vec![PricePerMeterBody::of(&indicator)];
    let (resource, path) = (PricePerMeterBody::RESOURCE, PricePerMeterBody::PATH);
    let collection = Collection::with_search(resource, path, member, 1, None, &*SEARCH);
    Ok(ignored.on(json(StatusCode::OK, &collection)))
}
