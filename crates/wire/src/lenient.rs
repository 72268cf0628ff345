//! Reads values as real feeds write them: `295 000 €`, `60,1`, `12/03/2024`, `NC`, `oui`, `l&#39;été`.
//!
//! Each module reads one kind of value from one text and returns a [`Reading`]. Nothing here knows fields, paths or
//! violations: the parser of adverts decides what to report. A text is either understood for certain or it is unusable;
//! the few readings that are likely but not certain carry a remark. Strict ingest does not use this module.

pub mod address;
pub mod boolean;
pub mod date;
pub mod encoding;
pub mod energy;
pub mod number;
pub mod point;
pub mod text;
pub mod words;

/// What a text says.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading<T> {
    Value(T),
    /// A value that the sender should check. The remark is a clause that follows the quoted text.
    Remarked(T, String),
    /// The text says that the value is not known, or says nothing.
    NotGiven,
    /// The text cannot be used. The reason is a clause that follows the quoted text.
    Unusable(&'static str),
}

impl<T> Reading<T> {
    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Reading<U> {
        match self {
            Self::Value(value) => Reading::Value(convert(value)),
            Self::Remarked(value, remark) => Reading::Remarked(convert(value), remark),
            Self::NotGiven => Reading::NotGiven,
            Self::Unusable(reason) => Reading::Unusable(reason),
        }
    }
}

/// Returns `true` if a text of any field stands for "not given": it is blank, only punctuation, or one of the words that
/// programs and people write for a value they do not have.
pub fn is_not_given(text: &str) -> bool {
    /// The longest word of the list below.
    const BYTES_MAX: usize = 9;
    // Nothing is trimmed before a letter or a digit, and no word of the list begins with these.
    if let Some(first) = text.bytes().next()
        && first.is_ascii_alphanumeric()
        && !matches!(first | 0x20, b'n' | b'u')
    {
        return false;
    }
    let text = text.trim_matches(|c: char| c.is_whitespace() || text::is_invisible(c));
    if text.is_empty() {
        return true;
    }
    if text.chars().take(BYTES_MAX + 1).count() > BYTES_MAX {
        return false;
    }
    if text.chars().all(|c| matches!(c, '-' | '–' | '—' | '_' | '.' | '?' | '*' | '/' | ',' | '…')) {
        return true;
    }
    NOT_GIVEN.iter().any(|word| text.eq_ignore_ascii_case(word))
}

/// What programs and people write into any field for a value that they do not have.
#[rustfmt::skip]
const NOT_GIVEN: &[&str] = &[
    "null", "(null)", "<null>", "[null]", "none", "nil", "nan", "undefined", "n/a", "n.a.", "n.a", "#n/a", "nc", "n.c.",
    "n.c", "n/c", "(nc)", "\\n",
];

/// Returns `true` if a folded text says in words that a number, a date or a choice is not known. Not for titles and names,
/// which may say anything.
fn says_unknown(folded: &str) -> bool {
    UNKNOWN.contains(&folded)
}

/// How people say that they do not know, folded.
#[rustfmt::skip]
const UNKNOWN: &[&str] = &[
    "na", "n a", "nc", "n c", "nd", "n d", "nr", "n r", "null", "none", "nan", "non communique", "non communiquee",
    "non renseigne", "non renseignee", "non precise", "non precisee", "non defini", "non definie", "non disponible",
    "non connu", "non connue", "non applicable", "non concerne", "inconnu", "inconnue", "indetermine", "indefini",
    "indisponible", "unknown", "not available", "not applicable", "not specified", "unspecified", "sans objet",
    "a definir", "a preciser", "a venir", "a completer", "tbd", "tba",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_no_value_are_not_taken_for_texts() {
        for word in NOT_GIVEN {
            assert!(is_not_given(word) && is_not_given(&word.to_ascii_uppercase()), "{word}");
            assert!(is_not_given(&format!("\u{a0}{word} ")), "{word}");
        }
        for text in ["5", "-5", "nu", "Une maison", "0", "x", "éé", "n.c.b"] {
            assert!(!is_not_given(text), "{text}");
        }
        assert!(is_not_given(" - ") && is_not_given("…") && is_not_given(""));
    }
}
