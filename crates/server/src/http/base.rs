//! The absolute address of the service, for links that parsers do not resolve.

use http::header::HOST;
use http::{HeaderMap, HeaderValue};

/// The absolute address under which a client reaches the service, without a final slash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base(pub String);

impl Base {
    /// Returns the configured address, else one made from the host that the request names. Behind a proxy that ends TLS only the
    /// setting is right.
    pub fn of(configured: &str, headers: &HeaderMap) -> Self {
        let configured = configured.trim_end_matches('/');
        if !configured.is_empty() {
            return Self(configured.to_owned());
        }
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).filter(|host| is_host(host));
        Self(format!("http://{}", host.unwrap_or("localhost")))
    }

    /// Returns the `Link` to the Hydra documentation.
    pub fn documentation_link(&self) -> Option<HeaderValue> {
        let relation = "http://www.w3.org/ns/hydra/core#apiDocumentation";
        HeaderValue::from_str(&format!("<{}/docs.jsonld>; rel=\"{relation}\"", self.0)).ok()
    }
}

/// Whether a host can stand in a header and in a document: names, addresses and ports, nothing else.
fn is_host(host: &str) -> bool {
    let is_safe =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b':' | b'[' | b']' | b'_');
    (1..=255).contains(&host.len()) && host.bytes().all(is_safe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn setting_counts_more_than_the_host() {
        let mut headers = HeaderMap::new();
        assert_eq!(Base::of("", &headers).0, "http://localhost");
        headers.insert(HOST, HeaderValue::from_static("[::1]:8080"));
        assert_eq!(Base::of("", &headers).0, "http://[::1]:8080");
        assert_eq!(Base::of("https://vigie.example/", &headers).0, "https://vigie.example");
        headers.insert(HOST, HeaderValue::from_static("a\"> b"));
        assert_eq!(Base::of("", &headers).0, "http://localhost");
    }
}
