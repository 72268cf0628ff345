//! A pool of threads that read, each with a connection of its own.
//!
//! Look-ups of single records wait in a queue of their own, and one thread serves nothing else: a request that needs one record does
//! not wait for another one that decodes thousands. Both queues are bounded, a job whose caller has gone away is dropped before it
//! runs, and a job that panics fails alone.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use tokio::sync::oneshot;

use super::priority::{Priority, lower_thread_priority};
use crate::error::Error;
use crate::sql::Connection;

/// The jobs that may wait in one queue. A server admits about as many requests (`limits.requests_max`), so a full queue means that
/// the disk is far too slow for them.
const WAITING_MAX: usize = 2_000;

/// What a job reads, and so which queue it waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadKind {
    /// A record or a few, found by an index.
    Lookup,
    /// Everything else: pages, lists, scans.
    Bulk,
}

impl ReadKind {
    /// Returns the kind of a read of this many records by id.
    pub const fn of_count(records: usize) -> Self {
        if records <= 1 { Self::Lookup } else { Self::Bulk }
    }
}

/// One caller's read: runs once, replies once.
trait Job: Send {
    /// Returns `true` if no caller waits for the result any more.
    fn is_abandoned(&self) -> bool;
    fn run(self: Box<Self>, connection: &Connection);
}

struct Read<T, F> {
    work: F,
    reply: oneshot::Sender<Result<T, Error>>,
}

impl<T: Send, F: FnOnce(&Connection) -> Result<T, Error> + Send> Job for Read<T, F> {
    fn is_abandoned(&self) -> bool {
        self.reply.is_closed()
    }

    fn run(self: Box<Self>, connection: &Connection) {
        let Self { work, reply } = *self;
        if let Some(postgres) = connection.postgres()
            && let Err(error) = postgres.ensure_connected()
        {
            let _ = reply.send(Err(error.into()));
            return;
        }
        let result = catch_unwind(AssertUnwindSafe(|| work(connection))).unwrap_or_else(|_panic| {
            tracing::error!("a read of the store panicked; please report this defect with the lines above");
            // A transaction that is left open would show the next job an old state.
            if !connection.is_autocommit() {
                let _ = connection.execute_batch("ROLLBACK");
            }
            Err(Error::Panicked)
        });
        // Fails if the caller was cancelled; then the result is not needed.
        let _ = reply.send(result);
    }
}

/// The jobs that wait.
#[derive(Default)]
struct Waiting {
    lookups: VecDeque<Box<dyn Job>>,
    bulk: VecDeque<Box<dyn Job>>,
    is_closed: bool,
}

impl Waiting {
    fn of_kind(&mut self, kind: ReadKind) -> &mut VecDeque<Box<dyn Job>> {
        match kind {
            ReadKind::Lookup => &mut self.lookups,
            ReadKind::Bulk => &mut self.bulk,
        }
    }

    fn add(&mut self, kind: ReadKind, job: Box<dyn Job>) -> Result<(), Error> {
        if self.is_closed {
            return Err(Error::Closed);
        }
        let jobs = self.of_kind(kind);
        if jobs.len() >= WAITING_MAX {
            jobs.retain(|job| !job.is_abandoned());
        }
        if jobs.len() >= WAITING_MAX {
            return Err(Error::Busy { waiting_max: WAITING_MAX });
        }
        jobs.push_back(job);
        Ok(())
    }

    /// Takes the next job that a caller still waits for.
    fn take(&mut self, kind: ReadKind) -> Option<Box<dyn Job>> {
        let jobs = self.of_kind(kind);
        std::iter::from_fn(|| jobs.pop_front()).find(|job| !job.is_abandoned())
    }
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    /// Wakes one of the threads that read anything.
    any_arrived: Condvar,
    /// Wakes the thread that only looks up records.
    lookup_arrived: Condvar,
}

impl Queue {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a job and wakes a thread that takes it.
    fn add(&self, kind: ReadKind, job: Box<dyn Job>) -> Result<(), Error> {
        self.lock().add(kind, job)?;
        // If no thread waits there, each of them looks for a job when it has finished its own.
        self.any_arrived.notify_one();
        if kind == ReadKind::Lookup {
            self.lookup_arrived.notify_one();
        }
        Ok(())
    }

    fn close(&self) {
        self.lock().is_closed = true;
        self.any_arrived.notify_all();
        self.lookup_arrived.notify_all();
    }

