//! API keys: parsed and written.

use domain::access::parse_label;
use domain::{KeyId, KeySettings, Scope, Scopes, Timestamp, Violation};
use jiff::tz::TimeZone;
use serde::Serialize;
use serde_json::Value;

use crate::json::{Reader, fields, truncated, unknown_attribute};
use crate::{date, iri};

/// A key and the data needed to write it.
pub struct KeyInput<'a> {
    pub id: &'a KeyId,
    pub user: &'a str,
    pub scopes: Scopes,
    pub settings: &'a KeySettings,
    pub created_at: Timestamp,
    pub revoked_at: Option<Timestamp>,
    pub last_used_at: Option<Timestamp>,
    pub zone: &'a TimeZone,
}

/// A key as a resource. It never contains the secret, except when it was just created.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeyResource {
    #[serde(rename = "@context", skip_serializing_if = "Option::is_none")]
    context: Option<&'static str>,
    #[serde(rename = "@id")]
    iri: String,
    #[serde(rename = "@type")]
    kind: &'static str,
    id: String,
    user: String,
    label: Option<String>,
    scopes: Vec<&'static str>,
    requests_per_minute: Option<u32>,
    created_at: String,
    expires_at: Option<String>,
    last_used_at: Option<String>,
    revoked_at: Option<String>,
    /// The complete key, shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    key: Option<String>,
}

impl KeyResource {
    pub fn of(input: &KeyInput<'_>) -> Self {
        let KeyInput { id, user, scopes, settings, created_at, revoked_at, last_used_at, zone } = input;
        let KeySettings { label, expires_at, requests_per_minute } = settings;
        let date = |at: Timestamp| date::format(at, zone);
        Self {
            context: None,
            iri: iri::key(id),
            kind: "Key",
            id: id.to_string(),
            user: (*user).to_owned(),
            label: label.as_ref().map(ToString::to_string),
            scopes: scopes.iter().map(Scope::word).collect(),
            requests_per_minute: *requests_per_minute,
            created_at: date(*created_at),
            expires_at: expires_at.map(date),
            last_used_at: last_used_at.map(date),
            revoked_at: revoked_at.map(date),
            key: None,
        }
    }

    /// Adds `@context`, for a response that is not a collection.
    pub fn with_context(self) -> Self {
        Self { context: Some("/contexts/Key"), ..self }
    }

    /// Adds the complete key.
    pub fn with_text(self, text: String) -> Self {
        Self { key: Some(text), ..self }
    }
}

/// A key to create.
#[derive(Debug, PartialEq, Eq)]
pub struct KeyDraft {
    pub user: String,
    pub scopes: Scopes,
    pub settings: KeySettings,
}

/// Scopes of a key that names none, as on the command line.
const DEFAULT_SCOPES: [Scope; 2] = [Scope::Read, Scope::Searches];

