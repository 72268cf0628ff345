//! What the market costs.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use wire::indicator::{PricePerMeterBody, parse_interval};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::searching::{computed, read_filters};

/// `GET /indicators/price_per_meter`
pub async fn price_per_meter(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let view = shared.app.view()?;
    let sites = shared.app.sites_for_search().await?;
    let mut parameters = query.parameters();
    let criteria = read_filters(&shared, &sites, &mut parameters).criteria;
    let interval = parse_interval(&mut parameters);
    let noted = query.finish(parameters, &[])?;
    let zone = shared.config.time_zone.clone();
    let work = move || app::indicators::price_per_meter(&view, &criteria, interval, &zone);
    Ok(noted.on(json(StatusCode::OK, &PricePerMeterBody::of(&computed(&shared, work).await?))))
}
