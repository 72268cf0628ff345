//! The webhook tester: sends one sample to an endpoint of the caller's choice, immediately, with the code that sends deliveries.
//!
//! The caller chooses where the server sends to. So the response of the endpoint is not shown, except whether it was a success, and
//! the tester is rate limited per user and per receiver. If no connection was opened, the response does not tell why: a name that
//! resolves to a private address, one that does not exist and one where nothing listens are answered alike. Otherwise the tester
//! would map the network and the name server of the operator.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use app::access::Caller;
use app::deliveries::{Sample, Tested};
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use delivery::{AttemptResult, Reach};
use domain::{Endpoint, EventName, Fault, Outcome, UserId, Violation, registered_domain};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderValue, StatusCode, header};
use tokio::time::Instant;
use wire::names;
use wire::query::Parameters;
use wire::search::endpoint_error_message;

use super::Shared;
use super::error::{LD_JSON, Problem};
use super::parameters::QueryText;

const ENDPOINT: &str = "endpoint";
const EVENT_TYPE: &str = "eventType";
const EVENT_TYPE_ALIAS: &str = "type";

/// How many samples a user may send per minute: one of each kind, and a few more.
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).expect("ten is not zero");

/// `Retry-After` while another sample of the user is in flight.
const IN_FLIGHT_SECONDS: u64 = 1;

/// Responses about receivers that were not reached come after a multiple of this time, and state it as the duration.
const UNREACHED_STEP: Duration = Duration::from_millis(500);

/// `GET /webhook-tester?endpoint=…&eventType=…`
pub async fn send(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let (endpoint, sample) = (endpoint(&mut parameters), sample(&mut parameters));
    let ignored = query.finish(parameters, &[])?;
    // Both are present, because `finish` has reported missing ones.
    let (Some(endpoint), Some(sample)) = (endpoint, sample) else { return Err(Problem::not_found()) };
    let refused = |why: String| Problem::violations(&[Violation::invalid(ENDPOINT, why)]);
    let no_transport = || Problem::unavailable("This server sends no webhooks.", 60);
    let transport = shared.app.transport().ok_or_else(no_transport)?;
    let host = transport.check_endpoint(&endpoint).map_err(|error| refused(error.to_string()))?;

    let _permit = shared.tester_limits.acquire(caller.user.id, &host)?;
    let began = Instant::now();
    let tested = shared.app.test_webhook(caller.user.id, endpoint, sample).await?;
    let Tested { body, result } = tested.ok_or_else(no_transport)?;
    let result = match result.reach {
        Reach::NotConnected => unreached(result, began).await,
        Reach::Connected => result,
    };
    match result.outcome {
        Outcome::Delivered => {
            Ok(ignored.on((StatusCode::OK, [(header::CONTENT_TYPE, LD_JSON)], body).into_response()))
        }
        // A sample was sent, so warnings about the query matter as much as after a success.
        Outcome::Failed(_) | Outcome::Interrupted => {
            Ok(ignored.on(Problem::webhook_not_delivered(&result).into_response()))
        }
    }
}

/// Hides why no connection was opened, and how long it took to find out.
async fn unreached(result: AttemptResult, began: Instant) -> AttemptResult {
    let steps = began.elapsed().as_millis() / UNREACHED_STEP.as_millis() + 1;
    let took = UNREACHED_STEP * u32::try_from(steps).unwrap_or(u32::MAX);
    // Waits until then.
    let _ = tokio::time::timeout_at(began + took, std::future::pending::<()>()).await;
    AttemptResult { outcome: Outcome::Failed(Fault::Connect), took, ..result }
}

fn endpoint(parameters: &mut Parameters<'_>) -> Option<Endpoint> {
    let Some(text) = parameters.single(ENDPOINT) else { return blank(parameters, ENDPOINT) };
    let endpoint = Endpoint::parse(text);
    let refused = |error| Violation::malformed(ENDPOINT, endpoint_error_message(error, text));
    endpoint.map_err(|error| parameters.violations.push(refused(error))).ok()
}

