//! Brings what is owed: makes deliveries of notices, attempts those that are due, and records what came of it.
//!
//! Woken by what the matcher records, by attempts that end, by the next that is due, and four times a second for what other
//! processes changed. An attempt is made under a lease that is taken first and settled afterwards, and no transaction is open
//! meanwhile: a crash between the two leaves a delivery whose lease runs out, and which is attempted again with the same id and the
//! same bytes.

mod email;
mod enqueue;
mod message;
mod record;
mod round;
mod schedule;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{DeliveryEpoch, Timestamp};
use store::{Lane, Leases, Position};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dispatch::Dispatch;
use crate::{App, Error};
use record::Recorder;
use round::Ended;
use schedule::Schedule;

/// How many lanes have their turn together. Whoever is due waits for the whole round.
const LANES_PER_ROUND: usize = 64;

/// How often to look for what other processes changed.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How long to wait after a failure: it is most likely the disk's, and will be there for a while.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How often all lanes are gone through, a few at a time, in case something was put there by others.
const SURVEY_EVERY: Duration = Duration::from_secs(1);
const LANES_PER_SURVEY: usize = 2_000;

/// How often leases are looked for that have run out.
const TEND_EVERY: Duration = Duration::from_secs(5);

/// How many leases are taken back in one transaction.
const TAKEN_BACK_AT_ONCE: usize = 1_000;

/// The worker.
pub struct Dispatcher {
    app: App,
    dispatch: Arc<Dispatch>,
    schedule: Schedule,
    attempts: TaskTracker,
    /// Cancelled when no more attempts are to be begun.
    stopping: CancellationToken,
    recorder: Recorder,
    ended: (mpsc::UnboundedSender<Ended>, mpsc::UnboundedReceiver<Ended>),
    noted: mpsc::UnboundedReceiver<(Lane, Timestamp)>,
    /// How far the matcher of this process has come.
    matched: Option<watch::Receiver<Option<Position>>>,
    /// When notices were last looked for, and whether there were more.
    looked: Option<(Instant, bool)>,
    begun: bool,
    /// A number for each claim; random, so that no other process ever has the same.
    next_claim: u64,
    scan: Scan,
    tended_at: Option<Timestamp>,
    /// Lanes that nothing can be done with, and until when they are left alone.
    left_alone: HashMap<Lane, Timestamp>,
    /// Lanes whose first deliveries are behind what is under way: others may be further on.
    crowded: HashSet<Lane>,
}

/// How far the walk through all lanes has come.
#[derive(Default)]
struct Scan {
    after: Option<Lane>,
    at: Option<Timestamp>,
}

/// Brings what is owed until told to stop, then waits for what is under way.
pub async fn run(mut dispatcher: Dispatcher, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match dispatcher.run_once().await {
            Ok(true) => {}
            Ok(false) => dispatcher.wait(&stop).await,
            Err(error) => {
                tracing::error!(
                    worker = "dispatcher",
                    error = &error as &dyn std::error::Error,
                    "a worker failed and will try again"
                );
                let _ = tokio::time::timeout(RETRY_AFTER, stop.cancelled()).await;
            }
        }
    }
    dispatcher.finish().await;
}

impl Dispatcher {
    /// A worker for what a service owes; nothing when the service brings nothing.
    pub fn new(app: &App) -> Result<Option<Self>, Error> {
        let Some(dispatch) = &app.dispatch else { return Ok(None) };
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        let (note, noted) = mpsc::unbounded_channel();
        let attempts = TaskTracker::new();
        Ok(Some(Self {
            app: app.background(),
            dispatch: Arc::clone(dispatch),
            schedule: Schedule::new(dispatch.settings.limits),
            recorder: Recorder::start(app, dispatch, note, &attempts),
            attempts,
            stopping: CancellationToken::new(),
            ended: mpsc::unbounded_channel(),
            noted,
            matched: app.matching.as_ref().map(|matching| matching.watch()),
            looked: None,
            begun: false,
            // Half of the range, so that counting on never runs over what the store can keep.
            next_claim: u64::from_be_bytes(random) >> 2,
            scan: Scan::default(),
            tended_at: None,
            left_alone: HashMap::new(),
            crowded: HashSet::new(),
        }))
    }

    /// One round; answers whether there may be more to do at once.
    pub async fn run_once(&mut self) -> Result<bool, Error> {
        let now = self.app.clock.now();
        if !self.begun {
            let mut random = [0; 8];
            getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
            self.app.store.start_delivery_epoch(DeliveryEpoch::new(u64::from_be_bytes(random))).await?;
            self.reap_leases(Leases::All, now).await?;
            self.begun = true;
        }
        self.drain();
        self.reap(now).await?;
        self.scan(now).await?;
        let more_owed = self.may_owe() && self.take_in_now(now).await?;
        let taken = self.schedule.take(now, LANES_PER_ROUND);
        if !taken.is_empty()
            && let Err(error) = self.round(&taken, now).await
        {
            // They have had their turn, and something is still there.
            let again = later(now, RETRY_AFTER);
            taken.iter().for_each(|lane| self.schedule.note(*lane, again));
            return Err(error);
        }
        self.drain();
        self.dispatch.counters.note_in_flight(self.schedule.in_flight());
        Ok(more_owed || self.schedule.has_turn(now))
    }

