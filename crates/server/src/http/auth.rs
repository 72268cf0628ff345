//! Authentication by API key, scopes and rate limits.

use std::num::NonZeroU32;
use std::sync::Arc;

use app::access::{Caller, KeyText};
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::routing::MethodRouter;
use domain::{KeyId, Scope};
use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use super::Shared;
use super::error::Problem;
use crate::config::RateLimit;

const API_KEY: HeaderName = HeaderName::from_static("x-api-key");

/// Requires a key, with the given scope if there is one. The key is checked before the body is read, so that an unauthenticated client cannot send
/// one.
pub fn guard(shared: &Shared, scope: Option<Scope>, methods: MethodRouter<Shared>) -> MethodRouter<Shared> {
    methods.route_layer(middleware::from_fn_with_state((shared.clone(), scope), authorise))
}

async fn authorise(
    State((shared, scope)): State<(Shared, Option<Scope>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let caller = match caller(&shared, request.headers(), scope).await {
        Ok(caller) => caller,
        Err(problem) => return problem.into_response(),
    };
    let allowance = match shared.rate_limits.as_ref().map(|limits| limits.check(&caller.key)).transpose() {
        Ok(allowance) => allowance,
        Err(problem) => return problem.into_response(),
    };
    tracing::Span::current().record("key", caller.key.as_str());
    request.extensions_mut().insert(caller);
    let mut response = next.run(request).await;
    response.headers_mut().extend(allowance.into_iter().flatten());
    response
}

async fn caller(shared: &Shared, headers: &HeaderMap, scope: Option<Scope>) -> Result<Caller, Problem> {
    // The same response for a missing, malformed, unknown and revoked key, so that it reveals nothing.
    let refused = || {
        Problem::new(StatusCode::UNAUTHORIZED, "A valid API key is required in the X-API-KEY header.")
            .with(header::WWW_AUTHENTICATE, HeaderValue::from_static("ApiKey realm=\"vigie\""))
    };
    let mut keys = headers.get_all(API_KEY).iter();
    let (Some(key), None) = (keys.next(), keys.next()) else { return Err(refused()) };
    let key = key.to_str().ok().and_then(KeyText::parse).ok_or_else(refused)?;
    let caller = shared.app.caller(&key).await?.ok_or_else(refused)?;
    if scope.is_none_or(|scope| caller.may(scope)) {
        Ok(caller)
    } else {
        Err(Problem::new(StatusCode::FORBIDDEN, "Access Denied."))
    }
}

type Limiter = RateLimiter<KeyId, DefaultKeyedStateStore<KeyId>, DefaultClock, StateInformationMiddleware>;

/// Limits requests per minute and key.
pub struct RateLimits {
    limiter: Arc<Limiter>,
    clock: DefaultClock,
    policy: HeaderValue,
}

type RateHeaders = [(HeaderName, HeaderValue); 2];

const POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");
const LIMIT: HeaderName = HeaderName::from_static("ratelimit");

impl RateLimits {
    pub fn new(limit: RateLimit) -> Option<Self> {
        let per_minute = NonZeroU32::new(limit.requests_per_minute)?;
        let burst = NonZeroU32::new(limit.burst).unwrap_or(NonZeroU32::MIN);
        let clock = DefaultClock::default();
        let quota = Quota::per_minute(per_minute).allow_burst(burst);
        let limiter = RateLimiter::dashmap_with_clock(quota, clock.clone());
        let policy = HeaderValue::from_str(&format!("\"default\";q={per_minute};w=60")).ok()?;
        Some(Self { limiter: Arc::new(limiter.with_middleware()), clock, policy })
    }

    /// Counts a request of the key. Returns the rate limit headers, or a 429 response with the time to wait.
    fn check(&self, key: &KeyId) -> Result<RateHeaders, Problem> {
        match self.limiter.check_key(key) {
            Ok(left) => {
                Ok([(POLICY, self.policy.clone()), (LIMIT, rate(left.remaining_burst_capacity(), 0))])
            }
            Err(not_until) => {
                let wait = not_until.wait_time_from(self.clock.now());
                // Rounded up: a retry that comes too early would be rejected again.
                let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
                Err(Problem::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    format!("Too many requests; try again in {seconds} s."),
                )
                .with(header::RETRY_AFTER, HeaderValue::from(seconds))
                .with(POLICY, self.policy.clone())
                .with(LIMIT, rate(0, seconds)))
            }
        }
    }

    /// Drops the state of keys that have not been used for a while.
    pub fn drop_idle_keys(&self) {
        self.limiter.retain_recent();
    }
}

fn rate(remaining: u32, seconds: u64) -> HeaderValue {
    HeaderValue::from_str(&format!("\"default\";r={remaining};t={seconds}"))
        .unwrap_or_else(|_| HeaderValue::from_static("\"default\";r=0"))
}
