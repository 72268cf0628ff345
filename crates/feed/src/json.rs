//! Reads JSON: a document with a list of adverts, or one advert per line, with the names of the contract or of a mapping.

mod path;
mod scan;

use std::io::{self, BufRead};
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use path::{JsonPath, Segment};
pub(crate) use scan::{Item, Scanner, WRAPPERS};

use crate::compression::{Bytes, buffered};
use crate::lines::{Line, next_line};
use crate::mapping::{Mapping, Source};
use crate::reader::{FeedItem, FeedRecord, Records};
use crate::report::ColumnReport;
use crate::{advert, encoding};

/// Levels of an item that the report looks into.
const REPORT_DEPTH: usize = 4;

/// Turns a JSON object of the feed into an advert.
pub(crate) trait Convert: Send {
    fn convert(&self, item: Map<String, Value>, report: &mut ColumnReport) -> Map<String, Value>;
}

/// Reads NDJSON. A line that is no JSON object is unreadable, and blank lines are skipped.
pub(crate) fn lines(reader: Bytes, record_bytes_max: usize, convert: Box<dyn Convert>) -> Box<dyn Records> {
    Box::new(Lines { reader: buffered(reader), line: Vec::new(), number: 0, record_bytes_max, convert })
}

/// Reads the items at a path of a document.
pub(crate) fn items(
    reader: Bytes,
    path: Option<JsonPath>,
    record_bytes_max: usize,
    convert: Box<dyn Convert>,
) -> Box<dyn Records> {
    let scanner = Scanner::new(buffered(reader), path, record_bytes_max);
    Box::new(Items { scanner, number: 0, record_bytes_max, convert, warned: false })
}

struct Lines<R> {
    reader: R,
    line: Vec<u8>,
    number: u64,
    record_bytes_max: usize,
    convert: Box<dyn Convert>,
}

impl<R: BufRead + Send> Records for Lines<R> {
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        loop {
            let line = next_line(&mut self.reader, &mut self.line, self.record_bytes_max)?;
            self.number += 1;
            let number = self.number;
            match line {
                Line::End => return Ok(None),
                Line::TooLong => return Ok(Some(too_large(number, self.record_bytes_max))),
                Line::Complete if self.line.trim_ascii().is_empty() => {}
                Line::Complete => return Ok(Some(read_item(&self.line, number, &*self.convert, report))),
            }
        }
    }
}

struct Items<R> {
    scanner: Scanner<R>,
    number: u64,
    record_bytes_max: usize,
    convert: Box<dyn Convert>,
    warned: bool,
}

impl<R: BufRead + Send> Records for Items<R> {
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        let item = self.scanner.next()?;
        self.number += 1;
        Ok(match item {
            Some(Item::Complete) => Some(read_item(&self.scanner.item, self.number, &*self.convert, report)),
            Some(Item::TooLarge) => Some(too_large(self.number, self.record_bytes_max)),
            None if self.scanner.found() || self.warned => None,
            None => {
                self.warned = true;
                let message = format!(
                    "the document has no list of adverts: name its path with `items` in a mapping file, unless it is one of {}",
                    WRAPPERS.join(", ")
                );
                Some(FeedItem::Unreadable { number: self.number, message })
            }
        })
    }
}

pub(crate) fn too_large(number: u64, record_bytes_max: usize) -> FeedItem {
    let message = format!("the record is larger than {record_bytes_max} bytes, and was skipped");
    FeedItem::Unreadable { number, message }
}

fn read_item(bytes: &[u8], number: u64, convert: &dyn Convert, report: &mut ColumnReport) -> FeedItem {
    match serde_json::from_str::<Value>(&encoding::text(bytes)) {
        Ok(Value::Object(item)) => {
            FeedItem::Advert(FeedRecord { number, advert: convert.convert(item, report) })
        }
        Ok(_) => FeedItem::Unreadable { number, message: "the record is not a JSON object".to_owned() },
        Err(error) => FeedItem::Unreadable { number, message: format!("the record is not JSON: {error}") },
    }
}