fn sample(parameters: &mut Parameters<'_>) -> Option<Sample> {
    let alias = parameters.single(EVENT_TYPE_ALIAS);
    let Some(text) = parameters.single(EVENT_TYPE).or(alias) else {
        // A repeated parameter is reported as repeated, not as missing.
        return if parameters.has_violation(EVENT_TYPE_ALIAS) { None } else { blank(parameters, EVENT_TYPE) };
    };
    if text == names::MATCH {
        return Some(Sample::Match);
    }
    let found = names::parse_event_name(text).map(Sample::Event);
    if found.is_none() {
        let events: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        let expected = format!("{} or one of {}", names::MATCH, events.join(", "));
        parameters.reject(EVENT_TYPE, text, &expected);
    }
    found
}

/// Reports a missing parameter, unless it was refused for another reason.
fn blank<T>(parameters: &mut Parameters<'_>, name: &'static str) -> Option<T> {
    if !parameters.has_violation(name) {
        parameters.violations.push(Violation::missing(name, "This value should not be blank."));
    }
    None
}

/// Limits samples per user: one at a time, and a few per minute. Limits them per receiver, too, over all users.
pub struct TesterLimits {
    limiter: DefaultKeyedRateLimiter<UserId>,
    /// By registered domain. `None` if there is no such limit.
    by_host: Option<(DefaultKeyedRateLimiter<String>, NonZeroU32)>,
    clock: DefaultClock,
    in_flight: Mutex<HashSet<UserId>>,
}

/// How many receivers are remembered before those without recent samples are forgotten.
const HOSTS_REMEMBERED: usize = 10_000;

/// The right of a user to send a sample, until it is dropped.
struct Permit<'a> {
    limits: &'a TesterLimits,
    user: UserId,
}

impl TesterLimits {
    /// `per_host_hour` is the limit per receiver; zero means none.
    pub fn new(per_host_hour: u32) -> Self {
        let clock = DefaultClock::default();
        let limiter = RateLimiter::dashmap_with_clock(Quota::per_minute(PER_MINUTE), clock.clone());
        let by_host = NonZeroU32::new(per_host_hour)
            .map(|limit| (RateLimiter::dashmap_with_clock(Quota::per_hour(limit), clock.clone()), limit));
        Self { limiter, by_host, clock, in_flight: Mutex::default() }
    }

    fn acquire(&self, user: UserId, host: &str) -> Result<Permit<'_>, Problem> {
        if !self.in_flight().insert(user) {
            return Err(too_many("Another sample is being sent for you.", IN_FLIGHT_SECONDS));
        }
        let permit = Permit { limits: self, user };
        if let Err(not_until) = self.limiter.check_key(&user) {
            let seconds = whole_seconds(not_until.wait_time_from(self.clock.now()));
            return Err(too_many(&format!("Limit of {PER_MINUTE} samples per minute reached."), seconds));
        }
        if let Some((limiter, limit)) = &self.by_host {
            let name = host.rsplit_once(':').map_or(host, |(name, _port)| name);
            let domain = registered_domain(name);
            if limiter.len() > HOSTS_REMEMBERED {
                limiter.retain_recent();
            }
            if let Err(not_until) = limiter.check_key(&domain.to_owned()) {
                let seconds = whole_seconds(not_until.wait_time_from(self.clock.now()));
                let reason = format!("Limit of {limit} samples per hour to {domain} reached.");
                return Err(too_many(&reason, seconds));
            }
        }
        Ok(permit)
    }

    fn in_flight(&self) -> std::sync::MutexGuard<'_, HashSet<UserId>> {
        self.in_flight.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.limits.in_flight().remove(&self.user);
    }
}

/// Rounds up: a retry that is a fraction of a second early would be refused again.
fn whole_seconds(wait: Duration) -> u64 {
    wait.as_secs() + u64::from(wait.subsec_nanos() > 0)
}

fn too_many(reason: &str, seconds: u64) -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, format!("{reason} Try again in {seconds} s."))
        .with(header::RETRY_AFTER, HeaderValue::from(seconds))
}
