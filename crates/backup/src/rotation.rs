//! Removing old backups.

use crate::error::Error;

/// What a rotation did. A backup that cannot be removed does not keep the others from being removed.
#[derive(Debug, Default)]
pub(crate) struct Rotated {
    /// The names of the backups that were removed.
    pub removed: Vec<String>,
    /// The first problem.
    pub error: Option<Error>,
}

impl Rotated {
    /// Nothing was removed.
    pub fn failed(error: Error) -> Self {
        Self { removed: Vec::new(), error: Some(error) }
    }

    /// Notes the result of removing something.
    pub fn note(&mut self, result: Result<Option<String>, Error>) {
        match result {
            Ok(name) => self.removed.extend(name),
            Err(error) => self.error = self.error.take().or(Some(error)),
        }
    }
}
