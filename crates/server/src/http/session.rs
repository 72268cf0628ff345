//! Sessions of the console: a key is exchanged for a cookie that scripts cannot read, so that the key does not lie in the browser.
//!
//! Every operation that needs a key accepts the cookie in its place ([`auth`]), with the scopes and limits of the key.

use std::net::IpAddr;
use std::num::NonZeroU32;

use app::access::{Caller, KeyText, SessionToken, SignedIn};
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Response};
use description::OperationId;
use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use wire::session::{SessionInput, SessionResource, parse_sign_in};

use super::error::{Problem, json};
use super::{Shared, auth, body, link, same_origin};
use crate::connection::{Peer, counted_as};

const COOKIE: &str = "vigie-session";

/// The cookie of a request.
#[derive(Debug)]
pub enum SessionCookie {
    Absent,
    /// Not a token, or several.
    Invalid,
    Token(SessionToken),
}

impl SessionCookie {
    pub fn of(headers: &HeaderMap) -> Self {
        let values = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let pairs = values.flat_map(|value| value.split(';')).filter_map(|pair| pair.split_once('='));
        let mut found = pairs.filter(|(name, _)| name.trim() == COOKIE).map(|(_, value)| value.trim());
        match (found.next(), found.next()) {
            (None, _) => Self::Absent,
            (Some(text), None) => SessionToken::parse(text).map_or(Self::Invalid, Self::Token),
            // Another host of the domain may have set the second one.
            (Some(_), Some(_)) => Self::Invalid,
        }
    }
}

/// Returns the caller of a request without a key. `None` if it has no cookie either.
pub async fn caller(
    shared: &Shared,
    method: &Method,
    headers: &HeaderMap,
) -> Result<Option<Caller>, Problem> {
    if !shared.config.console.enabled {
        return Ok(None);
    }
    let signed_in = match SessionCookie::of(headers) {
        SessionCookie::Absent => return Ok(None),
        SessionCookie::Invalid => None,
        SessionCookie::Token(token) => shared.app.signed_in(&token).await?,
    };
    let signed_in = signed_in.ok_or_else(ended)?;
    same_origin::check(shared, method, headers)?;
    Ok(Some(signed_in.caller))
}

/// Returns the caller of a cookie, as far as it is known without waiting.
pub fn known_caller(shared: &Shared, headers: &HeaderMap) -> Option<Caller> {
    match SessionCookie::of(headers) {
        SessionCookie::Token(token) if shared.config.console.enabled => {
            shared.app.known_session(&token).map(|known| known.caller)
        }
        _ => None,
    }
}

/// `POST /console/session`: signs in.
pub async fn begin(State(shared): State<Shared>, request: Request) -> Result<Response, Problem> {
    check_enabled(&shared)?;
    same_origin::check_sign_in(&shared, &request)?;
    let peer = request.extensions().get::<Peer>().map(|Peer(address)| *address);
    let before = SessionCookie::of(request.headers());
    let is_https = link::is_https(request.headers());
    let body = body::json(&shared, OperationId::SignIn, request).await?;
    let text = parse_sign_in(&body).map_err(|violations| Problem::violations(&violations))?;
    // The same response for a malformed, unknown, revoked and expired key, so that it reveals nothing.
    let refused = || auth::unauthorised("This key is not valid.");
    let key = KeyText::parse(&text);
    // A key that is in memory costs nothing to check, and behind a proxy all people have one address: who tries unknown keys must not
    // keep the others from signing in.
    if key.as_ref().is_none_or(|key| shared.app.known_caller(key).is_none()) {
        shared.sign_in_limit.check(peer)?;
    }
    let key = key.ok_or_else(refused)?;
    let begun = shared.app.begin_session(&key, shared.config.console.session_life).await?;
    let (token, signed_in) = begun.ok_or_else(refused)?;
    if let SessionCookie::Token(before) = before {
        shared.app.end_session(&before).await?;
    }
    tracing::info!(key = signed_in.caller.key.as_str(), "signed in to the console");
    let seconds = shared.config.console.session_life.as_secs().max(1);
    let response = present(&shared, StatusCode::CREATED, &signed_in);
    Ok(with_cookie(&shared, response, &token.reveal(), seconds, is_https))
}

