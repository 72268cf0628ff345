//! Market indicators: prices over time.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use wire::indicator::{PricePerMeterBody, read_interval};

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
    let interval = read_interval(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let zone = shared.config.time_zone.clone();
    let compute = move || app::indicators::price_per_meter(&view, &criteria, interval, &zone);
    Ok(ignored.on(json(StatusCode::OK, &PricePerMeterBody::of(&computed(&shared, compute).await?))))
}
