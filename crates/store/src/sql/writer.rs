//! The writer thread, and group commit.
//!
//! All calls that wait when the thread is free become one transaction. Each call runs in a savepoint of its own, so that the
//! rollback of one leaves the others alone, and all of them share one sync to disk. No caller gets a reply before that sync has
//! returned.
//!
//! A call that panics is rolled back like one that fails. After a failed sync the thread ends for good, and says so
//! ([`Writer::failure`]): a process that cannot write must not look healthy.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use rusqlite::{ErrorCode, ffi};
use tokio::sync::{oneshot, watch};

use super::connection::Connection;
use super::error::{SqlError, sql_error};
use super::foreign::{Detector, ForeignLog, Invalidation, Writes};
use super::priority::lower_thread_priority;
use super::value::params;
use crate::contract::{ForeignWrites, Position, StoreFailure};
use crate::error::Error;
use crate::postgres::timeline;
use crate::sqlite::BUSY_TIMEOUT;
use crate::sqlite::truncation::{Patience, Truncation, WRITERS_WAIT_MAX};

/// How often an idle writer looks for the writes of other processes on PostgreSQL. On SQLite others write rarely, and what depends
/// on it asks.
const POLL_EVERY: Duration = Duration::from_millis(25);

/// The same while PostgreSQL cannot be reached.
const RETRY_EVERY: Duration = Duration::from_millis(500);

/// How long a transaction waits for a connection to PostgreSQL: a failover takes seconds.
const RECONNECT_FOR: Duration = Duration::from_secs(10);

/// Begins a transaction on PostgreSQL. A process that hangs in the middle of it would keep all others from writing.
const BEGIN: &str =
    "BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = '10s'";

/// Bounds how long the first caller of a transaction waits for the last.
const JOBS_PER_TRANSACTION_MAX: usize = 256;

/// How a caller's work ends. The caller receives the value in both cases.
pub enum Transaction<T> {
    Commit(T),
    Rollback(T),
}

pub struct Writer {
    jobs: Option<mpsc::Sender<Request>>,
    head: watch::Receiver<Position>,
    foreign: Arc<ForeignLog>,
    failure: watch::Receiver<Option<StoreFailure>>,
    fault: Arc<Mutex<Option<WriteFault>>>,
    thread: Option<JoinHandle<()>>,
}

/// A fault to inject into the next transaction, for tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteFault {
    /// The sync of the commit fails with an input/output error.
    Sync,
    /// The disk is full.
    Full,
    /// A write fails with an input/output error.
    Write,
    /// The call panics.
    PanickingCall,
    /// The writer panics outside any call.
    PanickingWriter,
}

enum Request {
    Write(Box<dyn Job>),
    /// Looks for writes of other processes.
    Detect(oneshot::Sender<Result<ForeignWrites, Error>>),
    Truncate(Patience, oneshot::Sender<Result<(), Error>>),
    /// Work outside any transaction.
    Exclusive(fn(&Connection) -> Result<(), Error>, oneshot::Sender<Result<(), Error>>),
}

/// One caller's part of a transaction: runs once, replies once.
trait Job: Send {
    /// What it makes stale in other processes.
    fn invalidation(&self) -> Invalidation;
    /// Returns `true` to commit and `false` to roll back.
    fn run(&mut self, connection: &Connection, fault: Option<WriteFault>) -> bool;
    /// Returns the error of the database that its work failed with, if any.
    fn failure(&self) -> Option<&SqlError>;
    /// The transaction is committed, and not announced yet.
    fn announce(&mut self);
    fn reply(self: Box<Self>, committed: Result<(), Error>);
}

