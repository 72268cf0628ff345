//! Receipts: the result of each ingested advert.

use domain::{AdvertId, PropertyId, Violation};
use serde::Serialize;

use crate::error::ViolationBody;
use crate::iri;

/// The effect of one advert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Created,
    Updated,
    Unchanged,
}

/// The receipt of one advert.
#[derive(Debug, Serialize)]
pub struct ReceiptBody {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id", skip_serializing_if = "Option::is_none")]
    id: Option<String>,
    #[serde(rename = "@type")]
    kind: &'static str,
    /// Line number in an NDJSON stream, starting at 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uuid: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<String>,
    outcome: &'static str,
    /// Of a rejected advert, as given: the sender recognises it by them.
    #[serde(skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    ignored: Vec<String>,
    /// How certain the resolved place is.
    #[serde(rename = "placeCertainty", skip_serializing_if = "Option::is_none")]
    place_certainty: Option<&'static str>,
    /// Values that were left out or changed, and accepted values that look wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<ViolationBody>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<ViolationBody>>,
}

impl ReceiptBody {
    pub fn accepted(
        advert: AdvertId,
        property: PropertyId,
        outcome: Outcome,
        ignored: Vec<String>,
        place_certainty: Option<&'static str>,
        warnings: &[Violation],
    ) -> Self {
        Self {
            context: None,
            id: Some(iri::advert(advert)),
            kind: "AdvertReceipt",
            line: None,
            uuid: Some(advert.to_string()),
            property: Some(iri::property(property)),
            outcome: match outcome {
                Outcome::Created => "created",
                Outcome::Updated => "updated",
                Outcome::Unchanged => "unchanged",
            },
            reference: None,
            url: None,
            ignored,
            place_certainty,
            warnings: ViolationBody::list(warnings),
            violations: None,
        }
    }

    pub fn rejected(
        violations: &[Violation],
        ignored: Vec<String>,
        reference: Option<String>,
        url: Option<String>,
    ) -> Self {
        Self {
            context: None,
            id: None,
            kind: "AdvertReceipt",
            line: None,
            uuid: None,
            property: None,
            outcome: "rejected",
            reference,
            url,
            ignored,
            place_certainty: None,
            warnings: Vec::new(),
            violations: Some(ViolationBody::list(violations)),
        }
    }

    /// Adds `@context`, for a response that is not a collection.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/AdvertReceipt"), ..self }
    }
}

/// The receipts of an array of adverts, in the same order.
#[derive(Debug, Serialize)]
pub struct ReceiptCollection {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    id: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:member")]
    member: Vec<ReceiptBody>,
    #[serde(rename = "hydra:totalItems")]
    total_items: usize,
}

impl ReceiptCollection {
    pub fn of(member: Vec<ReceiptBody>) -> Self {
        Self {
            context: "/contexts/AdvertReceipt",
            id: "/adverts",
            kind: "hydra:Collection",
            total_items: member.len(),
            member,
        }
    }
}
