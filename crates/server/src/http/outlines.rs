//! Outlines of cities and departments, as GeoJSON.

use axum::extract::State;
use axum::response::Response;
use domain::Outline;
use http::{HeaderValue, StatusCode, header};
use wire::outline::OutlineFeature;

use super::Shared;
use super::error::{Problem, json};
use super::path::PathId;
use super::places;

/// Media type of an outline, unless the client asked for plain JSON.
pub const GEO_JSON: HeaderValue = HeaderValue::from_static("application/geo+json");

/// `GET /cities/{id}/outline`
pub async fn city(State(shared): State<Shared>, PathId(id): PathId<String>) -> Result<Response, Problem> {
    let city = places::find_city(&shared, &id)?;
    let outline = known(shared.app.places().city_outline(city), &city.name)?;
    Ok(geo_json(&OutlineFeature::of_city(city, &outline)))
}

/// `GET /departments/{id}/outline`
pub async fn department(
    State(shared): State<Shared>,
    PathId(id): PathId<String>,
) -> Result<Response, Problem> {
    let department = places::find_department(&shared, &id)?;
    let outline = known(shared.app.places().department_outline(department), &department.name)?;
    Ok(geo_json(&OutlineFeature::of_department(department, &outline)))
}

fn known(outline: Option<Outline>, name: &str) -> Result<Outline, Problem> {
    let description = || format!("The reference data has no outline of {name}.");
    outline.ok_or_else(|| Problem::new(StatusCode::NOT_FOUND, description()))
}

fn geo_json(feature: &OutlineFeature) -> Response {
    let mut response = json(StatusCode::OK, feature);
    if response.status() == StatusCode::OK {
        response.headers_mut().insert(header::CONTENT_TYPE, GEO_JSON);
    }
    response
}
