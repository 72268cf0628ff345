//! Reads the values of an advert, strictly or leniently.
//!
//! The methods have the names of [`Reader`]. In strict mode they are those: every unusable value is a violation. In lenient
//! mode a value of the right type takes the same path, any other is read by [`crate::lenient`], and one that cannot be
//! used becomes a warning and counts as not given.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use domain::value::{Text, TextError};
use domain::{Amount, Timestamp, Violation, WebAddress};
use jiff::SignedDuration;
use serde_json::Number;

use super::{ParseContext, ParseMode};
use crate::date;
use crate::json::{Json, Reader, parse_number, truncated};
use crate::lenient::number::{self, NumberKind};
use crate::lenient::{self, Reading, words};

/// Tolerance for the sender's clock before a date counts as being in the future.
const FUTURE_MAX: SignedDuration = SignedDuration::from_hours(24);

/// Adverts are not older: a date before 1990 is a default value of some program. In seconds since 1970, less a day for time zones.
const EARLIEST_SECOND: i64 = 631_152_000 - 86_400;

/// Warnings per advert. Hundreds of them come from one fault of the feed, and a receipt should stay readable.
const WARNINGS_MAX: usize = 100;

/// Reads the values of an advert and collects violations and warnings.
#[derive(Debug)]
pub struct FieldReader {
    mode: ParseMode,
    /// Reads in strict mode, and holds the violations of both modes.
    pub exact: Reader,
    warnings: Vec<Violation>,
    warnings_left_out: usize,
}

impl FieldReader {
    pub fn new(mode: ParseMode) -> Self {
        Self { mode, exact: Reader::default(), warnings: Vec::new(), warnings_left_out: 0 }
    }

    pub const fn is_strict(&self) -> bool {
        matches!(self.mode, ParseMode::Strict)
    }

    /// Returns the violations and the warnings.
    pub fn finish(self) -> (Vec<Violation>, Vec<Violation>) {
        let Self { mode: _, exact, mut warnings, warnings_left_out } = self;
        if warnings_left_out > 0 {
            let message = format!("{warnings_left_out} more warnings are not listed.");
            warnings.push(Violation::too_many("", message));
        }
        (exact.violations, warnings)
    }

    /// Returns how many warnings there are, with those that are not listed.
    pub const fn warning_count(&self) -> usize {
        self.warnings.len() + self.warnings_left_out
    }

    /// Reports an unusable value: a violation in strict mode, otherwise a warning.
    pub fn report(&mut self, violation: Violation) {
        if self.is_strict() {
            self.exact.violations.push(violation);
        } else if self.warnings.len() < WARNINGS_MAX {
            self.warnings.push(violation);
        } else {
            self.warnings_left_out += 1;
        }
    }

    /// Reports the violations of a strict reading, after the first `before`, as the mode demands.
    pub fn report_since(&mut self, before: usize) {
        if !self.is_strict() {
            for violation in self.exact.violations.split_off(before) {
                self.report(violation);
            }
        }
    }

    /// Reports a value of the wrong type.
    pub fn wrong_type(&mut self, path: &str, expected: &str, value: &Json<'_>) {
        if self.is_strict() {
            return self.exact.wrong_type(path, expected, value);
        }
        self.report(Violation::malformed(
            path,
            format!("{} is not {expected}; it was ignored.", shown(value)),
        ));
    }

    pub fn invalid(&mut self, path: &str, message: impl std::fmt::Display) {
        self.report(Violation::invalid(path, message));
    }

    /// Returns what a lenient reading found, and reports what the sender should know.
    pub fn accept<T>(&mut self, path: &str, value: &Json<'_>, reading: Reading<T>) -> Option<T> {
        match reading {
            Reading::Value(read) => Some(read),
            Reading::Remarked(read, remark) => {
                self.report(Violation::invalid(path, format!("{} {remark}.", shown(value))));
                Some(read)
            }
            Reading::NotGiven => None,
            Reading::Unusable(reason) => {
                self.report(Violation::malformed(
                    path,
                    format!("{} {reason}; it was ignored.", shown(value)),
                ));
                None
            }
        }
    }

    /// Reads a number of any sign.
    pub fn number(&mut self, path: &str, value: &Json<'_>) -> Option<f64> {
        self.number_of(path, value, NumberKind::Plain)
    }

