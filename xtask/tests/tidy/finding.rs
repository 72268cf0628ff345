//! The result of a check, and how to report it.

use std::fmt;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    pub path: String,
    /// Counted from 1; `None` for the whole file.
    pub line: Option<usize>,
    pub message: String,
}

impl Finding {
    pub fn at(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: Some(line), message: message.into() }
    }

    pub fn of(path: &str, message: impl Into<String>) -> Self {
        Self { path: path.to_owned(), line: None, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}: {}", self.path, self.message),
            None => write!(f, "{}: {}", self.path, self.message),
        }
    }
}

/// Panics with all findings, below the rule they break.
#[track_caller]
pub fn none(rule: &str, findings: &[Finding]) {
    let list: String = findings.iter().map(|finding| format!("  {finding}\n")).collect();
    assert!(findings.is_empty(), "\n{rule}\n{list}");
}

/// Panics unless the findings, as displayed, are exactly these.
#[track_caller]
pub fn exactly(findings: &[Finding], expected: &[&str]) {
    let shown: Vec<String> = findings.iter().map(Finding::to_string).collect();
    assert_eq!(shown, expected);
}
