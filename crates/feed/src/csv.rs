//! Reads columns: the records of a CSV file of any dialect, with the names of the contract or of a mapping.

mod split;

use std::borrow::Cow;
use std::io::{self, Read};
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use split::{QuotesInside, Separators, Split, Splitter};

use crate::advert::{self, FIELDS, LISTS};
use crate::compression::{Bytes, buffered, peek};
use crate::encoding;
use crate::mapping::{Mapping, Source, fold};
use crate::reader::{FeedItem, FeedRecord, Records};
use crate::report::ColumnReport;

/// Bytes of a file that show its delimiter.
const DETECT_BYTES: usize = 16 * 1024;

/// The delimiters that are recognised. Among equals, the first one wins: a comma may be part of a number.
const DELIMITERS: &[&str] = &["!#", ";", "\t", "|", ","];

/// Separates the items of a list, if the columns have the names of fields.
const LIST_SEPARATOR: char = '|';

/// The largest number of a column in a file without a header.
const COLUMNS_MAX: usize = 10_000;

/// How a CSV file is written, as far as the mapping says.
#[derive(Debug, Clone)]
pub(crate) struct Dialect {
    pub(crate) delimiter: Option<String>,
    pub(crate) quote: Option<u8>,
    pub(crate) encoding: Option<&'static encoding_rs::Encoding>,
    pub(crate) header: bool,
}

impl Default for Dialect {
    fn default() -> Self {
        Self { delimiter: None, quote: Some(b'"'), encoding: None, header: true }
    }
}

/// Opens a CSV file.
pub(crate) fn open(
    reader: Bytes,
    mapping: Option<Arc<Mapping>>,
    record_bytes_max: usize,
) -> io::Result<Box<dyn Records>> {
    let dialect = mapping.as_ref().map(|mapping| mapping.dialect.clone()).unwrap_or_default();
    let reader = encoding::decoded(reader, dialect.encoding)?;
    let (first, mut reader) = peek::<DETECT_BYTES>(reader)?;
    let mut first_line = 1;
    let delimiter = match (&dialect.delimiter, declared_delimiter(&first)) {
        (given, Some((declared, bytes))) => {
            reader.by_ref().take(bytes as u64).read_exact(&mut vec![0; bytes])?;
            first_line = 2;
            given.as_ref().map_or(declared, |given| given.clone().into_bytes())
        }
        (Some(given), None) => given.clone().into_bytes(),
        (None, None) => detect_delimiter(&first, dialect.quote).as_bytes().to_vec(),
    };
    let quotes_inside = if delimiter == b"!#" { QuotesInside::Bare } else { QuotesInside::Doubled };
    let separators = Separators { delimiter, quote: dialect.quote, quotes_inside };
    let splitter = Splitter::new(buffered(reader), separators, record_bytes_max);
    Ok(Box::new(Table {
        splitter,
        mapping,
        header: dialect.header,
        plan: None,
        lines_before: first_line - 1,
    }))
}

/// Reads the first line `sep=;`, which spreadsheets write to name their delimiter. Returns the length of the line as well.
fn declared_delimiter(first: &[u8]) -> Option<(Vec<u8>, usize)> {
    let line = first.split_inclusive(|byte| *byte == b'\n').next()?;
    let delimiter = line.trim_ascii_end().strip_prefix(b"sep=")?;
    // The tab was trimmed as white space.
    let delimiter = if delimiter.is_empty() { b"\t".as_slice() } else { delimiter };
    (delimiter.len() <= 2).then(|| (delimiter.to_vec(), line.len()))
}

/// Returns the delimiter that is most frequent in the first line, outside of quotes.
fn detect_delimiter(first: &[u8], quote: Option<u8>) -> &'static str {
    let mut line = Vec::new();
    let mut in_quotes = false;
    for byte in first.trim_ascii_start() {
        match byte {
            byte if Some(*byte) == quote => in_quotes = !in_quotes,
            b'\n' if !in_quotes => break,
            byte if !in_quotes => line.push(*byte),
            _ => {}
        }
    }
    let count = |delimiter: &str| {
        line.windows(delimiter.len()).filter(|window| *window == delimiter.as_bytes()).count()
    };
    // `max_by_key` returns the last of equals.
    let most = DELIMITERS.iter().rev().max_by_key(|delimiter| count(delimiter));
    most.copied().filter(|delimiter| count(delimiter) > 0).unwrap_or(",")
}

struct Table<R> {
    splitter: Splitter<R>,
    mapping: Option<Arc<Mapping>>,
    header: bool,
    plan: Option<Plan>,
    lines_before: u64,
}

/// Which column becomes what, decided once by the header.
struct Plan {
    names: Vec<String>,
    /// The columns of each rule of the mapping.
    rules: Vec<Vec<usize>>,
    flags: Vec<Vec<usize>>,
    /// The fields that each column becomes.
    fields: Vec<Vec<String>>,
}

