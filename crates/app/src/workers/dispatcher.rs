//! Sends deliveries: turns outbox entries into deliveries, attempts the due ones, and records the outcomes.
//!
//! The matcher, ending attempts and the next due time wake it; it polls four times a second for changes by other processes. An
//! attempt runs under a lease, which is claimed before and settled after it in separate transactions. After a crash between the
//! two, the lease expires, and the delivery is attempted again with the same id and the same bytes.
//!
//! One round goes through the files in this order: [`enqueue`], [`schedule`], [`round`] (with [`rates`] and [`confirm`]), [`render`] (with [`payload`] and
//! [`email`]), [`attempt`] and [`record`].

mod attempt;
mod confirm;
mod email;
mod enqueue;
mod in_flight;
pub(crate) mod payload;
mod rates;
mod record;
pub(crate) mod render;
mod round;
mod schedule;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use domain::{DeliveryEpoch, Timestamp, UserId};
use store::{Lane, Leases, Position};
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::dispatch::Dispatch;
use crate::{App, Error};
use in_flight::EndedAttempt;
use rates::Rates;
use record::Recorder;
use schedule::{OrderKey, Schedule};

/// How many lanes one round processes. A lane that becomes due waits for the whole round.
const LANES_PER_ROUND: usize = 64;

/// How often to poll for changes by other processes.
const POLL_INTERVAL: Duration = Duration::from_millis(250);

/// How long to wait after a failure. The cause is most likely the disk, and lasts for a while.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// How often the next lanes are scanned for deliveries that other processes added.
const SCAN_INTERVAL: Duration = Duration::from_secs(1);
const LANES_PER_SCAN: usize = 2_000;

/// How long what another server attempts is left alone. Without it, a lane with many deliveries of one property would be read again and again
/// until that attempt has ended.
const ELSEWHERE_PAUSE: Duration = Duration::from_millis(200);

/// How often to look whether deliveries are held: `vigie deliveries release` takes effect this soon.
const HOLD_INTERVAL: Duration = Duration::from_millis(500);

/// How often expired leases are reaped.
const REAP_INTERVAL: Duration = Duration::from_secs(5);

/// How many leases one transaction reaps.
const REAP_BATCH: usize = 1_000;

/// The worker.
pub struct Dispatcher {
    app: App,
    dispatch: Arc<Dispatch>,
    schedule: Schedule,
    attempts: TaskTracker,
    /// Cancelled when no more attempts may start.
    stopping: CancellationToken,
    recorder: Recorder,
    ended: (mpsc::UnboundedSender<EndedAttempt>, mpsc::UnboundedReceiver<EndedAttempt>),
    /// Lanes with a retry, from the recorder.
    due_lanes: mpsc::UnboundedReceiver<(Lane, Timestamp)>,
    /// The position of the matcher of this process.
    matcher_position: Option<watch::Receiver<Option<Position>>>,
    last_outbox_read: Option<OutboxRead>,
    /// Whether deliveries are held, and when that was last looked up; `None` before the first time.
    hold: Option<Hold>,
    is_started: bool,
    /// The number of the last claim. Starts at a random number, so that no two processes use the same.
    last_claim: u64,
    scan: LaneScan,
    reaped_at: Option<Timestamp>,
    /// Lanes whose search cannot be read, or whose receiver has got as much as it may for now, and until when they are skipped.
    suspended: HashMap<Lane, Timestamp>,
    rates: Rates,
    /// Recipients that were asked for confirmation a short while ago, and until when they are not asked again.
    asked: HashMap<(UserId, String), Timestamp>,
    /// Lanes whose e-mail had to wait. What came in meanwhile is sent in one e-mail.
    collecting: HashSet<Lane>,
    /// Lanes whose first deliveries are all blocked, by attempts in flight or elsewhere: later ones may not be.
    blocked_at_head: HashSet<Lane>,
    /// Properties of a lane that another server was found to send, and until when they are left alone.
    attempted_elsewhere: HashMap<OrderKey, Timestamp>,
}

/// The last read of the outbox.
struct OutboxRead {
    at: Instant,
    has_more: bool,
}

/// Whether deliveries are held, as of some time.
struct Hold {
    at: Instant,
    is_held: bool,
}

/// The position of the scan through all lanes.
#[derive(Default)]
struct LaneScan {
    after: Option<Lane>,
    at: Option<Timestamp>,
}

/// Dispatches deliveries until `stop` is cancelled, then waits for the attempts in flight.
pub async fn run(mut dispatcher: Dispatcher, stop: CancellationToken) {
    while !stop.is_cancelled() {
        match dispatcher.run_once().await {
            Ok(true) => {}
            Ok(false) => dispatcher.wait(&stop).await,
            Err(error) => {
                tracing::error!(
                    worker = "dispatcher",
                    error = &error as &dyn std::error::Error,
                    "a worker failed; retrying"
                );
                let _ = tokio::time::timeout(RETRY_AFTER, stop.cancelled()).await;
            }
        }
    }
    dispatcher.finish().await;
}