    fn number_of(&mut self, path: &str, value: &Json<'_>, kind: NumberKind) -> Option<f64> {
        match value {
            _ if self.is_strict() => self.exact.number(path, value),
            Json::Number(number) => {
                let reading =
                    number.as_f64().map_or(Reading::NotGiven, |number| number::checked(number, kind));
                self.accept(path, value, reading)
            }
            Json::String(text) => {
                let reading = number::read(text, kind);
                self.accept(path, value, reading)
            }
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {
                self.wrong_type(path, "a number", value);
                None
            }
        }
    }

    /// Reads a number from 0 to `max`, within the range of [`Amount`].
    pub fn amount(&mut self, path: &str, value: &Json<'_>, max: f64) -> Option<Amount> {
        self.amount_of(path, value, NumberKind::of_amount(path), max)
    }

    /// Reads an amount of a kind that does not follow from its name.
    pub fn amount_of(&mut self, path: &str, value: &Json<'_>, kind: NumberKind, max: f64) -> Option<Amount> {
        if self.is_strict() {
            return self.exact.amount(path, value, max);
        }
        let number = self.number_of(path, value, kind)?;
        let amount = Amount::new(number).filter(|amount| amount.get() <= max);
        if amount.is_none() {
            self.invalid(path, format!("{} is not between 0 and {max}; it was ignored.", shown(value)));
        }
        amount
    }

    /// Reads an integer within bounds.
    pub fn integer(&mut self, path: &str, value: &Json<'_>, bounds: RangeInclusive<i32>) -> Option<i32> {
        if self.is_strict() {
            return self.exact.integer(path, value, bounds);
        }
        let number = self.number_of(path, value, NumberKind::of_integer(path))?;
        if number.fract() != 0.0 {
            self.invalid(path, format!("{} is not a whole number; it was ignored.", shown(value)));
            return None;
        }
        let (low, high) = (*bounds.start(), *bounds.end());
        if !(f64::from(low)..=f64::from(high)).contains(&number) {
            self.invalid(path, format!("{} is not between {low} and {high}; it was ignored.", shown(value)));
            return None;
        }
        // An integer within the bounds of an i32: the cast is exact.
        Some(number as i32)
    }

    pub fn boolean(&mut self, path: &str, value: &Json<'_>) -> Option<bool> {
        match value {
            Json::Bool(boolean) => Some(*boolean),
            Json::String(text) if !self.is_strict() => {
                let reading = lenient::boolean::read(path, text);
                self.accept(path, value, reading)
            }
            Json::Number(number) if !self.is_strict() && number.as_f64() == Some(0.0) => Some(false),
            Json::Number(number) if !self.is_strict() && number.as_f64() == Some(1.0) => Some(true),
            _ if self.is_strict() => self.exact.boolean(path, value),
            _ => {
                self.wrong_type(path, "a boolean", value);
                None
            }
        }
    }

    /// Reads the code of an enumeration, or the word for it.
    pub fn enum_code<T>(
        &mut self,
        path: &str,
        value: &Json<'_>,
        choices: &[T],
        code: impl Fn(&T) -> u8,
    ) -> Option<T>
    where
        T: Copy,
    {
        let choice = |kind: &T| {
            let code = code(kind);
            match words::choices(path).iter().find(|(known, _)| *known == code) {
                Some((_, word)) => format!("{code} ({word})"),
                None => code.to_string(),
            }
        };
        let accepted = || choices.iter().map(choice).collect::<Vec<_>>().join(", ");
        if self.is_strict() {
            return self.exact.enum_code(path, value, choices, &code, &accepted());
        }
        let required = matches!(path, "transactionType" | "propertyType");
        let number = match value {
            Json::Number(number) => number.as_f64(),
            Json::String(text) => match parse_number(text) {
                Some(number) => Some(number),
                None => match words::read(path, text) {
                    Reading::Value(code) | Reading::Remarked(code, _) => Some(f64::from(code)),
                    Reading::NotGiven if !required => return None,
                    Reading::NotGiven | Reading::Unusable(_) => None,
                },
            },
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => None,
        };
        let found =
            number.and_then(|number| choices.iter().copied().find(|kind| f64::from(code(kind)) == number));
        if found.is_none() {
            let ending = if required { "." } else { "; it was ignored." };
            let message =
                format!("{} is not a valid choice; the choices are {}{ending}", shown(value), accepted());
            if required {
                self.exact.violations.push(Violation::invalid(path, message));
            } else {
                self.invalid(path, message);
            }
        }
        found
    }

    /// Reads a string as it is.
    pub fn text<'v>(&mut self, path: &str, value: &'v Json<'_>) -> Option<&'v str> {
        match value {
            Json::String(text) => Some(text),
            _ => {
                self.wrong_type(path, "a string", value);
                None
            }
        }
    }

