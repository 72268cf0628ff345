//! Splits the text of an advert into words and numbers.
//!
//! Unlike [`crate::phrase`], a number is one token with its value: "1 840 m²", "1840m2" and "1.840 m²" are the same two tokens, and so
//! are "81,64" and "81.64". Facts are read from these tokens, and shingles are made of them.

use std::ops::Range;

use crate::fold::plain_letters;

/// A word or a number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Token {
    start: u32,
    end: u32,
    /// The value of a number. Words and ordinals have none.
    pub number: Option<f32>,
    pub hash: u32,
    /// Whether punctuation follows.
    pub ends_clause: bool,
    /// Whether a sentence ends here.
    pub ends_sentence: bool,
}

impl Token {
    /// Returns the length of its text in bytes.
    pub fn len(&self) -> usize {
        (self.end - self.start) as usize
    }
}

/// The tokens of a text, in reading order.
#[derive(Debug, Default)]
pub struct Tokens {
    /// The texts in lower case, each followed by its words that are folded to other letters.
    folded: String,
    list: Vec<Token>,
}

/// The text that is read. A description may be ten times as long; what sells a home stands at its beginning.
const BYTES_MAX: usize = 6_000;

/// How long a word is at the least, with the space behind it, on the average of a text.
const BYTES_PER_TOKEN: usize = 5;

impl Tokens {
    /// Returns no tokens yet, with room for those of texts of so many bytes.
    pub fn with_room_for(bytes: usize) -> Self {
        Self {
            folded: String::with_capacity(bytes + bytes / 4),
            list: Vec::with_capacity(bytes / BYTES_PER_TOKEN),
        }
    }

