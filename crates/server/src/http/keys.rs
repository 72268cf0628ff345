//! API keys, for operators with scope `admin`.

use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use description::OperationId;
use description::operations::search_parameters;
use domain::KeyId;
use http::{HeaderValue, StatusCode, header};
use jiff::tz::TimeZone;
use store::Key;
use wire::hydra::{Collection, Paging, View};
use wire::key::{self, KeyDraft, KeyInput, KeyResource};

use super::error::{Problem, json};
use super::metering;
use super::parameters::QueryText;
use super::path::PathId;
use super::{Shared, body};

const PATH: &str = "/keys";

/// `GET /keys`
pub async fn list(State(shared): State<Shared>, query: QueryText) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let user = parameters.last("user");
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;

    let mut keys = shared.app.keys().await?;
    keys.retain(|key| user.is_none_or(|user| key.user.name == user));
    let total = keys.len() as u64;
    let zone = &shared.config.time_zone;
    let members = paging.of(keys.iter().map(|key| resource(key, zone)));
    let view = View::new(PATH, &query.raw, paging, total);
    let page = Collection::new("Key", PATH, members, total, view, search_parameters(OperationId::Keys));
    Ok(ignored.on(metering::page(&page)))
}

/// `POST /keys`: the response is the only one that contains the complete key.
pub async fn create(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    let body = body::json(&shared, OperationId::CreateKey, request).await?;
    let zone = &shared.config.time_zone;
    let draft = key::parse_key_draft(&body, zone, shared.app.clock().now());
    let KeyDraft { user, scopes, settings } = draft.map_err(|violations| Problem::violations(&violations))?;
    let (key, text) = shared.app.create_key_with(&user, scopes, settings).await?;
    tracing::info!(created = key.id.as_str(), scopes = %key.scopes, "API key created");
    let body = resource(&key, zone).with_context().with_text(text.reveal());
    let mut response = json(StatusCode::CREATED, &body);
    if let Ok(location) = HeaderValue::from_str(&wire::iri::key(&key.id)) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// `GET /keys/{id}`
pub async fn one(State(shared): State<Shared>, PathId(id): PathId<KeyId>) -> Result<Response, Problem> {
    let key = shared.app.key(id).await?.ok_or_else(Problem::not_found)?;
    Ok(present(&shared, &key))
}

/// `PUT /keys/{id}`: changes label, expiry and limit.
pub async fn change(
    State(shared): State<Shared>,
    PathId(id): PathId<KeyId>,
    request: Request,
) -> Result<Response, Problem> {
    let current = shared.app.key(id.clone()).await?.ok_or_else(Problem::not_found)?;
    let body = body::json(&shared, OperationId::ChangeKey, request).await?;
    let zone = &shared.config.time_zone;
    let settings = key::parse_key_change(&body, zone, &current.settings, current.scopes);
    let settings = settings.map_err(|violations| Problem::violations(&violations))?;
    let changed = shared.app.change_key(id, settings).await?.ok_or_else(Problem::not_found)?;
    tracing::info!(changed = changed.id.as_str(), "API key changed");
    Ok(present(&shared, &changed))
}

/// `DELETE /keys/{id}`: revokes the key. It stays in the list, with the date.
pub async fn revoke(State(shared): State<Shared>, PathId(id): PathId<KeyId>) -> Result<Response, Problem> {
    if !shared.app.revoke_key(id.clone()).await? {
        return Err(Problem::not_found());
    }
    tracing::info!(revoked = id.as_str(), "API key revoked");
    Ok(StatusCode::NO_CONTENT.into_response())
}

fn present(shared: &Shared, key: &Key) -> Response {
    json(StatusCode::OK, &resource(key, &shared.config.time_zone).with_context())
}

fn resource(key: &Key, zone: &TimeZone) -> KeyResource {
    let Key { id, secret_hash: _, user, scopes, settings, created_at, revoked_at, last_used_at } = key;
    KeyResource::of(&KeyInput {
        id,
        user: &user.name,
        scopes: *scopes,
        settings,
        created_at: *created_at,
        revoked_at: *revoked_at,
        last_used_at: *last_used_at,
        zone,
    })
}
