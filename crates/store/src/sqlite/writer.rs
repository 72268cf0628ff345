//! The one thread that writes, and group commit.
//!
//! Whatever waits when the thread is free becomes one transaction: each caller's work runs in a savepoint of its own, so
//! that one caller's conflict undoes nobody else's work, and all of them wait for the same sync to disk. Nobody is told
//! anything before that sync has returned.

use std::sync::mpsc;
use std::thread::JoinHandle;

use rusqlite::{Connection, ErrorCode, ffi};
use tokio::sync::{oneshot, watch};

use super::behind;
use crate::error::Error;
use crate::log::Position;

/// The most callers one transaction serves: bounds how long the first of them waits for the last.
const JOBS_PER_TRANSACTION_MAX: usize = 256;

/// What a caller's work wants to become of what it wrote.
pub enum Verdict<T> {
    Keep(T),
    /// Undo it; the caller is told nonetheless.
    Undo(T),
}

pub struct Writer {
    jobs: Option<mpsc::Sender<Request>>,
    head: watch::Receiver<Position>,
    thread: Option<JoinHandle<()>>,
}

enum Request {
    Write(Box<dyn Job>),
    /// Work outside any transaction.
    Alone(fn(&Connection) -> Result<(), Error>, oneshot::Sender<Result<(), Error>>),
}

/// One caller's part of a transaction: run once, told once what became of it.
trait Job: Send {
    /// Answers whether what it wrote shall stay.
    fn run(&mut self, connection: &Connection) -> bool;
    /// The database's error, if that is what its work ended with.
    fn failure(&self) -> Option<&rusqlite::Error>;
    fn tell(self: Box<Self>, committed: Result<(), Error>);
}

struct Work<T, F> {
    work: Option<F>,
    result: Option<Result<Verdict<T>, Error>>,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<Verdict<T>, Error> + Send> Job for Work<T, F> {
    fn run(&mut self, connection: &Connection) -> bool {
        self.result = self.work.take().map(|work| work(connection));
        matches!(self.result, Some(Ok(Verdict::Keep(_))))
    }

    fn failure(&self) -> Option<&rusqlite::Error> {
        match &self.result {
            Some(Err(Error::CannotWrite(error) | Error::Unavailable(error))) => Some(error),
            _ => None,
        }
    }

    fn tell(self: Box<Self>, committed: Result<(), Error>) {
        let answer = match (committed, self.result) {
            (Err(error), _) => Err(error),
            (Ok(()), Some(Ok(Verdict::Keep(value) | Verdict::Undo(value)))) => Ok(value),
            (Ok(()), Some(Err(error))) => Err(error),
            (Ok(()), None) => Err(Error::Closed),
        };
        // A caller that was cancelled does not listen; what it asked for happened all the same.
        let _ = self.reply.send(answer);
    }
}

impl Writer {
    pub fn start(connection: Connection) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel();
        let (announce, head) = watch::channel(last_position(&connection)?);
        let thread = std::thread::Builder::new()
            .name("store-write".to_owned())
            .spawn(move || {
                behind::become_background();
                serve(&connection, &queue, &announce);
            })
            .map_err(|source| Error::Open { path: super::FILE_NAME.into(), source })?;
        Ok(Self { jobs: Some(jobs), head, thread: Some(thread) })
    }

    pub fn head(&self) -> watch::Receiver<Position> {
        self.head.clone()
    }

    /// Runs work in the next transaction and answers when that is durable.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<Verdict<T>, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Write(Box::new(Work { work: Some(work), result: None, reply })))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    /// Moves everything out of the write-ahead log and empties it, so that erased bytes are gone from there too.
    pub async fn forget_old_pages(&self) -> Result<(), Error> {
        self.alone(truncate_log).await
    }

    /// Writes the whole database anew, without the leftovers that deleting leaves in half-empty pages.
    pub async fn compact(&self) -> Result<(), Error> {
        self.alone(|connection| Ok(connection.execute_batch("VACUUM")?)).await?;
        self.forget_old_pages().await
    }

    async fn alone(&self, work: fn(&Connection) -> Result<(), Error>) -> Result<(), Error> {
        let (reply, answer) = oneshot::channel();
        self.send(Request::Alone(work, reply))?;
        answer.await.map_err(|_| Error::Closed)?
    }

    fn send(&self, request: Request) -> Result<(), Error> {
        self.jobs.as_ref().ok_or(Error::Closed)?.send(request).map_err(|_| Error::Closed)
    }
}