    /// Appends the tokens of a text, which ends a sentence.
    pub fn read(&mut self, text: &str) {
        let text = &text[..text.floor_char_boundary(BYTES_MAX)];
        // Nearly all words need no other folding, and stay where they are.
        let start = self.folded.len();
        self.folded.push_str(text);
        self.folded[start..].make_ascii_lowercase();
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let at = start + text.len() - rest.len();
            // Most of a text: words of plain letters, each with a space behind it.
            let plain = plain_run(rest);
            if plain > 0 && !letter.is_ascii_digit() && rest.as_bytes().get(plain) == Some(&b' ') {
                self.push_word(at..at + plain);
                rest = &rest[plain + 1..];
                continue;
            }
            rest = if letter.is_ascii_digit() {
                self.number(rest, at)
            } else if letter.is_alphanumeric() {
                self.word(rest, at)
            } else {
                self.separator(letter, &rest[letter.len_utf8()..]);
                &rest[letter.len_utf8()..]
            };
        }
        if let Some(last) = self.list.last_mut() {
            last.ends_clause = true;
            last.ends_sentence = true;
        }
    }

    pub fn list(&self) -> &[Token] {
        &self.list
    }

    /// Returns the folded word, or the digits of a number.
    pub fn text(&self, token: &Token) -> &str {
        &self.folded[token.start as usize..token.end as usize]
    }

    /// Returns the word at a position; nothing for a number or beyond the end.
    pub fn word_at(&self, position: usize) -> &str {
        self.list.get(position).filter(|token| token.number.is_none()).map_or("", |token| self.text(token))
    }

    /// Returns the number at a position.
    pub fn number_at(&self, position: usize) -> Option<f32> {
        self.list.get(position)?.number
    }

    fn separator(&mut self, letter: char, after: &str) {
        if letter == ' ' {
            return;
        }
        if letter == '€' {
            let start = self.folded.len();
            self.folded.push_str("euros");
            self.push_word(start..self.folded.len());
            return;
        }
        let Some(last) = self.list.last_mut() else { return };
        // The point of an abbreviation ("cuis. américaine") is followed by a small letter.
        let next = after.trim_start().chars().next();
        let ends = matches!(letter, '!' | '?' | '\n' | '•')
            || letter == '.' && next.is_none_or(|next| !next.is_lowercase() && !after.starts_with(next));
        last.ends_sentence |= ends;
        last.ends_clause |=
            ends || matches!(letter, ',' | ';' | ':' | '(' | ')' | '/' | '-' | '–' | '.' | '|');
    }

    /// Reads a word, which is at `at` in the folded text, in lower case.
    fn word<'a>(&mut self, text: &'a str, at: usize) -> &'a str {
        let plain = plain_run(text);
        if text.as_bytes().get(plain).is_none_or(u8::is_ascii) {
            self.push_word(at..at + plain);
            return &text[plain..];
        }
        let start = self.folded.len();
        let mut rest = text;
        loop {
            let plain = plain_run(rest);
            self.folded.push_str(&rest[..plain]);
            rest = &rest[plain..];
            let Some(letter) = rest.chars().next() else { break };
            if let Some(plain) = plain_letters(letter) {
                self.folded.push_str(plain);
            } else if letter.is_alphanumeric() {
                for lower in letter.to_lowercase() {
                    match plain_letters(lower) {
                        Some(plain) => self.folded.push_str(plain),
                        None => self.folded.push(lower),
                    }
                }
            } else if !('\u{300}'..='\u{36f}').contains(&letter) {
                // Not a decomposed accent: the word ends.
                break;
            }
            rest = &rest[letter.len_utf8()..];
        }
        self.folded[start..].make_ascii_lowercase();
        self.push_word(start..self.folded.len());
        rest
    }

    /// Reads a number with its groups of thousands and its decimals, or an ordinal. It is at `at` in the folded text.
    fn number<'a>(&mut self, text: &'a str, at: usize) -> &'a str {
        let bytes = text.as_bytes();
        let digits = |from: usize| bytes[from..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let mut end = digits(0);
        let mut value = decimal(&text[..end]);
        // "1 840", "1.840": groups of exactly three digits after one to three. A leading zero is a telephone number or a code.
        if end <= 3 && !text.starts_with('0') {
            while let Some((separator, group)) = group_after(&text[end..]) {
                if digits(group + end) != 3 {
                    break;
                }
                value = value * 1_000.0 + decimal(&text[end + separator..end + separator + 3]);
                end += separator + 3;
            }
        }
        if matches!(bytes.get(end), Some(b',' | b'.')) && end + 1 < bytes.len() {
            let count = digits(end + 1);
            if (1..=2).contains(&count) {
                let fraction = decimal(&text[end + 1..end + 1 + count]);
                value += fraction / if count == 1 { 10.0 } else { 100.0 };
                end += 1 + count;
            }
        }
        let rest = &text[end..];
        if !rest.starts_with(|letter: char| letter.is_alphabetic()) {
            self.push_number(at..at + end, value as f32);
            return rest;
        }
        for ending in ["ème", "eme", "ième", "er", "ère", "ere", "nde", "nd", "è", "e"] {
            let after = rest.get(..ending.len()).filter(|found| found.eq_ignore_ascii_case(ending));
            if after.is_some() && !rest[ending.len()..].starts_with(char::is_alphanumeric) {
                let start = self.folded.len();
                self.folded.push_str(&text[..end]);
                self.folded.push('e');
                self.push_word(start..self.folded.len());
                return &rest[ending.len()..];
            }
        }
        self.push_number(at..at + end, value as f32);
        rest
    }

    /// Appends the word that is at a place of the folded text.
    fn push_word(&mut self, place: Range<usize>) {
        let word = &self.folded.as_bytes()[place.clone()];
        match number_word(word) {
            Some(number) => self.push_number(place, number),
            None => {
                let hash = hash_bytes(word);
                self.push(place, None, hash);
            }
        }
    }

    /// Appends the number that is at a place of the folded text.
    fn push_number(&mut self, place: Range<usize>, number: f32) {
        self.push(place, Some(number), mix(number.to_bits()));
    }

    fn push(&mut self, place: Range<usize>, number: Option<f32>, hash: u32) {
        self.list.push(Token {
            start: offset(place.start),
            end: offset(place.end),
            number,
            hash,
            ends_clause: false,
            ends_sentence: false,
        });
    }
}

/// Returns the length of a separator of thousands and the offset of the group behind it.
fn group_after(rest: &str) -> Option<(usize, usize)> {
    let separator =
        rest.chars().next().filter(|letter| matches!(letter, ' ' | '\u{a0}' | '\u{202f}' | '.'))?;
    let length = separator.len_utf8();
    Some((length, length))
}

