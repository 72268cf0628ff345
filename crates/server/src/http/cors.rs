//! Cross-origin requests (CORS): lets pages of configured origins call the API from a browser.
//!
//! Written here instead of a ready-made layer because it has to be the outermost one, so that errors of every other layer carry the
//! headers too, and because `/public/*` has rules of its own. Credentials are never allowed: a page sends its key itself, and a
//! browser that sent cookies of its own accord would be no reason to trust it.

use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

use crate::config::Origins;

const METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, POST, PUT, DELETE");
const REQUEST_HEADERS: HeaderValue =
    HeaderValue::from_static("X-API-KEY, Content-Type, Accept, Prefer, X-Min-Log-Position");
const RESPONSE_HEADERS: HeaderValue = HeaderValue::from_static(
    "X-Ignored-Parameters, X-Request-Id, Location, Link, Retry-After, RateLimit, RateLimit-Policy, Server-Timing, \
     X-Log-Position",
);

/// How long a browser may remember a preflight: two hours, the most that Chromium honours.
const MAX_AGE_SECONDS: HeaderValue = HeaderValue::from_static("7200");

/// Open to every origin: it needs no key.
const PUBLIC: &str = "/public/";

/// What the origin of a request may do.
pub struct CrossOrigin {
    /// The value of `Access-Control-Allow-Origin`, if the origin is allowed.
    allowed: Option<HeaderValue>,
    /// The response depends on the origin, so caches must tell origins apart.
    varies: bool,
    preflight: bool,
}

impl CrossOrigin {
    pub fn of(origins: &Origins, request: &Request) -> Self {
        let headers = request.headers();
        let any = || Some(HeaderValue::from_static("*"));
        let (allowed, varies) = if request.uri().path().starts_with(PUBLIC) {
            (any(), false)
        } else {
            match origins {
                Origins::Any => (any(), false),
                Origins::Listed(listed) => {
                    let origin = headers.get(header::ORIGIN);
                    let is_listed = |origin: &&HeaderValue| {
                        listed.iter().any(|listed| listed.as_bytes() == origin.as_bytes())
                    };
                    (origin.filter(is_listed).cloned(), !listed.is_empty())
                }
            }
        };
        let preflight = request.method() == Method::OPTIONS
            && headers.contains_key(header::ORIGIN)
            && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        Self { allowed, varies, preflight }
    }

    /// Returns the response to a preflight of an allowed origin. It needs no key, because browsers send none with it.
    pub fn preflight(&self) -> Option<Response> {
        (self.preflight && self.allowed.is_some()).then(|| {
            let headers = [
                (header::ACCESS_CONTROL_ALLOW_METHODS, METHODS),
                (header::ACCESS_CONTROL_ALLOW_HEADERS, REQUEST_HEADERS),
                (header::ACCESS_CONTROL_MAX_AGE, MAX_AGE_SECONDS),
            ];
            (StatusCode::NO_CONTENT, headers).into_response()
        })
    }

    /// Adds the headers that every response of an allowed origin carries, errors included.
    pub fn add_headers(self, headers: &mut HeaderMap) {
        if self.varies {
            headers.append(header::VARY, HeaderValue::from_static("Origin"));
        }
        if let Some(allowed) = self.allowed {
            headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, allowed);
            if !self.preflight {
                headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, RESPONSE_HEADERS);
            }
        }
    }
}
