//! Parses a mapping file. Every mistake is reported with its line and its key.

use std::ops::Range;

use serde_json::{Number, Value};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::rule::is_date_form;
use super::{FieldRule, Mapping, Source, ValueTable, fold};
use crate::advert::{FIELDS, LISTS};
use crate::encoding;
use crate::json::JsonPath;

/// A mistake in a mapping file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct MappingError {
    pub line: usize,
    pub message: String,
}

type Result<T> = std::result::Result<T, MappingError>;

pub(super) fn parse(text: &str) -> Result<Mapping> {
    let parser = Parser { text };
    let document = DeTable::parse(text).map_err(|error| {
        let at = error.span().unwrap_or_default();
        parser.mistake(&at, error.message())
    })?;
    let mut mapping = Mapping::default();
    for (key, value) in document.get_ref() {
        let name = key.get_ref().as_ref();
        match name {
            "delimiter" => mapping.dialect.delimiter = Some(parser.delimiter(name, value)?),
            "quote" => mapping.dialect.quote = parser.quote(name, value)?,
            "encoding" => {
                let label = parser.string(name, value)?;
                let known = encoding::by_name(label).ok_or_else(|| {
                    parser.mistake(&value.span(), &format!("`encoding`: \"{label}\" is not an encoding; write utf-8, windows-1252, iso-8859-15 or utf-16"))
                })?;
                mapping.dialect.encoding = Some(known);
            }
            "header" => mapping.dialect.header = parser.boolean(name, value)?,
            "items" => mapping.items = Some(parser.path(name, value)?),
            "fields" => {
                for (field, value) in parser.table(name, value)? {
                    let rule = parser.rule(field, value)?;
                    mapping.rules.push(rule);
                }
            }
            "features" => {
                for (feature, value) in parser.table(name, value)? {
                    let key = format!("features.{}", feature.get_ref());
                    let source = parser.source(&key, value)?;
                    mapping.flags.push((feature.get_ref().as_ref().to_owned(), source));
                }
            }
            "constants" => {
                for (field, value) in parser.table(name, value)? {
                    let field_name = parser.field("constants", field)?;
                    let value = parser.value(&format!("constants.{field_name}"), value)?;
                    mapping.constants.push((field_name.to_owned(), value));
                }
            }
            "values" => {
                for (field, value) in parser.table(name, value)? {
                    let field_name = parser.field("values", field)?;
                    let table = parser.values(&format!("values.{field_name}"), value)?;
                    mapping.values.insert(field_name.to_owned(), table);
                }
            }
            _ => {
                let message = format!(
                    "`{name}` is not a key of a mapping file; the keys are delimiter, quote, encoding, header, items, \
                     [fields], [features], [constants] and [values.FIELD]"
                );
                return Err(parser.mistake(&key.span(), &message));
            }
        }
    }
    Ok(mapping)
}

struct Parser<'a> {
    text: &'a str,
}

impl<'a> Parser<'a> {
    fn mistake(&self, at: &Range<usize>, message: &str) -> MappingError {
        let before = self.text.get(..at.start).unwrap_or(self.text);
        MappingError { line: before.matches('\n').count() + 1, message: message.to_owned() }
    }

    fn wrong_type<T>(&self, key: &str, value: &Spanned<DeValue<'a>>, wanted: &str) -> Result<T> {
        let given = value.get_ref().type_str();
        Err(self.mistake(&value.span(), &format!("`{key}` must be {wanted}, but is of type {given}")))
    }

    fn string<'v>(&self, key: &str, value: &'v Spanned<DeValue<'a>>) -> Result<&'v str> {
        match value.get_ref().as_str() {
            Some(text) => Ok(text),
            None => self.wrong_type(key, value, "a text"),
        }
    }

    fn boolean(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<bool> {
        match value.get_ref().as_bool() {
            Some(flag) => Ok(flag),
            None => self.wrong_type(key, value, "true or false"),
        }
    }

    fn table<'v>(&self, key: &str, value: &'v Spanned<DeValue<'a>>) -> Result<&'v DeTable<'a>> {
        match value.get_ref().as_table() {
            Some(table) => Ok(table),
            None => self.wrong_type(key, value, "a table"),
        }
    }

