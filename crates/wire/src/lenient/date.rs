//! Dates as people and programs write them: `12/03/2024`, `12 mars 2024 à 10h30`, seconds since 1970, `20240312`.
//!
//! In a date of numbers the day comes before the month, as in France. Two digits of a year mean 1990 to 2089.

use std::borrow::Cow;

use domain::Timestamp;
use jiff::civil::{Date, Time};
use jiff::tz::{Offset, TimeZone};

use super::{Reading, says_unknown};
use crate::date::{clock_time, digits, parse, resolve_in_zone, two_digits};

const NO_DATE: &str = "is not a date such as 2026-03-02, 02/03/2026 or 2026-03-02T14:30:00+01:00";

/// Longer texts are sentences.
const CHARACTERS_MAX: usize = 60;

/// Reads a date. One without an offset is in `zone`.
pub fn read(text: &str, zone: &TimeZone) -> Reading<Timestamp> {
    let text = text.trim();
    if super::is_not_given(text) {
        return Reading::NotGiven;
    }
    // The comment of an e-mail or of a browser says what the offset before it says: `+0100 (CET)`.
    let text = match text.split_once(" (") {
        Some((date, _)) if date.ends_with(|c: char| c.is_ascii_digit()) => date,
        _ => text,
    };
    if text.len() > CHARACTERS_MAX && text.chars().nth(CHARACTERS_MAX).is_some() {
        return Reading::Unusable("is too long for a date");
    }
    if is_zero_date(text) {
        return Reading::NotGiven;
    }
    let iso = || may_be_iso(text).then(|| parse(text, zone)).flatten();
    if let Some(timestamp) = day_first(text, zone).or_else(iso) {
        return Reading::Value(timestamp);
    }
    if !text.bytes().any(|byte| byte.is_ascii_digit()) && says_unknown(&domain::fold(text)) {
        return Reading::NotGiven;
    }
    // `/Date(1710234000000)/`, as old Microsoft programs write JSON.
    if let Some(inner) = text.strip_prefix("/Date(").and_then(|rest| rest.strip_suffix(")/")) {
        let digits = inner.split(['+', '-']).next().unwrap_or(inner);
        return digits.parse().map_or(Reading::Unusable(NO_DATE), |number: f64| from_number(number, zone));
    }
    if let Ok(number) = text.parse::<f64>()
        && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return from_number(number, zone);
    }
    // Remove the name of the zone in brackets: the offset before it says the same.
    let text = text.split_once('[').map_or(text, |(date, _)| date);
    let cleaned = super::text::clean(text);
    match DateTokens::of(&cleaned).read(zone) {
        Some(timestamp) => Reading::Value(domain::ports::whole_second(timestamp)),
        None => Reading::Unusable(NO_DATE),
    }
}

/// Returns `false` for a text with what no date of the strict form has: a slash, or a character of a word. Each failed
/// attempt at such a form takes longer than reading the date.
fn may_be_iso(text: &str) -> bool {
    let is_foreign =
        |byte: u8| byte == b'/' || byte.is_ascii_alphabetic() && !matches!(byte | 0x20, b't' | b'z' | b'w');
    !text.bytes().any(is_foreign)
}

/// Fast path: reads `12/03/2024`, `12.03.2024` or `12-03-2024`, alone or with `10:15` or `10:15:30`. The usual form of feeds should not
/// cost three failed attempts at other forms.
fn day_first(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let bytes = text.as_bytes();
    let time = match bytes.get(10..)? {
        [] => Time::midnight(),
        [b' ', time @ ..] => clock_time(time)?,
        _ => return None,
    };
    let [day @ .., mark @ (b'/' | b'.' | b'-'), _, _, second_mark, _, _, _, _] = &bytes[..10] else {
        return None;
    };
    if mark != second_mark {
        return None;
    }
    let date = Date::new(digits(&bytes[6..10])?, two_digits(&bytes[3..5])?, two_digits(day)?).ok()?;
    resolve_in_zone(date.to_datetime(time), zone)
}

/// Reads a number: seconds, milliseconds or microseconds since 1970, or the digits of a date.
pub fn from_number(number: f64, zone: &TimeZone) -> Reading<Timestamp> {
    /// 1990 and 2100, in seconds.
    const SECONDS: std::ops::Range<f64> = 631_152_000.0..4_102_444_800.0;
    if number == 0.0 {
        return Reading::NotGiven;
    }
    // `20240312`, `202403121015`, `20240312101500`. As seconds or milliseconds these would be before 1990 or after 2100.
    let digits = format!("{number}");
    if matches!(digits.len(), 8 | 12 | 14)
        && let Some(timestamp) = from_digits(&digits, zone)
    {
        return Reading::Value(timestamp);
    }
    for unit in [1.0, 1e3, 1e6] {
        let seconds = number / unit;
        if SECONDS.contains(&seconds) {
            // Within the range above, the cast is exact.
            return Timestamp::from_second(seconds as i64).map_or(Reading::Unusable(NO_DATE), Reading::Value);
        }
    }
    if (-1e9..SECONDS.start).contains(&number) {
        return Reading::Unusable("is a date before 1990 or a number that is no date");
    }
    Reading::Unusable(NO_DATE)
}