impl Drop for Writer {
    /// Finishes what waits, then closes the connection.
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn serve(connection: &Connection, queue: &mpsc::Receiver<Request>, announce: &watch::Sender<Position>) {
    while let Ok(first) = queue.recv() {
        let mut jobs = Vec::new();
        let mut alone = Vec::new();
        for request in std::iter::once(first).chain(queue.try_iter().take(JOBS_PER_TRANSACTION_MAX - 1)) {
            match request {
                Request::Write(job) => jobs.push(job),
                Request::Alone(work, reply) => alone.push((work, reply)),
            }
        }
        if !jobs.is_empty() {
            match commit_together(connection, jobs, announce) {
                Health::Good => {}
                // After a failed sync nobody knows what is on disk, and asking again would lie. Only a fresh start, which
                // reads the disk itself, can tell: every caller from here on is told that the store is closed.
                Health::SyncFailed => {
                    tracing::error!("a sync to disk failed; the store takes no more writes until a restart");
                    return;
                }
            }
        }
        for (work, reply) in alone {
            let _ = reply.send(work(connection));
        }
    }
}

enum Health {
    Good,
    SyncFailed,
}

fn commit_together(
    connection: &Connection,
    mut jobs: Vec<Box<dyn Job>>,
    announce: &watch::Sender<Position>,
) -> Health {
    let failure = match run_and_commit(connection, &mut jobs) {
        Ok(position) => {
            // First the head, then the answers: whoever was answered finds the head there already.
            announce.send_if_modified(|head| std::mem::replace(head, position) != position);
            for job in jobs {
                job.tell(Ok(()));
            }
            return Health::Good;
        }
        Err(failure) => failure,
    };
    // The transaction may be over already, or never have begun; then there is nothing to roll back and that is fine.
    let _ = connection.execute_batch("ROLLBACK");
    for job in jobs {
        job.tell(Err(Error::from(copy_of(&failure))));
    }
    if is_sync_failure(&failure) { Health::SyncFailed } else { Health::Good }
}

fn run_and_commit(connection: &Connection, jobs: &mut [Box<dyn Job>]) -> Result<Position, rusqlite::Error> {
    // Immediate: the write lock is taken first, so that what jobs read cannot change under them.
    connection.execute_batch("BEGIN IMMEDIATE")?;
    if let [job] = jobs {
        return run_alone(connection, job);
    }
    for job in jobs {
        connection.execute_batch("SAVEPOINT job")?;
        let keep = job.run(connection);
        // A full or failing disk makes the database roll the whole transaction back by itself, savepoints and all. The
        // reason is what everybody is owed, not that a savepoint is missing.
        if connection.is_autocommit()
            && let Some(failure) = job.failure()
        {
            return Err(copy_of(failure));
        }
        connection.execute_batch(if keep { "RELEASE job" } else { "ROLLBACK TO job; RELEASE job" })?;
    }
    // Read before the commit, which is the last thing that can fail: after it, everybody must be told that it succeeded.
    let position = last_position(connection)?;
    connection.execute_batch("COMMIT")?;
    Ok(position)
}

/// A caller that shares its transaction with nobody needs no savepoint, which would cost a copy of every page it changes.
fn run_alone(connection: &Connection, job: &mut Box<dyn Job>) -> Result<Position, rusqlite::Error> {
    let keep = job.run(connection);
    if connection.is_autocommit()
        && let Some(failure) = job.failure()
    {
        return Err(copy_of(failure));
    }
    let position = if keep {
        last_position(connection)?
    } else {
        connection.execute_batch("ROLLBACK")?;
        return last_position(connection);
    };
    connection.execute_batch("COMMIT")?;
    Ok(position)
}

fn last_position(connection: &Connection) -> Result<Position, rusqlite::Error> {
    connection.query_row("SELECT coalesce(max(position), 0) FROM log", [], |row| row.get(0)).map(Position)
}

fn truncate_log(connection: &Connection) -> Result<(), Error> {
    // Busy readers can keep the log from being emptied; the next checkpoint does it then, so that is not an error.
    connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

fn is_sync_failure(error: &rusqlite::Error) -> bool {
    let rusqlite::Error::SqliteFailure(code, _) = error else { return false };
    code.code == ErrorCode::SystemIoFailure
        && matches!(code.extended_code, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
}

/// Database errors cannot be cloned, and every caller of a failed transaction is owed the reason.
fn copy_of(error: &rusqlite::Error) -> rusqlite::Error {
    match error {
        rusqlite::Error::SqliteFailure(code, message) => {
            rusqlite::Error::SqliteFailure(*code, message.clone())
        }
        other => rusqlite::Error::ToSqlConversionFailure(other.to_string().into()),
    }
}
