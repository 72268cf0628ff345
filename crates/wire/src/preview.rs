//! The preview of a search that is not saved yet.

use serde::Serialize;
use serde_json::value::RawValue;

/// The data of a preview.
pub struct PreviewInput<'a> {
    /// Number of current properties that meet the search.
    pub total: u64,
    pub last_7_days: CountBody,
    pub last_30_days: CountBody,
    /// Documents of the first ones.
    pub documents: Vec<&'a RawValue>,
    /// The unknown fields of the request.
    pub ignored: &'a [String],
}

/// Number of matches the search would have had in a period.
#[derive(Debug, Clone, Copy, Serialize)]
pub struct CountBody {
    pub count: u64,
    /// Whether the count is partly an estimate.
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
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    ignored: &'a [String],
}

/// Returns the body of a preview.
pub fn preview(input: PreviewInput<'_>) -> PreviewBody<'_> {
    let PreviewInput { total, last_7_days, last_30_days, documents, ignored } = input;
    PreviewBody {
        context: "/contexts/SearchPreview",
        kind: "SearchPreview",
        properties_now: total,
        matches_last_7_days: last_7_days,
        matches_last_30_days: last_30_days,
        member: documents,
        total_items: total,
        ignored,
    }
}
