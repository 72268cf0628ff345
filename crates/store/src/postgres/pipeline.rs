//! Several statements in one round trip.
//!
//! The way to the server and back takes longer than most statements. Writes whose result is not needed are collected and sent together, and
//! so are queries of which the caller knows beforehand that it will run them.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::error::Error as StdError;
use std::pin::Pin;
use std::task::Poll;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Error, Row, Statement};

use crate::sql::value::{OwnedValue, Value};

/// How many writes wait to be sent together: far more than the way to the server and back is worth, and little memory.
const WAITING_MAX: usize = 256;

/// How many bytes of values become one statement, approximately. There are records of megabytes.
const BATCH_BYTES_MAX: usize = 4 * 1024 * 1024;

/// The values of a row.
pub type RowValues = Vec<OwnedValue>;

/// What a write that waits is about. Rows of different kinds have nothing to do with each other, so their order does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// An entry of the log, by its position.
    LogEntry,
    /// A property and its versions, by its id.
    Property,
    /// An advert, by its id. Their order matters as well: one may take what another one had.
    Advert,
    /// A site, by its key.
    Site,
}

/// A statement with its parameters.
pub struct PipelineStep {
    pub statement: Statement,
    pub parameters: Vec<Parameter>,
}

/// A value, or those of one column of many rows.
pub enum Parameter {
    One(OwnedValue),
    Many(Vec<OwnedValue>),
}

/// Writes with the same text.
pub struct WriteBatch {
    pub sql: String,
    /// `None` if all writes before these must be done before, and all after these after.
    pub kind: Option<RowKind>,
    pub rows: Vec<RowValues>,
    keys: HashSet<OwnedValue>,
    bytes: usize,
}

/// What waits to be sent, and what has come and waits to be asked for.
#[derive(Default)]
pub struct Pipeline {
    later: RefCell<Vec<WriteBatch>>,
    prefetched: RefCell<HashMap<String, HashMap<RowValues, Vec<Row>>>>,
}

impl WriteBatch {
    /// Returns `true` if a write of a row must come after these.
    fn must_precede(&self, kind: RowKind, key: &OwnedValue) -> bool {
        match self.kind {
            None => true,
            Some(own) => own == kind && (kind == RowKind::Advert || self.keys.contains(key)),
        }
    }

    fn can_have(&self, sql: &str, kind: RowKind, key: &OwnedValue) -> bool {
        self.kind == Some(kind) && self.sql == sql && self.bytes < BATCH_BYTES_MAX && !self.keys.contains(key)
    }
}

impl Pipeline {
    pub fn clear(&self) {
        self.later.borrow_mut().clear();
        self.prefetched.borrow_mut().clear();
    }

    /// Adds a write after all those that wait.
    pub fn add_later(&self, sql: &str, values: RowValues) {
        let mut later = self.later.borrow_mut();
        match later.last_mut() {
            Some(last) if last.kind.is_none() && last.sql == sql => last.rows.push(values),
            _ => later.push(WriteBatch {
                sql: sql.to_owned(),
                kind: None,
                rows: vec![values],
                keys: HashSet::new(),
                bytes: 0,
            }),
        }
    }

    /// Adds a write of a row after those of the same row that wait.
    pub fn add_row_later(&self, sql: &str, kind: RowKind, key: OwnedValue, values: RowValues) {
        let mut later = self.later.borrow_mut();
        let is_end = |batch: &WriteBatch| batch.can_have(sql, kind, &key) || batch.must_precede(kind, &key);
        let found = later.iter_mut().rev().find(|batch| is_end(batch));
        let found = found.filter(|batch| batch.can_have(sql, kind, &key));
        let bytes: usize = values.iter().map(OwnedValue::len).sum();
        match found {
            Some(batch) => {
                batch.rows.push(values);
                batch.keys.insert(key);
                batch.bytes += bytes;
            }
            None => later.push(WriteBatch {
                sql: sql.to_owned(),
                kind: Some(kind),
                rows: vec![values],
                keys: HashSet::from([key]),
                bytes,
            }),
        }
    }

    /// Returns `true` if so much waits that waiting for more gains nothing.
    pub fn is_full(&self) -> bool {
        let later = self.later.borrow();
        let bytes: usize = later.iter().map(|batch| batch.bytes).sum();
        later.iter().map(|batch| batch.rows.len()).sum::<usize>() >= WAITING_MAX || bytes >= BATCH_BYTES_MAX
    }

    pub fn take_later(&self) -> Vec<WriteBatch> {
        std::mem::take(&mut self.later.borrow_mut())
    }

    pub fn put(&self, sql: &str, values: RowValues, rows: Vec<Row>) {
        let mut prefetched = self.prefetched.borrow_mut();
        match prefetched.get_mut(sql) {
            Some(queries) => drop(queries.insert(values, rows)),
            None => drop(prefetched.insert(sql.to_owned(), HashMap::from([(values, rows)]))),
        }
    }

