//! Property documents.

use app::App;
use axum::extract::{RawQuery, State};
use axum::response::Response;
use domain::{Property, PropertyId, SiteKey, WebAddress};
use http::StatusCode;
use jiff::tz::TimeZone;
use wire::document::{DocumentParts, property_document};

use super::Shared;
use super::error::{Problem, json};
use super::path::PathId;

/// `GET /documents/properties/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<PropertyId>) -> Result<Response, Problem> {
    let property = shared.app.property(id).await?.ok_or_else(Problem::not_found)?;
    present(&shared.app, &property, &shared.config.time_zone).await
}

/// `GET /documents/properties/by-url?url=…`
pub async fn by_url(State(shared): State<Shared>, RawQuery(query): RawQuery) -> Result<Response, Problem> {
    let query = query.unwrap_or_default();
    let mut urls = url_parameters(&query);
    let text = urls.next().ok_or_else(|| Problem::bad_request("The parameter \"url\" is required."))?;
    let url = WebAddress::parse(&text)
        .map_err(|error| Problem::bad_request(format!("The parameter \"url\" is \"{text}\": {error}")))?;
    let property = shared.app.property_by_url(&url).await?.ok_or_else(Problem::not_found)?;
    present(&shared.app, &property, &shared.config.time_zone).await
}

async fn present(app: &App, property: &Property, zone: &TimeZone) -> Result<Response, Problem> {
    let derived = property.derive().ok_or_else(Problem::not_found)?;
    let sites = app.sites().await?;
    let category_of = |site: &SiteKey| sites.category_of(site).map(|category| category.name.to_string());
    let parts = DocumentParts {
        property,
        derived,
        city: None,
        stations: Vec::new(),
        zone,
        category_of: &category_of,
    };
    Ok(json(StatusCode::OK, &property_document(&parts)))
}

fn url_parameters(query: &str) -> impl Iterator<Item = String> {
    form_pairs(query).filter(|(name, _)| name == "url").map(|(_, value)| value)
}

/// The pairs of a query string, decoded.
fn form_pairs(query: &str) -> impl Iterator<Item = (String, String)> {
    query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decode(name), decode(value))
    })
}

fn decode(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned()
}
