//! The API page at `/docs`, and the documents it is made from.
//!
//! The page is plain HTML, CSS and JavaScript, compiled in from `assets/docs`. Its scripts load the OpenAPI document and show it, so the
//! page can say nothing that the document does not. It loads nothing from other origins, and its policy forbids scripts and styles
//! that are not files of ours: text from the document can never run.

use std::hash::{DefaultHasher, Hash, Hasher};

use axum::Extension;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use super::Shared;
use super::documentation;
use super::error::Problem;
use super::link::Base;
use super::negotiate;

const HTML: &str = "text/html";
const CSS: &str = "text/css";
const JAVASCRIPT: &str = "text/javascript";
const LD: &str = "application/ld+json";
const OPENAPI: &str = "application/vnd.oai.openapi+json";
const JSON: &str = "application/json";

/// What `/docs` can respond with. A client without a preference gets the page.
const OFFERS: [&str; 4] = [HTML, LD, OPENAPI, JSON];

/// Forbids everything but files of this server. Without inline scripts and styles, nothing in a document can become code.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; \
     base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// The files of the page, by the name they have below `/docs/`.
macro_rules! files {
    ($($name:literal: $content_type:expr),* $(,)?) => {
        &[$(($name, $content_type, include_str!(concat!("../../assets/docs/", $name)))),*]
    };
}

const PAGE: &str = include_str!("../../assets/docs/index.html");
const FILES: &[(&str, &str, &str)] = files! {
    "page.css": CSS,
    "code.css": CSS,
    "main.js": JAVASCRIPT,
    "description.js": JAVASCRIPT,
    "dom.js": JAVASCRIPT,
    "find.js": JAVASCRIPT,
    "introduction.js": JAVASCRIPT,
    "json.js": JAVASCRIPT,
    "key.js": JAVASCRIPT,
    "markdown.js": JAVASCRIPT,
    "navigation.js": JAVASCRIPT,
    "operation.js": JAVASCRIPT,
    "parameters.js": JAVASCRIPT,
    "request.js": JAVASCRIPT,
    "sample.js": JAVASCRIPT,
    "schema.js": JAVASCRIPT,
    "theme.js": JAVASCRIPT,
    "try.js": JAVASCRIPT,
};

/// The page with its files and documents, ready to be sent.
pub struct ApiPage {
    page: Document,
    files: Vec<(&'static str, Document)>,
    openapi: Document,
}

impl ApiPage {
    pub fn new() -> Self {
        let openapi = description::openapi::document(env!("CARGO_PKG_VERSION")).to_string();
        let file = |(name, content_type, text): &(&'static str, &str, &'static str)| {
            (
                *name,
                Document::new(&format!("{content_type}; charset=utf-8"), Bytes::from_static(text.as_bytes())),
            )
        };
        Self {
            page: Document::new("text/html; charset=utf-8", Bytes::from_static(PAGE.as_bytes())),
            files: FILES.iter().map(file).collect(),
            openapi: Document::new(OPENAPI, openapi.into()),
        }
    }

    fn page(&self, request: &HeaderMap) -> Response {
        let mut response = self.page.respond(request);
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_SECURITY_POLICY, POLICY);
        headers.insert(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        response
    }
}

/// A fixed response body.
struct Document {
    content_type: HeaderValue,
    body: Bytes,
    /// Weak, because a compressed response has the same tag.
    etag: HeaderValue,
}

impl Document {
    fn new(content_type: &str, body: Bytes) -> Self {
        let octets = HeaderValue::from_static("application/octet-stream");
        // Not for security: the tag changes when the binary does.
        let mut hasher = DefaultHasher::new();
        body.hash(&mut hasher);
        let etag = HeaderValue::from_str(&format!("W/\"{:016x}\"", hasher.finish()));
        Self {
            content_type: HeaderValue::from_str(content_type).unwrap_or(octets),
            body,
            etag: etag.unwrap_or(HeaderValue::from_static("W/\"0\"")),
        }
    }

    /// Responds with the body, or with 304 if the client has it. Clients ask each time, so that an upgrade is visible at once.
    fn respond(&self, request: &HeaderMap) -> Response {
        let cached = [
            (header::ETAG, self.etag.clone()),
            (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
        ];
        if self.is_known(request) {
            return (StatusCode::NOT_MODIFIED, cached).into_response();
        }
        (cached, [(header::CONTENT_TYPE, self.content_type.clone())], self.body.clone()).into_response()
    }

    /// The same, under the media type that the client named.
    fn respond_as(&self, content_type: &'static str, request: &HeaderMap) -> Response {
        let mut response = self.respond(request);
        if response.status() == StatusCode::OK {
            response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(content_type));
        }
        response
    }

    fn is_known(&self, request: &HeaderMap) -> bool {
        let tag = |text: &str| text.trim().trim_start_matches("W/").to_owned();
        let own = tag(self.etag.to_str().unwrap_or_default());
        let known = request.get_all(header::IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        known.flat_map(|value| value.split(',')).any(|value| value.trim() == "*" || tag(value) == own)
    }
}

/// `GET /docs`: the page, or one of the documents for clients that ask for it.
pub async fn page(State(shared): State<Shared>, base: Extension<Base>, headers: HeaderMap) -> Response {
    let api_page = &shared.api_page;
    let mut response = match negotiate::best(&headers, &OFFERS) {
        Some(HTML) => api_page.page(&headers),
        Some(LD) => documentation::hydra(base).await,
        Some(OPENAPI) => api_page.openapi.respond(&headers),
        Some(JSON) => api_page.openapi.respond_as(JSON, &headers),
        _ => {
            let supported = OFFERS.map(|offer| format!("\"{offer}\"")).join(", ");
            let description =
                format!("Requested format is not supported. Supported MIME types are {supported}.");
            Problem::new(StatusCode::NOT_ACCEPTABLE, description).into_response()
        }
    };
    response.headers_mut().insert(header::VARY, HeaderValue::from_static("accept"));
    response
}

/// `GET /docs/{file}`: a style sheet or script of the page.
pub async fn file(State(shared): State<Shared>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    match shared.api_page.files.iter().find(|(known, _)| *known == name) {
        Some((_, file)) => file.respond(&headers),
        None => Problem::not_found().into_response(),
    }
}

/// `GET /docs.json`: the OpenAPI document.
pub async fn open_api(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    shared.api_page.openapi.respond_as(JSON, &headers)
}

/// Sends browsers from the entry point to the page; `None` for other clients.
pub fn redirect_browser(headers: &HeaderMap) -> Option<Response> {
    let is_browser = negotiate::best(headers, &[LD, JSON, HTML]) == Some(HTML);
    let vary = (header::VARY, HeaderValue::from_static("accept"));
    let location = (header::LOCATION, HeaderValue::from_static("/docs"));
    is_browser.then(|| (StatusCode::SEE_OTHER, [location, vary]).into_response())
}