    fn delimiter(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<String> {
        let text = self.string(key, value)?;
        if text.is_empty() || text.len() > 8 || text.contains(['\n', '\r', '"']) {
            let message = "`delimiter` must be one to eight characters, without quotes and line breaks";
            return Err(self.mistake(&value.span(), message));
        }
        Ok(text.to_owned())
    }

    fn quote(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<Option<u8>> {
        match self.string(key, value)?.as_bytes() {
            [] => Ok(None),
            [byte] if byte.is_ascii_punctuation() => Ok(Some(*byte)),
            _ => {
                Err(self.mistake(&value.span(), "`quote` must be one character of ASCII, or empty for none"))
            }
        }
    }

    fn path(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<JsonPath> {
        let text = self.string(key, value)?;
        JsonPath::parse(text).map_err(|why| self.mistake(&value.span(), &format!("`{key}`: {why}")))
    }

    fn field<'v>(&self, table: &str, key: &'v Spanned<toml::de::DeString<'a>>) -> Result<&'v str> {
        let name = key.get_ref().as_ref();
        if FIELDS.contains(&name) {
            return Ok(name);
        }
        let near = FIELDS.iter().find(|field| {
            let last = field.rsplit('.').next().unwrap_or(field);
            field.eq_ignore_ascii_case(name) || last.eq_ignore_ascii_case(name)
        });
        let hint = near.map(|field| format!("; did you mean `{field}`?")).unwrap_or_default();
        let message = format!("`{name}` in [{table}] is not a field of an advert{hint}");
        Err(self.mistake(&key.span(), &message))
    }

    fn rule(&self, key: &Spanned<toml::de::DeString<'a>>, value: &Spanned<DeValue<'a>>) -> Result<FieldRule> {
        let field = self.field("fields", key)?;
        let path = format!("fields.{field}");
        let mut rule =
            FieldRule { field: field.to_owned(), sources: Vec::new(), join: None, split: None, date: None };
        let Some(table) = value.get_ref().as_table() else {
            rule.sources = self.sources(&path, value)?;
            return Ok(rule);
        };
        for (key, value) in table {
            let name = key.get_ref().as_ref();
            let path = format!("{path}.{name}");
            match name {
                "columns" => rule.sources = self.sources(&path, value)?,
                "join" => rule.join = Some(self.string(&path, value)?.to_owned()),
                "split" if !LISTS.contains(&field) => {
                    let message = format!("`{path}`: only {} are lists", LISTS.join(", "));
                    return Err(self.mistake(&key.span(), &message));
                }
                "split" => match self.string(&path, value)? {
                    "" => return Err(self.mistake(&value.span(), &format!("`{path}` must not be empty"))),
                    separator => rule.split = Some(separator.to_owned()),
                },
                "date" => {
                    let form = self.string(&path, value)?;
                    if !is_date_form(form) {
                        let message = format!(
                            "`{path}`: \"{form}\" is not the form of a date; write for example %d/%m/%Y"
                        );
                        return Err(self.mistake(&value.span(), &message));
                    }
                    rule.date = Some(form.to_owned());
                }
                _ => {
                    let message = format!("`{path}`: the keys of a field are columns, join, split and date");
                    return Err(self.mistake(&key.span(), &message));
                }
            }
        }
        if rule.sources.is_empty() {
            return Err(self.mistake(&value.span(), &format!("`{path}` has no `columns`")));
        }
        Ok(rule)
    }

    fn sources(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<Vec<Source>> {
        match value.get_ref().as_array() {
            Some(items) if items.is_empty() => {
                Err(self.mistake(&value.span(), &format!("`{key}` names no column")))
            }
            Some(items) => items.iter().map(|item| self.source(key, item)).collect(),
            None => Ok(vec![self.source(key, value)?]),
        }
    }

    fn source(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<Source> {
        match value.get_ref() {
            DeValue::String(name) if name.trim().is_empty() => {
                Err(self.mistake(&value.span(), &format!("`{key}` names no column")))
            }
            DeValue::String(name) => Ok(Source::Name(name.trim().to_owned())),
            DeValue::Integer(number) => match number.as_str().parse() {
                Ok(number) if number > 0 => Ok(Source::Number(number)),
                _ => Err(self.mistake(&value.span(), &format!("`{key}`: columns are counted from 1"))),
            },
            _ => self.wrong_type(key, value, "the name or the number of a column"),
        }
    }

    fn value(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<Value> {
        Ok(match value.get_ref() {
            DeValue::String(text) => Value::String(text.as_ref().to_owned()),
            DeValue::Boolean(flag) => Value::Bool(*flag),
            DeValue::Datetime(date) => Value::String(date.to_string()),
            DeValue::Integer(number) => match number.as_str().parse::<i64>() {
                Ok(number) => Value::from(number),
                Err(_) => return self.wrong_type(key, value, "a decimal number"),
            },
            DeValue::Float(number) => match number.as_str().parse::<f64>().ok().and_then(Number::from_f64) {
                Some(number) => Value::Number(number),
                None => return self.wrong_type(key, value, "a decimal number"),
            },
            DeValue::Array(items) => {
                let items: Result<Vec<Value>> = items.iter().map(|item| self.value(key, item)).collect();
                Value::Array(items?)
            }
            DeValue::Table(_) => {
                return self.wrong_type(
                    key,
                    value,
                    "a single value; write the names of its members with dots",
                );
            }
        })
    }

    fn values(&self, key: &str, value: &Spanned<DeValue<'a>>) -> Result<ValueTable> {
        let mut table = ValueTable::default();
        for (name, value) in self.table(key, value)? {
            let name = name.get_ref().as_ref();
            let replacement = self.value(&format!("{key}.{name}"), value)?;
            if name == "*" {
                table.otherwise = Some(replacement);
            } else {
                table.values.insert(fold(name), replacement);
            }
        }
        Ok(table)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mistakes_name_their_line_and_key() {
        let check = |text: &str, line: usize, part: &str| {
            let error = parse(text).unwrap_err();
            assert_eq!(error.line, line, "{text}: {error}");
            assert!(error.message.contains(part), "{text}: {error}");
        };
        check("header = true\nfeilds = 1\n", 2, "`feilds`");
        check("[fields]\nprice = \"prix\"\nPRICE = \"x\"\n", 3, "did you mean `price`");
        check("[fields]\nphone = \"tel\"\n", 2, "did you mean `contact.phone`");
        check("[fields]\ncontact = { phone = \"tel\" }\n", 2, "`contact`");
        check("[fields]\nprice = true\n", 2, "`fields.price`");
        check("[fields]\nprice = 0\n", 2, "counted from 1");
        check("[fields]\nprice = []\n", 2, "names no column");
        check("[fields]\nprice = \" \"\n", 2, "names no column");
        check("[fields]\nprice = { join = \" \" }\n", 2, "has no `columns`");
        check("[fields]\nprice = { columns = 1, split = \"|\" }\n", 2, "lists");
        check("[fields]\npictures = { columns = 1, split = \"\" }\n", 2, "must not be empty");
        check("[fields]\nprice = { column = 1 }\n", 2, "`fields.price.column`");
        check("[fields]\ncreatedAt = { columns = 1, date = \"dd/mm\" }\n", 2, "%d/%m/%Y");
        check("delimiter = \"\"\n", 1, "`delimiter`");
        check("quote = \"ab\"\n", 1, "`quote`");
        check("encoding = \"latin9000\"\n", 1, "latin9000");
        check("items = \"a[\"\n", 1, "not a path");
        check("[constants]\nprize = 1\n", 2, "`prize`");
        check("[constants]\n[constants.contact]\nphone = \"1\"\n", 2, "`contact`");
        check("[values]\npropertyType = 1\n", 2, "must be a table");
        check("[fields\n", 1, "");
        check("a = 1\n\nb = = 2\n", 3, "");
    }

    #[test]
    fn a_full_file_is_parsed() {
        let mapping = parse(
            "delimiter = \";\"\nquote = \"\"\nencoding = \"iso-8859-15\"\nheader = false\n[fields]\nprice = 3\n\
             title = [\"a\", \"b\"]\n\"contact.phone\" = \"tel\"\npictures = { columns = \"photo*\", split = \"|\" }\n\
             [features]\n\"Cave\" = \"cave\"\n[constants]\ntransactionType = 0\nsite = \"a.example\"\n\
             [values.propertyType]\n\"Appartement\" = 0\n\"*\" = 1\n",
        )
        .unwrap();
        assert_eq!(mapping.rules.len(), 4);
        assert_eq!(mapping.dialect.quote, None);
        assert_eq!(mapping.flags, [("Cave".to_owned(), Source::Name("cave".to_owned()))]);
        assert_eq!(mapping.translate("propertyType", Value::from(" APPARTEMENT ")), Value::from(0));
        assert_eq!(mapping.translate("propertyType", Value::from("villa")), Value::from(1));
    }
}
