//! A pool of threads that read, each with a connection of its own.

use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rusqlite::Connection;
use tokio::sync::oneshot;

use super::priority::{Priority, lower_thread_priority};
use crate::error::Error;

type Job = Box<dyn FnOnce(&Connection) + Send>;

pub struct Readers {
    jobs: Option<mpsc::Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
}

impl Readers {
    /// Starts `count` threads, each with a connection from `open`.
    pub fn start(
        name: &str,
        count: usize,
        priority: Priority,
        open: impl Fn() -> Result<Connection, Error>,
    ) -> Result<Self, Error> {
        let (jobs, queue) = mpsc::channel::<Job>();
        let queue = Arc::new(Mutex::new(queue));
        let mut threads = Vec::with_capacity(count);
        for number in 0..count {
            let (connection, queue) = (open()?, Arc::clone(&queue));
            let work = move || {
                if priority == Priority::Background {
                    lower_thread_priority();
                }
                loop {
                    // The lock is held only while the thread waits for its next job, never while it reads.
                    let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
                    match job {
                        Ok(job) => job(&connection),
                        Err(mpsc::RecvError) => return,
                    }
                }
            };
            let name = format!("{name}-{number}");
            let thread = std::thread::Builder::new()
                .name(name)
                .spawn(work)
                .map_err(|source| Error::Open { path: connection_path(), source })?;
            threads.push(thread);
        }
        Ok(Self { jobs: Some(jobs), threads })
    }

    pub async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Error> + Send + 'static,
    ) -> Result<T, Error> {
        let (reply, answer) = oneshot::channel();
        let job: Job = Box::new(move |connection| {
            // Fails if the caller was cancelled; then the result is not needed.
            let _ = reply.send(work(connection));
        });
        self.jobs.as_ref().ok_or(Error::Closed)?.send(job).map_err(|_| Error::Closed)?;
        answer.await.map_err(|_| Error::Closed)?
    }
}

fn connection_path() -> std::path::PathBuf {
    super::FILE_NAME.into()
}

impl Drop for Readers {
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}