/// Returns the year of a date without a time, for years that are given as a date: `01/01/1975`.
pub fn year(text: &str) -> Option<i16> {
    let marks = text.chars().filter(|c| matches!(c, '/' | '-' | '.')).count();
    if marks != 2 || !text.contains(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let tokens = DateTokens::of(text);
    let (date, rest) = tokens.date()?;
    rest.is_empty().then_some(date.year())
}

/// The dates that databases and programs write for "none": all zeros, or the first year of their calendar.
fn is_zero_date(text: &str) -> bool {
    text.starts_with("0000")
        || text.starts_with("00/00/")
        || text.starts_with("00-00-")
        || text.starts_with("00.00.")
        || text.starts_with("0001-01-01")
        || text.starts_with("01/01/0001")
        || text.starts_with("-0001")
        || text.starts_with("30/11/-0001")
}

fn from_digits(digits: &str, zone: &TimeZone) -> Option<Timestamp> {
    let part = |from: usize, to: usize| digits.get(from..to).map_or(Some(0), |part| part.parse::<i8>().ok());
    let year: i16 = digits.get(..4)?.parse().ok()?;
    if !(1990..2100).contains(&year) {
        return None;
    }
    let date = Date::new(year, part(4, 6)?, part(6, 8)?).ok()?;
    let time = Time::new(part(8, 10)?, part(10, 12)?, part(12, 14)?, 0).ok()?;
    resolve_in_zone(date.to_datetime(time), zone)
}

#[derive(Debug, Clone, PartialEq)]
enum DateToken<'a> {
    Number(&'a str),
    /// Folded.
    Word(Cow<'a, str>),
    Mark(char),
}

struct DateTokens<'a>(Vec<DateToken<'a>>);

impl<'a> DateTokens<'a> {
    fn of(text: &'a str) -> Self {
        /// Those of `jeudi 31 décembre 2026 23:59:59 +0100` and a few more.
        const USUAL_COUNT: usize = 16;
        let mut tokens = Vec::with_capacity(USUAL_COUNT);
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let digit = c.is_ascii_digit();
            let is_in_run = |next: char| if digit { next.is_ascii_digit() } else { next.is_alphabetic() };
            let run = match rest.find(|next| !is_in_run(next)) {
                Some(0) => &rest[..c.len_utf8()],
                end => &rest[..end.unwrap_or(rest.len())],
            };
            rest = &rest[run.len()..];
            if c.is_whitespace() || matches!(c, ',' | '(' | ')') {
                continue;
            }
            tokens.push(match c {
                _ if digit => DateToken::Number(run),
                _ if !c.is_alphabetic() => DateToken::Mark(c),
                _ if run.bytes().all(|byte| byte.is_ascii_lowercase()) => DateToken::Word(run.into()),
                _ => DateToken::Word(domain::fold(run).into()),
            });
        }
        Self(tokens)
    }

    fn read(&self, zone: &TimeZone) -> Option<Timestamp> {
        let (date, rest) = self.date()?;
        let (time, rest) = time(rest)?;
        let civil = date.to_datetime(time);
        match offset(rest)? {
            Some(offset) => offset.to_timestamp(civil).ok(),
            None => resolve_in_zone(civil, zone),
        }
    }

    /// Reads the date at the beginning. Returns the tokens after it.
    fn date(&self) -> Option<(Date, &[DateToken<'a>])> {
        use DateToken::{Mark, Number, Word};
        let mut tokens = self.0.as_slice();
        // `le mardi 12 mars`: neither the article nor the weekday matters.
        while let [Word(word), rest @ ..] = tokens
            && (is_weekday(word) || is_tuesday(word, rest) || INTRODUCTIONS.contains(&&**word))
        {
            tokens = match rest {
                [Mark('.' | ':'), rest @ ..] => rest,
                _ => rest,
            };
        }
        let (year, month, day, rest) = match tokens {
            [Number(year), Mark(a @ ('-' | '/' | '.')), Number(month), Mark(b), Number(day), rest @ ..]
                if a == b && year.len() == 4 =>
            {
                (full_year(year)?, month.parse().ok()?, day, rest)
            }
            [Number(day), Mark(a @ ('-' | '/' | '.')), Number(month), Mark(b), Number(year), rest @ ..]
                if a == b =>
            {
                (full_year(year)?, month.parse().ok()?, day, rest)
            }
            // `12 mars 2024`, `1er janvier 2024`, `12-Mar-2024`.
            [Number(day), rest @ ..] => {
                let rest = match rest {
                    [Word(word), rest @ ..] if matches!(&**word, "er" | "st" | "nd" | "rd" | "th" | "e") => {
                        rest
                    }
                    [Mark('-' | '.' | '/'), rest @ ..] => rest,
                    rest => rest,
                };
                let [Word(word), rest @ ..] = rest else { return None };
                let month = month(word)?;
                let rest = match rest {
                    [Mark('-' | '.' | '/'), rest @ ..] => rest,
                    rest => rest,
                };
                let [Number(year), rest @ ..] = rest else { return None };
                (full_year(year)?, month, day, rest)
            }
            // `March 12, 2024`.
            [Word(word), rest @ ..] => {
                let month = month(word)?;
                let [Number(day), rest @ ..] = (match rest {
                    [Mark('.'), rest @ ..] => rest,
                    rest => rest,
                }) else {
                    return None;
                };
                let rest = match rest {
                    [Word(word), rest @ ..] if matches!(&**word, "st" | "nd" | "rd" | "th" | "er") => rest,
                    rest => rest,
                };
                let [Number(year), rest @ ..] = rest else { return None };
                (full_year(year)?, month, day, rest)
            }
            _ => return None,
        };
        if day.len() > 2 {
            return None;
        }
        Some((Date::new(year, month, day.parse().ok()?).ok()?, rest))
    }
}

/// Reads a time: `10:15:30.5`, `10h30`, `à 10 h`, `3:15 PM`. Nothing is midnight.
fn time<'t, 'a>(tokens: &'t [DateToken<'a>]) -> Option<(Time, &'t [DateToken<'a>])> {
    use DateToken::{Mark, Number, Word};
    let mut tokens = tokens;
    while let [Word(word), rest @ ..] = tokens
        && matches!(&**word, "t" | "a" | "at" | "vers")
    {
        tokens = rest;
    }
    if let [Mark('-' | '|'), Number(_), Mark(':') | Word(_), ..] = tokens {
        tokens = &tokens[1..];
    }
    let [Number(hour), rest @ ..] = tokens else { return Some((Time::midnight(), tokens)) };
    let mut hour: i8 = hour.parse().ok()?;
    let (mut minute, mut second) = (0, 0);
    let mut rest = match rest {
        [Word(word), rest @ ..] if matches!(&**word, "h" | "heures" | "heure") => match rest {
            [Number(minutes), rest @ ..] => {
                minute = minutes.parse().ok()?;
                match rest {
                    [Word(word), rest @ ..] if matches!(&**word, "m" | "mn" | "min") => rest,
                    rest => rest,
                }
            }
            rest => rest,
        },
        [Mark(':'), Number(minutes), rest @ ..] => {
            minute = minutes.parse().ok()?;
            rest
        }
        _ => return None,
    };
    if let [Mark(':'), Number(seconds), after @ ..] = rest {
        second = seconds.parse().ok()?;
        rest = match after {
            [Mark('.'), Number(_), after @ ..] => after,
            // Commas are left out.
            [Number(milliseconds), after @ ..] if milliseconds.len() == 3 => after,
            after => after,
        };
    }
    if let [Word(word), after @ ..] = rest {
        match (&**word, hour) {
            ("am", 12) => hour = 0,
            ("am", 1..=11) | ("pm", 12) => {}
            ("pm", 1..=11) => hour += 12,
            ("am" | "pm", _) => return None,
            _ => return Some((Time::new(hour, minute, second, 0).ok()?, rest)),
        }
        rest = after;
    }
    Some((Time::new(hour, minute, second, 0).ok()?, rest))
}