    /// Reads a string, or a number as a string: zipcodes and references often lose their quotes.
    pub fn text_or_number(&mut self, path: &str, value: &Json<'_>) -> Option<String> {
        match value {
            Json::Number(number) if !is_exact(number) => {
                let message = format!(
                    "{number} may have lost digits, because it is too long for a number; send it as a string."
                );
                self.invalid(path, message);
                None
            }
            Json::Number(number) => Some(number.to_string()),
            Json::String(text) if !self.is_strict() => {
                Some(lenient::text::clean(text).into_owned()).filter(|text| !lenient::is_not_given(text))
            }
            _ => self.text(path, value).map(str::to_owned),
        }
    }

    /// Reads a text. In lenient mode, HTML becomes plain text, and a text that is too long is cut.
    pub fn bounded_text<const MAX: usize>(&mut self, path: &str, value: &Json<'_>) -> Option<Text<MAX>> {
        if self.is_strict() {
            return self.exact.bounded_text(path, value);
        }
        let text = match value {
            Json::String(text) => lenient::text::clean(text),
            Json::Number(number) => Cow::Owned(number.to_string()),
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {
                self.wrong_type(path, "a string", value);
                return None;
            }
        };
        if lenient::is_not_given(&text) {
            return None;
        }
        match Text::new(&text) {
            Ok(text) => text,
            Err(TextError::TooLong { length, limit }) => {
                let start: String = text.trim().chars().take(limit).collect();
                let message =
                    format!("{} has {length} characters; the first {limit} were kept.", quoted(&text));
                self.invalid(path, message);
                Text::new(&start).ok().flatten()
            }
            Err(error @ TextError::ControlCharacter) => {
                self.invalid(path, format!("{}: {error}", quoted(&text)));
                None
            }
        }
    }

    pub fn address(&mut self, path: &str, value: &Json<'_>) -> Option<WebAddress> {
        let text = self.text(path, value)?;
        if !self.is_strict() {
            return match lenient::address::read(text) {
                Reading::Unusable(reason) => {
                    self.invalid(path, format!("{} {reason}; it was ignored.", shown(value)));
                    None
                }
                reading => self.accept(path, value, reading),
            };
        }
        if text.trim().is_empty() {
            return None;
        }
        WebAddress::parse(text).map_err(|error| self.invalid(path, format!("{}: {error}", quoted(text)))).ok()
    }

    /// Reads a list of at most `max` items. Each item gets its own path. In lenient mode, an item that cannot be used is
    /// left out, a list that is too long is cut, and a text is a list with separators.
    pub fn list<T>(
        &mut self,
        path: &str,
        value: &Json<'_>,
        max: usize,
        mut read: impl FnMut(&mut Self, &str, &Json<'_>) -> Option<T>,
    ) -> Option<Vec<T>> {
        let split: Vec<Json<'_>>;
        let items = match value {
            Json::Array(items) => items,
            Json::String(text) if !self.is_strict() => {
                split = items_of(text);
                &split
            }
            _ => {
                self.wrong_type(path, "an array", value);
                return None;
            }
        };
        let items = self.limited(path, items, max)?;
        let strict = self.is_strict();
        let given = items.iter().enumerate().filter(|(_, item)| strict || !item.is_null());
        // One text for all paths. Nearly no item has a fault, but it might.
        let mut item_path = [path, "["].concat();
        let prefix = item_path.len();
        let mut digits = itoa::Buffer::new();
        let mut found: Vec<T> = Vec::with_capacity(items.len());
        for (index, item) in given {
            item_path.truncate(prefix);
            item_path.push_str(digits.format(index));
            item_path.push(']');
            found.extend(read(self, &item_path, item));
        }
        // A list without one usable item does not clear the known one.
        (strict || items.is_empty() || !found.is_empty()).then_some(found)
    }

    /// Returns the items of a list within its limit. A longer list is a violation in strict mode, otherwise it is cut.
    pub fn limited<'v, 'a>(
        &mut self,
        path: &str,
        items: &'v [Json<'a>],
        max: usize,
    ) -> Option<&'v [Json<'a>]> {
        if items.len() <= max {
            return Some(items);
        }
        let length = items.len();
        if self.is_strict() {
            self.invalid(
                path,
                format!("This list is too long: {length} items given, at most {max} allowed."),
            );
            return None;
        }
        self.invalid(path, format!("The list has {length} items; the first {max} were kept."));
        Some(&items[..max])
    }

    /// Reads a date. One that cannot be is unknown: before 1990, or in the future.
    pub fn date(&mut self, path: &str, value: &Json<'_>, context: ParseContext<'_>) -> Option<Timestamp> {
        if self.is_strict() {
            return self.exact_date(path, value, context);
        }
        let reading = match value {
            Json::String(text) => lenient::date::read(text, context.zone),
            Json::Number(number) => match number.as_f64() {
                Some(number) => lenient::date::from_number(number, context.zone),
                None => Reading::NotGiven,
            },
            Json::Null | Json::Bool(_) | Json::Array(_) | Json::Object(_) => {
                self.wrong_type(path, "a date", value);
                return None;
            }
        };
        let timestamp = self.accept(path, value, reading)?;
        let impossible = if timestamp.as_second() < EARLIEST_SECOND {
            "is before 1990"
        } else if timestamp.duration_since(context.now) > FUTURE_MAX {
            "is in the future"
        } else {
            return Some(timestamp);
        };
        self.invalid(path, format!("{} {impossible}; the date counts as unknown.", shown(value)));
        None
    }

    fn exact_date(&mut self, path: &str, value: &Json<'_>, context: ParseContext<'_>) -> Option<Timestamp> {
        let text = self.text(path, value)?;
        let Some(timestamp) = date::parse(text, context.zone) else {
            let message = format!("\"{}\" is not {}.", truncated(text), date::EXPECTED);
            self.report(Violation::malformed(path, message));
            return None;
        };
        if timestamp.duration_since(context.now) > FUTURE_MAX {
            self.invalid(path, format!("\"{text}\" is in the future."));
            return None;
        }
        Some(timestamp)
    }
}