/// Parses a new key. Its expiry must be after `now`: an earlier one is a mistake.
pub fn parse_key_draft(value: &Value, zone: &TimeZone, now: Timestamp) -> Result<KeyDraft, Vec<Violation>> {
    let mut reader = Reader::default();
    let (mut user, mut scopes, mut settings) = (None, None, KeySettings::default());
    for (name, value) in fields(value)? {
        match (name.as_str(), value) {
            ("user", Value::Null) | ("scopes", Value::Null) => {}
            ("user", value) => user = Some(user_name(&mut reader, name, value)),
            ("scopes", value) => scopes = parse_scopes(&mut reader, name, value),
            ("label" | "expiresAt" | "requestsPerMinute", value) => {
                parse_setting(&mut reader, name, value, zone, &mut settings);
            }
            (unknown, _) => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    if user.is_none() {
        reader.violations.push(Violation::missing("user", "This value should not be blank."));
    }
    if settings.is_expired(now) {
        reader.invalid("expiresAt", "This date is in the past.");
    }
    match user.flatten() {
        Some(user) if reader.violations.is_empty() => {
            let scopes = scopes.unwrap_or_else(|| DEFAULT_SCOPES.into_iter().collect());
            Ok(KeyDraft { user, scopes, settings })
        }
        _ => Err(reader.violations),
    }
}

/// Parses a change of a key. Absent fields keep their value, `null` clears.
pub fn parse_key_change(
    value: &Value,
    zone: &TimeZone,
    current: &KeySettings,
    current_scopes: Scopes,
) -> Result<KeySettings, Vec<Violation>> {
    let mut reader = Reader::default();
    let mut settings = current.clone();
    for (name, value) in fields(value)? {
        match name.as_str() {
            "label" | "expiresAt" | "requestsPerMinute" => {
                parse_setting(&mut reader, name, value, zone, &mut settings);
            }
            // A client may send back what it read, but not another value.
            "scopes" => {
                let scopes = parse_scopes(&mut reader, name, value);
                if scopes.is_some_and(|scopes| scopes != current_scopes) {
                    reader.invalid(name, "The scopes of a key cannot be changed; create another key.");
                }
            }
            "@context" | "@id" | "@type" | "id" | "user" | "createdAt" | "lastUsedAt" | "revokedAt" => {}
            unknown => reader.violations.push(unknown_attribute(unknown)),
        }
    }
    if reader.violations.is_empty() { Ok(settings) } else { Err(reader.violations) }
}

fn parse_setting(
    reader: &mut Reader,
    name: &str,
    value: &Value,
    zone: &TimeZone,
    settings: &mut KeySettings,
) {
    match (name, value) {
        ("label", Value::Null) => settings.label = None,
        ("label", value) => {
            if let Some(text) = reader.text(name, value) {
                match parse_label(text) {
                    Ok(label) => settings.label = label,
                    Err(error) => reader.invalid(name, error),
                }
            }
        }
        ("expiresAt", Value::Null) => settings.expires_at = None,
        ("expiresAt", value) => {
            if let Some(text) = reader.text(name, value) {
                settings.expires_at = date::last_second(text, zone);
                if settings.expires_at.is_none() {
                    let message = format!("\"{}\" is not {}.", truncated(text), date::EXPECTED);
                    reader.violations.push(Violation::malformed(name, message));
                }
            }
        }
        (_, Value::Null) => settings.requests_per_minute = None,
        (_, value) => {
            let limit = reader.integer(name, value, 0..=i32::MAX);
            settings.requests_per_minute = limit.and_then(|limit| u32::try_from(limit).ok());
        }
    }
}

fn user_name(reader: &mut Reader, path: &str, value: &Value) -> Option<String> {
    let text = reader.text(path, value)?;
    let name = parse_user_name(text);
    if name.is_none() {
        reader.invalid(path, "This value should have 1 to 100 characters, without control characters.");
    }
    name
}

/// Parses the name of a user.
pub fn parse_user_name(text: &str) -> Option<String> {
    let name = text.trim();
    let fits = !name.is_empty() && name.chars().count() <= 100 && !name.chars().any(char::is_control);
    fits.then(|| name.to_owned())
}

/// Parses a list of scopes, or one text with commas as on the command line.
fn parse_scopes(reader: &mut Reader, path: &str, value: &Value) -> Option<Scopes> {
    let texts = match value {
        Value::Array(_) => {
            let read =
                |reader: &mut Reader, path: &str, item: &Value| reader.text(path, item).map(str::to_owned);
            reader.list(path, value, Scope::ALL.len(), read)?
        }
        _ => vec![reader.text(path, value)?.to_owned()],
    };
    match Scopes::parse(&texts.join(",")) {
        Ok(scopes) if scopes != Scopes::default() => Some(scopes),
        Ok(_) => {
            reader.invalid(path, "A key needs at least one scope.");
            None
        }
        Err(error) => {
            reader.invalid(path, format!("{error}."));
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    fn draft(value: Value) -> Result<KeyDraft, Vec<(String, String)>> {
        parse_key_draft(&value, &TimeZone::UTC, at("2026-03-02T09:00:00Z")).map_err(|violations| {
            violations.into_iter().map(|violation| (violation.path, violation.message)).collect()
        })
    }

    #[test]
    fn draft_has_defaults() {
        let parsed = draft(json!({"user": " Zoé "})).unwrap();
        let scopes: Scopes = DEFAULT_SCOPES.into_iter().collect();
        assert_eq!(parsed, KeyDraft { user: "Zoé".to_owned(), scopes, settings: KeySettings::default() });
        let parsed = draft(json!({
            "user": "Zoé", "scopes": ["admin"], "label": "console", "expiresAt": "2026-12-31", "requestsPerMinute": "60"
        }))
        .unwrap();
        assert_eq!(parsed.scopes, [Scope::Admin].into_iter().collect());
        assert_eq!(parsed.settings.expires_at, Some(at("2026-12-31T23:59:59Z")));
        assert_eq!(parsed.settings.requests_per_minute, Some(60));
    }

    #[test]
    fn every_problem_of_a_draft_is_reported() {
        let problems = draft(json!({
            "user": "", "scopes": ["write"], "label": "a\nb", "expiresAt": "soon", "requestsPerMinute": -1, "x": 1
        }))
        .unwrap_err();
        let mut paths: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["expiresAt", "label", "requestsPerMinute", "scopes", "user", "x"]);
        let problems = draft(json!({"scopes": [], "expiresAt": "2026-03-01"})).unwrap_err();
        let mut paths: Vec<&str> = problems.iter().map(|(path, _)| path.as_str()).collect();
        paths.sort_unstable();
        assert_eq!(paths, ["expiresAt", "scopes", "user"]);
    }

    #[test]
    fn change_keeps_absent_fields_and_clears_null() {
        let scopes = Scopes::all();
        let current = KeySettings {
            label: parse_label("console").unwrap(),
            expires_at: Some(at("2026-12-31T00:00:00Z")),
            requests_per_minute: Some(60),
        };
        let change = |value: Value| parse_key_change(&value, &TimeZone::UTC, &current, scopes);
        assert_eq!(change(json!({})), Ok(current.clone()));
        let cleared = change(json!({"label": null, "expiresAt": null, "requestsPerMinute": null}));
        assert_eq!(cleared, Ok(KeySettings::default()));
        let read_back =
            json!({"@id": "/keys/x", "user": "Zoé", "scopes": ["admin", "read", "searches", "ingest"]});
        assert_eq!(change(read_back), Ok(current.clone()));
        assert!(change(json!({"scopes": ["read"]})).is_err());
        assert!(change(json!({"lable": "x"})).is_err());
    }
}
