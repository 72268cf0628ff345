//! Saved searches: what their owners wait for. Somebody else's search is not there.

use std::sync::Arc;

use app::App;
use app::access::Caller;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use domain::search::SearchDraft;
use domain::{Criteria, Endpoint, Insee, RawCriteria, SearchId, SiteDirectory, Violation};
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;
use serde_json::value::RawValue;
use store::{SearchList, StoredSearch};
use wire::hydra::{Collection, Paging, Parameter, View};
use wire::search::{ParseContext, Places, Purpose, Read, SearchParts};

use super::Shared;
use super::body;
use super::error::{Problem, json};
use super::parameters::{Noted, QueryText};
use super::path::PathId;

const PATH: &str = "/searches";

const PARAMETERS: &[Parameter] = &[
    Parameter::new("notificationEnabled", "notificationEnabled"),
    Parameter::new("order[title]", "title"),
    Parameter::new("page", "page"),
    Parameter::new("title", "title"),
    Parameter::new("itemsPerPage", "itemsPerPage"),
];

/// How often a change is made anew when somebody else changes the same search at the same time.
const ATTEMPTS: usize = 5;

/// `GET /searches`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let enabled = parameters.flag("notificationEnabled");
    let title = parameters.one("title").map(str::to_owned);
    let by_title = parameters.order(&[("title", ())]).first().map(|(_, direction)| *direction);
    let paging = Paging::read(&mut parameters, Paging::ITEMS_MAX);
    let noted = query.finish(parameters, &["title"])?;

    let (skip, take) = paging.skip_and_take();
    let owner = caller.user.id;
    let asked = SearchList { owner, title, enabled, by_title, skip: skip as u64, take: take as u64 };
    let page = shared.app.searches_of(asked).await?;
    let writer = Writer::new(&shared).await?;
    let members: Vec<Box<RawValue>> =
        page.searches.iter().map(|stored| writer.write(stored)).collect::<Result<_, _>>()?;
    let view = View::new(PATH, &query.raw, paging, page.total);
    let page = Collection::new("Search", PATH, members, page.total, view, PARAMETERS);
    Ok(noted.on(json(StatusCode::OK, &page)))
}

/// `POST /searches`
pub async fn create(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let body = body::json(request, shared.config.limits.body_bytes_max).await?;
    let sites = shared.app.sites().await?;
    let (draft, noted) = read(&shared, &sites, &query, &body, Purpose::Create)?;
    let limit = shared.config.limits.searches_per_user;
    let Some(stored) = shared.app.create_search(caller.user.id, draft, limit).await? else {
        let message = format!("There may be {limit} searches of one user at most, and you have as many.");
        return Err(Problem::violations(&[Violation::too_many("", message)]));
    };
    let mut response = json(StatusCode::CREATED, &Writer::new(&shared).await?.write(&stored)?);
    if let Ok(location) = HeaderValue::from_str(&wire::iri::search(stored.search.id)) {
        response.headers_mut().insert(header::LOCATION, location.clone());
        response.headers_mut().insert(header::CONTENT_LOCATION, location);
    }
    Ok(noted.on(response))
}

/// `GET /searches/{id}`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<SearchId>,
) -> Result<Response, Problem> {
    let stored = of_caller(&shared, &caller, id).await?;
    Ok(json(StatusCode::OK, &Writer::new(&shared).await?.write(&stored)?))
}

/// `PUT /searches/{id}`
pub async fn update(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<SearchId>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    // Before the body is read: nobody sends megabytes to a search that is not theirs.
    of_caller(&shared, &caller, id).await?;
    let body = body::json(request, shared.config.limits.body_bytes_max).await?;
    let sites = shared.app.sites().await?;
    for _ in 0..ATTEMPTS {
        // What is absent keeps its value as it is now, not as it was before somebody else changed it.
        let known = of_caller(&shared, &caller, id).await?;
        let (draft, noted) = read(&shared, &sites, &query, &body, Purpose::Update(&known.search.draft))?;
        if let Some(stored) = shared.app.update_search(&known, draft).await? {
            return Ok(noted.on(json(StatusCode::OK, &Writer::new(&shared).await?.write(&stored)?)));
        }
    }
    Err(Problem::new(StatusCode::CONFLICT, "This search is being changed by others; try again."))
}

/// `DELETE /searches/{id}`
pub async fn delete(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<SearchId>,
) -> Result<Response, Problem> {
    if !shared.app.delete_search(caller.user.id, id).await? {
        return Err(Problem::not_found());
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// A search of whoever is calling.
pub async fn of_caller(shared: &Shared, caller: &Caller, id: SearchId) -> Result<StoredSearch, Problem> {
    shared.app.search_of(caller.user.id, id).await?.ok_or_else(Problem::not_found)
}

/// Reads a body, or says everything that is wrong with it; and what of it means nothing.
pub fn read(
    shared: &Shared,
    sites: &SiteDirectory,
    query: &QueryText,
    body: &Value,
    purpose: Purpose<'_>,
) -> Result<(SearchDraft, Noted), Problem> {
    let Read { draft, ignored } = shared.app.with_references(sites, |references| {
        with_places(&shared.app, |places| {
            let judge = |endpoint: &Endpoint| judged(&shared.app, endpoint);
            wire::search::read(
                body,
                purpose,
                &ParseContext { references: *references, places, judge: &judge },
            )
        })
    });
    query.finish_body(draft, ignored)
}

/// Why nothing is ever sent to an address, if that is so. Where nothing is sent at all, nobody can tell.
fn judged(app: &App, endpoint: &Endpoint) -> Result<(), String> {
    let Some(transport) = app.transport() else { return Ok(()) };
    transport.check_endpoint(endpoint).map(|_host| ()).map_err(|refused| refused.to_string())
}

/// What a search asks for today. What was saved was checked, but what it is made of may have changed its rules since.
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

/// What it takes to write searches.
struct Writer<'a> {
    shared: &'a Shared,
    sites: Arc<SiteDirectory>,
}

impl<'a> Writer<'a> {
    /// With the sites as they are now.
    async fn new(shared: &'a Shared) -> Result<Self, app::Error> {
        Ok(Self { shared, sites: shared.app.sites().await? })
    }

    fn write(&self, stored: &StoredSearch) -> Result<Box<RawValue>, Problem> {
        let StoredSearch { number: _, version: _, search, last_alert_at } = stored;
        let (sites, zone) = (&*self.sites, &self.shared.config.time_zone);
        let written = with_places(&self.shared.app, |places| {
            let parts = SearchParts { search, last_alert_at: *last_alert_at, places, sites, zone };
            serde_json::value::to_raw_value(&wire::search::search(parts))
        });
        written.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a search could not be written");
            Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "The search could not be shown.")
        })
    }
}
