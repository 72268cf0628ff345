//! How the workers of this process fare: a worker that stands still must not look healthy.
//!
//! A follower stands still if the log has entries that it has not processed, and it has processed none for a minute; any worker does
//! once its loop has ended. A slow follower that makes progress does not.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use domain::Timestamp;
use futures_util::FutureExt;
use store::Position;
use tokio_util::sync::CancellationToken;

use crate::App;

/// Longer than any batch of a follower takes on a busy disk, and short enough that an operator learns of it in time.
pub const STALLED_AFTER: Duration = Duration::from_secs(60);

/// The workers of a process, by name.
#[derive(Debug, Default)]
pub(crate) struct Workers {
    states: Mutex<BTreeMap<&'static str, WorkerState>>,
}

#[derive(Debug, Clone, Copy, Default)]
struct WorkerState {
    failures: u64,
    has_ended: bool,
    following: Option<Following>,
}

#[derive(Debug, Clone, Copy)]
struct Following {
    /// `None` until what the follower needs is loaded.
    position: Option<Position>,
    /// When it last processed entries, or found none.
    worked_at: Timestamp,
}

/// How one worker fares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkerHealth {
    pub name: &'static str,
    /// It stands still, and an operator should look at the log.
    pub is_stalled: bool,
    /// How often it failed or panicked since the process started. It retries.
    pub failures: u64,
}

impl Workers {
    fn change(&self, name: &'static str, change: impl FnOnce(&mut WorkerState)) {
        let mut states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        change(states.entry(name).or_default());
    }

    /// Records that a follower starts.
    pub fn started(&self, name: &'static str, now: Timestamp) {
        let following = Some(Following { position: None, worked_at: now });
        self.change(name, |state| *state = WorkerState { following, ..*state });
    }

    /// Records that a follower processed entries up to a position, or found none.
    pub fn worked(&self, name: &'static str, position: Option<Position>, now: Timestamp) {
        self.change(name, |state| state.following = Some(Following { position, worked_at: now }));
    }

    pub fn failed(&self, name: &'static str) {
        self.change(name, |state| state.failures += 1);
    }

    /// Records that the loop of a worker ended although the process goes on.
    pub fn ended(&self, name: &'static str) {
        self.change(name, |state| state.has_ended = true);
    }

    /// Returns the position of the follower that is furthest behind: the start if one is still loading what it needs, and the last
    /// possible one if there is none.
    pub fn slowest_position(&self) -> Position {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let positions = states.values().filter_map(|state| state.following);
        let positions = positions.map(|following| following.position.unwrap_or(Position::START));
        positions.min().unwrap_or(Position(u64::MAX))
    }

    fn health(&self, head: Position, now: Timestamp) -> Vec<WorkerHealth> {
        let states = self.states.lock().unwrap_or_else(PoisonError::into_inner);
        let health = |(name, state): (&&'static str, &WorkerState)| {
            let stands_still = state.following.is_some_and(|Following { position, worked_at }| {
                let since = Duration::try_from(now.duration_since(worked_at)).unwrap_or_default();
                position.is_none_or(|position| position < head) && since >= STALLED_AFTER
            });
            WorkerHealth { name, is_stalled: state.has_ended || stands_still, failures: state.failures }
        };
        states.iter().map(health).collect()
    }
}

impl App {
    /// Returns how the workers of this process fare.
    pub fn worker_health(&self) -> Vec<WorkerHealth> {
        self.workers.health(*self.store.head().borrow(), self.clock.now())
    }

    /// Records that a worker failed to start, or ended although the process goes on.
    pub fn worker_ended(&self, name: &'static str) {
        self.workers.ended(name);
    }

    /// Runs a worker, and takes note if it ends before `stop` is cancelled, by a panic for example.
    pub async fn supervise(
        self,
        name: &'static str,
        stop: CancellationToken,
        work: impl Future<Output = ()>,
    ) {
        let ended = AssertUnwindSafe(work).catch_unwind().await;
        if ended.is_err() || !stop.is_cancelled() {
            self.workers.ended(name);
            tracing::error!(worker = name, "a worker ended unexpectedly; restart the server");
        }
    }
}

#[cfg(test)]
mod tests {
    use testkit::build::at;

    use super::*;

    fn stalled(workers: &Workers, head: u64, second: i64) -> bool {
        let health = workers.health(Position(head), at(second));
        assert_eq!(health.len(), 1);
        health[0].is_stalled
    }

    #[test]
    fn a_follower_that_stands_still_is_stalled_until_it_moves() {
        let workers = Workers::default();
        workers.started("matcher", at(1_000));
        assert!(!stalled(&workers, 5, 1_059), "it is loading");
        assert!(stalled(&workers, 5, 1_060), "it never came to work");
        workers.worked("matcher", Some(Position(5)), at(1_061));
        assert!(!stalled(&workers, 5, 9_000), "nothing to do");
        assert!(stalled(&workers, 6, 9_000), "one entry waits for too long");
        workers.failed("matcher");
        assert!(stalled(&workers, 6, 9_000));
        workers.worked("matcher", Some(Position(6)), at(9_001));
        assert!(!stalled(&workers, 7, 9_002), "it moves");
        assert_eq!(workers.health(Position(7), at(9_002))[0].failures, 1);
    }

    #[tokio::test]
    async fn a_worker_that_ends_or_panics_is_stalled() {
        let (app, _folder) = crate::search::tests::app_without_workers();
        let stop = CancellationToken::new();
        app.clone().supervise("one", stop.clone(), async {}).await;
        app.clone().supervise("other", stop.clone(), async { panic!("on purpose") }).await;
        stop.cancel();
        app.clone().supervise("third", stop, async {}).await;
        let names: Vec<_> =
            app.worker_health().into_iter().filter(|it| it.is_stalled).map(|it| it.name).collect();
        assert_eq!(names, ["one", "other"]);
    }
}
