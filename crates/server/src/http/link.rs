//! The absolute address of the service, and the `Link` header that leads every client to the documentation of the API.

use http::{HeaderMap, HeaderName, HeaderValue, header};

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// Longer than any host name and port.
const HOST_BYTES_MAX: usize = 300;

/// The absolute address of the service, without a final slash.
#[derive(Debug, Clone)]
pub struct Base(pub String);

impl Base {
    /// Returns `public_url` if it is set; otherwise the address that the client used, as far as the request tells it; otherwise
    /// `fallback`.
    pub fn of(public_url: Option<&str>, headers: &HeaderMap, fallback: &str) -> Self {
        let base = match public_url {
            Some(url) => url.to_owned(),
            None => requested(headers).unwrap_or_else(|| fallback.to_owned()),
        };
        Self(base.trim_end_matches('/').to_owned())
    }

    /// Returns the `Link` header.
    pub fn documentation_link(&self) -> HeaderValue {
        let relation = "http://www.w3.org/ns/hydra/core#apiDocumentation";
        let link = format!("<{}/docs.jsonld>; rel=\"{relation}\"", self.0);
        // The base is visible ASCII, so this does not fail.
        HeaderValue::from_str(&link).unwrap_or_else(|_| HeaderValue::from_static("</docs.jsonld>"))
    }
}

/// Returns the address of the server as the client knows it. `None` if `Host` is missing, repeated or not a host.
fn requested(headers: &HeaderMap) -> Option<String> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else { return None };
    let host = host.to_str().ok().filter(|host| is_host(host))?;
    Some(format!("{}://{host}", if is_https(headers) { "https" } else { "http" }))
}

/// Whether the client used TLS, as a proxy in front of the server tells.
pub fn is_https(headers: &HeaderMap) -> bool {
    headers.get(FORWARDED_PROTO).is_some_and(|proto| proto.as_bytes() == b"https")
}

/// Returns `true` for a name or an address with an optional port. The text goes into a header between angle brackets, so anything
/// else is refused.
fn is_host(text: &str) -> bool {
    let (name, port) = match text.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((address, rest)) => {
            let is_address = address.parse::<std::net::Ipv6Addr>().is_ok();
            (is_address.then_some("v6"), rest.strip_prefix(':').or(rest.is_empty().then_some("0")))
        }
        None => {
            let (name, port) =
                text.split_once(':').map_or((text, Some("0")), |(name, port)| (name, Some(port)));
            (Some(name), port)
        }
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
    };
    text.len() <= HOST_BYTES_MAX
        && name.is_some_and(is_name)
        && port.is_some_and(|port| port.parse::<u16>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    const FALLBACK: &str = "http://127.0.0.1:8080";

    fn base(public_url: Option<&str>, given: &[(HeaderName, &str)]) -> String {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let link = Base::of(public_url, &headers, FALLBACK).documentation_link();
        let text = link.to_str().unwrap();
        let (address, relation) = text.split_once("/docs.jsonld>; ").unwrap();
        assert_eq!(relation, "rel=\"http://www.w3.org/ns/hydra/core#apiDocumentation\"");
        address.strip_prefix('<').unwrap().to_owned()
    }

    #[test]
    fn link_is_absolute() {
        let host = |host| (header::HOST, host);
        assert_eq!(base(Some("https://api.example/"), &[host("vigie.test")]), "https://api.example");
        assert_eq!(base(None, &[host("vigie.test:8080")]), "http://vigie.test:8080");
        assert_eq!(base(None, &[host("[::1]:8080")]), "http://[::1]:8080");
        let forwarded = (FORWARDED_PROTO, "https");
        assert_eq!(base(None, &[host("vigie.test"), forwarded]), "https://vigie.test");
        assert_eq!(base(None, &[host("vigie.test"), (FORWARDED_PROTO, "ftp")]), "http://vigie.test");
    }

    #[test]
    fn nonsense_hosts_are_not_repeated() {
        for wrong in
            ["", "a b", "a>b", "a/b", "user@host", "a:b", "a:99999", "a:", "[::1", "[x]", "clé", "a,b"]
        {
            assert_eq!(base(None, &[(header::HOST, wrong)]), FALLBACK, "{wrong}");
        }
        assert_eq!(base(None, &[(header::HOST, "a"), (header::HOST, "b")]), FALLBACK);
        assert_eq!(base(None, &[(header::HOST, &"a".repeat(301))]), FALLBACK);
        assert_eq!(base(None, &[]), FALLBACK);
    }
}
