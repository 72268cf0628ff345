//! Reads a CSV file row by row. Errors name the file, the line and the column.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use csv::StringRecord;

use crate::files::SourceFile;

/// Why the reference data could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("cannot read {}", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{file}: the embedded data is corrupt")]
    Damaged { file: String, source: io::Error },
    #[error(
        "{file}: unknown table; the file name must start with one of: {}",
        crate::files::TABLES.join(", ")
    )]
    UnknownTable { file: String },
    #[error("{table}.csv is missing")]
    MissingTable { table: &'static str },
    #[error("{file}, line {line}: not well-formed CSV")]
    Malformed { file: String, line: u64, source: csv::Error },
    #[error("{file}, line 1: column {column} is missing")]
    MissingColumn { file: String, column: &'static str },
    #[error("{file}, line {line}, column {column}: {value:?} is not {expected}")]
    BadValue { file: String, line: u64, column: &'static str, value: String, expected: &'static str },
    #[error("{file}, line {line}, column {column}: {value:?} does not exist in {table}")]
    UnknownReference { file: String, line: u64, column: &'static str, value: String, table: &'static str },
    #[error("{file}, line {line}, column {column}: duplicate value {value:?}")]
    Duplicate { file: String, line: u64, column: &'static str, value: String },
}

/// A column of a table. `Optional` columns may be missing from a file.
#[derive(Clone, Copy)]
pub(crate) enum Column {
    Required(&'static str),
    Optional(&'static str),
}

impl Column {
    const fn name(self) -> &'static str {
        match self {
            Self::Required(name) | Self::Optional(name) => name,
        }
    }
}

/// Calls `each` for every row of a file. Columns are found by their heading, in any order. Other columns are ignored.
pub(crate) fn read<const N: usize>(
    file: &SourceFile,
    columns: [Column; N],
    mut each: impl FnMut(Row<'_, N>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(file.content.as_slice());
    let headings = reader.headers().map_err(|error| malformed(file, error))?.clone();
    let mut positions = [None; N];
    for (position, column) in positions.iter_mut().zip(columns) {
        *position =
            headings.iter().position(|heading| heading.trim_start_matches('\u{feff}') == column.name());
        if let (None, Column::Required(name)) = (*position, column) {
            return Err(DataError::MissingColumn { file: file.name.clone(), column: name });
        }
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| malformed(file, error))? {
        let line = record.position().map_or(0, csv::Position::line);
        each(Row { file: &file.name, line, record: &record, columns: &columns, positions: &positions })?;
    }
    Ok(())
}

fn malformed(file: &SourceFile, source: csv::Error) -> DataError {
    // The reader reports no position for an error in the first line.
    let line = source.position().map_or(1, csv::Position::line);
    DataError::Malformed { file: file.name.clone(), line, source }
}

/// A row. Columns are identified by their index in the list of columns.
pub(crate) struct Row<'a, const N: usize> {
    file: &'a str,
    line: u64,
    record: &'a StringRecord,
    columns: &'a [Column; N],
    positions: &'a [Option<usize>; N],
}

impl<const N: usize> Row<'_, N> {
    /// Returns the value; empty if the file lacks the column.
    pub fn text(&self, column: usize) -> &str {
        self.positions[column].and_then(|position| self.record.get(position)).unwrap_or_default().trim_ascii()
    }

    /// Returns the value. `None` if it is empty.
    pub fn non_empty(&self, column: usize) -> Option<&str> {
        Some(self.text(column)).filter(|text| !text.is_empty())
    }

    /// Returns the value, which must not be empty.
    pub fn name(&self, column: usize) -> Result<Box<str>, DataError> {
        self.value(column, "a name", |text| (!text.is_empty()).then(|| text.into()))
    }

    /// Parses the value.
    pub fn value<T>(
        &self,
        column: usize,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<T, DataError> {
        parse(self.text(column)).ok_or_else(|| DataError::BadValue {
            file: self.file.into(),
            line: self.line,
            column: self.columns[column].name(),
            value: self.text(column).into(),
            expected,
        })
    }

    /// Parses a value that may be empty.
    pub fn optional<T>(
        &self,
        column: usize,
        expected: &'static str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, DataError> {
        if self.text(column).is_empty() {
            return Ok(None);
        }
        self.value(column, expected, parse).map(Some)
    }

    pub fn unknown_reference(&self, column: usize, value: impl Display, table: &'static str) -> DataError {
        DataError::UnknownReference {
            file: self.file.into(),
            line: self.line,
            column: self.columns[column].name(),
            value: value.to_string(),
            table,
        }
    }

    pub fn duplicate(&self, column: usize) -> DataError {
        DataError::Duplicate {
            file: self.file.into(),
            line: self.line,
            column: self.columns[column].name(),
            value: self.text(column).into(),
        }
    }
}