/// `GET /console/session`
pub async fn one(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    check_enabled(&shared)?;
    let signed_in = match SessionCookie::of(&headers) {
        SessionCookie::Token(token) => shared.app.signed_in(&token).await?,
        SessionCookie::Absent | SessionCookie::Invalid => None,
    };
    let signed_in = signed_in.ok_or_else(ended)?;
    same_origin::check(&shared, &Method::GET, &headers)?;
    Ok(present(&shared, StatusCode::OK, &signed_in))
}

/// `DELETE /console/session`: signs out. Does nothing but remove the cookie if the session has ended.
pub async fn end(State(shared): State<Shared>, headers: HeaderMap) -> Result<Response, Problem> {
    check_enabled(&shared)?;
    if let SessionCookie::Token(token) = SessionCookie::of(&headers) {
        same_origin::check(&shared, &Method::DELETE, &headers)?;
        if let Some(key) = shared.app.end_session(&token).await? {
            tracing::info!(key = key.as_str(), "signed out of the console");
        }
    }
    let is_https = link::is_https(&headers);
    Ok(with_cookie(&shared, StatusCode::NO_CONTENT.into_response(), "", 0, is_https))
}

fn check_enabled(shared: &Shared) -> Result<(), Problem> {
    if shared.config.console.enabled { Ok(()) } else { Err(Problem::not_found()) }
}

fn ended() -> Problem {
    auth::unauthorised("The session has ended, or its key is no longer valid. Sign in again.")
}

fn present(shared: &Shared, status: StatusCode, signed_in: &SignedIn) -> Response {
    let SignedIn { caller, label, expires_at } = signed_in;
    let resource = SessionResource::of(&SessionInput {
        user: &caller.user.name,
        label: label.as_ref(),
        scopes: caller.scopes,
        expires_at: *expires_at,
        zone: &shared.config.time_zone,
    });
    json(status, &resource)
}

/// Sets the cookie. A life of zero removes it.
fn with_cookie(
    shared: &Shared,
    mut response: Response,
    token: &str,
    seconds: u64,
    is_https: bool,
) -> Response {
    let public = shared.config.email.chosen_public_url();
    let is_https = is_https || public.is_some_and(|url| url.starts_with("https://"));
    let secure = if is_https { "; Secure" } else { "" };
    let cookie = format!("{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
    if let Ok(cookie) = HeaderValue::from_str(&cookie) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    response
}

/// Limits sign-ins by address: a key cannot be guessed, but each attempt costs a look at the store.
pub struct SignInLimit {
    /// `None` is no limit.
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    clock: DefaultClock,
}

impl SignInLimit {
    /// Zero is no limit.
    pub fn new(per_minute: u32) -> Self {
        let clock = DefaultClock::default();
        let limiter = NonZeroU32::new(per_minute)
            .map(|limit| RateLimiter::dashmap_with_clock(Quota::per_minute(limit), clock.clone()));
        Self { limiter, clock }
    }

    fn check(&self, peer: Option<IpAddr>) -> Result<(), Problem> {
        let (Some(limiter), Some(peer)) = (&self.limiter, peer) else { return Ok(()) };
        limiter.check_key(&counted_as(peer)).map_err(|not_until| {
            let wait = not_until.wait_time_from(self.clock.now());
            // Rounded up: a retry that comes too early would be refused again.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            let message = format!(
                "Too many sign-ins from this address (console.sign_ins_per_minute_max); try again in {seconds} s."
            );
            Problem::new(StatusCode::TOO_MANY_REQUESTS, message)
                .with(header::RETRY_AFTER, HeaderValue::from(seconds))
        })
    }

    /// Drops addresses without recent sign-ins.
    pub fn drop_idle(&self) {
        if let Some(limiter) = &self.limiter {
            limiter.retain_recent();
        }
    }
}
