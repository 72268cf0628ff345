//! One connection to PostgreSQL, used by one thread.
//!
//! The driver is asynchronous and the threads of the store are not: each connection has a small runtime of its own, which runs while a
//! statement does. A connection that was lost is opened again before the next use.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::error::Error as StdError;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;
use tokio::task::JoinSet;
use tokio_postgres::error::Severity;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Row, Statement};

use super::many_rows;
use super::options::PostgresOptions;
use super::pipeline::{self, Parameter, Pipeline, PipelineStep, RowKind, RowValues, WriteBatch};
use super::schema;
use super::timeline::{self, AcceptedTimeline};
use crate::sql::connection::SqlResult;
use crate::sql::error::SqlError;
use crate::sql::value::{Column, OwnedValue, ToValue, Value, owned};

/// A connection that was idle for longer is tried before it is used.
const TRUSTED_FOR: Duration = Duration::from_secs(2);

/// How long a statement without work, such as the beginning of a transaction, may take. After that the server hangs.
const TRIFLE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long any other may take. The server ends statements after 60 seconds by itself ([`super::options`]), unless it hangs, as on a disk that
/// does not answer. Then its machine still confirms what it receives, so that nothing else notices. A commit that waits longer for a
/// replica has an outcome that is not known.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(75);

const LOST: &str = "the connection to the database is lost";
const SILENT: &str = "the database server does not answer";
const TAKEN_OVER: &str = "another database server has taken over";

pub struct PostgresConnection {
    options: PostgresOptions,
    runtime: Runtime,
    client: RefCell<Client>,
    /// What reads and writes the socket while a statement runs.
    session: RefCell<JoinSet<()>>,
    /// The statements that were prepared on this connection, by the text before its translation.
    statements: RefCell<HashMap<String, Statement>>,
    /// The same for many rows of values; `None` if a statement has no such form.
    many_rows: RefCell<HashMap<String, Option<Statement>>>,
    pipeline: Pipeline,
    /// The last position of the log, as far as the current transaction has written it.
    log_end: Cell<Option<u64>>,
    transaction: Cell<TransactionState>,
    last_used: Cell<Instant>,
    /// The timeline of the server it is connected to, and the one that may be used.
    timeline: RefCell<String>,
    accepted: Arc<AcceptedTimeline>,
    /// Whether its user checks a new timeline, and so may use one that is not accepted yet.
    checks_timeline: Cell<bool>,
    /// The connection ended, or is in a state that is not known.
    is_broken: Cell<bool>,
    /// How long a statement may take.
    statement_timeout: Cell<Duration>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TransactionState {
    None,
    Open,
    /// A statement failed. PostgreSQL answers a COMMIT with a rollback, and does not call that an error.
    Failed,
}

impl PostgresConnection {
    /// Opens the only connection of a process. Must not be called on a thread of an asynchronous runtime.
    pub fn open(options: &PostgresOptions) -> SqlResult<Self> {
        Self::open_on(options, Arc::default())
    }

