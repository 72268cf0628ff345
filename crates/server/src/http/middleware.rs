//! Middleware around every request: request id, limits, responses for unknown routes and methods, CORS, compression, log and
//! metrics.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{MatchedPath, Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use futures_util::FutureExt;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use prometheus_client::metrics::gauge::Gauge;
use store::Position;
use tracing::Instrument;

use super::compression::{self, Encoding};
use super::cors::CrossOrigin;
use super::error::Problem;
use super::host;
use super::link::Base;
use super::shares::{Shares, Slot};
use super::{Shared, auth};
use crate::connection::LongQuery;
use crate::metrics::{RequestLabels, RouteLabels};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const SERVER_TIMING: HeaderName = HeaderName::from_static("server-timing");
const LOG_POSITION: HeaderName = HeaderName::from_static("x-log-position");
const MIN_LOG_POSITION: HeaderName = HeaderName::from_static("x-min-log-position");

/// How long a request waits for the position that it asks for.
const POSITION_TIMEOUT: Duration = Duration::from_secs(5);

/// Routes that are answered however many requests are in progress: an operator must see a server that has too much to do.
const UNLIMITED: [&str; 3] = ["/healthz", "/readyz", "/metrics"];

/// One user's share of `limits.requests_max`: one part in this many.
const SHARE: usize = 4;

/// Slot of a request, counted against `limits.requests_max`. Released when the last clone is dropped.
#[derive(Clone)]
pub struct RequestPermit(#[expect(dead_code, reason = "held, not read")] Arc<Slot>);

pub fn layer(router: Router<Shared>, shared: &Shared) -> Router<Shared> {
    let requests_max = shared.config.limits.requests_max;
    let shares = Shares::new(requests_max, requests_max / SHARE);
    router
        .fallback(async || Problem::not_found())
        .method_not_allowed_fallback(async || {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "Method not allowed for this path.")
        })
        .layer(middleware::from_fn_with_state((shared.clone(), shares), handle))
}

/// A request in progress, until it is answered or its client disconnects.
struct InFlight(Gauge);

impl InFlight {
    fn new(gauge: &Gauge) -> Self {
        gauge.inc();
        Self(gauge.clone())
    }
}

impl Drop for InFlight {
    fn drop(&mut self) {
        self.0.dec();
    }
}

async fn handle(
    State((shared, shares)): State<(Shared, Arc<Shares>)>,
    mut request: Request,
    next: Next,
) -> Response {
    let started = Instant::now();
    let id = request_id(request.headers(), &shared);
    let method = method_label(request.method());
    let route =
        request.extensions().get::<MatchedPath>().map_or("unmatched", |path| path.as_str()).to_owned();
    let span = tracing::info_span!(
        "request",
        id = id.to_str().unwrap_or_default(),
        method,
        route,
        key = tracing::field::Empty
    );

    let email = &shared.config.email;
    let base = Base::of(email.chosen_public_url(), request.headers(), &email.public_url);
    let link = base.documentation_link();
    request.extensions_mut().insert(base);
    let cross_origin = CrossOrigin::of(&shared.config.http.cors_origins, &request);
    let accepted = Encoding::accepted(request.headers());

    let in_flight = InFlight::new(&shared.metrics.requests_in_flight);
    let response = match cross_origin.preflight() {
        Some(preflight) => preflight,
        None => match host::check(&request) {
            Ok(()) => run_limited(&shared, &shares, request, next).instrument(span.clone()).await,
            Err(problem) => problem.into_response(),
        },
    };
    let mut response = compression::compress(response, accepted).await;
    drop(in_flight);

    let status = response.status();
    let elapsed = started.elapsed();
    let _entered = span.entered();
    let (code, milliseconds) = (status.as_u16(), elapsed.as_secs_f64() * 1e3);
    // Probes come every few seconds and would hide the requests of clients.
    if is_probe(&route) {
        tracing::debug!(status = code, milliseconds, "request completed");
    } else {
        tracing::info!(status = code, milliseconds, "request completed");
    }
    shared
        .metrics
        .request_seconds
        .get_or_create(&RouteLabels { method: method.clone(), route: route.clone() })
        .observe(elapsed.as_secs_f64());
    shared.metrics.requests.get_or_create(&RequestLabels { method, route, status: status.as_u16() }).inc();

    let headers = response.headers_mut();
    common_headers(headers, id, link);
    if let Ok(timing) = HeaderValue::try_from(format!("total;dur={milliseconds:.3}")) {
        headers.insert(SERVER_TIMING, timing);
    }
    if let Some(position) = shared.app.visible_position() {
        headers.insert(LOG_POSITION, HeaderValue::from(position.0));
    }
    cross_origin.add_headers(headers);
    response
}

