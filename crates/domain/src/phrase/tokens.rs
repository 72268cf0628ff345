//! Splits a text into tokens: folded words, with numbers apart from what follows them.
//!
//! "60m2", "60 m2" and "60 m²" are the same two tokens, so are "3pieces" and "3 pièces". Letters before a number stay with it:
//! "t3", "m2" and "d7" are words. So does the ending of an ordinal: "2e", "1er". The parts of a number are one token
//! ([`super::numbers`]).
//!
//! A token is folded, except that some words keep their last accent ([`super::accents`]).

use std::borrow::Cow;

use super::accents::LastAccent;
use super::{accents, numbers, ordinals};
use crate::fold::{FoldedWord, fold_words};

/// The version of the tokens. Increment it whenever [`tokenize`] can return other tokens for the same text: a persisted index with
/// another version is rebuilt. Stems are not persisted.
pub const TOKENS_VERSION: u32 = 3;

/// Returns the tokens of a text, separated by single spaces: `Placé 2ème étage, 60m²` → `placé 2eme etage 60 m2`.
pub fn tokenize(text: &str) -> String {
    let mut tokens = String::with_capacity(text.len());
    tokenize_into(text, &mut tokens);
    tokens
}

/// Appends the tokens of a text to `tokens`, for callers that read thousands of texts into one buffer.
pub fn tokenize_into(text: &str, tokens: &mut String) {
    fold_words(&numbers::normalize(text), tokens, end_word);
}

/// Returns a token as a strict phrase spells it, without any accent: `placé` → `place`.
pub fn exact_form(token: &str) -> Cow<'_, str> {
    accents::without_accent(token)
}

/// Rewrites the last word of a folded text as tokens.
fn end_word(folded: &mut String, FoldedWord { start, acute, accent }: FoldedWord) {
    let word = &folded[start..];
    if word.bytes().any(|byte| byte.is_ascii_digit()) {
        if let Some(tokens) = split_numbers(word) {
            folded.replace_range(start.., &tokens);
        }
        return;
    }
    let letters = word.strip_suffix('s').unwrap_or(word).len();
    let last = start + letters.saturating_sub(1);
    let accent = match (acute, accent) {
        (Some(acute), _) if acute == last => LastAccent::Acute,
        (_, Some(accent)) if accent >= start => LastAccent::NotAcute,
        _ => return,
    };
    if let Some(letter) = accents::kept_letter(word, accent) {
        folded.replace_range(last..=last, letter.encode_utf8(&mut [0; 4]));
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
