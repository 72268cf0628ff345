//! The webhook tester: one example to an address of the caller's choice, at once, by the code that sends everything else.
//!
//! It makes us send something to an address that somebody made up, so nothing of what came back is shown but whether it was taken,
//! and nobody does it often.

use std::collections::HashSet;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use app::access::Caller;
use app::deliveries::{Sample, Tested};
use axum::Extension;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use domain::{Endpoint, EventName, Fault, Outcome, UserId, Violation};
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderValue, StatusCode, header};
use wire::names;
use wire::query::Parameters;
use wire::search::endpoint_error_message;

use super::Shared;
use super::error::{LD_JSON, Problem};
use super::parameters::QueryText;

const ENDPOINT: &str = "endpoint";
const EVENT_TYPE: &str = "eventType";
const EVENT_TYPE_ALIAS: &str = "type";

/// How many examples a user may send a minute. Somebody who sets a receiver up needs one of each kind, and a few more.
const PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).expect("ten is not zero");

/// When to come back while another example is under way.
const UNDER_WAY_SECONDS: u64 = 1;

/// `GET /webhook-tester?endpoint=…&eventType=…`
pub async fn send(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    query: QueryText,
) -> Result<Response, Problem> {
    let mut parameters = query.parameters();
    let (endpoint, sample) = (endpoint(&mut parameters), sample(&mut parameters));
    let noted = query.finish(parameters, &[])?;
    // Neither is missing where nothing was refused.
    let (Some(endpoint), Some(sample)) = (endpoint, sample) else { return Err(Problem::not_found()) };
    let refused = |why: String| Problem::violations(&[Violation::invalid(ENDPOINT, why)]);
    let nobody = || Problem::unavailable("This server sends no webhooks.", 60);
    let transport = shared.app.transport().ok_or_else(nobody)?;
    transport.judge(&endpoint).map_err(|error| refused(error.to_string()))?;

    let _turn = shared.tester_turns.take(caller.user.id)?;
    let tested = shared.app.test_webhook(caller.user.id, endpoint, sample).await?;
    let Tested { body, exchange } = tested.ok_or_else(nobody)?;
    match exchange.outcome {
        Outcome::Delivered => {
            Ok(noted.on((StatusCode::OK, [(header::CONTENT_TYPE, LD_JSON)], body).into_response()))
        }
        // Its name leads where nothing is ever sent to.
        Outcome::Failed(Fault::Refused) => {
            let problem = refused("This host leads to an address that is not a public one.".to_owned());
            Ok(noted.on(problem.into_response()))
        }
        // Something was sent, so that what was not understood of the question matters as much as after a success.
        Outcome::Failed(_) | Outcome::Interrupted => {
            Ok(noted.on(Problem::not_taken(&exchange).into_response()))
        }
    }
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
        // What was said more than once is told as that, and not as missing.
        return if parameters.has_violation(EVENT_TYPE_ALIAS) { None } else { blank(parameters, EVENT_TYPE) };
    };
    if text == names::MATCH {
        return Some(Sample::Match);
    }
    let found = names::parse_event_name(text).map(Sample::Event);
    if found.is_none() {
        let events: Vec<&str> = EventName::ALL.iter().map(|name| names::event_name(*name)).collect();
        let expected = format!("{}, or one of {}", names::MATCH, events.join(", "));
        parameters.reject(EVENT_TYPE, text, &expected);
    }
    found
}

/// Says that a parameter is missing, unless something else was wrong with it.
fn blank<T>(parameters: &mut Parameters<'_>, name: &'static str) -> Option<T> {
    if !parameters.has_violation(name) {
        parameters.violations.push(Violation::missing(name, "This value should not be blank."));
    }
    None
}

/// Who may send an example now: one at a time, and a few a minute.
pub struct Turns {
    limiter: DefaultKeyedRateLimiter<UserId>,
    clock: DefaultClock,
    taken: Mutex<HashSet<UserId>>,
}

impl Default for Turns {
    fn default() -> Self {
        let clock = DefaultClock::default();
        let limiter = RateLimiter::dashmap_with_clock(Quota::per_minute(PER_MINUTE), clock.clone());
        Self { limiter, clock, taken: Mutex::default() }
    }
}

/// A user's turn, until it is dropped.
struct Turn<'a> {
    turns: &'a Turns,
    user: UserId,
}

impl Turns {
    fn take(&self, user: UserId) -> Result<Turn<'_>, Problem> {
        if !self.taken().insert(user) {
            return Err(too_often("An example is being sent for you.", UNDER_WAY_SECONDS));
        }
        let turn = Turn { turns: self, user };
        match self.limiter.check_key(&user) {
            Ok(()) => Ok(turn),
            Err(not_until) => {
                let wait = not_until.wait_time_from(self.clock.now());
                // Rounded up: coming back a moment early would only earn another refusal.
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                Err(too_often(&format!("There are {PER_MINUTE} examples a minute."), seconds))
            }
        }
    }

    fn taken(&self) -> std::sync::MutexGuard<'_, HashSet<UserId>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.taken().remove(&self.user);
    }
}

fn too_often(why: &str, seconds: u64) -> Problem {
    Problem::new(StatusCode::TOO_MANY_REQUESTS, format!("{why} Try again in {seconds} s."))
        .with(header::RETRY_AFTER, HeaderValue::from(seconds))
}
