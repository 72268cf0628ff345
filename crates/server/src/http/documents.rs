//! Single property documents.

use axum::extract::State;
use axum::response::Response;
use domain::{Property, PropertyId, WebAddress};
use http::StatusCode;

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// `GET /documents/properties/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<PropertyId>) -> Result<Response, Problem> {
    let property = shared.app.property(id).await?.ok_or_else(Problem::not_found)?;
    present(&shared, &property).await
}

/// `GET /documents/properties/by-url?url=…`
pub async fn by_url(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let text = parameters.last("url").map(str::to_owned);
    let ignored = query.finish(parameters, &[])?;
    let text = text.ok_or_else(|| Problem::bad_request("The parameter \"url\" is required."))?;
    let url = WebAddress::parse(&text)
        .map_err(|error| Problem::bad_request(format!("The parameter \"url\" is \"{text}\": {error}")))?;
    let property = shared.app.property_by_url(&url).await?.ok_or_else(Problem::not_found)?;
    Ok(ignored.on(present(&shared, &property).await?))
}

async fn present(shared: &Shared, property: &Property) -> Result<Response, Problem> {
    let renderer = shared.app.document_renderer().await?;
    let document = renderer.render(property).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &document))
}
