//! Several statements in one round trip.
//!
//! The way to the server and back takes longer than most statements. Writes whose result is not needed are collected and sent together, and
//! so are queries of which the caller knows beforehand that it will run them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::pin::Pin;
use std::task::Poll;

use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Error, Row, Statement};

use crate::sql::value::{OwnedValue, Value};

/// How many writes wait to be sent together: far more than the way to the server and back is worth, and little memory.
const WAITING_MAX: usize = 256;

/// A statement with its values.
pub struct PipelineStep {
    pub statement: Statement,
    /// The text of a query before its translation; `None` if nothing asks for its rows.
    pub sql: Option<String>,
    pub values: Vec<OwnedValue>,
}

/// What waits to be sent, and what has come and waits to be asked for.
#[derive(Default)]
pub struct Pipeline {
    later: RefCell<Vec<PipelineStep>>,
    prefetched: RefCell<HashMap<Query, Vec<Row>>>,
}

/// The text of a query and its values.
type Query = (String, Vec<OwnedValue>);

impl Pipeline {
    pub fn clear(&self) {
        self.later.borrow_mut().clear();
        self.prefetched.borrow_mut().clear();
    }

    pub fn add_later(&self, step: PipelineStep) {
        self.later.borrow_mut().push(step);
    }

    /// Returns `true` if so much waits that waiting for more gains nothing.
    pub fn is_full(&self) -> bool {
        self.later.borrow().len() >= WAITING_MAX
    }

    pub fn take_later(&self) -> Vec<PipelineStep> {
        std::mem::take(&mut self.later.borrow_mut())
    }

    pub fn put(&self, step: PipelineStep, rows: Vec<Row>) {
        if let Some(sql) = step.sql {
            self.prefetched.borrow_mut().insert((sql, step.values), rows);
        }
    }

    /// Takes the rows of a query that was prefetched.
    pub fn take(&self, sql: &str, values: &[Value<'_>]) -> Option<Vec<Row>> {
        let mut prefetched = self.prefetched.borrow_mut();
        if prefetched.is_empty() {
            return None;
        }
        prefetched.remove(&(sql.to_owned(), values.iter().copied().map(OwnedValue::from).collect()))
    }
}

/// Runs statements in order. Each is sent before the answer to the one before has come. Fails with the first error.
pub async fn run(client: &Client, steps: &[PipelineStep]) -> Result<Vec<Vec<Row>>, Error> {
    let values: Vec<Vec<&(dyn ToSql + Sync)>> =
        steps.iter().map(|step| step.values.iter().map(|value| value as _).collect()).collect();
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
