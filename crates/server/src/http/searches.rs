//! Saved searches. A search of another user is reported as not found.

use std::sync::Arc;

use app::App;
use app::access::Caller;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use description::OperationId;
use description::operations::search_parameters;
use domain::search::SearchDraft;
use domain::{Criteria, Endpoint, Insee, RawCriteria, SearchRef, SiteDirectory, UserId, Violation};
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;
use serde_json::value::RawValue;
use store::{SearchList, StoredSearch};
use wire::hydra::{Collection, Paging, View};
use wire::query::Parameters;
use wire::search::{ParseContext, ParsedSearch, Places, Purpose, SearchInput};

use super::Shared;
use super::body;
use super::error::{Problem, json};
use super::metering;
use super::parameters::{IgnoredNames, QueryText};
use super::path::PathId;

const PATH: &str = "/searches";

/// Attempts to apply an update while other requests change the same search.
const ATTEMPTS: usize = 5;

/// `GET /searches`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let owner = caller.user.id;
    let (list, paging) = parse_list(&mut parameters, owner);
    let ignored = query.finish(parameters, &["title"])?;

    // Decoding a page of large searches takes a while. The turn is held until they are written.
    let _turn = shared.app.list_turn(owner).await?;
    let page = shared.app.searches_of(list).await?;
    let writer = Writer::new(&shared).await?;
    let members: Vec<Box<RawValue>> =
        page.searches.iter().map(|stored| writer.write(stored, &[])).collect::<Result<_, _>>()?;
    let view = View::new(PATH, &query.raw, paging, page.total);
    let page =
        Collection::new("Search", PATH, members, page.total, view, search_parameters(OperationId::Searches));
    Ok(ignored.on(metering::page(&page)))
}

/// Reads which searches of an owner to list, in which order, and which page of them.
pub fn parse_list(parameters: &mut Parameters<'_>, owner: UserId) -> (SearchList, Paging) {
    let enabled = parameters.flag("notificationEnabled");
    let title = parameters.last("title").map(str::to_owned);
    let by_title = parameters.order(&[("title", ())]).first().map(|(_, direction)| *direction);
    let paging = Paging::parse(parameters, Paging::ITEMS_MAX);
    let (skip, take) = paging.skip_and_take();
    (SearchList { owner, title, enabled, by_title, skip: skip as u64, take: take as u64 }, paging)
}

/// `POST /searches`
pub async fn create(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::CreateSearch, request).await?;
    let sites = shared.app.sites().await?;
    let (draft, ignored) = read(&shared, &sites, &query, &body, Purpose::Create)?;
    let limit = shared.config.limits.searches_per_user;
    let Some(stored) = shared.app.create_search(caller.user.id, draft, limit).await? else {
        let message = format!("Limit of {limit} saved searches reached; delete one to create another.");
        return Err(Problem::violations(&[Violation::too_many("", message)]));
    };
    let mut response =
        json(StatusCode::CREATED, &Writer::new(&shared).await?.write(&stored, ignored.names())?);
    if let Ok(location) = HeaderValue::from_str(&wire::iri::search(stored.search.id)) {
        response.headers_mut().insert(header::LOCATION, location.clone());
        response.headers_mut().insert(header::CONTENT_LOCATION, location);
    }
    Ok(ignored.on(response))
}

/// `GET /searches/{id}`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
) -> Result<Response, Problem> {
    let stored = owned_search(&shared, &caller, name).await?;
    Ok(json(StatusCode::OK, &Writer::new(&shared).await?.write(&stored, &[])?))
}

