//! The end of emails, for whoever got one: no key, only the link in it.
//!
//! Looking at the page does nothing, because programs look at every link of a email before its reader does. The button does, and
//! so does the request that mail programs send for their own (RFC 8058); both are a `POST` to the same address, and what is in its
//! body makes no difference.

use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use domain::SearchId;
use http::{HeaderName, HeaderValue, StatusCode, header};

use super::Shared;
use super::error::Problem;

/// `GET /unsubscribe/{search}/{token}`
pub async fn page(
    State(shared): State<Shared>,
    Path(link): Path<(String, String)>,
) -> Result<Response, Problem> {
    let Some((search, token)) = search_of(&link) else { return Ok(unknown()) };
    let Some(stored) = shared.app.search_by_token(search, token).await? else { return Ok(unknown()) };
    Ok(written(StatusCode::OK, &question(stored.search.draft.title.as_str())))
}

/// `POST /unsubscribe/{search}/{token}`
pub async fn end(
    State(shared): State<Shared>,
    Path(link): Path<(String, String)>,
) -> Result<Response, Problem> {
    let known = match search_of(&link) {
        Some((search, token)) => shared.app.unsubscribe(search, token).await?,
        None => false,
    };
    Ok(if known { written(StatusCode::OK, DONE) } else { unknown() })
}

fn search_of((search, token): &(String, String)) -> Option<(SearchId, &str)> {
    Some((search.parse().ok()?, token))
}

/// The same whether the search was deleted, the token is wrong or neither ever was.
fn unknown() -> Response {
    written(StatusCode::NOT_FOUND, UNKNOWN)
}

/// Nothing has happened yet. The button leads to where it is: the token need not be written into the page.
fn question(title: &str) -> String {
    format!(
        "<p>Voulez-vous ne plus recevoir de messages de l'alerte « <bdi>{}</bdi> » ?</p>\
         <form method=\"post\"><button type=\"submit\">Ne plus recevoir ces messages</button></form>",
        escaped(title)
    )
}

/// What somebody else wrote, as nothing but text.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c if c.is_control() => escaped.push(' '),
            c => escaped.push(c),
        }
    }
    escaped
}

const DONE: &str = "<p>C'est fait : cette alerte ne vous enverra plus de messages.</p>";
const UNKNOWN: &str = "<p>Ce lien n'est plus valable. Il n'y a plus de messages à arrêter ici.</p>";

/// A page that loads nothing, runs nothing, tells nobody its address and is shown in no frame.
fn written(status: StatusCode, content: &str) -> Response {
    const POLICY: HeaderName = header::CONTENT_SECURITY_POLICY;
    let html = format!(
        "<!doctype html><html lang=\"fr\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><meta name=\"robots\" content=\"noindex\">\
         <title>Alertes par e-mail</title></head><body><h1>Alertes par e-mail</h1>{content}</body></html>"
    );
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (POLICY, HeaderValue::from_static("default-src 'none'; form-action 'self'; frame-ancestors 'none'")),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
    ];
    (status, headers, html).into_response()
}
