//! Authentication by API key or session, scopes and rate limits.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};

use app::access::{Caller, KeyText};
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use domain::{KeyId, Scope};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

use super::error::Problem;
use super::metering::Meter;
use super::shares::Holder;
use super::{Shared, mcp, session};
use crate::config::RateLimit;
use crate::connection::Peer;

pub const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Requires a key, with the given scope if there is one. The key is checked before the body is read, so that an unauthenticated
/// client cannot send one.
pub fn guard(
    shared: &Shared,
    scope: Option<Scope>,
    turns: TurnTaking,
    methods: MethodRouter<Shared>,
) -> MethodRouter<Shared> {
    methods.route_layer(middleware::from_fn_with_state((shared.clone(), scope, turns), authorise))
}

/// Whether requests of one user take turns with each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TurnTaking {
    /// Only some requests of one user run at the same time; further ones wait.
    Limited,
    /// All run at the same time: the operation waits elsewhere, for its own turn, for its client or for another server.
    Unlimited,
}

/// Returns the most requests of one user that run at the same time. Those that wait for the store wait behind at most this many of each
/// other user.
pub fn running_per_user_max() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    (4 * cores).max(16)
}

async fn authorise(
    State((shared, scope, turns)): State<(Shared, Option<Scope>, TurnTaking)>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match caller(&shared, request.method(), request.headers()).await {
        Ok(caller) => caller,
        Err(problem) => return problem.into_response(),
    };
    shared.app.record_key_use(&caller.key);
    tracing::Span::current().record("key", caller.key.as_str());
    if let Some(scope) = scope
        && !caller.may(scope)
    {
        return lacks(scope).into_response();
    }
    let allowance = match shared.rate_limits.check(&caller) {
        Ok(allowance) => allowance,
        Err(problem) => return problem.into_response(),
    };
    let _turn = match turns {
        TurnTaking::Limited => match shared.turns.turn(caller.user.id).await {
            Ok(turn) => Some(turn),
            Err(error) => return Problem::from(error).into_response(),
        },
        TurnTaking::Unlimited => None,
    };
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("unmatched", MatchedPath::as_str);
    let meter = Meter::new(&shared.app, &caller, &method, route);
    request.extensions_mut().insert(meter.clone());
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    meter.count_request(&method, &response);
    response.headers_mut().extend(allowance.into_iter().flatten());
    response
}

/// Returns the key of a request, which must be valid, for calls of the API on behalf of its user.
pub async fn key(shared: &Shared, headers: &HeaderMap) -> Result<HeaderValue, Problem> {
    let caller = caller_of_key(shared, headers).await?;
    tracing::Span::current().record("key", caller.key.as_str());
    // A known caller has sent exactly one.
    headers.get(API_KEY).cloned().ok_or_else(Problem::not_found)
}

/// Returns who sends a request. A key counts, and a cookie beside it does not: a client that sends a key means that key.
async fn caller(shared: &Shared, method: &Method, headers: &HeaderMap) -> Result<Caller, Problem> {
    if !has_credentials(headers)
        && let Some(caller) = session::caller(shared, method, headers).await?
    {
        return Ok(caller);
    }
    caller_of_key(shared, headers).await
}

fn has_credentials(headers: &HeaderMap) -> bool {
    headers.contains_key(API_KEY) || headers.contains_key(header::AUTHORIZATION)
}

/// Refuses a request without valid credentials.
pub fn unauthorised(message: &str) -> Problem {
    Problem::new(StatusCode::UNAUTHORIZED, message)
        .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey realm=\"vigie\""))
}

async fn caller_of_key(shared: &Shared, headers: &HeaderMap) -> Result<Caller, Problem> {
    // The same response for a missing, malformed, unknown, revoked and expired key, so that it reveals nothing.
    let refused = || unauthorised("A valid API key is required in the X-API-KEY header.");
    let key = sent_key(headers).ok_or_else(refused)?;
    shared.app.caller(&key).await?.ok_or_else(refused)
}

