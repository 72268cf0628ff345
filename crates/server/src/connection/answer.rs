//! Answers that hyper makes by itself, replaced by ours.
//!
//! hyper answers a request that it cannot parse with a bare status, before any of our code has seen the request. There is no setting
//! and no hook for it. A parser of our own in front of hyper could answer instead, but two parsers that disagree about one request
//! are how requests are smuggled. So the bare answer is recognised on its way out, by what it lacks: every response of ours has more
//! headers than `connection`, `content-length` and `date`. It is only looked for while no request is in progress, and what is left
//! of a body then cannot look like it: no body of ours has the line breaks of a head.

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};

use crate::http::Shared;
use crate::http::own_headers;
use crate::metrics::RequestLabels;

/// More than a bare answer has.
const BARE_BYTES_MAX: usize = 256;

/// An error response without a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerTemplate {
    status: StatusCode,
    description: &'static str,
}

impl AnswerTemplate {
    pub const MALFORMED: Self =
        Self { status: StatusCode::BAD_REQUEST, description: "The request is not valid HTTP/1.1." };
    pub const HEAD_TIMEOUT: Self = Self {
        status: StatusCode::REQUEST_TIMEOUT,
        description: "The request line and headers were not received in time.",
    };
    const TOO_LONG: Self =
        Self { status: StatusCode::URI_TOO_LONG, description: "The address of the request is too long." };
    const HEADERS_TOO_LARGE: Self = Self {
        status: StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE,
        description: "The request line and headers are too large.",
    };

    /// Returns the replacement for a status of hyper.
    fn of(status: u16) -> Option<Self> {
        let all = [Self::MALFORMED, Self::TOO_LONG, Self::HEADERS_TOO_LARGE];
        all.into_iter().find(|template| template.status.as_u16() == status)
    }

    /// Returns the whole response, and counts it.
    pub fn bytes(self, shared: &Shared) -> Vec<u8> {
        let Self { status, description } = self;
        let (method, route) = ("other".to_owned(), "unmatched".to_owned());
        shared
            .metrics
            .requests
            .get_or_create(&RequestLabels { method, route, status: status.as_u16() })
            .inc();
        let body = serde_json::to_vec(&wire::error::error(status.as_u16(), description)).unwrap_or_default();
        let mut headers = HeaderMap::new();
        headers.insert(header::CONTENT_TYPE, crate::http::LD_JSON);
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(body.len()));
        headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        let id = own_headers(shared, &mut headers);
        tracing::info!(status = status.as_u16(), id, "request refused: {description}");
        let reason = status.canonical_reason().unwrap_or_default();
        let mut bytes = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes();
        for (name, value) in &headers {
            write_header(&mut bytes, name, value);
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend(body);
        bytes
    }
}

fn write_header(bytes: &mut Vec<u8>, name: &HeaderName, value: &HeaderValue) {
    bytes.extend_from_slice(name.as_str().as_bytes());
    bytes.extend_from_slice(b": ");
    bytes.extend_from_slice(value.as_bytes());
    bytes.extend_from_slice(b"\r\n");
}

/// Finds a bare answer of hyper at the end of what it writes. Returns where it starts, and what to send instead.
pub fn find_bare(written: &[u8]) -> Option<(usize, AnswerTemplate)> {
    const STATUS_LINE: &[u8] = b"HTTP/1.1 4";
    if !written.ends_with(b"\r\n\r\n") {
        return None;
    }
    let from = written.len().saturating_sub(BARE_BYTES_MAX);
    let at = written[from..].windows(STATUS_LINE.len()).rposition(|window| window == STATUS_LINE)?;
    let start = from + at;
    let text = std::str::from_utf8(&written[start..]).ok()?;
    let mut lines = text.trim_end_matches("\r\n").split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let is_bare = lines.all(|line| {
        line.split_once(": ")
            .is_some_and(|(name, _)| matches!(name, "connection" | "content-length" | "date"))
    });
    AnswerTemplate::of(status).filter(|_| is_bare).map(|template| (start, template))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &str = "HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: Mon, 02 Mar 2026 09:00:00 GMT\r\n\r\n";

    #[test]
    fn a_bare_answer_is_found_at_the_end() {
        assert_eq!(find_bare(BARE.as_bytes()), Some((0, AnswerTemplate::MALFORMED)));
        let before = "HTTP/1.1 204 No Content\r\nx-request-id: 1\r\n\r\n";
        assert_eq!(find_bare(format!("{before}{BARE}").as_bytes()).unwrap().0, before.len());
        for (status, reason) in [(414, "URI Too Long"), (431, "Request Header Fields Too Large")] {
            let text = BARE.replace("400 Bad Request", &format!("{status} {reason}"));
            assert_eq!(find_bare(text.as_bytes()).unwrap().1.status.as_u16(), status);
        }
    }

    #[test]
    fn our_responses_are_not() {
        for text in [
            "",
            "\r\n\r\n",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            &BARE.replace("date:", "x-request-id: 1\r\ndate:"),
            &BARE.replace("\r\n\r\n", "\r\n\r\n{}"),
            &BARE[..BARE.len() - 2],
        ] {
            assert_eq!(find_bare(text.as_bytes()), None, "{text}");
        }
    }
}