/// `PUT /searches/{id}`, and `POST` to the same path
pub async fn update(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    // Check ownership before reading a long body.
    let id = owned_search(&shared, &caller, name).await?.search.id;
    let body = body::json(&shared, OperationId::UpdateSearch, request).await?;
    let sites = shared.app.sites().await?;
    for _ in 0..ATTEMPTS {
        // Absent fields keep their current value, so read the search again after a concurrent change.
        let current = owned_search(&shared, &caller, SearchRef::Id(id)).await?;
        let (draft, ignored) = read(&shared, &sites, &query, &body, Purpose::Update(&current.search.draft))?;
        if let Some(stored) = shared.app.update_search(&current, draft).await? {
            let body = Writer::new(&shared).await?.write(&stored, ignored.names())?;
            return Ok(ignored.on(json(StatusCode::OK, &body)));
        }
    }
    Err(Problem::new(StatusCode::CONFLICT, "This search is being changed by other requests; try again."))
}

/// `DELETE /searches/{id}`
pub async fn delete(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
) -> Result<Response, Problem> {
    if !shared.app.delete_search(caller.user.id, name).await? {
        return Err(Problem::not_found());
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// Returns a search of the caller.
pub async fn owned_search(
    shared: &Shared,
    caller: &Caller,
    name: SearchRef,
) -> Result<StoredSearch, Problem> {
    shared.app.search_named(caller.user.id, name).await?.ok_or_else(Problem::not_found)
}

/// Parses the body of a search. Fails with all violations; returns the draft and the names of unknown attributes.
pub fn read(
    shared: &Shared,
    sites: &SiteDirectory,
    query: &QueryText,
    body: &Value,
    purpose: Purpose<'_>,
) -> Result<(SearchDraft, IgnoredNames), Problem> {
    let ParsedSearch { draft, ignored } = shared.app.with_references(sites, |references| {
        with_places(&shared.app, |places| {
            let check = |endpoint: &Endpoint| check_endpoint(&shared.app, endpoint);
            wire::search::parse(
                body,
                purpose,
                &ParseContext { references: *references, places, check_endpoint: &check },
            )
        })
    });
    query.finish_body(draft, ignored)
}

/// Checks that webhooks may be sent to an endpoint. Accepts every endpoint if this process has no dispatcher.
fn check_endpoint(app: &App, endpoint: &Endpoint) -> Result<(), String> {
    let Some(transport) = app.transport() else { return Ok(()) };
    transport.check_endpoint(endpoint).map(|_host| ()).map_err(|refused| refused.to_string())
}

/// Resolves the criteria of a search. They were valid when saved, but the validation rules may have changed since.
pub fn criteria_of(
    shared: &Shared,
    sites: &SiteDirectory,
    raw_criteria: &RawCriteria,
) -> Result<Criteria, Problem> {
    let criteria = shared.app.with_references(sites, |references| raw_criteria.criteria(references));
    criteria.map_err(|violations| Problem::violations(&violations))
}

pub fn with_places<T>(app: &App, then: impl FnOnce(Places<'_>) -> T) -> T {
    let city = |id: u64| app.city_with_id(id);
    let commune = |insee: &Insee| app.places().city(insee).cloned();
    let department = |id: u64| app.places().department_by_id(id).cloned();
    then(Places { city: &city, commune: &commune, department: &department })
}

/// Writes searches.
struct Writer<'a> {
    shared: &'a Shared,
    sites: Arc<SiteDirectory>,
}

impl<'a> Writer<'a> {
    /// Uses the current sites.
    async fn new(shared: &'a Shared) -> Result<Self, app::Error> {
        Ok(Self { shared, sites: shared.app.sites().await? })
    }

    /// Writes a search, with the unknown fields of the request.
    fn write(&self, stored: &StoredSearch, ignored: &[String]) -> Result<Box<RawValue>, Problem> {
        let StoredSearch { number: _, version: _, search, last_alert_at } = stored;
        let (sites, zone) = (&*self.sites, &self.shared.config.time_zone);
        let written = with_places(&self.shared.app, |places| {
            let parts = SearchInput { search, last_alert_at: *last_alert_at, places, sites, zone, ignored };
            serde_json::value::to_raw_value(&wire::search::search(parts))
        });
        written.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "failed to serialise a saved search");
            Problem::internal()
        })
    }
}
