//! A runtime for what may wait: taking adverts in, and following the log.
//!
//! Its threads stand behind those that answer searches: where both want a core, the search gets it, and what they read is read by
//! readers of their own. Whoever sends adverts waits a little longer then, whoever searches does not; with a core to spare nobody
//! notices.

use std::future::Future;
use std::io;

use tokio::runtime::{Builder, Handle, Runtime};

use app::Error;

/// Ended in the background as well, when the last of those who share it is gone.
#[derive(Debug)]
pub struct Background(Option<Runtime>);

impl Background {
    pub fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .enable_all()
            .thread_name("background")
            .on_thread_start(store::sqlite::lower_thread_priority)
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Where to start tasks.
    pub fn handle(&self) -> Handle {
        // Only taken when this is dropped.
        self.0.as_ref().map_or_else(Handle::current, |runtime| runtime.handle().clone())
    }

    /// Does something there and waits for it. It goes on to its end even when whoever waits is gone.
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
    async fn work_is_done_elsewhere_and_a_panic_is_told() {
        let background = Background::start().unwrap();
        let name = background.run(async { std::thread::current().name().map(str::to_owned) }).await.unwrap();
        assert_eq!(name.as_deref(), Some("background"));
        let told = background.run(async { panic!("on purpose") }).await;
        assert!(matches!(told, Err(Error::Interrupted)));
    }
}
