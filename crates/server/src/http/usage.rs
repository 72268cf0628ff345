//! Usage: what keys asked for and what was delivered, by day.

use app::access::Caller;
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use description::OperationId;
use description::operations::search_parameters;
use domain::{Scope, Violation};
use store::{DailyUsage, OperationUsage, UsageList};
use wire::hydra::{Collection, Paging, View};
use wire::iri;
use wire::usage::{OperationUsageBody, UsageBody, UsageInput, parse_day};

use super::auth::lacks;
use super::error::Problem;
use super::parameters::QueryText;
use super::{Shared, metering};

const PATH: &str = "/usage";

/// `GET /usage`: of the caller's user, or of all users with `all=true` and scope `admin`.
pub async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let from = parameters.parse_single("from", "a day such as 2026-03-02", parse_day);
    let to = parameters.parse_single("to", "a day such as 2026-03-02", parse_day);
    if let (Some(from), Some(to)) = (from, to)
        && from > to
    {
        let message = "The lower bound from is greater than the upper bound to.";
        parameters.violations.push(Violation::contradiction("from", message));
    }
    let key = parameters.parse_single("key", "a reference to a key", iri::parse_key);
    let all = parameters.flag("all").unwrap_or(false);
    let paging = Paging::parse(&mut parameters, Paging::ITEMS_MAX);
    let ignored = query.finish(parameters, &[])?;
    if all && !caller.may(Scope::Admin) {
        return Err(lacks(Scope::Admin));
    }

    let (skip, take) = paging.skip_and_take();
    let user = (!all).then_some(caller.user.id);
    let list = UsageList { user, key, from, to, skip: skip as u64, take: take as u64 };
    // In the background: a list of all users has many rows to count.
    let _turn = shared.app.list_turn(caller.user.id).await?;
    let page = shared.app.background().usage(list).await?;
    let members: Vec<UsageBody> = page.days.into_iter().map(body).collect();
    let view = View::new(PATH, &query.raw, paging, page.total);
    let page =
        Collection::new("Usage", PATH, members, page.total, view, search_parameters(OperationId::Usage));
    Ok(ignored.on(metering::page(&page)))
}

fn body(usage: DailyUsage) -> UsageBody {
    let DailyUsage { day, user, key, requests, items, webhooks, emails, operations } = usage;
    let operation =
        |usage: OperationUsage| OperationUsageBody::new(usage.operation, usage.requests, usage.items);
    UsageBody::of(UsageInput {
        day,
        key: key.as_ref().map(|(id, _)| id),
        label: key.as_ref().and_then(|(_, label)| label.as_ref()),
        user: &user.name,
        requests,
        items,
        webhooks,
        emails,
        operations: operations.into_iter().map(operation).collect(),
    })
}