fn decimal(digits: &str) -> f64 {
    digits.parse().unwrap_or(f64::INFINITY)
}

fn offset(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

/// Returns the value of a spelled number. "Un" and "une" are articles as well, and "neuf" means new, so they are words.
fn number_word(word: &[u8]) -> Option<f32> {
    Some(match word {
        b"deux" => 2.0,
        b"trois" => 3.0,
        b"quatre" => 4.0,
        b"cinq" => 5.0,
        b"six" => 6.0,
        b"sept" => 7.0,
        b"huit" => 8.0,
        b"dix" => 10.0,
        _ => return None,
    })
}

/// Returns the number of ASCII letters and digits that a text begins with.
fn plain_run(text: &str) -> usize {
    text.bytes().position(|byte| !IS_PLAIN[usize::from(byte)]).unwrap_or(text.len())
}

/// Whether a byte is an ASCII letter or digit: one look for what takes three comparisons.
const IS_PLAIN: [bool; 256] = {
    let mut is_plain = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is_plain[byte] = (byte as u8).is_ascii_alphanumeric();
        byte += 1;
    }
    is_plain
};

/// Hashes a word or a name. The result is stored, so it never changes; it is never zero.
pub fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hash = 0x811c_9dc5_u32 ^ offset(bytes.len());
    for byte in bytes {
        hash = (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193);
    }
    mix(hash)
}

/// Spreads the bits of a hash.
pub const fn mix(hash: u32) -> u32 {
    let hash = (hash ^ (hash >> 16)).wrapping_mul(0x7feb_352d);
    let hash = (hash ^ (hash >> 15)).wrapping_mul(0x846c_a68b);
    let hash = hash ^ (hash >> 16);
    if hash == 0 { 1 } else { hash }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        let mut tokens = Tokens::default();
        tokens.read(text);
        let shown: Vec<String> = tokens
            .list()
            .iter()
            .map(|token| {
                token.number.map_or_else(|| tokens.text(token).into(), |number| format!("#{number}"))
            })
            .collect();
        assert_eq!(shown.join(" "), expected, "{text}");
    }

    #[test]
    fn numbers_have_a_value() {
        check("Terrain de 1 840 m²", "terrain de #1840 m2");
        check("1.840m2, 1\u{a0}840 m²", "#1840 m2 #1840 m2");
        check("81,64 m² ou 81.64 m2", "#81.64 m2 ou #81.64 m2");
        check("T3 de 65m² au 2ème étage", "t3 de #65 m2 au 2e etage");
        check("1 250 000 €", "#1250000 euros");
        check("trois chambres, une cave", "#3 chambres une cave");
        check("02 61 91 14 20", "#2 #61 #91 #14 #20");
        check("livré en 2024. 350 000 €", "livre en #2024 #350000 euros");
    }

    proptest! {
        /// A mark without meaning behind each letter keeps every word from being read where it stands.
        #[test]
        fn folded_words_are_those_that_need_no_folding(text in "[a-zA-ZéÉœß '.,€-]{0,40}") {
            let marked: String = text.chars().flat_map(|letter| {
                [Some(letter), letter.is_alphabetic().then_some('\u{300}')].into_iter().flatten()
            }).collect();
            let words = |text: &str| {
                let mut tokens = Tokens::default();
                tokens.read("Vue 3 pièces");
                tokens.read(text);
                let word = |token: &Token| (tokens.text(token).to_owned(), token.hash, token.ends_clause);
                tokens.list().iter().map(word).collect::<Vec<_>>()
            };
            prop_assert_eq!(words(&text), words(&marked));
        }
    }

    #[test]
    fn sentences_end_with_a_point() {
        let mut tokens = Tokens::default();
        tokens.read("Quartier du Thabor, cuis. équipée. Proche Gare");
        let ends: Vec<&str> = tokens
            .list()
            .iter()
            .filter(|token| token.ends_sentence)
            .map(|token| tokens.text(token))
            .collect();
        assert_eq!(ends, ["equipee", "gare"]);
    }
}