    /// Whether there may be notices that no deliveries were made of. Attempts end far more often than that.
    fn may_owe(&self) -> bool {
        let recorded = self.matched.as_ref().is_some_and(|matched| matched.has_changed().unwrap_or(false));
        recorded || self.looked.is_none_or(|(at, more)| more || at.elapsed() >= LOOK_EVERY)
    }

    async fn take_in_now(&mut self, now: Timestamp) -> Result<bool, Error> {
        // Before looking: what is recorded while we look counts as new.
        if let Some(matched) = &mut self.matched {
            matched.borrow_and_update();
        }
        let at = Instant::now();
        let more = self.take_in(now).await?;
        self.looked = Some((at, more));
        Ok(more)
    }

    /// Waits for all attempts under way, and until they are recorded.
    pub async fn finish(mut self) {
        self.stopping.cancel();
        self.attempts.close();
        // Nothing more is handed to the recorder, so that it ends when it has recorded everything.
        self.recorder.close();
        self.attempts.wait().await;
    }

    /// Waits until nothing is under way and everything is recorded; more may be due then.
    pub async fn settled(&mut self) {
        while self.schedule.in_flight() > 0 {
            if let Some((route, ending)) = self.ended.1.recv().await {
                self.schedule.end(&route, ending);
            }
        }
        self.recorder.drained().await;
        self.drain();
    }

    async fn wait(&mut self, stop: &CancellationToken) {
        let now = self.app.clock.now();
        let due_in = self.schedule.next_due_at().map(|due_at| due_at.duration_since(now).unsigned_abs());
        let pause = due_in.unwrap_or(LOOK_EVERY).min(LOOK_EVERY);
        let recorded = async {
            let changed = match &mut self.matched {
                Some(matched) => matched.changed().await.is_ok(),
                None => false,
            };
            if !changed {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            // It is seen by that, and to be looked at.
            () = recorded => self.looked = None,
            () = self.dispatch.wake.notified() => {}
            Some((route, ending)) = self.ended.1.recv() => self.schedule.end(&route, ending),
            Some((lane, due_at)) = self.noted.recv() => self.schedule.note(lane, due_at),
            _ = tokio::time::timeout(pause, std::future::pending::<()>()) => {}
        }
    }

    /// Everything that was told meanwhile.
    fn drain(&mut self) {
        while let Ok((route, ending)) = self.ended.1.try_recv() {
            self.schedule.end(&route, ending);
        }
        while let Ok((lane, due_at)) = self.noted.try_recv() {
            self.schedule.note(lane, due_at);
        }
        for lane in self.dispatch.take_woken() {
            self.schedule.note(lane, Timestamp::UNIX_EPOCH);
        }
    }

    async fn reap(&mut self, now: Timestamp) -> Result<(), Error> {
        if self.tended_at.is_none_or(|at| now.duration_since(at).unsigned_abs() >= TEND_EVERY) {
            self.tended_at = Some(now);
            self.left_alone.retain(|_, until| *until > now);
            // While an attempt of ours has outlived its lease, because the clock was set or the disk was slow, it is still ours. What
            // else has run out belongs to somebody who is gone.
            if self.recorder.earliest_lease().is_none_or(|lease_until| lease_until > now) {
                self.reap_leases(Leases::Expired, now).await?;
            }
        }
        Ok(())
    }

    async fn reap_leases(&mut self, leases: Leases, now: Timestamp) -> Result<(), Error> {
        loop {
            let lanes = self.app.store.reap_leases(leases, now, TAKEN_BACK_AT_ONCE).await?;
            if !lanes.is_empty() {
                tracing::warn!(
                    deliveries = lanes.len(),
                    "attempts that nobody saw the end of are made again"
                );
            }
            for lane in &lanes {
                self.dispatch.counters.note_attempt(lane.channel, domain::Outcome::Interrupted);
                self.schedule.note(*lane, now);
            }
            if lanes.len() < TAKEN_BACK_AT_ONCE {
                return Ok(());
            }
        }
    }

    /// Goes on with the walk through all lanes; the first time, to its end.
    async fn scan(&mut self, now: Timestamp) -> Result<(), Error> {
        let first = self.scan.at.is_none();
        if self.scan.at.is_some_and(|at| now.duration_since(at).unsigned_abs() < SURVEY_EVERY) {
            return Ok(());
        }
        loop {
            let lanes = self.app.store.lanes(self.scan.after, LANES_PER_SURVEY).await?;
            for found in lanes.iter().filter(|found| !self.left_alone.contains_key(&found.lane)) {
                self.schedule.note(found.lane, found.due_at);
            }
            self.scan.after =
                lanes.last().map(|found| found.lane).filter(|_| lanes.len() == LANES_PER_SURVEY);
            if !first || self.scan.after.is_none() {
                self.scan.at = Some(now);
                return Ok(());
            }
        }
    }
}

fn later(moment: Timestamp, by: Duration) -> Timestamp {
    moment.saturating_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
