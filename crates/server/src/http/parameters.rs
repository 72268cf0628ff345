//! Query strings: parsed, validated, and unknown parameters reported.

use axum::extract::{FromRequestParts, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::MethodRouter;
use domain::Violation;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue};
use wire::filters::why_ignored;
use wire::query::{Parameters, RawQuery};

use super::Shared;
use super::error::Problem;
use crate::connection::LongQuery;

const IGNORED: HeaderName = HeaderName::from_static("x-ignored-parameters");
const PREFER: HeaderName = HeaderName::from_static("prefer");

/// The query string of a request, and whether the client asked for strict handling.
pub struct QueryText {
    pub raw: RawQuery,
    strict: bool,
}

impl<S: Send + Sync> FromRequestParts<S> for QueryText {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Problem> {
        let long = parts.extensions.get::<LongQuery>().map(|LongQuery(query)| query.as_str());
        let raw = RawQuery::parse(long.or(parts.uri.query()).unwrap_or_default())
            .ok_or_else(|| Problem::bad_request("The query string has too many parameters."))?;
        Ok(Self { raw, strict: wants_strict(&parts.headers) })
    }
}

impl QueryText {
    pub const fn parameters(&self) -> Parameters<'_> {
        Parameters::new(&self.raw)
    }

    /// Fails with all violations. Unknown parameters are violations if the client asked for strict handling; otherwise
    /// they are listed in a response header: a misspelt filter must not silently return everything.
    pub fn finish(
        &self,
        parameters: Parameters<'_>,
        offered_orders: &[&str],
    ) -> Result<IgnoredNames, Problem> {
        let ignored = parameters.ignored(offered_orders);
        let mut violations = parameters.violations;
        violations.extend(self.unknown(&ignored, "parameter"));
        if violations.is_empty() { Ok(IgnoredNames(ignored)) } else { Err(Problem::query(&violations)) }
    }

    /// Like [`Self::finish`], for a route that takes a body and no parameters. Reports problems of both.
    pub fn finish_body<T>(
        &self,
        body: Result<T, Vec<Violation>>,
        ignored: Vec<String>,
    ) -> Result<(T, IgnoredNames), Problem> {
        self.finish_with_body(self.parameters(), body, ignored)
    }

    /// Like [`Self::finish_body`], for a route that takes parameters as well.
    pub fn finish_with_body<T>(
        &self,
        parameters: Parameters<'_>,
        body: Result<T, Vec<Violation>>,
        mut ignored: Vec<String>,
    ) -> Result<(T, IgnoredNames), Problem> {
        let in_query = parameters.ignored(&[]);
        let mut unknown = self.unknown(&ignored, "attribute");
        unknown.extend(self.unknown(&in_query, "parameter"));
        if !parameters.violations.is_empty() {
            return Err(Problem::query(&[parameters.violations, unknown].concat()));
        }
        match body {
            Ok(read) if unknown.is_empty() => {
                ignored.extend(in_query);
                Ok((read, IgnoredNames(ignored)))
            }
            Ok(_) => Err(Problem::violations(&unknown)),
            Err(violations) => Err(Problem::violations(&[violations, unknown].concat())),
        }
    }

    /// Returns a violation for each ignored name in strict mode, else none.
    fn unknown(&self, names: &[String], kind: &str) -> Vec<Violation> {
        if !self.strict {
            return Vec::new();
        }
        let violation = |name: &String| Violation::malformed(name, why_ignored(name, kind));
        let mut violations: Vec<Violation> = names.iter().take(UNKNOWN_MAX).map(violation).collect();
        if names.len() > UNKNOWN_MAX {
            let message = format!("{} more names are not known.", names.len() - UNKNOWN_MAX);
            violations.push(Violation::malformed("", message));
        }
        violations
    }
}

/// Maximum number of unknown names listed in an error.
const UNKNOWN_MAX: usize = 100;

/// Wraps routes without parameters: checks the query before the handler runs, and reports ignored parameters afterwards.
pub fn none(methods: MethodRouter<Shared>) -> MethodRouter<Shared> {
    methods.route_layer(middleware::from_fn(check_query))
}

