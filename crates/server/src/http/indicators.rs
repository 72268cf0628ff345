//! Market indicators: prices over time.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use wire::indicator::{PricePerMeterBody, parse_interval};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::searching::read_filters;

/// `GET /indicators/price_per_meter`
pub async fn price_per_meter(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let searcher = shared.app.search_session().await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, searcher.sites(), &mut parameters).criteria;
    let interval = parse_interval(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let indicator = searcher.price_per_meter(criteria, interval).await?;
    Ok(ignored.on(json(StatusCode::OK, &PricePerMeterBody::of(&indicator))))
}
