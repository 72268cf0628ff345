//! Renders the JSON bodies of webhooks.

use domain::{MatchId, PropertyId, SearchId, Timestamp};
use wire::webhook::{self, WebhookEvent};

use crate::App;

/// A match, and the rendered document of its property.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MatchPayload<'a> {
    pub id: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property first matched the search, or when the search first received an event of it.
    pub at: Timestamp,
    /// The document from [`DocumentRenderer::render_for_webhook`](crate::documents::DocumentRenderer::render_for_webhook).
    pub document: &'a [u8],
}

/// Renders the body of a match, or of an event and the match it concerns.
pub(crate) fn render(app: &App, matched: &MatchPayload<'_>, event: Option<WebhookEvent<'_>>) -> Vec<u8> {
    let MatchPayload { id, property, search, at, document } = *matched;
    let parts = webhook::WebhookMatch { id, property, search, at, document, zone: &app.time_zone };
    match event {
        None => webhook::match_payload(&parts, app.match_form()),
        Some(event) => webhook::event_payload(&event, &parts),
    }
}