/// Reads an offset. `None` if something else follows the time.
fn offset(tokens: &[DateToken<'_>]) -> Option<Option<Offset>> {
    use DateToken::{Mark, Number, Word};
    let (sign, digits) = match tokens {
        [] => return Some(None),
        [Word(word)] => {
            return match &**word {
                "z" | "utc" | "gmt" => Some(Some(Offset::UTC)),
                "cet" => Some(Some(Offset::constant(1))),
                "cest" => Some(Some(Offset::constant(2))),
                _ => None,
            };
        }
        [Mark(sign @ ('+' | '-')), Number(digits)] | [Word(_), Mark(sign @ ('+' | '-')), Number(digits)] => {
            (*sign, Cow::Borrowed(*digits))
        }
        [Mark(sign @ ('+' | '-')), Number(hours), Mark(':'), Number(minutes)] => {
            (*sign, Cow::Owned(format!("{hours}{minutes}")))
        }
        _ => return None,
    };
    let (hours, minutes): (i32, i32) = match digits.len() {
        1 | 2 => (digits.parse().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse().ok()?),
        _ => return None,
    };
    let seconds = hours * 3_600 + minutes * 60;
    Offset::from_seconds(if sign == '-' { -seconds } else { seconds }).ok().map(Some)
}

/// Returns a year of four digits, or of two: 90 to 99 are 1990 to 1999, the others follow 2000.
fn full_year(digits: &str) -> Option<i16> {
    let year: i16 = digits.parse().ok()?;
    match digits.len() {
        4 => Some(year),
        2 => Some(if year >= 90 { 1900 + year } else { 2000 + year }),
        _ => None,
    }
}

fn month(word: &str) -> Option<i8> {
    Some(match word {
        "janvier" | "janv" | "jan" | "january" => 1,
        "fevrier" | "fevr" | "fev" | "feb" | "february" => 2,
        "mars" | "mar" | "march" => 3,
        "avril" | "avr" | "apr" | "april" => 4,
        "mai" | "may" => 5,
        "juin" | "jun" | "june" => 6,
        "juillet" | "juil" | "juill" | "jul" | "july" => 7,
        "aout" | "aou" | "aug" | "august" => 8,
        "septembre" | "sept" | "sep" | "september" => 9,
        "octobre" | "oct" | "october" => 10,
        "novembre" | "nov" | "november" => 11,
        "decembre" | "dec" | "december" => 12,
        _ => return None,
    })
}

/// Words that may stand before a date.
const INTRODUCTIONS: &[&str] =
    &["le", "du", "on", "publie", "publiee", "annonce", "paru", "parue", "date", "maj"];

/// Returns `true` for `mar.` before a day and a month: Tuesday, and not March.
fn is_tuesday(word: &str, rest: &[DateToken]) -> bool {
    use DateToken::{Mark, Number, Word};
    let rest = match rest {
        [Mark('.'), rest @ ..] => rest,
        rest => rest,
    };
    let is_followed = match rest {
        [Number(_), Word(name), ..] => month(name).is_some(),
        [Number(_), Mark('/' | '-' | '.'), Number(_), ..] => true,
        _ => false,
    };
    word == "mar" && is_followed
}

fn is_weekday(word: &str) -> bool {
    matches!(
        word,
        "lundi"
            | "mardi"
            | "mercredi"
            | "jeudi"
            | "vendredi"
            | "samedi"
            | "dimanche"
            | "lun"
            | "mer"
            | "jeu"
            | "ven"
            | "sam"
            | "dim"
            | "monday"
            | "tuesday"
            | "wednesday"
            | "thursday"
            | "friday"
            | "saturday"
            | "sunday"
            | "mon"
            | "tue"
            | "wed"
            | "thu"
            | "fri"
            | "sat"
            | "sun"
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// No form that the strict parser reads is kept from it.
        #[test]
        fn strict_forms_are_left_to_the_strict_parser(
            text in "(20[0-9]{2}-?[01][0-9]-?[0-3][0-9]|2026-W[0-5][0-9]-[1-7])\
                     ([Tt ][0-2][0-9]:?[0-5][0-9](:?[0-5][0-9]([.,][0-9]{1,9})?)?)?([Zz]|[+-][01][0-9](:?[0-5][0-9])?)?",
            inserted in any::<char>(),
            at in 0_usize..30,
        ) {
            let mut mutated: Vec<char> = text.chars().collect();
            mutated.insert(at.min(mutated.len()), inserted);
            for text in [text, mutated.into_iter().collect()] {
                prop_assert!(may_be_iso(&text) || parse(&text, &TimeZone::UTC).is_none(), "{text}");
            }
        }
    }

    #[test]
    fn usual_forms_are_read_at_once() {
        for text in ["12/03/2024", "12.03.2024 10:15", "12-03-2024 10:15:30"] {
            assert!(day_first(text, &TimeZone::UTC).is_some(), "{text}");
        }
        for text in ["12 mars 2024", "Tue, 12 Mar 2024 10:15:00 +0100", "12/3/24"] {
            assert!(!may_be_iso(text), "{text}");
        }
        assert_eq!(day_first("12-03/2024", &TimeZone::UTC), None);
    }
}
