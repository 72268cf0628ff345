//! The request of a delivery, and how the receivers of a user fare.

use std::collections::BTreeMap;

use app::App;
use app::access::Caller;
use app::deliveries::{RenderedRequest, RequestLookup};
use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use delivery::signature;
use domain::{DeliveryId, Outcome, Timestamp};
use http::StatusCode;
use store::AttemptSummary;
use wire::delivery_health::{
    DeliveryHealthResource, DeliveryRequestResource, HealthFigures, HostHealth, HourHealth,
};
use wire::{date, iri};

use super::Shared;
use super::deliveries::required_since;
use super::error::{Problem, json};
use super::parameters::QueryText;
use super::path::PathId;
use crate::transport::USER_AGENT;

const ATTEMPT: &str = "attempt";

/// More deliveries are not looked at, and more attempts are not read. The answer says so.
const ATTEMPTS_MAX: usize = 100_000;

const HOUR_SECONDS: i64 = 3_600;

/// `GET /deliveries/{id}/request`
pub async fn request(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<DeliveryId>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let attempt =
        parameters.parse_single(ATTEMPT, "the number of an attempt", |text| text.parse::<usize>().ok());
    let ignored = query.finish(parameters, &[])?;
    let conflict = |message: &str| Err(Problem::new(StatusCode::CONFLICT, message));
    match shared.app.delivery_request(caller.user.id, id, attempt).await? {
        RequestLookup::Unknown => Err(Problem::not_found()),
        RequestLookup::NotAWebhook => conflict("This delivery is an e-mail, which has no request."),
        RequestLookup::Gone => conflict(
            "The data of this delivery was erased, or its search was deleted: it cannot be rendered again.",
        ),
        RequestLookup::Rendered(request) => Ok(ignored.on(json(StatusCode::OK, &present(id, request)))),
    }
}

fn present(id: DeliveryId, request: RenderedRequest) -> DeliveryRequestResource {
    let RenderedRequest { at, target, sequence, property_version, secrets, body } = request;
    let (webhook_id, timestamp) = (id.to_string(), at.as_second());
    let mut headers = BTreeMap::from([
        ("content-type", "application/json".to_owned()),
        ("accept-encoding", "identity".to_owned()),
        ("user-agent", USER_AGENT.to_owned()),
        ("x-sequence", sequence.to_string()),
        (signature::ID_HEADER, webhook_id.clone()),
        (signature::TIMESTAMP_HEADER, timestamp.to_string()),
        (signature::SIGNATURE_HEADER, signature::header(&secrets, &webhook_id, timestamp, &body)),
    ]);
    headers.extend(property_version.map(|version| ("x-property-version", version.to_string())));
    DeliveryRequestResource {
        context: "/contexts/DeliveryRequest",
        iri: format!("{}/request", iri::delivery(id)),
        kind: "DeliveryRequest",
        method: "POST",
        url: target,
        headers,
        body: String::from_utf8_lossy(&body).into_owned(),
        signed_prefix: format!("{webhook_id}.{timestamp}."),
    }
}

/// `GET /deliveries/health`
pub async fn health(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let zone = &shared.config.time_zone;
    let mut parameters = query.parameters();
    let since = required_since(&mut parameters, zone);
    let ignored = query.finish(parameters, &[])?;
    let Some(since) = since else { return Err(Problem::not_found()) };
    let owner = caller.user.id;
    let reading = |app: App| async move { app.attempts_since(owner, since, ATTEMPTS_MAX).await };
    let found = shared.in_list_turn(owner, reading).await?;
    let hour = |at: Timestamp| date::format(at, zone);
    let body = DeliveryHealthResource {
        context: "/contexts/DeliveryHealth",
        iri: "/deliveries/health",
        kind: "DeliveryHealth",
        since: hour(since),
        is_complete: found.is_complete,
        hosts: by_host(&found.attempts, &hour),
    };
    Ok(ignored.on(json(StatusCode::OK, &body)))
}