impl<R: io::BufRead + Send> Records for Table<R> {
    fn next(&mut self, report: &mut ColumnReport) -> io::Result<Option<FeedItem>> {
        loop {
            let split = self.splitter.next()?;
            let number = self.lines_before + self.splitter.line();
            match split {
                Split::End => return Ok(None),
                // Without its header, the next line would be taken for it.
                Split::Unreadable(message) if self.plan.is_none() && self.header => {
                    let message = format!("the header cannot be read: {message}");
                    return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                }
                Split::Unreadable(message) => return Ok(Some(FeedItem::Unreadable { number, message })),
                Split::Record => {}
            }
            let plan = match &self.plan {
                Some(plan) => plan,
                None => {
                    let plan = self.first_plan();
                    let missing = if self.header { plan.missing(self.mapping.as_deref()) } else { None };
                    let plan = self.plan.insert(plan);
                    if let Some(message) = missing {
                        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
                    }
                    if self.header {
                        continue;
                    }
                    plan
                }
            };
            if let Some(message) = self.splitter.cut(plan.columns()) {
                return Ok(Some(FeedItem::Unreadable { number, message }));
            }
            let advert = plan.advert(&self.splitter, self.mapping.as_deref(), report);
            return Ok(Some(FeedItem::Advert(FeedRecord { number, advert })));
        }
    }
}

impl<R: io::BufRead> Table<R> {
    /// Plans the columns by the first record: it is the header, or shows how many there are.
    fn first_plan(&mut self) -> Plan {
        let texts: Vec<String> = (0..self.splitter.len())
            .map(|index| encoding::text(&self.splitter.field(index)).trim().to_owned())
            .collect();
        let names = if self.header {
            texts
        } else {
            // The first record may have fewer columns than the mapping names.
            let columns = texts.len().max(last_column(self.mapping.as_deref()));
            (1..=columns).map(|number| number.to_string()).collect()
        };
        self.splitter.set_columns(self.splitter.len());
        Plan::new(names, self.mapping.as_deref(), self.header)
    }
}

impl Plan {
    fn new(names: Vec<String>, mapping: Option<&Mapping>, header: bool) -> Self {
        let mut fields: Vec<Vec<String>> = vec![Vec::new(); names.len()];
        if header && mapping.is_none_or(|mapping| mapping.rules.is_empty()) {
            for (fields, name) in
                fields.iter_mut().zip(&names).filter(|(_, name)| FIELDS.contains(&name.as_str()))
            {
                fields.push(name.clone());
            }
        }
        let exists = |column: &usize| *column < names.len();
        let mut plan_columns = |sources: &[Source], field: &str| -> Vec<usize> {
            let columns = sources.iter().flat_map(|source| columns(source, &names)).filter(exists);
            let columns: Vec<usize> = columns.collect();
            columns.iter().for_each(|column| fields[*column].push(field.to_owned()));
            columns
        };
        let (mut rules, mut flags) = (Vec::new(), Vec::new());
        if let Some(mapping) = mapping {
            rules.extend(mapping.rules.iter().map(|rule| plan_columns(&rule.sources, &rule.field)));
            let sources = mapping.flags.iter().map(|(_, source)| source);
            flags.extend(sources.map(|source| plan_columns(std::slice::from_ref(source), "features")));
        }
        Self { names, rules, flags, fields }
    }

