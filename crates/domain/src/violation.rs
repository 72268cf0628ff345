//! Validation errors of an input.

use std::fmt;

/// A broken rule: the path of the value and a message for the sender.
///
/// Validation collects all violations instead of stopping at the first, so that a sender can fix them all at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub path: String,
    pub message: String,
    pub kind: ViolationKind,
}

/// The kind of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViolationKind {
    /// The wrong type, or a reference to something that does not exist.
    Malformed,
    /// A required value is missing or blank.
    Missing,
    /// Well-formed, but out of bounds.
    Invalid,
    /// In conflict with another value or with stored data.
    Contradiction,
    /// Over a limit on the number of values.
    TooMany,
}

impl Violation {
    pub fn malformed(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(ViolationKind::Malformed, path, message)
    }

    pub fn missing(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(ViolationKind::Missing, path, message)
    }

    pub fn invalid(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(ViolationKind::Invalid, path, message)
    }

    pub fn contradiction(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(ViolationKind::Contradiction, path, message)
    }

    pub fn too_many(path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self::new(ViolationKind::TooMany, path, message)
    }

    fn new(kind: ViolationKind, path: impl Into<String>, message: impl fmt::Display) -> Self {
        Self { path: path.into(), message: message.to_string(), kind }
    }
}
