//! Single property documents.

use axum::extract::State;
use axum::response::Response;
use domain::{Property, PropertyId, WebAddress};
use http::{HeaderValue, StatusCode, header};
use wire::iri;

use super::Shared;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;

/// `GET /documents/properties/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<PropertyId>) -> Result<Response, Problem> {
    let property = existing(&shared, id, iri::property_document, None).await?;
    present(&shared, &property).await
}

/// `GET /properties/{id}`: the id of a property in documents and matches. Leads to its document.
pub async fn redirect(
    State(shared): State<Shared>,
    PathId(id): PathId<PropertyId>,
) -> Result<Response, Problem> {
    existing(&shared, id, iri::property_document, None).await?;
    let path = iri::property_document(id);
    let problem = Problem::new(StatusCode::MOVED_PERMANENTLY, format!("The document is at {path}."));
    let location = HeaderValue::from_str(&path).map_err(|_| Problem::not_found())?;
    Err(problem.with(header::LOCATION, location))
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

/// Returns a property that a path names. If it was merged into another one, the error is a permanent redirect to `path` of that one,
/// with the same query: links to a property work for ever.
pub async fn existing(
    shared: &Shared,
    id: PropertyId,
    path: impl Fn(PropertyId) -> String,
    query: Option<&str>,
) -> Result<Property, Problem> {
    if let Some(property) = shared.app.property(id).await? {
        return Ok(property);
    }
    // Every client that follows redirects knows 301. It may turn a POST into a GET, but these are GET requests.
    Err(moved_or_missing(shared, id, StatusCode::MOVED_PERMANENTLY, path, query).await)
}

/// Returns a property that a parameter names, or the one that it was merged into: matches keep the id from before the merge.
pub async fn existing_or_survivor(shared: &Shared, id: PropertyId) -> Result<Property, Problem> {
    if let Some(property) = shared.app.property(id).await? {
        return Ok(property);
    }
    let survivor = shared.app.surviving_property(id).await?.ok_or_else(Problem::not_found)?;
    shared.app.property(survivor).await?.ok_or_else(Problem::not_found)
}

/// Returns the response for a property that does not exist: a redirect if it was merged into another one, otherwise 404.
pub async fn moved_or_missing(
    shared: &Shared,
    id: PropertyId,
    redirect: StatusCode,
    path: impl Fn(PropertyId) -> String,
    query: Option<&str>,
) -> Problem {
    match shared.app.surviving_property(id).await {
        Ok(Some(survivor)) => moved(id, survivor, redirect, &path(survivor), query),
        Ok(None) => Problem::not_found(),
        Err(error) => error.into(),
    }
}

/// Returns a redirect to the property that remains, with a body that a client shows if it follows no redirects.
fn moved(
    id: PropertyId,
    survivor: PropertyId,
    redirect: StatusCode,
    path: &str,
    query: Option<&str>,
) -> Problem {
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    let problem =
        Problem::new(redirect, format!("Property {id} was merged into {}.", iri::property(survivor)));
    match HeaderValue::from_str(&format!("{path}{query}")) {
        Ok(location) => problem.with(header::LOCATION, location),
        Err(_) => Problem::not_found(),
    }
}

async fn present(shared: &Shared, property: &Property) -> Result<Response, Problem> {
    let renderer = shared.app.document_renderer().await?;
    let document = renderer.render(property).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &document))
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::response::IntoResponse;

    #[test]
    fn redirect_keeps_the_query() {
        let (id, survivor) = (PropertyId::from_bytes([1; 16]), PropertyId::from_bytes([2; 16]));
        let location = |path: &str, query: Option<&str>| {
            let response = moved(id, survivor, StatusCode::MOVED_PERMANENTLY, path, query).into_response();
            assert_eq!(response.status(), StatusCode::MOVED_PERMANENTLY);
            response.headers()[header::LOCATION].to_str().unwrap().to_owned()
        };
        let document = iri::property_document(survivor);
        assert_eq!(location(&document, None), "/documents/properties/02020202-0202-0202-0202-020202020202");
        assert_eq!(
            location(&iri::grouping(survivor), Some("adverts%5B%5D=a&adverts[]=b")),
            "/documents/properties/02020202-0202-0202-0202-020202020202/grouping?adverts%5B%5D=a&adverts[]=b"
        );
    }
}
