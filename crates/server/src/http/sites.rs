//! Sites and their categories: readable with any key of scope `read`, writable with scope `admin`.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use description::OperationId;
use description::operations::search_parameters;
use domain::criteria::Direction;
use domain::fold::fold;
use domain::{Site, SiteCategory, SiteCategoryId, SiteId};
use http::{HeaderValue, StatusCode, header};
use store::{PutSite, RenameOutcome};
use wire::hydra::{Collection, Paging, View};
use wire::query::Parameters;
use wire::site::{self, SiteCategoryResource, SiteChange, SiteResource};

use super::Shared;
use super::body;
use super::error::{Problem, json};
use super::metering;
use super::parameters::QueryText;
use super::path::PathId;

/// `GET /sites`
pub async fn list(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let name = parameters.last("name").unwrap_or_default();
    let categories = parameters.list("category");
    let direction = direction(&mut parameters);
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;

    let directory = shared.app.sites().await?;
    // An unknown category has no sites.
    let category_ids: Vec<SiteCategoryId> =
        categories.iter().filter_map(|text| site::parse_category_parameter(text, &directory)?).collect();
    let fits = |site: &&Site| {
        categories.is_empty() || site.category.is_some_and(|category| category_ids.contains(&category))
    };
    let mut found: Vec<&Site> = directory.sites_like(name).filter(fits).collect();
    sort(&mut found, direction, |site| (fold(site.label()), site.id));
    let total = found.len() as u64;
    let members = paging.of(found.into_iter().map(|site| SiteResource::of(site, &directory)));
    let view = View::new("/sites", &query.raw, paging, total);
    let page = Collection::new("Site", "/sites", members, total, view, search_parameters(OperationId::Sites));
    Ok(ignored.on(metering::page(&page)))
}

/// `GET /sites/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<SiteId>) -> Result<Response, Problem> {
    let directory = shared.app.sites().await?;
    let site = directory.site(id).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &SiteResource::of(site, &directory).with_context()))
}

/// `PUT /sites/{id}`
pub async fn change(
    State(shared): State<Shared>,
    PathId(id): PathId<SiteId>,
    request: Request,
) -> Result<Response, Problem> {
    let directory = shared.app.sites().await?;
    let site = directory.site(id).ok_or_else(Problem::not_found)?;
    let body = body::json(&shared, OperationId::ChangeSite, request).await?;
    let SiteChange { name, category } =
        site::parse_site_change(&body, &directory).map_err(|violations| Problem::violations(&violations))?;
    let new_category = category.value().copied().flatten();
    let written = shared.app.put_site(PutSite { key: site.key.clone(), name, category }).await?;
    match (written, new_category) {
        (Some(site), _) => {
            let directory = shared.app.sites().await?;
            Ok(json(StatusCode::OK, &SiteResource::of(&site, &directory).with_context()))
        }
        // The category was deleted after the directory was read.
        (None, Some(category)) => Err(Problem::violations(&[site::category_not_found(category)])),
        (None, None) => Err(Problem::not_found()),
    }
}

/// `GET /site_categories`
pub async fn categories(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let name = fold(parameters.last("name").unwrap_or_default());
    let direction = direction(&mut parameters);
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &["name"])?;

    let directory = shared.app.sites().await?;
    let fits = |category: &&SiteCategory| category.name.comparison_key().contains(&name);
    let mut found: Vec<&SiteCategory> = directory.categories().iter().filter(fits).collect();
    sort(&mut found, direction, |category| (category.name.comparison_key(), category.id));
    let total = found.len() as u64;
    let members = paging.of(found.into_iter().map(SiteCategoryResource::of));
    let view = View::new("/site_categories", &query.raw, paging, total);
    let page = Collection::new(
        "SiteCategory",
        "/site_categories",
        members,
        total,
        view,
        search_parameters(OperationId::SiteCategories),
    );
    Ok(ignored.on(metering::page(&page)))
}

/// `GET /site_categories/{id}`
pub async fn category(
    State(shared): State<Shared>,
    PathId(id): PathId<SiteCategoryId>,
) -> Result<Response, Problem> {
    let directory = shared.app.sites().await?;
    let category = directory.category(id).ok_or_else(Problem::not_found)?;
    Ok(json(StatusCode::OK, &SiteCategoryResource::of(category).with_context()))
}

/// `POST /site_categories`
pub async fn create_category(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::CreateSiteCategory, request).await?;
    let name = site::parse_category(&body).map_err(|violations| Problem::violations(&violations))?;
    let Some(category) = shared.app.create_site_category(name).await? else {
        return Err(Problem::violations(&[site::category_name_taken()]));
    };
    let mut response = json(StatusCode::CREATED, &SiteCategoryResource::of(&category).with_context());
    if let Ok(location) = HeaderValue::from_str(&wire::iri::site_category(category.id)) {
        response.headers_mut().insert(header::LOCATION, location.clone());
        response.headers_mut().insert(header::CONTENT_LOCATION, location);
    }
    Ok(response)
}

/// `PUT /site_categories/{id}`
pub async fn rename_category(
    State(shared): State<Shared>,
    PathId(id): PathId<SiteCategoryId>,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::RenameSiteCategory, request).await?;
    let name = site::parse_category(&body).map_err(|violations| Problem::violations(&violations))?;
    match shared.app.rename_site_category(id, name.clone()).await? {
        RenameOutcome::Renamed => {
            Ok(json(StatusCode::OK, &SiteCategoryResource::of(&SiteCategory { id, name }).with_context()))
        }
        RenameOutcome::NotFound => Err(Problem::not_found()),
        RenameOutcome::NameTaken => Err(Problem::violations(&[site::category_name_taken()])),
    }
}

/// `DELETE /site_categories/{id}`
pub async fn delete_category(
    State(shared): State<Shared>,
    PathId(id): PathId<SiteCategoryId>,
) -> Result<Response, Problem> {
    if !shared.app.delete_site_category(id).await? {
        return Err(Problem::not_found());
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns the sort direction by name; ascending by default.
fn direction(parameters: &mut Parameters<'_>) -> Direction {
    parameters.order(&[("name", ())]).first().map_or(Direction::Ascending, |(_, direction)| *direction)
}

/// Sorts by `key`, which must end with the id: ties would make pages overlap.
fn sort<T, K: Ord>(found: &mut [T], direction: Direction, key: impl Fn(&T) -> K) {
    found.sort_by_cached_key(key);
    if direction == Direction::Descending {
        found.reverse();
    }
}
