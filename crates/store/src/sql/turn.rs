//! Processes take turns with grouping, on PostgreSQL.
//!
//! A batch of adverts is compared with the whole stock before it is committed, and conflicts if another process has changed properties
//! meanwhile ([`ChangeSet::grouped_at`](crate::contract::ChangeSet)). Processes that ingest at the same time would make each other
//! start over again and again, so they take turns, by a lock of the database, which lets them in one after the other. All batches of
//! a process share its turn. Before they begin, the writer looks for what others have written.
//!
//! A turn only saves work. A process that cannot get it, or loses it with its connection, goes on without, and conflicts as before.

use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

use super::connection::Connection;
use super::priority::lower_thread_priority;
use super::value::params;
use crate::contract::GroupingTurn;
use crate::error::Error;

/// How long batches may enter a turn after it began, whether other processes wait for theirs or not.
const ENTER_FOR: Duration = Duration::from_millis(100);

/// Begins a turn. A process that hangs during its turn loses it after ten seconds, and another one waits for it no longer than that.
const BEGIN: &str =
    "BEGIN; SET LOCAL lock_timeout = '10s'; SET LOCAL idle_in_transaction_session_timeout = '10s'";

/// "Vigt" in ASCII. Held until the transaction ends.
const LOCK: &str = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1449748340)) AS lock";

enum Request {
    Enter(oneshot::Sender<GroupingTurn>),
    Leave,
    End,
}

/// The thread that waits for turns.
pub struct Turns {
    requests: mpsc::Sender<Request>,
    thread: Option<JoinHandle<()>>,
}

impl Turns {
    /// Starts the thread. `detect` looks for the writes of other processes.
    pub fn start(connection: Connection, detect: impl Fn() + Send + 'static) -> Result<Self, Error> {
        let (requests, queue) = mpsc::channel();
        let leave = requests.clone();
        let thread = std::thread::Builder::new()
            .name("store-turn".to_owned())
            .spawn(move || {
                lower_thread_priority();
                Thread { connection, queue, leave, waiting: Vec::new(), inside: 0, began_at: None }
                    .serve(detect);
            })
            .map_err(|source| Error::Open { path: "the thread that waits for turns".into(), source })?;
        Ok(Self { requests, thread: Some(thread) })
    }

    /// Waits for a turn of this process.
    pub async fn enter(&self) -> Result<GroupingTurn, Error> {
        let (reply, answer) = oneshot::channel();
        self.requests.send(Request::Enter(reply)).map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        let _ = self.requests.send(Request::End);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

struct Thread {
    connection: Connection,
    queue: mpsc::Receiver<Request>,
    leave: mpsc::Sender<Request>,
    waiting: Vec<oneshot::Sender<GroupingTurn>>,
    /// How many batches are in the turn.
    inside: usize,
    /// When the turn of this process began, unless it has ended.
    began_at: Option<Instant>,
}

impl Thread {
    fn serve(&mut self, detect: impl Fn()) {
        while let Ok(first) = self.queue.recv() {
            for request in std::iter::once(first).chain(self.queue.try_iter()) {
                match request {
                    Request::Enter(reply) => self.waiting.push(reply),
                    Request::Leave => self.inside -= 1,
                    Request::End => return,
                }
            }
            let is_over = self.began_at.is_some_and(|began_at| began_at.elapsed() > ENTER_FOR);
            if self.inside == 0 && self.began_at.is_some() && (is_over || self.waiting.is_empty()) {
                self.end();
            }
            if self.began_at.is_none() && !self.waiting.is_empty() {
                self.begin();
                detect();
                self.began_at = Some(Instant::now());
                self.let_in();
            } else if !is_over {
                self.let_in();
            }
        }
    }

    /// Waits for the turn of this process.
    fn begin(&self) {
        let begun = self
            .connection
            .execute_batch(BEGIN)
            .and_then(|()| self.connection.prepare_cached(LOCK)?.exists(params![]));
        if let Err(error) = begun {
            tracing::debug!(error = &error as &dyn std::error::Error, "ingesting without a turn");
            self.roll_back();
        }
    }

    fn end(&mut self) {
        self.began_at = None;
        if !self.connection.is_autocommit() {
            self.roll_back();
        }
    }

    /// A connection that was lost has given the turn up, and is opened again before the next one.
    fn roll_back(&self) {
        let _ = self.connection.execute_batch("ROLLBACK");
    }

    fn let_in(&mut self) {
        for reply in self.waiting.drain(..) {
            let leave = self.leave.clone();
            self.inside += 1;
            // If the caller is gone, the turn is dropped here, and left.
            let _ = reply.send(GroupingTurn::new(move || {
                let _ = leave.send(Request::Leave);
            }));
        }
    }
}