    /// Waits for the next job of the first of `kinds` that has one. Returns `None` when the pool closes.
    fn next(&self, kinds: &[ReadKind]) -> Option<Box<dyn Job>> {
        let arrived = if kinds.contains(&ReadKind::Bulk) { &self.any_arrived } else { &self.lookup_arrived };
        let mut waiting = self.lock();
        loop {
            if waiting.is_closed {
                return None;
            }
            if let Some(job) = kinds.iter().find_map(|kind| waiting.take(*kind)) {
                return Some(job);
            }
            waiting = arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

pub struct Readers {
    queue: Arc<Queue>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts `count` threads that read anything and one that only looks up records, each with a connection from `open`.
    pub fn start(
        name: &str,
        count: usize,
        priority: Priority,
        open: impl Fn() -> Result<Connection, Error>,
    ) -> Result<Self, Error> {
        let mut readers = Self { queue: Arc::default(), threads: Vec::with_capacity(count + 1) };
        for number in 0..=count {
            // Those that read anything prefer what the other one never takes, so neither queue starves.
            let kinds: &[ReadKind] =
                if number == count { &[ReadKind::Lookup] } else { &[ReadKind::Bulk, ReadKind::Lookup] };
            let (connection, queue) = (open()?, Arc::clone(&readers.queue));
            let work = move || {
                if priority == Priority::Background {
                    lower_thread_priority();
                }
                while let Some(job) = queue.next(kinds) {
                    job.run(&connection);
                }
            };
            let name = format!("{name}-{number}");
            let thread = std::thread::Builder::new()
                .name(name)
                .spawn(work)
                .map_err(|source| Error::Open { path: "a thread that reads".into(), source })?;
            readers.threads.push(thread);
        }
        Ok(readers)
    }

    pub async fn run<T: Send + 'static>(
        &self,
        kind: ReadKind,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        self.queue.add(kind, Box::new(Read { work, reply }))?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.queue.close();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::pin::Pin;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::mpsc;
    use std::task::{Context, Poll, Waker};

    use super::*;

    /// Polls a read once, which puts its job into the queue.
    fn poll<F: Future>(read: &mut Pin<Box<F>>) -> Poll<F::Output> {
        read.as_mut().poll(&mut Context::from_waker(Waker::noop()))
    }

    fn readers(count: usize) -> Readers {
        let open = || Ok(Connection::Sqlite(rusqlite::Connection::open_in_memory()?));
        Readers::start("test-read", count, Priority::Foreground, open).unwrap()
    }

    /// Starts a job that runs until the returned sender is dropped. Returns when it runs.
    async fn blocked(readers: &Arc<Readers>) -> (mpsc::Sender<()>, tokio::task::JoinSet<()>) {
        let (release, released) = mpsc::channel::<()>();
        let (began, begun) = oneshot::channel();
        let pool = Arc::clone(readers);
        let mut tasks = tokio::task::JoinSet::new();
        tasks.spawn(async move {
            let work = move |_: &Connection| {
                began.send(()).unwrap();
                let _ = released.recv();
                Ok(())
            };
            pool.run(ReadKind::Bulk, work).await.unwrap();
        });
        begun.await.unwrap();
        (release, tasks)
    }

    #[tokio::test]
    async fn panic_fails_one_read_and_its_thread_lives_on() {
        let readers = readers(1);
        for kind in [ReadKind::Lookup, ReadKind::Bulk] {
            let panicking = |connection: &Connection| -> Result<(), Error> {
                connection.execute_batch("BEGIN").unwrap();
                panic!("on purpose")
            };
            for _ in 0..3 {
                assert!(matches!(readers.run(kind, panicking).await, Err(Error::Panicked)));
            }
            let outside = readers.run(kind, |connection| Ok(connection.is_autocommit())).await.unwrap();
            assert!(outside, "a transaction was left open");
        }
    }

    #[tokio::test]
    async fn lookups_do_not_wait_for_bulk_reads() {
        let readers = Arc::new(readers(2));
        let first = blocked(&readers).await;
        let second = blocked(&readers).await;
        assert_eq!(readers.run(ReadKind::Lookup, |_| Ok(7)).await.unwrap(), 7);
        drop((first.0, second.0));
        assert_eq!(readers.run(ReadKind::Bulk, |_| Ok(8)).await.unwrap(), 8);
    }

    #[tokio::test]
    async fn reads_of_callers_that_went_away_do_not_run() {
        let readers = Arc::new(readers(1));
        let (release, mut tasks) = blocked(&readers).await;
        let ran = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&ran);
        let mut abandoned = Box::pin(readers.run(ReadKind::Bulk, move |_| {
            seen.store(true, Ordering::SeqCst);
            Ok(())
        }));
        assert!(poll(&mut abandoned).is_pending());
        drop(abandoned);
        drop(release);
        tasks.join_next().await.unwrap().unwrap();
        readers.run(ReadKind::Bulk, |_| Ok(())).await.unwrap();
        assert!(!ran.load(Ordering::SeqCst));
    }

    #[tokio::test]
    async fn full_queue_refuses_and_makes_room_for_live_callers() {
        let readers = Arc::new(readers(1));
        let (release, _tasks) = blocked(&readers).await;
        let mut waiting: Vec<_> =
            (0..WAITING_MAX).map(|_| Box::pin(readers.run(ReadKind::Bulk, |_| Ok(())))).collect();
        for read in &mut waiting {
            assert!(poll(read).is_pending());
        }
        assert!(matches!(readers.run(ReadKind::Bulk, |_| Ok(())).await, Err(Error::Busy { .. })));
        drop(waiting.pop());
        let mut last = Box::pin(readers.run(ReadKind::Bulk, |_| Ok(())));
        assert!(poll(&mut last).is_pending());
        drop(release);
        last.await.unwrap();
        for read in waiting {
            read.await.unwrap();
        }
    }
}
