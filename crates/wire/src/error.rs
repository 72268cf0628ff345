//! Error bodies: the Hydra members and those of RFC 9457 side by side, because clients in the wild read either.

use std::time::Duration;

use domain::violation::ViolationKind;
use domain::{Outcome, Violation};
use serde::Serialize;

use crate::names;

const TITLE: &str = "An error occurred";

/// The body of an error that is not about single values.
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
    /// Of a violation list always; of a malformed body where it is known what is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    violations: Option<Vec<ViolationBody>>,
    /// Of a webhook that was sent on request and did not arrive.
    #[serde(skip_serializing_if = "Option::is_none")]
    receiver: Option<ReceiverBody>,
    #[serde(rename = "type")]
    problem_type: String,
    title: &'static str,
    status: u16,
    detail: String,
}

/// What a receiver did with a webhook. Never what it answered: an address that somebody makes up must not be read through us.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverBody {
    outcome: &'static str,
    status: Option<u16>,
    duration_ms: u64,
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
        Self { property_path: path.clone(), message: message.clone(), code: code(*kind) }
    }
}

const fn code(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Malformed => "malformed",
        ViolationKind::Missing => "missing",
        ViolationKind::Invalid => "invalid",
        ViolationKind::Contradiction => "contradiction",
        ViolationKind::TooMany => "too_many",
    }
}

/// An error with one sentence.
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

/// Says that a receiver did not take a webhook that was sent on request, and what it did instead.
pub fn not_taken(status: u16, outcome: Outcome, answered: Option<u16>, took: Duration) -> ErrorBody {
    let (outcome, duration_ms) =
        (names::outcome(outcome), u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
    let told = match answered {
        Some(answered) => format!("The receiver answered {answered} after {duration_ms} ms ({outcome})."),
        None => format!("The receiver did not answer; the attempt ended after {duration_ms} ms ({outcome})."),
    };
    let receiver = Some(ReceiverBody { outcome, status: answered, duration_ms });
    ErrorBody { receiver, ..error(status, told) }
}

/// Everything that is wrong with a query, and the status it deserves. One that breaks a rule is as malformed as one that cannot
/// be understood, 400; only one that merely asks for too much is understood well, 422.
pub fn query(violations: &[Violation]) -> (u16, ErrorBody) {
    let too_much = violations.iter().all(|violation| violation.kind == ViolationKind::TooMany);
    judged(if too_much { 422 } else { 400 }, violations)
}

/// Everything that is wrong with a body, and the status it deserves: 400 when something in it could not be understood, 422
/// when all of it could and breaks a rule.
pub fn violations(violations: &[Violation]) -> (u16, ErrorBody) {
    let malformed = violations.iter().any(|violation| violation.kind == ViolationKind::Malformed);
    judged(if malformed { 400 } else { 422 }, violations)
}

fn judged(status: u16, violations: &[Violation]) -> (u16, ErrorBody) {
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