    /// Opens one of several connections, which all use the same timeline.
    pub fn open_on(options: &PostgresOptions, accepted: Arc<AcceptedTimeline>) -> SqlResult<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| SqlError::Connection(format!("no runtime for a connection: {error}")))?;
        let mut session = JoinSet::new();
        let (client, timeline) = runtime.block_on(connect(options, &mut session))?;
        if !accepted.accepts(&timeline) {
            return Err(not_checked());
        }
        Ok(Self {
            options: options.clone(),
            runtime,
            client: RefCell::new(client),
            session: RefCell::new(session),
            statements: RefCell::default(),
            many_rows: RefCell::default(),
            pipeline: Pipeline::default(),
            log_end: Cell::new(None),
            transaction: Cell::new(TransactionState::None),
            last_used: Cell::new(Instant::now()),
            timeline: RefCell::new(timeline),
            accepted,
            checks_timeline: Cell::new(false),
            is_broken: Cell::new(false),
            statement_timeout: Cell::new(STATEMENT_TIMEOUT),
        })
    }

    /// Lets statements take as long as they need, or ends that. Who does so must not mind a server that hangs.
    pub fn set_patient(&self, is_patient: bool) {
        self.statement_timeout.set(if is_patient { Duration::MAX } else { STATEMENT_TIMEOUT });
    }

    /// Announces that its user checks a new timeline ([`super::timeline::check`]).
    pub fn set_checks_timeline(&self) {
        self.checks_timeline.set(true);
    }

    /// Returns `true` if the server is another one than that of the accepted timeline, which it may lack writes of.
    pub fn is_on_new_timeline(&self) -> bool {
        !self.accepted.accepts(&self.timeline.borrow())
    }

    /// Returns the timeline of the server it is connected to, and the accepted one.
    pub fn timelines(&self) -> (String, String) {
        (self.timeline.borrow().clone(), self.accepted.name())
    }

    /// Lets all connections use the server of this one.
    pub fn accept_timeline(&self) {
        self.accepted.accept(&self.timeline.borrow());
    }

    /// Connects again if the connection is lost. Call it before a transaction begins, and before every job of a reader.
    pub fn ensure_connected(&self) -> SqlResult<()> {
        self.pipeline.clear();
        if self.last_used.get().elapsed() > TRUSTED_FOR && !self.is_lost() {
            // Only this tells whether the other end is still there.
            let _ = self.run(TRIFLE_TIMEOUT, self.client.borrow().simple_query(""));
        }
        // A former primary may still answer.
        let is_outdated = !self.checks_timeline.get() && self.is_on_new_timeline();
        if self.is_lost() || is_outdated { self.reconnect() } else { Ok(()) }
    }

    pub fn is_lost(&self) -> bool {
        self.is_broken.get() || self.client.borrow().is_closed()
    }

    fn reconnect(&self) -> SqlResult<()> {
        let mut session = JoinSet::new();
        let (client, timeline) = self.runtime.block_on(connect_again(&self.options, &mut session))?;
        if !self.checks_timeline.get() && !self.accepted.accepts(&timeline) {
            return Err(not_checked());
        }
        self.timeline.replace(timeline);
        self.session.replace(session);
        self.statements.borrow_mut().clear();
        self.many_rows.borrow_mut().clear();
        self.transaction.set(TransactionState::None);
        self.is_broken.set(false);
        self.last_used.set(Instant::now());
        *self.client.borrow_mut() = client;
        tracing::info!("connected to PostgreSQL again");
        Ok(())
    }

    /// Waits before the next try to connect.
    pub fn pause(&self, duration: Duration) {
        self.runtime.block_on(async {
            let _ = tokio::time::timeout(duration, std::future::pending::<()>()).await;
        });
    }

    pub fn is_in_transaction(&self) -> bool {
        self.transaction.get() != TransactionState::None
    }

    fn prepare(&self, sql: &str) -> SqlResult<Statement> {
        if let Some(statement) = self.statements.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let translated = translate(sql);
        let statement = self.run(self.statement_timeout.get(), self.client.borrow().prepare(&translated))?;
        self.statements.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    /// Prepares a statement that does for many rows of values what `sql` does for one. Returns `None` if there is one row only, or no such
    /// statement.
    fn prepare_many(
        &self,
        sql: &str,
        rows: usize,
        write: fn(&str, &[Type]) -> Option<String>,
    ) -> SqlResult<Option<Statement>> {
        if rows < 2 {
            return Ok(None);
        }
        if let Some(statement) = self.many_rows.borrow().get(sql) {
            return Ok(statement.clone());
        }
        let statement = match write(&translate(sql), self.prepare(sql)?.params()) {
            Some(sql) => Some(self.run(self.statement_timeout.get(), self.client.borrow().prepare(&sql))?),
            None => None,
        };
        self.many_rows.borrow_mut().insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }

    pub fn execute(&self, sql: &str, values: &[Value<'_>]) -> SqlResult<usize> {
        check(values)?;
        self.flush()?;
        let statement = self.prepare(sql)?;
        let rows =
            self.run(self.statement_timeout.get(), self.client.borrow().execute_raw(&statement, values))?;
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    pub fn query(&self, sql: &str, values: &[Value<'_>]) -> SqlResult<Vec<Row>> {
        check(values)?;
        if let Some(rows) = self.pipeline.take(sql, values) {
            return Ok(rows);
        }
        self.flush()?;
        let values: Vec<&(dyn ToSql + Sync)> = values.iter().map(|value| value as _).collect();
        self.repeat_if_lost(|| {
            let statement = self.prepare(sql)?;
            self.run(self.statement_timeout.get(), self.client.borrow().query(&statement, &values))
        })
    }

    /// Reads, and does so again on a new connection if the connection is lost. In a transaction it fails.
    fn repeat_if_lost<T>(&self, read: impl Fn() -> SqlResult<T>) -> SqlResult<T> {
        let is_repeatable = !self.is_in_transaction();
        match read() {
            Err(_) if is_repeatable && self.is_lost() => {
                self.reconnect()?;
                read()
            }
            result => result,
        }
    }

    /// Returns the end of the log as this transaction knows it, or `None` if it has not written to it yet.
    pub fn log_end(&self) -> Option<u64> {
        self.log_end.get()
    }

    pub fn set_log_end(&self, position: u64) {
        self.log_end.set(Some(position));
    }

    /// Runs queries whose rows the next calls of [`Self::query`] return.
    pub fn prefetch<'a>(&self, queries: impl Iterator<Item = (&'a str, RowValues)>) -> SqlResult<()> {
        let mut by_text: Vec<(&str, Vec<RowValues>)> = Vec::new();
        for (sql, values) in queries {
            match by_text.iter_mut().find(|(text, _)| *text == sql) {
                Some((_, rows)) => rows.push(values),
                None => by_text.push((sql, vec![values])),
            }
        }
        if !self.is_in_transaction() {
            // There are only reads, whose statements have to be prepared again on a new connection.
            return self.repeat_if_lost(|| self.run_ahead(Vec::new(), &by_text));
        }
        self.run_ahead(self.pipeline.take_later(), &by_text)
    }

    /// Runs writes and then queries, and keeps the rows.
    fn run_ahead(&self, writes: Vec<WriteBatch>, queries: &[(&str, Vec<RowValues>)]) -> SqlResult<()> {
        let mut steps = self.write_steps(writes)?;
        let first_query = steps.len();
        // Which queries are sent as one statement for all their rows.
        let mut together = Vec::with_capacity(queries.len());
        for (sql, rows) in queries {
            let statement = self.prepare_many(sql, rows.len(), many_rows::query)?;
            together.push(statement.is_some());
            match statement {
                Some(statement) => {
                    steps.push(PipelineStep { statement, parameters: pipeline::columns(rows.clone()) });
                }
                None => self.add_steps(&mut steps, sql, rows.clone())?,
            }
        }
        let mut results = self.run_together(&steps)?.into_iter().skip(first_query);
        for ((sql, rows), together) in queries.iter().zip(together) {
            if together {
                let found = rows_by_number(results.next().unwrap_or_default(), rows.len())?;
                rows.iter()
                    .zip(found)
                    .for_each(|(values, rows)| self.pipeline.put(sql, values.clone(), rows));
            } else {
                for values in rows {
                    self.pipeline.put(sql, values.clone(), results.next().unwrap_or_default());
                }
            }
        }
        Ok(())
    }

    pub fn execute_later(&self, sql: &str, values: &[Value<'_>]) -> SqlResult<()> {
        check(values)?;
        self.pipeline.add_later(sql, owned(values));
        if self.pipeline.is_full() { self.flush() } else { Ok(()) }
    }

    /// Writes a row after what was written to it before, and at the latest when [`Self::flush`] is called. Only writes of rows may wait
    /// longer than this one.
    pub fn execute_row_later(
        &self,
        sql: &str,
        kind: RowKind,
        key: Value<'_>,
        values: &[Value<'_>],
    ) -> SqlResult<()> {
        check(values)?;
        self.pipeline.add_row_later(sql, kind, key.into(), owned(values));
        if self.pipeline.is_full() { self.flush() } else { Ok(()) }
    }

    /// Runs the statements of [`Self::execute_later`] and [`Self::execute_row_later`].
    pub fn flush(&self) -> SqlResult<()> {
        let steps = self.write_steps(self.pipeline.take_later())?;
        if steps.is_empty() { Ok(()) } else { self.run_together(&steps).map(drop) }
    }

    fn write_steps(&self, writes: Vec<WriteBatch>) -> SqlResult<Vec<PipelineStep>> {
        let mut steps = Vec::with_capacity(writes.len());
        for WriteBatch { sql, kind, rows, .. } in writes {
            let together = match kind {
                Some(_) => self.prepare_many(&sql, rows.len(), many_rows::insert)?,
                None => None,
            };
            match together {
                Some(statement) => {
                    steps.push(PipelineStep { statement, parameters: pipeline::columns(rows) });
                }
                None => self.add_steps(&mut steps, &sql, rows)?,
            }
        }
        Ok(steps)
    }

    fn add_steps(&self, steps: &mut Vec<PipelineStep>, sql: &str, rows: Vec<RowValues>) -> SqlResult<()> {
        let statement = self.prepare(sql)?;
        steps.extend(rows.into_iter().map(|values| PipelineStep {
            statement: statement.clone(),
            parameters: values.into_iter().map(Parameter::One).collect(),
        }));
        Ok(())
    }

    /// Sends statements one after the other, without waiting for the answers of those before.
    fn run_together(&self, steps: &[PipelineStep]) -> SqlResult<Vec<Vec<Row>>> {
        let client = self.client.borrow();
        self.run(self.statement_timeout.get(), pipeline::run(&client, steps))
    }

    /// Runs statements without parameters: beginnings and ends of transactions, and migrations.
    pub fn execute_batch(&self, sql: &str) -> SqlResult<()> {
        if !sql.starts_with("ROLLBACK") {
            self.flush()?;
        }
        // What was read or counted before may not hold after it.
        self.pipeline.clear();
        self.log_end.set(None);
        if sql.starts_with("COMMIT") && self.transaction.get() == TransactionState::Failed {
            let rolled_back = self.execute_batch("ROLLBACK");
            return rolled_back
                .and(Err(SqlError::Connection("a statement of the transaction failed".to_owned())));
        }
        let is_beginning = sql.starts_with("BEGIN");
        let mut done = self.run_batch(sql);
        if is_beginning && done.is_err() && self.is_lost() {
            self.reconnect()?;
            done = self.run_batch(sql);
        }
        if done.is_ok() && (is_beginning || sql.starts_with("ROLLBACK TO")) {
            self.transaction.set(TransactionState::Open);
        } else if sql.starts_with("COMMIT") || sql == "ROLLBACK" {
            self.transaction.set(TransactionState::None);
            // A transaction that may still be open must not swallow the next ones.
            self.is_broken.set(self.is_broken.get() || done.is_err());
        }
        done
    }

    fn run_batch(&self, sql: &str) -> SqlResult<()> {
        let timeout = match sql.split([' ', ';']).next() {
            Some("BEGIN") if !sql.contains("LOCK") => TRIFLE_TIMEOUT,
            Some("BEGIN" | "SAVEPOINT" | "RELEASE" | "ROLLBACK" | "COMMIT") => STATEMENT_TIMEOUT,
            // Migrations, and rewriting the whole database.
            _ => Duration::MAX,
        };
        self.run(timeout, self.client.borrow().batch_execute(sql))
    }

    /// Waits for the answer to a statement. A server that hangs is left, at once when the writer has found the one that took over.
    fn run<T>(
        &self,
        timeout: Duration,
        statement: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> SqlResult<T> {
        let timeline = self.timeline.borrow().clone();
        let answer = self.runtime.block_on(async {
            if self.is_lost() {
                // A server that hangs would be waited for again.
                return Err(LOST);
            }
            tokio::select! {
                // An answer that is there counts.
                biased;
                answer = tokio::time::timeout(timeout, statement) => answer.map_err(|_| SILENT),
                () = self.accepted.leaves(&timeline), if !self.checks_timeline.get() => Err(TAKEN_OVER),
            }
        });
        let reason = match answer {
            Ok(answer) => return self.noted(answer),
            Err(reason) => reason,
        };
        self.last_used.set(Instant::now());
        self.is_broken.set(true);
        if self.transaction.get() == TransactionState::Open {
            self.transaction.set(TransactionState::Failed);
        }
        Err(SqlError::Connection(reason.to_owned()))
    }

    /// Takes note of what a statement did to the transaction and to the connection.
    fn noted<T>(&self, result: Result<T, tokio_postgres::Error>) -> SqlResult<T> {
        self.last_used.set(Instant::now());
        if let Err(error) = &result {
            if self.transaction.get() == TransactionState::Open {
                self.transaction.set(TransactionState::Failed);
            }
            // The server says why it closes a connection before it does. Errors of single statements are less severe.
            let is_fatal = error
                .as_db_error()
                .is_none_or(|error| !matches!(error.parsed_severity(), Some(Severity::Error) | None));
            self.is_broken.set(self.is_broken.get() || is_fatal);
        }
        Ok(result?)
    }
}

async fn connect(options: &PostgresOptions, session: &mut JoinSet<()>) -> SqlResult<(Client, String)> {
    let connecting = async {
        let client = options.connect(session).await?;
        let timeline = timeline::read(&client).await?;
        Ok((client, timeline))
    };
    in_time(options, connecting).await
}

/// Connects to a database that was opened before.
async fn connect_again(options: &PostgresOptions, session: &mut JoinSet<()>) -> SqlResult<(Client, String)> {
    let (client, timeline) = connect(options, session).await?;
    in_time(options, schema::check_again(&client)).await?;
    Ok((client, timeline))
}

async fn in_time<T>(options: &PostgresOptions, work: impl Future<Output = SqlResult<T>>) -> SqlResult<T> {
    tokio::time::timeout(options.try_timeout(), work).await.unwrap_or_else(|_| {
        Err(SqlError::Connection("a database server takes connections and does not answer".to_owned()))
    })
}

/// Divides the rows of [`many_rows::query`] among the rows of values, of which there are `count`.
fn rows_by_number(rows: Vec<Row>, count: usize) -> SqlResult<Vec<Vec<Row>>> {
    let mut divided: Vec<Vec<Row>> = Vec::new();
    divided.resize_with(count, Vec::new);
    for row in rows {
        let number: i64 = row.try_get(row.len() - 1)?;
        if let Some(rows) = usize::try_from(number - 1).ok().and_then(|number| divided.get_mut(number)) {
            rows.push(row);
        }
    }
    Ok(divided)
}

fn not_checked() -> SqlError {
    SqlError::Connection("another database server has taken over, and is checked first".to_owned())
}

fn check(values: &[Value<'_>]) -> SqlResult<()> {
    if values.contains(&Value::TooLarge) { Err(SqlError::TooLarge) } else { Ok(()) }
}

/// Turns the SQL of this crate into PostgreSQL's: parameters are `$1`, there are no hints which index to use, and a `CROSS JOIN`, which
/// only fixes the order for SQLite, is a plain one.
fn translate(sql: &str) -> String {
    let mut translated = String::with_capacity(sql.len());
    let mut words = sql.split(' ').peekable();
    while let Some(word) = words.next() {
        match word {
            "INDEXED" => {
                words.next();
                // The name of the index may be followed by the end of the line.
                let index = words.next().unwrap_or_default();
                translated.extend(index.split_once('\n').map(|(_, rest)| rest));
            }
            "CROSS" => {}
            word => translated.push_str(word),
        }
        if words.peek().is_some() {
            translated.push(' ');
        }
    }
    // An empty byte string.
    translated.replace('?', "$").replace("x''", "''")
}

impl ToSql for Value<'_> {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match *self {
            Self::Null => return Ok(IsNull::Yes),
            Self::Integer(integer) if *ty == Type::INT8 => out.extend_from_slice(&integer.to_be_bytes()),
            Self::Integer(integer) if *ty == Type::INT4 => {
                out.extend_from_slice(&i32::try_from(integer)?.to_be_bytes());
            }
            // PostgreSQL refuses texts with a NUL. One of them must not fail the batch that it is part of.
            Self::Text(text) if *ty == Type::TEXT && text.contains('\0') => {
                out.extend_from_slice(text.replace('\0', "\u{FFFD}").as_bytes());
            }
            Self::Text(text) if *ty == Type::TEXT => out.extend_from_slice(text.as_bytes()),
            Self::Blob(blob) if *ty == Type::BYTEA => out.extend_from_slice(blob),
            Self::Integer(_) | Self::Text(_) | Self::Blob(_) | Self::TooLarge => {
                return Err(format!("a parameter of type {ty} cannot be {self:?}").into());
            }
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl ToSql for OwnedValue {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        self.to_value().to_sql(ty, out)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Column<'a> {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Self::Integer(i64::from_be_bytes(raw.try_into()?)),
            Type::INT4 => Self::Integer(i64::from(i32::from_be_bytes(raw.try_into()?))),
            Type::BOOL => Self::Integer(i64::from(raw != [0])),
            Type::TEXT => Self::Text(raw),
            Type::BYTEA => Self::Blob(raw),
            _ => Self::Other,
        })
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_translated() {
        for (sql, translated) in [
            ("SELECT a FROM t WHERE b = ?1 LIMIT ?12", "SELECT a FROM t WHERE b = $1 LIMIT $12"),
            ("SELECT a FROM t INDEXED BY t_b WHERE b = ?1", "SELECT a FROM t  WHERE b = $1"),
            ("SELECT a FROM t INDEXED BY t_b\n     WHERE b = 1", "SELECT a FROM t      WHERE b = 1"),
            ("SELECT 1 FROM a CROSS JOIN b ON a.x = b.x", "SELECT 1 FROM a  JOIN b ON a.x = b.x"),
        ] {
            assert_eq!(translate(sql), translated);
        }
    }
}
