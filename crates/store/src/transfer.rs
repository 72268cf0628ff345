//! Copies a whole store into an empty one, between a data folder and PostgreSQL in any direction: `vigie migrate`.
//!
//! "Migration" is the word of the command. In this crate it also means a change of the schema, so this module is called a transfer.
//!
//! Tables are copied one after the other in the order of their keys, in pieces. A piece and how far the copy has come are one transaction
//! of the target ([`mark`]), so a copy that was killed continues where it stopped. At the end all rows of both stores are read and
//! compared. Until then no process opens the target as a store ([`refuse_unfinished`]). The source is only read.
//!
//! What belongs to one database is not copied: its identity, the turn to write, roles, the version of the schema ([`tables`]).

mod error;
mod mark;
mod numbers;
mod rows;
mod sessions;
mod source;
mod tables;
mod target;

use std::ops::ControlFlow;
use std::path::PathBuf;

pub use error::TransferError;
pub(crate) use mark::refuse_unfinished;
use mark::{KeyValue, Mark};
use rows::{Checksum, TableRows};
use source::Source;
use tables::{NUMBERS, TABLES, Table};
use target::Target;

use crate::postgres::PostgresOptions;
use crate::sql::Connection;

/// Bounds the memory of a piece, as far as its first rows tell how large the others are.
const BYTES_PER_PIECE: usize = 4 << 20;

/// The size of the first piece of a table, while nothing is known of its rows.
const FIRST_ROWS: usize = 64;

/// Where a store is.
#[derive(Debug, Clone)]
pub enum StoreAddress {
    /// The embedded database of a data folder.
    Folder(PathBuf),
    Postgres(Box<PostgresOptions>),
}

#[derive(Debug, Clone)]
pub struct TransferOptions {
    /// The most rows that are read and written at a time.
    pub rows_per_piece: usize,
}

impl Default for TransferOptions {
    fn default() -> Self {
        Self { rows_per_piece: 2_000 }
    }
}

/// How far a copy has come. Rows are counted over all tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TransferProgress {
    pub stage: TransferStage,
    pub table: &'static str,
    pub rows: u64,
    pub rows_total: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TransferStage {
    Copy,
    /// Both stores are read and compared.
    Verify,
}

/// A complete copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Transferred {
    /// Names the source and the target, without passwords.
    pub source: String,
    pub target: String,
    /// The number of rows of each table.
    pub tables: Vec<(&'static str, u64)>,
}

/// Is called after each piece, and breaks to interrupt the copy.
pub type Report<'r> = dyn FnMut(TransferProgress) -> ControlFlow<()> + Send + 'r;

/// Copies a store. Continues a copy of the same source that was interrupted. Blocks until it is done.
pub fn transfer(
    from: &StoreAddress,
    to: &StoreAddress,
    options: &TransferOptions,
    report: &mut Report<'_>,
) -> Result<Transferred, TransferError> {
    // Connections to PostgreSQL have runtimes of their own, which cannot be used on a thread of another runtime.
    std::thread::scope(|scope| {
        let run = scope.spawn(|| run(from, to, options, report));
        run.join().unwrap_or(Err(TransferError::Panicked))
    })
}

fn run(
    from: &StoreAddress,
    to: &StoreAddress,
    options: &TransferOptions,
    report: &mut Report<'_>,
) -> Result<Transferred, TransferError> {
    refuse_same_folder(from, to)?;
    let source = Source::open(from)?;
    let target = Target::open(to)?;
    let mark = target.begin(&source)?;
    let rows_total = source.fingerprint.rows.values().sum();
    let mut copy = Copy { source, target, options, report, rows: 0, rows_total };
    copy.copy_tables(mark)?;
    copy.target.continue_numbers(&copy.source)?;
    copy.target.analyze()?;
    let tables = copy.verify()?;
    let Copy { source, target, .. } = copy;
    source.end()?;
    target.finish()?;
    Ok(Transferred { source: source.place, target: target.place, tables })
}

fn refuse_same_folder(from: &StoreAddress, to: &StoreAddress) -> Result<(), TransferError> {
    let (StoreAddress::Folder(from), StoreAddress::Folder(to)) = (from, to) else { return Ok(()) };
    // A folder that does not exist is not the other one.
    match (from.canonicalize(), to.canonicalize()) {
        (Ok(from), Ok(to)) if from == to => {
            Err(TransferError::SameStore { place: from.display().to_string() })
        }
        _ => Ok(()),
    }
}

struct Copy<'c> {
    source: Source,
    target: Target,
    options: &'c TransferOptions,
    report: &'c mut Report<'c>,
    /// How many rows are done in this stage.
    rows: u64,
    rows_total: u64,
}

