//! The query of a request: read, judged, and what nobody asked for reported.

use axum::extract::{FromRequestParts, Request};
use axum::middleware::{self, Next};
use axum::response::Response;
use axum::routing::MethodRouter;
use domain::Violation;
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
        Parameters::new(&self.raw)
    }

    /// Everything that could not be read is an error; what nobody asked for is one only for those who prefer it so, and
    /// else goes into a header: a misspelt filter that silently returns everything is what users hate most.
    pub fn finish(&self, parameters: Parameters<'_>, offered_orders: &[&str]) -> Result<Noted, Problem> {
        let ignored = parameters.ignored(offered_orders);
        let mut violations = parameters.violations;
        violations.extend(self.refused(&ignored, "parameter"));
        if violations.is_empty() { Ok(Noted { ignored }) } else { Err(Problem::query(&violations)) }
    }

    /// The same for a route without parameters whose body has names of its own, together with what is wrong with the body.
    pub fn finish_body<T>(
        &self,
        body: Result<T, Vec<Violation>>,
        ignored: Vec<String>,
    ) -> Result<(T, Noted), Problem> {
        self.finish_with_body(self.parameters(), body, ignored)
    }

    /// The same for one that has parameters as well.
    pub fn finish_with_body<T>(
        &self,
        parameters: Parameters<'_>,
        body: Result<T, Vec<Violation>>,
        mut ignored: Vec<String>,
    ) -> Result<(T, Noted), Problem> {
        let in_query = parameters.ignored(&[]);
        let mut unknown = self.refused(&ignored, "attribute");
        unknown.extend(self.refused(&in_query, "parameter"));
        if !parameters.violations.is_empty() {
            return Err(Problem::query(&[parameters.violations, unknown].concat()));
        }
        match body {
            Ok(read) if unknown.is_empty() => {
                ignored.extend(in_query);
                Ok((read, Noted { ignored }))
            }
            Ok(_) => Err(Problem::violations(&unknown)),
            Err(violations) => Err(Problem::violations(&[violations, unknown].concat())),
        }
    }

    /// What is wrong with names that mean nothing: all of them for those who want to know, else nothing.
    fn refused(&self, ignored: &[String], kind: &str) -> Vec<Violation> {
        if !self.strict {
            return Vec::new();
        }
        let refuse = |name: &String| Violation::malformed(name, format!("This {kind} is not known."));
        let mut refused: Vec<Violation> = ignored.iter().take(REFUSED_MAX).map(refuse).collect();
        if ignored.len() > REFUSED_MAX {
            let message = format!("{} more names are not known.", ignored.len() - REFUSED_MAX);
            refused.push(Violation::malformed("", message));
        }
        refused
    }
}

/// As many unknown names as anybody reads.
const REFUSED_MAX: usize = 100;

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
        let names = header_text(&self.ignored);
        if let Ok(value) = HeaderValue::from_str(&names) {
            response.headers_mut().insert(IGNORED, value);
        }
        response
    }
}

/// Well below what proxies accept as one header.
const NAMES_LENGTH_MAX: usize = 2_000;

/// Of one name; no parameter has a longer one.
const NAME_LENGTH_MAX: usize = 200;

/// Names for a header. They come from outside: what a header cannot carry is shown as a question mark, a long name is cut, and
/// a long list ends with how many more there are.
fn header_text(names: &[String]) -> String {
    let mut text = String::new();
    for (place, name) in names.iter().enumerate() {
        let mut shown: String = name.chars().take(NAME_LENGTH_MAX).map(in_header).collect();
        if shown.len() < name.chars().count() {
            shown.push_str("...");
        }
        if text.len() + shown.len() > NAMES_LENGTH_MAX {
            text.push_str(&format!(", and {} more", names.len() - place));
            break;
        }
        if place > 0 {
            text.push_str(", ");
        }
        text.push_str(&shown);
    }
    text
}

const fn in_header(email: char) -> char {
    if email.is_ascii_graphic() || email == ' ' { email } else { '?' }
}

/// Whether a request prefers strict handling, in any of the spellings of RFC 7240: names and values in any case, the value
/// bare or quoted, blanks around the equals sign.
fn wants_strict(headers: &HeaderMap) -> bool {
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
    fn strictness_has_many_spellings() {
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
    fn a_long_list_of_names_is_cut_between_two_of_them() {
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
