//! How many matches the saved searches of a user had on each of the last days.

use app::App;
use app::access::Caller;
use app::searches::DailyMatches;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::SearchRef;
use http::StatusCode;
use store::StoredSearch;
use wire::hydra::{Collection, View};
use wire::matches_by_day::{MatchesByDayBody, MatchesByDayInput};
use wire::query::Parameters;

use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use super::searches::{owned_search, parse_list};
use super::{Shared, metering};

const PATH: &str = "/searches/matches-by-day";

const DAYS_DEFAULT: u16 = 30;

/// A quarter. Each day is one more lookup for each search of a page.
const DAYS_MAX: u16 = 92;

/// `GET /searches/matches-by-day`: of the searches that `GET /searches` lists for the same parameters, in the same order.
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let days = days(&mut parameters);
    let (list, paging) = parse_list(&mut parameters, caller.user.id);
    let ignored = query.finish(parameters, &["title"])?;

    let counting = |app: App| async move {
        let page = app.searches_of(list).await?;
        let counted = app.matches_by_day(&page.searches, days).await?;
        Ok((page, counted))
    };
    let (page, counted) = shared.in_list_turn(caller.user.id, counting).await?;
    let members: Vec<MatchesByDayBody> =
        page.searches.iter().zip(counted).map(|(search, daily)| body(&shared, search, daily)).collect();
    let view = View::new(PATH, &query.raw, paging, page.total);
    let parameters = search_parameters(OperationId::MatchesByDay);
    let page = Collection::new("MatchesByDay", PATH, members, page.total, view, parameters);
    Ok(ignored.on(metering::page(&page)))
}

/// `GET /searches/{id}/matches-by-day`
pub async fn one(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(name): PathId<SearchRef>,
    query: QueryText,
) -> Result<Response, Problem> {
    let search = owned_search(&shared, &caller, name).await?;
    let mut parameters = query.parameters();
    let days = days(&mut parameters);
    let ignored = query.finish(parameters, &[])?;
    let counting = |app: App| async move {
        let counted = app.matches_by_day(std::slice::from_ref(&search), days).await?;
        Ok((search, counted))
    };
    let (search, counted) = shared.in_list_turn(caller.user.id, counting).await?;
    let daily = counted.into_iter().next().ok_or_else(Problem::not_found)?;
    Ok(ignored.on(json(StatusCode::OK, &body(&shared, &search, daily))))
}

fn days(parameters: &mut Parameters<'_>) -> u16 {
    let expected = format!("a number of days from 1 to {DAYS_MAX}");
    let parse = |text: &str| text.parse().ok().filter(|days| (1..=DAYS_MAX).contains(days));
    parameters.parse_single("days", &expected, parse).unwrap_or(DAYS_DEFAULT)
}

fn body(shared: &Shared, search: &StoredSearch, daily: DailyMatches) -> MatchesByDayBody {
    let DailyMatches { days, is_complete, last_match_at } = daily;
    let zone = &shared.config.time_zone;
    MatchesByDayBody::of(MatchesByDayInput {
        search: search.search.id,
        days,
        is_complete,
        last_match_at,
        zone,
    })
}
