//! Observes the progress of the matcher from outside the server.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::ensure;
use store::Position;
use store::SqlStore;
use store::prelude::*;

use crate::serve::client::Client;
use crate::serve::process::Process;

/// The polling interval. Measured times are too long by at most this much, and never too short.
const EVERY: Duration = Duration::from_millis(1);

/// The time limit for the matcher.
const PATIENCE: Duration = Duration::from_secs(300);

/// Polls on its own thread and database connection.
pub struct Watch {
    thread: JoinHandle<anyhow::Result<Seen>>,
    over: Arc<AtomicBool>,
}

/// The times at which the matcher was first seen at or beyond a position.
#[derive(Debug, Default)]
pub struct Seen(Vec<(Position, Instant)>);

impl Seen {
    pub fn at(&self, position: Position) -> Option<Instant> {
        let place = self.0.partition_point(|(until, _)| *until < position);
        self.0.get(place).map(|(_, at)| *at)
    }
}

impl Watch {
    pub fn begin(folder: &Path) -> anyhow::Result<Self> {
        let store = SqlStore::open(folder)?;
        let over = Arc::new(AtomicBool::new(false));
        let is_over = Arc::clone(&over);
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let thread = std::thread::spawn(move || {
            let mut seen = Seen::default();
            loop {
                // Read the flag before the position, so that everything recorded until then is seen.
                let last_look = is_over.load(Ordering::Acquire);
                let until = runtime.block_on(store.matcher_checkpoint())?;
                if seen.0.last().is_none_or(|(last, _)| *last < until) {
                    seen.0.push((until, Instant::now()));
                }
                if last_look {
                    return Ok(seen);
                }
                pause();
            }
        });
        Ok(Self { thread, over })
    }

    pub fn end(self) -> anyhow::Result<Seen> {
        self.over.store(true, Ordering::Release);
        self.thread.join().unwrap_or_else(|_| anyhow::bail!("the watching thread panicked"))
    }
}

/// Waits until the matcher reports a position. Its checkpoint may be behind: without matches it is not written at once.
pub fn wait(server: &Process, key: &str, position: Position) -> anyhow::Result<()> {
    let begun = Instant::now();
    let mut client = Client::connect(server.address, key)?;
    loop {
        let answer = client.get("/metrics")?;
        ensure!(answer.status == 200, "{}", String::from_utf8_lossy(answer.body));
        let text = String::from_utf8_lossy(answer.body);
        let mut lines = text.lines().filter(|line| !line.starts_with('#'));
        let said = lines.find_map(|line| line.split_once("matcher_position ")?.1.trim().parse::<f64>().ok());
        if said.is_some_and(|said| said >= position.0 as f64) {
            return Ok(());
        }
        ensure!(begun.elapsed() < PATIENCE, "the matcher is at {said:?}, not at {}", position.0);
        pause();
    }
}

fn pause() {
    #[expect(clippy::disallowed_methods, reason = "another process can only be polled")]
    std::thread::sleep(EVERY);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_matched_at_the_first_position_at_or_beyond_it() {
        let begun = Instant::now();
        let at = |milliseconds| begun + Duration::from_millis(milliseconds);
        let seen = Seen(vec![(Position(10), at(0)), (Position(14), at(1)), (Position(20), at(5))]);
        assert_eq!(seen.at(Position(10)), Some(at(0)));
        assert_eq!(seen.at(Position(11)), Some(at(1)));
        assert_eq!(seen.at(Position(20)), Some(at(5)));
        assert_eq!(seen.at(Position(21)), None);
    }
}
