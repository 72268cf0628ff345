//! Error bodies: Hydra members and RFC 9457 members together, because existing clients read one or the other.

use std::time::Duration;

use domain::violation::ViolationKind;
use domain::{CertificateFault, Outcome, Violation};
use serde::Serialize;

use crate::names;

const TITLE: &str = "An error occurred";

/// The body of every error response.
#[derive(Debug, Serialize)]
pub struct ErrorBody {
    #[serde(rename = "@context")]
    context: &'static str,
    #[serde(rename = "@type")]
    kind: &'static str,
    #[serde(rename = "hydra:title")]
    hydra_title: &'static str,
    #[serde(rename = "hydra:description")]
    hydra_description: String,
    /// Present in a violation list, and in a malformed body if the cause is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<ViolationBody>>,
    /// Present if a test webhook was not delivered.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<ReceiverBody>,
    #[serde(rename = "type")]
    problem_type: String,
    title: &'static str,
    status: u16,
    detail: String,
}

/// The result of a test webhook. The response body is left out: the API must not become a proxy for reading
/// arbitrary addresses.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverBody {
    outcome: &'static str,
    status: Option<u16>,
    duration_ms: u64,
    detail: Option<&'static str>,
}

#[derive(Debug, Clone, Serialize)]
pub struct ViolationBody {
    #[serde(rename = "propertyPath")]
    property_path: String,
    message: String,
    code: &'static str,
}

impl ViolationBody {
    pub fn list(violations: &[Violation]) -> Vec<Self> {
        violations.iter().map(Self::of).collect()
    }

    fn of(violation: &Violation) -> Self {
        let Violation { path, message, kind } = violation;
        Self { property_path: path.clone(), message: message.clone(), code: violation_code(*kind) }
    }
}

/// Returns the code of a kind of violation.
pub const fn violation_code(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Malformed => "malformed",
        ViolationKind::Missing => "missing",
        ViolationKind::Invalid => "invalid",
        ViolationKind::Contradiction => "contradiction",
        ViolationKind::TooMany => "too_many",
    }
}

/// Builds an error body from one sentence.
pub fn error(status: u16, description: impl Into<String>) -> ErrorBody {
    let description = description.into();
    ErrorBody {
        context: "/contexts/Error",
        kind: "hydra:Error",
        hydra_title: TITLE,
        hydra_description: description.clone(),
        violations: None,
        receiver: None,
        problem_type: format!("/errors/{status}"),
        title: TITLE,
        status,
        detail: description,
    }
}

/// Builds the error of a test webhook that was not delivered.
pub fn webhook_not_delivered(
    status: u16,
    outcome: Outcome,
    answered: Option<u16>,
    took: Duration,
    certificate: Option<CertificateFault>,
) -> ErrorBody {
    let (outcome, duration_ms) =
        (names::outcome(outcome), u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let description = match answered {
        Some(answered) => {
            format!("The receiver responded with status {answered} after {duration_ms} ms ({outcome}).")
        }
        None => {
            format!("No response from the receiver; the attempt failed after {duration_ms} ms ({outcome}).")
        }
    };
    let detail = certificate.map(names::certificate_fault);
    let description = match detail {
        Some(detail) => format!("{description} {detail}"),
        None => description,
    };
    let receiver = Some(ReceiverBody { outcome, status: answered, duration_ms, detail });
    ErrorBody { receiver, ..error(status, description) }
}

/// Builds the error of an invalid query, with its status: 422 if every violation is about too many values,
/// otherwise 400.
pub fn invalid_query(violations: &[Violation]) -> (u16, ErrorBody) {
    let too_much = violations.iter().all(|violation| violation.kind == ViolationKind::TooMany);
    with_violations(if too_much { 422 } else { 400 }, violations)
}

/// Builds the error of an invalid body, with its status: 400 if a value could not be parsed, 422 if all values
/// could be parsed but break a rule.
pub fn invalid_body(violations: &[Violation]) -> (u16, ErrorBody) {
    let malformed = violations.iter().any(|violation| violation.kind == ViolationKind::Malformed);
    with_violations(if malformed { 400 } else { 422 }, violations)
}

fn with_violations(status: u16, violations: &[Violation]) -> (u16, ErrorBody) {
    let mut body = error(status, description(violations));
    body.violations = Some(ViolationBody::list(violations));
    if status == 422 {
        body.context = "/contexts/ConstraintViolationList";
        body.kind = "ConstraintViolationList";
    }
    (status, body)
}

fn description(violations: &[Violation]) -> String {
    let line = |violation: &Violation| match violation.path.as_str() {
        "" => violation.message.clone(),
        path => format!("{path}: {}", violation.message),
    };
    violations.iter().map(line).collect::<Vec<_>>().join("\n")
}
