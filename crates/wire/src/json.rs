//! Parses single JSON values leniently: numbers may be strings, booleans may be 0 and 1. Each invalid value becomes
//! a violation with its path.

mod borrowed;

use std::collections::BTreeSet;

use domain::value::Text;
use domain::{Amount, Violation, WebAddress};
use serde_json::{Map, Number, Value};

use crate::query::items;

pub use borrowed::{Json, JsonObject};

/// What the reader of a single value sees of it, whichever type holds it.
#[derive(Debug, Clone, Copy)]
pub enum ValueRef<'v> {
    Null,
    Bool(bool),
    Number(&'v Number),
    String(&'v str),
    Array,
    Object,
}

impl<'v> From<&'v Value> for ValueRef<'v> {
    fn from(value: &'v Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(boolean) => Self::Bool(*boolean),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::String(text),
            Value::Array(_) => Self::Array,
            Value::Object(_) => Self::Object,
        }
    }
}

impl<'v> From<&'v Json<'_>> for ValueRef<'v> {
    fn from(value: &'v Json<'_>) -> Self {
        match value {
            Json::Null => Self::Null,
            Json::Bool(boolean) => Self::Bool(*boolean),
            Json::Number(number) => Self::Number(number),
            Json::String(text) => Self::String(text),
            Json::Array(_) => Self::Array,
            Json::Object(_) => Self::Object,
        }
    }
}

/// Returns the JSON type of a value, as error messages name it.
pub fn json_type<'v>(value: impl Into<ValueRef<'v>>) -> &'static str {
    match value.into() {
        ValueRef::Null => "null",
        ValueRef::Bool(_) => "boolean",
        ValueRef::Number(_) => "number",
        ValueRef::String(_) => "string",
        ValueRef::Array => "array",
        ValueRef::Object => "object",
    }
}

/// Maximum number of items in a list of a search: no department has a thousand communes, and France has a few
/// thousand towns.
const ITEMS_MAX: usize = 5_000;

/// Maximum number of invalid items reported per list: hundreds of them come from one mistake in the client.
const WRONG_ITEMS_MAX: usize = 100;

/// Parses the values of a body and collects the violations.
#[derive(Debug, Default)]
pub struct Reader {
    pub violations: Vec<Violation>,
}