/// Returns `false` for a number that may not be the one that was sent: integers of more than 64 bits become floating-point numbers.
fn is_exact(number: &Number) -> bool {
    /// From here on, floating-point numbers have gaps of more than one.
    const FLOAT_MAX: f64 = 9_007_199_254_740_992.0;
    number.is_u64() || number.is_i64() || number.as_f64().is_some_and(|number| number.abs() < FLOAT_MAX)
}

/// Returns the items of a list that is given as one text: JSON, HTML, or items with separators.
fn items_of(text: &str) -> Vec<Json<'static>> {
    let owned = |item: &str| Json::String(Cow::Owned(item.to_owned()));
    if text.trim_start().starts_with('[')
        && let Ok(Json::Array(items)) = Json::parse(text.as_bytes())
    {
        let text_of = |item: &Json<'_>| item.as_str().map_or_else(|| owned(&item.to_string()), owned);
        return items.iter().map(|item| if item.is_null() { Json::Null } else { text_of(item) }).collect();
    }
    let cleaned = if text.contains('<') { lenient::text::clean(text) } else { Cow::Borrowed(text) };
    separated(&cleaned).map(owned).collect()
}

/// Splits a text at the separators of lists: bars, semicolons and line breaks, or else commas. Semicolons, commas and spaces may be
/// part of an address, so they separate addresses only where the next one begins. A comma between digits is a decimal comma.
fn separated(text: &str) -> impl Iterator<Item = &str> {
    let addresses = text.contains("://");
    let marks: &[char] = if text.contains(['|', ';', '\n']) { &['|', ';', '\n'] } else { &[','] };
    let (mut pieces, mut from) = (Vec::new(), 0);
    for (at, mark) in text.match_indices(['|', '\n', ';', ',', ' ']) {
        let next = text[at + 1..].trim_start();
        let is_between_digits = || {
            text[..at].ends_with(|c: char| c.is_ascii_digit())
                && text[at + 1..].starts_with(|c: char| c.is_ascii_digit())
        };
        let separates = match mark {
            "|" | "\n" => true,
            _ if addresses => next.starts_with("http") || next.starts_with("//"),
            "," if is_between_digits() => false,
            mark => marks.iter().any(|known| mark.starts_with(*known)),
        };
        if separates {
            pieces.push(&text[from..at]);
            from = at + 1;
        }
    }
    pieces.push(&text[from..]);
    pieces.into_iter().map(str::trim).filter(|piece| !piece.is_empty())
}

/// Returns a value as messages show it: quoted, short, and never a whole document.
pub fn shown(value: &Json<'_>) -> String {
    match value {
        Json::String(text) => quoted(text),
        Json::Null | Json::Bool(_) | Json::Number(_) => truncated(&value.to_string()),
        Json::Array(items) if items.len() > 3 => format!("An array of {} items", items.len()),
        Json::Object(members) if members.len() > 3 => format!("An object of {} members", members.len()),
        Json::Array(_) | Json::Object(_) => truncated(&value.to_string()),
    }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", truncated(text.trim()))
}
