//! How the values of one or more columns become the value of one field.

use jiff::fmt::strtime;
use serde_json::Value;

use crate::advert::{self, LISTS};

/// A column: by its name, by a pattern with `*`, by its number from 1, or a path into JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    Name(String),
    Number(usize),
}

/// One line of `[fields]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldRule {
    pub(crate) field: String,
    pub(crate) sources: Vec<Source>,
    /// Joins all values that are not empty. Without it, the first one counts.
    pub(crate) join: Option<String>,
    /// Splits a text into the items of a list.
    pub(crate) split: Option<String>,
    /// The form of a date, in the notation of strptime.
    pub(crate) date: Option<String>,
}

impl FieldRule {
    pub(crate) fn is_list(&self) -> bool {
        LISTS.contains(&self.field.as_str())
    }

    /// Combines the values of the columns. `translate` replaces single values.
    pub(crate) fn combine(&self, values: Vec<Value>, translate: impl Fn(Value) -> Value) -> Value {
        let values = values.into_iter().filter(|value| !advert::is_blank(value));
        if self.is_list() {
            let items = values.flat_map(|value| self.items(value)).map(translate);
            return Value::Array(items.filter(|item| !advert::is_blank(item)).collect());
        }
        if let Some(separator) = &self.join {
            let texts: Vec<String> = values.map(|value| text_of(&translate(value))).collect();
            return Value::String(texts.join(separator));
        }
        let Some(value) = values.map(translate).next() else { return Value::Null };
        match (&self.date, &value) {
            (Some(form), Value::String(text)) => iso_date(form, text).map_or(value, Value::String),
            (Some(form), Value::Number(number)) => {
                iso_date(form, &number.to_string()).map_or(value, Value::String)
            }
            _ => value,
        }
    }

    fn items(&self, value: Value) -> Vec<Value> {
        match (value, &self.split) {
            (Value::Array(items), _) => items,
            (Value::String(text), Some(separator)) => {
                text.split(separator.as_str()).map(|item| Value::String(item.trim().to_owned())).collect()
            }
            (value, _) => vec![value],
        }
    }
}

fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.trim().to_owned(),
        other => other.to_string(),
    }
}

/// Returns `false` if the form is not one of strptime. A form is valid if it can print a date.
pub(crate) fn is_date_form(form: &str) -> bool {
    form.contains('%')
        && jiff::civil::date(2026, 1, 2)
            .at(3, 4, 5, 0)
            .in_tz("UTC")
            .is_ok_and(|date| strtime::format(form, &date).is_ok())
}

/// Rewrites a date in ISO 8601. A text of another form stays as it is: the reader of adverts knows the usual ones.
fn iso_date(form: &str, text: &str) -> Option<String> {
    let parsed = strtime::parse(form, text.trim()).ok()?;
    if let Ok(timestamp) = parsed.to_timestamp() {
        return Some(timestamp.to_string());
    }
    if parsed.hour().is_some() {
        return parsed.to_datetime().ok().map(|date_time| date_time.to_string());
    }
    parsed.to_date().ok().map(|date| date.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rule(field: &str) -> FieldRule {
        FieldRule { field: field.to_owned(), sources: Vec::new(), join: None, split: None, date: None }
    }

    #[test]
    fn values_are_combined() {
        let check = |rule: &FieldRule, values: Value, expected: Value| {
            let Value::Array(values) = values else { panic!("a list is needed") };
            assert_eq!(rule.combine(values, |value| value), expected, "{rule:?}");
        };
        check(&rule("title"), json!([" ", "a", "b"]), json!("a"));
        check(&rule("title"), json!([null]), json!(null));
        check(&FieldRule { join: Some(" / ".into()), ..rule("title") }, json!(["a", "", 2]), json!("a / 2"));
        check(&rule("features"), json!(["a", "", "b"]), json!(["a", "b"]));
        check(&rule("features"), json!([["a"], "b"]), json!(["a", "b"]));
        check(
            &FieldRule { split: Some("|".into()), ..rule("pictures") },
            json!(["a| b|", "c"]),
            json!(["a", "b", "c"]),
        );
        let dated = |form: &str| FieldRule { date: Some(form.into()), ..rule("createdAt") };
        check(&dated("%d/%m/%Y"), json!(["03/12/2025"]), json!("2025-12-03"));
        check(&dated("%m-%d-%Y %H:%M"), json!(["12-03-2025 08:30"]), json!("2025-12-03T08:30:00"));
        check(&dated("%Y%m%d"), json!([20251203]), json!("2025-12-03"));
        check(&dated("%d/%m/%Y %H:%M %z"), json!(["03/12/2025 08:30 +0100"]), json!("2025-12-03T07:30:00Z"));
        check(&dated("%d/%m/%Y"), json!(["hier"]), json!("hier"));
    }

    #[test]
    fn forms_of_dates_are_checked() {
        for (form, valid) in
            [("%d/%m/%Y", true), ("%Y-%m-%dT%H:%M:%S", true), ("dd/mm/yyyy", false), ("%!", false)]
        {
            assert_eq!(is_date_form(form), valid, "{form}");
        }
    }
}