    /// Returns how many columns a complete record has. Some headers end with delimiters that their records do not have.
    fn columns(&self) -> usize {
        self.names.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1)
    }

    /// Says which columns of the mapping no header names. A renamed column must not silently empty a field.
    fn missing(&self, mapping: Option<&Mapping>) -> Option<String> {
        let mapping = mapping?;
        let rules = mapping.rules.iter().map(|rule| rule.field.as_str()).zip(&self.rules);
        let flags = mapping.flags.iter().map(|(feature, _)| feature.as_str()).zip(&self.flags);
        let without = rules.chain(flags).filter(|(_, columns)| columns.is_empty());
        let fields: Vec<&str> = without.map(|(field, _)| field).collect();
        (!fields.is_empty()).then(|| {
            format!(
                "the header has none of the columns that the mapping names for {}; its columns are: {}",
                fields.join(", "),
                self.names.join(", ").chars().take(1_000).collect::<String>()
            )
        })
    }

    fn advert<R: io::BufRead>(
        &self,
        record: &Splitter<R>,
        mapping: Option<&Mapping>,
        report: &mut ColumnReport,
    ) -> Map<String, Value> {
        let texts: Vec<String> =
            (0..record.len()).map(|index| encoding::text(&record.field(index)).trim().to_owned()).collect();
        self.report(&texts, report);
        let text = |column: usize| texts.get(column).map_or("", String::as_str);
        let mut fields = Map::new();
        let Some(mapping) = mapping else {
            self.named_fields(&texts, &mut fields);
            return fields;
        };
        if mapping.rules.is_empty() {
            self.named_fields(&texts, &mut fields);
            mapping.translate_all(&mut fields);
        }
        for (rule, columns) in mapping.rules.iter().zip(&self.rules) {
            let values = columns.iter().map(|column| Value::String(text(*column).to_owned())).collect();
            let value = rule.combine(values, |value| mapping.translate(&rule.field, value));
            advert::put(&mut fields, &rule.field, value);
        }
        for ((feature, _), columns) in mapping.flags.iter().zip(&self.flags) {
            if columns.iter().any(|column| advert::is_yes(text(*column))) {
                advert::push_text(&mut fields, "features", feature);
            }
        }
        mapping.add_constants(&mut fields);
        fields
    }

    /// Fills the fields from the columns with their names. Names that are not fields are passed on, and the receipt of the
    /// advert lists them as ignored.
    fn named_fields(&self, texts: &[String], fields: &mut Map<String, Value>) {
        for (field, text) in self.names.iter().zip(texts).filter(|(name, _)| !name.is_empty()) {
            if LISTS.contains(&field.as_str()) {
                text.split(LIST_SEPARATOR).for_each(|item| advert::push_text(fields, field, item));
            } else {
                advert::put_text(fields, field, text);
            }
        }
    }

    fn report(&self, texts: &[String], report: &mut ColumnReport) {
        for (column, text) in texts.iter().enumerate().filter(|(_, text)| !text.is_empty()) {
            let name = match self.names.get(column) {
                Some(name) if !name.is_empty() => Cow::Borrowed(name.as_str()),
                _ => Cow::Owned(format!("column {}", column + 1)),
            };
            let fields: Vec<&str> =
                self.fields.get(column).into_iter().flatten().map(String::as_str).collect();
            report.count(&name, &fields, text);
        }
    }
}

/// Returns the largest number of a column that the mapping names.
fn last_column(mapping: Option<&Mapping>) -> usize {
    let number = |source: &Source| match source {
        Source::Number(number) => *number,
        Source::Name(_) => 0,
    };
    let Some(mapping) = mapping else { return 0 };
    let sources = mapping.rules.iter().flat_map(|rule| &rule.sources);
    let sources = sources.chain(mapping.flags.iter().map(|(_, source)| source));
    // A mapping may name any number; a file has a few hundred columns.
    sources.map(number).max().unwrap_or(0).min(COLUMNS_MAX)
}

/// Returns the columns that a source of the mapping names, in their order.
fn columns(source: &Source, names: &[String]) -> Vec<usize> {
    let wanted = match source {
        Source::Number(number) => return vec![number - 1],
        Source::Name(name) => fold(name),
    };
    let matches = |name: &String| {
        let name = fold(name);
        match wanted.split_once('*') {
            Some((before, after)) => {
                name.len() >= before.len() + after.len() && name.starts_with(before) && name.ends_with(after)
            }
            None => name == wanted,
        }
    };
    let mut columns: Vec<usize> = (0..names.len()).filter(|column| matches(&names[*column])).collect();
    if wanted.contains('*') {
        // `photo10` comes after `photo9`, wherever the columns are.
        columns.sort_by_key(|column| digits(&names[*column]));
    }
    columns
}

fn digits(name: &str) -> u64 {
    let digits: String = name.chars().filter(char::is_ascii_digit).take(18).collect();
    digits.parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters_are_detected_outside_quotes() {
        let check = |text: &str, expected: &str| {
            assert_eq!(detect_delimiter(text.as_bytes(), Some(b'"')), expected, "{text}");
        };
        check("a;b;c,d\n1,2,3,4,5", ";");
        check("a,b,c", ",");
        check("a\tb\tc", "\t");
        check("a|b", "|");
        check("\"a,b,c\";\"d,e\"", ";");
        check("\"a\"!#\"b\"", "!#");
        check("a", ",");
        check("\n\na;b", ";");
    }

    #[test]
    fn spreadsheets_may_name_their_delimiter() {
        assert_eq!(declared_delimiter(b"sep=;\r\na;b"), Some((b";".to_vec(), 7)));
        assert_eq!(declared_delimiter(b"sep=\t\na"), Some((b"\t".to_vec(), 6)));
        assert_eq!(declared_delimiter(b"sepal;x\n"), None);
    }

    #[test]
    fn columns_are_named_numbered_or_matched() {
        let names: Vec<String> =
            ["Ref", "photo10", "photo2", "photo1", "Prix (€)"].into_iter().map(str::to_owned).collect();
        let check =
            |source: Source, expected: &[usize]| assert_eq!(columns(&source, &names), expected, "{source:?}");
        check(Source::Name("ref".into()), &[0]);
        check(Source::Name("PHOTO*".into()), &[3, 2, 1]);
        check(Source::Name("prix*".into()), &[4]);
        check(Source::Name("none".into()), &[]);
        check(Source::Number(2), &[1]);
    }
}
