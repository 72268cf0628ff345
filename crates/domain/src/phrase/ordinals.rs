//! Ordinals in digits: "2e", "2ème" and "2nd" have one stem. Ordinals in letters are forms of the same stem, see
//! [`super::stem_exceptions`].

use std::borrow::Cow;

/// Returns `true` if letters that follow a number make it an ordinal.
pub(super) fn is_ending(letters: &str) -> bool {
    matches!(singular(letters), "e" | "eme" | "ieme" | "er" | "ere" | "re" | "nd" | "nde")
}

/// Returns `true` if letters that follow a number after a space make it an ordinal. Single letters do not: "2 E" can be a flat.
pub(super) fn is_ending_after_space(number: &str, letters: &str) -> bool {
    matches!(
        (number, singular(letters)),
        (_, "eme" | "ieme") | ("1", "er" | "ere" | "re") | ("2", "nd" | "nde")
    )
}

/// Returns the stem of an ordinal: `2eme` → `2e`. `None` if the token is not an ordinal.
pub(super) fn stem_ordinal(token: &str) -> Option<Cow<'_, str>> {
    let digits = token.bytes().take_while(u8::is_ascii_digit).count();
    let (number, ending) = token.split_at(digits);
    match (number, singular(ending)) {
        ("", _) => None,
        (_, "e" | "eme") | ("1", "er" | "ere") => Some(Cow::Borrowed(&token[..=digits])),
        (_, "ieme") | ("1", "re") | ("2", "nd" | "nde") => Some(Cow::Owned(format!("{number}e"))),
        _ => None,
    }
}

fn singular(letters: &str) -> &str {
    letters.strip_suffix('s').unwrap_or(letters)
}