/// Returns the key of a request that has exactly one.
fn sent_key(headers: &HeaderMap) -> Option<KeyText> {
    let mut keys = headers.get_all(API_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else { return None };
    KeyText::parse(key.to_str().ok()?)
}

/// Returns who sends a request, as far as that is known without waiting.
pub fn holder(shared: &Shared, request: &Request) -> Holder {
    let headers = request.headers();
    let caller = if has_credentials(headers) {
        let key = sent_key(headers).or_else(|| KeyText::parse(mcp::bearer(headers)?));
        key.and_then(|key| shared.app.known_caller(&key))
    } else {
        session::known_caller(shared, headers)
    };
    match caller {
        Some(caller) => Holder::User(caller.user.id),
        None => {
            let peer = request.extensions().get::<Peer>();
            Holder::WithoutKey(peer.map(|Peer(address)| *address))
        }
    }
}

/// Reports that the key of a request does not have the scope it needs. Clients compare the first sentence.
pub fn lacks(scope: Scope) -> Problem {
    let message = format!("Access Denied. This key lacks the scope \"{}\".", scope.word());
    Problem::new(StatusCode::FORBIDDEN, message)
}

type Limiter = RateLimiter<KeyId, DefaultKeyedStateStore<KeyId>, DefaultClock, StateInformationMiddleware>;

/// Limits requests per minute and key: the general limit, or the key's own.
pub struct RateLimits {
    general: Option<Limit>,
    /// By requests per minute: keys with equal limits share one limiter, which still counts each key apart.
    own: Mutex<HashMap<NonZeroU32, Arc<Limit>>>,
    burst: NonZeroU32,
}

/// A limit, and the keys it counts.
struct Limit {
    limiter: Limiter,
    clock: DefaultClock,
    /// The name of the policy in headers.
    name: &'static str,
    per_minute: NonZeroU32,
}

type RateHeaders = [(HeaderName, HeaderValue); 2];

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

impl RateLimits {
    pub fn new(limit: RateLimit) -> Self {
        let burst = NonZeroU32::new(limit.burst).unwrap_or(NonZeroU32::MIN);
        let per_minute = NonZeroU32::new(limit.requests_per_minute);
        let general = per_minute.map(|per_minute| Limit::new("default", per_minute, burst));
        Self { general, own: Mutex::default(), burst }
    }

    /// Counts a request. Returns the rate limit headers, if there is a limit, or a 429 response with the time to wait.
    fn check(&self, caller: &Caller) -> Result<Option<RateHeaders>, Problem> {
        match caller.requests_per_minute {
            None => self.general.as_ref().map(|limit| limit.check(&caller.key)).transpose(),
            Some(own) => match NonZeroU32::new(own) {
                None => Ok(None),
                Some(own) => self.own(own).check(&caller.key).map(Some),
            },
        }
    }

    fn own(&self, per_minute: NonZeroU32) -> Arc<Limit> {
        let mut own = self.own.lock().unwrap_or_else(PoisonError::into_inner);
        // A burst must not exceed what a whole minute allows.
        let burst = self.burst.min(per_minute);
        let limit = own.entry(per_minute).or_insert_with(|| Arc::new(Limit::new("key", per_minute, burst)));
        Arc::clone(limit)
    }

    /// Drops the state of keys that have not been used for a while.
    pub fn drop_idle_keys(&self) {
        if let Some(general) = &self.general {
            general.limiter.retain_recent();
        }
        self.own.lock().unwrap_or_else(PoisonError::into_inner).retain(|_, limit| {
            limit.limiter.retain_recent();
            !limit.limiter.is_empty()
        });
    }
}

impl Limit {
    fn new(name: &'static str, per_minute: NonZeroU32, burst: NonZeroU32) -> Self {
        let clock = DefaultClock::default();
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        let limiter = RateLimiter::dashmap_with_clock(quota, clock.clone()).with_middleware();
        Self { limiter, clock, name, per_minute }
    }

    fn check(&self, key: &KeyId) -> Result<RateHeaders, Problem> {
        match self.limiter.check_key(key) {
            Ok(left) => Ok([(POLICY, self.policy()), (LIMIT, self.rate(left.remaining_burst_capacity(), 0))]),
            Err(not_until) => {
                let wait = not_until.wait_time_from(self.clock.now());
                // Rounded up: a retry that comes too early would be rejected again.
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                Err(Problem::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    format!("Too many requests; try again in {seconds} s."),
                )
                .with(header::RETRY_AFTER, HeaderValue::from(seconds))
                .with(POLICY, self.policy())
                .with(LIMIT, self.rate(0, seconds)))
            }
        }
    }

    fn policy(&self) -> HeaderValue {
        header_value(&format!("\"{}\";q={};w=60", self.name, self.per_minute))
    }

    fn rate(&self, remaining: u32, seconds: u64) -> HeaderValue {
        header_value(&format!("\"{}\";r={remaining};t={seconds}", self.name))
    }
}

fn header_value(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static("\"default\""))
}
