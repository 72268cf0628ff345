//! A match as clients read it: which property, for which search, since when. [`webhook`](crate::webhook) sends the same.

use domain::{MatchId, PropertyId, SearchId, Timestamp};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::{date, iri};

/// A match, and what it takes to show it.
pub struct MatchParts<'a> {
    pub id: MatchId,
    pub property: PropertyId,
    pub search: SearchId,
    /// When the property came to meet the search.
    pub at: Timestamp,
    /// The document of the property as it was then.
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
    pub fn of(parts: &MatchParts<'a>) -> Self {
        let MatchParts { id, property, search, at, document, zone } = parts;
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
        let at = date::print(at, zone);
        Self {
            context: "/contexts/Match",
            id: iri::matching(id),
            kind: "Match",
            property: iri::property(property),
            search: iri::search(search),
            // Made once and never changed.
            created_at: at.clone(),
            updated_at: at,
        }
    }
}