struct Work<T, F, A> {
    work: Option<F>,
    result: Option<Result<Transaction<T>, Error>>,
    announce: Option<A>,
    invalidation: Invalidation,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T, F, A> Job for Work<T, F, A>
where
    T: Send,
    F: FnOnce(&Connection) -> Result<Transaction<T>, Error> + Send,
    A: FnOnce(&mut T) + Send,
{
    fn invalidation(&self) -> Invalidation {
        self.invalidation
    }

    fn run(&mut self, connection: &Connection, fault: Option<WriteFault>) -> bool {
        // A panic is rolled back like an error. Statements reset themselves when they are dropped, so the connection stays sound; the
        // caller of this function checks that.
        let run = |work: F| {
            assert!(fault != Some(WriteFault::PanickingCall), "injected by a test");
            let done = work(connection)?;
            // What this call has not waited for must not fail the others.
            if matches!(done, Transaction::Commit(_)) {
                connection.flush()?;
            }
            Ok(done)
        };
        let run = |work: F| catch_unwind(AssertUnwindSafe(|| run(work))).unwrap_or(Err(Error::Panicked));
        self.result = self.work.take().map(run);
        matches!(self.result, Some(Ok(Transaction::Commit(_))))
    }

    fn failure(&self) -> Option<&SqlError> {
        match &self.result {
            Some(Err(error)) => sql_error(error),
            _ => None,
        }
    }

    fn announce(&mut self) {
        if let (Some(Ok(Transaction::Commit(value))), Some(announce)) =
            (&mut self.result, self.announce.take())
        {
            announce(value);
        }
    }

    fn reply(self: Box<Self>, committed: Result<(), Error>) {
        let answer = match (committed, self.result) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(Ok(Transaction::Commit(value) | Transaction::Rollback(value)))) => Ok(value),
            (Ok(()), Some(Err(error))) => Err(error),
            (Ok(()), None) => Err(Error::Closed),
        };
        // Fails if the caller was cancelled; its work is committed all the same.
        let _ = self.reply.send(answer);
    }
}

impl Writer {
    pub fn start(connection: Connection) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel();
        let detector = Detector::start(&connection)?;
        if let Some(postgres) = connection.postgres() {
            postgres.set_checks_timeline();
        }
        let foreign = detector.log();
        let (announce, head) = watch::channel(detector.head());
        let (fail, failure) = watch::channel(None);
        let fault: Arc<Mutex<Option<WriteFault>>> = Arc::default();
        let injected = Arc::clone(&fault);
        let thread = std::thread::Builder::new()
            .name("store-write".to_owned())
            .spawn(move || {
                let mut thread = Thread {
                    connection,
                    queue,
                    announce,
                    detector,
                    fault: injected,
                    truncation: Truncation::default(),
                    poll_at: Instant::now(),
                    is_reachable: true,
                };
                let ended = catch_unwind(AssertUnwindSafe(|| thread.serve()));
                if let Err(failure) = ended.unwrap_or(Err(StoreFailure::WriterEnded)) {
                    tracing::error!(
                        reason = failure.description(),
                        "the database accepts no more writes until the server is restarted"
                    );
                    fail.send_replace(Some(failure));
                }
                // Dropped after the announcement: a caller that is refused finds the reason.
                drop(thread);
            })
            .map_err(|source| Error::Open { path: "the thread that writes".into(), source })?;
        Ok(Self { jobs: Some(jobs), head, foreign, failure, fault, thread: Some(thread) })
    }

    /// Watches for the end of the thread.
    pub fn failure(&self) -> watch::Receiver<Option<StoreFailure>> {
        self.failure.clone()
    }

    /// Lets the next transaction fail.
    pub fn inject(&self, fault: WriteFault) {
        *self.fault.lock().unwrap_or_else(PoisonError::into_inner) = Some(fault);
    }

    pub fn head(&self) -> watch::Receiver<Position> {
        self.head.clone()
    }

    pub fn foreign(&self) -> &Arc<ForeignLog> {
        &self.foreign
    }

    /// Looks for writes of other processes.
    pub async fn detect_foreign_writes(&self) -> Result<ForeignWrites, Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Detect(reply))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Returns a function that looks for writes of other processes, for a thread outside any runtime. It keeps the writer running.
    pub fn detect_and_wait(&self) -> impl Fn() + Send + 'static {
        let jobs = self.jobs.clone();
        move || {
            let (reply, answer) = oneshot::channel();
            if jobs.as_ref().is_some_and(|jobs| jobs.send(Request::Detect(reply)).is_ok()) {
                // What fails here fails again with the next write, which has a caller to tell.
                let _ = answer.blocking_recv();
            }
        }
    }

    /// Runs work in the next transaction, and returns once that is durable.
    pub async fn run<T: Send + 'static>(
        &self,
        invalidation: Invalidation,
        work: impl FnOnce(&Connection) -> Result<Transaction<T>, Error> + Send + 'static,
    ) -> Result<T, Error> {
        self.run_announced(invalidation, work, |_| {}).await
    }

    /// Does the same. Once the transaction is durable and before anybody can know of it, `announce` is called with the result, unless
    /// the work was rolled back.
    pub async fn run_announced<T: Send + 'static>(
        &self,
        invalidation: Invalidation,
        work: impl FnOnce(&Connection) -> Result<Transaction<T>, Error> + Send + 'static,
        announce: impl FnOnce(&mut T) + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let work = Work { work: Some(work), result: None, announce: Some(announce), invalidation, reply };
        self.send(Request::Write(Box::new(work)))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Checkpoints the write-ahead log and truncates it, so that erased bytes are gone from it too. If a long reader such as a backup
    /// prevents that, it is done as soon as the reader has finished.
    pub async fn truncate_wal(&self) -> Result<(), Error> {
        self.truncate(Patience::FirstTry).await
    }

    async fn truncate(&self, patience: Patience) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Truncate(patience, reply))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Rewrites the whole database, without the deleted bytes that remain in half-empty pages.
    pub async fn compact(&self) -> Result<(), Error> {
        self.exclusively(rewrite).await?;
        let truncated = tokio::time::timeout(BUSY_TIMEOUT, self.truncate(Patience::UntilDone)).await;
        truncated.unwrap_or_else(|_| {
            let reader = "a backup or another long reader keeps old data in the write-ahead log; try again when it has ended";
            Err(Error::Unavailable(reader.into()))
        })
    }

    async fn exclusively(&self, work: fn(&Connection) -> Result<(), Error>) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Exclusive(work, reply))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Lowers the priority of the thread, for good, before its next transaction.
    pub fn lower_priority(&self) {
        let lower = |_: &Connection| {
            lower_thread_priority();
            Ok(())
        };
        // Fails if the thread has ended. No caller waits for the reply.
        let _ = self.send(Request::Exclusive(lower, oneshot::channel().0));
    }

    fn send(&self, request: Request) -> Result<(), Error> {
        self.jobs.as_ref().ok_or(Error::Closed)?.send(request).map_err(|_| Error::Closed)
    }
}