/// The names of the contract, or those of a mapping.
pub(crate) struct Mapped {
    mapping: Option<Arc<Mapping>>,
    rules: Vec<Vec<JsonPath>>,
    flags: Vec<JsonPath>,
    /// Every path with the field it becomes, as the report writes them.
    fields: Vec<(String, String)>,
}

impl Mapped {
    pub(crate) fn new(mapping: Option<Arc<Mapping>>) -> Result<Self, String> {
        let mut mapped = Self { mapping: None, rules: Vec::new(), flags: Vec::new(), fields: Vec::new() };
        if let Some(mapping) = &mapping {
            for rule in &mapping.rules {
                let paths: Result<Vec<JsonPath>, String> = rule.sources.iter().map(source_path).collect();
                let paths = paths.map_err(|why| format!("`fields.{}`: {why}", rule.field))?;
                mapped.fields.extend(paths.iter().map(|path| (report_name(path), rule.field.clone())));
                mapped.rules.push(paths);
            }
            for (feature, source) in &mapping.flags {
                let path = source_path(source).map_err(|why| format!("`features.{feature}`: {why}"))?;
                mapped.fields.push((report_name(&path), "features".to_owned()));
                mapped.flags.push(path);
            }
        }
        mapped.mapping = mapping;
        Ok(mapped)
    }

    /// Counts the values of an item, below the path of their objects and lists.
    fn count(&self, path: &str, value: &Value, depth: usize, report: &mut ColumnReport) {
        let is_used = |(used, _): &&(String, String)| used == path;
        let used: Vec<&str> = self.fields.iter().filter(is_used).map(|(_, field)| field.as_str()).collect();
        match value {
            Value::Object(fields) if used.is_empty() && depth < REPORT_DEPTH => {
                for (key, value) in fields {
                    let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                    self.count(&path, value, depth + 1, report);
                }
            }
            Value::Array(items) if used.is_empty() && depth < REPORT_DEPTH => {
                for value in items {
                    self.count(&format!("{path}[*]"), value, depth + 1, report);
                }
            }
            Value::Null => {}
            Value::String(text) => report.count(path, &used, text),
            other => report.count(path, &used, &other.to_string()),
        }
    }
}

impl Convert for Mapped {
    fn convert(&self, item: Map<String, Value>, report: &mut ColumnReport) -> Map<String, Value> {
        let Some(mapping) = &self.mapping else { return item };
        // Without rules, the names are those of fields already.
        let named = self.rules.is_empty();
        let mut fields = if named { item.clone() } else { Map::new() };
        if named {
            mapping.translate_all(&mut fields);
        }
        let item = Value::Object(item);
        for (rule, paths) in mapping.rules.iter().zip(&self.rules) {
            let values = paths.iter().flat_map(|path| path.find(&item)).cloned().collect();
            let value = rule.combine(values, |value| mapping.translate(&rule.field, value));
            advert::put(&mut fields, &rule.field, value);
        }
        for ((feature, _), path) in mapping.flags.iter().zip(&self.flags) {
            let says_yes = |value: &&Value| match value {
                Value::Bool(flag) => *flag,
                Value::String(text) => advert::is_yes(text),
                Value::Number(number) => number.as_f64().is_some_and(|number| number > 0.0),
                Value::Null | Value::Array(_) | Value::Object(_) => false,
            };
            if path.find(&item).iter().any(says_yes) {
                advert::push_text(&mut fields, "features", feature);
            }
        }
        mapping.add_constants(&mut fields);
        if !named {
            self.count("", &item, 0, report);
        }
        fields
    }
}

fn source_path(source: &Source) -> Result<JsonPath, String> {
    match source {
        Source::Name(path) => JsonPath::parse(path),
        Source::Number(number) => Err(format!("{number} is the number of a column, but JSON has paths")),
    }
}

/// Returns the path as the report writes it: indices count together.
fn report_name(path: &JsonPath) -> String {
    let segments = path.0.iter().map(|segment| match segment {
        Segment::Key(key) => Segment::Key(key.clone()),
        Segment::Index(_) | Segment::All => Segment::All,
    });
    JsonPath(segments.collect()).to_string()
}
