//! Unsubscribe page for recipients of e-mails. The link in the e-mail contains a token for that recipient; no API key is needed.
//!
//! `GET` changes nothing, because mail scanners follow links before the recipient does. `POST` to the same address unsubscribes: the
//! button on the page sends it, and so do mail programs for one-click unsubscribe (RFC 8058). The body of the request is ignored.

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
    let Some(stored) = shared.app.search_by_link(search, token).await? else { return Ok(unknown()) };
    if stored.search.draft.alerts.email.is_none() {
        // Not even the title is for a former recipient.
        return Ok(html_page(StatusCode::OK, DONE));
    }
    Ok(html_page(StatusCode::OK, &confirmation(stored.search.draft.title.as_str())))
}

/// `POST /unsubscribe/{search}/{token}`
pub async fn unsubscribe(
    State(shared): State<Shared>,
    Path(link): Path<(String, String)>,
) -> Result<Response, Problem> {
    let done = match search_of(&link) {
        Some((search, token)) => shared.app.unsubscribe(search, token).await?,
        None => false,
    };
    Ok(if done { html_page(StatusCode::OK, DONE) } else { unknown() })
}

fn search_of((search, token): &(String, String)) -> Option<(SearchId, &str)> {
    Some((search.parse().ok()?, token))
}

/// The same response for a deleted search, an unknown search and a wrong token.
fn unknown() -> Response {
    html_page(StatusCode::NOT_FOUND, UNKNOWN)
}

/// Asks for confirmation. The form posts to the current address, so the token does not appear in the page.
fn confirmation(title: &str) -> String {
    format!(
        "<p>Souhaitez-vous ne plus recevoir d'e-mails pour votre recherche « <bdi>{}</bdi> » ?</p>\
         <form method=\"post\"><button type=\"submit\">Me désabonner</button></form>",
        escape(title)
    )
}

/// Escapes text for HTML.
fn escape(text: &str) -> String {
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

const DONE: &str = "<p>C'est fait : vous ne recevrez plus d'e-mails pour cette recherche.</p>";
const UNKNOWN: &str =
    "<p>Ce lien n'est plus valable : la recherche a été supprimée ou l'adresse est incomplète.</p>";

/// Creates a page that loads nothing, runs no script, sends no referrer and cannot be framed.
pub fn html_page(status: StatusCode, content: &str) -> Response {
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