/// Sums attempts up by receiver, the one with the most first, and by hour.
fn by_host(attempts: &[AttemptSummary], format: &dyn Fn(Timestamp) -> String) -> Vec<HostHealth> {
    let mut hosts: BTreeMap<&str, BTreeMap<i64, Vec<&AttemptSummary>>> = BTreeMap::new();
    for attempt in attempts {
        // What was interrupted says nothing about the receiver.
        let Some(target) = &attempt.target else { continue };
        if attempt.outcome == Outcome::Interrupted {
            continue;
        }
        let hour = attempt.started_at.as_second().div_euclid(HOUR_SECONDS) * HOUR_SECONDS;
        hosts.entry(host_of(target)).or_default().entry(hour).or_default().push(attempt);
    }
    let mut hosts: Vec<HostHealth> = hosts
        .into_iter()
        .map(|(host, hours)| HostHealth {
            host: host.to_owned(),
            figures: figures(hours.values().flatten().copied()),
            hours: hours
                .into_iter()
                .filter_map(|(second, attempts)| {
                    let hour = format(Timestamp::from_second(second).ok()?);
                    Some(HourHealth { hour, figures: figures(attempts.into_iter()) })
                })
                .collect(),
        })
        .collect();
    hosts.sort_by_key(|host| std::cmp::Reverse(host.figures.attempts));
    hosts
}

fn figures<'a>(attempts: impl Iterator<Item = &'a AttemptSummary>) -> HealthFigures {
    let (mut delivered, mut times) = (0, Vec::new());
    for attempt in attempts {
        delivered += u64::from(attempt.outcome == Outcome::Delivered);
        times.push(u64::try_from(attempt.duration.as_millis()).unwrap_or(u64::MAX));
    }
    times.sort_unstable();
    // The smallest time that this share of the attempts did not exceed.
    let percentile = |percent: usize| {
        let rank = (times.len() * percent).div_ceil(100).max(1);
        times.get(rank - 1).copied().unwrap_or_default()
    };
    HealthFigures { attempts: times.len() as u64, delivered, p50_ms: percentile(50), p99_ms: percentile(99) }
}

/// Returns the host of a URL, with its port if it has one, or the domain of an e-mail address.
fn host_of(target: &str) -> &str {
    match target.split_once("://") {
        Some((_, rest)) => rest.split(['/', '?', '#']).next().unwrap_or_default(),
        None => target.rsplit('@').next().unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use domain::Fault;

    use super::*;

    #[test]
    fn attempts_are_summed_up_by_host_and_hour() {
        let attempt = |second, target: &str, milliseconds, outcome| AttemptSummary {
            started_at: Timestamp::from_second(second).unwrap(),
            duration: Duration::from_millis(milliseconds),
            outcome,
            target: Some(target.into()),
        };
        let mut attempts: Vec<_> = (1..=100)
            .map(|number| attempt(10, "https://a.example:8443/x", number, Outcome::Delivered))
            .collect();
        attempts.push(attempt(3_600, "https://a.example:8443/y", 500, Outcome::Failed(Fault::Timeout)));
        attempts.push(attempt(3_700, "zoe@b.example", 7, Outcome::Delivered));
        attempts.push(attempt(3_700, "https://c.example/", 7, Outcome::Interrupted));
        let hosts = by_host(&attempts, &|at| at.as_second().to_string());
        assert_eq!(
            hosts.iter().map(|host| host.host.as_str()).collect::<Vec<_>>(),
            ["a.example:8443", "b.example"]
        );
        let a = &hosts[0];
        let expected =
            |attempts, delivered, p50_ms, p99_ms| HealthFigures { attempts, delivered, p50_ms, p99_ms };
        assert_eq!(a.figures, expected(101, 100, 51, 100));
        let hours: Vec<_> = a.hours.iter().map(|hour| (hour.hour.as_str(), hour.figures)).collect();
        assert_eq!(hours, [("0", expected(100, 100, 50, 99)), ("3600", expected(1, 0, 500, 500))]);
    }
}
