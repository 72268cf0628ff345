//! Deliveries: list and inspect them, and send them again.

use std::collections::BTreeSet;

use app::App;
use app::access::Caller;
use app::deliveries::Replayed;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::{
    CancelReason, DeliveryChannel, DeliveryId, DeliveryState, SearchNumber, SearchRef, Timestamp, Violation,
};
use http::StatusCode;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use store::{Attempt, DeliveryList, DeliveryPage, DeliveryRow, Notification, StateKind};
use wire::delivery::{
    AttemptInput, DeliveryBody, DeliveryInput, DeliveryWithAttempts, Replay, ReplayCountBody, ReplayedBody,
};
use wire::hydra::{Collection, Paging, View};
use wire::query::Parameters;
use wire::{date, iri, names};

use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use super::searches::owned_search;
use super::{Shared, body, metering};

const PATH: &str = "/deliveries";

const NOTIFICATIONS_OFF: &str = "Notifications of this search are off: notificationEnabled is false.";

const FROM: &str = "fromDate";
const TO: &str = "toDate";
const SINCE: &str = "since";

/// `GET /deliveries`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let search = parameters.parse_single("search", "a reference to a search", iri::parse_search_ref);
    let state = parameters.parse_single("state", "a delivery state", parse_state);
    let channel = parameters.parse_single("channel", "a delivery channel", names::parse_delivery_channel);
    let from = parameters.parse_single(FROM, date::EXPECTED, |text| date::first_second(text, zone));
    let until = parameters.parse_single(TO, date::EXPECTED, |text| date::last_second(text, zone));
    if let (Some(from), Some(until)) = (from, until)
        && from > until
    {
        let message = format!("The lower bound {FROM} is greater than the upper bound {TO}.");
        parameters.violations.push(Violation::contradiction(FROM, message));
    }
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;

    let owner = caller.user.id;
    let search = match search {
        None => SearchScope::All,
        Some(name) => match shared.app.search_named(owner, name).await? {
            Some(search) => SearchScope::One(search.number),
            // An unknown reference matches nothing, as in every query.
            None => SearchScope::Unknown,
        },
    };
    let (skip, take) = paging.skip_and_take();
    let request = |search: Option<SearchNumber>| DeliveryList {
        // The search belongs to the caller, and its index is more selective than the owner's.
        owner: search.is_none().then_some(owner),
        search,
        state,
        channel,
        from,
        until: until.map(next_second),
        skip: skip as u64,
        take: take as u64,
    };
    let request = match search {
        SearchScope::All => Some(request(None)),
        SearchScope::One(number) => Some(request(Some(number))),
        SearchScope::Unknown => None,
    };
    let page = match request {
        Some(request) => {
            shared.in_list_turn(owner, |app| async move { app.deliveries(request).await }).await?
        }
        None => DeliveryPage::default(),
    };
    let waiting = shared.app.awaiting_confirmation(&page.deliveries).await?;
    let members: Vec<DeliveryBody> =
        page.deliveries.iter().map(|row| DeliveryBody::of(&parts(row, &waiting, zone))).collect();
    let view = View::new(PATH, &query.raw, paging, page.total);
    let page = Collection::new(
        "Delivery",
        PATH,
        members,
        page.total,
        view,
        search_parameters(OperationId::Deliveries),
    );
    Ok(ignored.on(metering::page(&page)))
}

/// The searches to list deliveries of.
enum SearchScope {
    All,
    One(SearchNumber),
    Unknown,
}

/// Takes the parameter `since`, without which there is no answer.
pub(super) fn required_since(parameters: &mut Parameters<'_>, zone: &TimeZone) -> Option<Timestamp> {
    let since = parameters.parse_single(SINCE, date::EXPECTED, |text| date::first_second(text, zone));
    if since.is_none() && !parameters.has_violation(SINCE) {
        parameters.violations.push(Violation::missing(SINCE, "This value should not be blank."));
    }
    since
}

/// Returns the start of the next second.
fn next_second(second: Timestamp) -> Timestamp {
    second.checked_add(SignedDuration::from_secs(1)).unwrap_or(Timestamp::MAX)
}

/// `GET /deliveries/{id}`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<DeliveryId>,
) -> Result<Response, Problem> {
    present(&shared, &caller, id, StatusCode::OK).await
}

/// `POST /deliveries/{id}/replay`
pub async fn replay(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<DeliveryId>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let ignored = body::expect_empty(&shared, OperationId::ReplayDelivery, &query, request).await?;
    let conflict = |message: &str| Err(Problem::new(StatusCode::CONFLICT, message));
    match shared.app.replay_delivery(Some(caller.user.id), id).await? {
        Replayed::Done => Ok(ignored.on(present(&shared, &caller, id, StatusCode::ACCEPTED).await?)),
        Replayed::Unknown => Err(Problem::not_found()),
        Replayed::InProgress => conflict("This delivery is pending or in progress."),
        Replayed::SearchDeleted => conflict("The search of this delivery was deleted."),
        Replayed::Erased => conflict("The advert of this delivery was erased."),
        Replayed::ChannelInactive(CancelReason::Disabled) => conflict(NOTIFICATIONS_OFF),
        Replayed::ChannelInactive(_) => conflict("The search of this delivery no longer has a recipient."),
    }
}

