//! Deliveries: what was sent or is to be, what came of it, and sending it again.

use std::sync::Arc;

use app::access::Caller;
use app::deliveries::Replayed;
use axum::Extension;
use axum::extract::{Request, State};
use axum::response::Response;
use domain::{CancelReason, DeliveryId, DeliveryState, SearchId, SearchNumber, Timestamp, Violation};
use http::StatusCode;
use jiff::SignedDuration;
use jiff::tz::TimeZone;
use store::{Attempt, DeliveryList, DeliveryPage, DeliveryRow, Notification, StateKind};
use wire::delivery::{AttemptInput, DeliveryBody, DeliveryInput, DeliveryWithAttempts, Replay, ReplayedBody};
use wire::hydra::{Collection, Paging, Parameter, View};
use wire::{date, iri, names};

use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use super::searches::of_caller;
use super::{Shared, body};

const PATH: &str = "/deliveries";

const SWITCHED_OFF: &str = "The search is switched off: notificationEnabled is false.";

const FROM: &str = "fromDate";
const TO: &str = "toDate";
const SINCE: &str = "since";

const PARAMETERS: &[Parameter] = &[
    Parameter::new("search", "search"),
    Parameter::new("state", "state"),
    Parameter::new("channel", "channel"),
    Parameter::new(FROM, "createdAt"),
    Parameter::new(TO, "createdAt"),
    Parameter::new("page", "page"),
    Parameter::new("itemsPerPage", "itemsPerPage"),
];

/// `GET /deliveries`
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let search = parameters.parse_single("search", "a reference to a search", iri::parse_search);
    let state = parameters.parse_single("state", "a state of a delivery", parse_state);
    let channel =
        parameters.parse_single("channel", "a channel of deliveries", names::parse_delivery_channel);
    let from = parameters.parse_single(FROM, "a date", |text| date::first_second(text, zone));
    let until = parameters.parse_single(TO, "a date", |text| date::last_second(text, zone));
    if let (Some(from), Some(until)) = (from, until)
        && from > until
    {
        let message = format!("The lower bound {FROM} is greater than the upper bound {TO}.");
        parameters.violations.push(Violation::contradiction(FROM, message));
    }
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let noted = query.finish(parameters, &[])?;

    let owner = caller.user.id;
    let search = match search {
        None => Sought::Any,
        Some(id) => match shared.app.search_of(owner, id).await? {
            Some(search) => Sought::Of(search.number),
            // What leads nowhere finds nothing, like everywhere in a query.
            None => Sought::Nothing,
        },
    };
    let (skip, take) = paging.skip_and_take();
    let asked = |search: Option<SearchNumber>| DeliveryList {
        // A search that is given is the owner's, and finds its deliveries sooner than its owner does.
        owner: search.is_none().then_some(owner),
        search,
        state,
        channel,
        from,
        until: until.map(after),
        skip: skip as u64,
        take: take as u64,
    };
    let asked = match search {
        Sought::Any => Some(asked(None)),
        Sought::Of(number) => Some(asked(Some(number))),
        Sought::Nothing => None,
    };
    let page = match asked {
        // There may be very many to count: whoever searches properties meanwhile shall not wait for that.
        Some(asked) => {
            let app = shared.app.clone();
            // One after the other: whatever else is done in the background, sending among it, has the rest. Whoever hangs up while
            // it is counted keeps the turn until that is over.
            let turn = Arc::clone(&shared.listing).acquire_owned().await;
            let listing = async move {
                let listed = app.deliveries(asked).await;
                drop(turn);
                listed
            };
            shared.background.run(listing).await??
        }
        None => DeliveryPage::default(),
    };
    let members: Vec<DeliveryBody> =
        page.deliveries.iter().map(|row| DeliveryBody::of(&parts(row, zone))).collect();
    let view = View::new(PATH, &query.raw, paging, page.total);
    let page = Collection::new("Delivery", PATH, members, page.total, view, PARAMETERS);
    Ok(noted.on(json(StatusCode::OK, &page)))
}

/// Whose deliveries are wanted.
enum Sought {
    Any,
    Of(domain::SearchNumber),
    Nothing,
}

