//! Reading one CSV file row by row, with errors that name the file, the line and the column.

use std::fmt::Display;
use std::io;
use std::path::PathBuf;

use csv::StringRecord;

use crate::files::SourceFile;

/// Why the reference data could not be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    #[error("{}: cannot be read", path.display())]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{file}: the embedded copy is damaged")]
    Damaged { file: String, source: io::Error },
    #[error(
        "{file}: not a file of the reference data; its name begins with the name of a table: {}",
        crate::files::TABLES.join(", ")
    )]
    UnknownTable { file: String },
    #[error("{table}.csv is missing")]
    MissingTable { table: &'static str },
    #[error("{file}, line {line}: not well-formed CSV")]
    Malformed { file: String, line: u64, source: csv::Error },
    #[error("{file}, line 1: the column {column} is missing")]
    MissingColumn { file: String, column: &'static str },
    #[error("{file}, line {line}, column {column}: {value:?} is not {expected}")]
    BadValue { file: String, line: u64, column: &'static str, value: String, expected: &'static str },
    #[error("{file}, line {line}, column {column}: {value:?} is in no row of {table}")]
    UnknownReference { file: String, line: u64, column: &'static str, value: String, table: &'static str },
    #[error("{file}, line {line}, column {column}: {value:?} was there already")]
    Duplicate { file: String, line: u64, column: &'static str, value: String },
}

/// A column a table has; `Optional` ones may be left out of a file altogether.
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

/// Hands every row of a file to `each`. Columns are found by their heading, in any order; further ones are ignored.
pub(crate) fn read<const N: usize>(
    file: &SourceFile,
    columns: [Column; N],
    mut each: impl FnMut(Row<'_, N>) -> Result<(), DataError>,
) -> Result<(), DataError> {
    let mut reader = csv::ReaderBuilder::new().from_reader(file.content.as_slice());
    let headings = reader.headers().map_err(|error| malformed(file, error))?.clone();
    let mut places = [None; N];
    for (place, column) in places.iter_mut().zip(columns) {
        *place = headings.iter().position(|heading| heading.trim_start_matches('\u{feff}') == column.name());
        if let (None, Column::Required(name)) = (*place, column) {
            return Err(DataError::MissingColumn { file: file.name.clone(), column: name });
        }
    }
    let mut record = StringRecord::new();
    while reader.read_record(&mut record).map_err(|error| malformed(file, error))? {
        let line = record.position().map_or(0, csv::Position::line);
        each(Row { file: &file.name, line, record: &record, columns: &columns, places: &places })?;
    }
    Ok(())
}

fn malformed(file: &SourceFile, source: csv::Error) -> DataError {
    // The reader gives no position when the very first line is at fault.
    let line = source.position().map_or(1, csv::Position::line);
    DataError::Malformed { file: file.name.clone(), line, source }
}

/// One row; columns are meant by their number in the table's list.
pub(crate) struct Row<'a, const N: usize> {
    file: &'a str,
    line: u64,
    record: &'a StringRecord,
    columns: &'a [Column; N],
    places: &'a [Option<usize>; N],
}

impl<const N: usize> Row<'_, N> {
    /// The value, empty when the column is not in the file.
    pub fn text(&self, column: usize) -> &str {
        self.places[column].and_then(|place| self.record.get(place)).unwrap_or_default().trim_ascii()
    }

    /// The value, or none when it is empty.
    pub fn filled(&self, column: usize) -> Option<&str> {
        Some(self.text(column)).filter(|text| !text.is_empty())
    }

    /// The value, which must not be empty.
    pub fn name(&self, column: usize) -> Result<Box<str>, DataError> {
        self.value(column, "a name", |text| (!text.is_empty()).then(|| text.into()))
    }

    /// The value as `parse` reads it.
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

    /// The same for a value that may be empty.
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
