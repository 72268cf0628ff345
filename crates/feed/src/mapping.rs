//! The mapping file: which column or path becomes which field of an advert. docs/feeds.md describes it for its authors.

mod parse;
mod rule;

use std::collections::HashMap;

use serde_json::{Map, Value};

pub use parse::MappingError;
pub(crate) use rule::{FieldRule, Source};

use crate::advert;
use crate::csv::Dialect;
use crate::json::JsonPath;

/// A mapping file, parsed and checked.
#[derive(Debug, Clone, Default)]
pub struct Mapping {
    pub(crate) dialect: Dialect,
    /// Where the list of adverts is in a JSON document.
    pub(crate) items: Option<JsonPath>,
    /// Empty: the columns have the names of fields already.
    pub(crate) rules: Vec<FieldRule>,
    /// Columns that say yes or no about a feature: the name of the feature, and its column.
    pub(crate) flags: Vec<(String, Source)>,
    constants: Vec<(String, Value)>,
    values: HashMap<String, ValueTable>,
}

/// The values of one field that have another name in the feed.
#[derive(Debug, Clone, Default)]
pub(crate) struct ValueTable {
    /// By the folded text of the feed.
    values: HashMap<String, Value>,
    /// For every text that is not in the table.
    otherwise: Option<Value>,
}

impl Mapping {
    /// Parses a mapping file.
    pub fn parse(text: &str) -> Result<Self, MappingError> {
        parse::parse(text)
    }

    /// Returns `true` if the mapping names columns. The formats of the trade have their own.
    pub(crate) fn names_columns(&self) -> bool {
        !self.rules.is_empty() || !self.flags.is_empty() || self.items.is_some()
    }

    /// Replaces a value that the table of its field lists.
    pub(crate) fn translate(&self, field: &str, value: Value) -> Value {
        let Some(table) = self.values.get(field) else { return value };
        table.translate(value)
    }

    /// Applies what does not depend on columns: the tables of values and the constants.
    pub(crate) fn complete(&self, fields: &mut Map<String, Value>) {
        self.translate_all(fields);
        self.add_constants(fields);
    }

    /// Replaces the values of all fields that have a table.
    pub(crate) fn translate_all(&self, fields: &mut Map<String, Value>) {
        for (field, table) in &self.values {
            if let Some(value) = advert::get(fields, field) {
                let value = match value {
                    Value::Array(items) => {
                        Value::Array(items.iter().map(|item| table.translate(item.clone())).collect())
                    }
                    value => table.translate(value.clone()),
                };
                advert::put(fields, field, value);
            }
        }
    }

    /// Adds the constants of fields that have no value.
    pub(crate) fn add_constants(&self, fields: &mut Map<String, Value>) {
        for (field, value) in &self.constants {
            if advert::get(fields, field).is_none_or(advert::is_blank) {
                advert::put(fields, field, value.clone());
            }
        }
    }
}

impl ValueTable {
    fn translate(&self, value: Value) -> Value {
        let key = match &value {
            Value::String(text) => fold(text),
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return value,
        };
        if key.is_empty() {
            return value;
        }
        self.values.get(&key).or(self.otherwise.as_ref()).cloned().unwrap_or(value)
    }
}

/// Returns the text in the form in which values and column names are compared: case and outer spaces do not count.
pub(crate) fn fold(text: &str) -> String {
    text.trim().to_lowercase()
}