impl Drop for Writer {
    /// Finishes the waiting calls, then closes the connection.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn rewrite(connection: &Connection) -> Result<(), Error> {
    if !connection.is_postgres() {
        return Ok(connection.execute_batch("VACUUM")?);
    }
    connection.execute_batch("SET statement_timeout = 0")?;
    let rewritten = connection.execute_batch("VACUUM FULL");
    connection.execute_batch("SET statement_timeout = '60s'")?;
    Ok(rewritten?)
}

/// What the thread works with.
struct Thread {
    connection: Connection,
    queue: mpsc::Receiver<Request>,
    announce: watch::Sender<Position>,
    detector: Detector,
    fault: Arc<Mutex<Option<WriteFault>>>,
    truncation: Truncation,
    /// When to look for the writes of other processes, on PostgreSQL.
    poll_at: Instant,
    /// Whether the last look succeeded. A change is logged once.
    is_reachable: bool,
}

impl Thread {
    /// Serves calls until the last handle of the writer is dropped, or until it must not go on.
    fn serve(&mut self) -> Result<(), StoreFailure> {
        loop {
            let first = match self.next() {
                Ok(first) => first,
                Err(mpsc::RecvTimeoutError::Timeout) if self.connection.is_postgres() => {
                    self.poll()?;
                    continue;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.truncate(Duration::ZERO)?;
                    continue;
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
            };
            let mut jobs = Vec::new();
            let mut exclusive = Vec::new();
            let mut truncations = Vec::new();
            let mut detections = Vec::new();
            let waiting = self.queue.try_iter().take(JOBS_PER_TRANSACTION_MAX - 1);
            for request in std::iter::once(first).chain(waiting) {
                match request {
                    Request::Write(job) => jobs.push(job),
                    Request::Detect(reply) => detections.push(reply),
                    Request::Truncate(patience, reply) => truncations.push((patience, reply)),
                    Request::Exclusive(work, reply) => exclusive.push((work, reply)),
                }
            }
            if !jobs.is_empty() {
                self.commit_together(jobs)?;
            }
            for reply in detections {
                let noticed = detect(&self.connection, &mut self.detector);
                send_head(&self.announce, self.detector.head());
                let failure = noticed.as_ref().err().and_then(sql_error).and_then(final_failure);
                let _ = reply.send(noticed);
                if let Some(failure) = failure {
                    return Err(failure);
                }
            }
            for (work, reply) in exclusive {
                let done =
                    catch_unwind(AssertUnwindSafe(|| work(&self.connection))).unwrap_or(Err(Error::Panicked));
                let failed = done.as_ref().err().and_then(sql_error).is_some_and(is_sync_failure);
                let _ = reply.send(done);
                if failed {
                    return Err(StoreFailure::SyncFailed);
                }
            }
            if !truncations.is_empty() && self.connection.is_postgres() {
                for (_, reply) in truncations {
                    let _ = reply.send(Ok(()));
                }
            } else if !truncations.is_empty() {
                self.truncation.ask(truncations);
                self.truncate(WRITERS_WAIT_MAX)?;
            }
        }
    }

    /// Looks for the writes of other processes.
    fn poll(&mut self) -> Result<(), StoreFailure> {
        let noticed = detect(&self.connection, &mut self.detector);
        let was_reachable = std::mem::replace(&mut self.is_reachable, noticed.is_ok());
        match &noticed {
            Err(error) if was_reachable => {
                let error = error as &dyn std::error::Error;
                tracing::error!(error, "the database cannot be reached; trying again");
            }
            Ok(_) if !was_reachable => tracing::info!("the database can be reached again"),
            Err(_) | Ok(_) => {}
        }
        self.poll_at = Instant::now() + if noticed.is_ok() { POLL_EVERY } else { RETRY_EVERY };
        send_head(&self.announce, self.detector.head());
        noticed.err().as_ref().and_then(sql_error).and_then(final_failure).map_or(Ok(()), Err)
    }

    /// Waits for a call; not for longer than until a truncation or a look at other processes is due.
    fn next(&self) -> Result<Request, mpsc::RecvTimeoutError> {
        let due = if self.connection.is_postgres() { Some(self.poll_at) } else { self.truncation.due() };
        match due {
            // Checked first: on a busy server there always is a call.
            Some(at) if at <= Instant::now() => Err(mpsc::RecvTimeoutError::Timeout),
            Some(at) => self.queue.recv_timeout(at.saturating_duration_since(Instant::now())),
            None => self.queue.recv().map_err(|mpsc::RecvError| mpsc::RecvTimeoutError::Disconnected),
        }
    }

    fn truncate(&mut self, wait: Duration) -> Result<(), StoreFailure> {
        let Some(connection) = self.connection.sqlite() else { return Ok(()) };
        let failure = self.truncation.run(connection, wait).err();
        if failure.as_ref().is_some_and(is_sync_failure) { Err(StoreFailure::SyncFailed) } else { Ok(()) }
    }

    /// Runs calls in one transaction. Fails if no later transaction may run: after a failed sync the state of the disk is unknown, and a
    /// second sync may succeed without having written the lost pages. Only a restart, which reads the disk itself, can tell.
    fn commit_together(&mut self, mut jobs: Vec<Box<dyn Job>>) -> Result<(), StoreFailure> {
        let fault = self.fault.lock().unwrap_or_else(PoisonError::into_inner).take();
        assert!(fault != Some(WriteFault::PanickingWriter), "injected by a test");
        let failure = match run_and_commit(&self.connection, &mut jobs, &mut self.detector, fault) {
            Ok(position) => {
                for job in &mut jobs {
                    job.announce();
                }
                // First the head, then the replies: a caller that has its reply sees the new head.
                send_head(&self.announce, position);
                for job in jobs {
                    job.reply(Ok(()));
                }
                return Ok(());
            }
            Err(failure) => failure,
        };
        // Fails if the transaction has ended already or never began. Then there is nothing to roll back.
        let _ = self.connection.execute_batch("ROLLBACK");
        for job in jobs {
            job.reply(Err(Error::from(failure.copy())));
        }
        if let Some(failure) = final_failure(&failure) {
            return Err(failure);
        }
        // A transaction that cannot be ended would swallow all later ones.
        if self.connection.is_autocommit() { Ok(()) } else { Err(StoreFailure::WriterEnded) }
    }
}

fn send_head(announce: &watch::Sender<Position>, position: Position) {
    announce.send_if_modified(|head| std::mem::replace(head, position) != position);
}

fn detect(connection: &Connection, detector: &mut Detector) -> Result<ForeignWrites, Error> {
    if let Some(postgres) = connection.postgres() {
        postgres.ensure_connected()?;
        if postgres.is_on_new_timeline() {
            check_timeline(connection, detector)?;
        }
    }
    let reading = connection.snapshot()?;
    detector.detect(&reading)?;
    Ok(detector.log().writes())
}

/// Finds out in a transaction whether this process may use a database server that has taken over.
fn check_timeline(connection: &Connection, detector: &mut Detector) -> Result<(), SqlError> {
    let begun = begin(connection, detector);
    connection.execute_batch(if begun.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
    begun.map(drop)
}

fn run_and_commit(
    connection: &Connection,
    jobs: &mut [Box<dyn Job>],
    detector: &mut Detector,
    fault: Option<WriteFault>,
) -> Result<Position, SqlError> {
    let writes = begin(connection, detector)?;
    if let [job] = jobs {
        return run_single(connection, job, detector, writes, fault);
    }
    let mut invalidation = Invalidation::Nothing;
    for job in jobs {
        connection.execute_batch("SAVEPOINT job")?;
        let commit = job.run(connection, fault);
        if commit {
            invalidation = invalidation.max(job.invalidation());
        }
        // On a full or failing disk, SQLite rolls the whole transaction back by itself, savepoints included. Callers must get
        // that reason, not the error that a savepoint is missing.
        if connection.is_autocommit()
            && let Some(failure) = job.failure()
        {
            return Err(failure.copy());
        }
        connection.execute_batch(if commit { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" })?;
    }
    // Read before the commit, which must be the last step that can fail: after it, every caller must get a success.
    let position = last_position(connection)?;
    let writes = writes.count(connection, invalidation)?;
    commit(connection, fault)?;
    detector.committed(position, writes);
    Ok(position)
}

/// Begins a transaction and waits for its turn to write, so that the data that jobs read cannot change under them. Returns the numbers
/// of the writes before it.
fn begin(connection: &Connection, detector: &mut Detector) -> Result<Writes, SqlError> {
    let Some(postgres) = connection.postgres() else {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        detector.detect(connection)?;
        return Ok(detector.writes());
    };
    let give_up_at = Instant::now() + RECONNECT_FOR;
    loop {
        let begun = postgres.ensure_connected().and_then(|()| {
            connection.execute_batch(BEGIN)?;
            Writes::read_and_lock(connection)
        });
        match begun {
            Ok(writes) => {
                if postgres.is_on_new_timeline() {
                    timeline::check(connection, detector.writes().all, writes.all)?;
                    // What follows may be rolled back.
                    connection.execute_batch("COMMIT")?;
                    postgres.accept_timeline();
                    continue;
                }
                detector.compare(connection, writes)?;
                return Ok(writes);
            }
            // Nothing is lost by beginning again.
            Err(_) if postgres.is_lost() && Instant::now() < give_up_at => {
                postgres.pause(RETRY_EVERY.min(give_up_at.saturating_duration_since(Instant::now())));
            }
            Err(error) => return Err(error),
        }
    }
}

fn commit(connection: &Connection, fault: Option<WriteFault>) -> Result<(), SqlError> {
    let code = match fault {
        Some(WriteFault::Sync) => ffi::SQLITE_IOERR_FSYNC,
        Some(WriteFault::Full) => ffi::SQLITE_FULL,
        Some(WriteFault::Write) => ffi::SQLITE_IOERR_WRITE,
        Some(WriteFault::PanickingCall | WriteFault::PanickingWriter) | None => {
            return connection.execute_batch("COMMIT");
        }
    };
    let failure =
        rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some("injected by a test".to_owned()));
    Err(failure.into())
}

/// Runs a transaction of one job. It needs no savepoint, which would cost a copy of every page it changes.
fn run_single(
    connection: &Connection,
    job: &mut Box<dyn Job>,
    detector: &mut Detector,
    writes: Writes,
    fault: Option<WriteFault>,
) -> Result<Position, SqlError> {
    let is_committed = job.run(connection, fault);
    if connection.is_autocommit()
        && let Some(failure) = job.failure()
    {
        return Err(failure.copy());
    }
    let position = if is_committed {
        last_position(connection)?
    } else {
        connection.execute_batch("ROLLBACK")?;
        return Ok(detector.head());
    };
    let writes = writes.count(connection, job.invalidation())?;
    commit(connection, fault)?;
    detector.committed(position, writes);
    Ok(position)
}

pub fn last_position(connection: &Connection) -> Result<Position, SqlError> {
    connection
        .query_row("SELECT coalesce(max(position), 0) FROM log", params![], |row| row.get(0))
        .map(Position)
}

/// Returns the failure after which no later transaction may run, if this is one.
fn final_failure(error: &SqlError) -> Option<StoreFailure> {
    match error {
        SqlError::WritesLost => Some(StoreFailure::WritesLost),
        error => is_sync_failure(error).then_some(StoreFailure::SyncFailed),
    }
}

fn is_sync_failure(error: &SqlError) -> bool {
    let SqlError::Sqlite(rusqlite::Error::SqliteFailure(code, _)) = error else { return false };
    code.code == ErrorCode::SystemIoFailure
        && matches!(code.extended_code, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
}
