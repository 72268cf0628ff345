//! The query of a request: read, judged, and what nobody asked for reported.

use axum::extract::{FromRequestParts, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::MethodRouter;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use wire::query::{Parameters, RawQuery};

use super::Shared;
use super::error::Problem;

const IGNORED: HeaderName = HeaderName::from_static("x-ignored-parameters");
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The query string of a request, and how strictly its sender wants it read.
pub struct QueryText {
    pub raw: RawQuery,
    strict: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for QueryText {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let raw = RawQuery::parse(parts.uri.query().unwrap_or_default())
            .ok_or_else(|| Problem::bad_request("The query string has too many parameters."))?;
        Ok(Self { raw, strict: wants_strict(&parts.headers) })
    }
}

impl QueryText {
    pub const fn parameters(&self) -> Parameters<'_> {
        Parameters::of(&self.raw)
    }

    /// Everything that could not be read is an error; what nobody asked for is one only for those who prefer it so, and
    /// else goes into a header: a misspelt filter that silently returns everything is what users hate most.
    pub fn finish(&self, parameters: Parameters<'_>, offered_orders: &[&str]) -> Result<Noted, Problem> {
        if !parameters.violations.is_empty() {
            return Err(Problem::query(&parameters.violations));
        }
        self.judged(parameters.ignored(offered_orders))
    }

    /// The same for a route without parameters whose body has names of its own.
    pub fn finish_body(&self, mut ignored: Vec<String>) -> Result<Noted, Problem> {
        ignored.extend(self.parameters().ignored(&[]));
        self.judged(ignored)
    }

    fn judged(&self, ignored: Vec<String>) -> Result<Noted, Problem> {
        if self.strict && !ignored.is_empty() {
            return Err(Problem::bad_request(format!("Unknown parameters: {}.", ignored.join(", "))));
        }
        Ok(Noted { ignored })
    }
}

/// For routes that have no parameters: judges the query before the handler does anything, and reports it afterwards.
pub fn none(methods: MethodRouter<Shared>) -> MethodRouter<Shared> {
    methods.route_layer(middleware::from_fn(refuse_or_report))
}

async fn refuse_or_report(query: QueryText, request: Request, next: Next) -> Result<Response, Problem> {
    let noted = query.finish(query.parameters(), &[])?;
    Ok(noted.on(next.run(request).await))
}

/// What was ignored, to be said in the answer.
pub struct Noted {
    ignored: Vec<String>,
}

impl Noted {
    pub fn on(self, mut response: Response) -> Response {
        if self.ignored.is_empty() {
            return response;
        }
        // Names come from outside: what a header cannot carry is shown as a question mark, and a long list is cut.
        let names: String = self.ignored.join(", ").chars().take(NAMES_LENGTH_MAX).collect();
        let names: String =
            names.chars().map(|c| if c.is_ascii_graphic() || c == ' ' { c } else { '?' }).collect();
        if let Ok(value) = HeaderValue::from_str(&names) {
            response.headers_mut().insert(IGNORED, value);
        }
        response
    }
}

/// Well below what proxies accept as one header.
const NAMES_LENGTH_MAX: usize = 2_000;

fn wants_strict(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    preferences
        .flat_map(|value| value.split([',', ';']))
        .any(|preference| preference.trim().eq_ignore_ascii_case("handling=strict"))
}
