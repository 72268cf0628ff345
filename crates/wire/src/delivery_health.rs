//! The request of a delivery, and how the receivers of a user fare.

use std::collections::BTreeMap;

use serde::Serialize;

/// The request of a delivery, rendered again.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryRequestResource {
    #[serde(rename = "@context")]
    pub context: &'static str,
    #[serde(rename = "@id")]
    pub iri: String,
    #[serde(rename = "@type")]
    pub kind: &'static str,
    pub method: &'static str,
    pub url: Option<String>,
    pub headers: BTreeMap<&'static str, String>,
    pub body: String,
    pub signed_prefix: String,
}

/// The health of all receivers.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct DeliveryHealthResource {
    #[serde(rename = "@context")]
    pub context: &'static str,
    #[serde(rename = "@id")]
    pub iri: &'static str,
    #[serde(rename = "@type")]
    pub kind: &'static str,
    pub since: String,
    pub is_complete: bool,
    pub hosts: Vec<HostHealth>,
}

/// The health of one receiver.
#[derive(Debug, Serialize)]
pub struct HostHealth {
    pub host: String,
    #[serde(flatten)]
    pub figures: HealthFigures,
    pub hours: Vec<HourHealth>,
}

#[derive(Debug, Serialize)]
pub struct HourHealth {
    pub hour: String,
    #[serde(flatten)]
    pub figures: HealthFigures,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HealthFigures {
    pub attempts: u64,
    pub delivered: u64,
    pub p50_ms: u64,
    pub p99_ms: u64,
}