impl Dispatcher {
    /// Returns a dispatcher, or `None` if the app sends nothing.
    pub fn new(app: &App) -> Result<Option<Self>, Error> {
        let Some(dispatch) = &app.dispatch else { return Ok(None) };
        let mut random = [0; 8];
        getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
        let (due_sender, due_lanes) = mpsc::unbounded_channel();
        let attempts = TaskTracker::new();
        Ok(Some(Self {
            app: app.background(),
            dispatch: Arc::clone(dispatch),
            schedule: Schedule::new(dispatch.settings.limits),
            recorder: Recorder::start(app, dispatch, due_sender, &attempts),
            attempts,
            stopping: CancellationToken::new(),
            ended: mpsc::unbounded_channel(),
            due_lanes,
            matcher_position: app.matcher.as_ref().map(|progress| progress.watch()),
            last_outbox_read: None,
            hold: None,
            is_started: false,
            // The lower part of the range, so that counting up never exceeds what the store can represent.
            last_claim: u64::from_be_bytes(random) >> 2,
            scan: LaneScan::default(),
            reaped_at: None,
            suspended: HashMap::new(),
            rates: Rates::new(dispatch.settings.limits),
            collecting: HashSet::new(),
            asked: HashMap::new(),
            blocked_at_head: HashSet::new(),
            attempted_elsewhere: HashMap::new(),
        }))
    }

    /// Runs one round. Returns `true` if there may be more to do right now.
    pub async fn run_once(&mut self) -> Result<bool, Error> {
        let now = self.app.clock.now();
        if !self.is_started {
            let mut random = [0; 8];
            getrandom::fill(&mut random).map_err(Error::NoRandomness)?;
            self.app.store.start_delivery_epoch(DeliveryEpoch::new(u64::from_be_bytes(random))).await?;
            // Other servers on the same database are alive, and so are their leases.
            if self.app.shared_identity().is_none() {
                self.reap_leases(Leases::All, now).await?;
            }
            self.is_started = true;
        }
        self.drain();
        self.reap(now).await?;
        self.scan(now).await?;
        let has_more = self.should_read_outbox() && self.read_outbox(now).await?;
        if self.is_held().await? {
            // Deliveries are enqueued and wait; none is attempted or cancelled.
            self.drain();
            self.dispatch.counters.set_in_flight(self.schedule.in_flight());
            return Ok(has_more);
        }
        let lanes = self.schedule.take_ready(now, LANES_PER_ROUND);
        if !lanes.is_empty()
            && let Err(error) = self.run_round(&lanes, now).await
        {
            // The lanes left the schedule, and still have due deliveries.
            let again = later(now, RETRY_AFTER);
            lanes.iter().for_each(|lane| self.schedule.add(*lane, again));
            return Err(error);
        }
        self.drain();
        self.dispatch.counters.set_in_flight(self.schedule.in_flight());
        Ok(has_more || self.schedule.has_ready(now))
    }

    /// Returns `true` if the outbox may have new entries. Rounds are far more frequent than entries.
    fn should_read_outbox(&self) -> bool {
        let has_matched =
            self.matcher_position.as_ref().is_some_and(|position| position.has_changed().unwrap_or(false));
        has_matched
            || self
                .last_outbox_read
                .as_ref()
                .is_none_or(|read| read.has_more || read.at.elapsed() >= POLL_INTERVAL)
    }

    async fn read_outbox(&mut self, now: Timestamp) -> Result<bool, Error> {
        // Before reading, so that entries recorded during the read count as new.
        if let Some(position) = &mut self.matcher_position {
            position.borrow_and_update();
        }
        let at = Instant::now();
        let has_more = self.enqueue(now).await?;
        self.last_outbox_read = Some(OutboxRead { at, has_more });
        Ok(has_more)
    }

    /// Returns `true` if an operator holds all deliveries, as after a restored backup.
    async fn is_held(&mut self) -> Result<bool, Error> {
        if let Some(Hold { at, is_held }) = self.hold
            && at.elapsed() < HOLD_INTERVAL
        {
            return Ok(is_held);
        }
        let was_held = self.hold.as_ref().is_some_and(|hold| hold.is_held);
        let at = Instant::now();
        let since = self.app.deliveries_held().await?;
        let is_held = since.is_some();
        match since {
            Some(since) if !was_held => tracing::warn!(
                since,
                "deliveries are held: matches are recorded and wait; `vigie deliveries release` sends them"
            ),
            None if was_held => tracing::info!("deliveries were released and are sent"),
            Some(_) | None => {}
        }
        self.dispatch.counters.set_held(is_held);
        self.hold = Some(Hold { at, is_held });
        Ok(is_held)
    }

