//! Matches. [`webhook`](crate::webhook) sends the same body.

use domain::{MatchId, PropertyId, SearchId, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{date, iri};

/// A match and the data needed to write it.
pub struct MatchInput<'a> {
    pub id: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property first met the search.
    pub at: Timestamp,
    /// The document of the property at that time.
    pub document: &'a RawValue,
    pub zone: &'a TimeZone,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MatchBody<'a> {
    #[serde(flatten)]
    head: MatchHead,
    property_document: &'a RawValue,
}

impl<'a> MatchBody<'a> {
    pub fn of(input: &MatchInput<'a>) -> Self {
        let MatchInput { id, property, search, at, document, zone } = input;
        Self { head: MatchHead::of(*id, *property, *search, *at, zone), property_document: document }
    }
}

/// A match without its document.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MatchHead {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    property: String,
    search: String,
    created_at: String,
    updated_at: String,
}

impl MatchHead {
    pub fn of(id: MatchId, property: PropertyId, search: SearchId, at: Timestamp, zone: &TimeZone) -> Self {
        let at = date::format(at, zone);
        Self {
            context: "/contexts/Match",
            id: iri::matching(id),
            kind: "Match",
            property: iri::property(property),
            search: iri::search(search),
            // A match never changes.
            created_at: at.clone(),
            updated_at: at,
        }
    }
}
