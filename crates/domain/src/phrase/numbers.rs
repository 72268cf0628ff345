//! Writes each number of a text in one way, before the text is folded and split into words.
//!
//! A part of a number must not be found as a number: "500" is not in "1 500", nor "9" in "62,9". So a number with spaces or points
//! between its thousands is written without them, and one with a decimal point keeps it in its token. An ordinal is written without
//! a space or a degree sign: "2 ème" and "2°" are "2ème" and "2e". So is "T 3".
//!
//! Not joined are numbers that belong to a word before them ("T3 120 m²", "lot 12 300 m²"), dates and telephone numbers. "F 3" is not
//! "F3": it is as often an energy class before a number.

use std::borrow::Cow;

use super::ordinals;
use crate::fold::{fold, is_combining_mark};

/// Separates whole number and decimals in a token. Any letter that texts do not have would do, because folding keeps letters.
const DECIMAL_POINT: char = 'ˌ';

/// Words whose number does not go on after a space: "rue 12 300 m²", "type 3 120 m²". All are folded.
#[rustfmt::skip]
const NUMBERED: &[&str] = &[
    "appartement", "appt", "apt", "avenue", "bat", "batiment", "boulevard", "box", "bus", "cave", "escalier", "etage", "f",
    "garage", "ligne", "lot", "metro", "n", "niveau", "no", "num", "numero", "parcelle", "parking", "porte", "route", "rt",
    "rue", "secteur", "t", "tram", "type", "zone",
];

/// Returns the text with its numbers written in one way. Other letters are as before.
pub(super) fn normalize(text: &str) -> Cow<'_, str> {
    let mut normalized = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find(|letter: char| letter.is_ascii_digit()) {
        let start = at + found;
        let Rewritten { start, end, number } = rewritten(text, start);
        at = end;
        if let Some(number) = number {
            normalized.push_str(&text[copied..start]);
            normalized.push_str(&number);
            copied = end;
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    normalized.push_str(&text[copied..]);
    Cow::Owned(normalized)
}

/// Splits a text at whitespace such that the tokens of the text are those of its pieces. A piece may contain spaces, because what
/// follows or precedes a number can belong to it.
pub fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let is_within_piece = move |index: usize| {
        let (before, after) = (index.checked_sub(1).and_then(|index| bytes.get(index)), bytes.get(index + 1));
        let (Some(before), Some(after)) = (before, after) else { return false };
        bytes[index] == b' '
            && !before.is_ascii_whitespace()
            && (after.is_ascii_digit()
                || before.is_ascii_digit() && (after.is_ascii_alphabetic() || !after.is_ascii()))
    };
    let mut start = 0;
    let ends = (0..=bytes.len()).filter(move |index| {
        bytes.get(*index).is_none_or(|byte| byte.is_ascii_whitespace() && !is_within_piece(*index))
    });
    ends.map(move |end| {
        let piece = &text[start..end];
        start = end + 1;
        piece
    })
    .filter(|piece| !piece.is_empty())
}

/// A range of a text that contains a number, and how to write it. `None` leaves it as it is.
struct Rewritten {
    start: usize,
    end: usize,
    number: Option<String>,
}

/// Rewrites the number of which `start` is the first digit.
fn rewritten(text: &str, start: usize) -> Rewritten {
    let digits_end = start + digits(&text[start..]).len();
    let unchanged = |end| Rewritten { start, end, number: None };
    let before = text[..start].chars().next_back();
    if before.is_some_and(|letter| letter.is_alphanumeric() || is_combining_mark(letter)) {
        return unchanged(digits_end);
    }
    let Some(first) = Group::read(&text[start..]) else {
        return unchanged(start + group_end(&text[start..]));
    };
    let end = start + first.len;
    if first.is_integer() && end == digits_end {
        if let Some(space) = room_count(text, start, end) {
            return Rewritten { start: space, end, number: Some(first.whole) };
        }
        if let Some((len, number)) = ordinal(&first.whole, &text[end..]) {
            return Rewritten { start, end: end + len, number: Some(number) };
        }
    }
    let (len, number) = if end == digits_end && begins_thousands(text, start, &first.whole) {
        first.with_thousands(&text[end..])
    } else {
        (0, first)
    };
    let written = number.to_string();
    let end = end + len;
    Rewritten { start, end, number: (written != text[start..end]).then_some(written) }
}

/// A number as far as it has no spaces.
struct Group {
    len: usize,
    whole: String,
    decimals: Option<String>,
}

