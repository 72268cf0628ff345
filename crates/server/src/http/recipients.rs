//! Confirmation page for recipients of e-mails. The link in the question contains a token; no API key is needed.
//!
//! `GET` changes nothing, because mail scanners follow links before the recipient does. `POST` to the same address confirms: the
//! button on the page sends it. The page names neither the user nor the search.

use app::confirmation::ConfirmationLink;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;

use super::Shared;
use super::error::Problem;
use super::unsubscribe::html_page;

/// `GET /public/recipients/{token}`
pub async fn page(State(shared): State<Shared>, Path(token): Path<String>) -> Result<Response, Problem> {
    Ok(match shared.app.confirmation_link(&token).await? {
        Some(ConfirmationLink::Open) => html_page(StatusCode::OK, QUESTION),
        Some(ConfirmationLink::Confirmed) => html_page(StatusCode::OK, DONE),
        None => html_page(StatusCode::NOT_FOUND, UNKNOWN),
    })
}

/// `POST /public/recipients/{token}`
pub async fn confirm(State(shared): State<Shared>, Path(token): Path<String>) -> Result<Response, Problem> {
    Ok(match shared.app.confirm_recipient(&token).await? {
        true => html_page(StatusCode::OK, DONE),
        false => html_page(StatusCode::NOT_FOUND, UNKNOWN),
    })
}

const QUESTION: &str = "<p>Souhaitez-vous recevoir des alertes immobilières à votre adresse ?</p>\
     <form method=\"post\"><button type=\"submit\">Recevoir les alertes</button></form>";
const DONE: &str = "<p>C'est fait : les alertes vous seront envoyées.</p>";
const UNKNOWN: &str = "<p>Ce lien n'est plus valable : il a expiré ou l'adresse est incomplète.</p>";
