//! Splits a text into tokens: folded words, with numbers apart from what follows them.
//!
//! "60m2", "60 m2" and "60 m²" are the same two tokens, so are "3pieces" and "3 pièces". Letters before a number stay with it:
//! "t3", "m2" and "d7" are words. So does the ending of an ordinal: "2e", "1er".
//!
//! A token is folded, except that a few words keep their last "é" ([`super::accents`]).

use std::borrow::Cow;

use super::{accents, ordinals};
use crate::fold::{FoldedWord, fold_words};

/// Returns the tokens of a text, separated by single spaces: `Placé 2ème étage, 60m²` → `placé 2eme etage 60 m2`.
pub fn tokenize(text: &str) -> String {
    let mut tokens = String::with_capacity(text.len());
    tokenize_into(text, &mut tokens);
    tokens
}

/// Appends the tokens of a text to `tokens`, for callers that read thousands of texts into one buffer.
pub fn tokenize_into(text: &str, tokens: &mut String) {
    fold_words(text, tokens, end_word);
}

/// Returns a token as a strict phrase spells it, without any accent: `placé` → `place`.
pub fn exact_form(token: &str) -> Cow<'_, str> {
    accents::without_accent(token)
}

/// Rewrites the last word of a folded text as tokens.
fn end_word(folded: &mut String, FoldedWord { start, acute }: FoldedWord) {
    let word = &folded[start..];
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        if let Some(tokens) = split_numbers(word) {
            folded.replace_range(start.., &tokens);
        }
    } else if let Some(acute) = acute.filter(|acute| *acute >= start)
        && matches!(&folded[acute..], "e" | "es")
        && accents::keeps_accent(word)
    {
        folded.replace_range(acute..=acute, "é");
    }
}

/// Inserts a space after each number that letters follow. `None` if there is no such number.
fn split_numbers(word: &str) -> Option<String> {
    let is_end = |(index, pair): (usize, &[u8])| {
        let end = index + 1;
        (pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic() && !ordinals::is_ending(&word[end..]))
            .then_some(end)
    };
    let mut ends = word.as_bytes().windows(2).enumerate().filter_map(is_end).peekable();
    ends.peek()?;
    let mut tokens = String::with_capacity(word.len() + 2);
    let mut start = 0;
    for end in ends {
        tokens.push_str(&word[start..end]);
        tokens.push(' ');
        start = end;
    }
    tokens.push_str(&word[start..]);
    Some(tokens)
}