impl Group {
    /// Reads the digits, points and commas at the start of a text. `None` if they are no number: a date, or a list.
    fn read(text: &str) -> Option<Self> {
        let len = group_end(text);
        let (whole, decimals) = match text[..len].split_once(',') {
            Some((whole, decimals)) => (whole, Some(decimals)),
            None => (&text[..len], None),
        };
        let (whole, decimals) = match (whole.split_once('.'), decimals) {
            (None, decimals) => (whole.to_owned(), decimals),
            // "1.500" has no decimals: three of them are rare, thousands are not.
            (Some((first, rest)), decimals) if is_first_group(first) && rest.split('.').all(is_thousand) => {
                (whole.replace('.', ""), decimals)
            }
            (Some((whole, decimals)), None) => (whole.to_owned(), Some(decimals)),
            (Some(_), Some(_)) => return None,
        };
        if decimals.is_some_and(|decimals| decimals.contains(['.', ','])) {
            return None;
        }
        // "62,50" is "62,5". Three decimals can be thousands.
        let decimals = decimals
            .map(|decimals| if decimals.len() < 3 { decimals.trim_end_matches('0') } else { decimals })
            .filter(|decimals| !decimals.is_empty())
            .map(str::to_owned);
        Some(Self { len, whole, decimals })
    }

    fn is_integer(&self) -> bool {
        self.decimals.is_none()
    }

    /// Appends the groups of three digits that follow, each after a space. Returns their length with the number.
    fn with_thousands(mut self, following: &str) -> (usize, Self) {
        let mut len = 0;
        while self.is_integer()
            && let Some(space) = space_at_start(&following[len..])
            && let group = &following[len + space..]
            && is_thousand(digits(group))
            && let Some(Group { len: group_len, whole, decimals }) = Self::read(group)
            && whole.len() == 3
        {
            len += space + group_len;
            self.whole.push_str(&whole);
            self.decimals = decimals;
            // The group had decimals that are all zero: "1 500,00".
            if group_len > 3 {
                break;
            }
        }
        (len, self)
    }
}

impl std::fmt::Display for Group {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.whole)?;
        self.decimals.as_ref().map_or(Ok(()), |decimals| write!(f, "{DECIMAL_POINT}{decimals}"))
    }
}

fn digits(text: &str) -> &str {
    &text[..text.bytes().take_while(u8::is_ascii_digit).count()]
}

/// Returns the length of the digits at the start of a text, with the points and commas that are directly between digits.
fn group_end(text: &str) -> usize {
    let mut end = digits(text).len();
    while matches!(text.as_bytes().get(end), Some(b'.' | b',')) {
        match digits(&text[end + 1..]).len() {
            0 => break,
            more => end += 1 + more,
        }
    }
    end
}

fn is_first_group(digits: &str) -> bool {
    digits.len() <= 3 && !digits.starts_with('0')
}

fn is_thousand(digits: &str) -> bool {
    digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the length of the space, breaking or not, at the start of a text.
fn space_at_start(text: &str) -> Option<usize> {
    text.chars().next().filter(|letter| is_space(*letter)).map(char::len_utf8)
}

fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\u{a0}' | '\u{2009}' | '\u{202f}')
}