/// The first moment beyond a second.
fn after(second: Timestamp) -> Timestamp {
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
    let noted = body::nothing(&query, request, shared.config.limits.body_bytes_max).await?;
    let refused = |why: &str| Err(Problem::new(StatusCode::CONFLICT, why));
    match shared.app.replay_delivery(Some(caller.user.id), id).await? {
        Replayed::Done => Ok(noted.on(present(&shared, &caller, id, StatusCode::ACCEPTED).await?)),
        Replayed::Unknown => Err(Problem::not_found()),
        Replayed::UnderWay => refused("This delivery is yet to be sent, or is being sent."),
        Replayed::SearchDeleted => refused("The search of this delivery was deleted."),
        Replayed::Erased => refused("What this delivery tells of was erased."),
        Replayed::Silent(CancelReason::Disabled) => refused(SWITCHED_OFF),
        Replayed::Silent(_) => refused("The search of this delivery does not say where to send it."),
    }
}

async fn present(
    shared: &Shared,
    caller: &Caller,
    id: DeliveryId,
    status: StatusCode,
) -> Result<Response, Problem> {
    let found = shared.app.delivery_of(Some(caller.user.id), id).await?;
    let (row, attempts) = found.ok_or_else(Problem::not_found)?;
    let parts = parts(&row, &shared.config.time_zone);
    Ok(json(status, &DeliveryWithAttempts::of(&parts, attempts.iter().map(attempt_parts))))
}

/// `POST /searches/{id}/replay`: everything of a search that failed since a moment, which the query or the body says.
pub async fn replay_search(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<SearchId>,
    query: QueryText,
    request: Request,
) -> Result<Response, Problem> {
    let search = of_caller(&shared, &caller, id).await?;
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let in_query = parameters.parse_single(SINCE, "a date", |text| date::first_second(text, zone));
    let members = body::members(request, shared.config.limits.body_bytes_max).await?;
    let read = wire::delivery::parse_replay(&members, zone);
    let Replay { since: in_body, ignored } = read.map_err(|violations| Problem::violations(&violations))?;
    if in_query.is_some() && in_body.is_some() {
        let message = "Only one value is taken: one is in the query, another in the body.";
        parameters.violations.push(Violation::contradiction(SINCE, message));
    }
    // Nothing is sent again by mistake.
    let blank = || vec![Violation::missing(SINCE, "This value should not be blank.")];
    let since = in_query.or(in_body).ok_or_else(blank);
    let (since, noted) = query.finish_with_body(parameters, since, ignored)?;
    let Some(replayed) = shared.app.replay_failed(&search, since).await? else {
        return Err(Problem::new(StatusCode::CONFLICT, SWITCHED_OFF));
    };
    Ok(noted.on(json(StatusCode::ACCEPTED, &ReplayedBody::of(replayed))))
}

/// A delivery, as it is shown.
pub fn parts<'a>(row: &DeliveryRow, zone: &'a TimeZone) -> DeliveryInput<'a> {
    let DeliveryRow {
        id,
        lane,
        number,
        search,
        notification,
        state,
        created_at,
        state_at,
        attempts,
        about,
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
        about: *about,
        state: *state,
        created_at: *created_at,
        state_at: *state_at,
        attempt_count: *attempts,
        zone,
    }
}

pub fn attempt_parts(attempt: &Attempt) -> AttemptInput<'_> {
    let Attempt { began_at, took, outcome, status, target, excerpt } = attempt;
    AttemptInput {
        began_at: *began_at,
        took: *took,
        outcome: *outcome,
        status: *status,
        target: target.as_deref(),
        answer: excerpt,
    }
}

/// The state of a name.
pub fn parse_state(text: &str) -> Option<StateKind> {
    StateKind::ALL.into_iter().find(|kind| state_name(*kind) == text.trim())
}

/// States are spelled with their reason; whichever it is, the name is the same.
pub fn state_name(kind: StateKind) -> &'static str {
    names::delivery_state(match kind {
        StateKind::Pending => DeliveryState::Pending,
        StateKind::Leased => DeliveryState::Leased,
        StateKind::Delivered => DeliveryState::Delivered,
        StateKind::Failed => DeliveryState::Failed,
        StateKind::Cancelled => DeliveryState::Cancelled(CancelReason::Disabled),
    })
}
