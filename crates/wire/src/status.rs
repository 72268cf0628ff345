//! How the server fares, for operators.

use std::collections::BTreeMap;

use domain::Violation;
use serde::Serialize;
use serde_json::Value;

use crate::json::{Reader, fields, unknown_attribute};

/// The status as a resource.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StatusResource {
    #[serde(flatten)]
    pub head: Head,
    pub version: &'static str,
    pub started_at: String,
    pub log_level: Option<String>,
    pub now: NowFigures,
    pub hour: SeriesOfTime,
    pub day: SeriesOfTime,
    pub sites: Vec<SiteAdverts>,
    pub workers: Vec<WorkerStatus>,
    pub retention: RetentionFigures,
    pub settings: Vec<ChangedSetting>,
}

/// The keys of JSON-LD.
#[derive(Debug, Serialize)]
pub struct Head {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    iri: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
}

impl Head {
    pub const STATUS: Self = Self { context: "/contexts/Status", iri: "/status", kind: "Status" };
    pub const REFUSED: Self =
        Self { context: "/contexts/RefusedAdverts", iri: "/status/refused", kind: "RefusedAdverts" };
    pub const LOG_LEVEL: Self =
        Self { context: "/contexts/LogLevel", iri: "/status/log-level", kind: "LogLevel" };
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NowFigures {
    pub is_ready: bool,
    pub log_position: u64,
    pub index_lag: u64,
    pub matcher_lag: u64,
    pub properties: u64,
    pub saved_searches: u64,
    pub deliveries_pending: u64,
    pub deliveries_in_flight: u64,
    pub deliveries_held: bool,
    pub oldest_due_seconds: f64,
    pub requests_in_flight: u64,
    pub memory_bytes: Option<u64>,
    pub database_bytes: u64,
    pub disk_free_bytes: Option<u64>,
    pub disk_bytes: Option<u64>,
}

/// Values at equal distances. All series have as many values as there are times.
#[derive(Debug, Serialize)]
pub struct SeriesOfTime {
    pub times: Vec<String>,
    pub series: BTreeMap<&'static str, Vec<Option<f64>>>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SiteAdverts {
    pub site: String,
    pub accepted: u64,
    pub refused: u64,
    pub last_seen_at: String,
    pub hours: Vec<SiteHour>,
}

#[derive(Debug, Serialize)]
pub struct SiteHour {
    pub hour: String,
    pub accepted: u64,
    pub refused: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WorkerStatus {
    pub name: &'static str,
    pub is_stalled: bool,
    pub failures: u64,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RetentionFigures {
    pub completed_at: Option<String>,
    pub deleted_rows: BTreeMap<&'static str, u64>,
    pub free_bytes: u64,
    pub wal_bytes: u64,
    pub oldest_position: u64,
}

/// A setting whose value is not the default one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ChangedSetting {
    pub name: String,
    pub value: String,
    pub default: String,
}

/// The adverts that were refused last.
#[derive(Debug, Serialize)]
pub struct RefusedResource {
    #[serde(flatten)]
    pub head: Head,
    pub total: u64,
    pub reasons: Vec<RefusedReason>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct RefusedReason {
    pub property_path: String,
    pub code: &'static str,
    pub message: String,
    pub count: u64,
    pub last_at: String,
    pub examples: Vec<RefusedExample>,
}

#[derive(Debug, Clone, Serialize)]
pub struct RefusedExample {
    pub at: String,
    pub site: Option<String>,
    pub reference: Option<String>,
}

#[derive(Debug, Serialize)]
pub struct LogLevelResource {
    #[serde(flatten)]
    pub head: Head,
    pub level: String,
}

/// Parses a log level. Whether it is one is left to the caller.
pub fn parse_log_level(value: &Value) -> Result<String, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut level = None;
    for (name, value) in fields(value)? {
        match (name.as_str(), value) {
            ("level", Value::String(text)) => level = Some(text.clone()),
            ("level", Value::Null) => {}
            ("level", other) => reader.wrong_type("level", "string", other),
            (unknown, _) => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    if level.is_none() && reader.violations.is_empty() {
        reader.violations.push(Violation::missing("level", "This value should not be blank."));
    }
    match level {
        Some(level) if reader.violations.is_empty() => Ok(level),
        _ => Err(reader.violations),
    }
}