impl Copy<'_> {
    /// Copies the tables that the mark says are left.
    fn copy_tables(&mut self, mut mark: Mark) -> Result<(), TransferError> {
        let mut tables = TABLES.iter().peekable();
        while let Some(table) = tables.next_if(|table| mark.table.as_deref() != Some(table.name)) {
            self.rows += self.source.fingerprint.rows.get(table.name).copied().unwrap_or_default();
        }
        while let Some(table) = tables.next() {
            let rows = self.rows_of(table)?;
            if mark.after.is_some() {
                self.rows += rows.count(&self.target.connection).map_err(TransferError::table(table.name))?;
            }
            let next = tables.peek().map(|next| next.name);
            self.copy_table(table, &rows, &mut mark, next)?;
        }
        Ok(())
    }

    fn copy_table(
        &mut self,
        table: &'static Table,
        rows: &TableRows<'_>,
        mark: &mut Mark,
        next: Option<&'static str>,
    ) -> Result<(), TransferError> {
        let mut pieces = Pieces::new(self.options);
        pieces.after = mark.after.as_ref().map(|after| after.iter().map(KeyValue::value).collect());
        while let Some(piece) =
            pieces.next(rows, &self.source.connection).map_err(TransferError::table(table.name))?
        {
            let is_first = mark.after.is_none();
            if pieces.is_at_end {
                (mark.table, mark.after) = (next.map(str::to_owned), None);
            } else {
                let after = pieces.after.iter().flatten().cloned();
                mark.after = Some(after.filter_map(KeyValue::new).collect());
            }
            self.target.write(rows, &piece, is_first, mark)?;
            self.report(TransferStage::Copy, table.name, piece.len())?;
        }
        Ok(())
    }

    /// Returns the statements of a table. Fails if it has other columns in the target.
    fn rows_of(&self, table: &'static Table) -> Result<TableRows<'static>, TransferError> {
        let columns = |connection: &Connection| {
            rows::columns(connection, table.name).map_err(TransferError::table(table.name))
        };
        let (ours, theirs) = (columns(&self.source.connection)?, columns(&self.target.connection)?);
        if ours != theirs {
            let only = |one: &[String], other: &[String]| -> Vec<String> {
                one.iter().filter(|name| !other.contains(name)).cloned().collect()
            };
            let columns = [only(&ours, &theirs), only(&theirs, &ours)].concat().join(", ");
            return Err(TransferError::Columns { table: table.name, columns });
        }
        TableRows::new(table, ours).map_err(TransferError::table(table.name))
    }

    /// Reads both stores, and fails if they differ. Returns the number of rows of each table.
    fn verify(&mut self) -> Result<Vec<(&'static str, u64)>, TransferError> {
        (self.rows, self.rows_total) = (0, 2 * self.rows_total);
        let mut tables = Vec::with_capacity(TABLES.len());
        for table in TABLES {
            let rows = self.rows_of(table)?;
            let source = self.checksum(table.name, &rows, |copy| &copy.source.connection)?;
            let target = self.checksum(table.name, &rows, |copy| &copy.target.connection)?;
            if source != target {
                let difference = if source.rows == target.rows {
                    "the same number of rows with other values".to_owned()
                } else {
                    format!("{} rows in the source, {} in the target", source.rows, target.rows)
                };
                return Err(TransferError::Different { table: table.name, difference });
            }
            tables.push((table.name, target.rows));
        }
        self.verify_numbers()?;
        Ok(tables)
    }

    fn checksum(
        &mut self,
        table: &'static str,
        rows: &TableRows<'_>,
        side: impl for<'s> Fn(&'s Self) -> &'s Connection,
    ) -> Result<Checksum, TransferError> {
        let mut checksum = Checksum::default();
        let mut pieces = Pieces::new(self.options);
        while let Some(piece) = pieces.next(rows, side(self)).map_err(TransferError::table(table))? {
            for row in &piece {
                checksum.add(row);
            }
            self.report(TransferStage::Verify, table, piece.len())?;
        }
        Ok(checksum)
    }

    fn verify_numbers(&self) -> Result<(), TransferError> {
        for numbers in NUMBERS.iter().filter(|it| numbers::is_kept(&self.target.connection, it)) {
            let last =
                |connection| numbers::last(connection, numbers).map_err(TransferError::table(numbers.table));
            let (source, target) = (last(&self.source.connection)?, last(&self.target.connection)?);
            if source != target {
                let difference = format!("the last number is {source} in the source, {target} in the target");
                return Err(TransferError::Different { table: numbers.table, difference });
            }
        }
        Ok(())
    }

    fn report(
        &mut self,
        stage: TransferStage,
        table: &'static str,
        rows: usize,
    ) -> Result<(), TransferError> {
        self.rows += rows as u64;
        let progress = TransferProgress { stage, table, rows: self.rows, rows_total: self.rows_total };
        if (self.report)(progress).is_break() { Err(TransferError::Interrupted) } else { Ok(()) }
    }
}

/// Reads a table in pieces.
struct Pieces<'o> {
    options: &'o TransferOptions,
    rows_max: usize,
    /// The key of the last row that was read.
    after: Option<Vec<crate::sql::value::OwnedValue>>,
    is_at_end: bool,
}

impl<'o> Pieces<'o> {
    fn new(options: &'o TransferOptions) -> Self {
        let rows_max = FIRST_ROWS.min(options.rows_per_piece).max(1);
        Self { options, rows_max, after: None, is_at_end: false }
    }

    /// Returns the next rows; at least one piece, which may be empty, and `None` at the end.
    fn next(
        &mut self,
        rows: &TableRows<'_>,
        connection: &Connection,
    ) -> Result<Option<Vec<rows::Values>>, crate::sql::SqlError> {
        if self.is_at_end {
            return Ok(None);
        }
        let piece = rows.read(connection, self.after.as_deref(), self.rows_max)?;
        self.is_at_end = piece.len() < self.rows_max;
        if let Some(last) = piece.last() {
            self.after = Some(rows.key_of(last));
            let bytes: usize = piece.iter().map(|row| rows::bytes(row)).sum();
            let fitting = BYTES_PER_PIECE / (bytes / piece.len()).max(1);
            self.rows_max = fitting.min(self.options.rows_per_piece).max(1);
        }
        Ok(Some(piece))
    }
}
