//! The corpus: values as real feeds write them, one a line, with the reading that a person expects.
//!
//! Each file is a table of one kind. To add a case, add a line; the expectation comes from thought, not from the output.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use domain::SiteDirectory;
use jiff::tz::TimeZone;
use serde_json::{Map, Value, json};
use wire::advert_draft::{ParseContext, ParseMode, parse, write};
use wire::lenient::encoding;

/// Lines that each kind must have.
const LINES_MIN: usize = 150;

/// What one value was read as: the value, if there is one, and whether there was a warning about it.
#[derive(Debug, PartialEq)]
struct Outcome {
    value: Option<Value>,
    warned: bool,
}

struct Case<'a> {
    line: usize,
    field: &'a str,
    given: &'a str,
    expected: &'a str,
}

fn cases(table: &str) -> Vec<Case<'_>> {
    let cases: Vec<Case<'_>> = table
        .lines()
        .enumerate()
        .filter(|(_, line)| !line.starts_with("# "))
        .map(|(index, text)| {
            let mut columns = text.split('\t');
            let mut column = || columns.next().unwrap_or_else(|| panic!("line {}: {text}", index + 1));
            let case = Case { line: index + 1, field: column(), given: column(), expected: column() };
            assert_eq!(columns.next(), None, "line {}", index + 1);
            case
        })
        .collect();
    assert!(cases.len() >= LINES_MIN, "{} lines", cases.len());
    cases
}

