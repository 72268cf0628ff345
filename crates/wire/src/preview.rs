//! What a search would find and have found, before it is saved.

use serde::Serialize;
use serde_json::value::RawValue;

/// What is to be told of a search that is not saved.
pub struct PreviewParts<'a> {
    /// How many properties meet it and are on offer.
    pub total: u64,
    pub last_7_days: CountBody,
    pub last_30_days: CountBody,
    /// The documents of the first of them.
    pub documents: Vec<&'a RawValue>,
}

/// How many properties would have made a match in some time.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CountBody {
    pub count: u64,
    /// Whether part of it is an estimate.
    pub estimated: bool,
}

#[derive(Debug, Serialize)]
pub struct PreviewBody<'a> {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "propertiesNow")]
    properties_now: u64,
    #[serde(rename = "matchesLast7Days")]
    matches_last_7_days: CountBody,
    #[serde(rename = "matchesLast30Days")]
    matches_last_30_days: CountBody,
    #[serde(rename = "hydra:member")]
    member: Vec<&'a RawValue>,
    #[serde(rename = "hydra:totalItems")]
    total_items: u64,
}

/// The preview of a search.
pub fn preview(parts: PreviewParts<'_>) -> PreviewBody<'_> {
    let PreviewParts { total, last_7_days, last_30_days, documents } = parts;
    PreviewBody {
        context: "/contexts/SearchPreview",
        kind: "SearchPreview",
        properties_now: total,
        matches_last_7_days: last_7_days,
        matches_last_30_days: last_30_days,
        member: documents,
        total_items: total,
    }
}
