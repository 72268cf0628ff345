//! Parses the filter on features: a list of words or phrases, each of which a feature must contain.

use domain::{Phrase, Strictness, Violation};

use super::expressions::WORD_LENGTH_MAX;

/// Maximum number of values. Each is a phrase to look for, like an entry of an expression.
pub const VALUES_MAX: usize = super::expressions::ENTRIES_MAX;

/// Parses one value.
pub fn parse(path: &str, text: &str) -> Result<Phrase, Violation> {
    let length = text.chars().count();
    if length > WORD_LENGTH_MAX {
        let message =
            format!("This value is too long: {length} characters given, at most {WORD_LENGTH_MAX} allowed.");
        return Err(Violation::too_many(path, message));
    }
    let no_word = || Violation::missing(path, format!("\"{text}\" has no letters or digits."));
    Phrase::new(text, Strictness::Inflected).ok_or_else(no_word)
}

/// Returns a violation if there are too many values.
pub fn check_count(path: &str, count: usize) -> Result<(), Violation> {
    if count <= VALUES_MAX {
        return Ok(());
    }
    let message = format!("Too many features: {count} given, at most {VALUES_MAX} allowed.");
    Err(Violation::too_many(path, message))
}
