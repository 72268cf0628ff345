//! Verification: every record is read, and compared with the records it refers to.
//!
//! A [`Table`] says how the records of one kind are walked and checked; [`page`] checks the next of them. A page is one read
//! transaction of a bounded number of records, so that a verification neither blocks writers nor keeps the write-ahead log from being
//! truncated for long.

mod deliveries;
mod files;
mod log;
mod matches;
mod properties;
mod searches;

use crate::sql::value::OwnedValue;
use crate::sql::{Connection, Row};

use super::error::is_damage;
use crate::contract::{Finding, RecordKind, VerifyCursor, VerifyPage};
use crate::error::Error;

/// How many records a page checks: a few milliseconds of work.
const RECORDS_PER_PAGE: i64 = 500;

/// The key by which a table is walked, in ascending order.
#[derive(Clone, Copy)]
enum Key {
    Integer,
    /// Two integers.
    Pair,
    Blob,
    Text,
}

/// How records of one kind are checked.
struct Table {
    kind: RecordKind,
    key: Key,
    /// Selects records after a key, in the order of keys, at most as many as the last parameter says.
    sql: &'static str,
    /// The first column of the key in that selection.
    key_column: usize,
    /// How many records a page checks.
    records: i64,
    /// Names a record.
    name: fn(Row<'_>) -> String,
    check: fn(&Connection, Row<'_>, &mut Report) -> Result<(), Error>,
}

/// In the order in which they are checked.
const TABLES: &[&Table] = &[
    &files::INTEGRITY,
    &properties::VERSIONS,
    &properties::PROPERTIES,
    &properties::ADVERTS,
    &log::ENTRIES,
    &searches::SEARCHES,
    &searches::VERSIONS,
    &searches::COUNTS,
    &matches::GROUPS,
    &matches::INDEX,
    &matches::OUTBOX,
    &deliveries::DELIVERIES,
    &deliveries::ATTEMPTS,
    &deliveries::DOCUMENTS,
    &files::SITES,
    &files::CATEGORIES,
    &files::KEYS,
    &files::USAGE,
    &files::DECISIONS,
    &files::LINEAGE,
    &log::CHECKPOINTS,
];

/// Collects what is wrong with a record.
#[derive(Default)]
struct Report {
    findings: Vec<Finding>,
}

impl Report {
    fn add(&mut self, kind: RecordKind, id: impl Into<String>, problem: impl Into<String>) {
        self.findings.push(Finding { kind, id: id.into(), problem: problem.into() });
    }
}

/// Checks the next records.
pub fn page(connection: &Connection, cursor: &VerifyCursor) -> Result<VerifyPage, Error> {
    let Some(table) = TABLES.get(cursor.step) else { return Ok(VerifyPage::default()) };
    if table.kind == RecordKind::Database && connection.is_postgres() {
        // PostgreSQL checks its files itself (`data_checksums`, `amcheck`).
        let rest = Some(VerifyCursor { step: cursor.step + 1, after: Vec::new() });
        return Ok(VerifyPage { rest, ..VerifyPage::default() });
    }
    let reading = connection.snapshot()?;
    let mut statement = reading.prepare_cached(table.sql)?;
    let mut parameters = table.key.decode(&cursor.after);
    parameters.push(table.records.into());
    let mut rows = statement.query(parameters)?;
    let (mut report, mut checked, mut last) = (Report::default(), 0, Vec::new());
    while let Some(row) = rows.next()? {
        checked += 1;
        last = table.key.encode(row, table.key_column)?;
        match (table.check)(&reading, row, &mut report) {
            Ok(()) => {}
            Err(error) if is_damage(&error) => report.add(table.kind, (table.name)(row), text_of(&error)),
            Err(error) => return Err(error),
        }
    }
    let is_full = i64::try_from(checked).unwrap_or(i64::MAX) >= table.records;
    let rest = if is_full {
        Some(VerifyCursor { step: cursor.step, after: last })
    } else {
        (cursor.step + 1 < TABLES.len()).then(|| VerifyCursor { step: cursor.step + 1, after: Vec::new() })
    };
    Ok(VerifyPage { findings: report.findings, checked: vec![(table.kind, checked)], rest })
}

/// Returns an error with its causes, as one sentence.
fn text_of(error: &Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text += &format!(": {cause}");
        source = cause.source();
    }
    text
}

impl Key {
    /// Returns the parameters that select the records after an encoded key; all records if it is empty.
    fn decode(self, after: &[u8]) -> Vec<OwnedValue> {
        let integers = || -> Vec<OwnedValue> {
            let (words, _) = after.as_chunks::<8>();
            words.iter().map(|word| OwnedValue::from(i64::from_le_bytes(*word))).collect()
        };
        match self {
            Self::Integer if after.is_empty() => vec![i64::MIN.into()],
            Self::Pair if after.is_empty() => vec![i64::MIN.into(), i64::MIN.into()],
            Self::Integer | Self::Pair => integers(),
            // An empty value is lower than every other.
            Self::Blob => vec![after.to_vec().into()],
            Self::Text => vec![String::from_utf8_lossy(after).into_owned().into()],
        }
    }

    fn encode(self, row: Row<'_>, column: usize) -> Result<Vec<u8>, Error> {
        let integer = |column| -> Result<[u8; 8], Error> { Ok(row.get::<i64>(column)?.to_le_bytes()) };
        Ok(match self {
            Self::Integer => integer(column)?.to_vec(),
            Self::Pair => [integer(column)?, integer(column + 1)?].concat(),
            Self::Blob | Self::Text => row.get_ref(column)?.bytes().unwrap_or_default().to_vec(),
        })
    }
}

fn integer_name(row: Row<'_>) -> String {
    row.get::<i64>(0).map_or_else(|_| "without a number".to_owned(), |number| number.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every page starts where the last one ended, whatever the size of the table.
    #[test]
    fn tables_are_walked_by_an_index() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(crate::sqlite::FILE_NAME);
        let connection = crate::sqlite::schema::open_for_writing(&path).unwrap();
        for table in TABLES.iter().filter(|table| table.records == RECORDS_PER_PAGE) {
            let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", table.sql)).unwrap();
            // Parameters stay unbound.
            let steps = statement.raw_query().mapped(|row| row.get::<_, String>(3));
            let steps = steps.collect::<Result<Vec<_>, _>>().unwrap();
            assert!(steps[0].starts_with("SEARCH"), "{}: {steps:?}", table.sql);
            assert!(!steps.iter().any(|step| step.contains("TEMP B-TREE")), "{}: {steps:?}", table.sql);
        }
    }

    #[test]
    fn keys_round_trip() {
        let connection = Connection::Sqlite(rusqlite::Connection::open_in_memory().unwrap());
        let mut statement = connection.prepare_cached("SELECT -7, 9, x'0102', 'é'").unwrap();
        let mut rows = statement.query(crate::sql::params![]).unwrap();
        let row = rows.next().unwrap().unwrap();
        for (key, column, expected) in [
            (Key::Integer, 0, vec![OwnedValue::from(-7)]),
            (Key::Pair, 0, vec![OwnedValue::from(-7), OwnedValue::from(9)]),
            (Key::Blob, 2, vec![OwnedValue::from(vec![1_u8, 2])]),
            (Key::Text, 3, vec![OwnedValue::from("é".to_owned())]),
        ] {
            assert_eq!(key.decode(&key.encode(row, column).unwrap()), expected);
        }
    }
}
