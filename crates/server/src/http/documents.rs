//! Property documents.

use app::App;
use axum::extract::State;
use axum::response::Response;
use domain::{Property, PropertyId, SiteKey, WebAddress};
use http::StatusCode;
use jiff::tz::TimeZone;
use wire::document::{DocumentParts, property_document};

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// `GET /documents/properties/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<PropertyId>) -> Result<Response, Problem> {
    let property = shared.app.property(id).await?.ok_or_else(Problem::not_found)?;
    present(&shared.app, &property, &shared.config.time_zone).await
}

/// `GET /documents/properties/by-url?url=…`
pub async fn by_url(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let text = parameters.one("url").map(str::to_owned);
    let noted = query.finish(parameters, &[])?;
    let text = text.ok_or_else(|| Problem::bad_request("The parameter \"url\" is required."))?;
    let url = WebAddress::parse(&text)
        .map_err(|error| Problem::bad_request(format!("The parameter \"url\" is \"{text}\": {error}")))?;
    let property = shared.app.property_by_url(&url).await?.ok_or_else(Problem::not_found)?;
    Ok(noted.on(present(&shared.app, &property, &shared.config.time_zone).await?))
}

async fn present(app: &App, property: &Property, zone: &TimeZone) -> Result<Response, Problem> {
    let derived = property.derive().ok_or_else(Problem::not_found)?;
    let (city, stations) = (app.city(&derived), app.stations(property, &derived));
    let sites = app.sites().await?;
    let category_of = |site: &SiteKey| sites.category_of(site).map(|category| category.name.to_string());
    let parts = DocumentParts { property, derived, city, stations, zone, category_of: &category_of };
    Ok(json(StatusCode::OK, &property_document(&parts)))
}