impl Reader {
    pub fn wrong_type<'v>(&mut self, path: &str, expected: &str, value: impl Into<ValueRef<'v>>) {
        let value = value.into();
        let given = match value {
            ValueRef::String(text) => format!("string \"{}\"", truncated(text)),
            ValueRef::Number(number) => format!("number {}", truncated(&number.to_string())),
            ValueRef::Bool(boolean) => format!("boolean {boolean}"),
            ValueRef::Null | ValueRef::Array | ValueRef::Object => json_type(value).to_owned(),
        };
        let message = format!("The type of the \"{path}\" attribute must be {expected}, {given} given.");
        self.violations.push(Violation::malformed(path, message));
    }

    pub fn invalid(&mut self, path: &str, message: impl std::fmt::Display) {
        self.violations.push(Violation::invalid(path, message));
    }

    /// Reads a number, or a string that holds one.
    pub fn number<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>) -> Option<f64> {
        let value = value.into();
        let number = match value {
            ValueRef::Number(number) => number.as_f64(),
            ValueRef::String(text) => parse_number(text),
            _ => None,
        };
        if number.is_none() {
            self.wrong_type(path, "a number", value);
        }
        number
    }

    /// Reads a number from 0 to `max`, within the range of [`Amount`].
    pub fn amount<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>, max: f64) -> Option<Amount> {
        let number = self.number(path, value)?;
        let amount = Amount::new(number).filter(|amount| amount.get() <= max);
        if amount.is_none() {
            self.invalid(path, format!("This value should be between 0 and {max}, {number} given."));
        }
        amount
    }

    /// Reads an integer within bounds.
    pub fn integer<'v>(
        &mut self,
        path: &str,
        value: impl Into<ValueRef<'v>>,
        bounds: std::ops::RangeInclusive<i32>,
    ) -> Option<i32> {
        let value = value.into();
        let number = self.number(path, value)?;
        if number.fract() != 0.0 {
            self.wrong_type(path, "an integer", value);
            return None;
        }
        let (low, high) = (*bounds.start(), *bounds.end());
        if !(f64::from(low)..=f64::from(high)).contains(&number) {
            self.invalid(path, format!("This value should be between {low} and {high}, {number} given."));
            return None;
        }
        // An integer within the bounds of an i32: the cast is exact.
        Some(number as i32)
    }

    pub fn boolean<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>) -> Option<bool> {
        let value = value.into();
        let read = match value {
            ValueRef::Bool(boolean) => Some(boolean),
            ValueRef::Number(number) => match number.as_u64() {
                Some(0) => Some(false),
                Some(1) => Some(true),
                _ => None,
            },
            ValueRef::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "1" => Some(true),
                "false" | "0" => Some(false),
                _ => None,
            },
            _ => None,
        };
        if read.is_none() {
            self.wrong_type(path, "a boolean", value);
        }
        read
    }

    /// Reads the code of an enumeration. `accepted` lists the codes for the message.
    pub fn enum_code<'v, T>(
        &mut self,
        path: &str,
        value: impl Into<ValueRef<'v>>,
        choices: &[T],
        code: impl Fn(&T) -> u8,
        accepted: &str,
    ) -> Option<T>
    where
        T: Copy,
    {
        let number = self.number(path, value)?;
        let found = choices.iter().copied().find(|kind| f64::from(code(kind)) == number);
        if found.is_none() {
            let message = format!("The value {number} is not a valid choice; the choices are {accepted}.");
            self.invalid(path, message);
        }
        found
    }

    pub fn text<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>) -> Option<&'v str> {
        match value.into() {
            ValueRef::String(text) => Some(text),
            value => {
                self.wrong_type(path, "a string", value);
                None
            }
        }
    }

    /// Reads a string, or a number as a string: zipcodes and references often lose their quotes.
    pub fn text_or_number<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>) -> Option<String> {
        match value.into() {
            ValueRef::Number(number) => Some(number.to_string()),
            value => self.text(path, value).map(str::to_owned),
        }
    }

    pub fn bounded_text<'v, const MAX: usize>(
        &mut self,
        path: &str,
        value: impl Into<ValueRef<'v>>,
    ) -> Option<Text<MAX>> {
        let text = self.text(path, value)?;
        Text::new(text).unwrap_or_else(|error| {
            self.invalid(path, error);
            None
        })
    }

    pub fn address<'v>(&mut self, path: &str, value: impl Into<ValueRef<'v>>) -> Option<WebAddress> {
        let text = self.text(path, value)?;
        if text.trim().is_empty() {
            return None;
        }
        WebAddress::parse(text).map_err(|error| self.invalid(path, error)).ok()
    }

    /// Reads a list of at most `max` items. Each item gets its own path.
    pub fn list<T>(
        &mut self,
        path: &str,
        value: &Value,
        max: usize,
        mut read: impl FnMut(&mut Self, &str, &Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let Value::Array(items) = value else {
            self.wrong_type(path, "an array", value);
            return None;
        };
        if items.len() > max {
            self.invalid(
                path,
                format!("This list is too long: {} items given, at most {max} allowed.", items.len()),
            );
            return None;
        }
        let read = |(index, item)| read(self, &format!("{path}[{index}]"), item);
        Some(items.iter().enumerate().filter_map(read).collect())
    }

    /// Reads the single value or the list under each name and returns all items without duplicates. A list may be
    /// an object with numeric keys: some languages encode a sparse array that way.
    pub fn list_or_single<T: Ord + Clone>(
        &mut self,
        named: &[(&'static str, &Value)],
        read: impl Fn(&mut Self, &str, &Value) -> Option<T>,
    ) -> Option<Vec<T>> {
        let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
        let mut count = 0;
        for (name, value) in named {
            let items = items(value);
            count += items.as_ref().map_or(1, Vec::len);
            if count > ITEMS_MAX {
                let message =
                    format!("This list is too long: {count} items given, at most {ITEMS_MAX} allowed.");
                self.violations.push(Violation::too_many(*name, message));
                return None;
            }
            let before = self.violations.len();
            let items = match items {
                Some(items) => {
                    items.into_iter().map(|(index, item)| (format!("{name}[{index}]"), item)).collect()
                }
                None => vec![((*name).to_owned(), *value)],
            };
            for (path, item) in items {
                found.extend(read(self, &path, item).filter(|item| seen.insert(item.clone())));
                if self.violations.len() - before >= WRONG_ITEMS_MAX {
                    break;
                }
            }
        }
        Some(found)
    }
}

/// Truncates a value for an error message: long enough to recognise it.
pub fn truncated(text: &str) -> String {
    const LENGTH_MAX: usize = 60;
    match text.char_indices().nth(LENGTH_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Returns the unknown names of an object, at most 100 of them.
pub fn unknown_members(members: &Map<String, Value>, known: &[&str]) -> Vec<String> {
    const REPORTED_MAX: usize = 100;
    let unknown = members.keys().filter(|name| !known.contains(&name.as_str()));
    unknown.take(REPORTED_MAX).map(|name| truncated(name)).collect()
}

/// Returns the members of a body that must be an object.
pub(crate) fn fields(value: &Value) -> Result<&Map<String, Value>, Vec<Violation>> {
    value.as_object().ok_or_else(|| {
        let kind = json_type(value);
        vec![Violation::malformed("", format!("The body must be a JSON object, {kind} given."))]
    })
}

/// A misspelt attribute must not be answered with success.
pub(crate) fn unknown_attribute(name: &str) -> Violation {
    Violation::malformed(truncated(name), "This attribute is not known.")
}

/// Parses a finite decimal number. Rejects `inf`, `NaN` and `0x10`.
pub fn parse_number(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain =
        text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'-' | b'+' | b'e' | b'E'));
    if !plain || text.len() > 64 {
        return None;
    }
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn number(value: Value) -> Result<f64, String> {
        let mut reader = Reader::default();
        reader.number("price", &value).ok_or_else(|| reader.violations[0].message.clone())
    }

    #[test]
    fn numbers_may_be_strings() {
        assert_eq!(number(json!(20)), Ok(20.0));
        assert_eq!(number(json!("48.86")), Ok(48.86));
        assert_eq!(number(json!(" -3 ")), Ok(-3.0));
        for wrong in [json!("inf"), json!("12 000"), json!(""), json!("NaN"), json!([1]), json!("0x1")] {
            assert!(number(wrong.clone()).is_err(), "{wrong}");
        }
        assert_eq!(
            number(json!(true)),
            Err("The type of the \"price\" attribute must be a number, boolean true given.".to_owned())
        );
    }

    #[test]
    fn integers_are_whole_and_within_bounds() {
        let integer = |value| Reader::default().integer("room", &value, 0..=100);
        assert_eq!(integer(json!("3")), Some(3));
        assert_eq!(integer(json!(3.0)), Some(3));
        assert_eq!(integer(json!(3.5)), None);
        assert_eq!(integer(json!(101)), None);
        assert_eq!(integer(json!(1e300)), None);
    }
}