    /// Takes the rows of a query that was prefetched.
    pub fn take(&self, sql: &str, values: &[Value<'_>]) -> Option<Vec<Row>> {
        let mut prefetched = self.prefetched.borrow_mut();
        let queries = prefetched.get_mut(sql).filter(|queries| !queries.is_empty())?;
        queries.remove(&values.iter().copied().map(OwnedValue::from).collect::<RowValues>())
    }
}

/// Turns rows of values into columns of them.
pub fn columns(rows: Vec<RowValues>) -> Vec<Parameter> {
    let mut columns: Vec<Vec<OwnedValue>> = Vec::new();
    columns.resize_with(rows.first().map_or(0, Vec::len), || Vec::with_capacity(rows.len()));
    for row in rows {
        for (column, value) in columns.iter_mut().zip(row) {
            column.push(value);
        }
    }
    columns.into_iter().map(Parameter::Many).collect()
}

/// Runs statements in order. Each is sent before the answer to the one before has come. Fails with the first error.
pub async fn run(client: &Client, steps: &[PipelineStep]) -> Result<Vec<Vec<Row>>, Error> {
    let values: Vec<Vec<&(dyn ToSql + Sync)>> =
        steps.iter().map(|step| step.parameters.iter().map(|value| value as _).collect()).collect();
    let mut pending: Vec<Pin<Box<_>>> = Vec::with_capacity(steps.len());
    for (step, values) in steps.iter().zip(&values) {
        pending.push(Box::pin(client.query(&step.statement, values)));
    }
    let mut results: Vec<Option<Result<Vec<Row>, Error>>> = steps.iter().map(|_| None).collect();
    // A statement is sent when it is polled for the first time, so the first pass sends them in order.
    std::future::poll_fn(|context| {
        let mut is_done = true;
        for (pending, result) in pending.iter_mut().zip(&mut results).filter(|(_, result)| result.is_none()) {
            match pending.as_mut().poll(context) {
                Poll::Ready(ready) => *result = Some(ready),
                Poll::Pending => is_done = false,
            }
        }
        if is_done { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    results.into_iter().flatten().collect()
}

impl std::fmt::Debug for Parameter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::One(value) => value.fmt(f),
            Self::Many(values) => write!(f, "{} values", values.len()),
        }
    }
}

impl ToSql for Parameter {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match self {
            Self::One(value) => value.to_sql(ty, out),
            Self::Many(values) => values.to_sql(ty, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(pipeline: &Pipeline, sql: &str, kind: RowKind, key: i64) {
        pipeline.add_row_later(sql, kind, key.into(), vec![key.into()]);
    }

    /// The texts of the waiting statements, each with the keys of its rows.
    fn waiting(pipeline: &Pipeline) -> Vec<(String, Vec<i64>)> {
        let number = |row: &RowValues| match row[..] {
            [OwnedValue::Integer(number)] => number,
            _ => panic!("{row:?}"),
        };
        let batches = pipeline.take_later().into_iter();
        batches.map(|batch| (batch.sql, batch.rows.iter().map(number).collect())).collect()
    }

    fn expected(batches: &[(&str, &[i64])]) -> Vec<(String, Vec<i64>)> {
        batches.iter().map(|(sql, keys)| ((*sql).to_owned(), keys.to_vec())).collect()
    }

    #[test]
    fn rows_of_a_kind_are_written_together() {
        let pipeline = Pipeline::default();
        for key in 1..=3 {
            add(&pipeline, "log", RowKind::LogEntry, key);
            add(&pipeline, "property", RowKind::Property, key);
        }
        assert_eq!(waiting(&pipeline), expected(&[("log", &[1, 2, 3]), ("property", &[1, 2, 3])]));
    }

    #[test]
    fn writes_of_one_row_stay_in_order() {
        let pipeline = Pipeline::default();
        for (sql, key) in [("new", 1), ("change", 2), ("new", 3), ("change", 1), ("new", 2), ("new", 1)] {
            add(&pipeline, sql, RowKind::Property, key);
        }
        let batches = expected(&[("new", &[1, 3]), ("change", &[2, 1]), ("new", &[2, 1])]);
        assert_eq!(waiting(&pipeline), batches);
    }

    #[test]
    fn adverts_stay_in_order() {
        let pipeline = Pipeline::default();
        for (sql, key) in [("a", 1), ("a", 2), ("b", 3), ("a", 4), ("a", 4)] {
            add(&pipeline, sql, RowKind::Advert, key);
        }
        assert_eq!(waiting(&pipeline), expected(&[("a", &[1, 2]), ("b", &[3]), ("a", &[4]), ("a", &[4])]));
    }

    #[test]
    fn nothing_passes_any_other_write() {
        let pipeline = Pipeline::default();
        add(&pipeline, "log", RowKind::LogEntry, 1);
        pipeline.add_later("other", vec![7.into()]);
        pipeline.add_later("other", vec![8.into()]);
        add(&pipeline, "log", RowKind::LogEntry, 2);
        assert_eq!(waiting(&pipeline), expected(&[("log", &[1]), ("other", &[7, 8]), ("log", &[2])]));
    }

    #[test]
    fn large_rows_are_not_collected() {
        let pipeline = Pipeline::default();
        let add = |key: i64, bytes| {
            pipeline.add_row_later("a", RowKind::Property, key.into(), vec![vec![0; bytes].into()]);
        };
        add(1, BATCH_BYTES_MAX);
        assert!(pipeline.is_full());
        add(2, 1);
        assert_eq!(pipeline.take_later().len(), 2);
        add(3, 1);
        assert!(!pipeline.is_full());
    }
}