async fn present(
    shared: &Shared,
    caller: &Caller,
    id: DeliveryId,
    status: StatusCode,
) -> Result<Response, Problem> {
    let delivery = shared.app.delivery_of(Some(caller.user.id), id).await?;
    let (row, attempts) = delivery.ok_or_else(Problem::not_found)?;
    let waiting = shared.app.awaiting_confirmation(std::slice::from_ref(&row)).await?;
    let parts = parts(&row, &waiting, &shared.config.time_zone);
    Ok(json(status, &DeliveryWithAttempts::of(&parts, attempts.iter().map(attempt_parts))))
}

/// `GET /searches/{id}/replay`: how many deliveries the same request with `POST` would send again.
pub async fn count_replayable(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
) -> Result<Response, Problem> {
    let search = owned_search(&shared, &caller, name).await?;
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let since = required_since(&mut parameters, zone);
    let ignored = query.finish(parameters, &[])?;
    let Some(since) = since else { return Err(Problem::not_found()) };
    let counting = |app: App| async move { app.count_replayable(&search, since).await };
    match shared.in_list_turn(caller.user.id, counting).await? {
        Some(count) => Ok(ignored.on(json(StatusCode::OK, &ReplayCountBody::of(count)))),
        None => Err(Problem::new(StatusCode::CONFLICT, NOTIFICATIONS_OFF)),
    }
}

/// `POST /searches/{id}/replay`: sends all failed deliveries since a date again. The date is in the query or the body.
pub async fn replay_search(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let search = owned_search(&shared, &caller, name).await?;
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let in_query = parameters.parse_single(SINCE, date::EXPECTED, |text| date::first_second(text, zone));
    let members = body::members(&shared, OperationId::ReplaySearch, request).await?;
    let read = wire::delivery::parse_replay(&members, zone);
    let Replay { since: in_body, ignored } = read.map_err(|violations| Problem::violations(&violations))?;
    if in_query.is_some() && in_body.is_some() {
        let message = "Give this value in the query or in the body, not in both.";
        parameters.violations.push(Violation::contradiction(SINCE, message));
    }
    // Required, so that nothing is sent again by mistake.
    let blank = || vec![Violation::missing(SINCE, "This value should not be blank.")];
    let since = in_query.or(in_body).ok_or_else(blank);
    let (since, ignored) = query.finish_with_body(parameters, since, ignored)?;
    let Some(replayed) = shared.app.replay_failed(&search, since).await? else {
        return Err(Problem::new(StatusCode::CONFLICT, NOTIFICATIONS_OFF));
    };
    Ok(ignored.on(json(StatusCode::ACCEPTED, &ReplayedBody::of(replayed))))
}

/// Converts a stored delivery for the response.
pub fn parts<'a>(
    row: &DeliveryRow,
    waiting: &BTreeSet<SearchNumber>,
    zone: &'a TimeZone,
) -> DeliveryInput<'a> {
    let DeliveryRow {
        id,
        lane,
        lane_sequence: number,
        search,
        notification,
        state,
        created_at,
        state_at,
        attempts,
        subject,
        ..
    } = row;
    let event = match notification {
        Notification::Match(_) => None,
        Notification::Event(name, _) => Some(*name),
    };
    DeliveryInput {
        id: *id,
        search: *search,
        channel: lane.channel,
        sequence: *number,
        event,
        about: *subject,
        state: *state,
        awaits_confirmation: *state == DeliveryState::Pending
            && lane.channel == DeliveryChannel::Email
            && waiting.contains(&lane.search),
        created_at: *created_at,
        state_at: *state_at,
        attempt_count: *attempts,
        zone,
    }
}

pub fn attempt_parts(attempt: &Attempt) -> AttemptInput<'_> {
    let Attempt {
        started_at,
        duration,
        outcome,
        status,
        target,
        response_excerpt,
        response_headers,
        timings,
        certificate,
    } = attempt;
    AttemptInput {
        began_at: *started_at,
        took: *duration,
        outcome: *outcome,
        status: *status,
        target: target.as_deref(),
        answer: response_excerpt,
        answer_headers: response_headers,
        timings: *timings,
        certificate: *certificate,
    }
}

/// Returns the state with the given name.
pub fn parse_state(text: &str) -> Option<StateKind> {
    StateKind::ALL.into_iter().find(|kind| state_name(*kind) == text.trim())
}

/// Returns the name of a state. The reason of a cancellation does not affect it.
pub fn state_name(kind: StateKind) -> &'static str {
    names::delivery_state(match kind {
        StateKind::Pending => DeliveryState::Pending,
        StateKind::Leased => DeliveryState::Leased,
        StateKind::Delivered => DeliveryState::Delivered,
        StateKind::Failed => DeliveryState::Failed,
        StateKind::Cancelled => DeliveryState::Cancelled(CancelReason::Disabled),
    })
}