/// Returns `true` if thousands may follow after a space: the number is short and belongs to no word before it.
fn begins_thousands(text: &str, start: usize, whole: &str) -> bool {
    let before = &text[..start];
    if !is_first_group(whole) || before.ends_with(['+', '/', '-', '–', '°', 'º', '.', ',', '\'', '’', '#'])
    {
        return false;
    }
    let before = before.strip_suffix(is_space).unwrap_or(before).trim_end_matches(['°', 'º', '.']);
    let word = before.rsplit(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default();
    !NUMBERED.contains(&&*fold(word))
}

/// Returns the offset of the space in "T 3". `None` if the number is no number of rooms after a T.
fn room_count(text: &str, start: usize, end: usize) -> Option<usize> {
    let letter_end = text[..start].strip_suffix(is_space)?.len();
    let before = text[..letter_end].strip_suffix(['t', 'T'])?;
    let is_word = !before.ends_with(|letter: char| {
        letter.is_alphanumeric() || is_combining_mark(letter) || matches!(letter, '\'' | '’' | '-')
    });
    let is_alone = !text[end..].starts_with(char::is_alphanumeric);
    (is_word && is_alone && matches!(text.as_bytes()[start..end], [b'1'..=b'9'])).then_some(letter_end)
}

/// Returns the ordinal that a number is with what follows it, and the length of that: "2 ème", "2°".
fn ordinal(number: &str, following: &str) -> Option<(usize, String)> {
    if number.len() > 2 {
        return None;
    }
    if let Some(rest) = following.strip_prefix(['°', 'º']) {
        // "19°C" is a temperature.
        let is_temperature =
            rest.strip_prefix(['c', 'C']).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
        return (!is_temperature).then(|| (following.len() - rest.len(), format!("{number}e ")));
    }
    let space = space_at_start(following)?;
    let letters = following[space..]
        .split(|letter: char| !letter.is_alphanumeric() && !is_combining_mark(letter))
        .next()
        .filter(|letters| letters.len() <= "iie\u{300}mes".len())?;
    ordinals::is_ending_after_space(number, &fold(letters))
        .then(|| (space + letters.len(), format!("{number}{letters}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phrase::tokenize;

    #[test]
    fn numbers_are_one_token() {
        for (text, expected) in [
            ("1 500 m²", "1500 m2"),
            ("1\u{a0}500 m²", "1500 m2"),
            ("1\u{202f}500\u{2009}000", "1500000"),
            ("terrain de 12 500m2", "terrain de 12500 m2"),
            ("1.500 m²", "1500 m2"),
            ("1.500,50 €", "1500ˌ5"),
            ("1 500,25 €", "1500ˌ25"),
            ("1 500,00 €, 300 m²", "1500 300 m2"),
            ("62,9 m²", "62ˌ9 m2"),
            ("62.90m²", "62ˌ9 m2"),
            ("62,00 m²", "62 m2"),
            ("0.500 km", "0ˌ500 km"),
            ("1,500", "1ˌ500"),
            ("85,31 m², 2 ch", "85ˌ31 m2 2 ch"),
        ] {
            assert_eq!(tokenize(text), expected, "{text}");
            assert_eq!(tokenize(&tokenize(text)), expected, "{text} twice");
        }
    }

    #[test]
    fn other_numbers_stay_apart() {
        for (text, expected) in [
            ("3 pièces 120 m²", "3 pieces 120 m2"),
            ("T3 120 m²", "t3 120 m2"),
            ("T 3 120 m²", "t3 120 m2"),
            ("Type 3 120 m²", "type 3 120 m2"),
            ("rue 12 300 m²", "rue 12 300 m2"),
            ("n° 12 300 m²", "n 12 300 m2"),
            ("Bât. 2 250 m²", "bat 2 250 m2"),
            ("R+1 120 m²", "r 1 120 m2"),
            ("3/4 120", "3 4 120"),
            ("RT 2012 120 m²", "rt 2012 120 m2"),
            ("1 50 m²", "1 50 m2"),
            ("1  500", "1 500"),
            ("1\n500", "1 500"),
            ("1, 500", "1 500"),
            ("1 5000", "1 5000"),
            ("04 67 12 34 56", "04 67 12 34 56"),
            ("04.67.12.34.56", "04 67 12 34 56"),
            ("le 12.03.2024 à 14", "le 12 03 2024 a 14"),
            ("lots 1,2,3", "lots 1 2 3"),
            ("m2 3", "m2 3"),
            ("va-t 3", "va t 3"),
            ("T 3bis", "t 3 bis"),
            ("T 12", "t 12"),
        ] {
            assert_eq!(tokenize(text), expected, "{text}");
        }
    }

    #[test]
    fn ordinals_have_neither_space_nor_degree_sign() {
        for (text, expected) in [
            ("2 ème étage", "2eme etage"),
            ("2 e\u{300}me étage", "2eme etage"),
            ("1 er étage", "1er etage"),
            ("1\u{a0}ère", "1ere"),
            ("2° étage", "2e etage"),
            ("2°étage", "2e etage"),
            ("2º étage", "2e etage"),
            ("2 ND", "2nd"),
            ("2 er", "2 er"),
            ("3 nd", "3 nd"),
            ("2 e", "2 e"),
            ("19°C", "19 c"),
            ("vue à 180°", "vue a 180"),
            ("n°2", "n 2"),
            ("250 ème", "250 eme"),
            ("1 ermitage", "1 ermitage"),
        ] {
            assert_eq!(tokenize(text), expected, "{text}");
        }
    }

    proptest::proptest! {
        #[test]
        fn tokens_of_a_text_are_those_of_its_pieces(
            text in "([0-9]{1,3}|[ .,°\u{a0}\n+-]| |T|e\u{300}me|ème|er|lot|n°|é|m²|[a-z]){0,12}",
        ) {
            let tokens: Vec<String> = pieces(&text).map(tokenize).filter(|tokens| !tokens.is_empty()).collect();
            proptest::prop_assert_eq!(tokens.join(" "), tokenize(&text));
        }
    }
}