    /// Waits until all attempts in flight have ended and are recorded.
    pub async fn finish(mut self) {
        self.stopping.cancel();
        self.attempts.close();
        // The recorder ends when the last sender is dropped and everything is recorded.
        self.recorder.close();
        self.attempts.wait().await;
    }

    /// Waits until no attempt is in flight and everything is recorded. More deliveries may be due then.
    pub async fn wait_idle(&mut self) {
        while self.schedule.in_flight() > 0 {
            if let Some(EndedAttempt { route, end }) = self.ended.1.recv().await {
                self.schedule.end(&route, end);
            }
        }
        self.recorder.wait_idle().await;
        self.drain();
    }

    async fn wait(&mut self, stop: &CancellationToken) {
        let now = self.app.clock.now();
        let is_held = self.hold.as_ref().is_some_and(|hold| hold.is_held);
        let due_in = self
            .schedule
            .next_due_at()
            .filter(|_| !is_held)
            .map(|due_at| due_at.duration_since(now).unsigned_abs());
        let pause = due_in.unwrap_or(POLL_INTERVAL).min(POLL_INTERVAL);
        let matched = async {
            let changed = match &mut self.matcher_position {
                Some(position) => position.changed().await.is_ok(),
                None => false,
            };
            if !changed {
                std::future::pending::<()>().await;
            }
        };
        tokio::select! {
            () = stop.cancelled() => {}
            // `changed` has marked the position as seen, so the next round must read the outbox.
            () = matched => self.last_outbox_read = None,
            () = self.dispatch.wake.notified() => {}
            Some(EndedAttempt { route, end }) = self.ended.1.recv() => self.schedule.end(&route, end),
            Some((lane, due_at)) = self.due_lanes.recv() => self.schedule.add(lane, due_at),
            _ = tokio::time::timeout(pause, std::future::pending::<()>()) => {}
        }
    }

    /// Drains the channels into the schedule.
    fn drain(&mut self) {
        while let Ok(EndedAttempt { route, end }) = self.ended.1.try_recv() {
            self.schedule.end(&route, end);
        }
        while let Ok((lane, due_at)) = self.due_lanes.try_recv() {
            self.schedule.add(lane, due_at);
        }
        for lane in self.dispatch.take_woken() {
            self.schedule.add(lane, Timestamp::UNIX_EPOCH);
        }
    }

    async fn reap(&mut self, now: Timestamp) -> Result<(), Error> {
        if self.reaped_at.is_none_or(|at| now.duration_since(at).unsigned_abs() >= REAP_INTERVAL) {
            self.reaped_at = Some(now);
            self.suspended.retain(|_, until| *until > now);
            self.rates.prune(now);
            self.asked.retain(|_, until| *until > now);
            // An attempt of this process may outlive its lease, if the clock was set or the disk is slow. It is still in flight, and
            // nothing is reaped until it is recorded. Otherwise an expired lease belongs to a process that is gone.
            if self.recorder.earliest_lease().is_none_or(|lease_until| lease_until > now) {
                self.reap_leases(Leases::Expired, now).await?;
            }
        }
        Ok(())
    }

    async fn reap_leases(&mut self, leases: Leases, now: Timestamp) -> Result<(), Error> {
        loop {
            let lanes = self.app.store.reap_leases(leases, now, REAP_BATCH).await?;
            if !lanes.is_empty() {
                let deliveries = lanes.len();
                tracing::warn!(deliveries, "leases of delivery attempts expired; retrying these deliveries");
            }
            for lane in &lanes {
                self.dispatch.counters.record_attempt(lane.channel, domain::Outcome::Interrupted);
                self.schedule.add(*lane, now);
            }
            if lanes.len() < REAP_BATCH {
                return Ok(());
            }
        }
    }

    /// Scans the next lanes in the store; the first time, all lanes.
    async fn scan(&mut self, now: Timestamp) -> Result<(), Error> {
        let is_first = self.scan.at.is_none();
        if self.scan.at.is_some_and(|at| now.duration_since(at).unsigned_abs() < SCAN_INTERVAL) {
            return Ok(());
        }
        self.attempted_elsewhere.retain(|_, until| *until > now);
        loop {
            let lanes = self.app.store.lanes(self.scan.after, LANES_PER_SCAN).await?;
            for found in lanes.iter().filter(|found| !self.suspended.contains_key(&found.lane)) {
                self.schedule.add(found.lane, found.due_at);
            }
            self.scan.after = lanes.last().map(|found| found.lane).filter(|_| lanes.len() == LANES_PER_SCAN);
            if !is_first || self.scan.after.is_none() {
                self.scan.at = Some(now);
                return Ok(());
            }
        }
    }
}

fn later(time: Timestamp, by: Duration) -> Timestamp {
    time.saturating_add(by).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests;
