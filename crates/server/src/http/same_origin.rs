//! Whether a request that carries a session comes from a page of this server.
//!
//! A browser sends the cookie of a session by itself, so a page of another origin could make it act for a user who is signed in. The
//! cookie is `SameSite=Strict`, which keeps other sites out; this check also keeps out other origins of the same site, and browsers
//! that ignore the attribute. `Sec-Fetch-Site` cannot be set by a page. Browsers omit it over plain HTTP, except on loopback; then
//! `Origin`, which they send with every request that is not a plain read, must name the host of the request.

use axum::extract::Request;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};

use super::Shared;
use super::error::Problem;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// What the browser says about where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    SameOrigin,
    /// Not from a page: typed, or a bookmark.
    User,
    Other,
    Unknown,
}

/// Refuses a request with a session that another origin may have caused.
pub fn check(shared: &Shared, method: &Method, headers: &HeaderMap) -> Result<(), Problem> {
    let is_allowed = match source(shared.config.email.chosen_public_url(), headers) {
        Source::SameOrigin => true,
        Source::User | Source::Unknown => method.is_safe(),
        Source::Other => false,
    };
    if is_allowed { Ok(()) } else { Err(refused()) }
}

/// Refuses a sign-in that a page of another origin has caused: it would sign its visitor in with a key of another user. A client that is no
/// browser says nothing about its origin.
pub fn check_sign_in(shared: &Shared, request: &Request) -> Result<(), Problem> {
    match source(shared.config.email.chosen_public_url(), request.headers()) {
        Source::Other => Err(refused()),
        Source::SameOrigin | Source::User | Source::Unknown => Ok(()),
    }
}

fn refused() -> Problem {
    let message = "Access Denied. With a session, requests must come from a page of this server: the origin of this one is another \
                   or unknown. Programs should send a key in the X-API-KEY header instead.";
    Problem::new(StatusCode::FORBIDDEN, message)
}

fn source(public_url: Option<&str>, headers: &HeaderMap) -> Source {
    let site = headers.get(SEC_FETCH_SITE).map(|site| site.as_bytes());
    match (site, headers.get(header::ORIGIN)) {
        (Some(b"same-origin"), _) => Source::SameOrigin,
        (Some(b"none"), _) => Source::User,
        (Some(_), _) => Source::Other,
        (None, None) => Source::Unknown,
        (None, Some(origin)) => match origin.to_str() {
            Ok(origin) if is_own(origin, public_url, headers) => Source::SameOrigin,
            _ => Source::Other,
        },
    }
}

/// Whether an origin is the address that the client asked, or the public one: a proxy may ask under another name.
fn is_own(origin: &str, public_url: Option<&str>, headers: &HeaderMap) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    if !matches!(scheme, "http" | "https") {
        return false;
    }
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok());
    let is_host = host.is_some_and(|host| host.eq_ignore_ascii_case(authority));
    is_host || public_url.is_some_and(|url| url.trim_end_matches('/').eq_ignore_ascii_case(origin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn browsers_tell_where_a_request_comes_from() {
        let check = |site: &str, origin: &str, expected: Source| {
            let mut headers = HeaderMap::new();
            headers.insert(header::HOST, "vigie.test:8080".parse().unwrap());
            if !site.is_empty() {
                headers.insert(SEC_FETCH_SITE, site.parse().unwrap());
            }
            if !origin.is_empty() {
                headers.insert(header::ORIGIN, origin.parse().unwrap());
            }
            assert_eq!(source(Some("https://vigie.example/"), &headers), expected, "{site} {origin}");
        };
        check("", "", Source::Unknown);
        check("same-origin", "", Source::SameOrigin);
        check("none", "", Source::User);
        check("same-site", "", Source::Other);
        check("cross-site", "http://vigie.test:8080", Source::Other);
        check("", "http://vigie.test:8080", Source::SameOrigin);
        check("", "https://VIGIE.test:8080", Source::SameOrigin);
        check("", "https://vigie.example", Source::SameOrigin);
        for other in [
            "http://vigie.test",
            "http://vigie.test:80801",
            "http://evil.test",
            "null",
            "file://vigie.test:8080",
        ] {
            check("", other, Source::Other);
        }
    }
}
