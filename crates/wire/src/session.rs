//! Sessions: parsed and written.

use domain::{KeyLabel, Scope, Scopes, Timestamp, Violation};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use crate::date;
use crate::json::{Reader, fields, unknown_attribute};

/// A session and the data needed to write it.
pub struct SessionInput<'a> {
    pub user: &'a str,
    pub label: Option<&'a KeyLabel>,
    pub scopes: Scopes,
    pub expires_at: Timestamp,
    pub zone: &'a TimeZone,
}

/// A session as a resource. It contains neither the key nor the secret of the cookie.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionResource {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@id")]
    iri: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    user: String,
    label: Option<String>,
    scopes: Vec<&'static str>,
    expires_at: String,
}

impl SessionResource {
    pub fn of(input: &SessionInput<'_>) -> Self {
        let SessionInput { user, label, scopes, expires_at, zone } = input;
        Self {
            context: "/contexts/Session",
            iri: "/console/session",
            kind: "Session",
            user: (*user).to_owned(),
            label: label.map(ToString::to_string),
            scopes: scopes.iter().map(Scope::word).collect(),
            expires_at: date::format(*expires_at, zone),
        }
    }
}

/// Parses a sign-in. Returns the text of the key, which may be of any form. The value is never repeated in a message.
pub fn parse_sign_in(value: &Value) -> Result<String, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut key = None;
    for (name, value) in fields(value)? {
        match (name.as_str(), value) {
            ("key", Value::String(text)) => key = Some(text.clone()),
            ("key", Value::Null) => {}
            ("key", other) => reader.wrong_type("key", "string", other),
            (unknown, _) => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    match key {
        Some(key) if reader.violations.is_empty() => Ok(key),
        Some(_) => Err(reader.violations),
        None => {
            if reader.violations.is_empty() {
                reader.violations.push(Violation::missing("key", "This value should not be blank."));
            }
            Err(reader.violations)
        }
    }
}