/// Waits until this server has the changes that the client knows of, from an answer of another server.
async fn wait_for_position(shared: &Shared, headers: &HeaderMap) -> Result<(), Problem> {
    let Some(value) = headers.get(MIN_LOG_POSITION) else { return Ok(()) };
    let position = value.to_str().ok().and_then(|text| text.parse().ok()).map(Position);
    let Some(position) = position else {
        let message = format!("X-Min-Log-Position: {value:?} is not a log position such as 1234.");
        return Err(Problem::bad_request(message));
    };
    if shared.app.wait_for_position(position, POSITION_TIMEOUT).await {
        return Ok(());
    }
    let message = format!("This server has not seen the changes up to log position {} yet.", position.0);
    Err(Problem::unavailable(message, 1))
}

/// Adds the headers that every response has.
fn common_headers(headers: &mut HeaderMap, id: HeaderValue, link: HeaderValue) {
    headers.insert(REQUEST_ID, id);
    headers.insert(header::LINK, link);
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
}

/// Adds the headers of a response to something that is no request. Returns its id.
pub fn own_headers(shared: &Shared, headers: &mut HeaderMap) -> String {
    let nothing = HeaderMap::new();
    let email = &shared.config.email;
    let link = Base::of(email.chosen_public_url(), &nothing, &email.public_url).documentation_link();
    let id = request_id(&nothing, shared);
    let text = id.to_str().unwrap_or_default().to_owned();
    common_headers(headers, id, link);
    text
}

/// Whether a route is asked for by machines that watch the server, all the time.
fn is_probe(route: &str) -> bool {
    matches!(route, "/healthz" | "/readyz" | "/metrics")
}

async fn run_limited(shared: &Shared, shares: &Arc<Shares>, mut request: Request, next: Next) -> Response {
    let limits = &shared.config.limits;
    let route = request.extensions().get::<MatchedPath>();
    if !route.is_some_and(|route| UNLIMITED.contains(&route.as_str())) {
        let holder = auth::holder(shared, &request);
        // Reject excess requests at once instead of queueing them until all time out.
        match shares.take(holder) {
            // Held until the response is complete. A stream, whose body outlives this function, keeps a clone.
            Ok(slot) => drop(request.extensions_mut().insert(RequestPermit(Arc::new(slot)))),
            Err(refused) => return refused.of_request(holder, shares).into_response(),
        }
        if let Err(problem) = wait_for_position(shared, request.headers()).await {
            return problem.into_response();
        }
    }
    let _permit = request.extensions().get::<RequestPermit>().cloned();
    if header_bytes(&request) > limits.header_bytes_max {
        let message =
            format!("The request line and headers are larger than {} bytes.", limits.header_bytes_max);
        return Problem::new(StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE, message).into_response();
    }
    // A panic is a defect of ours: answer the client and continue to serve others.
    let response = AssertUnwindSafe(next.run(request)).catch_unwind();
    match tokio::time::timeout(limits.request_timeout, response).await {
        Ok(Ok(response)) => response,
        Ok(Err(_panic)) => {
            tracing::error!("request handler panicked; please report this defect with the log lines above");
            Problem::internal().into_response()
        }
        Err(_elapsed) => {
            let message = format!("The request took longer than {:?}.", limits.request_timeout);
            Problem::new(StatusCode::REQUEST_TIMEOUT, message)
                .with(header::CONNECTION, HeaderValue::from_static("close"))
                .into_response()
        }
    }
}

/// Returns the client's request id if it is safe to echo, else a new one.
fn request_id(headers: &HeaderMap, shared: &Shared) -> HeaderValue {
    let is_safe = |value: &&HeaderValue| {
        (1..=128).contains(&value.len())
            && value
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
    };
    match headers.get(REQUEST_ID).filter(is_safe) {
        Some(given) => given.clone(),
        None => HeaderValue::from_str(&shared.app.fresh_id().to_string())
            .unwrap_or_else(|_| HeaderValue::from_static("unknown")),
    }
}

/// Returns the metric label of a method. Unknown methods share one label: each could create a new series otherwise.
fn method_label(method: &Method) -> String {
    match *method {
        Method::GET
        | Method::HEAD
        | Method::POST
        | Method::PUT
        | Method::PATCH
        | Method::DELETE
        | Method::OPTIONS => method.to_string(),
        _ => "other".to_owned(),
    }
}

fn header_bytes(request: &Request) -> usize {
    let long = request.extensions().get::<LongQuery>().map_or(0, |LongQuery(query)| query.len());
    let line = request.uri().path_and_query().map_or(0, |target| target.as_str().len()) + long;
    let headers: usize =
        request.headers().iter().map(|(name, value)| name.as_str().len() + value.len() + 4).sum();
    line + headers
}
