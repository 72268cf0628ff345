//! A second runtime with low-priority threads, for ingest and for followers of the change log.
//!
//! Where both want a core, threads that answer searches win. Background work also reads through its own pool of store readers.
//! Ingest gets slower under load, searches do not; with a spare core the difference does not show.
//!
//! An import does in it what it does ahead of its commits.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

use app::Error;

/// Shut down without waiting when the last clone of the shared state is dropped.
#[derive(Debug)]
pub struct Background(Option<Runtime>);

impl Background {
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("background")
            .on_thread_start(store::lower_thread_priority)
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Returns a handle to spawn tasks on this runtime.
    pub fn handle(&self) -> Handle {
        // `None` only during drop.
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }

    /// Runs `work` on this runtime and waits for it. The work runs to completion even if the caller is dropped.
    pub async fn run<T: Send + 'static>(
        &self,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Error> {
        self.handle().spawn(work).await.map_err(|_panicked| Error::Interrupted)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_runs_on_background_threads_and_a_panic_is_an_error() {
        let background = Background::start().unwrap();
        let name = background.run(async { std::thread::current().name().map(str::to_owned) }).await.unwrap();
        assert_eq!(name.as_deref(), Some("background"));
        let panicked = background.run(async { panic!("on purpose") }).await;
        assert!(matches!(panicked, Err(Error::Interrupted)));
    }
}
