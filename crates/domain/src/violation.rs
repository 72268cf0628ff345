//! What is wrong with an input, and where.

use std::fmt;

/// One broken rule: the path of the value and a sentence for whoever sent it.
///
/// Judging an input collects violations and never stops at the first, so that a sender can mend everything at once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation {
    pub path: String,
    pub message: String,
    pub kind: ViolationKind,
}

/// Whether the value could not be understood, or was understood and breaks a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ViolationKind {
    /// Of the wrong type, or a reference that leads nowhere.
    Malformed,
    /// A required value is missing or blank.
    Missing,
    /// Understood, and out of bounds.
    Invalid,
    /// At odds with another value or with what is already known.
    Contradiction,
    /// More than anybody needs.
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