async fn check_query(query: QueryText, request: Request, next: Next) -> Result<Response, Problem> {
    let ignored = query.finish(query.parameters(), &[])?;
    Ok(ignored.on(next.run(request).await))
}

/// Names of parameters and attributes that were ignored.
pub struct IgnoredNames(Vec<String>);

impl IgnoredNames {
    /// Returns the names, for a response that lists them in its body as well.
    pub fn names(&self) -> &[String] {
        &self.0
    }

    /// Adds the header that lists the ignored names, if there are any.
    pub fn on(self, mut response: Response) -> Response {
        if self.0.is_empty() {
            return response;
        }
        let names = header_text(&self.0);
        if let Ok(value) = HeaderValue::from_str(&names) {
            response.headers_mut().insert(IGNORED, value);
        }
        response
    }
}

/// Well below the header size that proxies accept.
const NAMES_LENGTH_MAX: usize = 2_000;

/// Longer than any parameter name.
const NAME_LENGTH_MAX: usize = 200;

/// Formats names for a header. They come from the client: characters a header cannot carry become question marks, long names
/// are truncated, and a long list ends with the number of names left out.
fn header_text(names: &[String]) -> String {
    let mut text = String::new();
    for (index, name) in names.iter().enumerate() {
        let mut shown: String = name.chars().take(NAME_LENGTH_MAX).map(in_header).collect();
        if shown.len() < name.chars().count() {
            shown.push_str("...");
        }
        if text.len() + shown.len() > NAMES_LENGTH_MAX {
            text.push_str(&format!(", and {} more", names.len() - index));
            break;
        }
        if index > 0 {
            text.push_str(", ");
        }
        text.push_str(&shown);
    }
    text
}

const fn in_header(c: char) -> char {
    if c.is_ascii_graphic() || c == ' ' { c } else { '?' }
}

/// Returns `true` if a request prefers strict handling, in any spelling of RFC 7240: case-insensitive, the value bare or quoted,
/// spaces around the equals sign.
pub fn wants_strict(headers: &HeaderMap) -> bool {
    let preferences = headers.get_all(PREFER).iter().filter_map(|value| value.to_str().ok());
    preferences.flat_map(|value| value.split([',', ';'])).any(|preference| {
        let Some((name, value)) = preference.split_once('=') else { return false };
        let value = value.trim();
        let bare = value.strip_prefix('"').and_then(|value| value.strip_suffix('"')).unwrap_or(value);
        name.trim().eq_ignore_ascii_case("handling") && bare.trim().eq_ignore_ascii_case("strict")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_preference_is_read_in_all_spellings() {
        let check = |prefer: &str, expected: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(PREFER, prefer.parse().unwrap());
            assert_eq!(wants_strict(&headers), expected, "{prefer}");
        };
        for prefer in [
            "handling=strict",
            "handling=\"strict\"",
            "handling = strict",
            "Handling=STRICT",
            "respond-async, handling=strict",
            "return=minimal; handling = \"Strict\"",
        ] {
            check(prefer, true);
        }
        for prefer in ["handling=lenient", "handling", "strict", "handling=\"strict", "xhandling=strict", ""]
        {
            check(prefer, false);
        }
    }

    #[test]
    fn long_header_lists_are_truncated_between_names() {
        let names = |count: usize| (0..count).map(|number| format!("name{number}")).collect::<Vec<_>>();
        assert_eq!(header_text(&names(3)), "name0, name1, name2");
        let text = header_text(&names(2_000));
        assert!(text.len() <= NAMES_LENGTH_MAX + 50, "{}", text.len());
        let (shown, rest) = text.rsplit_once(", and ").unwrap();
        let count = shown.split(", ").count();
        assert_eq!(shown, names(count).join(", "));
        assert_eq!(rest, format!("{} more", 2_000 - count));
        let text = header_text(&["é\n".to_owned(), "x".repeat(50_000)]);
        assert_eq!(text, format!("??, {}...", "x".repeat(NAME_LENGTH_MAX)));
    }
}