/// Decodes the escapes of a table.
fn unescaped(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        bytes.extend_from_slice(before.as_bytes());
        let kind = after.chars().next().unwrap();
        rest = &after[kind.len_utf8()..];
        match kind {
            'n' => bytes.push(b'\n'),
            'r' => bytes.push(b'\r'),
            't' => bytes.push(b'\t'),
            '\\' => bytes.push(b'\\'),
            'x' => {
                bytes.push(u8::from_str_radix(&rest[..2], 16).unwrap());
                rest = &rest[2..];
            }
            'u' => {
                let (code, after) = rest.strip_prefix('{').unwrap().split_once('}').unwrap();
                let c = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
                bytes.extend_from_slice(c.to_string().as_bytes());
                rest = after;
            }
            other => panic!("unknown escape {other}"),
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}

fn text_of(escaped: &str) -> String {
    String::from_utf8(unescaped(escaped)).unwrap()
}

fn value_of(given: &str) -> Value {
    match given.strip_prefix("json:") {
        Some(json) => serde_json::from_str(json).unwrap(),
        None => text_of(given).into(),
    }
}

fn base() -> Map<String, Value> {
    let base =
        json!({"transactionType": 0, "propertyType": 1, "site": "portail.example", "reference": "A-1"});
    base.as_object().unwrap().clone()
}

/// Parses an advert and returns what it says about `field`.
fn outcome(advert: &Value, field: &str) -> Outcome {
    let zone = TimeZone::get("Europe/Paris").unwrap();
    let (now, sites) = ("2026-06-01T12:00:00Z".parse().unwrap(), SiteDirectory::default());
    let context = ParseContext { zone: &zone, now, sites: &sites, mode: ParseMode::Lenient };
    let read = parse(&advert.into(), context).unwrap_or_else(|rejected| panic!("{rejected:?}\n{advert}"));
    let written = write(&read.draft);
    let pointer = format!("/{}", field.replace('.', "/"));
    let value = written.pointer(&pointer).filter(|value| !value.is_null()).cloned();
    for warning in &read.warnings {
        assert_eq!(warning.path, field, "{warning:?}");
    }
    Outcome { value, warned: !read.warnings.is_empty() }
}

fn read(field: &str, given: &str) -> Outcome {
    let mut advert = base();
    let value = value_of(given);
    match field.split_once('.') {
        Some((object, member)) => advert.insert(object.to_owned(), json!({member: value})),
        None => advert.insert(field.to_owned(), value),
    };
    outcome(&advert.into(), field)
}

/// Returns what a column of expectations says; `convert` reads the value.
fn expected(column: &str, convert: impl Fn(&str) -> Value) -> Outcome {
    let (text, marked) = match column.strip_suffix('!') {
        Some(text) => (text, true),
        None => (column, false),
    };
    match text {
        "warning" => Outcome { value: None, warned: true },
        "none" => Outcome { value: None, warned: marked },
        _ => Outcome { value: Some(convert(text)), warned: marked },
    }
}

/// Compares every line and reports all that differ.
fn check(table: &str, read: impl Fn(&Case<'_>) -> Outcome, convert: impl Fn(&str) -> Value) {
    let mut wrong = Vec::new();
    for case in cases(table) {
        let (found, expected) = (read(&case), expected(case.expected, &convert));
        if found != expected {
            wrong.push(format!("line {}: {:?}: {found:?}, expected {expected:?}", case.line, case.given));
        }
    }
    assert!(wrong.is_empty(), "{} lines differ:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn numbers() {
    let number = |text: &str| {
        let number: f64 = text.parse().unwrap();
        if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
    };
    let whole = |case: &Case<'_>| {
        let mut outcome = read(case.field, case.given);
        // Amounts are written as floats, counts as integers.
        outcome.value = outcome.value.map(|value| number(&value.to_string()));
        outcome
    };
    check(include_str!("numbers.tsv"), whole, number);
}

#[test]
fn dates() {
    check(include_str!("dates.tsv"), |case| read(case.field, case.given), |text| json!(text));
}

#[test]
fn letters() {
    let rating = |text: &str| {
        let (letter, value) =
            text.split_once(' ').map_or((text, None), |(letter, value)| (letter, Some(value)));
        json!([letter, value.map(|value| value.parse::<f64>().unwrap())])
    };
    let found = |case: &Case<'_>| {
        let Outcome { value, warned } = read(case.field, case.given);
        // The value beside the rating stands in the object.
        let object = case.field.split('.').next().unwrap();
        let mut advert = base();
        let given = value_of(case.given);
        advert
            .insert(object.to_owned(), if case.field == object { given } else { json!({"category": given}) });
        let rating = match value {
            Some(_) => outcome_of_rating(&advert.into(), object),
            None => None,
        };
        Outcome { value: rating, warned }
    };
    check(include_str!("letters.tsv"), found, rating);
}

/// Returns the category and the value of a rating, `None` if both are unknown.
fn outcome_of_rating(advert: &Value, field: &str) -> Option<Value> {
    let rating = outcome(advert, field).value?;
    let (category, value) = (&rating["category"], &rating["value"]);
    (!category.is_null() || !value.is_null()).then(|| json!([category, value.as_f64()]))
}

#[test]
fn booleans() {
    check(include_str!("booleans.tsv"), |case| read(case.field, case.given), |text| json!(text == "true"));
}

#[test]
fn encodings() {
    let found = |case: &Case<'_>| match case.field {
        "text" => read("description", case.given),
        "bytes" => {
            let mut line = Value::Object(base()).to_string().into_bytes();
            line.pop();
            line.extend_from_slice(b",\"description\":\"");
            line.extend_from_slice(&unescaped(case.given));
            line.extend_from_slice(b"\"}");
            match serde_json::from_slice(&line) {
                Ok(value) => outcome(&value, "description"),
                Err(error) => {
                    let repaired =
                        encoding::repair_json(&line).unwrap_or_else(|| panic!("{error}: {}", case.given));
                    let value = serde_json::from_str(&repaired.json).unwrap();
                    let Outcome { value, warned } = outcome(&value, "description");
                    Outcome { value, warned: warned || !repaired.remarks.is_empty() }
                }
            }
        }
        other => panic!("line {}: {other}", case.line),
    };
    check(include_str!("encodings.tsv"), found, |text| json!(text_of(text)));
}
