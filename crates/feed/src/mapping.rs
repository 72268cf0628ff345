//! The mapping file: which column or path becomes which field of an advert.

/// A mapping file, read and checked.
#[derive(Debug, Clone, Default)]
pub struct Mapping {}

/// A mistake in a mapping file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct MappingError {
    message: String,
}

impl Mapping {
    /// Reads a mapping file.
    pub fn parse(_text: &str) -> Result<Self, MappingError> {
        Ok(Self {})
    }
}
