//! Usage by key and day.

use domain::{Date, KeyId, KeyLabel};
use serde::Serialize;

use crate::iri;

/// The usage of a day and the data needed to write it.
pub struct UsageInput<'a> {
    pub day: Date,
    /// `None` for deliveries, which no key asked for.
    pub key: Option<&'a KeyId>,
    pub label: Option<&'a KeyLabel>,
    pub user: &'a str,
    pub requests: u64,
    pub items: u64,
    pub webhooks: u64,
    pub emails: u64,
    pub operations: Vec<OperationUsageBody>,
}

#[derive(Debug, Serialize)]
pub struct UsageBody {
    #[serde(rename = "@id")]
    id: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    day: String,
    key: Option<String>,
    label: Option<String>,
    user: String,
    requests: u64,
    items: u64,
    webhooks: u64,
    emails: u64,
    operations: Vec<OperationUsageBody>,
}

/// The requests for one operation.
#[derive(Debug, Serialize)]
pub struct OperationUsageBody {
    #[serde(rename = "@type")]
    kind: &'static str,
    operation: String,
    requests: u64,
    items: u64,
}

impl OperationUsageBody {
    pub const fn new(operation: String, requests: u64, items: u64) -> Self {
        Self { kind: "OperationUsage", operation, requests, items }
    }
}

impl UsageBody {
    pub fn of(input: UsageInput<'_>) -> Self {
        let UsageInput { day, key, label, user, requests, items, webhooks, emails, operations } = input;
        Self {
            id: iri::usage(day, key),
            kind: "Usage",
            day: day.to_string(),
            key: key.map(iri::key),
            label: label.map(ToString::to_string),
            user: user.to_owned(),
            requests,
            items,
            webhooks,
            emails,
            operations,
        }
    }
}

/// Parses the day of a filter, `YYYY-MM-DD`.
pub fn parse_day(text: &str) -> Option<Date> {
    // The parser accepts more; ten characters and no letter exclude that.
    let plain = text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    plain.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn day_has_one_spelling() {
        assert_eq!(parse_day("2026-03-02"), Date::new(2026, 3, 2).ok());
        for wrong in
            ["", "2026-02-30", "20260302", "2026-03-02T00:00", "2026-W10-1", "02/03/2026", "-026-03-02"]
        {
            assert_eq!(parse_day(wrong), None, "{wrong}");
        }
    }
}
